//! Every lint about a criterion and its clause text.

use lint::{CriterionFacts, LineSubject};
use plan::{Comparison, Stat};
use results::finding::Severity;
use units::Dimension;

use crate::{data, finding, ids, subject};

pub(crate) fn criterion(metric: &str, stat: Option<Stat>, op: Comparison, written: &str) -> CriterionFacts {
    let value = written.parse::<units::Quantity>().ok();
    CriterionFacts {
        metric: metric.into(),
        stat,
        op,
        counts: value.is_some_and(|value| value.dimension == Dimension::Count),
        value,
        written: written.into(),
        clause: None,
        as_written: false,
    }
}

pub(crate) fn with_criteria(line: &str, clause: &str, criteria: Vec<CriterionFacts>) -> LineSubject {
    LineSubject { clause: clause.into(), criteria, ..subject("", line) }
}

#[test]
fn an_unnamed_statistic_and_a_maximum_for_an_average_are_found() {
    let bw = |stat, clause: &str| {
        ids(&with_criteria(
            "ior -w -e",
            clause,
            vec![criterion("write.bw", stat, Comparison::AtLeast, "1 TB/s")],
        ))
    };
    assert!(bw(None, "").contains(&"stat-unnamed"));
    assert!(bw(Some(Stat::Max), "the average of 10 repetitions").contains(&"stat-unnamed"));
    assert!(!bw(Some(Stat::Mean), "the average of 10 repetitions").contains(&"stat-unnamed"));
    let errors = vec![criterion("write_check.errors", None, Comparison::Equal, "0 errors")];
    assert!(
        !ids(&with_criteria("ior -w -W -e", "", errors)).contains(&"stat-unnamed"),
        "a count means the worst repetition"
    );
}

#[test]
fn a_criterion_that_cannot_fail_or_be_met_is_found() {
    for (op, value, dead) in [
        (Comparison::AtLeast, "0 MB/s", true),
        (Comparison::Above, "0 MB/s", false),
        (Comparison::Below, "0 MB/s", true),
        (Comparison::AtMost, "-1 MB/s", true),
        (Comparison::AtLeast, "1 MB/s", false),
    ] {
        let found =
            ids(&with_criteria("ior -w -e", "", vec![criterion("write.bw", Some(Stat::Mean), op, value)]));
        assert_eq!(found.contains(&"dead-criterion"), dead, "{op} {value}");
    }
}

#[test]
fn a_maximum_of_the_variability_of_a_rate_is_as_intended() {
    let all = vec![criterion("write.bw", Some(Stat::Cov), Comparison::AtMost, "5 %")];
    assert!(!ids(&with_criteria("ior -w -e", "", all)).contains(&"dead-criterion"));
}

#[test]
fn units_of_another_family_than_in_the_clause_are_found() {
    let found = |clause: &str, value: &str| {
        let all = vec![criterion("write.bw", Some(Stat::Mean), Comparison::AtLeast, value)];
        ids(&with_criteria("ior -w -e", clause, all)).contains(&"units")
    };
    assert!(found("at least 1 TB/s", "953674 MiB/s") && found("3 GiB/s", "3 GB/s"));
    assert!(!found("at least 1 TB/s", "1000 GB/s") && !found("fast", "1 GiB/s"));
}

#[test]
fn an_undefined_optimum_and_undefined_steps_are_found() {
    let clause = "at least 50% of optimal performance at every step";
    let mut subject = LineSubject { reported: true, ..with_criteria("ior -w -e", clause, vec![]) };
    let all = lint::line(&subject);
    assert_eq!(all.iter().filter(|finding| finding.code().id() == "optimal-undefined").count(), 2);
    subject.has_steps = true;
    subject.criteria =
        vec![criterion("write.bw", Some(Stat::Mean), Comparison::AtLeast, "50% of IOR-1.write.bw")];
    assert!(!ids(&subject).contains(&"optimal-undefined"));
    let mut subject = with_criteria("ior -w -e", "when using an optimal number of client nodes", vec![]);
    assert!(ids(&subject).contains(&"optimal-undefined"));
    subject.stated.nodes = Some(4320);
    assert!(!ids(&subject).contains(&"optimal-undefined"));
}

#[test]
fn a_requirement_without_a_number_is_found() {
    let asks = |clause: &str| {
        let subject = LineSubject { reported: true, ..with_criteria("ior -w -e", clause, vec![]) };
        ids(&subject).contains(&"threshold-missing")
    };
    assert!(asks("the rate must be sustained for 30 seconds"));
    assert!(!asks("write bandwidth, for the record"));
}

#[test]
fn fewer_repetitions_than_the_clause_mentions_are_reported() {
    let mut subject = with_criteria("ior -w -e", "the average across 10 repetitions", vec![]);
    subject.repetitions = Some(3);
    let findings = lint::line(&subject);
    let found = finding(&findings, "reps-short");
    assert_eq!(found.severity, Severity::Info, "prose decides nothing");
    assert_eq!(data(found), ["mentioned=10", "planned=3"]);
    subject.repetitions = Some(10);
    assert!(!ids(&subject).contains(&"reps-short"));
}
