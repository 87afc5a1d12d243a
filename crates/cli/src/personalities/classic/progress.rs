//! The progress of a phase, from the values that the ranks show on the board of this node, and its text.
//!
//! Invariant: the counts exclude the ramp, as in the final result. Only speed and share include it.

use std::time::Instant;

use results::progress::ProgressShown;
use results::record::Counts;
use units::{count, duration, percent};
use workloads::ior::PhaseStart;
use workloads::kit::board::Board;

use crate::personalities::own_lines::{phase_name, rate};

/// The current phase.
pub(crate) struct Running {
    beginning: PhaseStart,
    number: u64,
    pub(crate) begun: Instant,
    /// Time of the last reading, and the transfers it showed, including the ramp.
    last: (Instant, u64),
    /// The counted transfers of that reading.
    counted: u64,
    /// Time of the last reading that showed finished transfers.
    moved: Instant,
    /// Whether the phase has ended.
    pub(crate) over: bool,
}

impl Running {
    /// A phase that began at this moment.
    pub(crate) fn since(begun: Instant, beginning: PhaseStart, number: u64) -> Self {
        Self { beginning, number, begun, last: (begun, 0), counted: 0, moved: begun, over: false }
    }

    /// The share done after `seconds` with `transfers` of the `wanted` ones.
    fn done(&self, seconds: f64, transfers: u64, wanted: u64) -> f64 {
        let passes = if wanted == 0 { 0.0 } else { transfers as f64 / wanted as f64 };
        // The number of whole passes at the end of the least time, at this speed.
        let least = f64::from(self.beginning.least_seconds);
        let passes_wanted = (least * passes / seconds.max(1e-9)).max(passes).ceil().max(1.0);
        let deadline = f64::from(self.beginning.deadline);
        let of_time = if deadline > 0.0 { seconds / deadline } else { 0.0 };
        (passes / passes_wanted).max(of_time).min(1.0)
    }

    /// Seconds left after `seconds`, at the speed up to the last finished transfer. `None` if transfers have
    /// been outstanding for longer than all should take.
    fn left(&self, seconds: f64, done: f64) -> Option<f64> {
        let deadline = f64::from(self.beginning.deadline);
        let until_deadline = (deadline > 0.0).then(|| (deadline - seconds).max(0.0));
        let at_speed = (self.moved - self.begun).as_secs_f64() / done - seconds;
        let by_speed = Some(at_speed).filter(|left| left.is_finite() && *left >= 0.0);
        match (by_speed, until_deadline) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }
}

/// Reads the board.
pub(crate) fn look(test: u32, running: &mut Running, board: &Board) -> ProgressShown {
    let beginning = running.beginning;
    let rows: Vec<_> = board.read_all().into_iter().flatten().collect();
    let here: Vec<_> = rows.iter().filter(|row| row.phase == running.number).collect();
    let now = Instant::now();
    let seconds = (now - running.begun).as_secs_f64();
    // A row that is being written is missing from this reading. The count never decreases.
    let transfers = here.iter().map(|row| row.transfers).sum::<u64>().max(running.last.1);
    running.counted = here.iter().map(|row| row.counted).sum::<u64>().max(running.counted);
    let since = (now - running.last.0).as_secs_f64().max(1e-9);
    let transfers_per_second = (transfers - running.last.1) as f64 / since;
    if transfers > running.last.1 {
        running.moved = now;
    }
    running.last = (now, transfers);
    let slowest = here.iter().min_by_key(|row| row.transfers);
    // Ranks outside the phase have rows but never use them.
    let ranks_seen = beginning.ranks.min(rows.len() as u32);
    let done = running.done(seconds, transfers, beginning.transfers * u64::from(ranks_seen));
    ProgressShown {
        test,
        repetition: beginning.repetition,
        phase: beginning.phase.to_owned(),
        seconds,
        transfers: running.counted,
        bytes: running.counted * beginning.transfer_bytes,
        bytes_per_second: transfers_per_second * beginning.transfer_bytes as f64,
        transfers_per_second,
        p99_seconds: here.iter().map(|row| row.p99_ns).max().unwrap_or(0) as f64 * 1e-9,
        slowest_rank: slowest.map_or(0, |row| row.rank),
        slowest_transfers: slowest.map_or(0, |row| row.counted),
        done,
        idle_seconds: (now - running.moved).as_secs_f64(),
        seconds_left: running.left(seconds, done),
        ranks_seen,
        ranks: beginning.ranks,
        ended: false,
    }
}

/// The last line of a phase, from its record.
pub(crate) fn ended(test: u32, running: &Running, phase: &results::record::Phase) -> ProgressShown {
    let is_data = phase.counts == Counts::Bytes;
    let rate = phase.metric(if is_data { "iops" } else { "rate" });
    ProgressShown {
        test,
        repetition: phase.repetition,
        phase: phase.phase.clone(),
        seconds: running.begun.elapsed().as_secs_f64(),
        transfers: phase.ops,
        bytes: if is_data { phase.bytes } else { 0 },
        bytes_per_second: phase.metric("bw").filter(|_| is_data).map_or(0.0, |metric| metric.value),
        transfers_per_second: rate.map_or(0.0, |metric| metric.value),
        p99_seconds: phase.metric("latency.p99").map_or(0.0, |metric| metric.value),
        slowest_rank: phase.balance.slowest_rank,
        slowest_transfers: phase.balance.bytes_min / phase.transfer_bytes.max(1),
        done: 1.0,
        idle_seconds: 0.0,
        seconds_left: Some(0.0),
        ranks_seen: phase.ranks,
        ranks: phase.ranks,
        ended: true,
    }
}

/// The line on a terminal.
pub(crate) fn line(look: &ProgressShown) -> String {
    let left = look.seconds_left.map_or_else(String::new, |left| format!("  {} left", duration(left)));
    let seen = match look.ranks_seen < look.ranks {
        true => format!("  (this node's {} of {} ranks)", look.ranks_seen, look.ranks),
        false => String::new(),
    };
    // Slow transfers may not finish between two readings. This does not mean that no data moves.
    let speed = match look.idle_seconds > 0.0 {
        true => format!("no transfer ended for {}", duration(look.idle_seconds)),
        false if look.bytes == 0 => format!("{}/s", count(look.transfers_per_second)),
        false => rate(look.bytes_per_second),
    };
    format!(
        "assay: {} {}  {:>5}  {speed}  p99 {}  slowest rank {}: {} transfers{left}{seen}",
        phase_name(&look.phase),
        look.repetition,
        percent(look.done, 0),
        duration(look.p99_seconds),
        look.slowest_rank,
        look.slowest_transfers,
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use measure::{Meter, Scale, Tick};
    use workloads::kit::board::phase_number;

    use super::*;

    fn beginning(deadline: u32) -> PhaseStart {
        PhaseStart {
            phase: "write",
            repetition: 2,
            transfers: 100,
            transfer_bytes: 1 << 20,
            ranks: 8,
            deadline,
            least_seconds: 0,
        }
    }

    fn running(deadline: u32) -> Running {
        let begun = Instant::now() - Duration::from_secs(10);
        Running::since(begun, beginning(deadline), phase_number(0, 1))
    }

    /// A board on which rank 0 has done 20 transfers of the phase and rank 1 has done 30. All but the first
    /// `ramp` count.
    fn board_after(ramp: usize) -> Board {
        let board = Board::for_threads(2).unwrap();
        for (rank, transfers) in [(0, 20), (1, 30)] {
            let mut meter = Meter::new(Scale::NANOSECONDS, 1 << 20);
            meter.take(&vec![Tick(0); transfers - ramp], &vec![Tick(4_000_000); transfers - ramp]);
            let mut row = board.row(rank, rank, phase_number(0, 1), Scale::NANOSECONDS);
            row.show(Tick(1), transfers as u64, &meter, None);
        }
        board
    }

    fn board() -> Board {
        board_after(0)
    }

    /// Asserts that the first reading shows the speed of all 50 transfers, for any time since the start.
    fn assert_has_50_mib(look: &ProgressShown) {
        let bytes = look.bytes_per_second * look.seconds;
        assert!((bytes / (50.0 * 1048576.0) - 1.0).abs() < 1e-9, "{look:?}");
    }

    #[test]
    fn a_reading_has_share_speed_slowest_rank_and_time_left() {
        let mut running = running(0);
        let look = look(0, &mut running, &board());
        assert_eq!((look.transfers, look.slowest_rank, look.slowest_transfers), (50, 0, 20));
        assert!((look.done - 0.25).abs() < 1e-9, "{look:?}");
        assert!(look.seconds >= 10.0, "{look:?}");
        let left = look.seconds_left.unwrap();
        assert!((left / look.seconds - 3.0).abs() < 1e-9, "{look:?}");
        assert_has_50_mib(&look);
        let line = line(&ProgressShown { bytes_per_second: 5.0 * 1048576.0, ..look });
        assert!(
            line.starts_with("assay: wr 2   25 %  5.00 Mi bytes a second  p99")
                && line.contains("slowest rank 0: 20 transfers"),
            "{line}"
        );
        assert!(line.ends_with("(this node's 2 of 8 ranks)"), "{line}");
    }

    #[test]
    fn the_share_is_that_of_the_deadline_if_it_ends_the_phase() {
        let look = look(0, &mut running(20), &board());
        assert!((look.done - (look.seconds / 20.0).min(1.0)).abs() < 1e-9, "{look:?}");
    }

    #[test]
    fn transfers_within_the_ramp_are_in_speed_and_share_but_not_counted() {
        let look = look(0, &mut running(0), &board_after(15));
        assert_eq!((look.transfers, look.bytes, look.slowest_transfers), (20, 20 << 20, 5));
        assert!((look.done - 0.25).abs() < 1e-9, "{look:?}");
        assert_has_50_mib(&look);
    }

    #[test]
    fn a_repeated_pass_does_not_end_the_phase_before_its_least_time() {
        let mut running = running(0);
        running.beginning.least_seconds = 30;
        // A pass takes ten seconds.
        assert!((running.done(10.0, 100, 100) - 1.0 / 3.0).abs() < 1e-9);
        assert!((running.done(28.0, 280, 100) - 2.8 / 3.0).abs() < 1e-9);
        // The last pass takes longer than the passes before.
        assert!((running.done(33.0, 280, 100) - 2.8 / 3.0).abs() < 1e-9);
        // The first pass takes longer than the least time.
        assert!((running.done(40.0, 50, 100) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_time_left_does_not_rise_while_no_transfer_ends() {
        let (mut running, board) = (running(0), board());
        let mut after = |seconds| {
            for moment in [&mut running.begun, &mut running.moved, &mut running.last.0] {
                *moment -= Duration::from_secs(seconds);
            }
            look(0, &mut running, &board)
        };
        let (first, later, late) = (after(0), after(10), after(300));
        let left = [first.seconds_left.unwrap(), later.seconds_left.unwrap()];
        assert!((left[0] - left[1] - later.idle_seconds).abs() < 1e-6, "{left:?} {later:?}");
        assert!(later.idle_seconds >= 10.0 && first.idle_seconds == 0.0, "{first:?} {later:?}");
        let shown = line(&ProgressShown { idle_seconds: 10.0, ..later.clone() });
        assert!(shown.starts_with("assay: wr 2   25 %  no transfer ended for 10.0 s  p99 "), "{later:?}");
        assert!(!line(&first).contains("ended for"), "{first:?}");
        assert_eq!(late.seconds_left, None, "outstanding for longer than all should take");
    }

    #[test]
    fn rows_of_an_earlier_phase_do_not_count() {
        let mut running = Running { number: phase_number(0, 2), ..running(0) };
        assert_eq!(look(0, &mut running, &board()).transfers, 0);
    }
}
