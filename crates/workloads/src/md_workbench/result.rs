//! The result of a phase: counts, errors and latencies of each kind of operation, on each rank and together.

use measure::Histogram;
use ranks::{Comm, Halt};

use crate::kit::reduce;

/// A phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkbenchStep {
    /// Data sets and their objects are created.
    #[default]
    Precreate,
    /// An iteration.
    Benchmark,
    /// Objects and data sets are removed.
    Cleanup,
}

impl WorkbenchStep {
    /// Its name in text, records and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Precreate => "precreate",
            Self::Benchmark => "benchmark",
            Self::Cleanup => "cleanup",
        }
    }
}

/// A kind of operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectCall {
    /// A data set is created.
    #[default]
    MakeSet,
    /// A data set is removed.
    RemoveSet,
    /// An object is created and written.
    Create,
    /// An object is opened and read.
    Read,
    /// An object is looked up.
    Stat,
    /// An object is removed.
    Delete,
}

impl ObjectCall {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::MakeSet, Self::RemoveSet, Self::Create, Self::Read, Self::Stat, Self::Delete];

    /// Its name in records and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::MakeSet => "make_set",
            Self::RemoveSet => "remove_set",
            Self::Create => "create",
            Self::Read => "read",
            Self::Stat => "stat",
            Self::Delete => "delete",
        }
    }

    /// Whether it works on an object, not on a data set.
    pub fn is_of_object(self) -> bool {
        !matches!(self, Self::MakeSet | Self::RemoveSet)
    }
}

/// Numbers of the latency of an operation.
const QUANTILES: usize = 7;
/// The kinds of operations.
pub(super) const CALLS: usize = ObjectCall::ALL.len();
/// The numbers of a kind: its counts and latencies.
const ROW: usize = 3 + QUANTILES;
/// The numbers that each rank sends: time, slowest operation, and those of each kind.
const SENT: usize = 2 + CALLS * ROW;

/// How often an operation was done, and how often it could not be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCount {
    /// Successful operations.
    pub done: u64,
    /// Operations that failed, or found wrong data.
    pub errors: u64,
    /// Operations with a latency: the successful ones, and reads of wrong data.
    pub timed: u64,
}

/// Latencies in seconds: minimum, first quartile, median, third quartile, 90 %, 99 %, maximum.
pub type LatencyQuantiles = [f64; QUANTILES];

/// What one rank did in a phase, or all ranks together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepResult {
    /// Seconds until the end of the own work; of all ranks the longest time.
    pub seconds: f64,
    /// Seconds of the slowest operation on an object.
    pub slowest_s: f64,
    /// Counts by kind, in the order of [`ObjectCall::ALL`].
    pub counts: [CallCount; CALLS],
    /// Latencies by kind, in the same order; `None` where nothing was done.
    pub latencies: [Option<LatencyQuantiles>; CALLS],
}

impl StepResult {
    /// The count of one kind.
    pub fn count(&self, call: ObjectCall) -> CallCount {
        self.counts[call as usize]
    }

    /// Errors of all kinds.
    pub fn errors(&self) -> u64 {
        self.counts.iter().map(|count| count.errors).sum()
    }

    fn sent(&self) -> [u64; SENT] {
        let mut numbers = [0; SENT];
        (numbers[0], numbers[1]) = (self.seconds.to_bits(), self.slowest_s.to_bits());
        for (index, row) in numbers[2..].chunks_exact_mut(ROW).enumerate() {
            let CallCount { done, errors, timed } = self.counts[index];
            [row[0], row[1], row[2]] = [done, errors, timed];
            // A latency of 0 is that of no operation.
            let latencies = self.latencies[index].unwrap_or_default();
            row[3..].iter_mut().zip(latencies).for_each(|(number, latency)| *number = latency.to_bits());
        }
        numbers
    }

    fn received(numbers: &[u64; SENT]) -> Self {
        let mut result = Self {
            seconds: f64::from_bits(numbers[0]),
            slowest_s: f64::from_bits(numbers[1]),
            ..Self::default()
        };
        for (index, row) in numbers[2..].chunks_exact(ROW).enumerate() {
            result.counts[index] = CallCount { done: row[0], errors: row[1], timed: row[2] };
            let latencies: LatencyQuantiles = std::array::from_fn(|at| f64::from_bits(row[3 + at]));
            result.latencies[index] = Some(latencies).filter(|latencies| latencies[QUANTILES - 1] > 0.0);
        }
        result
    }
}

/// A phase that has ended.
#[derive(Clone, Debug, Default)]
pub struct WorkbenchPhase {
    /// Which phase.
    pub step: WorkbenchStep,
    /// The factor of the waiting time.
    pub waiting: f64,
    /// All ranks together.
    pub all: StepResult,
    /// Each rank, in the order of the ranks.
    pub ranks: Vec<StepResult>,
    /// Objects of a data set that were reached at the deadline; 0 without one.
    pub stonewall: u64,
}

/// The latencies in a histogram.
pub(super) fn quantiles(histogram: &Histogram) -> Option<LatencyQuantiles> {
    let seconds = |ns: u64| ns as f64 * 1e-9;
    let at = |q: f64| seconds(histogram.quantile(q));
    let min = seconds(histogram.min()?);
    Some([min, at(0.25), histogram.median() * 1e-9, at(0.75), at(0.9), at(0.99), seconds(histogram.max())])
}

/// The results of all ranks, on rank 0: each, and together with the latencies of `merged`. Collective.
pub(super) fn over_ranks(
    comm: &dyn Comm,
    mine: &StepResult,
    merged: [Option<LatencyQuantiles>; CALLS],
) -> Result<(StepResult, Vec<StepResult>), Halt> {
    let ranks = reduce::gather(comm, mine.sent())?.unwrap_or_default();
    let ranks: Vec<StepResult> = ranks.iter().map(StepResult::received).collect();
    let mut all = StepResult { latencies: merged, ..StepResult::default() };
    for rank in &ranks {
        all.seconds = all.seconds.max(rank.seconds);
        all.slowest_s = all.slowest_s.max(rank.slowest_s);
        for (sum, own) in all.counts.iter_mut().zip(rank.counts) {
            sum.done += own.done;
            sum.errors += own.errors;
            sum.timed += own.timed;
        }
    }
    Ok((all, ranks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_of_a_rank_arrives_as_it_was_sent() {
        let mut result = StepResult { seconds: 1.5, slowest_s: 0.25, ..StepResult::default() };
        result.counts[ObjectCall::Read as usize] = CallCount { done: 7, errors: 2, timed: 8 };
        result.latencies[ObjectCall::Stat as usize] = Some([1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 6e-6, 7e-6]);
        assert_eq!(StepResult::received(&result.sent()), result);
        assert_eq!(result.errors(), 2);
    }
}
