//! Slow ranks, nodes and targets in sentences, and how far ranks lie apart where a reader has to know.
//!
//! Never here: the arithmetic; `results::stragglers` has it, for the report too.

use results::record::{Counts, Phase};
use results::stragglers::{Attribution, Factor, Finding, Group, Spread, Straggler};
use units::{duration, several};

/// Ranks that are named one by one.
const NAMED: usize = 8;
/// Files that are named one by one.
const FILES: usize = 3;
/// Groups, and single ranks, that get a sentence each.
const SENTENCES: usize = 4;
/// Share of the mean below which the rank that moved least is told.
const LEAST: f64 = 0.9;
/// Share of the time lost to the slowest ranks above which it is told.
const LOST: f64 = 0.05;
/// The wear-out's share of the deadline above which it is told.
const WEAR_OUT: f64 = 0.1;
/// Share of the others' rate below which the fullest target serves each file slowly, and from which on all of
/// its files together are served as fast as others.
const CROWDED: f64 = 0.8;
/// In shorter phases the start of the ranks decides who is last, seconds.
const LONG: f64 = 1.0;
/// Share of the median rank's rate below which a rank is told where only the slowest is known.
const STRAGGLER: f64 = 0.8;

/// What is to be said of the repetitions of one phase.
pub(super) fn told(phases: &[&Phase]) -> Vec<String> {
    if phases.iter().all(|phase| phase.each_rank.is_none()) {
        return slowest(phases).into_iter().collect();
    }
    let attribution = Attribution::of(phases);
    let mut all: Vec<String> = Vec::new();
    let sentence = |(at, group): (usize, &Group)| of_group(phases, &attribution, at, group);
    all.extend(attribution.found().map(sentence).take(SENTENCES));
    let found = attribution.found().count();
    if found == 0 {
        all.extend(uneven(phases));
    }
    if found > SENTENCES {
        all.push(format!("{} more nodes or targets were slow or crowded", found - SENTENCES));
    }
    all.extend(of_ranks(phases, &attribution.stragglers));
    all.extend(spread(phases));
    all
}

/// `writing to` a target, `writing from` a node, and such.
fn doing(phase: &Phase, factor: Factor) -> String {
    let reads = phase.phase.contains("read") || phase.phase.ends_with("_check");
    let (verb, from, to) = match phase.counts {
        Counts::Operations => (phase.phase.replace('_', " "), "on", "on"),
        Counts::Bytes if reads => ("reading".to_owned(), "on", "from"),
        Counts::Bytes => ("writing".to_owned(), "from", "to"),
    };
    let preposition = if factor == Factor::Node { from } else { to };
    format!("{verb} {preposition}")
}

/// `node n3`, `target OST0003`, `brick host:/b`.
fn called(group: &Group) -> String {
    let kind = match group.factor {
        Factor::Node => "node",
        Factor::Target if group.name.contains(":/") => "brick",
        Factor::Target => "target",
    };
    format!("{kind} {}", group.name)
}

fn of_group(phases: &[&Phase], attribution: &Attribution, at: usize, group: &Group) -> String {
    let (name, ranks) = (called(group), ranks(&group.ranks));
    let files = if group.factor == Factor::Target { files(phases, &group.ranks) } else { String::new() };
    let percent = group.share.unwrap_or(1.0) * 100.0;
    let doing = doing(phases[0], group.factor);
    let rate = format!("{doing} {name} ran at {percent:.0} % of the others' rate ({ranks}{files})");
    let placed = held(group);
    if group.finding == Finding::Crowded {
        return format!(
            "{rate}, but all of these together were as fast as any others: it {placed}, so this is uneven \
             placement and no slow {}",
            name.split(' ').next().unwrap_or_default()
        );
    }
    let uneven = if group.held == group.others_held[0] && group.held == group.others_held[1] {
        String::new()
    } else {
        format!("; it {placed}")
    };
    let other = |pair: &[usize; 2]| pair.iter().find(|one| **one != at).copied();
    let either = attribution.either.iter().filter(|pair| pair.contains(&at)).find_map(other);
    let either = either.map_or(String::new(), |other| {
        let other = called(&attribution.groups[other]);
        format!("; the same ranks are those of {other}, and either may be the reason")
    });
    format!("{rate}{uneven}{either}")
}

/// Files that lay unevenly in most repetitions, each time on another target, so that no one of them stands
/// out: that the fullest is slow for each and not for all of its files then comes too often to be chance.
fn uneven(phases: &[&Phase]) -> Option<String> {
    let mut crowded = Vec::new();
    for phase in phases {
        let attribution = Attribution::of(&[*phase]);
        let targets = attribution.groups.iter().enumerate();
        let targets = targets.filter(|(_, group)| group.factor == Factor::Target);
        let Some((at, fullest)) = targets.max_by(|a, b| a.1.held.total_cmp(&b.1.held)) else { continue };
        let each_slow = fullest.share.is_some_and(|share| share < CROWDED);
        let all_slow = fullest.together.is_none_or(|together| together < CROWDED);
        if each_slow && !all_slow && fullest.held > fullest.others_held[0] {
            let fullest = Group { finding: Finding::Crowded, ..fullest.clone() };
            crowded.push((fullest.held, of_group(&[*phase], &attribution, at, &fullest)));
        }
    }
    let (times, of) = (crowded.len(), phases.len());
    let (_, worst) = crowded.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (times * 2 > of && of > 1)
        .then(|| format!("{worst}; one or another was that full in {times} of {of} repetitions"))
}

/// `held 4 files, others 1 to 3`.
fn held(group: &Group) -> String {
    let what = if group.factor == Factor::Node { "rank" } else { "file" };
    let number = |held: f64| format!("{}", (held * 10.0).round() / 10.0);
    let [fewest, most] = group.others_held.map(number);
    let others = if fewest == most { fewest } else { format!("{fewest} to {most}") };
    let plural = if group.held == 1.0 { "" } else { "s" };
    format!("held {} {what}{plural}, others {others}", number(group.held))
}

/// `rank 2`, `ranks 2, 6, 10`, `ranks 0, 8, 16, … (64 of them)`.
fn ranks(ranks: &[u32]) -> String {
    let named: Vec<String> = ranks.iter().take(NAMED).map(u32::to_string).collect();
    let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
    let more = match ranks.len() > NAMED {
        true => format!(", … {} of them", ranks.len()),
        false => String::new(),
    };
    format!("{noun} {}{more}", named.join(", "))
}

/// The names of the ranks' files, where each wrote its own: that of rank 0, which is recorded, with another
/// number.
fn files(phases: &[&Phase], ranks: &[u32]) -> String {
    let name = phases[0].path.rsplit('/').next().and_then(|name| name.strip_suffix("00000000"));
    let Some(name) = name.filter(|_| phases[0].phase == "write") else { return String::new() };
    let named: Vec<String> = ranks.iter().take(FILES).map(|rank| format!("{name}{rank:08}")).collect();
    let noun = if ranks.len() == 1 { "file" } else { "files" };
    let more = if ranks.len() > FILES { ", …" } else { "" };
    format!("; {noun} {}{more}", named.join(", "))
}

fn of_ranks(phases: &[&Phase], stragglers: &[Straggler]) -> Vec<String> {
    let name = &phases[0].phase;
    let one = |one: &Straggler| {
        let percent = one.share * 100.0;
        format!("{name}: rank {} on {} ran at {percent:.0} % of the median rank", one.rank, one.node)
    };
    match stragglers {
        [] => Vec::new(),
        few if few.len() <= SENTENCES => few.iter().map(one).collect(),
        [worst, ..] => {
            let all: Vec<u32> = stragglers.iter().map(|one| one.rank).collect();
            let (ranks, worst) = (ranks(&all), one(worst));
            vec![format!(
                "{worst}, the slowest of {} that were slow: {ranks}",
                several(all.len() as u64, "rank")
            )]
        }
    }
}

/// How far ranks lay apart, each number once, with the worst of all repetitions.
fn spread(phases: &[&Phase]) -> Vec<String> {
    let long = phases.iter().filter(|phase| phase.spans.transfer_s >= LONG);
    let all: Vec<(&Phase, Spread)> =
        long.filter_map(|phase| Spread::of(phase).map(|spread| (*phase, spread))).collect();
    let worst = |key: fn(&Spread) -> f64| all.iter().max_by(|a, b| key(&a.1).total_cmp(&key(&b.1)));
    let least = worst(|spread| -spread.least_share).filter(|(_, spread)| spread.least_share < LEAST);
    let lost = worst(|spread| spread.lost).filter(|(_, spread)| spread.lost > LOST);
    let wear_out = worst(|spread| spread.wear_out.unwrap_or(0.0));
    let wear_out = wear_out.filter(|(_, spread)| spread.wear_out.is_some_and(|share| share > WEAR_OUT));
    let told = [
        least.map(|(phase, spread)| {
            let when = phase.stonewall.as_ref().map_or("", |_| " by the deadline");
            format!(
                "{}: rank {} had moved {:.0} % of what the mean rank had{when}",
                phase.phase,
                spread.least_rank,
                spread.least_share * 100.0
            )
        }),
        lost.map(|(phase, spread)| {
            format!(
                "{}: {:.0} % of the time only {} of {} still worked",
                phase.phase,
                spread.lost * 100.0,
                spread.slowest,
                several(phase.ranks.into(), "rank")
            )
        }),
        wear_out.map(|(phase, spread)| {
            let deadline = phase.stonewall.as_ref().map_or(0.0, |wall| wall.deadline_s);
            let share = spread.wear_out.unwrap_or(0.0);
            format!(
                "{}: the wear-out took {}, {:.0} % of the deadline of {}",
                phase.phase,
                duration(share * deadline),
                share * 100.0,
                duration(deadline)
            )
        }),
    ];
    told.into_iter().flatten().collect()
}

/// The slowest rank of records from before each rank was kept.
fn slowest(phases: &[&Phase]) -> Option<String> {
    let lag = |phase: &Phase| {
        let balance = &phase.balance;
        (balance.median_rate > 0.0).then(|| 1.0 - balance.slowest_rate / balance.median_rate)
    };
    let lags = phases.iter().filter_map(|phase| lag(phase).map(|lag| (*phase, lag)));
    let (phase, lag) = lags.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (lag > 1.0 - STRAGGLER).then(|| {
        let balance = &phase.balance;
        let (rank, node, percent) = (balance.slowest_rank, &balance.slowest_node, (1.0 - lag) * 100.0);
        format!("{}: rank {rank} on {node} ran at {percent:.0} % of the median rank", phase.phase)
    })
}
