//! Stragglers: single slow ranks, and slow groups of ranks on one node or one storage target; and load
//! imbalance.
//!
//! A group is slow if two conditions hold. The median rate of its ranks is far below that of the others. Two
//! tests, over its ranks and over the repetitions, do not explain this by chance. The second is needed
//! because an event in one repetition may affect all ranks of a group. Between the two tests, placement is
//! excluded as the cause. A target with more files than others gives each file less, but its total rate is as
//! high: it is overloaded by placement, not slow.
//!
//! Repetitions are combined, each as shares of its own median. A rank in one place counts once over all
//! repetitions. Otherwise the tests would find differences too often.
//!
//! Invariant: pure. The order of phases and of ranks does not matter.
//! Never here: sentences, contracts.

mod groups;
mod phase_groups;
mod speeds;

use std::collections::{BTreeMap, BTreeSet};

use measure::statistics::{self, SLOW_SHARE};

use results::record::{Counts, EachRank, Phase};

use speeds::{RankSpeed, RankSpeeds};

pub use groups::{GroupSpeed, StragglerGroup};
pub use speeds::rates_by_name;

/// The number of robust deviations from which a value is an outlier (Iglewicz and Hoaglin).
const FAR: f64 = 3.5;
/// A single rank below this share of the median rank's rate is reported.
const RANK_SHARE: f64 = 0.8;
/// With fewer ranks the robust deviation is too uncertain to find outliers.
const FEW: usize = 6;

/// What the ranks of a group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factor {
    /// The node they run on.
    Node,
    /// A storage target that holds their own files.
    Target,
}

/// One slow rank that is not in a slow group.
#[derive(Clone, Debug, PartialEq)]
pub struct Straggler {
    /// The rank.
    pub rank: u32,
    /// Its node; empty if it is not known.
    pub node: String,
    /// Its rate, as a share of the median rank's rate.
    pub share: f64,
    /// How many robust deviations it is below the median; infinite if more than half of the ranks are equal.
    pub deviations: f64,
}

/// The slow groups and ranks in the repetitions of one phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attribution {
    /// Every node if there are several, then every target, each by name.
    pub groups: Vec<StragglerGroup>,
    /// Pairs of a node and a target that both explain the same slow ranks, as indices into `groups`.
    pub either: Vec<[usize; 2]>,
    /// Slow ranks outside slow or overloaded groups, the slowest first.
    pub stragglers: Vec<Straggler>,
}

impl Attribution {
    /// The attribution of phases that are repetitions of one phase. Phases without data of single ranks are
    /// ignored.
    pub fn of(phases: &[&Phase]) -> Self {
        let known: Vec<KnownPhase<'_>> = phases.iter().filter_map(|phase| KnownPhase::of(phase)).collect();
        let mut groups = groups::of(&known, Factor::Node);
        groups.extend(groups::of(&known, Factor::Target));
        let either = resolve_overlaps(&mut groups, &known);
        let unexplained = without(&known, &groups);
        search_again(&mut groups, &unexplained);
        let stragglers = stragglers(&without(&unexplained, &groups));
        Self { groups, either, stragglers }
    }

    /// The groups that are slow or overloaded.
    pub fn found(&self) -> impl Iterator<Item = (usize, &StragglerGroup)> {
        self.groups.iter().enumerate().filter(|(_, group)| group.finding != GroupSpeed::Usual)
    }
}

/// A phase with data of single ranks, and the median of their rates.
struct KnownPhase<'p> {
    each: &'p EachRank,
    /// Ranks that had work, with their rates.
    rates: Vec<(u32, f64)>,
    median: f64,
}

impl<'p> KnownPhase<'p> {
    fn of(phase: &'p Phase) -> Option<Self> {
        let each = phase.each_rank.as_ref()?;
        // Ranks without work, or that ended within the ramp, are not slow.
        let idle = phase.counts == Counts::Operations || phase.ramp_s > 0.0;
        let rate = |rank| each.rate(rank).filter(|rate| *rate > 0.0 || !idle).map(|rate| (rank, rate));
        let rates: Vec<(u32, f64)> = (0..each.ranks).filter_map(rate).collect();
        let all: Vec<f64> = rates.iter().map(|(_, rate)| *rate).collect();
        let median = statistics::median(&all).filter(|median| *median > 0.0)?;
        Some(Self { each, rates, median })
    }
}

/// The same phases without the ranks of slow or overloaded groups.
fn without<'p>(known: &[KnownPhase<'p>], groups: &[StragglerGroup]) -> Vec<KnownPhase<'p>> {
    let found = |factor: Factor| -> BTreeSet<&str> {
        let own = groups.iter().filter(|group| group.factor == factor);
        own.filter(|group| group.finding != GroupSpeed::Usual).map(|group| group.name.as_str()).collect()
    };
    let [nodes, targets] = [found(Factor::Node), found(Factor::Target)];
    let is_found = |each: &EachRank, rank: u32| {
        each.node_of(rank).is_some_and(|node| nodes.contains(node))
            || !targets.is_empty() && each.targets_of(rank).any(|target| targets.contains(target))
    };
    let left = |one: &KnownPhase<'p>| {
        let rates = one.rates.iter().copied();
        KnownPhase { rates: rates.filter(|(rank, _)| !is_found(one.each, *rank)).collect(), ..*one }
    };
    known.iter().map(left).collect()
}

/// Resolves slow nodes and slow targets that share slow ranks. If one of them is not slow without the ranks
/// of the other, it is not the cause. If neither is slow without the other, either may be the cause, and the
/// pair is returned.
fn resolve_overlaps(groups: &mut [StragglerGroup], known: &[KnownPhase<'_>]) -> Vec<[usize; 2]> {
    let slow = |groups: &[StragglerGroup], factor| -> Vec<usize> {
        let is = |group: &StragglerGroup| group.factor == factor && group.finding == GroupSpeed::Slow;
        (0..groups.len()).filter(|at| is(&groups[*at])).collect()
    };
    let share_ranks = |pair: &[usize; 2]| {
        let [few, many] = pair.map(|at| &groups[at].ranks);
        few.iter().any(|rank| many.binary_search(rank).is_ok())
    };
    let targets = slow(groups, Factor::Target);
    let pairs = slow(groups, Factor::Node).into_iter();
    let pairs: Vec<[usize; 2]> = pairs
        .flat_map(|node| targets.iter().map(move |target| [node, *target]))
        .filter(share_ranks)
        .collect();
    let own = slow_without_others(groups, known, &pairs);
    let mut either = Vec::new();
    for [node, target] in pairs {
        // A group that is no longer called slow takes no ranks from the other one.
        let is_slow =
            |one: usize, other: usize| groups[other].finding == GroupSpeed::Usual || own[&(one, other)];
        match (is_slow(node, target), is_slow(target, node)) {
            (true, false) => groups[target].finding = GroupSpeed::Usual,
            (false, true) => groups[node].finding = GroupSpeed::Usual,
            (false, false) => either.push([node, target]),
            (true, true) => {}
        }
    }
    either.retain(|pair| pair.iter().all(|at| groups[*at].finding == GroupSpeed::Slow));
    either
}

/// For both groups of each pair, whether its ranks outside the other one are slow too, compared with ranks
/// outside both. The keys are the group and the other one.
fn slow_without_others(
    groups: &[StragglerGroup],
    known: &[KnownPhase<'_>],
    pairs: &[[usize; 2]],
) -> BTreeMap<(usize, usize), bool> {
    let mut by_other: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for [node, target] in pairs {
        by_other.entry(*target).or_default().push(*node);
        by_other.entry(*node).or_default().push(*target);
    }
    let mut all = BTreeMap::new();
    for (other, own) in by_other {
        let left = without(known, std::slice::from_ref(&groups[other]));
        let shares = groups::FactorSpeeds::of(&left, groups[own[0]].factor);
        for at in own {
            let share = shares.share_of(&groups[at].name);
            all.insert((at, other), share.is_some_and(|share| share < SLOW_SHARE));
        }
    }
    all
}

/// Searches slow groups among the ranks that are not explained yet, because explained slow ranks hide them.
fn search_again(groups: &mut [StragglerGroup], unexplained: &[KnownPhase<'_>]) {
    if groups.iter().all(|group| group.finding == GroupSpeed::Usual) {
        return;
    }
    let again = [Factor::Node, Factor::Target].into_iter().flat_map(|factor| groups::of(unexplained, factor));
    let slow = again.filter(|group| group.finding == GroupSpeed::Slow);
    let mut slow: BTreeMap<(Factor, String), StragglerGroup> =
        slow.map(|group| ((group.factor, group.name.clone()), group)).collect();
    for group in groups {
        if let Some(again) = slow.remove(&(group.factor, group.name.clone())) {
            *group = again;
        }
    }
}

fn stragglers(known: &[KnownPhase<'_>]) -> Vec<Straggler> {
    // All ranks are in one group, so that a rank counts once wherever it is.
    let places = RankSpeeds::of(known, |_, _, _| vec![0]);
    let shares = places.shares();
    let deviations = statistics::robust_z(&shares);
    let node = |rank: u32| known.iter().find_map(|one| one.each.node_of(rank)).unwrap_or_default().to_owned();
    let straggler = |(place, deviations): (&RankSpeed, f64)| {
        let far = deviations <= -FAR || shares.len() < FEW;
        (place.share < RANK_SHARE && far).then(|| Straggler {
            rank: place.rank,
            node: node(place.rank),
            share: place.share,
            deviations: -deviations,
        })
    };
    let mut all: Vec<Straggler> = places.0.iter().zip(deviations).filter_map(straggler).collect();
    all.sort_by(|a, b| a.share.total_cmp(&b.share));
    all
}

/// The load imbalance of one phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The rank that moved least.
    pub least_rank: u32,
    /// Its amount divided by the mean. If ranks continued after their deadline, the amounts are those at the
    /// deadline.
    pub least_share: f64,
    /// The time within which 99 % of the ranks ended, divided by that of the median rank.
    pub late: f64,
    /// The longest time that a rank continued after its deadline, divided by the deadline; `None` without a
    /// wear-out.
    pub wear_out: Option<f64>,
    /// The share of the transfer span in which only the slowest 1 % of the ranks were still active.
    pub lost: f64,
    /// The number of these slowest ranks.
    pub slowest: usize,
}

impl Spread {
    /// The load imbalance of a phase; `None` for a single rank, or without data of single ranks.
    pub fn of(phase: &Phase) -> Option<Self> {
        let each = phase.each_rank.as_ref().filter(|each| each.ranks > 1)?;
        let ranks = 0..each.ranks;
        let amounts = if each.moved_at_deadline.is_empty() { &each.moved } else { &each.moved_at_deadline };
        let moved: Vec<f64> = ranks.clone().filter_map(|rank| amounts.of(rank)).map(|n| n as f64).collect();
        let sorted = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values
        };
        let seconds = sorted(ranks.clone().filter_map(|rank| each.seconds.of(rank)).collect());
        let ended = sorted(ranks.clone().filter_map(|rank| each.ended_s.of(rank)).collect());
        if [moved.len(), seconds.len(), ended.len()].contains(&0) {
            return None;
        }
        let least = (0_u32..).zip(&moved).min_by(|a, b| a.1.total_cmp(b.1))?;
        let slowest = ended.len().div_ceil(100).min(ended.len() - 1);
        let behind = ended[ended.len() - 1] - ended[ended.len() - 1 - slowest];
        let over = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let longest = ranks.filter_map(|rank| each.wear_out_s.of(rank)).max_by(f64::total_cmp);
        let wall = phase.stonewall.as_ref().map(|wall| wall.deadline_s).filter(|deadline| *deadline > 0.0);
        Some(Self {
            least_rank: least.0,
            least_share: over(*least.1, statistics::mean(&moved)?),
            late: over(seconds[(seconds.len() * 99).div_ceil(100) - 1], statistics::median(&seconds)?),
            wear_out: longest.zip(wall).map(|(longest, deadline)| longest / deadline),
            lost: over(behind, phase.spans.transfer_s).min(1.0),
            slowest,
        })
    }
}

#[cfg(test)]
mod tests;
