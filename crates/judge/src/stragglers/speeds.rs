//! Which groups a rank is in, and the speed of each rank over all repetitions.
//!
//! Names are compared once. After that a group is its place among the sorted names, because a phase of
//! 100,000 ranks would compare names some million times.
//!
//! Never here: which groups are slow.

use std::collections::{BTreeMap, BTreeSet};

use measure::statistics;

use super::{Factor, KnownPhase};
use results::record::EachRank;

/// The names of all nodes, or of all targets, of several phases.
pub(super) struct GroupNames<'p> {
    factor: Factor,
    /// Sorted, each once.
    names: Vec<&'p str>,
    /// For each phase and each of its own nodes or targets, the place in `names`.
    places: Vec<Vec<usize>>,
}

impl<'p> GroupNames<'p> {
    pub(super) fn of(known: &[KnownPhase<'p>], factor: Factor) -> Self {
        let listed = |one: &KnownPhase<'p>| match factor {
            Factor::Node => one.each.nodes.as_slice(),
            Factor::Target => one.each.targets.as_slice(),
        };
        let mut names: Vec<&str> = known.iter().flat_map(listed).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        let place = |name: &String| names.partition_point(|other| *other < name.as_str());
        let places = known.iter().map(|one| listed(one).iter().map(place).collect()).collect();
        Self { factor, names, places }
    }

    /// The number of names. Some may have no ranks.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, group: usize) -> &'p str {
        self.names[group]
    }

    /// The group of this name; `None` if no phase has it.
    pub(super) fn group(&self, name: &str) -> Option<usize> {
        self.names.binary_search(&name).ok()
    }

    /// The groups of a rank in the phase at this place. A file with two parts on a target has it twice.
    pub(super) fn of_rank(&self, phase: usize, each: &EachRank, rank: u32) -> impl Iterator<Item = usize> {
        let places = &self.places[phase];
        let node = each.node.of(rank).filter(|_| self.factor == Factor::Node);
        let layout = each.layout.of(rank).filter(|_| self.factor == Factor::Target);
        let targets = layout.and_then(|layout| each.layouts.get(layout as usize)).into_iter().flatten();
        let own = node.into_iter().chain(targets.copied());
        own.filter_map(|own| places.get(own as usize).copied())
    }
}

/// A rank in one place, which is a set of groups.
pub(super) struct RankSpeed {
    pub(super) rank: u32,
    /// The groups, as places among their names.
    pub(super) groups: Vec<usize>,
    /// The median of its rates there, as shares of the phases' medians.
    pub(super) share: f64,
}

/// Each rank in each of its places, by rank.
pub(super) struct RankSpeeds(pub(super) Vec<RankSpeed>);

impl RankSpeeds {
    /// The speeds of the ranks for which `groups` has some. It gets the place of the phase, its ranks and one
    /// of them.
    pub(super) fn of(known: &[KnownPhase<'_>], groups: impl Fn(usize, &EachRank, u32) -> Vec<usize>) -> Self {
        let mut all: Vec<(u32, Vec<usize>, f64)> = Vec::new();
        for (at, one) in known.iter().enumerate() {
            let of_rank = |(rank, rate): &(u32, f64)| (*rank, groups(at, one.each, *rank), rate / one.median);
            all.extend(one.rates.iter().map(of_rank).filter(|(_, groups, _)| !groups.is_empty()));
        }
        all.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let place = |same: &[(u32, Vec<usize>, f64)]| {
            let shares: Vec<f64> = same.iter().map(|(_, _, share)| *share).collect();
            let (rank, groups, _) = &same[0];
            Some(RankSpeed { rank: *rank, groups: groups.clone(), share: statistics::median(&shares)? })
        };
        Self(all.chunk_by(|a, b| (a.0, &a.1) == (b.0, &b.1)).filter_map(place).collect())
    }

    /// The speeds of ranks in the groups of a factor.
    pub(super) fn in_groups(known: &[KnownPhase<'_>], names: &GroupNames<'_>) -> Self {
        Self::of(known, |at, each, rank| names.of_rank(at, each, rank).collect())
    }

    pub(super) fn shares(&self) -> Vec<f64> {
        self.0.iter().map(|place| place.share).collect()
    }

    /// For each of `count` groups, the places of its ranks in this list.
    pub(super) fn by_group(&self, count: usize) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new(); count];
        for (at, place) in self.0.iter().enumerate() {
            for group in &place.groups {
                // A file may have several parts on a target.
                if all[*group].last() != Some(&at) {
                    all[*group].push(at);
                }
            }
        }
        all
    }
}

/// The rates of the ranks of each node or target in all phases, ascending.
pub fn rates_by_name(phases: &[&EachRank], factor: Factor) -> BTreeMap<String, Vec<f64>> {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (each, rank) in phases.iter().flat_map(|each| (0..each.ranks).map(move |rank| (*each, rank))) {
        let Some(rate) = each.rate(rank) else { continue };
        let own: BTreeSet<&str> = match factor {
            Factor::Node => each.node_of(rank).into_iter().collect(),
            Factor::Target => each.targets_of(rank).collect(),
        };
        own.into_iter().for_each(|name| all.entry(name).or_default().push(rate));
    }
    let sorted = |(name, mut rates): (&str, Vec<f64>)| {
        rates.sort_by(f64::total_cmp);
        (name.to_owned(), rates)
    };
    all.into_iter().map(sorted).collect()
}
