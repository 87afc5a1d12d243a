//! Campaigns as entries of a history.

use std::collections::BTreeMap;

use judge::{CampaignToCompare, EntryNames, history_entry};
use plan::Plan;
use results::comparison::MetricDirection;
use results::folder::{Campaign, Head};
use results::history::{HistoryEntry, MeasuredPoint};
use results::reason;

use crate::{Parsed, WRITE, job, phase, plan};

const TESTS: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
    [[test]]\nid = \"T\"\nrepetitions = 2\nior = \"-w -e\"\nrole = \"reported\"\n\
    [[test]]\nid = \"U\"\nrepetitions = 2\nior = \"-w -e -F\"\nrole = \"reported\"\n";

fn campaign() -> Campaign {
    let jobs = ["T", "U"].into_iter().flat_map(|id| {
        [(1, 100), (2, 102)].map(|(repetition, rate)| job(id, repetition, phase("write", rate)))
    });
    crate::campaign(jobs.collect())
}

fn entry_of(plan: &Plan, campaign: &Campaign, head: Option<&Head>, is_usable: bool) -> Option<HistoryEntry> {
    let one =
        CampaignToCompare { name: "/c", plan, campaign, head, evidence: &reason!(EvidenceIntact), is_usable };
    history_entry(&one, 1000.0, EntryNames::default())
}

fn entry(plan: &Plan, campaign: &Campaign) -> HistoryEntry {
    entry_of(plan, campaign, Some(&Head { entry: 7, hash: "h".into() }), true).expect("an entry")
}

fn point<'e>(entry: &'e HistoryEntry, test: &str) -> &'e MeasuredPoint {
    entry.points.iter().find(|point| point.series.test == test).expect("a point")
}

/// The setup of the point of a test in the plan with this text.
fn setup(text: &str, test: &str) -> BTreeMap<String, String> {
    point(&entry(&text.to_owned().parsed(), &campaign()), test).setup.clone()
}

#[test]
fn each_metric_is_a_point_with_the_values_of_its_repetitions() {
    let entry = entry(&TESTS.to_owned().parsed(), &campaign());
    assert_eq!((entry.hash.as_str(), entry.extent, entry.location.as_str()), ("h", 7, "/c"));
    let all: Vec<(&str, &str, &[f64])> = entry
        .points
        .iter()
        .map(|one| (one.series.test.as_str(), one.series.metric.as_str(), one.values.as_slice()))
        .collect();
    assert_eq!(all, [("T", "write.bw", [100.0, 102.0].as_slice()), ("U", "write.bw", &[100.0, 102.0])]);
    let first = &entry.points[0];
    assert_eq!((first.direction, first.series.unit.as_str()), (MetricDirection::HigherIsFaster, "B/s"));
    assert_eq!((first.time_s, first.outcome, first.why), (1000.0, None, None));
}

#[test]
fn a_point_that_cannot_be_used_has_its_reason_instead_of_values() {
    let mut campaign = campaign();
    campaign.jobs.retain(|job| job.info.test == "U");
    let entry = entry(&TESTS.to_owned().parsed(), &campaign);
    let all: Vec<(&str, usize)> =
        entry.points.iter().map(|one| (one.series.test.as_str(), one.values.len())).collect();
    assert_eq!(all, [("U", 2)], "a test that never ran has no phases");
    let asked =
        plan("ior = \"-w -e\"\ncriterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }");
    let none = self::entry(&asked, &crate::campaign(Vec::new()));
    assert!(none.points[0].values.is_empty() && none.points[0].why.is_some(), "{:?}", none.points);
}

#[test]
fn without_a_hash_or_with_rejected_evidence_there_is_no_entry() {
    let (plan, campaign) = (plan(WRITE), crate::campaign(Vec::new()));
    let head = Head::default();
    assert_eq!(entry_of(&plan, &campaign, None, true), None);
    assert_eq!(entry_of(&plan, &campaign, Some(&head), false), None);
    assert!(entry_of(&plan, &campaign, Some(&head), true).is_some());
}

#[test]
fn what_must_be_the_same_has_the_command_line_and_the_course_of_the_test() {
    let of = |keys: &str| setup(&TESTS.replacen("role =", &format!("{keys}\nrole ="), 1), "T");
    let plain = of("");
    assert!(plain["command"].starts_with("ior ") && plain["command"].contains("-w -e"), "{plain:?}");
    assert_eq!(plain.get("course"), None);
    assert_eq!(of("warm_up = 2")["course"], "warm_up = 2");
    assert_eq!(of("cache = \"warm\"\nsustained = \"3 s\"")["course"], "cache = warm, sustained = 3 s");
}

#[test]
fn a_test_that_is_added_before_does_not_change_what_must_be_the_same() {
    let before = "[[test]]\nid = \"S\"\nior = \"-w -e\"\nrole = \"reported\"\n[[test]]\nid = \"T\"";
    let more = TESTS.replacen("[[test]]\nid = \"T\"", before, 1);
    assert_eq!(setup(&more, "T"), setup(TESTS, "T"));
    assert_eq!(setup(&more, "U"), setup(TESTS, "U"));
}

#[test]
fn a_score_has_the_setups_of_its_parts_and_their_weights() {
    let score =
        |keys: &str| format!("{TESTS}[[score]]\nid = \"S\"\nof = [\"T.write.bw\", \"U.write.bw\"]\n{keys}");
    let plain = setup(&score(""), "S");
    assert!(plain["command"].contains("/data; ior ") && plain["command"].contains("-F"), "{plain:?}");
    assert_eq!(plain, setup(&score(""), "S"));
    let other_unit = setup(&score("points = [\"kB/s\", \"B/s\"]\n"), "S");
    assert_ne!(other_unit["course"], plain["course"]);
    let other_part = setup(&score("").replace("ior = \"-w -e -F\"", "ior = \"-w -e -F -Y\""), "S");
    assert_ne!(other_part["command"], plain["command"]);
}
