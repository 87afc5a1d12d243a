//! What wrong data does to verdicts, whatever else went wrong.

use campaign::judge;
use plan::Plan;
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

/// A run of this job on another file system than the plan's.
fn elsewhere(job: &mut Job) {
    let Record::Run(run) = &mut job.records[0] else { panic!() };
    let there = Mounted { dir: "/s".into(), kind: "tmpfs".into(), device: "tmpfs".into() };
    run.clients = Some(Box::new(Clients { mounted: vec![there], ..Clients::default() }));
}

#[test]
fn wrong_data_of_another_file_system_is_none_of_this_one_and_another_jobs_place_excuses_none() {
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
        (&|jobs| jobs[..2].iter_mut().for_each(elsewhere), true, "that one and one before"),
        (&|jobs| jobs.insert(0, made.clone()), true, "the job that made what it read"),
        (&|jobs| elsewhere(&mut jobs[2]), false, "a job that found none"),
        (&|jobs| jobs.insert(0, filled.clone()), false, "the job of its state"),
        (
            &|jobs| {
                elsewhere(&mut jobs[1]);
                let again = wrong("read_check").records;
                jobs[2] = Job { records: again, ..jobs[2].clone() };
            },
            false,
            "one of two that found some",
        ),
    ];
    for (place, excused, which) in cases {
        let verdict = checked(&lustre, place);
        let wanted = if excused { Outcome::Invalid } else { Outcome::Fail };
        assert_eq!(verdict.outcome, wanted, "{which}: {verdict:#?}");
        let told = format!("{} {}", verdict.reason, verdict.warnings.join(" "));
        assert!(told.contains("(path-on-wrong-fs)"), "{which}: {verdict:#?}");
        assert!(verdict.reason.contains("2 transfers held wrong data (jobs/000"), "{which}: {verdict:#?}");
    }
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

/// Has a job refused, because its dataset is not what was made.
fn refuse(job: &mut Job, what: &str) {
    job.info.end = JobEnd::NotStarted;
    job.records.clear();
    job.last_words = vec![what.into()];
}

const CHANGED: &str = "dataset.d was changed since it was made: f";
const WRITTEN: &str = "was written to, or its time was set";

#[test]
fn a_dataset_that_somebody_wrote_to_says_nothing_of_the_file_system() {
    let verdict = checked(&plan(CHECK), |jobs| refuse(&mut jobs[2], &format!("{CHANGED} {WRITTEN}")));
    assert_eq!(verdict.outcome, Outcome::Invalid, "{verdict:#?}");
    assert!(verdict.reason.contains("was changed since") && verdict.reason.ends_with(FOUND), "{verdict:#?}");
    assert!(verdict.warnings.iter().all(|told| !told.contains("was changed since")), "{verdict:#?}");
}

#[test]
fn a_dataset_of_which_something_is_lost_or_that_was_whole_when_it_was_read_excuses_no_wrong_data() {
    let written = format!("{CHANGED} {WRITTEN}");
    for lost in ["f is gone", "f has 0 bytes, and had 4096", "f is no file any more"] {
        let line = format!("dataset.d was changed since it was made: {lost}");
        let verdict = checked(&plan(CHECK), |jobs| refuse(&mut jobs[2], &line));
        assert_eq!(verdict.outcome, Outcome::Fail, "{verdict:#?}");
        let why = format!("whatever else is open: repetition 3 could not be started: {line}");
        assert!(verdict.reason.starts_with(FOUND) && verdict.reason.ends_with(&why), "{verdict:#?}");
    }
    type Otherwise<'a> = &'a dyn Fn(&mut Vec<Job>);
    let cases: [(Otherwise<'_>, &str); 5] = [
        (
            &|jobs| refuse(&mut jobs[2], "dataset.d cannot be looked at: f: Input/output error"),
            "nobody knows",
        ),
        (&|jobs| refuse(&mut jobs[2], &format!("setup: {written}")), "what a command prints is no fact"),
        (
            &|jobs| {
                jobs[2].info.end = JobEnd::Signal(9);
                jobs[2].last_words = vec![written.clone()];
            },
            "nor is what a job prints",
        ),
        (&|jobs| refuse(&mut jobs[0], &written), "it was refused before the data was read"),
        (
            &|jobs| {
                jobs.swap(0, 1);
                refuse(&mut jobs[2], &written);
            },
            "a job that began later found it as it was made",
        ),
    ];
    for (otherwise, why) in cases {
        let verdict = checked(&plan(CHECK), otherwise);
        assert_eq!(verdict.outcome, Outcome::Fail, "{why}: {verdict:#?}");
    }
}

#[test]
fn what_the_next_reader_of_another_test_was_refused_for_counts_as_well() {
    let other = "[[test]]\nid = \"U\"\nuses = \"dataset.d\"\nior = \"-R -k\"\nrole = \"reported\"";
    let both = plan(&format!("{CHECK}\n{other}"));
    let judged = |what: &str| {
        let mut next = job("U", 4, phase("read_check", 100));
        refuse(&mut next, &format!("{CHANGED} {what}"));
        let jobs = vec![right(1), right(3), wrong("read_check"), next];
        judge::judge(&both, &campaign(jobs)).remove(0)
    };
    let written = judged(WRITTEN);
    assert_eq!(written.outcome, Outcome::Invalid, "{written:#?}");
    let looked = format!("when it was looked at again, {CHANGED}");
    let why = format!(
        "{looked} {WRITTEN} (jobs/0004-U-r4), so nobody knows whose wrong data this is: max 2 misses == 0 \
         errors; {FOUND}"
    );
    assert_eq!(written.reason, why);
    let gone = judged("is gone");
    assert_eq!((gone.outcome, gone.reason), (Outcome::Fail, format!("max 2 misses == 0 errors; {FOUND}")));
    assert_eq!(gone.warnings[0], format!("{looked} is gone (jobs/0004-U-r4)"));
}
