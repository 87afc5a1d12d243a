//! Distributes a loop's stamps: to the meters, to the log of single transfers, and to the progress board.
//!
//! Invariant: every transfer that ended is counted once in [`TransferTally::transfers`]. It is counted once
//! in a meter too, unless it ended within the ramp or was cut short.

use std::ops::Range;

use measure::{Meter, Scale, Tick};

use super::board::BoardRow;
use super::transfer_log::TransferLog;

/// When some transfers began and ended, in the order of their ends.
pub struct TransferStamps<'a> {
    /// Beginnings.
    pub begins: &'a [Tick],
    /// Ends.
    pub ends: &'a [Tick],
    /// Which were reads; empty if the phase is not mixed.
    pub reads: &'a [bool],
}

impl<'a> TransferStamps<'a> {
    /// The stamps in `range`.
    pub fn of(
        begins: &'a [Tick],
        ends: &'a [Tick],
        reads: &'a [bool],
        range: Range<usize>,
        mixed: bool,
    ) -> Self {
        let reads = if mixed { &reads[range.clone()] } else { &[][..] };
        Self { begins: &begins[range.clone()], ends: &ends[range], reads }
    }

    /// The same without the transfers that ended before `from`.
    fn after(&self, from: Tick) -> Self {
        let early = self.ends.partition_point(|end| *end < from);
        let reads = if self.reads.is_empty() { self.reads } else { &self.reads[early..] };
        Self { begins: &self.begins[early..], ends: &self.ends[early..], reads }
    }
}

/// Counts the transfers of one rank in one phase.
pub struct TransferTally {
    /// All transfers, or the writes of a mixed phase.
    pub meter: Meter,
    /// The reads of a mixed phase.
    pub reads: Option<Meter>,
    /// Transfers that ended before this moment do not count.
    ramp_until: Tick,
    transfers: u64,
    log: Option<TransferLog>,
    row: Option<BoardRow>,
}

impl TransferTally {
    /// Counts into `meter`.
    pub fn new(meter: Meter) -> Self {
        Self { meter, reads: None, ramp_until: Tick(0), transfers: 0, log: None, row: None }
    }

    /// Counts the reads separately, in `reads`.
    pub fn mixed(self, reads: Meter) -> Self {
        Self { reads: Some(reads), ..self }
    }

    /// Also writes every transfer to `log`.
    pub fn logged(self, log: Option<TransferLog>) -> Self {
        Self { log, ..self }
    }

    /// Also shows the progress of this rank on the board.
    pub fn watched(self, row: Option<BoardRow>) -> Self {
        Self { row, ..self }
    }

    /// The timelines start at `origin`, and all times have the scale that the clock has for this phase.
    pub fn start(&mut self, origin: Tick, scale: Scale) {
        self.meter.start(origin, scale);
        if let Some(reads) = &mut self.reads {
            reads.start(origin, scale);
        }
    }

    /// The loop starts at `begin`, and transfers that end before `ramp_until` do not count.
    pub fn begin(&mut self, begin: Tick, ramp_until: Tick) {
        self.ramp_until = ramp_until;
        if let Some(log) = &mut self.log {
            log.begin(begin, self.meter.scale());
        }
    }

    /// The latest moment for the next stamps after stamps taken at `now`.
    pub fn due(&self, now: Tick) -> Tick {
        self.meter.due(now)
    }

    /// Counts transfers that have ended. The time of this call belongs to no transfer, so read the clock
    /// again after it.
    pub fn take(&mut self, stamps: &TransferStamps<'_>) {
        self.transfers += stamps.ends.len() as u64;
        let last = stamps.ends.last().copied();
        let whole = stamps.ends.first().is_none_or(|first| *first >= self.ramp_until);
        let counted = if whole { None } else { Some(stamps.after(self.ramp_until)) };
        let stamps = counted.as_ref().unwrap_or(stamps);
        match &mut self.reads {
            None => self.meter.take(stamps.begins, stamps.ends),
            Some(reads) => {
                take_some(reads, stamps, true);
                take_some(&mut self.meter, stamps, false);
            }
        }
        if let Some(log) = &mut self.log {
            log.take(stamps.begins, stamps.ends, stamps.reads);
        }
        if let (Some(row), Some(now)) = (&mut self.row, last) {
            row.show(now, self.transfers, &self.meter, self.reads.as_ref());
        }
    }

    /// Counts the bytes of a transfer that met the end of the file. The transfer itself does not count in a
    /// meter.
    #[cold]
    pub fn cut_short(&mut self, end: Tick, bytes: u64) {
        self.transfers += 1;
        if end >= self.ramp_until {
            self.meter.take_part(end, bytes);
        }
        if let Some(row) = &mut self.row {
            row.show(end, self.transfers, &self.meter, self.reads.as_ref());
        }
    }

    /// Counts one failed transfer, so that the numbering continues after it; it has no latency.
    pub fn skip(&mut self) {
        self.transfers += 1;
    }

    /// All transfers so far, including those within the ramp.
    pub fn transfers(&self) -> u64 {
        self.transfers
    }

    /// Writes the rest of the log. Fails if a line could not be written, now or earlier.
    pub fn finish(&mut self) -> Result<(), String> {
        self.log.take().map_or(Ok(()), TransferLog::finish)
    }
}

/// Counts only the reads, or only the writes, in `meter`.
fn take_some(meter: &mut Meter, stamps: &TransferStamps<'_>, reads: bool) {
    let wanted = |index: &usize| stamps.reads[*index] == reads;
    let (begins, ends): (Vec<Tick>, Vec<Tick>) =
        (0..stamps.ends.len()).filter(wanted).map(|index| (stamps.begins[index], stamps.ends[index])).unzip();
    meter.take(&begins, &ends);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally() -> TransferTally {
        TransferTally::new(Meter::new(Scale::NANOSECONDS, 512))
    }

    fn ticks(from: u64) -> Vec<Tick> {
        (0..10).map(|number| Tick(from + number * 100)).collect()
    }

    #[test]
    fn transfers_that_end_within_the_ramp_are_numbered_but_not_counted() {
        let mut tally = tally();
        tally.begin(Tick(0), Tick(555));
        tally.take(&TransferStamps { begins: &ticks(0), ends: &ticks(50), reads: &[] });
        assert_eq!(
            (tally.transfers(), tally.meter.transfers()),
            (10, 4),
            "the ones ending at 650, 750, 850, 950"
        );
        assert_eq!(tally.meter.latency.count(), 4);
    }

    #[test]
    fn reads_and_writes_of_a_mixed_phase_are_counted_separately() {
        let mut tally = tally().mixed(Meter::new(Scale::NANOSECONDS, 512));
        let reads: Vec<bool> = (0..10).map(|number| number % 5 == 0).collect();
        tally.take(&TransferStamps { begins: &ticks(0), ends: &ticks(50), reads: &reads });
        let counted = tally.reads.as_ref().map(Meter::transfers);
        assert_eq!((tally.meter.transfers(), counted), (8, Some(2)));
    }
}
