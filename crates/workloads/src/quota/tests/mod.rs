//! Quotas that are kept, and quotas that are broken in a known way.

mod limited;

use std::sync::Mutex;

use command::quota::{OtherFiles, QuotaCounts, QuotaOf, StatedLimit};
use measure::CycleClock;
use results::Record;
use results::reason::{Code, any};
use results::record::{notices, phases};
use results::records::Sink;
use storage::QuotaLimit;

use super::*;
use crate::kit::observer::Silent;
use limited::{Limited, OTHERS, Rules};

const TRANSFER: u64 = 4096;
const LIMIT: u64 = 40 * TRANSFER;
const INODES: u64 = 60;

fn request() -> QuotaRequest {
    QuotaRequest {
        dir: "/d".into(),
        of: QuotaOf::Project,
        only: None,
        transfer: TRANSFER,
        sync_each: false,
        beyond: 0.5,
        bytes: None,
        inodes: None,
        timeout_s: 60.0,
        wait_s: 0.3,
        acting: None,
        others: None,
    }
}

/// Runs `request` on `ranks` ranks. Returns the result of rank 0 and its records.
fn run_on(ranks: u32, storage: &Limited, request: &QuotaRequest) -> (Result<bool, Halt>, Vec<Record>) {
    let (clock, records) = (CycleClock::new(), Mutex::new(Vec::<Record>::new()));
    let all = ranks::local::run(ranks, |comm| {
        let (mut clock, mut sink) = (clock.clone(), Vec::<Record>::new());
        let mut rank = Rank::begin(comm, &mut clock, &mut sink as &mut dyn Sink, None, &[])?;
        let done = run(request, storage, &mut rank, &mut Silent);
        if comm.rank() == 0 {
            records.lock().unwrap().extend(sink);
        }
        done
    });
    (all.into_iter().next().unwrap().unwrap(), records.into_inner().unwrap())
}

/// The codes of the notices, with their phases.
fn codes(records: &[Record]) -> Vec<(Code, String)> {
    let of = |notice: &results::record::Notice| {
        let phase = notice.reason.get(any::phase).unwrap_or_default().to_owned();
        (notice.reason.code, phase)
    };
    notices(records).map(of).collect()
}

fn phase<'r>(records: &'r [Record], name: &str) -> &'r Phase {
    phases(records).find(|phase| phase.phase == name).unwrap_or_else(|| panic!("no phase {name}"))
}

fn metric(records: &[Record], name: &str) -> Option<f64> {
    let (phase_name, metric) = name.split_once('.').unwrap();
    phase(records, phase_name).metric(metric).map(|metric| metric.value)
}

#[test]
fn a_quota_that_is_kept_rejects_every_rank_and_nothing_stays() {
    for ranks in [1, 3] {
        for sync_each in [false, true] {
            let storage = Limited::new(Rules::sound(LIMIT, INODES));
            storage.add("/d/before", 1000);
            let (done, records) = run_on(ranks, &storage, &QuotaRequest { sync_each, ..request() });
            assert_eq!((done, codes(&records)), (Ok(true), Vec::new()));
            let names: Vec<&str> = phases(&records).map(|phase| phase.phase.as_str()).collect();
            assert_eq!(names, ["write", "truncate", "rewrite", "create"]);
            for name in ["write.overshoot_bytes", "truncate.overshoot_bytes", "create.overshoot_inodes"] {
                assert_eq!(metric(&records, name), Some(0.0), "{name}");
            }
            for name in
                ["write.rejection", "rewrite.rejection", "create.rejection", "truncate.lag", "create.lag"]
            {
                assert!(metric(&records, name).is_some_and(|seconds| seconds < 30.0), "{name}");
            }
            let used = phase(&records, "write").quota.clone().unwrap();
            assert_eq!((used.limit, used.used_before, used.accepted_max), (LIMIT, 1000, LIMIT - 1000));
            assert_eq!((used.rejected(), used.id, used.of.as_str()), (u64::from(ranks), Some(7), "project"));
            assert_eq!(phase(&records, "write").bytes, LIMIT - 1000);
            let cut = phase(&records, "truncate").quota.clone().unwrap();
            assert!(cut.accepted_end <= cut.accepted_max / 2 && cut.shown == Some(1000 + cut.accepted_end));
            let again = phase(&records, "rewrite").quota.clone().unwrap();
            assert_eq!(again.accepted_max, LIMIT - 1000, "what was freed is used again");
            assert_eq!(storage.paths(), [PathBuf::from("/d/before")]);
        }
    }
}

#[test]
fn exactly_the_bytes_and_inodes_that_are_accepted_beyond_the_limit_are_reported() {
    for (ranks, bytes, inodes) in [(1, 1, 1), (2, 777, 3), (4, 5 * TRANSFER + 13, 10)] {
        let rules = Rules { beyond: [Some(bytes), Some(inodes)], ..Rules::sound(LIMIT, INODES) };
        let storage = Limited::new(rules);
        let (done, records) = run_on(ranks, &storage, &request());
        assert_eq!((done, codes(&records)), (Ok(true), Vec::new()), "all ranks were rejected");
        assert_eq!(metric(&records, "write.overshoot_bytes"), Some(bytes as f64));
        assert_eq!(metric(&records, "truncate.overshoot_bytes"), Some(bytes as f64), "before the cut");
        assert_eq!(metric(&records, "rewrite.overshoot_bytes"), Some(bytes as f64));
        assert_eq!(metric(&records, "create.overshoot_inodes"), Some(inodes as f64));
        assert_eq!(storage.used_max(), LIMIT + bytes);
    }
}

#[test]
fn a_limit_that_is_not_enforced_is_found_and_the_ranks_stop_at_the_end_above_it() {
    for ranks in [1, 3] {
        let storage = Limited::new(Rules { beyond: [None; 2], ..Rules::sound(LIMIT, INODES) });
        let (done, records) = run_on(ranks, &storage, &request());
        assert_eq!(done, Ok(false));
        let wanted = ["write", "create"].map(|phase| (Code::QuotaNotEnforced, phase.to_owned()));
        assert_eq!(codes(&records), wanted);
        assert!((LIMIT * 3 / 2..LIMIT * 3 / 2 + TRANSFER * 3).contains(&storage.used_max()));
        assert_eq!(metric(&records, "write.rejection"), None);
        assert_eq!(metric(&records, "write.overshoot_bytes"), Some((storage.used_max() - LIMIT) as f64));
        assert!(storage.paths().is_empty());
    }
}

#[test]
fn a_rank_that_is_never_rejected_is_found_although_the_others_are() {
    let storage = Limited::new(Rules { favoured: Some(1), ..Rules::sound(LIMIT, INODES) });
    let only = Some(QuotaCounts::Bytes);
    let (done, records) = run_on(3, &storage, &QuotaRequest { only, ..request() });
    assert_eq!(done, Ok(false));
    let used = phase(&records, "write").quota.clone().unwrap();
    assert_eq!((used.rejected(), used.last_rejection_s), (2, None));
    assert!(used.overshoot() >= LIMIT / 2 && used.first_rejection_after_s().is_some(), "{used:?}");
    assert!(codes(&records).contains(&(Code::QuotaNotEnforced, "write".to_owned())));
}

#[test]
fn freed_space_that_stays_used_up_is_found() {
    let storage = Limited::new(Rules { gives_back: false, ..Rules::sound(LIMIT, 0) });
    let (done, records) = run_on(2, &storage, &request());
    assert_eq!(done, Ok(false));
    let wanted = [(Code::QuotaNotShown, "truncate"), (Code::QuotaNotFreed, "rewrite")];
    assert_eq!(codes(&records), wanted.map(|(code, phase)| (code, phase.to_owned())));
    assert_eq!(phases(&records).filter(|phase| phase.phase == "rewrite").count(), 1);
}

#[test]
fn a_usage_that_is_shown_late_has_a_lag_and_one_that_is_never_shown_is_found() {
    let late = Rules { late: Some(4), ..Rules::sound(LIMIT, 0) };
    let (done, records) = run_on(2, &Limited::new(late.clone()), &request());
    assert_eq!((done, codes(&records)), (Ok(true), Vec::new()));
    assert!(metric(&records, "write.lag") >= Some(0.03), "four answers are 10 ms apart");
    let (done, records) = run_on(2, &Limited::new(Rules { late: None, ..late }), &request());
    assert_eq!((done, metric(&records, "write.lag")), (Ok(false), None));
    assert!(codes(&records).contains(&(Code::QuotaNotShown, "write".to_owned())));
    assert_eq!(phase(&records, "write").quota.as_ref().unwrap().shown, Some(0));
}

#[test]
fn another_error_number_is_reported_and_is_a_rejection() {
    let storage = Limited::new(Rules { errno: 28, ..Rules::sound(LIMIT, INODES) });
    let (done, records) = run_on(2, &storage, &request());
    assert_eq!(done, Ok(true));
    let wanted = ["write", "rewrite", "create"].map(|phase| (Code::QuotaErrno, phase.to_owned()));
    assert_eq!(codes(&records), wanted);
    let rejections = &phase(&records, "write").quota.as_ref().unwrap().rejections;
    assert!(
        rejections.iter().all(|rejection| rejection.errno == 28 && rejection.call == "write"),
        "{rejections:?}"
    );
}

#[test]
fn a_passed_soft_limit_is_recorded_with_the_end_of_its_grace() {
    let mut rules = Rules::sound(LIMIT, 0);
    rules.limits.bytes = QuotaLimit { soft: LIMIT / 2, grace_s: 604_800, ..rules.limits.bytes };
    let (_, records) = run_on(1, &Limited::new(rules.clone()), &request());
    assert_eq!(codes(&records)[0], (Code::GraceNotStarted, "write".to_owned()));
    rules.limits.bytes.grace_ends_s = u64::MAX >> 2;
    let (done, records) = run_on(1, &Limited::new(rules), &request());
    assert_eq!((done, codes(&records)), (Ok(true), Vec::new()));
    let used = phase(&records, "write").quota.clone().unwrap();
    assert!(used.passed_soft() && used.grace_s == 604_800 && used.grace_ends_unix_s == u64::MAX >> 2);
}

#[test]
fn others_write_before_at_each_limit_and_at_the_end_and_a_rejection_is_found() {
    let others = Some(OtherFiles { dir: OTHERS.into(), acting: None });
    let request = QuotaRequest { others, ..request() };
    let (done, records) = run_on(2, &Limited::new(Rules::sound(LIMIT, INODES)), &request);
    assert_eq!((done, codes(&records)), (Ok(true), Vec::new()));
    let of_others = |records: &[Record]| -> Vec<(u32, u64, Option<f64>)> {
        let others = phases(records).filter(|phase| phase.phase == "others");
        let failures = |phase: &Phase| phase.metric("failures").map(|metric| metric.value);
        others.map(|phase| (phase.repetition, phase.ops, failures(phase))).collect()
    };
    assert_eq!(of_others(&records), [0, 1, 2, 3].map(|at| (at, 1, Some(0.0))));
    let storage = Limited::new(Rules { harms_others: true, ..Rules::sound(LIMIT, INODES) });
    let (done, records) = run_on(2, &storage, &request);
    assert_eq!(done, Ok(false));
    assert_eq!(of_others(&records)[0], (0, 1, Some(0.0)));
    assert_eq!(of_others(&records)[1], (1, 0, Some(1.0)));
    assert_eq!(codes(&records).len(), 3, "at both limits and at the end");
    assert!(codes(&records).iter().all(|(code, _)| *code == Code::OthersRejected));
    assert!(storage.paths().is_empty());
    let same = Some(OtherFiles { dir: "/d".into(), acting: None });
    let storage = Limited::new(Rules::sound(LIMIT, INODES));
    let (halt, _) = run_on(2, &storage, &QuotaRequest { others: same, ..request });
    let halt = halt.unwrap_err();
    assert!(halt.step == REJECTED && halt.why.contains("this file belongs to project 7, too"), "{halt}");
    assert!(storage.paths().is_empty());
}

#[test]
fn a_run_without_a_limit_or_beside_an_earlier_one_is_rejected_and_removes_only_its_own_files() {
    let stated = |limit, used| Some(StatedLimit { limit, used });
    let hidden = Rules { shows: false, ..Rules::sound(LIMIT, INODES) };
    for (rules, request, why) in [
        (Rules::sound(0, 0), request(), "project 7 has no limit there that is enforced now"),
        (hidden.clone(), request(), "the system does not report the quota of project (this backend"),
        (hidden.clone(), QuotaRequest { bytes: stated(9, None), ..request() }, "State what is used"),
    ] {
        let storage = Limited::new(rules);
        let halt = run_on(2, &storage, &request).0.unwrap_err();
        assert!(halt.step == REJECTED && halt.why.contains(why), "{halt}");
        assert!(storage.paths().is_empty());
    }
    let storage = Limited::new(Rules::sound(LIMIT, INODES));
    storage.add("/d/assay-quota", 5);
    let halt = run_on(2, &storage, &request()).0.unwrap_err();
    assert!(halt.step == REJECTED && halt.why.starts_with("/d/assay-quota: exists"), "{halt}");
    assert_eq!(storage.paths(), [PathBuf::from("/d/assay-quota")]);
}

#[test]
fn a_stated_limit_is_tested_without_any_answer_of_the_system() {
    let rules = Rules { shows: false, beyond: [Some(50), Some(2)], ..Rules::sound(LIMIT, INODES) };
    // The run's own directories and files are part of the usage.
    let (bytes, inodes) =
        (StatedLimit { limit: LIMIT, used: Some(0) }, StatedLimit { limit: INODES, used: Some(5) });
    let request = QuotaRequest { bytes: Some(bytes), inodes: Some(inodes), ..request() };
    let (done, records) = run_on(2, &Limited::new(rules), &request);
    assert_eq!((done, codes(&records)), (Ok(true), Vec::new()));
    assert_eq!(metric(&records, "write.overshoot_bytes"), Some(50.0));
    assert_eq!(metric(&records, "create.overshoot_inodes"), Some(2.0));
    let used = phase(&records, "write").quota.clone().unwrap();
    assert!(used.stated && used.id.is_none() && used.shown.is_none() && used.lag_s.is_none());
}

#[test]
fn a_rejection_far_below_the_limit_is_reported() {
    let rules = Rules { shows: false, ..Rules::sound(LIMIT / 4, 0) };
    let bytes = Some(StatedLimit { limit: LIMIT, used: Some(0) });
    let (done, records) = run_on(2, &Limited::new(rules), &QuotaRequest { bytes, ..request() });
    assert_eq!(done, Ok(false), "another limit rejected");
    assert_eq!(codes(&records)[0], (Code::QuotaEarly, "write".to_owned()));
    let rules = Rules { shows: false, ..Rules::sound(LIMIT - LIMIT / 20, 0) };
    let (done, records) = run_on(1, &Limited::new(rules), &QuotaRequest { bytes, ..request() });
    assert_eq!((done, codes(&records)[0].0), (Ok(true), Code::QuotaEarly), "within --beyond");
}

#[test]
fn a_failed_call_ends_the_run_on_all_ranks_and_the_files_are_removed() {
    let storage = Limited::new(Rules { broken_at: Some(3 * TRANSFER), ..Rules::sound(LIMIT, INODES) });
    let (halt, records) = run_on(3, &storage, &request());
    let halt = halt.unwrap_err();
    assert!(halt.step == "write" && halt.call.as_ref().is_some_and(|call| call.errno == Some(5)), "{halt}");
    assert!(storage.paths().is_empty() && phases(&records).next().is_none());
}

#[test]
fn a_step_that_is_not_rejected_in_its_time_is_reported_as_such() {
    let storage = Limited::new(Rules::sound(1 << 50, 0));
    let (done, records) = run_on(2, &storage, &QuotaRequest { timeout_s: 0.05, ..request() });
    assert_eq!(done, Ok(false));
    assert_eq!(codes(&records), [(Code::QuotaNotReached, "write".to_owned())]);
    assert!(storage.paths().is_empty());
}
