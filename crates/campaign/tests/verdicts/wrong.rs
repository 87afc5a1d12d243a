//! What wrong data does to verdicts, whatever else went wrong.

use campaign::Plan;
use results::folder::{Job, JobEnd};
use results::record::{BadRange, Check, Clients, Mounted, Phase, Record};
use results::{Outcome, Verdict};

use super::{CHECK, WRITE, campaign, job, one, phase, plan, rates};

/// Repetition 2, in which data was found wrong.
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

/// The verdict on three repetitions of which the second found wrong data, and which are otherwise so.
fn checked(plan: &Plan, otherwise: impl Fn(&mut Vec<Job>)) -> Verdict {
    let mut jobs = vec![right(1), wrong("read_check"), right(3)];
    otherwise(&mut jobs);
    one(plan, &campaign(jobs))
}

const FOUND: &str = "2 transfers held wrong data (jobs/0002-T-r2, first in /s/f at 4096, expected \
                     0x0000000000000001, found 0x0000000000000000)";

#[test]
fn wrong_data_fails_a_criterion_about_errors_with_its_address_and_invalidates_every_other() {
    let verdict = checked(&plan(CHECK), |_| {});
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(verdict.reason, format!("max 2 misses == 0 errors; {FOUND}"));
    assert_eq!(one(&plan(CHECK), &campaign(vec![right(1), right(2), right(3)])).outcome, Outcome::Pass);

    let mut campaign = rates("write", [120, 121, 122]);
    campaign.jobs[1].records.extend(wrong("write_check").records);
    let verdict = one(&plan(WRITE), &campaign);
    assert_eq!((verdict.outcome, verdict.reason.as_str()), (Outcome::Invalid, FOUND));
}

#[test]
fn what_the_linter_has_against_a_number_hides_no_wrong_data() {
    let down = |jobs: &mut Vec<Job>| jobs[1].info.down_after = Some(vec!["OST2 is down".into()]);
    let verdict = checked(&plan(CHECK), down);
    assert_eq!(verdict.outcome, Outcome::Fail, "{verdict:#?}");
    assert!(verdict.warnings.iter().any(|told| told.contains("(degraded)")), "{verdict:#?}");
    let mut jobs = vec![right(1), right(2), right(3)];
    down(&mut jobs);
    let verdict = one(&plan(CHECK), &campaign(jobs));
    assert_eq!(
        verdict.outcome,
        Outcome::Invalid,
        "nothing wrong was found, but on another system: {verdict:#?}"
    );
}

#[test]
fn wrong_data_of_another_file_system_is_none_of_this_one() {
    let elsewhere = |jobs: &mut Vec<Job>| {
        let Record::Run(run) = &mut jobs[1].records[0] else { panic!() };
        let there = Mounted { dir: "/s".into(), kind: "tmpfs".into(), device: "tmpfs".into() };
        run.clients = Some(Box::new(Clients { mounted: vec![there], ..Clients::default() }));
    };
    let lustre = plan(CHECK).text.replace("dir = \"/s\"", "dir = \"/s\", kind = \"lustre\"");
    let verdict = checked(&Plan::parse(&lustre, "p.toml").unwrap(), elsewhere);
    assert_eq!(verdict.outcome, Outcome::Invalid, "{verdict:#?}");
    assert!(verdict.reason.contains("(path-on-wrong-fs)") && verdict.reason.contains(FOUND), "{verdict:#?}");
}

#[test]
fn a_job_that_died_or_was_not_repeated_hides_no_wrong_data() {
    let died = |jobs: &mut Vec<Job>| {
        jobs[1].info.end = JobEnd::Signal(9);
        jobs[1].records.pop();
    };
    let verdict = checked(&plan(CHECK), died);
    assert_eq!(verdict.outcome, Outcome::Fail, "{verdict:#?}");
    let why = "repetition 2 was ended by signal 9";
    assert_eq!(verdict.reason, format!("{FOUND}, whatever else is open: {why}"));
    assert_eq!(checked(&plan(CHECK), |jobs| drop(jobs.pop())).outcome, Outcome::Fail);
    let some = CHECK.replace("\"==\", value = \"0 errors\"", "\"<=\", value = \"5 errors\"");
    assert_eq!(checked(&plan(&some), died).outcome, Outcome::Invalid, "so many are allowed");
}

#[test]
fn a_dataset_that_somebody_changed_says_nothing_of_the_file_system() {
    let changed = |jobs: &mut Vec<Job>| {
        jobs[2].info.end = JobEnd::NotStarted;
        jobs[2].records.clear();
        jobs[2].last_words = vec!["dataset.d was changed since it was made: f was written to".into()];
    };
    let verdict = checked(&plan(CHECK), changed);
    assert_eq!(verdict.outcome, Outcome::Invalid, "{verdict:#?}");
    assert!(verdict.reason.contains("was changed since") && verdict.reason.ends_with(FOUND), "{verdict:#?}");
}
