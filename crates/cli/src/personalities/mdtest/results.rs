//! The measured values of a run on one number of ranks, as mdtest's tables count them
//! (docs/explanation/metadata.md).
//!
//! Invariant: nothing is measured here. Rates are operations divided by seconds, both from records and
//! events. The memory does not grow with the iterations, unless the numbers of each rank are printed.
//! Never here: the layout of a table.

use results::record::Phase;
use workloads::mdtest::{EndedPhase, RankTimes};

use crate::personalities::spread::ValueSpread;

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
    /// Seconds of the first part of the phase, until its deadline, and the operations of all ranks.
    pub(crate) stopped: Option<(f64, u64)>,
}

/// Operations per second; 0 if the time is 0.
pub(crate) fn rate(operations: f64, seconds: f64) -> f64 {
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
    pub(crate) fn new(ended: &EndedPhase<'_>) -> Self {
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
            stopped: ended.phase.stonewall.as_ref().map(|wall| (wall.seconds, ended.phase.ops)),
        }
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

/// The values of one label over the ended iterations.
#[derive(Clone, Debug, Default)]
struct LabelSpreads {
    label: &'static str,
    /// Rate and time of all ranks together.
    all: [ValueSpread; 2],
    /// Rate and time of each rank by itself.
    ranks: [ValueSpread; 2],
}

/// A run on one number of ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    /// How many ranks took part.
    pub(crate) ranks: u32,
    /// Items of one rank.
    pub(crate) items: u64,
    /// The iterations that have ended.
    pub(crate) ended: u32,
    /// The phases of the iteration in progress.
    present: Option<Vec<MeasuredPhase>>,
    /// The labels of ended iterations, in the order of their first phases.
    labels: Vec<LabelSpreads>,
    /// Whether the numbers of each rank and iteration are printed, too.
    keeps_ranks: bool,
    /// The phases of each ended iteration, if these numbers are printed.
    kept: Vec<Vec<MeasuredPhase>>,
    /// Whether the tables are printed.
    pub(crate) is_printed: bool,
}

impl Results {
    pub(crate) fn new(ranks: u32, items: u64, keeps_ranks: bool) -> Self {
        Self { ranks, items, keeps_ranks, ..Self::default() }
    }

    /// Ends the iteration in progress, and begins the next one.
    pub(crate) fn begin_iteration(&mut self) {
        self.end_iteration();
        self.present = Some(Vec::new());
    }

    /// Counts the iteration in progress as a complete one.
    pub(crate) fn end_iteration(&mut self) {
        let Some(phases) = self.present.take() else { return };
        self.ended += 1;
        for (at, measured) in phases.iter().enumerate() {
            // As in a table, only the first phase of a label counts.
            if phases[..at].iter().any(|earlier| earlier.label == measured.label) {
                continue;
            }
            let known = self.labels.iter().position(|one| one.label == measured.label);
            let known = known.unwrap_or_else(|| {
                self.labels.push(LabelSpreads { label: measured.label, ..LabelSpreads::default() });
                self.labels.len() - 1
            });
            let spreads = &mut self.labels[known];
            for unit in [ResultUnit::Rate, ResultUnit::Time] {
                spreads.all[unit as usize].add(measured.value(unit));
                measured.own(unit).for_each(|value| spreads.ranks[unit as usize].add(value));
            }
        }
        if self.keeps_ranks {
            self.kept.push(phases);
        }
    }

    /// Adds a phase to the iteration in progress.
    pub(crate) fn add(&mut self, measured: MeasuredPhase) {
        if let Some(present) = &mut self.present {
            present.push(measured);
        }
    }

    /// The phases of the iteration in progress.
    pub(crate) fn present(&self) -> &[MeasuredPhase] {
        self.present.as_deref().unwrap_or_default()
    }

    /// The phase with this label in this iteration, if it was run and its iteration is kept.
    pub(crate) fn find(&self, iteration: u32, label: &str) -> Option<&MeasuredPhase> {
        self.kept.get(iteration as usize)?.iter().find(|measured| measured.label == label)
    }

    /// Over iterations. A phase that was not run counts as 0.
    pub(crate) fn spread(&self, label: &str, unit: ResultUnit) -> ValueSpread {
        let known = self.labels.iter().find(|one| one.label == label);
        let mut spread = known.map_or(ValueSpread::default(), |one| one.all[unit as usize]);
        (spread.count..self.ended.into()).for_each(|_| spread.add(0.0));
        spread
    }

    /// Over ranks and iterations, each rank by itself. For the tree the same as over iterations.
    pub(crate) fn spread_of_ranks(&self, label: &str, unit: ResultUnit) -> ValueSpread {
        if is_of_tree(label) {
            return self.spread(label, unit);
        }
        let known = self.labels.iter().find(|one| one.label == label);
        known.map_or(ValueSpread::default(), |one| one.ranks[unit as usize])
    }

    /// The phases that classic mdtest does not have, in the order of their runs.
    pub(crate) fn others(&self) -> Vec<&'static str> {
        self.labels.iter().map(|one| one.label).filter(|label| !LABELS.contains(label)).collect()
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
        MeasuredPhase::new(&ended(label, items, seconds, &mut Phase::default(), &mut Vec::new()))
    }

    /// A run of two ranks with these iterations, whose phases are kept.
    pub(crate) fn results_of(items: u64, iterations: Vec<Vec<MeasuredPhase>>) -> Results {
        let mut results = Results::new(2, items, true);
        for phases in iterations {
            results.begin_iteration();
            phases.into_iter().for_each(|one| results.add(one));
        }
        results.end_iteration();
        results
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
    fn an_ended_iteration_is_kept_only_for_the_numbers_of_each_rank() {
        for keeps in [true, false] {
            let mut results = Results::new(2, 1, keeps);
            for _ in 0..1000 {
                results.begin_iteration();
                results.add(measured("File stat", 1, 0.5));
                results.add(measured("File list", 1, 0.5));
            }
            assert_eq!((results.ended, results.kept.len()), (999, if keeps { 999 } else { 0 }));
            assert_eq!((results.labels.len(), results.others()), (2, vec!["File list"]));
            assert_eq!(results.find(998, "File stat").is_some(), keeps);
        }
    }

    #[test]
    fn an_iteration_that_has_not_ended_is_in_no_table() {
        let mut results = results_of(1, vec![vec![measured("File stat", 1, 0.5)]]);
        results.begin_iteration();
        results.add(measured("File stat", 1, 0.25));
        assert_eq!((results.ended, results.present().len()), (1, 1));
        assert_eq!(results.spread("File stat", ResultUnit::Time).min, 0.5);
    }

    #[test]
    fn failed_operations_are_in_no_rate() {
        let (mut phase, mut ranks) = (Phase::default(), Vec::new());
        ended("File stat", 100, 1.0, &mut phase, &mut ranks);
        phase.ops = 150;
        let one = ranks[0];
        let ended = EndedPhase { phase: &phase, label: "File stat", items: 100, rank_0: one, ranks: &ranks };
        assert_eq!(MeasuredPhase::new(&ended).rate, 150.0);
    }

    #[test]
    fn failed_operations_of_the_tree_are_in_no_rate() {
        let (mut phase, mut ranks) = (Phase::default(), Vec::new());
        ended("Tree creation", 40, 0.5, &mut phase, &mut ranks);
        (phase.ops, phase.failed) = (20, Some(Failed { operations: 60, ..Failed::default() }));
        let one = ranks[0];
        let of = |phase: &Phase| {
            let ended = EndedPhase { phase, label: "Tree creation", items: 40, rank_0: one, ranks: &ranks };
            MeasuredPhase::new(&ended)
        };
        let measured = of(&phase);
        assert_eq!((measured.rate, measured.rank_0.1), (20.0, 20.0), "a quarter of 40 in half a second");
        phase.ops = 0;
        assert_eq!(of(&phase).rate, 0.0);
    }

    #[test]
    fn the_spread_of_iterations_counts_a_missing_phase_as_zero() {
        let of = |seconds| vec![measured("File stat", 1, seconds)];
        let results = results_of(1, vec![of(1.0), of(0.5), of(0.25)]);
        let spread = results.spread("File stat", ResultUnit::Rate);
        assert_eq!((spread.max, spread.min), (8.0, 2.0));
        assert!((spread.mean() - 14.0 / 3.0).abs() < 1e-12);
        assert!((spread.sample_deviation() - 3.055_050_463_3).abs() < 1e-9, "{}", spread.sample_deviation());
        assert!(
            (spread.population_deviation() - 2.494_438_257_8).abs() < 1e-9,
            "{}",
            spread.population_deviation()
        );
        let missing = results.spread("File read", ResultUnit::Rate);
        let mut zeros = ValueSpread::default();
        (0..3).for_each(|_| zeros.add(0.0));
        assert_eq!(missing, zeros);
        let partly = results_of(1, vec![of(0.5), Vec::new()]).spread("File stat", ResultUnit::Rate);
        assert_eq!(
            (partly.max, partly.min, partly.mean(), partly.population_deviation()),
            (4.0, 0.0, 2.0, 2.0)
        );
        let once = results_of(1, vec![of(0.5)]).spread("File stat", ResultUnit::Rate);
        assert_eq!((once.sample_deviation(), once.count), (0.0, 1));
        assert_eq!(results.spread_of_ranks("File stat", ResultUnit::Time).max, 1.0);
        assert_eq!(results.spread_of_ranks("File stat", ResultUnit::Time).min, 0.125);
    }
}
