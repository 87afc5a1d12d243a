//! The attribution by the simple method, which compares each group with all ranks again. It takes a time that
//! grows with the square of the groups. Random phases compare the attribution with it.

use std::collections::{BTreeMap, BTreeSet};

use measure::statistics::{self, SLOW_SHARE, rank_sum};

use super::super::*;
use results::record::EachRank;

/// The attribution of phases that are repetitions of one phase.
pub(super) fn attribution(phases: &[&Phase]) -> Attribution {
    let known: Vec<KnownPhase<'_>> = phases.iter().filter_map(|phase| KnownPhase::of(phase)).collect();
    let mut groups = of(&known, Factor::Node);
    groups.extend(of(&known, Factor::Target));
    let either = resolve_overlaps(&mut groups, &known);
    let unexplained = without(&known, &groups);
    search_again(&mut groups, &unexplained);
    let stragglers = stragglers(&without(&unexplained, &groups));
    Attribution { groups, either, stragglers }
}

/// The same phases without the ranks of slow or overloaded groups.
fn without<'p>(known: &[KnownPhase<'p>], groups: &[StragglerGroup]) -> Vec<KnownPhase<'p>> {
    let found = || groups.iter().filter(|group| group.finding != GroupSpeed::Usual);
    let left = |one: &KnownPhase<'p>| {
        let rates = one.rates.iter().copied();
        let rates = rates.filter(|(rank, _)| !found().any(|group| had(group, one.each, *rank))).collect();
        KnownPhase { rates, ..*one }
    };
    known.iter().map(left).collect()
}

/// Each rank in each of its places, with the median of its rates there as shares of the phases' medians.
struct RankSpeeds(Vec<RankSpeed>);

struct RankSpeed {
    rank: u32,
    names: Vec<String>,
    share: f64,
}

impl RankSpeeds {
    fn of(known: &[KnownPhase<'_>], names: impl Fn(&EachRank, u32) -> Vec<String>) -> Self {
        let mut all: BTreeMap<(u32, Vec<String>), Vec<f64>> = BTreeMap::new();
        for one in known {
            for (rank, rate) in &one.rates {
                let names = names(one.each, *rank);
                if !names.is_empty() {
                    all.entry((*rank, names)).or_default().push(rate / one.median);
                }
            }
        }
        let place = |((rank, names), shares): ((u32, Vec<String>), Vec<f64>)| {
            Some(RankSpeed { rank, names, share: statistics::median(&shares)? })
        };
        Self(all.into_iter().filter_map(place).collect())
    }

    fn shares(&self) -> Vec<f64> {
        self.0.iter().map(|place| place.share).collect()
    }
}

/// Resolves slow nodes and slow targets that share slow ranks. If one of them is not slow without the ranks
/// of the other, it is not the cause. If neither is slow without the other, either may be the cause, and the
/// pair is returned.
fn resolve_overlaps(groups: &mut [StragglerGroup], known: &[KnownPhase<'_>]) -> Vec<[usize; 2]> {
    let slow = |groups: &[StragglerGroup], factor| -> Vec<usize> {
        let is = |group: &StragglerGroup| group.factor == factor && group.finding == GroupSpeed::Slow;
        (0..groups.len()).filter(|at| is(&groups[*at])).collect()
    };
    let mut either = Vec::new();
    for node in slow(groups, Factor::Node) {
        for target in slow(groups, Factor::Target) {
            let [a, b] = [node, target].map(|at| &groups[at]);
            if !a.ranks.iter().any(|rank| b.ranks.contains(rank)) {
                continue;
            }
            match (slow_without(a, b, known), slow_without(b, a, known)) {
                (true, false) => groups[target].finding = GroupSpeed::Usual,
                (false, true) => groups[node].finding = GroupSpeed::Usual,
                (false, false) => either.push([node, target]),
                (true, true) => {}
            }
        }
    }
    either.retain(|pair| pair.iter().all(|at| groups[*at].finding == GroupSpeed::Slow));
    either
}

/// Whether the ranks of `group` outside `other` are slow too, compared with ranks outside both.
fn slow_without(group: &StragglerGroup, other: &StragglerGroup, known: &[KnownPhase<'_>]) -> bool {
    let rest = of(&without(known, std::slice::from_ref(other)), group.factor);
    let share = rest.iter().find(|one| one.name == group.name).and_then(|one| one.share);
    share.is_some_and(|share| share < SLOW_SHARE)
}

/// Searches slow groups among the ranks that are not explained yet, because explained slow ranks hide them.
fn search_again(groups: &mut [StragglerGroup], unexplained: &[KnownPhase<'_>]) {
    if groups.iter().all(|group| group.finding == GroupSpeed::Usual) {
        return;
    }
    for again in [Factor::Node, Factor::Target].iter().flat_map(|factor| of(unexplained, *factor)) {
        let same = |group: &&mut StragglerGroup| group.factor == again.factor && group.name == again.name;
        if again.finding == GroupSpeed::Slow
            && let Some(group) = groups.iter_mut().find(same)
        {
            *group = again;
        }
    }
}

fn stragglers(known: &[KnownPhase<'_>]) -> Vec<Straggler> {
    let places = RankSpeeds::of(known, |_, _| vec![String::new()]);
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

/// The probability of at least one wrong finding among all groups of a factor.
const CHANCE: f64 = 0.05;
/// A group that is too small for any test is reported only with at least this many other ranks.
const OTHERS_MIN: usize = 6;
/// A group with more ranks than others is slow only if their total rate is below this share of another
/// group's. A target with more work may lose some speed by that alone.
const OVERLOADED_SHARE: f64 = 0.8;
/// A rank that moved nothing gets this share of the median rank's rate, because its logarithm is needed.
const LEAST_SHARE: f64 = 1e-3;
/// With more groups than this, each is compared with all ranks instead of all other ranks. The result is then
/// the same.
const GROUPS_MANY: usize = 64;
/// Standard deviation of a normal distribution, divided by its median absolute deviation.
const MAD_TO_DEVIATION: f64 = 1.4826;

fn had(group: &StragglerGroup, each: &EachRank, rank: u32) -> bool {
    is_in(group.factor, &group.name, each, rank)
}

fn is_fuller(group: &StragglerGroup) -> bool {
    group.held > group.others_held[0]
}

/// Whether a rank of a phase is on this node, or its file on this target.
fn is_in(factor: Factor, name: &str, each: &EachRank, rank: u32) -> bool {
    match factor {
        Factor::Node => each.node_of(rank) == Some(name),
        Factor::Target => each.targets_of(rank).any(|target| target == name),
    }
}

/// The nodes or targets of a rank.
fn names(each: &EachRank, rank: u32, factor: Factor) -> Vec<String> {
    match factor {
        Factor::Node => each.node_of(rank).into_iter().map(str::to_owned).collect(),
        Factor::Target => each.targets_of(rank).map(str::to_owned).collect(),
    }
}

/// All groups of a factor, by name; none if there are fewer than two.
fn of(known: &[KnownPhase<'_>], factor: Factor) -> Vec<StragglerGroup> {
    let places = RankSpeeds::of(known, |each, rank| names(each, rank, factor));
    let loads: Vec<GroupLoads> = known.iter().map(|one| GroupLoads::of(one, factor)).collect();
    let all: BTreeSet<&str> = places.0.iter().flat_map(|place| &place.names).map(String::as_str).collect();
    if all.len() < 2 {
        return Vec::new();
    }
    let shares = places.shares();
    let middle = statistics::median(&shares).unwrap_or(1.0);
    let chance = CHANCE / all.len() as f64;
    let group = |name: &str| {
        let (own, rest): (Vec<_>, Vec<_>) =
            places.0.iter().partition(|place| place.names.iter().any(|one| one == name));
        let ranks: BTreeSet<u32> = own.iter().map(|place| place.rank).collect();
        let [own, rest] = [own, rest].map(|part| part.iter().map(|place| place.share).collect::<Vec<f64>>());
        let others = if all.len() > GROUPS_MANY { Some(middle) } else { statistics::median(&rest) };
        let share = statistics::median(&own).zip(others).map(|(own, others)| own / others);
        let [held, fewest, most] = held(&loads, name);
        let mut group = StragglerGroup {
            factor,
            name: name.to_owned(),
            ranks: ranks.into_iter().collect(),
            rate: rate(known, name, factor),
            share,
            together: together(&loads, name),
            held,
            others_held: [fewest, most],
            finding: GroupSpeed::Usual,
        };
        if share.is_some_and(|share| share < SLOW_SHARE) && is_significant(&own, &rest, chance) {
            group.finding = GroupSpeed::Slow;
        }
        group
    };
    let mut groups: Vec<StragglerGroup> = all.iter().map(|name| group(name)).collect();
    confirm(&mut groups, known, &loads, chance);
    groups
}

/// Decides for every group with slow ranks whether the group is the cause.
fn confirm(groups: &mut [StragglerGroup], known: &[KnownPhase<'_>], loads: &[GroupLoads], chance: f64) {
    let mut usual: BTreeSet<String> = groups
        .iter()
        .filter(|group| group.finding == GroupSpeed::Usual)
        .map(|group| group.name.clone())
        .collect();
    if usual.len() < 2 {
        usual = groups.iter().map(|group| group.name.clone()).collect();
    }
    for group in groups.iter_mut().filter(|group| group.finding == GroupSpeed::Slow) {
        group.finding = match group.together {
            Some(together) if is_fuller(group) && together >= OVERLOADED_SHARE => GroupSpeed::Overloaded,
            _ if low_in_phases(group, known, loads, &usual).is_some_and(|p| p > chance) => GroupSpeed::Usual,
            _ => GroupSpeed::Slow,
        };
    }
}

/// The probability that a usual group is as slow as this one in all phases together. An event on a node or
/// target in one repetition affects all its ranks, so that their number alone proves nothing. The compared
/// quantity is the median of a group's ranks. If this group has more ranks than others, it is the total of
/// each group's ranks. `others` are the names of the groups to compare with, without the ranks of this group.
/// `None` if it cannot be computed, as with two groups in one phase.
fn low_in_phases(
    group: &StragglerGroup,
    known: &[KnownPhase<'_>],
    loads: &[GroupLoads],
    others: &BTreeSet<String>,
) -> Option<f64> {
    let value = |shares: &[f64], load: &GroupLoad| {
        let share = statistics::median(shares).unwrap_or(0.0).max(LEAST_SHARE);
        (if is_fuller(group) { share * load.held } else { share }).ln()
    };
    let block = |(one, loads): (&KnownPhase<'_>, &GroupLoads)| {
        let mut shares: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (rank, rate) in &one.rates {
            let own = had(group, one.each, *rank);
            let counts = |name: &String| if own { *name == group.name } else { others.contains(name) };
            for name in names(one.each, *rank, group.factor).into_iter().filter(counts) {
                shares.entry(name).or_default().push(rate / one.median);
            }
        }
        let own = value(&shares.remove(&group.name)?, loads.0.get(&group.name)?);
        let others = shares.iter().filter_map(|(name, shares)| Some(value(shares, loads.0.get(name)?)));
        Some((own, others.collect()))
    };
    statistics::low_in_blocks(&known.iter().zip(loads).filter_map(block).collect::<Vec<_>>())
}

/// Whether `own` is significantly lower than `rest`. If the values are too few for the test, `own` must be
/// far below `rest` and much lower.
fn is_significant(own: &[f64], rest: &[f64], chance: f64) -> bool {
    let all = [own, rest].concat();
    let draws = (0..own.len()).fold(1.0, |ways, at| ways * (all.len() - at) as f64 / (at + 1) as f64);
    if 1.0 / draws <= chance {
        return rank_sum(own, rest).is_some_and(|p| p <= chance);
    }
    let (Some(median), Some(others)) = (statistics::median(own), statistics::median(rest)) else {
        return false;
    };
    let apart: Vec<f64> = rest.iter().map(|one| (one - others).abs()).collect();
    let deviation = MAD_TO_DEVIATION * statistics::median(&apart).unwrap_or(0.0);
    let far = median < others - FAR * deviation;
    rest.len() >= OTHERS_MIN && far && median < RANK_SHARE * others
}

/// The median rate of the group's ranks over all phases, per second.
fn rate(known: &[KnownPhase<'_>], name: &str, factor: Factor) -> f64 {
    let own = |one: &KnownPhase<'_>| -> Vec<f64> {
        let inside = |rank: u32| is_in(factor, name, one.each, rank);
        one.rates.iter().filter(|(rank, _)| inside(*rank)).map(|(_, rate)| *rate).collect()
    };
    statistics::median(&known.iter().flat_map(own).collect::<Vec<f64>>()).unwrap_or(0.0)
}

/// The work of the groups of one phase.
struct GroupLoads(BTreeMap<String, GroupLoad>);

#[derive(Clone, Copy, Default)]
struct GroupLoad {
    moved: f64,
    seconds: f64,
    held: f64,
}

impl GroupLoads {
    fn of(one: &KnownPhase<'_>, factor: Factor) -> Self {
        let mut all: BTreeMap<String, GroupLoad> = BTreeMap::new();
        for (rank, _) in &one.rates {
            let names = names(one.each, *rank, factor);
            let part = 1.0 / names.len().max(1) as f64;
            let (moved, seconds) = (one.each.moved.of(*rank), one.each.seconds.of(*rank));
            for name in names {
                let load = all.entry(name).or_default();
                load.moved += moved.unwrap_or(0) as f64 * part;
                load.seconds = load.seconds.max(seconds.unwrap_or(0.0));
                load.held += part;
            }
        }
        Self(all)
    }
}

/// The median over a group's ranks of a quantity, weighted by the number of ranks in each phase. If files
/// move from phase to phase, most ranks may be those of a phase in which the group was overloaded.
fn over_ranks(phases: &[(f64, f64)]) -> Option<f64> {
    let each = phases.iter().flat_map(|(held, value)| std::iter::repeat_n(*value, held.ceil() as usize));
    statistics::median(&each.collect::<Vec<f64>>())
}

/// The rate of the group in its own time, as a share of the median of the other groups: the median over its
/// ranks.
fn together(loads: &[GroupLoads], name: &str) -> Option<f64> {
    let rate = |load: &GroupLoad| load.moved / load.seconds;
    let share = |loads: &GroupLoads| {
        let load = loads.0.get(name)?;
        let others: Vec<f64> =
            loads.0.iter().filter(|(other, _)| *other != name).map(|(_, load)| rate(load)).collect();
        Some((load.held, rate(load) / statistics::median(&others)?))
    };
    over_ranks(&loads.iter().filter_map(share).collect::<Vec<_>>())
}

/// The number of ranks or files of the group, and the smallest and the largest number of another: medians
/// over its ranks.
fn held(loads: &[GroupLoads], name: &str) -> [f64; 3] {
    let of = |loads: &GroupLoads| {
        let own = loads.0.get(name).map_or(0.0, |load| load.held);
        let others: Vec<f64> =
            loads.0.iter().filter(|(other, _)| *other != name).map(|(_, load)| load.held).collect();
        [own, statistics::min(&others).unwrap_or(0.0), statistics::max(&others).unwrap_or(0.0)]
    };
    let each: Vec<[f64; 3]> = loads.iter().filter(|loads| loads.0.contains_key(name)).map(of).collect();
    std::array::from_fn(|at| {
        over_ranks(&each.iter().map(|one| (one[0], one[at])).collect::<Vec<_>>()).unwrap_or(0.0)
    })
}
