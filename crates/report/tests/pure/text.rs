//! The exact text on a terminal.
//!
//! If `BLESS` is set in the environment, the tests write the fixtures instead of comparing them.

use crate::golden;
use crate::sections;
use report::document::Block;
use results::Verdict;
use results::finding::{Approval, Finding, Severity};
use results::folder::Campaign;
use results::reason::{Code, Reason, reason};

pub(crate) fn same_as_fixture(name: &str, text: &str) {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(wanted == text, "not as in {path} (BLESS=1 writes it):\n{text}");
}

#[test]
fn the_text_of_the_golden_campaign_is_that_of_the_fixture() {
    same_as_fixture("golden-100.txt", &report::text(&golden::campaign(), 100, report::Emphasis::None));
}

#[test]
fn a_narrow_terminal_gets_lines_that_fit() {
    let text = report::text(&golden::campaign(), 50, report::Emphasis::None);
    same_as_fixture("golden-50.txt", &text);
    for width in [40, 50, 64, 80, 100, 132] {
        let text = report::text(&golden::campaign(), width, report::Emphasis::None);
        let is_one_word = |line: &str| !line.trim().contains(' ');
        let long = text.lines().find(|line| line.chars().count() > width && !is_one_word(line));
        assert_eq!(long, None, "width {width}");
    }
}

#[test]
fn the_metrics_distinguish_two_criteria_of_one_test() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    let mut other = campaign.verdicts[0].clone();
    other.metric = "write.latency.p99".into();
    campaign.verdicts.push(other);
    for width in [50, 100] {
        let text = report::text(&campaign, width, report::Emphasis::None);
        assert!(text.contains("write.bw mean >=") && text.contains("write.latency.p99"), "{text}");
    }
}

#[test]
fn the_result_states_values_that_differ_from_the_plan() {
    let mut campaign = golden::campaign();
    let stated = |campaign: &Campaign| {
        let text = report::text(campaign, 400, report::Emphasis::None);
        (text.contains("used the scale \"small\""), text.contains("changed values of the plan: block = 4m."))
    };
    assert_eq!(stated(&campaign), (false, false));
    campaign.info.scale = Some("small".into());
    assert_eq!(stated(&campaign), (true, false));
    campaign.info.set.insert("block".into(), "4m".into());
    assert_eq!(stated(&campaign), (true, true));
    let mut page = Vec::new();
    report::write_html(&campaign, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("used the scale") && page.contains("Value of block"));
}

#[test]
fn colour_adds_nothing_but_colour() {
    let coloured = report::text(&golden::campaign(), 100, report::Emphasis::Colour);
    let mut plain = coloured.clone();
    for code in ["\x1b[1;32m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;35m", "\x1b[1;36m", "\x1b[0m"] {
        plain = plain.replace(code, "");
    }
    assert_ne!(coloured, plain);
    assert_eq!(plain, report::text(&golden::campaign(), 100, report::Emphasis::None));
    let bold = report::text(&golden::campaign(), 100, report::Emphasis::Bold);
    assert!(bold.contains("\x1b[1mFAIL\x1b[0m") && !bold.contains("\x1b[1;"), "{bold}");
    assert_eq!(bold.replace("\x1b[1m", "").replace("\x1b[0m", ""), plain);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let mut campaign = golden::campaign();
    campaign.verdicts[0].clause = "clear\x1b[2J me".into();
    campaign.info.title = "bell\x07".into();
    let text = report::text(&campaign, 100, report::Emphasis::None);
    assert!(!text.contains('\x1b') && !text.contains('\x07'), "{text}");
    assert!(text.contains("clear\\u001b[2J me"), "{text}");
}

#[test]
fn an_empty_campaign_states_that_no_clause_was_evaluated() {
    let text = report::text(&Campaign::default(), 80, report::Emphasis::None);
    assert!(text.ends_with("NOT RUN: No clause was evaluated.\n"), "{text}");
}

#[test]
fn only_passes_make_a_pass_and_only_failures_make_a_failure() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    assert!(report::text(&campaign, 80, report::Emphasis::None).ends_with("PASS: The only clause is met.\n"));
    campaign.verdicts = vec![golden::campaign().verdicts[2].clone()];
    let last = "INCONCLUSIVE: The only clause is inconclusive.\n";
    assert!(report::text(&campaign, 100, report::Emphasis::None).ends_with(last));
    campaign.verdicts.insert(0, golden::campaign().verdicts[0].clone());
    let last = "INCONCLUSIVE: Of 2 clauses, 1 is inconclusive, 1 is met.\n";
    assert!(report::text(&campaign, 100, report::Emphasis::None).ends_with(last));
}

#[test]
fn the_result_states_which_tests_were_selected() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    campaign.info.only = vec!["write-bw".into()];
    let last = "PASS OF A PART: The only clause is met. Only the test write-bw was selected.\n";
    assert!(report::text(&campaign, 100, report::Emphasis::None).ends_with(last));
}

#[test]
fn the_result_states_that_the_campaign_was_started_despite_lint_errors() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    campaign.info.findings = vec![Finding::new(Severity::Error, reason!(MissingPersist))];
    let last = "PASS: The only clause is met. The campaign was started despite 1 lint error.\n";
    assert!(report::text(&campaign, 100, report::Emphasis::None).ends_with(last));
}

#[test]
fn the_last_line_counts_and_lists_findings_that_are_not_waived() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    let found =
        |code: Code, test: &str, severity| Finding::new(severity, Reason::new(code)).about(test.to_owned());
    let approval = Approval { approved_by: "lead".into(), why: "a slow drive".into() };
    campaign.summary.findings = vec![
        found(Code::RateTooShort, "A", Severity::Info),
        Finding { waived: Some(approval), ..found(Code::Straggler, "A", Severity::NeedsWaiver) },
    ];
    let text = report::text(&campaign, 200, report::Emphasis::None);
    assert!(text.ends_with("PASS: The only clause is met.\n"), "{text}");
    assert!(text.contains("  straggler (A), approved by lead: a slow drive\n"), "{text}");
    campaign.summary.findings.extend([
        found(Code::CovMissing, "A", Severity::NeedsWaiver),
        found(Code::CovMissing, "B", Severity::NeedsWaiver),
        found(Code::CovMissing, "B", Severity::NeedsWaiver),
        found(Code::Waiver, "C", Severity::Info),
        found(Code::Degraded, "B", Severity::Error),
        found(Code::FillRecorded, "", Severity::Error),
    ]);
    let text = report::text(&campaign, 200, report::Emphasis::None);
    let ranked = |number: usize, begin: &str, end: &str| {
        let lead = format!("  {number}. {begin}");
        let line = text.lines().find(|line| line.starts_with(&lead));
        assert!(line.is_some_and(|line| line.ends_with(end)), "{number} {begin} {end} in {text}");
    };
    ranked(1, "error (cannot be waived): ", "(degraded, once: B)");
    ranked(2, "error (cannot be waived): ", "(fill-recorded, for the whole campaign)");
    ranked(3, "needs-waiver, not waived: ", "(cov-missing, in 2 tests: A, B)");
    ranked(5, "info: ", "(waiver, once: C)");
    let section = sections(&campaign).find(|section| section.id == "findings").unwrap();
    let Block::Table(table) = &section.blocks[0] else { panic!("{section:#?}") };
    let row = table.rows.iter().find(|row| row[0].text == "cov-missing").unwrap();
    assert_eq!((table.rows.len(), row[1].text.as_str()), (6, "A, B"), "an equal finding is listed once");
    let last = "PASS WITH OPEN FINDINGS: The only clause is met. 2 errors cannot be waived. 2 findings are \
                not waived (cov-missing).\n";
    assert!(text.ends_with(last), "{text}");
}

/// A notice of a workload.
fn notice(text: &str) -> Finding {
    Finding::new(Severity::Info, reason!(HintsNotTaken { changed: vec![text] }))
}

#[test]
fn a_warning_appears_once_with_all_tests_that_it_is_about() {
    let mut campaign = golden::campaign();
    let verdict = |test: &str, warnings: &[&str]| {
        let notice = |text: &&str| match text.split_once(": ") {
            Some((part, text)) if part.starts_with("G.") => notice(text).about(part),
            _ => notice(text),
        };
        let warnings = warnings.iter().map(notice).collect();
        Verdict { test: test.into(), warnings, ..golden::campaign().verdicts[0].clone() }
    };
    campaign.verdicts = vec![
        verdict("G.a", &["write: slow"]),
        verdict("G.a", &["write: slow"]),
        verdict("G.b", &["write: slow", "own"]),
        verdict("G", &["G.a: write: slow", "G.b: own", "G.c: own"]),
    ];
    let document = report::document::of(&campaign);
    let in_sections = sections(&campaign).flat_map(|section| section.blocks);
    let clauses = in_sections.filter_map(|block| match block {
        Block::Clauses(clauses) => Some(clauses),
        _ => None,
    });
    let remarks = clauses.flatten().flat_map(|clause| clause.remarks);
    let shown: Vec<String> = remarks.map(|remark| remark.text).collect();
    let of_sum = ["G.a: write: slow", "G.b: own", "G.c: own"];
    assert_eq!(shown, [&["write: slow", "write: slow", "own"], &of_sum[..]].concat());
    let texts: Vec<&str> = document.remarks.iter().map(|remark| remark.text.as_str()).collect();
    assert_eq!(texts, ["write: slow", "own", "G.c: own"]);
    let of: Vec<usize> = document.remarks.iter().map(|remark| remark.tests.len()).collect();
    assert_eq!(of, [3, 2, 1]);
}
