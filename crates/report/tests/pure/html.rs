//! The contents, links and escaping of the HTML report.

use crate::golden;
use std::collections::BTreeSet;

use report::sentences::sentence;
use results::Statistics;
use results::folder::Campaign;
use results::reason;
use results::record::{
    Case, CaseOutcome, Counts, Evidence, Failed, FailedOperation, FailureReason, ReachedState, Record,
    StateExtents, Window,
};
use results::statistics::Side;

fn html(campaign: &Campaign) -> String {
    let mut page = vec![];
    report::write_html(campaign, &mut page).unwrap();
    // Non-breaking spaces are spaces to a reader.
    String::from_utf8(page).unwrap().replace('\u{a0}', " ")
}

/// The values of an attribute, in order.
pub(crate) fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let open = format!(" {name}=\"");
    page.split(&open).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Panics at the first tag that is closed out of order.
pub(crate) fn assert_balanced(page: &str) {
    let mut open: Vec<&str> = vec![];
    for piece in page.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').expect("a tag ends");
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap().trim_end_matches('/');
        match tag {
            tag if tag.starts_with('/') => assert_eq!(open.pop(), Some(name), "before </{name}>"),
            tag if tag.ends_with('/') || ["!doctype", "meta", "br"].contains(&name) => {}
            _ => open.push(name),
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

/// Text as it appears in the page.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#x27;").replace('/', "&#x2f;")
}

#[test]
fn each_clause_is_shown_with_its_verdict_reason_criterion_and_remarks() {
    let campaign = golden::campaign();
    let page = html(&campaign);
    for verdict in &campaign.verdicts {
        let reason = sentence(&verdict.reason);
        for text in [&verdict.clause, &verdict.criterion, &reason, &verdict.outcome.to_string()] {
            assert!(page.contains(&escaped(text)), "{text}");
        }
        let column = format!(
            "<td class=\"criterion\"><span class=\"literal\">{}</span><br>{}</td>",
            escaped(&verdict.metric),
            escaped(&verdict.criterion)
        );
        assert!(page.contains(&column), "{column}");
        for (word, findings) in [("Warning", &verdict.warnings), ("Note", &verdict.notes)] {
            for finding in findings {
                let shown = format!("<b>{word}</b> {}", escaped(&report::sentences::finding(finding)));
                assert!(page.contains(&shown), "{shown}");
            }
        }
    }
    assert!(
        page.contains(
            "Of 6 clauses, 2 are not met, 1 is invalid, 1 is inconclusive, 1 was not run, 1 is met."
        )
    );
}

#[test]
fn a_value_that_rounding_would_make_equal_to_the_threshold_shows_more_digits() {
    assert!(html(&golden::campaign()).contains(&escaped("2.999 GB/s")));
}

#[test]
fn a_confidence_limit_below_zero_is_shown_as_zero() {
    let mut campaign = golden::campaign();
    for statistics in campaign.verdicts.iter_mut().filter_map(|verdict| verdict.statistics.as_mut()) {
        statistics.bound = Some(-5e9);
    }
    let page = html(&campaign);
    assert!(page.contains("<dt>95 % limit</dt>"), "there are limits");
    assert!(!page.contains("-5.0"), "and none of them is negative");
}

#[test]
fn a_limit_has_the_confidence_of_the_plan_and_six_values_have_an_interval_of_the_median() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    let page_of = |campaign: &mut Campaign, values: &[f64]| {
        campaign.verdicts[0].statistics = Statistics::of(values, Side::Lower, 0.99);
        html(campaign)
    };
    let page = page_of(&mut campaign, &[1e9, 2e9, 3e9, 4e9, 5e9, 6e9]);
    assert!(page.contains("<dt>99 % limit</dt>") && !page.contains("<dt>95 % limit</dt>"));
    assert!(page.contains("<dt>99 % interval of the median</dt>"));
    let page = page_of(&mut campaign, &[1e9, 2e9, 3e9, 4e9, 5e9]);
    assert!(page.contains("<dt>99 % limit</dt>") && !page.contains("interval of the median</dt>"));
}

#[test]
fn every_hash_is_in_the_page_in_full() {
    let campaign = golden::campaign();
    let page = html(&campaign);
    let jobs = campaign.jobs.iter().flat_map(|job| job.info.sha256.values());
    for hash in jobs.chain([&campaign.info.plan_sha256, &campaign.info.tool_sha256]) {
        assert!(page.contains(hash.as_str()), "{hash}");
    }
}

#[test]
fn every_link_leads_to_a_file_of_the_folder_or_to_a_place_in_the_page() {
    let campaign = golden::campaign();
    let page = html(&campaign).replace("&#x2f;", "/");
    let machines = ["machine-before.json", "machine-after.json"];
    let names = ["plan.toml", "campaign.json", "chain.jsonl", "verdicts.json", machines[0], machines[1]];
    let mut files: BTreeSet<String> = names.map(String::from).into();
    for job in &campaign.jobs {
        let hashed = job.info.sha256.keys().map(String::as_str);
        files.extend(hashed.chain(["job.json"]).map(|name| format!("{}/{name}", job.folder)));
    }
    files.extend(campaign.killed.iter().cloned());
    let ids = attributes(&page, "id");
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "an id twice");
    for link in attributes(&page, "href") {
        match link.strip_prefix('#') {
            Some(id) => assert!(ids.contains(&id), "{link}"),
            None => assert!(files.remove(link) || link.ends_with("job.json"), "{link}"),
        }
    }
    files.retain(|file| !file.ends_with("job.json"));
    assert!(files.is_empty(), "not linked: {files:?}");
}

#[test]
fn the_page_needs_no_other_files_or_servers() {
    let page = html(&golden::campaign());
    assert!(
        page.contains("content=\"default-src 'none'; style-src 'unsafe-inline';"),
        "the browser enforces it"
    );
    for word in ["http:", "https:", "<script", "<link", "<img", "@import", "url(", " src="] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn markup_in_paths_and_texts_is_escaped() {
    let mut campaign = golden::campaign();
    let evil = "\"><script>alert('x')</script>&\x1b";
    campaign.info.title = evil.into();
    campaign.info.tool_sha256 = evil.repeat(4);
    campaign.verdicts[1].test = evil.into();
    campaign.verdicts[1].reason = reason!(HintsNotTaken { changed: vec![evil] });
    campaign.verdicts[1].unit = evil.into();
    campaign.verdicts[1].jobs = vec![format!("jobs/{evil}")];
    campaign.jobs[0].folder = format!("jobs/{evil}");
    campaign.jobs[0].info.argv = vec![evil.into()];
    campaign.jobs[0].info.env.insert(evil.into(), evil.into());
    for record in &mut campaign.jobs[0].records {
        if let results::Record::Phase(phase) = record {
            phase.phase = evil.into();
        }
    }
    let page = html(&campaign);
    assert!(!page.contains("<script") && !page.contains('\x1b'));
    assert_balanced(&page);
}

#[test]
fn tags_are_balanced() {
    assert_balanced(&html(&golden::campaign()));
    assert_balanced(&html(&Campaign::default()));
}

#[test]
fn wrong_data_is_listed_with_file_offset_and_words_and_the_rest_is_counted() {
    let page = html(&golden::campaign());
    for text in ["5368709120 B", "0x00000003689ab5c0", "0x0000000000000000", "124 more bad ranges"] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn failed_attempts_and_their_errors_are_shown() {
    let page = html(&golden::campaign());
    assert!(page.contains("timed out") && page.contains("not started"));
    assert!(page.contains("write: rank 2 (node n017): ") && page.contains("No space left on device"));
    assert!(page.contains("the program was killed before its end") && page.contains("read-bw-r1.killed-1"));
}

#[test]
fn each_phase_that_moved_bytes_has_its_plots() {
    let page = html(&golden::campaign());
    for title in [
        "Bandwidth of write over time",
        "Latency of read, by percentile",
        "Bandwidth of read_check over time",
    ] {
        assert!(page.contains(title), "{title}");
    }
    assert!(page.contains("required 3.00 GB/s"));
}

#[test]
fn a_long_threshold_and_a_long_margin_may_wrap_at_their_spaces() {
    let mut campaign = golden::campaign();
    campaign.verdicts[0].threshold = Some(1.000_001e9);
    let page = html(&campaign);
    let cell = |class: &str| {
        let (_, cell) = page.split_once(&format!("<td class=\"n {class}\">")).expect("such a cell");
        cell.split("</td>").next().expect("its end").to_owned()
    };
    for text in [cell("threshold"), cell("margin")] {
        assert!(
            text.contains(' ') && !text.contains('\u{a0}'),
            "{text:?} has one piece, which reaches over others"
        );
    }
    assert!(!page.contains(".margin { white-space: nowrap"), "the style lets them wrap");
}

#[test]
fn odd_numbers_neither_panic_nor_reach_a_plot() {
    let mut campaign = golden::campaign();
    for job in &mut campaign.jobs {
        for record in &mut job.records {
            let results::Record::Phase(phase) = record else { continue };
            phase.spans = Default::default();
            phase.balance = Default::default();
            phase.bytes = 0;
            if let Some(latency) = &mut phase.latency {
                (latency.count, latency.min_ns, latency.max_ns) = (1, 0, 1);
            }
            if let Some(timeline) = &mut phase.timeline {
                timeline.bytes = vec![u64::MAX / 4];
            }
        }
    }
    let page = html(&campaign);
    assert!(!page.contains("NaN") && !page.contains("inf\"") && !page.contains("infL"));
}

#[test]
fn metadata_operations_have_their_own_tables_and_plots() {
    let mut campaign = golden::campaign();
    for record in &mut campaign.jobs[0].records {
        let results::Record::Phase(phase) = record else { continue };
        phase.phase = "file_creation".into();
        phase.counts = Counts::Operations;
        let first = FailedOperation {
            rank: 3,
            operation: "mkdir".into(),
            path: "/scratch/<d>".into(),
            why: "File name too long".into(),
            ..FailedOperation::default()
        };
        phase.window = Some(Window { ops: 123_456, seconds: 2.5, first_rank: 61 });
        let reasons =
            vec![FailureReason { why: first.why.clone(), operations: 7, ..FailureReason::default() }];
        phase.failed = Some(Failed { operations: 7, reasons, first: vec![first] });
    }
    let page = html(&campaign);
    for words in [
        "Rate of file_creation over time",
        "operations per second, all ranks",
        "Operations measured",
        "Latency of single operations",
        "Failed operations by reason",
        &escaped("/scratch/<d>"),
        "All ranks active",
        "rank 61",
        "From the common start until the first rank ended its work",
        "6 more failed operations are counted but not listed.",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("Bandwidth of file_creation"));
    assert_balanced(&page);
}

#[test]
fn a_state_is_shown_with_its_required_and_reached_values() {
    let mut campaign = golden::campaign();
    let state = ReachedState {
        kind: "age".into(),
        blocks_target: Some(0.8),
        blocks_before: 0.123,
        blocks: 0.798,
        cycles_target: 1.5,
        cycles: 1.49,
        extents: Some(StateExtents { files: 1000, fragmented: 457, ..StateExtents::default() }),
        ..ReachedState::default()
    };
    campaign.jobs[6].info.test = "state.aged".into();
    campaign.jobs[6].records.insert(1, Record::State(Box::new(state)));
    let page = html(&campaign);
    let words = ["State aged", "State reached", "80.0 %", "12.3 %", "79.8 %", "1.50", "1.49", "45.7 %"];
    for word in words {
        assert!(page.contains(word), "{word}");
    }
    assert!(!html(&golden::campaign()).contains("State reached"));
    assert_balanced(&page);
}

#[test]
fn cases_are_counted_by_group_and_failed_cases_are_shown_with_their_evidence() {
    let mut campaign = golden::campaign();
    let case = |name: &str, outcome: CaseOutcome| {
        let seen = Evidence {
            rank: 2,
            step: "read back".into(),
            path: "/s/f".into(),
            offset: Some(4096),
            expected: "0x01".into(),
            found: "0x02".into(),
            what: "another's byte".into(),
            ..Evidence::default()
        };
        let failed = matches!(outcome, CaseOutcome::Fail | CaseOutcome::Library);
        Record::Case(Box::new(Case {
            name: name.into(),
            outcome,
            promise: format!("promise of {name}"),
            document: "POSIX.1-2017 write".into(),
            ranks: 4,
            failed_ranks: 3,
            why: if outcome == CaseOutcome::Pass { String::new() } else { "two files at least".into() },
            evidence: failed.then_some(seen),
            ..Case::default()
        }))
    };
    campaign.jobs[0].records.extend([
        case("posix.a", CaseOutcome::Pass),
        case("posix.b", CaseOutcome::Fail),
        case("open.a", CaseOutcome::Library),
        case("open.b", CaseOutcome::Skipped),
        case("open.c", CaseOutcome::Skipped),
    ]);
    let page = html(&campaign);
    for text in [
        "promise of posix.b (POSIX.1-2017 write)",
        "rank 2, at read back: another's byte; /s/f at 4096 B; expected 0x01, found 0x02; two files at least",
        "promise of open.a",
        "3 of 4",
    ] {
        assert!(page.contains(&escaped(text)), "{text}");
    }
    let rows = |title: &str| -> Vec<String> {
        let (_, table) = page.split_once(&format!("<figcaption>{title}</figcaption>")).expect(title);
        let body = table.split("<tbody>").nth(1).and_then(|rest| rest.split("</tbody>").next()).unwrap();
        let text = |row: &str| {
            let words = row.split('<').filter_map(|piece| piece.split_once('>'));
            words.map(|(_, text)| text.trim()).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
        };
        body.split("<tr>").skip(1).map(text).collect()
    };
    // The columns without constants: pass, fail, skipped, library.
    assert_eq!(rows("Cases by group"), ["open 0 0 2 1", "posix 1 1 0 0", "all 1 1 2 1"]);
    let constants = page.split("Cases by group</figcaption>").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(constants.contains("<b>unsupported</b> <span title=\"0\">0</span>"), "{constants}");
    assert_eq!(rows("Cases not run or not supported, by reason"), ["skipped 1 two files at least 2 open.b"]);
    assert_balanced(&page);
    assert!(!html(&golden::campaign()).contains("Cases by group"));
}

#[test]
fn a_job_shows_the_facts_that_its_nodes_reported() {
    let page = html(&golden::campaign());
    for text in [
        "/scratch on lustre 10.0.0.1@o2ib:/scratch",
        "n003 (ext4 /dev/sda2)",
        "the wall clock of n002 is 2.30 ms behind that of n001 (uncertainty 4.10 us)",
    ] {
        assert!(page.contains(&escaped(text)), "{text}");
    }
}
