//! What was measured in a run on one number of ranks, as mdtest's tables count it (docs/METHODOLOGY.md).
//!
//! Invariant: no number here is measured here; rates are operations over seconds of records and events.
//! Never here: how a table looks.

use results::record::Phase;
use workloads::mdtest::{EndedPhase, RankTimes};

/// The rows of mdtest's tables, in their order, and the phase of which nothing is printed.
pub(crate) const LABELS: [&str; 11] = [
    "Directory creation",
    "Directory stat",
    "Directory read",
    "Directory rename",
    "Directory removal",
    "File creation",
    "File stat",
    "File read",
    "File removal",
    "Tree creation",
    "Tree removal",
];

/// Rates or times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultUnit {
    /// Operations per second.
    Rate,
    /// Seconds.
    Time,
}

/// One phase of one iteration.
#[derive(Clone, Debug)]
pub(crate) struct MeasuredPhase {
    /// Its label in the tables.
    pub(crate) label: &'static str,
    /// Operations per second of all ranks together; of the tree, those of rank 0.
    pub(crate) rate: f64,
    /// Seconds until the slowest rank was done; of the tree, those of rank 0.
    pub(crate) seconds: f64,
    /// Each rank's own numbers, where they are wanted.
    pub(crate) ranks: Vec<RankTimes>,
    /// Operations that one rank was to do.
    pub(crate) items: u64,
    /// Rank 0's own numbers.
    pub(crate) rank_0: RankTimes,
    /// What is recorded of it.
    pub(crate) phase: Phase,
}

/// Operations per second, 0 where there was no time.
fn rate(operations: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { operations / seconds } else { 0.0 }
}

/// Whether this is one of the two phases of the tree, which mdtest counts by rank 0.
pub(crate) fn is_of_tree(label: &str) -> bool {
    label.starts_with("Tree ")
}

/// The operations of a row: those that were done, of `others`; of the tree mdtest counts the directories of
/// one, here as many of them as were done of all.
fn counted(label: &str, items: u64, phase: &Phase, others: u64) -> f64 {
    if !is_of_tree(label) {
        return others as f64;
    }
    let failed = phase.failed.as_ref().map_or(0, |failed| failed.operations);
    match phase.ops + failed {
        0 => 0.0,
        attempted => items as f64 * phase.ops as f64 / attempted as f64,
    }
}

impl MeasuredPhase {
    /// What an event tells, with its latencies if they are wanted `whole`. What is kept of each of many
    /// iterations is small.
    pub(crate) fn new(ended: &EndedPhase<'_>, whole: bool) -> Self {
        let mut phase = ended.phase.clone();
        phase.timeline = None;
        if !whole {
            phase.latency = None;
        }
        let tree = is_of_tree(ended.label);
        let seconds = if tree { ended.rank_0.seconds } else { ended.phase.spans.total_s };
        let operations = counted(ended.label, ended.items, ended.phase, ended.phase.ops);
        Self {
            label: ended.label,
            rate: rate(operations, seconds),
            seconds,
            ranks: ended.ranks.to_vec(),
            items: ended.items,
            rank_0: ended.rank_0,
            phase,
        }
    }

    /// Over all ranks.
    pub(crate) fn value(&self, unit: ResultUnit) -> f64 {
        match unit {
            ResultUnit::Rate => self.rate,
            ResultUnit::Time => self.seconds,
        }
    }

    /// Rank 0's own rate, from the common start until all ranks had ended.
    pub(crate) fn rank_0_rate(&self) -> f64 {
        let operations = counted(self.label, self.items, &self.phase, self.rank_0.operations);
        rate(operations, self.rank_0.seconds)
    }

    /// Each rank's own, from the common start until its own end.
    pub(crate) fn own(&self, unit: ResultUnit) -> impl Iterator<Item = f64> {
        self.ranks.iter().map(move |rank| own(rank, unit))
    }
}

/// A rank's own rate or seconds, until its own end.
pub(crate) fn own(rank: &RankTimes, unit: ResultUnit) -> f64 {
    match unit {
        ResultUnit::Rate => rate(rank.operations as f64, rank.own_s),
        ResultUnit::Time => rank.own_s,
    }
}

/// A run on one number of ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    /// How many ranks took part.
    pub(crate) ranks: u32,
    /// Items of one rank.
    pub(crate) items: u64,
    /// The phases of each iteration.
    pub(crate) iterations: Vec<Vec<MeasuredPhase>>,
}

/// Extremes, mean and deviation over some values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ValueSpread {
    pub(crate) max: f64,
    pub(crate) min: f64,
    pub(crate) mean: f64,
    /// The sum of squared distances from the mean.
    squares: f64,
    count: usize,
}

impl ValueSpread {
    pub(crate) fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Self {
            max: values.iter().copied().fold(f64::MIN, f64::max),
            min: values.iter().copied().fold(f64::MAX, f64::min),
            mean,
            squares: values.iter().map(|value| (value - mean).powi(2)).sum(),
            count: values.len(),
        }
    }

    /// The deviation of a sample (n - 1), 0 of one value.
    pub(crate) fn sample(&self) -> f64 {
        if self.count > 1 { (self.squares / (self.count - 1) as f64).sqrt() } else { 0.0 }
    }

    /// The deviation of all there is (n), as before mdtest 4.0.
    pub(crate) fn population(&self) -> f64 {
        if self.count > 0 { (self.squares / self.count as f64).sqrt() } else { 0.0 }
    }
}

impl Results {
    /// The phase of that label in that iteration, if it was.
    pub(crate) fn find(&self, iteration: usize, label: &str) -> Option<&MeasuredPhase> {
        self.iterations.get(iteration)?.iter().find(|measured| measured.label == label)
    }

    /// Over iterations; a phase that was not counts as 0.
    pub(crate) fn spread(&self, label: &str, unit: ResultUnit) -> ValueSpread {
        let of = |iteration| self.find(iteration, label).map_or(0.0, |measured| measured.value(unit));
        ValueSpread::of(&(0..self.iterations.len()).map(of).collect::<Vec<f64>>())
    }

    /// Over ranks and iterations, each rank by itself; of the tree the same as over iterations.
    pub(crate) fn spread_of_ranks(&self, label: &str, unit: ResultUnit) -> ValueSpread {
        if is_of_tree(label) {
            return self.spread(label, unit);
        }
        let phases = (0..self.iterations.len()).filter_map(|iteration| self.find(iteration, label));
        ValueSpread::of(&phases.flat_map(|measured| measured.own(unit)).collect::<Vec<f64>>())
    }

    /// What was done besides mdtest's phases, in the order in which it was done.
    pub(crate) fn others(&self) -> Vec<&'static str> {
        let mut labels = Vec::new();
        for measured in self.iterations.iter().flatten() {
            if !LABELS.contains(&measured.label) && !labels.contains(&measured.label) {
                labels.push(measured.label);
            }
        }
        labels
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use results::record::{Balance, Failed, Latency};

    use super::*;

    /// A phase of two ranks that did `items` each in so many seconds, the second rank in half of it.
    pub(crate) fn ended<'a>(
        label: &'static str,
        items: u64,
        seconds: f64,
        phase: &'a mut Phase,
        ranks: &'a mut Vec<RankTimes>,
    ) -> EndedPhase<'a> {
        phase.phase = label.to_lowercase().replace(' ', "_");
        phase.ops = 2 * items;
        phase.spans.total_s = seconds;
        phase.balance = Balance { slowest_node: "n0".into(), bytes_min: items, ..Balance::default() };
        phase.latency = Some(Latency {
            count: 2 * items,
            min_ns: 1000,
            max_ns: 64_000,
            buckets: vec![(1000, items), (64_000, items)],
            ..Latency::default()
        });
        let one = |own_s| RankTimes { operations: items, own_s, seconds };
        *ranks = vec![one(seconds), one(seconds / 2.0)];
        EndedPhase { phase, label, items, rank_0: ranks[0], ranks }
    }

    /// That phase, measured.
    pub(crate) fn measured(label: &'static str, items: u64, seconds: f64) -> MeasuredPhase {
        MeasuredPhase::new(&ended(label, items, seconds, &mut Phase::default(), &mut Vec::new()), true)
    }

    #[test]
    fn a_rate_is_all_operations_over_the_slowest_ranks_time_and_the_trees_is_rank_0s() {
        let file = measured("File stat", 100, 0.5);
        assert_eq!((file.rate, file.seconds, file.rank_0_rate()), (400.0, 0.5, 200.0));
        assert_eq!(file.own(ResultUnit::Rate).collect::<Vec<_>>(), [200.0, 400.0]);
        let tree = measured("Tree creation", 10, 0.5);
        assert_eq!((tree.rate, tree.rank_0_rate()), (20.0, 20.0));
        assert_eq!(measured("File stat", 100, 0.0).rate, 0.0, "no time, no rate");
    }

    #[test]
    fn what_failed_is_in_no_rate() {
        let (mut phase, mut ranks) = (Phase::default(), Vec::new());
        ended("File stat", 100, 1.0, &mut phase, &mut ranks);
        phase.ops = 150;
        let one = ranks[0];
        let ended = EndedPhase { phase: &phase, label: "File stat", items: 100, rank_0: one, ranks: &ranks };
        assert_eq!(MeasuredPhase::new(&ended, false).rate, 150.0);
    }

    #[test]
    fn of_the_tree_what_failed_is_in_no_rate_either() {
        let (mut phase, mut ranks) = (Phase::default(), Vec::new());
        ended("Tree creation", 40, 0.5, &mut phase, &mut ranks);
        (phase.ops, phase.failed) = (20, Some(Failed { operations: 60, ..Failed::default() }));
        let one = ranks[0];
        let of = |phase: &Phase| {
            let ended = EndedPhase { phase, label: "Tree creation", items: 40, rank_0: one, ranks: &ranks };
            MeasuredPhase::new(&ended, false)
        };
        let measured = of(&phase);
        assert_eq!((measured.rate, measured.rank_0_rate()), (20.0, 20.0), "a quarter of 40 in half a second");
        phase.ops = 0;
        assert_eq!(of(&phase).rate, 0.0);
    }

    #[test]
    fn the_spread_of_iterations_counts_what_was_not_done_as_nothing() {
        let of = |seconds| vec![measured("File stat", 1, seconds)];
        let results = Results { iterations: vec![of(1.0), of(0.5), of(0.25)], ..Results::default() };
        let spread = results.spread("File stat", ResultUnit::Rate);
        assert_eq!((spread.max, spread.min), (8.0, 2.0));
        assert!((spread.mean - 14.0 / 3.0).abs() < 1e-12);
        assert!((spread.sample() - 3.055_050_463_3).abs() < 1e-9, "{}", spread.sample());
        assert!((spread.population() - 2.494_438_257_8).abs() < 1e-9, "{}", spread.population());
        assert_eq!(results.spread("File read", ResultUnit::Rate), ValueSpread::of(&[0.0; 3]));
        assert_eq!(ValueSpread::of(&[5.0]).sample(), 0.0);
        assert_eq!(results.spread_of_ranks("File stat", ResultUnit::Time).max, 1.0);
        assert_eq!(results.spread_of_ranks("File stat", ResultUnit::Time).min, 0.125);
    }
}
