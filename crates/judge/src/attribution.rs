//! Slow ranks, nodes and targets, and load imbalance that a reader should know.
//!
//! Never here: the arithmetic. `judge::stragglers` has it, also for the report.

use crate::stragglers::{Attribution, Factor, GroupSpeed, Spread, Straggler, StragglerGroup};
use results::reason::{Code, Reason, reason, row};
use results::record::Phase;

/// The maximum number of listed ranks.
const NAMED: usize = 8;
/// The maximum number of listed files.
const FILES: usize = 3;
/// The maximum number of groups, and of single ranks, with a reason of their own.
const EACH: usize = 4;
/// If the rank that moved least moved less than this share of the mean, it is reported.
const LEAST: f64 = 0.9;
/// If more than this share of the time was lost to the slowest ranks, it is reported.
const LOST: f64 = 0.05;
/// If the wear-out took more than this share of the deadline, it is reported.
const WEAR_OUT: f64 = 0.1;
/// Below this share of the others' rate, the fullest target serves each file slowly. From this share on, all
/// of its files together are served as fast as others.
const OVERLOADED: f64 = 0.8;
/// In phases shorter than this, the start of the ranks decides which rank ends last, seconds.
const LONG: f64 = 1.0;
/// If only the slowest rank is known, it is reported below this share of the median rank's rate.
const STRAGGLER: f64 = 0.8;

/// The warnings about the repetitions of one phase.
pub(crate) fn of(phases: &[&Phase]) -> Vec<Reason> {
    if phases.iter().all(|phase| phase.each_rank.is_none()) {
        return slowest(phases).into_iter().collect();
    }
    let attribution = Attribution::of(phases);
    let mut all: Vec<Reason> = Vec::new();
    let reason = |(at, group): (usize, &StragglerGroup)| of_group(phases, &attribution, at, group);
    all.extend(attribution.found().map(reason).take(EACH));
    let found = attribution.found().count();
    if found == 0 {
        all.extend(uneven(phases));
    }
    if found > EACH {
        all.push(reason!(MoreSlowGroups { more: found - EACH }));
    }
    all.extend(of_ranks(phases, &attribution.stragglers));
    all.extend(spread(phases));
    all
}

/// The kind of a group: `node`, `target` or `brick`.
fn kind(group: &StragglerGroup) -> &'static str {
    match group.factor {
        Factor::Node => "node",
        Factor::Target if group.name.contains(":/") => "brick",
        Factor::Target => "target",
    }
}

fn of_group(phases: &[&Phase], attribution: &Attribution, at: usize, group: &StragglerGroup) -> Reason {
    let overloaded = group.finding == GroupSpeed::Overloaded;
    let code = if overloaded { Code::UnevenPlacement } else { Code::SlowGroup };
    let reason = reason!(SlowGroup {
        phase: &phases[0].phase,
        kind: kind(group),
        name: &group.name,
        share: group.share.unwrap_or(1.0),
        ..Reason::new(code)
    });
    let mut reason = with_ranks(reason, &group.ranks);
    if group.factor == Factor::Target {
        reason = with_files(reason, phases, &group.ranks);
    }
    let even = group.held == group.others_held[0] && group.held == group.others_held[1];
    if overloaded || !even {
        let is_node = group.factor == Factor::Node;
        let held = if is_node { row::SlowGroup::ranks_held } else { row::SlowGroup::files_held };
        reason = reason.with(held, rounded(group.held));
        let [fewest, most] = group.others_held.map(rounded);
        reason = match fewest < most {
            true => reason!(SlowGroup { others_held_min: fewest, others_held_max: most, ..reason }),
            false => reason!(SlowGroup { others_held: fewest, ..reason }),
        };
    }
    let other = |pair: &[usize; 2]| pair.iter().find(|one| **one != at).copied();
    let either = attribution.either.iter().filter(|pair| pair.contains(&at)).find_map(other);
    match either.filter(|_| !overloaded).map(|other| &attribution.groups[other]) {
        Some(other) => {
            reason!(SlowGroup { same_ranks_kind: kind(other), same_ranks_as: &other.name, ..reason })
        }
        None => reason,
    }
}

fn rounded(held: f64) -> f64 {
    (held * 10.0).round() / 10.0
}

/// Uneven placement that differs in most repetitions, so that no single target is overloaded in all of them.
/// In more than half of the repetitions, the fullest target is slow for each file but not in total. This
/// happens too often to be chance.
fn uneven(phases: &[&Phase]) -> Option<Reason> {
    let mut overloaded = Vec::new();
    for phase in phases {
        let attribution = Attribution::of(&[*phase]);
        let targets = attribution.groups.iter().enumerate();
        let targets = targets.filter(|(_, group)| group.factor == Factor::Target);
        let Some((at, fullest)) = targets.max_by(|a, b| a.1.held.total_cmp(&b.1.held)) else { continue };
        let each_slow = fullest.share.is_some_and(|share| share < OVERLOADED);
        let all_slow = fullest.together.is_none_or(|together| together < OVERLOADED);
        if each_slow && !all_slow && fullest.held > fullest.others_held[0] {
            let fullest = StragglerGroup { finding: GroupSpeed::Overloaded, ..fullest.clone() };
            overloaded.push((fullest.held, of_group(&[*phase], &attribution, at, &fullest)));
        }
    }
    let (times, of) = (overloaded.len(), phases.len());
    let (_, worst) = overloaded.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (times * 2 > of && of > 1).then(|| reason!(UnevenPlacement { repetitions: times, of, ..worst }))
}

/// Adds some of the ranks, and their number if not all are listed.
fn with_ranks(reason: Reason, ranks: &[u32]) -> Reason {
    let reason =
        reason!(SlowGroup { ranks: ranks.iter().take(NAMED).copied().collect::<Vec<_>>(), ..reason });
    if ranks.len() > NAMED { reason!(SlowGroup { ranks_in_all: ranks.len(), ..reason }) } else { reason }
}

/// Adds the names of the ranks' files if each rank wrote its own. The records have the name for rank 0, and
/// the other names differ in the number.
fn with_files(reason: Reason, phases: &[&Phase], ranks: &[u32]) -> Reason {
    let name = phases[0].path.rsplit('/').next().and_then(|name| name.strip_suffix("00000000"));
    let Some(name) = name.filter(|_| phases[0].phase == "write") else { return reason };
    let named: Vec<String> = ranks.iter().take(FILES).map(|rank| format!("{name}{rank:08}")).collect();
    reason!(SlowGroup { files: named, ..reason })
}

fn of_ranks(phases: &[&Phase], stragglers: &[Straggler]) -> Vec<Reason> {
    let one = |code, one: &Straggler| {
        let Straggler { rank, node, share, .. } = one;
        reason!(SlowRank { phase: &phases[0].phase, rank: *rank, node, share: *share, ..Reason::new(code) })
    };
    match stragglers {
        [] => Vec::new(),
        few if few.len() <= EACH => few.iter().map(|few| one(Code::SlowRank, few)).collect(),
        [worst, ..] => {
            let all: Vec<u32> = stragglers.iter().map(|one| one.rank).collect();
            vec![reason!(SlowRanks {
                ranks_in_all: all.len(),
                ..with_ranks(one(Code::SlowRanks, worst), &all)
            })]
        }
    }
}

/// The load imbalance, each quantity once, with the worst of all repetitions.
fn spread(phases: &[&Phase]) -> Vec<Reason> {
    let long = phases.iter().filter(|phase| phase.spans.transfer_s >= LONG);
    let all: Vec<(&Phase, Spread)> =
        long.filter_map(|phase| Spread::of(phase).map(|spread| (*phase, spread))).collect();
    let worst = |key: fn(&Spread) -> f64| all.iter().max_by(|a, b| key(&a.1).total_cmp(&key(&b.1)));
    let least = worst(|spread| -spread.least_share).filter(|(_, spread)| spread.least_share < LEAST);
    let lost = worst(|spread| spread.lost).filter(|(_, spread)| spread.lost > LOST);
    let wear_out = worst(|spread| spread.wear_out.unwrap_or(0.0));
    let wear_out = wear_out.filter(|(_, spread)| spread.wear_out.is_some_and(|share| share > WEAR_OUT));
    let least = least.map(|(phase, Spread { least_rank, least_share, .. })| {
        let by_deadline = phase.stonewall.as_ref().map(|_| true);
        let (rank, share) = (*least_rank, *least_share);
        reason!(LoadImbalance { phase: &phase.phase, rank, share, by_deadline })
    });
    let lost = lost.map(|(phase, Spread { lost, slowest, .. })| {
        let (phase, ranks) = (&phase.phase, phase.ranks);
        reason!(TimeLost { phase, share: *lost, slowest: *slowest, ranks })
    });
    let wear_out = wear_out.map(|(phase, spread)| {
        let deadline = phase.stonewall.as_ref().map_or(0.0, |wall| wall.deadline_s);
        let share = spread.wear_out.unwrap_or(0.0);
        reason!(WearOutTime { phase: &phase.phase, wear_out: share * deadline, share, deadline })
    });
    [least, lost, wear_out].into_iter().flatten().collect()
}

/// The slowest rank, of a phase without data of each rank.
fn slowest(phases: &[&Phase]) -> Option<Reason> {
    let lag = |phase: &Phase| {
        let balance = &phase.balance;
        (balance.median_rate > 0.0).then(|| 1.0 - balance.slowest_rate / balance.median_rate)
    };
    let lags = phases.iter().filter_map(|phase| lag(phase).map(|lag| (*phase, lag)));
    let (phase, lag) = lags.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (lag > 1.0 - STRAGGLER).then(|| {
        let balance = &phase.balance;
        let (rank, node) = (balance.slowest_rank, &balance.slowest_node);
        reason!(SlowRank { phase: &phase.phase, rank, node, share: 1.0 - lag })
    })
}
