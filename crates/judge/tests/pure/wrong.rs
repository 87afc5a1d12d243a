//! The effect of wrong data on verdicts, also if other things went wrong.

use plan::Plan;
use results::folder::{Job, JobEnd};
use results::reason::{Cause, Code, Field, Reason, any, reason, row};
use results::record::{BadRange, Check, Clients, Counts, Mounted, Phase, Record, SampledData};
use results::{Outcome, Verdict};

use super::{
    CHECK, WRITE, campaign, codes, job, lint_error, of, one, outcome, phase, plan, rates, verdicts_of,
};

/// Repetition 2, which found wrong data.
fn wrong(name: &str) -> Job {
    let bad = BadRange {
        path: "/s/f".into(),
        offset: 4096,
        expected: "0x0000000000000001".into(),
        found: "0x0000000000000000".into(),
        ..BadRange::default()
    };
    let check = Some(Check { bytes: 100, bad_transfers: 2, bad: vec![bad], ..Check::default() });
    let mut job = job("T", 2, Phase { check, ..phase(name, 100) });
    job.info.end = JobEnd::Exit(1);
    job
}

fn right(repetition: u32) -> Job {
    job("T", repetition, Phase { check: Some(Check::default()), ..phase("read_check", 100) })
}

/// The verdict on three repetitions. The second one found wrong data, and `otherwise` changes the jobs.
fn checked(plan: &Plan, otherwise: impl Fn(&mut Vec<Job>)) -> Verdict {
    let mut jobs = vec![right(1), wrong("read_check"), right(3)];
    otherwise(&mut jobs);
    one(plan, &campaign(jobs))
}

/// Whether the reason is the wrong data of repetition 2, with its location.
fn is_found(reason: &Reason) -> bool {
    let place =
        (reason.get(any::folder), reason.get(row::WrongData::path), reason.get(row::WrongData::offset));
    let data = (
        reason.get(row::WrongData::expected),
        reason.get(row::WrongData::found),
        reason.get(row::WrongData::transfers),
    );
    reason.code == Code::WrongData
        && place == (Some("jobs/0002-T-r2"), Some("/s/f"), Some(4096.0))
        && data == (Some("0x0000000000000001"), Some("0x0000000000000000"), Some(2.0))
}

/// The code of a reason inside another one, such as `measured` or `also`.
fn inner(reason: &Reason, field: Field<Cause>) -> Option<Code> {
    reason.get(field).map(|reason| reason.code)
}

#[test]
fn wrong_data_fails_every_criterion_of_the_test() {
    let verdict = checked(&plan(CHECK), |_| {});
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert!(is_found(&verdict.reason), "{verdict:#?}");
    assert_eq!(inner(&verdict.reason, any::measured), Some(Code::ThresholdNotMet));
    assert_eq!(one(&plan(CHECK), &campaign(vec![right(1), right(2), right(3)])).outcome, Outcome::Pass);

    let mut campaign = rates("write", [120, 121, 122]);
    campaign.jobs[1].records.extend(wrong("write_check").records);
    let verdict = one(&plan(WRITE), &campaign);
    assert!(verdict.outcome == Outcome::Fail && is_found(&verdict.reason), "{verdict:#?}");
    assert_eq!(inner(&verdict.reason, any::also), None, "the same reason once: {verdict:#?}");
}

#[test]
fn a_count_of_errors_fails_by_wrong_data_that_it_does_not_count_or_does_not_allow() {
    let ior = |metric: &str, value: u32| {
        plan(&format!(
            "ior = \"-w -W -r -e\"\n\
             criterion = {{ metric = \"{metric}.errors\", op = \"<=\", value = \"{value} errors\" }}"
        ))
    };
    let mut campaign = rates("write", [120, 121, 122]);
    for job in &mut campaign.jobs {
        job.records.insert(2, Record::Phase(Box::new(phase("read", 100))));
    }
    let mut compared = campaign.clone();
    for (job, found) in compared.jobs.iter_mut().zip([right(1), wrong("write_check"), right(3)]) {
        let Record::Phase(check) = &found.records[1] else { panic!() };
        let check = Phase { phase: "write_check".into(), ..(**check).clone() };
        job.records.insert(2, Record::Phase(Box::new(check)));
        job.info.end = found.info.end;
    }
    let mut sampled = campaign.clone();
    let Record::Phase(read) = &mut sampled.jobs[1].records[2] else { panic!() };
    read.sampled = Some(SampledData { blocks: 16, wrong: 2 });
    for (name, campaign, metric, allowed, wanted) in [
        ("none", &campaign, "write", 0, Outcome::Pass),
        ("another phase of the job", &compared, "write", 0, Outcome::Fail),
        ("another phase of the job", &compared, "write", 5, Outcome::Fail),
        ("its own count", &compared, "write_check", 1, Outcome::Fail),
        ("its own count", &compared, "write_check", 2, Outcome::Pass),
        ("sampled blocks", &sampled, "read", 0, Outcome::Fail),
        ("sampled blocks", &sampled, "read", 2, Outcome::Fail),
        ("sampled blocks of another phase", &sampled, "write", 2, Outcome::Fail),
    ] {
        let verdict = one(&ior(metric, allowed), campaign);
        assert_eq!(verdict.outcome, wanted, "{name}, {metric} <= {allowed}: {verdict:#?}");
    }
    let reader = "[[test]]\nid = \"U\"\nuses = \"T\"\nior = \"-R -k\"\nrole = \"reported\"";
    let keys = "ior = \"-w -k -e\"\n\
                criterion = { metric = \"write.errors\", op = \"==\", value = \"0 errors\" }";
    let mut read = rates("write", [120, 121, 122]);
    let mut found = wrong("read_check");
    found.info.test = "U".into();
    read.jobs.push(found);
    let verdict = verdicts_of(&plan(&format!("{keys}\n{reader}")), &read).remove(0);
    assert_eq!(outcome(&verdict), (Outcome::Fail, Code::WrongData), "a reader found it: {verdict:#?}");
}

#[test]
fn wrong_data_is_a_fail_although_a_finding_invalidates_the_rates() {
    let down = |jobs: &mut Vec<Job>| jobs[1].info.down_after = Some(vec!["OST2 is down".into()]);
    let verdict = checked(&plan(CHECK), down);
    assert_eq!(verdict.outcome, Outcome::Fail, "{verdict:#?}");
    assert!(of(&verdict.warnings, Code::Degraded).is_some(), "{verdict:#?}");
    let mut jobs = vec![right(1), right(2), right(3)];
    down(&mut jobs);
    let verdict = one(&plan(CHECK), &campaign(jobs));
    assert_eq!(
        verdict.outcome,
        Outcome::Invalid,
        "no errors, but the file system was degraded: {verdict:#?}"
    );
}

/// Lets this job run on another file system than that of the plan.
fn elsewhere(job: &mut Job) {
    let Record::Run(run) = &mut job.records[0] else { panic!() };
    let there = Mounted { dir: "/s".into(), kind: "tmpfs".into(), device: "tmpfs".into() };
    run.clients = Some(Box::new(Clients { mounted: vec![there], ..Clients::default() }));
}

#[test]
fn wrong_data_is_excused_only_if_its_own_job_ran_on_another_file_system() {
    let state = "[state.full]\nfs = \"s\"\nage = \"--blocks 80% --inodes 20%\"\n";
    let keys = CHECK.replace("uses", "states = [\"full\"]\nuses");
    let text = plan(CHECK).text.replace("dir = \"/s\"", "dir = \"/s\", kind = \"lustre\"");
    let text = text.replace("[dataset.d]", &format!("{state}[dataset.d]")).replace(CHECK, &keys);
    let lustre = Plan::parse(&text, "p.toml").unwrap();
    let mut made = job("dataset.d", 1, phase("write", 100));
    let mut filled = job("state.full", 1, phase("fill", 100));
    [&mut made, &mut filled].into_iter().for_each(elsewhere);
    type Elsewhere<'a> = &'a dyn Fn(&mut Vec<Job>);
    let cases: [(Elsewhere<'_>, bool, &str); 6] = [
        (&|jobs| elsewhere(&mut jobs[1]), true, "the job that found it"),
        (&|jobs| jobs[..2].iter_mut().for_each(elsewhere), true, "that job and an earlier one"),
        (&|jobs| jobs.insert(0, made.clone()), true, "the job that made its dataset"),
        (&|jobs| elsewhere(&mut jobs[2]), false, "a job that found no wrong data"),
        (&|jobs| jobs.insert(0, filled.clone()), false, "the job of its state"),
        (
            &|jobs| {
                elsewhere(&mut jobs[1]);
                let again = wrong("read_check").records;
                jobs[2] = Job { records: again, ..jobs[2].clone() };
            },
            false,
            "one of two that found wrong data",
        ),
    ];
    for (place, is_excused, which) in cases {
        let verdict = checked(&lustre, place);
        let wanted = if is_excused { Outcome::Invalid } else { Outcome::Fail };
        assert_eq!(verdict.outcome, wanted, "{which}: {verdict:#?}");
        let listed = codes(&verdict.warnings).contains(&Code::PathOnWrongFs);
        let (reason, measured) = (&verdict.reason, verdict.reason.get(any::measured));
        assert!(listed || reason.code == Code::PathOnWrongFs, "{which}: {verdict:#?}");
        let found = if is_excused { measured.unwrap() } else { reason };
        assert_eq!(
            (found.code, found.get(row::WrongData::transfers)),
            (Code::WrongData, Some(2.0)),
            "{which}"
        );
    }
}

#[test]
fn wrong_data_is_a_fail_although_a_job_died_or_is_missing() {
    let died = |jobs: &mut Vec<Job>| {
        jobs[1].info.end = JobEnd::Signal(9);
        jobs[1].records.pop();
    };
    let verdict = checked(&plan(CHECK), died);
    assert_eq!(verdict.outcome, Outcome::Fail, "{verdict:#?}");
    assert!(is_found(&verdict.reason), "{verdict:#?}");
    assert_eq!(inner(&verdict.reason, any::also), Some(Code::JobFailed));
    assert_eq!(checked(&plan(CHECK), |jobs| drop(jobs.pop())).outcome, Outcome::Fail);
    let some = CHECK.replace("\"==\", value = \"0 errors\"", "\"<=\", value = \"5 errors\"");
    assert_eq!(
        checked(&plan(&some), died).outcome,
        Outcome::Invalid,
        "the plan allows this number of errors"
    );
}

/// Rejects a job because of its dataset.
fn reject(job: &mut Job, what: Reason) {
    job.info.end = JobEnd::NotStarted;
    job.records.clear();
    job.info.rejection = Some(what);
}

/// A reason about the dataset.
fn dataset(code: Code) -> Reason {
    reason!(DatasetChanged { dataset: "dataset.d", path: "f", ..Reason::new(code) })
}

fn written() -> Reason {
    dataset(Code::DatasetWritten)
}

fn lost(change: &str) -> Reason {
    reason!(DatasetChanged { change, ..dataset(Code::DatasetChanged) })
}

#[test]
fn a_dataset_that_was_written_to_proves_nothing_about_the_file_system() {
    let verdict = checked(&plan(CHECK), |jobs| reject(&mut jobs[2], written()));
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::JobNotStarted), "{verdict:#?}");
    assert_eq!(verdict.reason.get(row::JobNotStarted::rejection), Some(&written()));
    assert!(is_found(verdict.reason.get(any::wrong).unwrap()), "{verdict:#?}");
    assert_eq!(of(&verdict.warnings, Code::DatasetChangedLater), None, "{verdict:#?}");
}

#[test]
fn wrong_data_is_a_fail_if_the_dataset_lost_files_or_was_intact_when_it_was_read() {
    for change in ["gone", "size", "not-a-file"] {
        let verdict = checked(&plan(CHECK), |jobs| reject(&mut jobs[2], lost(change)));
        assert_eq!(verdict.outcome, Outcome::Fail, "{verdict:#?}");
        assert!(is_found(&verdict.reason), "{verdict:#?}");
        let also = verdict.reason.get(any::also).unwrap();
        assert_eq!(also.get(row::JobNotStarted::rejection), Some(&lost(change)));
    }
    let printed = written().to_string();
    type Otherwise<'a> = &'a dyn Fn(&mut Vec<Job>);
    let cases: [(Otherwise<'_>, &str); 5] = [
        (
            &|jobs| reject(&mut jobs[2], reason!(DatasetUnreadable { dataset: "dataset.d", error: "no" })),
            "an unreadable dataset is not known to be changed",
        ),
        (
            &|jobs| {
                jobs[2].info.end = JobEnd::NotStarted;
                jobs[2].records.clear();
                jobs[2].error_lines = vec![printed.clone()];
            },
            "the output of a command is not evidence",
        ),
        (
            &|jobs| {
                jobs[2].info.end = JobEnd::Signal(9);
                jobs[2].error_lines = vec![printed.clone()];
            },
            "the output of a job is not evidence",
        ),
        (&|jobs| reject(&mut jobs[0], written()), "the dataset was rejected before it was read"),
        (
            &|jobs| {
                jobs.swap(0, 1);
                reject(&mut jobs[2], written());
            },
            "a later job found the dataset intact",
        ),
    ];
    for (otherwise, why) in cases {
        let verdict = checked(&plan(CHECK), otherwise);
        assert_eq!(verdict.outcome, Outcome::Fail, "{why}: {verdict:#?}");
    }
}

#[test]
fn a_rejected_reader_of_another_test_counts_too() {
    let other = "[[test]]\nid = \"U\"\nuses = \"dataset.d\"\nior = \"-R -k\"\nrole = \"reported\"";
    let both = plan(&format!("{CHECK}\n{other}"));
    let verdict = |what: Reason| {
        let mut next = job("U", 4, phase("read_check", 100));
        reject(&mut next, what);
        let jobs = vec![right(1), right(3), wrong("read_check"), next];
        verdicts_of(&both, &campaign(jobs)).remove(0)
    };
    let unknown = verdict(written());
    assert_eq!(outcome(&unknown), (Outcome::Invalid, Code::WrongDataUnattributed), "{unknown:#?}");
    assert_eq!(unknown.reason.get(any::cause), Some(&written()));
    assert_eq!(unknown.reason.get(any::folder), Some("jobs/0004-U-r4"));
    assert_eq!(inner(&unknown.reason, any::measured), Some(Code::ThresholdNotMet));
    assert!(is_found(unknown.reason.get(any::wrong).unwrap()));
    let gone = verdict(lost("gone"));
    assert!(gone.outcome == Outcome::Fail && is_found(&gone.reason), "{gone:#?}");
    let later = &gone.warnings[0].reason;
    assert_eq!((later.code, later.get(any::folder)), (Code::DatasetChangedLater, Some("jobs/0004-U-r4")));
    assert_eq!(later.get(any::cause), Some(&lost("gone")));
}

#[test]
fn wrong_data_is_a_fail_despite_a_lint_error_unless_it_is_about_the_file_system() {
    let verdict = |code: Code| {
        let mut campaign = campaign(vec![right(1), wrong("read_check"), right(3)]);
        campaign.info.findings = vec![lint_error("T", Reason::new(code))];
        one(&plan(CHECK), &campaign)
    };
    let other = verdict(Code::MissingPersist);
    assert!(other.outcome == Outcome::Fail && is_found(&other.reason), "{other:#?}");
    assert!(of(&other.warnings, Code::LintError).is_some());
    assert_eq!(outcome(&verdict(Code::PathOnWrongFs)), (Outcome::Invalid, Code::LintError));
}

#[test]
fn wrong_data_of_md_workbench_fails_every_criterion() {
    let decided = |metric: &str, goal: &str| {
        let plan =
            plan(&format!("md_workbench = \"-P 5 -X\"\ncriterion = {{ metric = \"{metric}\", {goal} }}"));
        let mut jobs = vec![job("T", 1, phase("benchmark_read", 100)), wrong("benchmark_read")];
        jobs.push(job("T", 3, phase("benchmark_read", 100)));
        for job in &mut jobs {
            job.records.insert(1, Record::Phase(Box::new(phase("benchmark", 100))));
            for record in &mut job.records {
                if let Record::Phase(phase) = record {
                    phase.counts = Counts::Operations;
                    let compares = phase.phase == "benchmark_read" && phase.check.is_none();
                    phase.check = compares.then(Check::default).or_else(|| phase.check.take());
                }
            }
        }
        one(&plan, &campaign(jobs))
    };
    let verdict = decided("benchmark_read.errors", "op = \"==\", value = \"0 errors\"");
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert!(is_found(&verdict.reason), "{verdict:#?}");
    for rate in ["benchmark.rate", "benchmark_read.rate"] {
        let verdict = decided(rate, "op = \">\", value = \"1/s\"");
        assert_eq!(outcome(&verdict), (Outcome::Fail, Code::WrongData), "{rate}");
    }
}
