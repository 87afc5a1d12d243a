//! The classic text of a run given as events, compared with the golden texts, and its messages.

use std::path::Path;

use results::record::Stonewall;
use workloads::ior::{RankPlacement, WearOut};
use workloads::kit::observer::EventObserver;

use super::super::output::IorOutput;
use super::super::shown::tests::{beginning, parsed, phase, shown};
use super::super::streams::Streams;
use super::masked::Golden;
use super::*;
use crate::personalities::printer::tests::Page;

/// The script of the golden texts as events.
fn script(look: &Output, verbose: u32) -> String {
    let page = Page::default();
    script_on(Streams::on(&page), &page, look, verbose)
}

fn script_on(streams: Streams, page: &Page, look: &Output, verbose: u32) -> String {
    let mut text = IorOutput::new(streams, look, &["ior".into(), "-f".into()]);
    text.begin("");
    for (test, transfer, file_per_rank) in [(0, 16 << 10, false), (1, 32 << 10, true)] {
        let parsed = parsed(|p| {
            (p.test, p.verbose, p.test_file) = (test, verbose, "sf".into());
            (p.block, p.transfer, p.file_per_rank) = (64 << 10, transfer, file_per_rank);
        });
        text.test(&parsed, Some(Space { bytes: 1 << 40, ..Space::default() }));
        let place = RankPlacement { nodes: 1, ranks_on_node0: 2, by_block: true };
        text.event(&IorEvent::Test { test, place, ranks: 2 });
        text.event(&IorEvent::Repetition { repetition: 0, signature: 1 });
        for name in ["write", "read"] {
            text.event(&IorEvent::Begins(beginning(name)));
            let mut phase = phase(name, 0);
            (phase.block_bytes, phase.transfer_bytes, phase.bytes) = (64 << 10, transfer, 128 << 10);
            text.event(&IorEvent::Phase(&phase));
        }
        text.event(&IorEvent::Removed { repetition: 0, seconds: 0.1 });
        text.end_test();
    }
    text.finish(true, None).unwrap();
    // The space of the file system is made up, and the working directory is not part of the golden text.
    let here = Path::new(".").canonicalize().unwrap();
    page.text().replace(&here.display().to_string(), "DIR")
}

#[test]
fn the_blocks_of_each_test_of_a_script_have_the_classic_text() {
    let text = script(&Output::default(), 0);
    Golden::new(include_str!("../../../tests/golden/script.txt")).assert(&text);
    let older = Output { edition: Some(Edition::Ior33), ..Output::default() };
    Golden::new(include_str!("../../../tests/golden/3.3-script.txt")).assert(&script(&older, 0));
}

#[test]
fn the_wear_out_line_reports_the_write() {
    let page = Page::default();
    let mut text = IorOutput::new(Streams::on(&page), &Output::default(), &["ior".into()]);
    text.test(&parsed(|p| (p.deadline, p.wear_out, p.repetitions) = (1, true, 2)), None);
    for (name, transfers_max) in [("write", 9), ("read", 7), ("write", 5)] {
        let mut phase = phase(name, 0);
        let wall = Stonewall { wear_out: true, transfers_max, ..Stonewall::default() };
        phase.stonewall = Some(wall);
        let seconds = 1.0;
        let (transfers_min, bytes_min, bytes_mean) = (0, 0, 0.0);
        let wall = WearOut { transfers_min, transfers_max, bytes_min, bytes_mean, seconds };
        text.event(&IorEvent::WearOut(wall));
        text.event(&IorEvent::Phase(&phase));
    }
    text.end_test();
    assert!(page.text().contains("\nPairs deadlineForStonewallingaccessed: 9\n"), "{}", page.text());
}

#[test]
fn a_summary_after_each_test_replaces_the_max_lines() {
    let look = Output { summary_always: true, ..Output::default() };
    let golden = include_str!("../../../tests/golden/script-v-summaries.txt");
    Golden::new(golden).assert(&script(&look, 1));
    let golden = include_str!("../../../tests/golden/3.3-script-v-summaries.txt");
    Golden::new(golden).assert(&script(&Output { edition: Some(Edition::Ior33), ..look.clone() }, 1));
    assert!(script(&look, 0).contains("\nMax Write: "), "without -v it changes nothing");
}

#[test]
fn plain_output_is_the_golden_text_without_any_other_line() {
    for (golden, edition) in [
        (include_str!("../../../tests/golden/script.txt"), Edition::Ior41),
        (include_str!("../../../tests/golden/3.3-script.txt"), Edition::Ior33),
    ] {
        let look = Output { plain: true, edition: Some(edition), ..Output::default() };
        let page = Page::default();
        let apart = Page::default();
        let text = script_on(Streams::own_apart(&page, &apart), &page, &look, 0);
        Golden::new(golden).assert_whole(&text);
        assert_eq!(apart.text(), "");
    }
}

#[test]
fn columns_have_the_form_of_the_tables() {
    assert_eq!(column(0.000_211), "0.000211  ");
    assert_eq!(column(899.734), "899.73    ");
    assert_eq!(column(6933.4), "6933      ");
    assert_eq!(column(12_345_678_901.0), "12345678901");
}

fn said(event: &IorEvent<'_>, verbose: u32, edition: Edition) -> String {
    message(event, &shown(|parameters| (parameters.verbose, parameters.test) = (verbose, 2)), edition)
}

#[test]
fn the_distribution_of_hits_ends_once_every_rank_is_counted() {
    assert_eq!(file_hits(&[1, 1, 1, 0, 0]), "#File Hits Dist: 1 1 1\n");
    assert_eq!(file_hits(&[0, 3, 0]), "#File Hits Dist: 0 3\n");
    assert_eq!(said(&IorEvent::FileHits(&[1, 0, 1]), 1, Edition::Ior41), "");
    assert_eq!(said(&IorEvent::FileHits(&[1, 0, 1]), 2, Edition::Ior41), "#File Hits Dist: 1 0 1\n");
}

#[test]
fn at_level_3_every_rank_has_six_stamps_and_its_file() {
    let rows = [RankStamps { open: (1.0, 1.5), transfer: (2.0, 2.5), close: (3.0, 3.25) }];
    let stamps = IorEvent::Stamps { phase: "read_check", repetition: 4, rows: &rows };
    assert_eq!(said(&stamps, 2, Edition::Ior41), "");
    let text = said(&stamps, 3, Edition::Ior41);
    assert!(text.starts_with("Test 2: Iter=4, Task=0, Time=1.000000, read open start\n"), "{text}");
    assert!(text.ends_with("Test 2: Iter=4, Task=0, Time=3.250000, read close stop\n"), "{text}");
    assert_eq!(text.lines().count(), 6);
    let rows = [(1, "f.00000001".to_owned())];
    let files = IorEvent::Files { action: "reading", rows: &rows };
    assert_eq!(said(&files, 3, Edition::Ior41), "task 1 reading f.00000001\n");
}

#[test]
fn the_beginning_of_a_phase_is_printed_from_level_3_and_in_3_3_from_level_1() {
    let (read, check) = (IorEvent::Begins(beginning("read")), IorEvent::Begins(beginning("write_check")));
    assert_eq!(said(&read, 2, Edition::Ior41), "");
    assert!(said(&read, 3, Edition::Ior41).starts_with("Commencing read performance test: "));
    assert!(said(&read, 1, Edition::Ior33).ends_with("\n\n"));
    assert_eq!(said(&read, 0, Edition::Ior33), "");
    assert_eq!(said(&check, 0, Edition::Ior41), "");
    assert!(said(&check, 1, Edition::Ior41).starts_with("Verifying contents of the file(s) just written."));
}

#[test]
fn each_edition_has_its_own_warnings() {
    let size = IorEvent::Size { expected: 3, found: 2, moved: 1 };
    assert!(said(&size, 0, Edition::Ior41).contains("size       = 3\n"));
    assert!(said(&size, 0, Edition::Ior33).contains("size       = 3.\n"));
    let bad = IorEvent::BadData { phase: "read_check", transfers: 8, ranges: &[], signature: 4 };
    let newer = "WARNING: Incorrect data on read (8 errors found).\n\nUsed Time Stamp 4 (0x4) for";
    assert!(said(&bad, 0, Edition::Ior41).starts_with(newer));
    assert!(
        said(&bad, 0, Edition::Ior33).starts_with("WARNING: incorrect data on read (8 errors found).\nUsed")
    );
}

#[test]
fn the_memory_taken_is_printed_at_level_3() {
    assert_eq!(hog((0, 8)), "This task hogging 8 bytes of memory\n");
    assert_eq!(hog((16, 8)).lines().next(), Some("This node hogging 16 bytes of memory"));
    assert_eq!(hog((0, 0)), "");
}
