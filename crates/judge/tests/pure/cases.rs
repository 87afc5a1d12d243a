//! Criteria on cases of a conformance suite. The records are made by hand.

use results::folder::{Job, JobEnd};
use results::reason::{Code, row};
use results::record::{Case, CaseOutcome, End, Evidence, Failure, Record, Run};
use results::{Outcome, Verdict};

use super::{campaign, codes, job, of, one, outcome, phase, plan, texts};

/// A repetition with these cases, by name and outcome.
fn suite(repetition: u32, cases: &[(&str, CaseOutcome)]) -> Job {
    let mut job = job("T", repetition, phase("none", 0));
    let failed = cases.iter().any(|(_, outcome)| *outcome == CaseOutcome::Fail);
    let mut records = vec![Record::Run(Run { nodes: 1, ranks: 1, ..Run::default() })];
    records.extend(cases.iter().map(|(name, outcome)| {
        let seen = Evidence { rank: 3, step: "read".into(), what: "two bytes".into(), ..Evidence::default() };
        Record::Case(Box::new(Case {
            name: (*name).into(),
            outcome: *outcome,
            why: if *outcome == CaseOutcome::Pass { String::new() } else { format!("why {name}") },
            evidence: (*outcome == CaseOutcome::Fail).then_some(seen),
            ..Case::default()
        }))
    }));
    records.push(Record::End(End { exit: u8::from(failed), ..End::default() }));
    (job.records, job.info.end) = (records, JobEnd::Exit(failed.into()));
    job
}

fn verdict_on(metric: &str, op: &str, value: &str, jobs: Vec<Job>) -> Verdict {
    let plan = plan(&format!(
        "mpi_io = \"--large\"\n\
         criterion = {{ metric = \"{metric}\", op = \"{op}\", value = \"{value} cases\" }}"
    ));
    one(&plan, &campaign(jobs))
}

const MIXED: &[(&str, CaseOutcome)] = &[
    ("posix.a", CaseOutcome::Pass),
    ("posix.b", CaseOutcome::Fail),
    ("open.a", CaseOutcome::Pass),
    ("open.b", CaseOutcome::Library),
    ("open.c", CaseOutcome::Skipped),
    ("views.a", CaseOutcome::Unsupported),
];
const GOOD: &[(&str, CaseOutcome)] =
    &[("posix.a", CaseOutcome::Pass), ("posix.b", CaseOutcome::Pass), ("open.a", CaseOutcome::Pass)];
const IDLE: &[(&str, CaseOutcome)] =
    &[("open.a", CaseOutcome::Skipped), ("open.b", CaseOutcome::Unsupported), ("posix.a", CaseOutcome::Pass)];

fn three(cases: [&[(&str, CaseOutcome)]; 3]) -> Vec<Job> {
    (1..).zip(cases).map(|(repetition, cases)| suite(repetition, cases)).collect()
}

#[test]
fn cases_are_counted_by_outcome_and_group_and_the_worst_repetition_counts() {
    for (metric, op, value, outcome, found) in [
        ("cases.fail", "==", "0", Outcome::Fail, 1.0),
        ("posix.fail", "==", "0", Outcome::Fail, 1.0),
        ("open.fail", "==", "0", Outcome::Pass, 0.0),
        ("posix.pass", ">=", "2", Outcome::Fail, 1.0),
        ("cases.pass", ">=", "2", Outcome::Pass, 2.0),
        ("cases.library", "<=", "1", Outcome::Pass, 1.0),
        ("cases.skipped", "==", "0", Outcome::Fail, 1.0),
        ("cases.unsupported", "<", "1", Outcome::Fail, 1.0),
    ] {
        let verdict = verdict_on(metric, op, value, three([GOOD, MIXED, GOOD]));
        assert_eq!((verdict.outcome, verdict.value), (outcome, Some(found)), "{metric}: {}", verdict.reason);
    }
}

#[test]
fn a_verdict_on_cases_lists_the_failed_and_the_untried_cases() {
    let verdict = verdict_on("cases.fail", "==", "0", three([MIXED, GOOD, GOOD]));
    let kinds = [
        (Code::CasesFailed, "posix.b"),
        (Code::CasesOfLibrary, "open.b"),
        (Code::CasesUnsupported, "views.a"),
        (Code::CasesSkipped, "open.c"),
    ];
    assert_eq!(codes(&verdict.warnings)[..4], kinds.map(|(code, _)| code));
    for (code, name) in kinds {
        let reason = of(&verdict.warnings, code).unwrap();
        assert_eq!((texts(reason, "names"), reason.get(row::CasesSkipped::of)), (vec![name], Some(6.0)));
    }
    let failed = &verdict.warnings[0].reason;
    assert_eq!(
        (failed.get(row::CasesSkipped::rank), failed.get(row::CasesSkipped::seen)),
        (Some(3.0), Some("two bytes"))
    );
    assert_eq!(verdict.warnings[3].reason.get(row::CasesSkipped::error), Some("why open.c"));
    let verdict = verdict_on("open.fail", "==", "0", three([MIXED, GOOD, GOOD]));
    assert_eq!(of(&verdict.warnings, Code::CasesFailed), None, "{verdict:?}");
}

#[test]
fn undecided_cases_make_a_clause_invalid_only_if_they_could_change_its_answer() {
    const SLOW: &[(&str, CaseOutcome)] =
        &[("posix.a", CaseOutcome::Pass), ("posix.b", CaseOutcome::Undecided), ("open.a", CaseOutcome::Fail)];
    for (metric, op, value, outcome) in [
        ("posix.fail", "==", "0", Outcome::Invalid),
        ("posix.pass", ">=", "2", Outcome::Invalid),
        ("posix.pass", ">=", "1", Outcome::Pass),
        ("posix.pass", ">=", "3", Outcome::Fail),
        ("open.fail", "==", "0", Outcome::Fail),
        ("cases.fail", "==", "0", Outcome::Fail),
        ("posix.undecided", "==", "0", Outcome::Fail),
    ] {
        let verdict = verdict_on(metric, op, value, three([SLOW, GOOD, GOOD]));
        assert_eq!(verdict.outcome, outcome, "{metric} {op} {value}: {}", verdict.reason);
        let listed = of(&verdict.warnings, Code::CasesOutOfTime);
        assert!(
            metric.starts_with("open") || verdict.reason.code == Code::CasesUndecided || listed.is_some()
        );
    }
    let verdict = verdict_on("posix.fail", "==", "0", three([SLOW, GOOD, GOOD]));
    assert_eq!(
        (verdict.reason.get(row::CasesUndecided::least), verdict.reason.get(row::CasesUndecided::most)),
        (Some(0.0), Some(1.0))
    );
}

#[test]
fn untried_cases_or_an_incomplete_suite_are_not_a_pass() {
    let verdict = verdict_on("open.fail", "==", "0", three([IDLE, IDLE, IDLE]));
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::CasesUntried));
    assert_eq!(
        (verdict.reason.get(row::CasesUntried::cases), verdict.reason.get(row::CasesUntried::group)),
        (Some(2.0), Some("open"))
    );
    let verdict = verdict_on("open.skipped", "==", "1", three([IDLE, IDLE, IDLE]));
    assert_eq!(verdict.outcome, Outcome::Pass, "{}", verdict.reason);
    let verdict = verdict_on("views.fail", "==", "0", three([GOOD, GOOD, GOOD]));
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::MetricMissing));
    let mut broken = three([GOOD, MIXED, GOOD]);
    let why = Failure { step: "launch".into(), why: "no more jobs".into(), ..Failure::default() };
    broken[1].records.insert(1, Record::Failure(why));
    let verdict = verdict_on("cases.fail", "<=", "9", broken);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::JobFailed));
    let failure = verdict.reason.get(row::JobFailed::failure).unwrap();
    assert_eq!(
        (failure.get(row::CasesOutOfTime::step), failure.get(row::CasesOutOfTime::error)),
        (Some("launch"), Some("no more jobs"))
    );
}
