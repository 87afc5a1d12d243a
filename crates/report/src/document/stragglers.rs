//! Stragglers: the rates of ranks by node and by storage target, in tables and a plot.
//!
//! Invariant: a plot has at most a few hundred marks. With more ranks, three marks represent the ranks of a
//! group.
//! Never here: which ranks are slow. `judge::stragglers` decides that, also for verdicts.

use judge::stragglers::{Attribution, Factor, GroupSpeed, Spread, StragglerGroup, rates_by_name};
use results::record::{Counts, Phase};

use super::chart::axes::{linear_ticks, short};
use super::phases::{RepetitionPhase, each, phase_title};
use super::plots::PlotDetail;
use super::words::{NONE, grouped, quantity, quantity_cell, share};
use super::{Axis, Cell, LegendEntry, MarkShape, MarkStyle, Plot, PlotMark, PlotTick, Table, Tone};

/// The maximum number of rows of a table.
const ROWS: usize = 40;
/// The maximum number of single ranks in a plot.
const DOTS: usize = 300;
/// The maximum number of groups that have their names at the axis.
const NAMED: usize = 12;
/// The share of the width of a group that its marks take.
const WIDTH: f64 = 0.7;
/// The shapes of the ranks of usual, slow and overloaded groups.
const SHAPES: [MarkShape; 3] = [MarkShape::Dot, MarkShape::Triangle, MarkShape::Square];
/// The maximum length of a name at the axis, characters.
const LETTERS: usize = 14;

/// The phases of one name, and the attribution of their slow ranks.
pub(super) struct PhaseRanks<'m> {
    title: String,
    phases: Vec<&'m Phase>,
    attribution: Attribution,
}

/// The phases of a test with data of single ranks. Tables and plots need their attribution, which takes the
/// most time of a large report.
pub(super) fn attributed<'m>(measured: &'m [RepetitionPhase<'m>]) -> Vec<PhaseRanks<'m>> {
    let with_ranks = measured.iter().filter(|one| one.phase.each_rank.is_some());
    grouped(with_ranks.map(|one| (phase_title(one), one.phase)))
        .into_iter()
        .map(|(title, phases)| {
            let attribution = Attribution::of(&phases);
            PhaseRanks { title, phases, attribution }
        })
        .collect()
}

/// Tables of ranks, nodes and targets; empty if nothing is known of single ranks.
pub(super) fn tables(
    measured: &[RepetitionPhase],
    ranks: &[PhaseRanks<'_>],
    detail: PlotDetail,
) -> Vec<Table> {
    let mut tables = vec![spread(measured)];
    for one in ranks {
        tables.push(groups(one, Factor::Node, detail.rows));
        tables.push(groups(one, Factor::Target, detail.rows));
        tables.push(stragglers(one));
    }
    tables.into_iter().filter_map(Table::unless_empty).collect()
}

fn spread(measured: &[RepetitionPhase]) -> Table {
    let headings = "Rank that moved least | >Its amount / mean | >99th percentile / median time | \
         >Wear-out / deadline | >Time lost to the slowest 1 %";
    let table = each("Load imbalance between ranks", headings, measured, |one| {
        let spread = Spread::of(one.phase)?;
        Some(vec![
            Cell::new(if spread.least_share < 1.0 {
                format!("rank {}", spread.least_rank)
            } else {
                "all equal".into()
            }),
            Cell::new(share(spread.least_share)),
            Cell::new(format!("{:.2}", spread.late)),
            Cell::new(spread.wear_out.map_or(NONE.into(), share)),
            Cell::new(share(spread.lost)),
        ])
    });
    table.noted(
        "If ranks continued after a deadline, the amounts are those at the deadline. Time lost is the share \
         of the transfer time in which only the slowest 1 % of the ranks (at least one) were still active.",
    )
}

fn unit(phases: &[&Phase]) -> &'static str {
    if phases[0].counts == Counts::Operations { "/s" } else { "B/s" }
}

fn word(finding: GroupSpeed) -> (&'static str, Tone) {
    match finding {
        GroupSpeed::Usual => ("", Tone::Plain),
        GroupSpeed::Slow => ("slow", Tone::Fail),
        GroupSpeed::Overloaded => ("overloaded", Tone::Inconclusive),
    }
}

/// The groups of a factor, the slowest first.
fn sorted(attribution: &Attribution, factor: Factor) -> Vec<&StragglerGroup> {
    let mut groups: Vec<&StragglerGroup> =
        attribution.groups.iter().filter(|group| group.factor == factor).collect();
    groups.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    groups
}

/// The slow and overloaded groups, and this number of others, from the slowest on.
fn groups(same: &PhaseRanks<'_>, factor: Factor, usual: usize) -> Table {
    let (plural, first) = match factor {
        Factor::Node => ("Nodes", "Node | >Ranks"),
        Factor::Target => ("Storage targets", "Target | >Files"),
    };
    let headings = format!("{first} | >Median rate of a rank | >Rate / others | >Total / others | Result");
    let mut table = Table::new(&format!("{plural} in {}", same.title), &headings);
    let all = sorted(&same.attribution, factor);
    let mut left = usual;
    let is_listed = |group: &&&StragglerGroup| {
        let is_usual = group.finding == GroupSpeed::Usual;
        let has_place = left > 0;
        left -= usize::from(is_usual && has_place);
        !is_usual || has_place
    };
    for group in all.iter().filter(is_listed).take(ROWS) {
        let (word, tone) = word(group.finding);
        let percent = |value: Option<f64>| Cell::new(value.map_or(NONE.into(), share));
        table.row([
            Cell::literal(&group.name),
            Cell::new(format!("{}", (group.held * 10.0).round() / 10.0)),
            quantity_cell(group.rate, unit(&same.phases)),
            percent(group.share),
            percent(group.together),
            Cell::new(word).toned(tone),
        ]);
    }
    table.note = format!(
        "Rate / others: the rate of its median rank, relative to that of all other ranks. Total / others: \
         the rate of all its ranks in the time of the last of them, relative to the median of the others. \
         Slow: a rank test does not explain the difference by chance. Overloaded: it has more {} and is as \
         fast as the others in total.",
        if factor == Factor::Node { "ranks" } else { "files" }
    );
    if all.len() > table.rows.len() {
        let more = all.len() - table.rows.len();
        table.note.push_str(&format!(" {more} more are not listed. The records of the jobs have all ranks."));
    }
    table
}

fn stragglers(same: &PhaseRanks<'_>) -> Table {
    let all = &same.attribution.stragglers;
    let rows = all.iter().take(ROWS).map(|one| {
        let far = if one.deviations.is_finite() { format!("{:.1}", one.deviations) } else { NONE.into() };
        [one.rank.to_string(), one.node.clone(), share(one.share), far].map(Cell::new)
    });
    let title = format!("Slow ranks in {} that no node or target explains", same.title);
    let headings = "Rank | Node | >Rate / median rank | >Robust deviations below the median";
    let table = Table::with_rows(&title, headings, rows);
    match all.len().saturating_sub(ROWS) {
        0 => table,
        more => table.noted(format!("{more} more slow ranks are not listed.")),
    }
}

/// The rates of single ranks by target, if the targets are known.
pub(super) fn plots(ranks: &[PhaseRanks<'_>], detail: PlotDetail) -> Vec<Plot> {
    ranks.iter().filter_map(|one| plot(one, detail)).collect()
}

fn plot(same: &PhaseRanks<'_>, detail: PlotDetail) -> Option<Plot> {
    // The heat map has the nodes.
    let mut groups = sorted(&same.attribution, Factor::Target);
    let all = groups.len();
    if all == 0 {
        return None;
    }
    let many =
        same.phases.iter().map(|phase| phase.ranks as usize).sum::<usize>() > DOTS.min(3 * detail.groups);
    groups.truncate(if many { detail.groups } else { DOTS });
    let marks = marks(same, &groups, many, detail);
    let top = marks.iter().map(|mark| mark.y).max_by(f64::total_cmp)? * 1.08;
    let (unit, count) = (unit(&same.phases), groups.len());
    let named = |(x, group): (u32, &&StragglerGroup)| PlotTick {
        at: f64::from(x),
        label: units::elided(&group.name, LETTERS, 0),
    };
    let ticks = if count <= NAMED { (1..).zip(&groups).map(named).collect() } else { Vec::new() };
    let legend = |line: usize, label: &str| LegendEntry::for_marks(line, SHAPES[line], label);
    Some(Plot {
        title: format!("Rates of ranks in {}, by storage target", same.title),
        note: note(many, (count, all), detail),
        x: Axis { label: "storage targets".into(), from: 0.5, to: count as f64 + 0.5, ticks },
        y: Axis {
            label: "per second and rank".into(),
            from: 0.0,
            to: top,
            ticks: linear_ticks(top, |at| short(&quantity(at, unit))),
        },
        legend: vec![legend(0, "like the others"), legend(1, "slow"), legend(2, "overloaded")],
        marks,
        ..Plot::default()
    })
}

/// The rates of the ranks of each group, or its slowest, median and fastest rank if there are many.
fn marks(same: &PhaseRanks<'_>, groups: &[&StragglerGroup], many: bool, detail: PlotDetail) -> Vec<PlotMark> {
    let mut marks = Vec::new();
    let each: Vec<_> = same.phases.iter().filter_map(|phase| phase.each_rank.as_ref()).collect();
    let mut by_name = rates_by_name(&each, Factor::Target);
    for (x, group) in (1_u32..).zip(groups) {
        let rates = by_name.remove(&group.name).unwrap_or_default();
        let shown = if many { extremes(rates) } else { rates };
        let line = match group.finding {
            GroupSpeed::Usual => 0,
            GroupSpeed::Slow => 1,
            GroupSpeed::Overloaded => 2,
        };
        // The marks are side by side, from the slowest to the fastest, so that none hides another.
        let step = WIDTH / shown.len().max(2) as f64;
        let left = f64::from(x) - step * (shown.len() as f64 - 1.0) / 2.0;
        let mark = |(at, y): (usize, f64)| PlotMark {
            x: left + step * at as f64,
            y,
            text: match line > 0 || detail.usual_texts {
                true => format!("{}: {}", group.name, quantity(y, unit(&same.phases))),
                false => String::new(),
            },
            style: MarkStyle::Series(line),
            shape: SHAPES[line],
            ..PlotMark::default()
        };
        marks.extend(shown.into_iter().enumerate().map(mark));
    }
    marks
}

/// How to read the plot, which shows `count` of `all` storage targets.
fn note(many: bool, (count, all): (usize, usize), detail: PlotDetail) -> String {
    let shown = match many {
        true => "Three dots for each storage target: its slowest, median and fastest rank",
        false => "A dot for each rank",
    };
    let mut more = String::new();
    if all > count {
        more.push_str(&format!(" The slowest {count} of {all} storage targets are plotted."));
    }
    if !detail.usual_texts {
        more.push_str(" In a report of this size only slow and overloaded ones have their values on hover.");
    }
    format!(
        "{shown}. The rate is over the rank's own time. All repetitions are included. The storage targets \
         and the ranks of each are in order from the slowest to the fastest.{more}"
    )
}

fn extremes(rates: Vec<f64>) -> Vec<f64> {
    match rates.as_slice() {
        [first, .., last] => vec![*first, rates[rates.len() / 2], *last],
        _ => rates,
    }
}
