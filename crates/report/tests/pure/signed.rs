//! The part of the report that is signed: its order, the ranks of its warnings, its links and its CSV.

use std::collections::BTreeSet;

use crate::golden;
use crate::sections;
use report::document::{self, Block, Cell, Document};
use report::{PageLinks, PageOptions};
use results::finding::{Approval, Finding, Severity};
use results::folder::{Campaign, EarlierCampaign, Extension, Job, JobEnd, JobInfo};
use results::reason::{Code, Datum, Reason, reason, row};
use results::record::{End, Record, Reported, Run};
use results::summary::{
    CampaignCourse, PROCUREMENT, Rate, RepeatedAttempt, System, SystemProjection, WitnessCourse,
};
use results::{Outcome, Verdict};

fn page(campaign: &Campaign, options: &PageOptions) -> String {
    let mut page = vec![];
    report::write_page(campaign, options, &mut page).unwrap();
    String::from_utf8(page).unwrap().replace('\u{a0}', " ").replace("&#x2f;", "/")
}

fn info(code: Code) -> Finding {
    Finding::new(Severity::Info, Reason::new(code))
}

/// Asserts that these texts follow each other.
fn assert_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("no {part:?} in {rest}"));
        rest = after;
    }
}

/// A campaign with something in each place of the signed part.
fn eventful() -> Campaign {
    let mut campaign = golden::campaign();
    let approval = Approval { approved_by: "J. Lead".into(), why: "one drive is slow".into() };
    let waived =
        Finding { waived: Some(approval), ..Finding::new(Severity::NeedsWaiver, reason!(CovHigh { .. })) };
    campaign.summary.findings = vec![waived.about("write-bw")];
    campaign.summary.course = CampaignCourse {
        resumed: 2,
        killed: vec!["jobs/0004-read-bw-r1.killed-1".into()],
        repeated: vec!["jobs/0004-read-bw-r1".into()],
        died: vec![RepeatedAttempt { folder: "jobs/0002-a.died-1".into(), why: "its node died".into() }],
        asked: vec![RepeatedAttempt { folder: "jobs/0003-b.asked-1".into(), why: "wrong mount".into() }],
        witness: Some(WitnessCourse {
            place: "tcp://buyer:7117".into(),
            taken: 40,
            missed: 1,
            why: "gone".into(),
        }),
    };
    campaign.info.earlier = vec![EarlierCampaign {
        folder: "assay-first".into(),
        started: "2026-03-01T08:00:00Z".into(),
        outcome: Some(Outcome::Fail),
        evidence_hash: "abc".into(),
    }];
    campaign.extensions =
        vec![Extension { repetitions: 3, reason: "too few".into(), ..Extension::default() }];
    campaign
}

#[test]
fn the_signed_part_has_its_sections_in_order_before_the_appendix() {
    let page = page(&eventful(), &PageOptions::default());
    let parts = [
        "<strong>FAIL</strong>",
        "<table class=\"verdicts\">",
        "id=\"warnings\"",
        "id=\"waivers\"",
        "<b>J. Lead</b>: one drive is slow",
        "id=\"course\"",
        "2 times",
        "href=\"jobs/0004-read-bw-r1.killed-1\"",
        "href=\"jobs/0002-a.died-1\"",
        "href=\"jobs/0003-b.asked-1\"",
        "href=\"jobs/0004-read-bw-r1\"",
        "3 repetitions more of all tests. Reason: too few",
        "assay-first: FAIL, started 2026-03-01 08:00:00 UTC, evidence hash abc",
        "id=\"proof\"",
        &golden::campaign().head.unwrap().hash,
        "tcp://buyer:7117 (took 40 of 41 hashes: gone)",
        "For the buyer",
        "For the seller",
        "</main>",
        "id=\"appendix\"",
        "<details class=\"part\">",
    ];
    assert_order(&page, &parts);
    let signed = page.split("</main>").next().unwrap();
    assert!(!signed.contains("<details"), "nothing of the signed part is closed");
    for heading in ["Name", "Organisation", "Date", "Signature"] {
        assert!(signed.contains(&format!("<th>{heading}</th>")), "{heading}");
    }
}

#[test]
fn the_text_has_the_order_of_the_page_and_ends_with_the_result() {
    let text = report::text(&eventful(), 160, report::Emphasis::None);
    let parts = [
        "FAIL: Of 6 clauses",
        "read-bw: The scratch",
        "-0.04 %",
        "Most severe warnings\n  1. warning: ",
        "Waivers\n  cov-high (write-bw), approved by J. Lead: one drive is slow",
        "Resumed: 2 times",
        "Killed attempts: jobs/0004-read-bw-r1.killed-1",
        "Died attempt: jobs/0002-a.died-1: its node died",
        "Earlier campaigns: assay-first: FAIL",
        "Evidence hash before this report (entry 42): ",
        "Witness: tcp://buyer:7117",
        "FAIL: Of 6 clauses",
    ];
    assert_order(&text, &parts);
}

#[test]
fn a_clause_has_its_value_its_threshold_and_its_margin_in_its_unit() {
    let document = document::of(&golden::campaign());
    let rows: Vec<[&str; 4]> = document
        .clauses
        .iter()
        .map(|clause| [&clause.test.text, &clause.value.text, &clause.threshold, &clause.margin.text])
        .map(|row| row.map(String::as_str))
        .collect();
    assert_eq!(
        rows,
        [
            ["write-bw", "3.41 GB/s", ">= 3.0 GB/s", "+13.7 %"],
            ["read-bw", "2.999 GB/s", ">= 3.0 GB/s", "-0.04 %"],
            ["small-iops", "76.3 k/s", ">= 100 k/s", "-23.6 %"],
            ["integrity", "128 errors", "<= 0 errors", "–"],
            ["hdf5", "–", ">= 1 GB/s", "–"],
            ["ageing", "–", ">= 2.4 GB/s", "–"],
        ]
    );
    assert_eq!(document.clauses[0].basis, "mean of 3, COV 0.6 %, 95 % limit 3.38 GB/s");
    assert_eq!(document.clauses[5].basis, "");
}

#[test]
fn a_clause_that_is_not_met_has_the_limit_that_its_reason_has() {
    let mut campaign = golden::campaign();
    let verdict = &mut campaign.verdicts[1];
    let bound = verdict.statistics.as_ref().and_then(|statistics| statistics.bound).unwrap();
    assert!(verdict.outcome == Outcome::Fail && bound < 2.9988e9, "{verdict:?}");
    verdict.reason = verdict.reason.clone().with(row::ThresholdMet::limit, Datum::rate(2.9996e9));
    let basis = &document::of(&campaign).clauses[1].basis;
    assert!(basis.ends_with(", 95 % limit 2.9996 GB/s"), "{basis}");
}

#[test]
fn a_value_of_an_external_program_is_marked_in_the_table_that_is_signed() {
    let mut campaign = golden::campaign();
    campaign.verdicts[0].as_reported = true;
    let document = document::of(&campaign);
    assert!(document.clauses[0].basis.ends_with("as reported by the program"), "{:?}", document.clauses[0]);
}

/// Code, label, frequency and places of the ranked warnings.
fn ranked(document: &Document) -> Vec<(String, String, String, String)> {
    let row = |warning: &document::RankedWarning| {
        let places: Vec<&str> = warning.places.iter().map(|place| place.text.as_str()).collect();
        (warning.code.clone(), warning.label.clone(), warning.often.clone(), places.join(" "))
    };
    document.signed.warnings.shown.iter().map(row).collect()
}

#[test]
fn warnings_are_ranked_by_severity_and_each_kind_is_listed_once() {
    let mut campaign = golden::campaign();
    let verdict = |test: &str, warnings: Vec<Finding>| Verdict {
        test: test.into(),
        warnings,
        ..golden::campaign().verdicts[0].clone()
    };
    let slow = |id: &str| Finding::new(Severity::Info, reason!(Stall { label: id, lasted: 1.0, from: 0.0 }));
    let cov = || Finding::new(Severity::Info, reason!(CovHigh { n: 3_u32, .. }));
    campaign.verdicts = vec![
        verdict("A", vec![slow("write: 1"), cov(), info(Code::CachedRead)]),
        verdict("B", vec![slow("write: 2"), info(Code::WorstWindowUnknown)]),
        verdict("C", vec![slow("write: 2"), slow("read: 3")]),
    ];
    campaign.summary.findings = vec![
        info(Code::AuditGap),
        Finding::new(Severity::NeedsWaiver, reason!(NotAged)).about("A"),
        Finding::new(Severity::Error, reason!(Degraded { .. })),
    ];
    let document = document::of(&campaign);
    let row = |code: &str, label: &str, often: &str, places: &str| {
        (code.to_owned(), label.to_owned(), often.to_owned(), places.to_owned())
    };
    assert_eq!(
        ranked(&document),
        [
            row("degraded", "error (cannot be waived)", "for the whole campaign", ""),
            row("not-aged", "needs-waiver, not waived", "once", "A"),
            row("cached-read", "warning", "once", "A"),
            row("cov-high", "warning", "once", "A"),
            row("stall", "warning", "4 times in 3 tests, one of them shown", "A B C"),
        ]
    );
    assert_eq!(document.signed.warnings.more, "The appendix lists 2 more kinds of warnings.");
    let links: Vec<_> =
        document.signed.warnings.shown[4].places.iter().map(|place| place.link.as_deref().unwrap()).collect();
    assert_eq!(links, ["#A", "#B", "#C"]);
}

#[test]
fn a_waived_finding_is_listed_with_the_waivers_and_is_no_warning() {
    let mut campaign = golden::campaign();
    campaign.verdicts.truncate(1);
    campaign.verdicts[0].warnings = vec![info(Code::CovHigh)];
    assert_eq!(ranked(&document::of(&campaign)).len(), 1);
    let approval = Approval { approved_by: "lead".into(), why: "known".into() };
    let finding = Finding::new(Severity::NeedsWaiver, reason!(CovHigh { .. })).about("write-bw");
    campaign.summary.findings = vec![Finding { waived: Some(approval), ..finding }];
    let document = document::of(&campaign);
    assert_eq!(ranked(&document), []);
    let [waiver] = &document.signed.waivers[..] else { panic!("{:?}", document.signed.waivers) };
    let words = [&waiver.code, &waiver.tests, &waiver.approved_by, &waiver.why].map(String::as_str);
    assert_eq!(words, ["cov-high", "write-bw", "lead", "known"]);
    // A waiver never hides another finding of the same kind that is open.
    let open = Finding { waived: None, ..campaign.summary.findings[0].clone() };
    campaign.summary.findings.push(open.of_phase("read"));
    let document = document::of(&campaign);
    assert_eq!(ranked(&document)[0].1, "needs-waiver, not waived");
    assert_eq!(document.overall.word, "PASS WITH OPEN FINDINGS");
}

#[test]
fn the_link_of_a_clause_is_its_id_and_a_hostile_id_is_harmless_and_unique() {
    let mut campaign = golden::campaign();
    campaign.verdicts[0].test = "C.3".into();
    campaign.verdicts[1].test = "jobs".into();
    campaign.verdicts[2].test = "\"><b id=x>".into();
    campaign.verdicts[3].test = "____b_id_x_".into();
    campaign.verdicts[4].test = "job-1".into();
    let page = page(&campaign, &PageOptions::default());
    assert!(page.contains("<a href=\"#C.3\">") && page.contains("<section id=\"C.3\">"));
    assert!(page.contains("<section id=\"jobs-2\">"), "the section of all jobs keeps its name");
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len(), "{ids:?}");
    for link in page.split(" href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(distinct.contains(link), "{link}");
    }
}

#[test]
fn hostile_texts_of_the_signed_part_are_escaped() {
    let evil = "<img src=x onerror=alert(1)>\"'&\u{1b}\u{202e}";
    let mut campaign = eventful();
    campaign.summary.course.killed = vec![evil.into()];
    campaign.summary.course.witness.as_mut().unwrap().why = evil.into();
    campaign.info.earlier[0].folder = evil.into();
    campaign.info.tool = evil.into();
    campaign.summary.findings[0].about = evil.into();
    campaign.summary.findings[0].waived.as_mut().unwrap().approved_by = evil.into();
    campaign.head.as_mut().unwrap().hash = evil.into();
    let options = PageOptions { appendix: true, signers: vec![evil.into()], ..PageOptions::default() };
    let page = page(&campaign, &options);
    assert!(!page.contains("<img") && !page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert!(page.matches("&lt;img src=x").count() >= 7);
}

#[test]
fn without_options_the_appendix_is_closed_and_signers_replace_the_sentence_about_them() {
    let campaign = golden::campaign();
    let closed = page(&campaign, &PageOptions::default());
    assert!(!closed.contains(" open>") && !closed.contains("class=\"with-appendix\""));
    assert!(closed.contains("none recorded in this folder"));
    let options = PageOptions {
        appendix: true,
        signers: vec!["buyer (ED25519 SHA256:x)".into()],
        ..PageOptions::default()
    };
    let open = page(&campaign, &options);
    assert_eq!(open.matches("<details").count(), open.matches(" open>").count());
    assert!(open.contains("class=\"with-appendix\"") && open.contains("buyer (ED25519 SHA256:x)"));
    assert!(!open.contains("none recorded in this folder"));
    let mut plain = vec![];
    report::write_html(&campaign, &mut plain).unwrap();
    assert_eq!(plain.len(), {
        let mut same = vec![];
        report::write_page(&campaign, &PageOptions::default(), &mut same).unwrap();
        same.len()
    });
}

#[test]
fn a_page_that_is_printed_has_no_links_to_files() {
    let links = |appendix: bool| {
        let options = PageOptions { appendix, links: PageLinks::Printed, ..PageOptions::default() };
        let page = page(&eventful(), &options);
        let main = page.split("</main>").next().unwrap().to_owned();
        let all = main.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next().map(str::to_owned));
        all.collect::<Vec<_>>()
    };
    let of_files = |links: &[String]| links.iter().filter(|link| !link.starts_with('#')).count();
    assert_eq!((of_files(&links(false)), of_files(&links(true))), (0, 0));
    assert!(links(true).iter().any(|link| link == "#read-bw"));
}

/// All tables of the appendix.
fn tables(campaign: &Campaign) -> impl Iterator<Item = document::Table> {
    sections(campaign).flat_map(|section| section.blocks).filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    })
}

#[test]
fn no_table_has_a_constant_column_and_facts_of_all_jobs_are_listed_once() {
    let campaign = golden::campaign();
    for table in tables(&campaign).filter(|table| table.rows.len() > 1 && table.columns.len() > 1) {
        for at in 0..table.columns.len() {
            let is_constant = table.rows.iter().all(|row| row[at] == table.rows[0][at]);
            assert!(!is_constant, "{} in {}", table.columns[at].title, table.title);
        }
    }
    let folded = tables(&campaign).find(|table| table.title == "Transfers measured").unwrap();
    assert!(folded.constants.iter().any(|fact| fact.label == "Phase" && fact.value.text == "write"));
    let page = page(&golden::campaign(), &PageOptions::default());
    assert_eq!(page.matches("<dt>Working directory</dt>").count(), 1);
    assert!(page.contains("These facts are the same for all jobs:"));
}

#[test]
fn a_section_of_a_test_refers_to_its_jobs_and_the_section_of_jobs_describes_them() {
    let campaign = golden::campaign();
    let section = |id: &str| sections(&campaign).find(|section| section.id == id).unwrap();
    let cells = section("write-bw").blocks.into_iter().find_map(|block| match block {
        Block::References(cells) => Some(cells),
        _ => None,
    });
    let links: Vec<_> = cells.unwrap().into_iter().filter_map(|cell: Cell| cell.link).collect();
    assert_eq!(links, ["#job-1", "#job-2", "#job-3"]);
    let jobs = section("jobs").blocks.iter().filter(|block| matches!(block, Block::Job(_))).count();
    assert_eq!(jobs, 10);
}

#[test]
fn a_job_of_an_external_program_states_only_what_is_known() {
    let mut campaign = golden::campaign();
    let run = Run { workload: "app".into(), tool: "ior".into(), ranks: 4, ..Run::default() };
    campaign.jobs.truncate(1);
    campaign.jobs[0].records = vec![Record::Run(run)];
    let facts = |campaign: &Campaign| {
        let jobs = sections(campaign).find(|section| section.id == "jobs").unwrap();
        let job = jobs.blocks.into_iter().find_map(|block| match block {
            Block::Job(job) => Some(job),
            _ => None,
        });
        let facts = job.unwrap().facts.into_iter();
        facts.map(|fact| format!("{}: {}", fact.label, fact.value.text)).collect::<Vec<_>>()
    };
    let unknown = facts(&campaign);
    for line in ["Ranks: 4 ranks as started", "Nodes: not recorded", "MPI: not recorded"] {
        assert!(unknown.iter().any(|fact| fact == line), "{line} in {unknown:#?}");
    }
    assert!(unknown.iter().any(|fact| fact.starts_with("Clock: not recorded")), "{unknown:#?}");
    assert!(!unknown.iter().any(|fact| fact.contains("none, local ranks") || fact.contains("0 nodes")));
    let reported = Reported { nodes: Some(2), tasks: Some(4), ..Reported::default() };
    campaign.jobs[0].records.push(Record::Reported(Box::new(reported)));
    let known = facts(&campaign);
    assert!(known.iter().any(|fact| fact == "Nodes: 2, as reported by the program"), "{known:#?}");
}

fn procurement() -> Campaign {
    let mut campaign = golden::campaign();
    let system = |letter: &str| System {
        letter: letter.into(),
        processor: "X".into(),
        cores: 96,
        ..System::default()
    };
    campaign.summary.layout = PROCUREMENT.into();
    campaign.summary.systems = vec![system("A"), system("B")];
    campaign.summary.measured_on = "A".into();
    campaign.summary.rates = vec![Rate {
        test: "write-bw".into(),
        metric: "write.bw".into(),
        mean: Some(3.41e9),
        unit: "B/s".into(),
        ..Rate::default()
    }];
    campaign.summary.projections = vec![SystemProjection {
        test: "write-bw".into(),
        metric: "write.bw".into(),
        system: "B".into(),
        from: "S.write".into(),
        over: "servers".into(),
        to: 12.0,
        factor: 2.0,
        rate: Some(41e9),
        low: Some(39e9),
        high: Some(43e9),
        confidence: 0.95,
        unit: "B/s".into(),
        ..SystemProjection::default()
    }];
    campaign
}

#[test]
fn facts_that_only_the_plan_states_are_marked_as_declared() {
    let systems = tables(&procurement()).find(|table| table.title == "Systems").unwrap();
    let constants: Vec<&str> = systems.constants.iter().map(|fact| fact.label.as_str()).collect();
    assert_eq!(constants, ["Processor (declared)", "Cores (declared)"]);
    assert!(systems.note.contains("assay did not check it"));
}

#[test]
fn a_projection_has_target_interval_and_figure_once_in_the_appendix_and_in_the_csv() {
    let campaign = procurement();
    let document = document::of(&campaign);
    let line = "PROJECTED write-bw write.bw, system B, 12 servers: 41.0 GB/s (95 % interval 39.0 GB/s to \
                43.0 GB/s), extrapolation factor 2.00";
    assert_eq!(document.summary_lines, [line]);
    let cells = || tables(&campaign).flat_map(|table| table.rows.into_iter().flatten());
    assert_eq!(cells().filter(|cell| cell.text == "39.0 GB/s to 43.0 GB/s").count(), 1, "the interval once");
    assert_eq!(cells().filter(|cell| cell.text == "system B, 12 servers").count(), 1);
    let csv = document::csv(&campaign);
    let row = csv.lines().find(|line| line.contains(",projected,")).unwrap();
    assert!(row.ends_with(",12 servers,0.95"), "{row}");
    assert!(row.contains(",41000000000,B/s,,,39000000000,43000000000,2,"), "{row}");
    let judged = csv.lines().find(|line| line.starts_with("write-bw") && line.contains(",judged,")).unwrap();
    let margin: f64 = judged.split(',').rev().nth(2).unwrap().parse().unwrap();
    assert!((margin - 0.1367).abs() < 1e-3, "{judged}");
}

#[test]
fn two_hundred_jobs_make_a_page_below_three_megabytes() {
    let mut campaign = golden::campaign();
    let jobs = std::mem::take(&mut campaign.jobs);
    for number in 1..=200_u32 {
        let mut job = jobs[number as usize % 7].clone();
        job.info.number = number;
        job.info.repetition = number;
        job.folder = format!("jobs/{number:04}-{}-r{number}", job.info.test);
        campaign.jobs.push(job);
    }
    let size = page(&campaign, &PageOptions::default()).len();
    assert!(size < 3 << 20, "{size} bytes");
}

#[test]
fn of_more_than_a_thousand_jobs_only_those_that_failed_have_a_block_and_links_lead_to_the_files_of_others() {
    let mut campaign = golden::campaign();
    let first = campaign.jobs[0].clone();
    let job = |number: u32| {
        let folder = format!("jobs/{number:04}-write-bw-r{number}");
        let end = if number == 7 { JobEnd::Exit(1) } else { JobEnd::Exit(0) };
        let records = if number == 9 { vec![] } else { vec![Record::End(End::default())] };
        Job { info: JobInfo { number, end, ..first.info.clone() }, folder, records, ..first.clone() }
    };
    campaign.jobs = (1..=1_001).map(job).collect();
    let section = sections(&campaign).find(|section| section.id == "jobs").unwrap();
    let blocks = section.blocks.iter().filter_map(|block| match block {
        Block::Job(job) => Some(job.id.as_str()),
        _ => None,
    });
    assert_eq!(blocks.collect::<Vec<_>>(), ["job-7", "job-9"], "the second has no complete records");
    let titles = tables(&campaign).map(|table| (table.title, table.rows.len()));
    let titles: Vec<_> = titles.filter(|(title, _)| title.starts_with("Jobs ")).collect();
    let title = |which: &str| format!("Jobs {which} of 1001, including failed attempts");
    assert_eq!(titles, [(title("1 to 1000"), 1_000), (title("1001 to 1001"), 1)]);
    let page = page(&campaign, &PageOptions::default());
    assert!(page.contains("<a href=\"#job-7\">7 (repetition 1)</a>"), "the job that failed");
    assert!(page.contains("same for these jobs:") && !page.contains("same for all jobs:"));
    assert!(page.contains("<a href=\"jobs/0008-write-bw-r8/job.json\">8 (repetition 1)</a>"));
}
