//! The ranks of a node or target, compared with all others.

use std::collections::BTreeSet;

use measure::statistics::{self, RankTest, SLOW_SHARE};

use super::phase_groups::{PhaseGroups, over_ranks};
use super::speeds::{GroupNames, RankSpeeds};
use super::{FAR, Factor, KnownPhase, RANK_SHARE};

/// The probability of at least one wrong finding among all groups of a factor.
const CHANCE: f64 = 0.05;
/// A group that is too small for any test is reported only with at least this many other ranks.
const OTHERS_MIN: usize = 6;
/// A group with more ranks than others is slow only if their total rate is below this share of another
/// group's. A target with more work may lose some speed by that alone.
const OVERLOADED_SHARE: f64 = 0.8;
/// With more groups than this, each is compared with all ranks instead of all other ranks. The result is then
/// the same.
const GROUPS_MANY: usize = 64;

/// The speed of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupSpeed {
    /// It is like the others.
    Usual,
    /// It is slower.
    Slow,
    /// Its ranks are slower because it has more of them. In total they are as fast as those of another group.
    Overloaded,
}

/// How the ranks of one node or target compare with the others.
#[derive(Clone, Debug, PartialEq)]
pub struct StragglerGroup {
    /// The common factor of its ranks.
    pub factor: Factor,
    /// The node or target.
    pub name: String,
    /// Its ranks, in order; with several repetitions, the ranks of all of them.
    pub ranks: Vec<u32>,
    /// Median rate of its ranks, per second.
    pub rate: f64,
    /// This rate as a share of the others' median, each repetition by itself; `None` without others.
    pub share: Option<f64>,
    /// The total rate of its ranks in the time of the last of them, as a share of the median of the other
    /// groups; `None` without others.
    pub together: Option<f64>,
    /// The number of its ranks (for targets: files, or parts of files) in a repetition.
    pub held: f64,
    /// The smallest and the largest number of another group.
    pub others_held: [f64; 2],
    /// Whether it is slow or overloaded.
    pub finding: GroupSpeed,
}

impl StragglerGroup {
    /// Whether another group had fewer ranks or files.
    fn is_fuller(&self) -> bool {
        self.held > self.others_held[0]
    }
}

/// The speeds of the ranks of all groups of a factor.
pub(super) struct FactorSpeeds<'p> {
    names: GroupNames<'p>,
    speeds: RankSpeeds,
    /// For each group, the places of its ranks in `speeds`.
    members: Vec<Vec<usize>>,
    /// The number of groups with ranks.
    count: usize,
    /// The median of all ranks, if there are many groups.
    middle: Option<f64>,
}

impl<'p> FactorSpeeds<'p> {
    pub(super) fn of(known: &[KnownPhase<'p>], factor: Factor) -> Self {
        let names = GroupNames::of(known, factor);
        let speeds = RankSpeeds::in_groups(known, &names);
        let members = speeds.by_group(names.len());
        let count = members.iter().filter(|own| !own.is_empty()).count();
        let middle = (count > GROUPS_MANY).then(|| statistics::median(&speeds.shares()).unwrap_or(1.0));
        Self { names, speeds, members, count, middle }
    }

    /// The rate of a group's ranks as a share of that of the others; `None` if none of its ranks is left, or
    /// no other group.
    pub(super) fn share_of(&self, name: &str) -> Option<f64> {
        let own = self.names.group(name).map(|at| &self.members[at]).filter(|own| !own.is_empty())?;
        if self.count > 1 { self.share(own) } else { None }
    }

    /// The median of a group's ranks as a share of that of all other ranks. Among many groups it is that of
    /// all ranks.
    fn share(&self, own: &[usize]) -> Option<f64> {
        let [own, rest] = self.split(own, self.middle.is_none());
        let others = self.middle.or_else(|| statistics::median(&rest));
        statistics::median(&own).zip(others).map(|(own, others)| own / others)
    }

    /// The shares of a group's ranks, and those of all other ranks if they are needed.
    fn split(&self, own: &[usize], with_rest: bool) -> [Vec<f64>; 2] {
        let all = &self.speeds.0;
        let mut places = own.iter().peekable();
        let mut rest = Vec::new();
        if with_rest {
            let others = all.iter().enumerate().filter(|(at, _)| places.next_if_eq(&at).is_none());
            rest.extend(others.map(|(_, place)| place.share));
        }
        [own.iter().map(|at| all[*at].share).collect(), rest]
    }
}

/// The groups of a factor, and what each of them is compared with.
struct ComparedGroups<'k, 'p> {
    all: FactorSpeeds<'p>,
    phases: Vec<PhaseGroups<'k, 'p>>,
    /// The probability of a wrong finding for each group.
    chance: f64,
}

/// All groups of a factor, by name; none if there are fewer than two.
pub(super) fn of(known: &[KnownPhase<'_>], factor: Factor) -> Vec<StragglerGroup> {
    let all = FactorSpeeds::of(known, factor);
    if all.count < 2 {
        return Vec::new();
    }
    let phases = known.iter().enumerate().map(|(at, one)| PhaseGroups::of(at, one, &all.names)).collect();
    let all = ComparedGroups { phases, chance: CHANCE / all.count as f64, all };
    let mut groups = all.groups(factor);
    all.confirm(&mut groups);
    groups.into_iter().map(|(_, group)| group).collect()
}

impl ComparedGroups<'_, '_> {
    /// All groups, before the ones with slow ranks are confirmed.
    fn groups(&self, factor: Factor) -> Vec<(usize, StragglerGroup)> {
        let FactorSpeeds { names, speeds, members, .. } = &self.all;
        let test = RankTest::of(&speeds.shares());
        let group = |(at, own): (usize, &Vec<usize>)| {
            let [held, fewest, most] = self.held(at);
            let share = self.all.share(own);
            let is_low = share.is_some_and(|share| share < SLOW_SHARE);
            let slow = is_low && self.is_significant(&test, own);
            let mut ranks: Vec<u32> = own.iter().map(|place| speeds.0[*place].rank).collect();
            ranks.dedup();
            let group = StragglerGroup {
                factor,
                name: names.name(at).to_owned(),
                ranks,
                rate: self.rate(at),
                share,
                together: self.together(at),
                held,
                others_held: [fewest, most],
                finding: if slow { GroupSpeed::Slow } else { GroupSpeed::Usual },
            };
            (at, group)
        };
        members.iter().enumerate().filter(|(_, own)| !own.is_empty()).map(group).collect()
    }

    /// Decides for every group with slow ranks whether the group is the cause.
    fn confirm(&self, groups: &mut [(usize, StragglerGroup)]) {
        let is_usual = |group: &StragglerGroup| group.finding == GroupSpeed::Usual;
        let mut usual: BTreeSet<usize> =
            groups.iter().filter(|(_, group)| is_usual(group)).map(|(at, _)| *at).collect();
        if usual.len() < 2 {
            usual = groups.iter().map(|(at, _)| *at).collect();
        }
        for (at, group) in groups.iter_mut().filter(|(_, group)| group.finding == GroupSpeed::Slow) {
            let is_explained = || self.low_in_phases(*at, group, &usual).is_some_and(|p| p > self.chance);
            group.finding = match group.together {
                Some(together) if group.is_fuller() && together >= OVERLOADED_SHARE => GroupSpeed::Overloaded,
                _ if is_explained() => GroupSpeed::Usual,
                _ => GroupSpeed::Slow,
            };
        }
    }

    /// The probability that a usual group is as slow as this one in all phases together. An event on a node
    /// or target in one repetition affects all its ranks, so that their number alone proves nothing. The
    /// compared quantity is the median of a group's ranks. If this group has more ranks than others, it is
    /// the total of each group's ranks. `others` are the groups to compare with, without the ranks of this
    /// group. `None` if it cannot be computed, as with two groups in one phase.
    fn low_in_phases(&self, at: usize, group: &StragglerGroup, others: &BTreeSet<usize>) -> Option<f64> {
        let blocks: Vec<(f64, Vec<f64>)> = self
            .phases
            .iter()
            .filter_map(|phase| phase.compared(at, others, group.is_fuller(), &self.all.names))
            .collect();
        statistics::low_in_blocks(&blocks)
    }

    /// Whether a group is significantly slower than the others. If its ranks are too few for the test, it
    /// must be far below the others and much slower.
    fn is_significant(&self, test: &RankTest, places: &[usize]) -> bool {
        let all = self.all.speeds.0.len();
        let draws = (0..places.len()).fold(1.0, |ways, at| ways * (all - at) as f64 / (at + 1) as f64);
        if 1.0 / draws <= self.chance {
            let [own, _] = self.all.split(places, false);
            return own.len() < all && test.low(&own) <= self.chance;
        }
        let [own, rest] = self.all.split(places, true);
        let (Some(median), Some(others)) = (statistics::median(&own), statistics::median(&rest)) else {
            return false;
        };
        let far = median < others - FAR * statistics::robust_deviation(&rest);
        rest.len() >= OTHERS_MIN && far && median < RANK_SHARE * others
    }

    /// The median rate of the group's ranks over all phases, per second.
    fn rate(&self, group: usize) -> f64 {
        let rates: Vec<f64> = self.phases.iter().flat_map(|phase| phase.rates_of(group)).collect();
        statistics::median(&rates).unwrap_or(0.0)
    }

    /// The rate of the group in its own time, as a share of the median of the other groups: the median over
    /// its ranks.
    fn together(&self, group: usize) -> Option<f64> {
        over_ranks(&self.phases.iter().filter_map(|phase| phase.together(group)).collect::<Vec<_>>())
    }

    /// The number of ranks or files of the group, and the smallest and the largest number of another: medians
    /// over its ranks.
    fn held(&self, group: usize) -> [f64; 3] {
        let each: Vec<[f64; 3]> = self.phases.iter().filter_map(|phase| phase.held(group)).collect();
        std::array::from_fn(|at| {
            over_ranks(&each.iter().map(|one| (one[0], one[at])).collect::<Vec<_>>()).unwrap_or(0.0)
        })
    }
}
