//! When the parts of a phase began and ended, on one rank and over all ranks.

use measure::{Clock, Tick};
use results::record::Spans;

use super::parts::{PartPlace, ReducedParts, ReductionParts};
use super::rank::Rank;

/// The six stamps of docs/explanation/clock-and-phases.md, "A phase".
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PhaseStamps {
    pub(crate) open: (Tick, Tick),
    pub(crate) transfer: (Tick, Tick),
    pub(crate) close: (Tick, Tick),
}

/// The spans of a phase over all ranks.
pub(crate) struct PhaseSpans {
    pub(crate) spans: Spans,
    /// When the phase began, seconds since the start of the run.
    pub(crate) began_s: f64,
    /// The first start and the last end of transfers on rank 0's clock.
    pub(crate) transfers_ns: [u64; 2],
    /// The worst uncertainty of any rank's clock against rank 0's.
    pub(crate) uncertainty_ns: u64,
}

/// Where the first starts and the last ends are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StampPlaces {
    first: [PartPlace; 3],
    last: [PartPlace; 4],
}

impl PhaseStamps {
    /// Adds the stamps of this rank.
    pub(crate) fn add(&self, parts: &mut ReductionParts, rank: &Rank<'_>) -> StampPlaces {
        let at = |tick: Tick| rank.on_rank_0(rank.clock.ns_at(tick));
        let first = [self.open.0, self.transfer.0, self.close.0].map(|tick| parts.min(at(tick)));
        let [opened, moved, closed] = [self.open.1, self.transfer.1, self.close.1].map(at);
        let last = [opened, moved, closed, rank.uncertainty_ns()].map(|ns| parts.max(ns));
        StampPlaces { first, last }
    }
}

impl StampPlaces {
    /// The spans over all ranks.
    pub(crate) fn spans(self, reduced: &ReducedParts, rank: &Rank<'_>, has_ramp: bool) -> PhaseSpans {
        let (first, last) = (reduced.all(self.first), reduced.all(self.last));
        let [opened, moved, closed, uncertainty_ns] = last;
        PhaseSpans {
            spans: spans(first, [opened, moved, closed], has_ramp),
            began_s: first[0].saturating_sub(rank.began_ns()) as f64 * 1e-9,
            transfers_ns: [first[1], moved],
            uncertainty_ns,
        }
    }
}

/// The spans from the first starts and last ends of open, transfers and close, nanoseconds. With a ramp,
/// counting begins after the ramp, and so does the total time. Transfers begin at the end of the ramp.
fn spans(first: [u64; 3], last: [u64; 3], has_ramp: bool) -> Spans {
    let span = |from: u64, to: u64| to.saturating_sub(from) as f64 * 1e-9;
    let counts_from = if has_ramp { first[1] } else { first[0] };
    Spans {
        open_s: span(first[0], last[0]),
        transfer_s: span(first[1], last[1]),
        close_s: span(first[2].max(counts_from), last[2]),
        total_s: span(counts_from, last[2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_after_the_ramp_is_longer_than_the_total() {
        // A rank with little work closed its file within the ramp, which ended at 1000.
        let ns = |seconds: f64| (seconds * 1e9).round();
        let ramped = spans([0, 1000, 300], [10, 2000, 2100], true);
        assert_eq!((ns(ramped.close_s), ns(ramped.total_s)), (1100.0, 1100.0));
        let plain = spans([0, 100, 300], [10, 2000, 2100], false);
        assert_eq!((ns(plain.close_s), ns(plain.total_s)), (1800.0, 2100.0));
    }
}
