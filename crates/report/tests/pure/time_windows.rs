//! The table of the time windows that verdicts used in addition to whole phases.

use crate::golden;
use crate::sections;
use report::document::{Block, Table};
use results::folder::Campaign;
use results::{TimeWindow, TimeWindowKind};

fn table(campaign: &Campaign) -> Option<Table> {
    let mut blocks = sections(campaign).flat_map(|section| section.blocks);
    blocks.find_map(|block| match block {
        Block::Table(table) if table.title.starts_with("Time windows") => Some(table),
        _ => None,
    })
}

#[test]
fn each_time_window_has_one_row_even_if_several_verdicts_used_it() {
    let mut campaign = golden::campaign();
    assert!(table(&campaign).is_none(), "no verdict used one");
    let window = TimeWindow {
        repetition: 2,
        phase: "write".into(),
        kind: TimeWindowKind::Worst,
        from_s: 12.0,
        seconds: 30.0,
        rate: 2.5e9,
        unit: "B/s".into(),
        share: 0.85,
    };
    let test = campaign.verdicts[0].test.clone();
    for verdict in campaign.verdicts.iter_mut().filter(|verdict| verdict.test == test) {
        verdict.time_windows = vec![window.clone()];
    }
    let mut second = campaign.verdicts[0].clone();
    second.metric = "write.iops".into();
    campaign.verdicts.push(second);
    let rows = &table(&campaign).expect("there is one").rows;
    let words: Vec<&str> = rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(words, ["write", "2", "worst", "12.0 s", "30.0 s", "2.50 GB/s", "0.85"]);
    assert_eq!(rows.len(), 1);
}

#[test]
fn the_section_of_a_warm_up_states_that_it_is_excluded() {
    let mut campaign = golden::campaign();
    let mut warm = campaign.jobs[0].clone();
    warm.info.test = "T+warm-up".into();
    campaign.jobs.insert(0, warm);
    let mut titles = sections(&campaign).map(|section| section.title);
    assert!(titles.any(|title| title == "Warm-up of test T (excluded)"));
}
