//! Whom a failure concerns: the storage system, so that its clauses fail, or the measurement.

use results::reason::{Code, Reason, any, reason, row};
use results::record::{ErrorCause, FailedCall, FailureReason, Notice, WaitingCall, error_cause};

use super::*;

const EIO: i32 = 5;
const ENOENT: i32 = 2;
const EACCES: i32 = 13;
const ENOMEM: i32 = 12;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;
const ENOTEMPTY: i32 = 39;
const ETIMEDOUT: i32 = 110;
const ESTALE: i32 = 116;

fn call(path: &str, errno: Option<i32>) -> FailedCall {
    FailedCall {
        call: "write".into(),
        path: path.into(),
        offset: Some(4096),
        errno,
        is_short: errno.is_none(),
        at_unix_ms: 1_764_385_200_250,
    }
}

fn failed_stat() -> FailedOperation {
    FailedOperation {
        rank: 2,
        node: "n9".into(),
        operation: "stat".into(),
        path: "/s/d/f".into(),
        ..FailedOperation::default()
    }
}

/// The campaign with its directory on the file system under test.
fn placed(mut campaign: Campaign) -> Campaign {
    campaign.info.data = [("s".to_owned(), "/s".to_owned()), ("t".to_owned(), "/t".to_owned())].into();
    campaign
}

/// Three repetitions of T. The second ended with status 4, because of this call.
fn failed(call: FailedCall) -> Campaign {
    let mut campaign = placed(rates("write", [120, 121, 122]));
    let failure =
        Failure { step: "write".into(), rank: 3, node: "n7".into(), why: "why".into(), call: Some(call) };
    let job = &mut campaign.jobs[1];
    job.info.end = JobEnd::Exit(4);
    job.records = vec![job.records[0].clone(), Record::Failure(failure), Record::End(End::default())];
    campaign
}

fn decided(campaign: &Campaign) -> (Outcome, Code) {
    outcome(&one(&plan(WRITE), campaign))
}

fn outcome(verdict: &Verdict) -> (Outcome, Code) {
    (verdict.outcome, verdict.reason.code)
}

#[test]
fn a_failed_call_fails_the_clause_or_makes_it_invalid_by_its_error_and_its_place() {
    let (fail, invalid) = ((Outcome::Fail, Code::FileCallFailed), (Outcome::Invalid, Code::JobFailed));
    for (path, errno, wanted) in [
        ("/s/f", Some(EIO), fail),
        ("/s/f", Some(ESTALE), fail),
        ("/s/f", Some(ETIMEDOUT), fail),
        ("/s/f", Some(EROFS), fail),
        ("/s/f", None, fail),
        ("ufs:/s/f", Some(EIO), fail),
        // Without a mount, the directory of the campaign has its name only.
        ("cephfs:/b/s/f", Some(EIO), fail),
        ("cephfs:/b/t/f", Some(EIO), invalid),
        ("cephfs:/b/f", Some(EIO), invalid),
        ("/s/f", Some(EACCES), invalid),
        ("/s/f", Some(ENOMEM), invalid),
        ("/s/f", Some(ENOSPC), invalid),
        // No earlier phase made the name, so the path may be wrong.
        ("/s/f", Some(ENOENT), invalid),
        ("/other/f", Some(EIO), invalid),
        ("/t/f", Some(EIO), invalid),
        ("/s2/f", Some(EIO), invalid),
        ("f", Some(EIO), invalid),
    ] {
        assert_eq!(decided(&failed(call(path, errno))), wanted, "{path} {errno:?}");
    }
    let unnumbered = FailedCall { is_short: false, ..call("/s/f", None) };
    assert_eq!(decided(&failed(unnumbered)), invalid, "a library that gives no reason");
}

#[test]
fn the_verdict_has_rank_node_path_call_error_and_time_of_the_failed_call() {
    let reason = one(&plan(WRITE), &failed(call("/s/f", Some(EIO)))).reason;
    use row::FileCallFailed as Row;
    let text = |field| reason.get(field);
    assert_eq!(
        (text(Row::call), text(Row::path), text(Row::node)),
        (Some("write"), Some("/s/f"), Some("n7"))
    );
    assert_eq!((text(Row::error), text(Row::at)), (Some("EIO"), Some("2025-11-29T03:00:00.25Z")));
    assert_eq!(
        (reason.get(row::FileCallFailed::rank), reason.get(row::FileCallFailed::offset)),
        (Some(3.0), Some(4096.0))
    );
    assert_eq!(text(Row::folder), Some("jobs/0002-T-r2"));
    assert!(!reason.has(any::also) && !reason.has(any::measured), "{reason:?}");
}

#[test]
fn a_read_that_meets_the_end_of_a_file_concerns_the_storage_only_where_the_file_had_data() {
    let read = FailedCall { call: "read".into(), ..call("/s/f", None) };
    let shared = |bytes, expected_bytes| Phase { expected_bytes, ..phase("write", bytes) };
    for (written, wanted) in [
        (None, Outcome::Invalid),
        (Some(shared(4096, 8192)), Outcome::Invalid),
        (Some(shared(4097, 8192)), Outcome::Fail),
        // The same data was written several times.
        (Some(shared(8192, 4096)), Outcome::Invalid),
        // What stat shows after the write may be what was lost.
        (Some(Phase { smallest_file_bytes: Some(0), ..shared(8192, 8192) }), Outcome::Fail),
        (Some(Phase { smallest_file_bytes: Some(8192), ..shared(4096, 8192) }), Outcome::Invalid),
        (Some(Phase { phase: "read".into(), ..shared(8192, 8192) }), Outcome::Invalid),
    ] {
        let mut campaign = failed(read.clone());
        let phase = written.clone().map(|phase| Record::Phase(Box::new(phase)));
        campaign.jobs[1].records.splice(1..1, phase);
        assert_eq!(decided(&campaign).0, wanted, "{written:?}");
    }
    let mut twice = failed(read);
    let again = [shared(8192, 8192), shared(4096, 8192)].map(|phase| Record::Phase(Box::new(phase)));
    twice.jobs[1].records.splice(1..1, again);
    assert_eq!(decided(&twice).0, Outcome::Invalid, "the last write decides how long the file is");
}

#[test]
fn a_short_read_of_a_whole_file_counts_by_its_place_and_never_by_its_count() {
    let keys = |line: &str| {
        format!(
            "{line}\ncriterion = {{ metric = \"file_read.rate\", op = \">=\", value = \"1/s\" }}\n\
             [dataset.m]\nmdtest = \"-F -C -n 5 -w 4096\"\n"
        )
    };
    let [own, reader] = [
        keys("mdtest = \"-F -n 5 -w 4096 -e 4096\""),
        keys("uses = \"dataset.m\"\nmdtest = \"-F -E -n 5 -e 8192\""),
    ];
    let [own, reader] = [plan(&own), plan(&reader)];
    let operations = |name: &str, smallest_file_bytes, failed| {
        let counts = Counts::Operations;
        Phase { counts, ops: 50, path: "/s/d".into(), smallest_file_bytes, failed, ..phase(name, 0) }
    };
    let made = operations("file_creation", Some(4096), None);
    let short =
        |offset| FailedOperation { operation: "read".into(), offset, is_short: true, ..failed_stat() };
    let listed = |offset| {
        let reason = FailureReason { is_short: true, operations: 4, ..FailureReason::default() };
        let failed = Failed { operations: 4, reasons: vec![reason], first: vec![short(offset)] };
        Record::Phase(Box::new(operations("file_read", None, Some(failed))))
    };
    let halted = |offset| Record::Failure(Failure { call: Some(short(offset).call()), ..Failure::default() });
    for (plan, is_own, last, wanted) in [
        (&own, true, halted(Some(0)), Outcome::Fail),
        (&own, true, halted(Some(4095)), Outcome::Fail),
        (&own, true, halted(Some(4096)), Outcome::Invalid),
        (&own, true, halted(None), Outcome::Invalid),
        (&own, true, listed(Some(0)), Outcome::Fail),
        (&own, true, listed(Some(4096)), Outcome::Invalid),
        (&reader, false, halted(Some(0)), Outcome::Fail),
        (&reader, false, halted(Some(4096)), Outcome::Invalid),
        (&reader, false, listed(Some(0)), Outcome::Fail),
        (&reader, false, listed(Some(4096)), Outcome::Invalid),
    ] {
        let mut jobs = vec![job("dataset.m", 1, made.clone())];
        jobs.extend((1..=3).map(|repetition| {
            let mut job = job("T", repetition, operations("file_stat", None, None));
            if is_own {
                job.records.insert(1, Record::Phase(Box::new(made.clone())));
            }
            if repetition == 2 {
                job.records.insert(job.records.len() - 1, last.clone());
                job.info.end = JobEnd::Exit(4);
            }
            job
        }));
        let verdict = one(plan, &placed(campaign(jobs)));
        assert_eq!(verdict.outcome, wanted, "{last:?}: {verdict:#?}");
    }
}

#[test]
fn a_missing_name_concerns_the_storage_only_if_the_campaign_made_it() {
    let mut campaign = failed(call("/s/f", Some(ENOENT)));
    let made = Record::Phase(Box::new(phase("write", 100)));
    campaign.jobs[1].records.insert(1, made);
    assert_eq!(decided(&campaign), (Outcome::Fail, Code::FileCallFailed));
    // The job reads the files of a dataset.
    let mut read = placed(rates("read", [120, 121, 122]));
    let records = failed(call("/s/f", Some(ENOENT))).jobs[1].records.clone();
    (read.jobs[1].records, read.jobs[1].info.end) = (records, JobEnd::Exit(4));
    let without = one(&plan(READ), &read);
    assert_eq!(without.outcome, Outcome::Invalid, "its dataset was not made: {without:#?}");
    read.jobs.insert(0, job("dataset.d", 1, phase("write", 100)));
    assert_eq!(outcome(&one(&plan(READ), &read)), (Outcome::Fail, Code::FileCallFailed));
}

#[test]
fn operations_that_failed_while_the_job_continued_count_by_their_error() {
    let mdtest = plan(
        "mdtest = \"-F -n 5\"\ncriterion = { metric = \"file_stat.rate\", op = \">=\", value = \"1/s\" }",
    );
    let verdict = |errno: i32| {
        let first = FailedOperation { errno: Some(errno), ..failed_stat() };
        let failed = Failed { operations: 4, reasons: Vec::new(), first: vec![first] };
        let jobs = (1..=3).map(|repetition| {
            let created = Phase { counts: Counts::Operations, ..phase("file_creation", 0) };
            let failed = (repetition == 2).then(|| failed.clone());
            let stat = Phase { counts: Counts::Operations, ops: 50, failed, ..phase("file_stat", 0) };
            let mut job = job("T", repetition, stat);
            job.records.insert(1, Record::Phase(Box::new(created)));
            job.info.end = JobEnd::Exit(if repetition == 2 { 4 } else { 0 });
            job
        });
        one(&mdtest, &placed(campaign(jobs.collect())))
    };
    // ENOENT: a name that the job made is lost.
    for (errno, wanted) in [
        (EIO, Outcome::Fail),
        (ENOENT, Outcome::Fail),
        (EACCES, Outcome::Invalid),
        (ENOSPC, Outcome::Invalid),
    ] {
        let verdict = verdict(errno);
        assert_eq!(verdict.outcome, wanted, "{errno}: {verdict:#?}");
        if wanted == Outcome::Fail {
            let reason = &verdict.reason;
            assert_eq!(reason.code, Code::FileCallFailed);
            let place = (
                reason.get(row::FileCallFailed::path),
                reason.get(row::FileCallFailed::node),
                reason.get(row::FileCallFailed::operations),
            );
            assert_eq!(place, (Some("/s/d/f"), Some("n9"), Some(4.0)));
        }
    }
}

#[test]
fn a_rank_that_did_not_return_from_a_call_fails_the_clause_and_a_slow_job_does_not() {
    let late = |waits: Vec<WaitingCall>, timeout_s: f64| {
        let mut campaign = placed(rates("write", [120, 121, 122]));
        let job = &mut campaign.jobs[1];
        job.records.truncate(1);
        (job.info.end, job.info.timeout_s, job.waits) = (JobEnd::TimedOut, timeout_s, waits);
        one(&plan(WRITE), &campaign)
    };
    let wait = |path: &str, seconds| WaitingCall {
        rank: 5,
        node: "n3".into(),
        call: "fsync".into(),
        path: path.into(),
        seconds,
        ..WaitingCall::default()
    };
    for (waits, timeout_s, wanted) in [
        (vec![wait("/s/f", 75)], 3600.0, Outcome::Fail),
        (vec![wait("/s/f", 3)], 3600.0, Outcome::Invalid),
        (vec![wait("/s/f", 5)], 20.0, Outcome::Fail),
        (vec![wait("/other/f", 75)], 3600.0, Outcome::Invalid),
        (vec![wait("", 75)], 3600.0, Outcome::Invalid),
        (vec![], 3600.0, Outcome::Invalid),
    ] {
        let verdict = late(waits.clone(), timeout_s);
        assert_eq!(verdict.outcome, wanted, "{waits:?} {timeout_s}: {verdict:#?}");
    }
    let reason = late(vec![wait("/s/f", 75), wait("/s/g", 61)], 3600.0).reason;
    let what = (
        reason.code,
        reason.get(row::CallNeverReturned::call),
        reason.get(row::CallNeverReturned::path),
        reason.get(row::CallNeverReturned::node),
    );
    assert_eq!(what, (Code::CallNeverReturned, Some("fsync"), Some("/s/f"), Some("n3")));
    let numbers = (
        reason.get(row::CallNeverReturned::rank),
        reason.get(row::CallNeverReturned::lasted),
        reason.get(row::CallNeverReturned::ranks),
    );
    assert_eq!(numbers, (Some(5.0), Some(75.0), Some(2.0)));
}

/// The notice about a test directory that stays.
fn left() -> Reason {
    reason!(Left { directories: 1_u32, why: "rmdir: it is not empty" })
}

#[test]
fn missing_entries_fail_the_clause_and_so_do_names_that_remain() {
    let noticed = |mut call: FailedCall| {
        call.call = "rmdir".into();
        let mut campaign = placed(rates("write", [120, 121, 122]));
        let notice = Notice { reason: left(), call: Some(call), ..Notice::default() };
        campaign.jobs[1].records.insert(2, Record::Notice(notice));
        campaign.jobs[1].info.end = JobEnd::Exit(4);
        decided(&campaign)
    };
    let wrong = (Outcome::Fail, Code::EntriesWrong);
    assert_eq!(noticed(call("/s/d", Some(ENOTEMPTY))), wrong);
    assert_eq!(noticed(call("/s/d", None)), wrong, "a listing with too few entries");
    assert_eq!(noticed(call("/s/d", Some(EACCES))).0, Outcome::Invalid);
}

#[test]
fn a_fault_of_the_job_that_made_the_dataset_fails_the_clauses_that_need_it() {
    let mut campaign = failed(call("/s/f", Some(EIO)));
    campaign.jobs.truncate(2);
    let mut maker = campaign.jobs.remove(1);
    (maker.info.test, maker.folder) = ("dataset.d".into(), "jobs/0001-dataset.d-r1".into());
    campaign.jobs = vec![maker];
    let verdict = one(&plan(READ), &campaign);
    assert_eq!(outcome(&verdict), (Outcome::Fail, Code::FileCallFailed), "{verdict:#?}");
    assert_eq!(verdict.reason.get(any::folder), Some("jobs/0001-dataset.d-r1"));
}

#[test]
fn a_maker_that_lost_its_own_file_fails_the_clauses_that_need_it() {
    let lost = |test: &str, repetition| {
        let failed = failed(FailedCall { call: "open".into(), offset: None, ..call("/s/f", Some(ENOENT)) });
        let mut job = failed.jobs[1].clone();
        job.records.insert(1, Record::Phase(Box::new(phase("write", 100))));
        (job.info.test, job.info.repetition) = (test.into(), repetition);
        job.folder = format!("jobs/0001-{test}-r{repetition}");
        job
    };
    let of_dataset = |line: &str| Plan::parse(&plan(READ).text.replace("-w -k", line), "p.toml").unwrap();
    let verdict = |plan: &Plan, job: &Job| one(plan, &placed(campaign(vec![job.clone()])));
    let maker = lost("dataset.d", 1);
    let found = verdict(&of_dataset("-w -W -k"), &maker);
    assert_eq!(outcome(&found), (Outcome::Fail, Code::FileCallFailed), "{found:#?}");
    assert_eq!(found.reason.get(any::folder), Some("jobs/0001-dataset.d-r1"));
    // The maker is another test.
    let reader = READ.replace("dataset.d", "T");
    let by_test = plan(&format!("ior = \"-w -W -k\"\nrole = \"reported\"\n[[test]]\nid = \"U\"\n{reader}"));
    let unwritten = failed(call("/s/f", Some(EIO))).jobs.swap_remove(1);
    for job in [lost("T", 1), unwritten] {
        let found = verdict(&by_test, &job);
        assert_eq!(outcome(&found), (Outcome::Fail, Code::FileCallFailed), "{found:#?}");
        assert_eq!(found.reason.get(any::folder), Some(&*job.folder));
    }
    // One with a clause fails that one.
    let own = "criterion = { metric = \"write.errors\", op = \"==\", value = \"0 errors\" }";
    let with_clause = plan(&format!("ior = \"-w -W -k\"\n{own}\n[[test]]\nid = \"U\"\n{reader}"));
    let found = verdicts_of(&with_clause, &placed(campaign(vec![lost("T", 1)])));
    let outcomes: Vec<Outcome> = found.iter().map(|verdict| verdict.outcome).collect();
    assert_eq!(outcomes, [Outcome::Fail, Outcome::NotRun], "{found:#?}");
}

#[test]
fn a_criterion_that_allows_errors_still_fails_if_a_call_ended_the_job() {
    let some =
        "ior = \"-w -e\"\ncriterion = { metric = \"write.errors\", op = \"<=\", value = \"5 errors\" }";
    let verdict = one(&plan(some), &failed(call("/s/f", Some(EIO))));
    assert_eq!(outcome(&verdict), (Outcome::Fail, Code::FileCallFailed), "{verdict:#?}");
}

#[test]
fn names_that_an_earlier_phase_could_not_make_are_not_lost() {
    let mdtest = plan(
        "mdtest = \"-F -n 5\"\ncriterion = { metric = \"file_stat.rate\", op = \">=\", value = \"1/s\" }",
    );
    let operations = |name: &str, errno: Option<i32>| {
        let first = |errno| FailedOperation { errno: Some(errno), ..failed_stat() };
        let failed =
            errno.map(|errno| Failed { operations: 4, first: vec![first(errno)], ..Failed::default() });
        Record::Phase(Box::new(Phase { counts: Counts::Operations, ops: 50, failed, ..phase(name, 0) }))
    };
    let left = |errno| {
        let call = FailedCall { call: "rmdir".into(), offset: None, ..call("/s/d", errno) };
        Record::Notice(Notice { reason: left(), call: Some(call), ..Notice::default() })
    };
    let halted = Record::Failure(Failure { call: Some(call("/s/d", Some(ENOENT))), ..Failure::default() });
    for (created, then, wanted) in [
        (None, operations("file_stat", Some(ENOENT)), Outcome::Fail),
        (Some(EACCES), operations("file_stat", Some(ENOENT)), Outcome::Invalid),
        (Some(EACCES), operations("file_stat", Some(EIO)), Outcome::Fail),
        (Some(EIO), operations("file_stat", Some(ENOENT)), Outcome::Fail),
        (Some(ENOENT), operations("file_stat", None), Outcome::Fail),
        (None, left(Some(ENOTEMPTY)), Outcome::Fail),
        (Some(EACCES), left(Some(ENOTEMPTY)), Outcome::Invalid),
        (Some(EACCES), left(None), Outcome::Invalid),
        (None, halted.clone(), Outcome::Fail),
        (Some(EACCES), halted.clone(), Outcome::Invalid),
    ] {
        let jobs = (1..=3).map(|repetition| {
            let is_second = repetition == 2;
            let mut job = job("T", repetition, phase("file_removal", 0));
            let then = if is_second { then.clone() } else { operations("file_stat", None) };
            let made = operations("file_creation", created.filter(|_| is_second));
            job.records.splice(1..1, [operations("tree_creation", None), made, then]);
            job.info.end = JobEnd::Exit(if is_second { 4 } else { 0 });
            job
        });
        let verdict = one(&mdtest, &placed(campaign(jobs.collect())));
        assert_eq!(verdict.outcome, wanted, "{created:?}, {then:?}: {verdict:#?}");
    }
}

#[test]
fn a_count_of_failures_passes_only_if_it_counts_and_allows_them() {
    let verdict = |metric: &str, value: u32| {
        let mdtest = plan(&format!(
            "mdtest = \"-n 5\"\n\
             criterion = {{ metric = \"{metric}\", op = \"<=\", value = \"{value} errors\" }}"
        ));
        let words = ::plan::schedule::jobs(&mdtest, &[]).unwrap().remove(0).words;
        let jobs = (1..=3).map(|repetition| {
            let operations = |name, errno: Option<i32>| {
                let first = |errno| FailedOperation { errno: Some(errno), ..failed_stat() };
                let failed = errno.map(|errno| Failed {
                    operations: 4,
                    first: vec![first(errno)],
                    ..Failed::default()
                });
                Phase { counts: Counts::Operations, ops: 50, failed, ..phase(name, 0) }
            };
            let failed = (repetition == 2).then_some(EIO);
            let mut job = job("T", repetition, operations("file_stat", failed));
            job.records.insert(1, Record::Phase(Box::new(operations("directory_creation", None))));
            job.info.argv = std::iter::once("mdtest".to_owned()).chain(words.clone()).collect();
            job.info.end = JobEnd::Exit(if repetition == 2 { 4 } else { 0 });
            job
        });
        one(&mdtest, &placed(campaign(jobs.collect())))
    };
    for (metric, value, wanted) in [
        ("file_stat.failures", 4, Outcome::Pass),
        ("file_stat.errors", 4, Outcome::Pass),
        ("file_stat.failures", 3, Outcome::Fail),
        ("file_stat.failures", 0, Outcome::Fail),
        ("directory_creation.failures", 0, Outcome::Fail),
        ("directory_creation.failures", 4, Outcome::Fail),
    ] {
        let verdict = verdict(metric, value);
        assert_eq!(verdict.outcome, wanted, "{metric} <= {value}: {verdict:#?}");
    }
}

#[test]
fn a_count_about_the_whole_benchmark_or_one_kind_allows_the_failures_of_that_kind() {
    let verdict = |metric: &str, kind: &str| {
        let plan = plan(&format!(
            "md_workbench = \"-P 5\"\ncriterion = {{ metric = \"{metric}.failures\", op = \"<=\", \
             value = \"4 errors\" }}"
        ));
        let jobs = (1..=3).map(|repetition| {
            let first = FailedOperation { errno: Some(EIO), ..failed_stat() };
            let failed = Failed { operations: 4, first: vec![first], ..Failed::default() };
            let failed = (repetition == 2).then_some(failed);
            let operations = |name: &str, failed| {
                let ops = if name == "benchmark" { 100 } else { 50 };
                let of_phase = Phase { counts: Counts::Operations, ops, failed, ..phase(name, 0) };
                Record::Phase(Box::new(of_phase))
            };
            let mut job = job("T", repetition, phase("cleanup", 0));
            let kinds = ["benchmark_create", "benchmark_read"]
                .map(|name| operations(name, failed.clone().filter(|_| name == kind)));
            job.records.splice(1..1, [operations("benchmark", failed.clone())].into_iter().chain(kinds));
            let words = ::plan::schedule::jobs(&plan, &[]).unwrap().remove(0).words;
            job.info.argv = std::iter::once("md-workbench".to_owned()).chain(words).collect();
            job.info.end = JobEnd::Exit(if repetition == 2 { 4 } else { 0 });
            job
        });
        one(&plan, &placed(campaign(jobs.collect())))
    };
    for (metric, kind, wanted) in [
        ("benchmark_create", "benchmark_create", Outcome::Pass),
        ("benchmark", "benchmark_create", Outcome::Pass),
        ("benchmark_read", "benchmark_create", Outcome::Fail),
    ] {
        let verdict = verdict(metric, kind);
        assert_eq!(verdict.outcome, wanted, "{metric}, failures of {kind}: {verdict:#?}");
    }
}

#[test]
fn every_error_number_concerns_one_side() {
    assert_eq!(error_cause(Some(EIO), false), ErrorCause::Storage);
    assert_eq!(error_cause(Some(ENOSPC), false), ErrorCause::Full);
    assert_eq!(error_cause(Some(9999), false), ErrorCause::Request);
}

#[test]
fn a_killed_rank_node_or_launcher_concerns_the_measurement() {
    let ended = |end: JobEnd, line: &str| {
        let mut campaign = placed(rates("write", [120, 121, 122]));
        let job = &mut campaign.jobs[1];
        job.records.truncate(1);
        (job.info.end, job.error_lines) = (end, vec![line.to_owned()]);
        decided(&campaign)
    };
    for (end, line) in [
        (JobEnd::Signal(9), ""),
        (JobEnd::Exit(137), "mpirun noticed that process rank 1 exited on signal 9 (Killed)."),
        (JobEnd::Exit(1), "srun: error: Node failure on n017"),
        (JobEnd::TimedOut, ""),
    ] {
        assert_eq!(ended(end.clone(), line), (Outcome::Invalid, Code::JobFailed), "{end:?} {line}");
    }
}
