//! The measured values of a run on one number of ranks, as mdtest's tables count them
//! (docs/explanation/metadata.md).
//!
//! Invariant: nothing is measured here. Rates are operations divided by seconds, both from records and
//! events.
//! Never here: the layout of a table.

use results::record::Phase;
use workloads::mdtest::{EndedPhase, RankTimes};

/// The rows of mdtest's tables in their order, also of the phase that is not printed.
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

/// The phase whose deadline is printed below the output.
pub(crate) const STOPPED_BELOW: &str = "Directory creation";

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
    /// Operations per second of all ranks together; for the tree, those of rank 0.
    pub(crate) rate: f64,
    /// Seconds until the slowest rank had finished; for the tree, those of rank 0.
    pub(crate) seconds: f64,
    /// The numbers of each rank, if they are wanted.
    pub(crate) ranks: Vec<RankTimes>,
    /// Rank 0's seconds from the common start until all ranks had ended, and its rate in this time.
    pub(crate) rank_0: (f64, f64),
    /// Its record, until its iteration has ended. Later it is kept only if something in it is still to be
    /// printed, so that the memory of many iterations stays small.
    pub(crate) phase: Option<Box<Phase>>,
}

/// Operations per second; 0 if the time is 0.
fn rate(operations: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { operations / seconds } else { 0.0 }
}

/// Whether this is one of the two phases of the tree, which mdtest counts on rank 0.
pub(crate) fn is_of_tree(label: &str) -> bool {
    label.starts_with("Tree ")
}

/// The operations of a row: the `others` that succeeded. For the tree mdtest counts the directories of one
/// tree; here they are scaled by the share of all operations that succeeded.
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
    /// The values of an event, with its latencies only if `whole` is set.
    pub(crate) fn new(ended: &EndedPhase<'_>, whole: bool) -> Self {
        let mut phase = ended.phase.clone();
        phase.timeline = None;
        if !whole {
            phase.latency = None;
        }
        let tree = is_of_tree(ended.label);
        let seconds = if tree { ended.rank_0.seconds } else { ended.phase.spans.total_s };
        let counted = |operations| counted(ended.label, ended.items, ended.phase, operations);
        let operations = counted(ended.phase.ops);
        let times = ended.rank_0;
        let rank_0 = (times.seconds, rate(counted(times.operations), times.seconds));
        Self {
            label: ended.label,
            rate: rate(operations, seconds),
            seconds,
            ranks: ended.ranks.to_vec(),
            rank_0,
            phase: Some(Box::new(phase)),
        }
    }

    /// Its iteration has ended, and its lines are printed. Drops a record of which nothing is printed later.
    pub(crate) fn settle(&mut self) {
        self.phase.take_if(|phase| {
            let stopped = phase.stonewall.is_some() && self.label == STOPPED_BELOW;
            phase.failed.is_none() && phase.check.is_none() && phase.latency.is_none() && !stopped
        });
    }

    /// The value over all ranks.
    pub(crate) fn value(&self, unit: ResultUnit) -> f64 {
        match unit {
            ResultUnit::Rate => self.rate,
            ResultUnit::Time => self.seconds,
        }
    }

    /// The values of each rank, from the common start until its own end.
    pub(crate) fn own(&self, unit: ResultUnit) -> impl Iterator<Item = f64> {
        self.ranks.iter().map(move |rank| own(rank, unit))
    }
}

/// A rank's rate or seconds until its own end.
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

/// Extremes, mean and deviation of some values.
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

    /// The sample standard deviation (n - 1); 0 for one value.
    pub(crate) fn sample(&self) -> f64 {
        if self.count > 1 { (self.squares / (self.count - 1) as f64).sqrt() } else { 0.0 }
    }

    /// The population standard deviation (n), as before mdtest 4.0.
    pub(crate) fn population(&self) -> f64 {
        if self.count > 0 { (self.squares / self.count as f64).sqrt() } else { 0.0 }
    }
}

impl Results {
    /// The phase with this label in this iteration, if it was run.
    pub(crate) fn find(&self, iteration: usize, label: &str) -> Option<&MeasuredPhase> {
        self.iterations.get(iteration)?.iter().find(|measured| measured.label == label)
    }

    /// Over iterations. A phase that was not run counts as 0.
    pub(crate) fn spread(&self, label: &str, unit: ResultUnit) -> ValueSpread {
        let of = |iteration| self.find(iteration, label).map_or(0.0, |measured| measured.value(unit));
        ValueSpread::of(&(0..self.iterations.len()).map(of).collect::<Vec<f64>>())
    }

    /// Over ranks and iterations, each rank by itself. For the tree the same as over iterations.
    pub(crate) fn spread_of_ranks(&self, label: &str, unit: ResultUnit) -> ValueSpread {
        if is_of_tree(label) {
            return self.spread(label, unit);
        }
        let phases = (0..self.iterations.len()).filter_map(|iteration| self.find(iteration, label));
        ValueSpread::of(&phases.flat_map(|measured| measured.own(unit)).collect::<Vec<f64>>())
    }

    /// The phases that classic mdtest does not have, in the order of their runs.
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

    /// A phase of two ranks that did `items` each in `seconds`; the second rank took half of the time.
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

    /// The same phase as a measured one.
    pub(crate) fn measured(label: &'static str, items: u64, seconds: f64) -> MeasuredPhase {
        MeasuredPhase::new(&ended(label, items, seconds, &mut Phase::default(), &mut Vec::new()), true)
    }

    #[test]
    fn a_rate_is_all_operations_over_the_slowest_ranks_time_except_for_the_tree() {
        let file = measured("File stat", 100, 0.5);
        assert_eq!((file.rate, file.seconds, file.rank_0.1), (400.0, 0.5, 200.0));
        assert_eq!(file.own(ResultUnit::Rate).collect::<Vec<_>>(), [200.0, 400.0]);
        let tree = measured("Tree creation", 10, 0.5);
        assert_eq!((tree.rate, tree.rank_0.1), (20.0, 20.0));
        assert_eq!(measured("File stat", 100, 0.0).rate, 0.0, "no time, no rate");
    }

    #[test]
    fn the_record_of_an_ended_iteration_is_kept_only_if_something_of_it_is_printed_later() {
        let kept = |label, change: fn(&mut Phase)| {
            let (mut phase, mut ranks) = (Phase::default(), Vec::new());
            ended(label, 10, 1.0, &mut phase, &mut ranks);
            change(&mut phase);
            let one = ranks[0];
            let mut measured = MeasuredPhase::new(
                &EndedPhase { phase: &phase, label, items: 10, rank_0: one, ranks: &[] },
                false,
            );
            measured.settle();
            (measured.phase.is_some(), measured.rate)
        };
        let stopped: fn(&mut Phase) = |phase| phase.stonewall = Some(Default::default());
        assert_eq!(kept("File stat", |_| ()), (false, 20.0));
        assert_eq!(kept("File creation", stopped), (false, 20.0));
        assert!(kept(STOPPED_BELOW, stopped).0);
        assert!(kept("File stat", |phase| phase.failed = Some(Failed::default())).0);
        assert!(kept("File read", |phase| phase.check = Some(Default::default())).0);
    }

    #[test]
    fn failed_operations_are_in_no_rate() {
        let (mut phase, mut ranks) = (Phase::default(), Vec::new());
        ended("File stat", 100, 1.0, &mut phase, &mut ranks);
        phase.ops = 150;
        let one = ranks[0];
        let ended = EndedPhase { phase: &phase, label: "File stat", items: 100, rank_0: one, ranks: &ranks };
        assert_eq!(MeasuredPhase::new(&ended, false).rate, 150.0);
    }

    #[test]
    fn failed_operations_of_the_tree_are_in_no_rate() {
        let (mut phase, mut ranks) = (Phase::default(), Vec::new());
        ended("Tree creation", 40, 0.5, &mut phase, &mut ranks);
        (phase.ops, phase.failed) = (20, Some(Failed { operations: 60, ..Failed::default() }));
        let one = ranks[0];
        let of = |phase: &Phase| {
            let ended = EndedPhase { phase, label: "Tree creation", items: 40, rank_0: one, ranks: &ranks };
            MeasuredPhase::new(&ended, false)
        };
        let measured = of(&phase);
        assert_eq!((measured.rate, measured.rank_0.1), (20.0, 20.0), "a quarter of 40 in half a second");
        phase.ops = 0;
        assert_eq!(of(&phase).rate, 0.0);
    }

    #[test]
    fn the_spread_of_iterations_counts_a_missing_phase_as_zero() {
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
