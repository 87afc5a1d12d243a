//! The groups of one phase: their ranks, their work, and how each compares with the others.
//!
//! Everything that does not depend on the compared group is computed once. A comparison then takes no more
//! time than the group has ranks, or there are groups.
//!
//! Never here: which groups are slow.

use std::collections::BTreeSet;

use measure::statistics;

use super::KnownPhase;
use super::speeds::GroupNames;

/// A rank that moved nothing gets this share of the median rank's rate, because its logarithm is needed.
const LEAST_SHARE: f64 = 1e-3;

/// The groups of one phase, each by its place among the names.
pub(super) struct PhaseGroups<'k, 'p> {
    /// The place of the phase among all of them.
    at: usize,
    phase: &'k KnownPhase<'p>,
    groups: Vec<PhaseGroup>,
    /// The rates of the groups with ranks, each in its own time.
    together: SortedValues,
    /// The numbers of ranks or files of the groups with ranks.
    held: SortedValues,
}

#[derive(Clone, Default)]
struct PhaseGroup {
    /// Its ranks with their rates. A rank whose file has two parts on a target is there twice.
    ranks: Vec<(u32, f64)>,
    load: GroupLoad,
    /// The median rate of its ranks as a share of the phase's median.
    share: f64,
}

/// The work of a group in one phase.
#[derive(Clone, Copy, Default)]
struct GroupLoad {
    moved: f64,
    seconds: f64,
    held: f64,
}

impl GroupLoad {
    fn rate(&self) -> f64 {
        self.moved / self.seconds
    }

    /// The logarithm of a share, or of the total of the group's ranks.
    fn value(&self, share: f64, as_total: bool) -> f64 {
        let share = share.max(LEAST_SHARE);
        (if as_total { share * self.held } else { share }).ln()
    }
}

impl<'k, 'p> PhaseGroups<'k, 'p> {
    pub(super) fn of(at: usize, phase: &'k KnownPhase<'p>, names: &GroupNames<'_>) -> Self {
        let mut groups = vec![PhaseGroup::default(); names.len()];
        let each = phase.each;
        for (rank, rate) in &phase.rates {
            let own: Vec<usize> = names.of_rank(at, each, *rank).collect();
            let part = 1.0 / own.len().max(1) as f64;
            let (moved, seconds) = (each.moved.of(*rank), each.seconds.of(*rank));
            for group in own {
                let PhaseGroup { ranks, load, .. } = &mut groups[group];
                ranks.push((*rank, *rate));
                load.moved += moved.unwrap_or(0) as f64 * part;
                load.seconds = load.seconds.max(seconds.unwrap_or(0.0));
                load.held += part;
            }
        }
        for group in &mut groups {
            group.share = share(&group.ranks, phase.median);
        }
        let loads = || groups.iter().filter(|group| !group.ranks.is_empty()).map(|group| group.load);
        let together = SortedValues::of(loads().map(|load| load.rate()).collect());
        let held = SortedValues::of(loads().map(|load| load.held).collect());
        Self { at, phase, groups, together, held }
    }

    /// The group, if it has ranks in this phase.
    fn group(&self, group: usize) -> Option<&PhaseGroup> {
        self.groups.get(group).filter(|group| !group.ranks.is_empty())
    }

    /// The rates of a group's ranks, each rank once.
    pub(super) fn rates_of(&self, group: usize) -> impl Iterator<Item = f64> {
        let ranks = &self.groups[group].ranks;
        ranks.chunk_by(|a, b| a.0 == b.0).map(|same| same[0].1)
    }

    /// The number of a group's ranks, and its rate in its own time as a share of the median of the others.
    pub(super) fn together(&self, group: usize) -> Option<(f64, f64)> {
        let load = self.group(group)?.load;
        Some((load.held, load.rate() / self.together.median_without(load.rate())?))
    }

    /// The number of a group's ranks, and the smallest and the largest number of another.
    pub(super) fn held(&self, group: usize) -> Option<[f64; 3]> {
        let own = self.group(group)?.load.held;
        let [fewest, most] = self.held.ends_without(own);
        Some([own, fewest.unwrap_or(0.0), most.unwrap_or(0.0)])
    }

    /// The value of a group and those of `others` without its ranks, as logarithms; `None` without ranks.
    pub(super) fn compared(
        &self,
        group: usize,
        others: &BTreeSet<usize>,
        as_totals: bool,
        names: &GroupNames<'_>,
    ) -> Option<(f64, Vec<f64>)> {
        let own = self.group(group)?;
        let groups = |rank: u32| names.of_rank(self.at, self.phase.each, rank);
        let shared: BTreeSet<usize> = own.ranks.iter().flat_map(|(rank, _)| groups(*rank)).collect();
        let value = |other: usize| {
            let one = self.group(other)?;
            if !shared.contains(&other) {
                return Some(one.load.value(one.share, as_totals));
            }
            let is_other = |rank: &u32| groups(*rank).all(|one| one != group);
            let left: Vec<_> = one.ranks.iter().filter(|(rank, _)| is_other(rank)).copied().collect();
            (!left.is_empty()).then(|| one.load.value(share(&left, self.phase.median), as_totals))
        };
        let others = others.iter().filter(|other| **other != group).filter_map(|other| value(*other));
        Some((own.load.value(own.share, as_totals), others.collect()))
    }
}

/// The median of ranks' rates, as a share of the phase's median.
fn share(ranks: &[(u32, f64)], median: f64) -> f64 {
    let shares: Vec<f64> = ranks.iter().map(|(_, rate)| rate / median).collect();
    statistics::median(&shares).unwrap_or(0.0)
}

/// The median over a group's ranks of a quantity, weighted by the number of ranks in each phase. If files
/// move from phase to phase, most ranks may be those of a phase in which the group was overloaded.
pub(super) fn over_ranks(phases: &[(f64, f64)]) -> Option<f64> {
    let each = phases.iter().flat_map(|(held, value)| std::iter::repeat_n(*value, held.ceil() as usize));
    statistics::median(&each.collect::<Vec<f64>>())
}

/// Values of all groups, from which that of one group is left out.
struct SortedValues(Vec<f64>);

impl SortedValues {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    /// The value at this place among all but one of those that equal `left_out`.
    fn at(&self, left_out: f64, place: usize) -> Option<f64> {
        let own = self.0.partition_point(|value| value.total_cmp(&left_out).is_lt());
        self.0.get(if place < own { place } else { place + 1 }).copied()
    }

    fn median_without(&self, left_out: f64) -> Option<f64> {
        let count = self.0.len().checked_sub(1)?;
        let upper = self.at(left_out, count / 2)?;
        if count % 2 == 1 {
            return Some(upper);
        }
        Some(f64::midpoint(self.at(left_out, (count / 2).checked_sub(1)?)?, upper))
    }

    /// The smallest and the largest of the others.
    fn ends_without(&self, left_out: f64) -> [Option<f64>; 2] {
        let last = self.0.len().checked_sub(2);
        [last.map(|_| 0), last].map(|place| self.at(left_out, place?))
    }
}
