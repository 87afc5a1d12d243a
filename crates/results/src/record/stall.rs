//! Times in which no rank moved anything, found in the timeline of a phase.
//!
//! Slow transfers leave empty intervals too. So only a time counts that is much longer than a usual transfer,
//! and than the time between two transfers of a rate limit.
//!
//! Never here: what a stall means for a criterion.

use super::{Counts, Phase};
use crate::reason::{Reason, reason};

/// Shorter times are not reported, seconds.
const LEAST_S: f64 = 1.0;
/// A stall lasts at least this multiple of the median latency.
const OF_MEDIAN: f64 = 10.0;

/// A time in which no rank ended a transfer or an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseStall {
    /// Its beginning, seconds from the start of the phase.
    pub from_s: f64,
    /// Its length, seconds.
    pub seconds: f64,
}

impl Phase {
    /// The stalls, the longest first. The resolution is that of the timeline.
    pub fn stalls(&self) -> Vec<PhaseStall> {
        let (Some(timeline), Some(latency)) = (&self.timeline, &self.latency) else { return Vec::new() };
        let interval = timeline.interval_ns as f64 * 1e-9;
        let median = latency.p50_ns as f64 * 1e-9;
        let usual = match self.rate_limit {
            None => median,
            // A latency counts from the moment at which the transfer was due. After a stall all are late, so
            // their median is near the length of the stall.
            Some(limit) => (1.0 / limit.max(1e-9)).max(median.min(self.mean_distance_s())),
        };
        let least = LEAST_S.max(OF_MEDIAN * usual).max(interval);
        // The opening has a span of its own.
        let mut end = self.spans.open_s;
        let mut found = Vec::new();
        for (index, _) in (0_u64..).zip(&timeline.bytes).filter(|(_, bytes)| **bytes > 0) {
            let begin = index as f64 * interval;
            if begin - end >= least {
                found.push(PhaseStall { from_s: end, seconds: begin - end });
            }
            end = end.max(begin + interval);
        }
        found.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        found
    }

    /// The mean time between two transfers of a rank, seconds.
    fn mean_distance_s(&self) -> f64 {
        self.spans.transfer_s * f64::from(self.ranks) / self.ops.max(1) as f64
    }

    /// The notice about the stalls; `None` without any. `label` is the name of the phase.
    pub fn stall_reason(&self, label: &str) -> Option<Reason> {
        let stalls = self.stalls();
        let longest = stalls.first()?;
        let reason = reason!(Stall {
            label,
            operations: (self.counts == Counts::Operations).then_some(true),
            lasted: longest.seconds,
            from: longest.from_s,
        });
        let total: f64 = stalls.iter().map(|stall| stall.seconds).sum();
        Some(if stalls.len() == 1 { reason } else { reason!(Stall { times: stalls.len(), total, ..reason }) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Latency, Spans, Timeline};
    use super::*;

    /// A phase with intervals of 0.5 s.
    fn phase(bytes: &[u64], p50_ns: u64) -> Phase {
        Phase {
            timeline: Some(Timeline { interval_ns: 500_000_000, bytes: bytes.to_vec() }),
            latency: Some(Latency { p50_ns, ..Latency::default() }),
            ..Phase::default()
        }
    }

    const WITH_TWO: &[u64] = &[1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1];

    #[test]
    fn empty_intervals_of_a_second_and_more_are_stalls_and_the_longest_is_named() {
        let stalls = phase(WITH_TWO, 1000).stalls();
        let wanted = [PhaseStall { from_s: 2.5, seconds: 3.0 }, PhaseStall { from_s: 1.0, seconds: 1.0 }];
        assert_eq!(stalls, wanted);
        let two = reason!(Stall { label: "write", lasted: 3.0, from: 2.5, times: 2_u32, total: 4.0 });
        assert_eq!(phase(WITH_TWO, 1000).stall_reason("write"), Some(two));
        let one = Phase { counts: Counts::Operations, ..phase(&[1, 0, 0, 1], 1000) };
        let only = reason!(Stall { label: "file creation", operations: true, lasted: 1.0, from: 0.5 });
        assert_eq!(one.stall_reason("file creation"), Some(only));
    }

    #[test]
    fn a_stall_is_found_under_a_rate_limit_although_all_later_transfers_are_late() {
        let spans = Spans { transfer_s: 7.0, ..Spans::default() };
        let late = phase(WITH_TWO, 2_900_000_000);
        let limited = Phase { rate_limit: Some(200.0), ranks: 2, ops: 1400, spans, ..late };
        assert_eq!(limited.stalls().first(), Some(&PhaseStall { from_s: 2.5, seconds: 3.0 }));
    }

    #[test]
    fn slow_transfers_a_rate_limit_and_the_opening_are_no_stalls() {
        assert_eq!(phase(WITH_TWO, 400_000_000).stalls(), []);
        let limited = Phase { rate_limit: Some(2.0), ..phase(WITH_TWO, 1000) };
        assert_eq!(limited.stalls(), []);
        let slow = Phase { rate_limit: Some(200.0), ..phase(WITH_TWO, 400_000_000) };
        let spans = Spans { transfer_s: 7.0, ..Spans::default() };
        let few = Phase { ranks: 2, ops: 35, spans, ..slow };
        assert_eq!(few.stalls(), []);
        let opening = |open_s| Phase {
            spans: Spans { open_s, ..Spans::default() },
            ..phase(&[0, 0, 0, 0, 1, 1], 1000)
        };
        assert_eq!(opening(1.5).stalls(), []);
        assert_eq!(opening(0.5).stalls(), [PhaseStall { from_s: 0.5, seconds: 1.5 }]);
        assert_eq!(Phase::default().stall_reason("read"), None);
    }
}
