//! What the terminal shows, to the letter.
//!
//! With `BLESS` set in the environment the fixtures are written instead of compared.

use crate::golden;
use report::document::Block;
use results::Verdict;
use results::folder::Campaign;
use results::summary::Finding;

fn same_as_fixture(name: &str, text: &str) {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(wanted == text, "not as in {path} (BLESS=1 writes it):\n{text}");
}

#[test]
fn the_golden_campaign_reads_as_it_always_did() {
    same_as_fixture("golden-100.txt", &report::text(&golden::campaign(), 100, false));
}

#[test]
fn a_narrow_terminal_gets_lines_that_fit() {
    let text = report::text(&golden::campaign(), 50, false);
    same_as_fixture("golden-50.txt", &text);
    for width in [40, 50, 64, 80, 100, 132] {
        let text = report::text(&golden::campaign(), width, false);
        let long = text.lines().find(|line| line.chars().count() > width);
        assert_eq!(long, None, "width {width}");
    }
}

#[test]
fn two_criteria_of_one_test_are_told_apart_by_their_metrics() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    let mut other = campaign.verdicts[0].clone();
    other.metric = "write.latency.p99".into();
    campaign.verdicts.push(other);
    for width in [50, 100] {
        let text = report::text(&campaign, width, false);
        assert!(text.contains("write.bw mean >=") && text.contains("write.latency.p99"), "{text}");
    }
}

#[test]
fn other_values_than_the_plans_stand_beside_the_result() {
    let mut campaign = golden::campaign();
    let said = |campaign: &Campaign| {
        let text = report::text(campaign, 400, false);
        (
            text.contains("At the scale \"small\""),
            text.contains("with block = 4m: not the values of the plan's"),
        )
    };
    assert_eq!(said(&campaign), (false, false));
    campaign.info.scale = Some("small".into());
    assert_eq!(said(&campaign), (true, false));
    campaign.info.set.insert("block".into(), "4m".into());
    assert_eq!(said(&campaign), (true, true));
    let mut page = Vec::new();
    report::write_html(&campaign, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("At the scale") && page.contains("Value of block"));
}

#[test]
fn colour_adds_nothing_but_colour() {
    let coloured = report::text(&golden::campaign(), 100, true);
    let mut plain = coloured.clone();
    for code in ["\x1b[1;32m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;35m", "\x1b[1;36m", "\x1b[0m"] {
        plain = plain.replace(code, "");
    }
    assert_ne!(coloured, plain);
    assert_eq!(plain, report::text(&golden::campaign(), 100, false));
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let mut campaign = golden::campaign();
    campaign.verdicts[0].clause = "clear\x1b[2J me".into();
    campaign.info.title = "bell\x07".into();
    let text = report::text(&campaign, 100, false);
    assert!(!text.contains('\x1b') && !text.contains('\x07'), "{text}");
    assert!(text.contains("clear\\u{1b}[2J me"), "{text}");
}

#[test]
fn an_empty_campaign_says_that_nothing_was_judged() {
    let text = report::text(&Campaign::default(), 80, false);
    assert!(text.ends_with("NOT JUDGED: No clause has been judged.\n"), "{text}");
}

#[test]
fn only_passes_make_a_pass_and_only_failures_make_a_failure() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    assert!(report::text(&campaign, 80, false).ends_with("PASS: The only clause is met.\n"));
    campaign.verdicts = vec![golden::campaign().verdicts[2].clone()];
    let last = "NOT DECIDED: The only clause is inconclusive.\n";
    assert!(report::text(&campaign, 100, false).ends_with(last));
    campaign.verdicts.insert(0, golden::campaign().verdicts[0].clone());
    let last = "NOT DECIDED: No clause fails, but not all 2 are decided: 1 passes, 1 is inconclusive.\n";
    assert!(report::text(&campaign, 100, false).ends_with(last));
}

#[test]
fn a_part_of_a_plan_is_said_to_be_a_part() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    campaign.info.only = vec!["write-bw".into()];
    let last = "PASS: The only clause is met. Only the test write-bw was chosen.\n";
    assert!(report::text(&campaign, 100, false).ends_with(last));
}

#[test]
fn findings_that_nobody_answers_for_are_named_and_counted_in_the_last_line() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    let found = |lint: &str, test: &str, level: &str, waived: &str| Finding {
        lint: lint.into(),
        test: test.into(),
        level: level.into(),
        waived: waived.into(),
        ..Finding::default()
    };
    campaign.summary.findings = vec![
        found("node-fraction", "A", "info", ""),
        found("straggler", "A", "waiver", "lead: a slow drive"),
    ];
    let text = report::text(&campaign, 200, false);
    assert!(text.ends_with("PASS: The only clause is met.\n"), "{text}");
    let lints: Vec<&str> = text.lines().filter(|line| line.starts_with("LINT")).collect();
    assert_eq!(
        lints,
        ["LINT straggler (A): waived by lead: a slow drive"],
        "what somebody answers for is told"
    );
    campaign.summary.findings.extend([
        found("unchecked-data", "A", "waiver", ""),
        found("unchecked-data", "B", "waiver", ""),
        found("unchecked-data", "B", "waiver", ""),
        Finding {
            found: "it waives nothing".into(),
            remedy: "take it out".into(),
            ..found("waiver", "C", "info", "")
        },
        found("missing-persist", "B", "error", ""),
        found("fill-recorded", "", "error", ""),
    ]);
    let text = report::text(&campaign, 200, false);
    for line in [
        "LINT unchecked-data (A, B): nobody answers for it; `assay lint --explain unchecked-data`",
        "LINT waiver (C): it waives nothing; take it out",
        "LINT missing-persist (B): an error, which nobody can waive; `assay lint --explain missing-persist`",
        "LINT fill-recorded (the whole campaign): an error, which nobody can waive; `assay lint --explain \
         fill-recorded`",
    ] {
        assert!(text.lines().any(|own| own == line), "{line} in {text}");
    }
    let document = report::document::of(&campaign);
    let section = document.sections.iter().find(|section| section.id == "findings").unwrap();
    let Block::Table(table) = &section.blocks[0] else { panic!("{section:#?}") };
    let row = table.rows.iter().find(|row| row[0].text == "unchecked-data").unwrap();
    assert_eq!((table.rows.len(), row[1].text.as_str()), (6, "A, B"), "what is said twice stands once");
    let last = "PASS: The only clause is met. Nobody can waive 2 errors of the linter. Nobody answers for 2 \
                findings of the linter.\n";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn a_warning_is_told_once_with_all_tests_that_it_is_about() {
    let mut campaign = golden::campaign();
    let verdict = |test: &str, warnings: &[&str]| {
        let warnings = warnings.iter().map(|text| text.to_string()).collect();
        Verdict { test: test.into(), warnings, ..golden::campaign().verdicts[0].clone() }
    };
    campaign.verdicts = vec![
        verdict("A", &["write: slow"]),
        verdict("A", &["write: slow"]),
        verdict("B", &["write: slow", "own"]),
        verdict("G", &["A: write: slow", "B: own", "C: own"]),
    ];
    let text = report::text(&campaign, 200, false);
    let told: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("warning: ")).collect();
    assert_eq!(told, ["write: slow (also B, G)", "own (also G)", "C: own"], "{text}");
    let document = report::document::of(&campaign);
    let of: Vec<usize> = document.remarks.iter().map(|remark| remark.tests.len()).collect();
    assert_eq!(of, [3, 2, 1]);
}
