//! The ranks of a phase by node, as a heat map in which stragglers are visible.
//!
//! Invariant: at most as many cells as the detail of the report allows. With more ranks a cell is the slowest
//! rank of a node, or of several nodes, and the note states that.
//! Never here: which ranks are stragglers. `judge::stragglers` decides that.

use std::collections::BTreeMap;

use results::record::{Counts, EachRank};
use results::statistics::median;

use super::{NamedPhase, PlotDetail};
use crate::document::words::{grouped, quantity, share};
use crate::document::{Axis, LegendEntry, LegendKey, Plot, PlotCell, PlotTick};

/// The most ranks of a node that have their own cells.
const COLUMNS: usize = 64;
/// The most nodes whose ranks have their own cells.
const ROWS: usize = 40;
/// The fewest ranks of a heat map. Fewer are in the tables.
const RANKS_MIN: usize = 8;
/// The fewest rows of an axis, so that cells of few nodes are not very high.
const ROWS_MIN: usize = 4;
/// The most names at an axis.
const NAMED: usize = 16;
/// The longest name at an axis, characters.
const LETTERS: usize = 9;
/// The lower ends of the levels, as shares of the median rate. What is below the last is the slowest level.
const LEVELS: [f64; 4] = [0.95, 0.8, 0.65, 0.5];
/// The level from which cells are marked by a cross.
const MARKED: usize = 3;

/// The slowest repetition of one rank.
#[derive(Clone)]
struct SlowestRepetition {
    rank: u32,
    node: String,
    repetition: String,
    rate: f64,
    share: f64,
}

/// A heat map for each phase with the data of several ranks.
pub(super) fn plots(phases: &[NamedPhase], detail: PlotDetail) -> Vec<Plot> {
    phases.iter().filter_map(|phase| plot(phase, detail)).collect()
}

fn plot(phase: &NamedPhase, detail: PlotDetail) -> Option<Plot> {
    let unit = match phase.all.first()?.phase.counts {
        Counts::Operations => "/s",
        Counts::Bytes => "B/s",
    };
    let nodes = nodes(phase);
    let ranks: usize = nodes.iter().map(|(_, ranks)| ranks.len()).sum();
    if ranks < RANKS_MIN {
        return None;
    }
    let widest = nodes.iter().map(|(_, ranks)| ranks.len()).max()?;
    let whole = nodes.len() <= ROWS && widest <= COLUMNS && nodes.len() * widest <= detail.cells;
    let mut plot =
        if whole { each_rank(&nodes, widest, unit) } else { each_node(&nodes, unit, detail.cells) };
    plot.title = format!("Ranks of {}, by node", phase.title);
    plot.note.push_str(
        " The color is the rate of the rank over its own time, divided by the median of all ranks. Of \
         several repetitions it is the lowest. A cross marks the two slowest levels.",
    );
    if !detail.usual_texts {
        let usual = plot.cells.iter_mut().filter(|cell| cell.level == 0);
        usual.for_each(|cell| cell.text.clear());
        plot.note.push_str(" In a report of this size only slower cells have their values on hover.");
    }
    plot.legend = legend();
    Some(plot)
}

fn legend() -> Vec<LegendEntry> {
    let mut words = vec![format!("{} or more of the median", share(LEVELS[0]))];
    words.extend(LEVELS.windows(2).map(|ends| format!("{} to {}", share(ends[1]), share(ends[0]))));
    words.push(format!("below {}", share(LEVELS[LEVELS.len() - 1])));
    let entry = |(level, text): (usize, String)| LegendEntry {
        key: LegendKey::Level(level),
        label: text.replace(".0 %", " %"),
    };
    words.into_iter().enumerate().map(entry).collect()
}

/// The slowest repetition of each rank, by node, in the order of the ranks.
fn nodes(phase: &NamedPhase) -> Vec<(String, Vec<SlowestRepetition>)> {
    let mut slowest: BTreeMap<(u32, String), SlowestRepetition> = BTreeMap::new();
    for one in &phase.all {
        let Some(each) = &one.phase.each_rank else { continue };
        for found in shares(each, &one.repetition) {
            let known = slowest.entry((found.rank, found.node.clone())).or_insert_with(|| found.clone());
            if found.share < known.share {
                *known = found;
            }
        }
    }
    grouped(slowest.into_values().map(|one| (one.node.clone(), one)))
}

fn shares(each: &EachRank, repetition: &str) -> Vec<SlowestRepetition> {
    // A number of ranks without their columns is no data.
    let known = (0..each.ranks).map_while(|rank| Some((rank, each.rate(rank)?)).filter(|_| rank < 1 << 20));
    let rates: Vec<(u32, f64)> = known.filter(|(_, rate)| rate.is_finite()).collect();
    let all: Vec<f64> = rates.iter().map(|(_, rate)| *rate).collect();
    let Some(middle) = median(&all).filter(|middle| *middle > 0.0) else { return Vec::new() };
    let slowest = rates.into_iter().map(|(rank, rate)| SlowestRepetition {
        rank,
        node: each.node_of(rank).unwrap_or("unknown node").to_owned(),
        repetition: repetition.to_owned(),
        rate,
        share: rate / middle,
    });
    slowest.collect()
}

fn level(share: f64) -> usize {
    LEVELS.iter().position(|least| share >= *least).unwrap_or(LEVELS.len())
}

fn cell((x, y): (usize, usize), one: &SlowestRepetition, prefix: &str, unit: &str) -> PlotCell {
    let level = level(one.share);
    let text = format!(
        "{prefix}rank {} on {}: {}, {} of the median, in repetition {}",
        one.rank,
        one.node,
        quantity(one.rate, unit),
        share(one.share),
        one.repetition
    );
    PlotCell { x: x as f64, y: y as f64, level, is_marked: level >= MARKED, text }
}

/// A row for each node, and a cell for each of its ranks.
fn each_rank(nodes: &[(String, Vec<SlowestRepetition>)], widest: usize, unit: &str) -> Plot {
    let rows = nodes.len();
    let mut cells = Vec::new();
    for (row, (_, ranks)) in nodes.iter().enumerate() {
        cells.extend(ranks.iter().enumerate().map(|(at, one)| cell((at + 1, rows - row), one, "", unit)));
    }
    let counted = (1..=widest).step_by(widest.div_ceil(NAMED));
    let counted = counted.map(|n| PlotTick { at: n as f64, label: n.to_string() });
    let named = nodes.iter().enumerate().step_by(rows.div_ceil(NAMED));
    let ticks = named
        .map(|(row, (name, _))| PlotTick { at: (rows - row) as f64, label: units::elided(name, LETTERS, 0) });
    Plot {
        note: "Each cell is a rank.".into(),
        x: Axis { ticks: counted.collect(), ..axis("ranks of a node, in their order", widest) },
        y: Axis { ticks: ticks.collect(), ..nodes_axis("node", rows) },
        cells,
        ..Plot::default()
    }
}

/// A cell for each node, or for several neighbouring nodes: the slowest of their ranks.
fn each_node(nodes: &[(String, Vec<SlowestRepetition>)], unit: &str, most: usize) -> Plot {
    let joined = nodes.len().div_ceil(most);
    let groups: Vec<&[(String, Vec<SlowestRepetition>)]> = nodes.chunks(joined).collect();
    let columns = groups.len().min(32);
    let rows = groups.len().div_ceil(columns);
    let mut cells = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let ranks = || group.iter().flat_map(|(_, ranks)| ranks);
        let Some(slowest) = ranks().min_by(|a, b| a.share.total_cmp(&b.share)) else { continue };
        let prefix = format!("slowest of {}: ", units::several(ranks().count() as u64, "rank"));
        cells.push(cell((at % columns + 1, rows - at / columns), slowest, &prefix, unit));
    }
    let ranks: usize = nodes.iter().map(|(_, ranks)| ranks.len()).sum();
    let of = if joined == 1 { "a node".to_owned() } else { format!("{joined} nodes") };
    let first = |row: usize| PlotTick {
        at: (rows - row) as f64,
        label: units::elided(&groups[row * columns][0].0, LETTERS, 0),
    };
    Plot {
        note: format!(
            "Each cell is the slowest rank of {of}. It summarizes {} on {}, row by row.",
            units::several(ranks as u64, "rank"),
            units::several(nodes.len() as u64, "node")
        ),
        x: axis("nodes, in the order of their ranks", columns),
        y: Axis {
            ticks: (0..rows).step_by(rows.div_ceil(NAMED)).map(first).collect(),
            ..nodes_axis("first node of the row", rows)
        },
        cells,
        ..Plot::default()
    }
}

fn axis(label: &str, number: usize) -> Axis {
    Axis { label: label.into(), from: 0.5, to: number as f64 + 0.5, ticks: Vec::new() }
}

/// An axis of nodes from the top.
fn nodes_axis(label: &str, rows: usize) -> Axis {
    Axis { from: rows as f64 + 0.5 - rows.max(ROWS_MIN) as f64, ..axis(label, rows) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::phases::RepetitionPhase;
    use results::folder::Campaign;
    use results::record::Phase;

    #[test]
    fn the_ranks_of_a_very_large_job_are_summarized_in_at_most_the_cells_of_a_heat_map() {
        let ranks: u32 = 3000 * 32;
        let slow = |rank: u32| if rank == 70_000 { 3.0 } else { 1.0 };
        let each = EachRank {
            ranks,
            moved: vec![1 << 30].into(),
            seconds: (0..ranks).map(slow).collect::<Vec<f64>>().into(),
            node: (0..ranks).map(|rank| rank / 32).collect::<Vec<u32>>().into(),
            nodes: (0..3000).map(|node| format!("nid{node:05}")).collect(),
            ..EachRank::default()
        };
        let phase = Phase { each_rank: Some(each), ..Phase::default() };
        let one = RepetitionPhase { phase: &phase, repetition: "1".into() };
        let named = NamedPhase { title: "write".into(), name: "write", all: vec![&one] };
        let plots = super::plots(&[named], PlotDetail::for_campaign(&Campaign::default()));
        let plot = &plots[0];
        assert_eq!(plot.cells.len(), 1000);
        assert!(plot.note.starts_with(
            "Each cell is the slowest rank of 3 nodes. It summarizes 96000 ranks on 3000 nodes, row by row."
        ));
        let slow: Vec<&PlotCell> = plot.cells.iter().filter(|cell| cell.is_marked).collect();
        let [slow] = slow[..] else { panic!("{slow:?}") };
        assert_eq!(
            slow.text,
            "slowest of 96 ranks: rank 70000 on nid02187: 358 MB/s, 33.3 % of the median, in repetition 1"
        );
    }
}
