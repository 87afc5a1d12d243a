//! What a report shows about single ranks, nodes and targets.

use crate::golden;
use crate::sections;
use report::document::{Block, Cell, MarkStyle, Plot, Table, Tone};
use results::folder::Campaign;
use results::record::{EachRank, KernelCount, MountCount, Phase, Record};

/// All tables and plots of the first test.
fn shown(campaign: &Campaign) -> (Vec<Table>, Vec<Plot>) {
    let (mut tables, mut plots) = (vec![], vec![]);
    for block in sections(campaign).next().expect("a section").blocks {
        match block {
            Block::Table(table) => tables.push(table),
            Block::Plots(all) => plots.extend(all),
            _ => {}
        }
    }
    (tables, plots)
}

fn table(campaign: &Campaign, title: &str) -> Option<Table> {
    shown(campaign).0.into_iter().find(|table| table.title == title)
}

/// A cell of a row, or of the constants above the table; `None` if the table has no such column.
fn cell<'t>(table: &'t Table, row: usize, title: &str) -> Option<&'t Cell> {
    let at = table.columns.iter().position(|column| column.title == title);
    let constant = || table.constants.iter().find(|fact| fact.label == title).map(|fact| &fact.value);
    at.map(|at| &table.rows[row][at]).or_else(constant)
}

/// The text of such a cell; empty without the column.
fn text<'t>(table: &'t Table, row: usize, title: &str) -> &'t str {
    cell(table, row, title).map_or("", |cell| cell.text.as_str())
}

#[test]
fn the_slow_target_is_listed_first_and_nodes_are_not_called_slow() {
    let campaign = golden::campaign();
    let targets = &table(&campaign, "Storage targets in write").expect("there are targets");
    let words = ["Target", "Files", "Result"].map(|title| text(targets, 0, title));
    assert_eq!(words, [format!("OST{:04x}", golden::ranks::SLOW).as_str(), "8", "slow"]);
    assert_eq!(cell(targets, 0, "Result").map(|cell| cell.tone), Some(Tone::Fail));
    let none_slow = |table: &Table, from: usize| {
        (from..table.rows.len()).all(|row| text(table, row, "Result").is_empty())
    };
    assert!(none_slow(targets, 1), "{targets:?}");
    let nodes = &table(&campaign, "Nodes in write").expect("there are nodes");
    assert!(nodes.rows.len() == 4 && none_slow(nodes, 0), "{nodes:?}");
    let alone =
        &table(&campaign, "Slow ranks in write that no node or target explains").expect("there is one");
    assert_eq!(
        (alone.rows.len(), alone.rows[0][0].text.as_str(), alone.rows[0][1].text.as_str()),
        (1, "9", "n001")
    );
    assert_eq!(table(&campaign, "Load imbalance between ranks").expect("shown").rows.len(), 3);
}

#[test]
fn the_plot_has_a_dot_for_each_rank_and_with_many_ranks_three_for_each_group() {
    let mut campaign = golden::campaign();
    let dots = |campaign: &Campaign| {
        let (_, plots) = shown(campaign);
        let plot = plots
            .into_iter()
            .find(|plot| plot.title == "Rates of ranks in write, by storage target")
            .unwrap();
        assert!(plot.marks.iter().all(|mark| mark.y <= plot.y.to && mark.x <= plot.x.to), "{plot:?}");
        let slow = plot.marks.iter().filter(|mark| mark.style == MarkStyle::Series(1)).count();
        (plot.marks.len(), slow)
    };
    assert_eq!(dots(&campaign), (3 * 64, 3 * 8), "of three repetitions");
    for job in &mut campaign.jobs {
        for record in &mut job.records {
            if let Record::Phase(phase) = record {
                phase.ranks *= 10;
            }
        }
    }
    assert_eq!(dots(&campaign), (3 * 8, 3));
}

#[test]
fn without_data_of_single_ranks_or_with_one_rank_nothing_is_shown() {
    for each_rank in [None, Some(EachRank { ranks: 1, moved: vec![1].into(), ..EachRank::default() })] {
        let mut campaign = golden::campaign();
        for record in campaign.jobs.iter_mut().flat_map(|job| &mut job.records) {
            if let Record::Phase(phase) = record {
                **phase = Phase { each_rank: each_rank.clone(), ..(**phase).clone() };
            }
        }
        let (tables, plots) = shown(&campaign);
        assert!(
            tables
                .iter()
                .all(|table| !table.title.starts_with("Nodes") && !table.title.contains("imbalance"))
        );
        assert!(plots.iter().all(|plot| !plot.title.contains("Rates of ranks")));
    }
}

#[test]
fn the_bytes_of_the_kernel_are_beside_those_of_the_program_or_said_to_be_missing() {
    let mut campaign = golden::campaign();
    let counted = KernelCount {
        processes: 1,
        written_bytes: 3 << 20,
        mount: Some(MountCount { source: MountCount::NFS.into(), read_bytes: 0, written_bytes: 5 << 20 }),
        ..KernelCount::default()
    };
    let phases =
        campaign.jobs.iter_mut().flat_map(|job| &mut job.records).filter_map(|record| match record {
            Record::Phase(phase) if phase.phase == "write" => Some(phase),
            _ => None,
        });
    for (at, phase) in phases.enumerate() {
        phase.kernel = (at > 0).then(|| counted.clone());
    }
    let kernel = &table(&campaign, "Bytes that the kernel counted").expect("it is shown");
    let titles = ["Read from storage", "Written to storage", "Read by calls", "Written by calls"];
    let texts = |row: usize| titles.map(|title| text(kernel, row, title));
    assert_eq!(texts(0), ["not available here"; 4]);
    assert_eq!(texts(1)[..2], ["0 B", "3.00 MiB"]);
    assert_eq!(text(kernel, 1, "Network file system"), "mountstats: 0 B read, 5.00 MiB written");
}
