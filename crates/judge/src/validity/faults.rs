//! What the storage system did not do for a job. A call on a file failed or never returned, entries were
//! missing, or names remained.
//!
//! The error number decides whom a failure concerns. Failures of a wrong path, of permissions, of limits of
//! the client and of calls outside of the file system under test concern the measurement. An error about a
//! name concerns the storage system only if the campaign made the name.
//!
//! Never here: wrong data, and the effect on a verdict.

use std::path::Path;

use plan::line::Line;
use results::crosscheck::has_kinds;
use results::folder::{Job, JobEnd};
use results::reason::{Code, Datum, Reason};
use results::record::{
    self, ErrorCause, Failed, FailedCall, Failure, Notice, Phase, Record, WaitingCall, error_name,
};

use crate::case::TestCriterion;

/// A call that lasted this long when the time limit of its job passed never returned, seconds. In a job with
/// a short limit a quarter of the limit is enough.
const NEVER_S: f64 = 60.0;
const OF_LIMIT: f64 = 0.25;

/// What the storage system did not do.
pub(crate) struct StorageFault {
    pub(crate) reason: Reason,
    /// Whether a command line that asks for what is not there would have the same effect.
    pub(crate) may_be_planned: bool,
    /// The phase whose failed operations contain it.
    pub(crate) phase: Option<String>,
}

/// The faults of the storage system in a job, at most one of each kind and each phase.
pub(crate) fn in_job(case: &TestCriterion<'_>, job: &Job) -> Vec<StorageFault> {
    let certain = never_returned(case, job).into_iter().chain(lost_dataset(job));
    let certain = certain.map(|reason| StorageFault { reason, may_be_planned: false, phase: None });
    let halted = halted(case, job).into_iter().chain(counted(case, job));
    halted.chain(noticed(case, job)).chain(certain).collect()
}

/// A file of the dataset that was gone when the job was about to read it.
fn lost_dataset(job: &Job) -> Option<Reason> {
    let reason = job.info.rejection.as_ref()?;
    let is_lost = reason.code == Code::DatasetChanged && reason.text("change") == Some("gone");
    is_lost.then(|| reason.clone().with("folder", &job.folder))
}

/// The failed call that ended the job.
fn halted(case: &TestCriterion<'_>, job: &Job) -> Option<StorageFault> {
    let failure = job.records.iter().find_map(|record| match record {
        Record::Failure(failure) => Some(failure),
        _ => None,
    })?;
    let Failure { rank, node, call: Some(call), .. } = failure else { return None };
    let reason = of_call(Code::FileCallFailed, job, call).with("rank", *rank).with("node", node);
    blamed(case, job, call, reason)
}

/// The operations that failed while the job continued. If none of those with a path concerns the storage
/// system, their counts by error may.
fn counted(case: &TestCriterion<'_>, job: &Job) -> Vec<StorageFault> {
    let fault = |failed: &Failed, rank: Option<(u32, &str)>, call: &FailedCall| {
        let reason = of_call(Code::FileCallFailed, job, call).with("operations", failed.operations);
        let reason = reason.with_some("rank", rank.map(|(rank, _)| rank));
        blamed(case, job, call, reason.with_some("node", rank.map(|(_, node)| node)))
    };
    let of_phase = |phase: &Phase| {
        let failed = phase.failed.as_ref()?;
        let mut listed = failed.first.iter();
        let with_path = listed.find_map(|one| fault(failed, Some((one.rank, &one.node)), &one.call()));
        let found = with_path.or_else(|| {
            let mut reasons = failed.reasons.iter();
            let reason = reasons.find(|reason| reason.cause() == ErrorCause::Storage)?;
            let (call, path) = (phase.phase.clone(), phase.path.clone());
            let (errno, is_short) = (reason.errno, reason.is_short);
            fault(failed, None, &FailedCall { call, path, errno, is_short, ..FailedCall::default() })
        })?;
        Some(StorageFault { phase: Some(phase.phase.clone()), ..found })
    };
    let phases = record::phases(&job.records).filter(|phase| !has_kinds(&phase.phase));
    phases.filter_map(of_phase).collect()
}

/// A notice about entries that were missing, or that remained.
fn noticed(case: &TestCriterion<'_>, job: &Job) -> Option<StorageFault> {
    let mut notices = job.records.iter().filter_map(|record| match record {
        Record::Notice(Notice { call: Some(call), text, .. }) => Some((call, text)),
        _ => None,
    });
    notices.find_map(|(call, text)| {
        let reason = of_call(Code::EntriesWrong, job, call).with("what", text);
        blamed(case, job, call, reason)
    })
}

/// The call that a rank was in when the time limit passed, if it had lasted long.
fn never_returned(case: &TestCriterion<'_>, job: &Job) -> Option<Reason> {
    let least = NEVER_S.min(job.info.timeout_s * OF_LIMIT);
    let lasted = |call: &&WaitingCall| call.seconds as f64 >= least.floor();
    // Without a path, short calls one after the other may look like one long call.
    let is_here = |call: &&WaitingCall| is_under_test(case, &call.path);
    let long = job.waits.iter().filter(lasted).filter(is_here);
    let first = long.clone().max_by_key(|call| call.seconds)?;
    let reason = Reason::new(Code::CallNeverReturned).with("folder", &job.folder);
    let reason = reason.with("rank", first.rank).with("node", &first.node).with("call", &first.call);
    let reason = reason.with("path", &first.path).with_some("offset", first.offset);
    let reason = reason.with("lasted", Datum::seconds(first.seconds as f64));
    let reason = reason.with("timeout", Datum::seconds(job.info.timeout_s)).with("ranks", long.count());
    let at = FailedCall { at_unix_ms: first.at_unix_ms, ..FailedCall::default() }.at();
    (job.info.end == JobEnd::TimedOut).then(|| reason.with_some("at", at))
}

fn of_call(code: Code, job: &Job, call: &FailedCall) -> Reason {
    let reason = Reason::new(code).with("folder", &job.folder).with("repetition", job.info.repetition);
    let reason = reason.with("call", &call.call).with("path", &call.path);
    let reason = reason.with_some("offset", call.offset).with_some("error", call.errno.map(error_name));
    let reason = if call.is_short { reason.with("short", true) } else { reason };
    reason.with_some("at", call.at())
}

/// The fault, if the failed call concerns the storage system.
fn blamed(case: &TestCriterion<'_>, job: &Job, call: &FailedCall, reason: Reason) -> Option<StorageFault> {
    let concerns = match call.cause() {
        ErrorCause::Storage if call.is_short && call.call == "read" => was_written(case, job, call),
        ErrorCause::Storage => true,
        ErrorCause::Name => made_names(case, job),
        ErrorCause::Full | ErrorCause::Request => false,
    };
    let may_be_planned = call.is_short || call.cause() == ErrorCause::Name;
    (concerns && is_under_test(case, &call.path)).then_some(StorageFault {
        reason,
        may_be_planned,
        phase: None,
    })
}

/// Whether the file had data where a read met its end. The command line may also read more than was written.
fn was_written(case: &TestCriterion<'_>, job: &Job, call: &FailedCall) -> bool {
    let phases = [Some(job), maker(case)].into_iter().flatten().flat_map(|job| record::phases(&job.records));
    let written = phases.filter(|phase| phase.phase == "write").filter_map(|phase| phase.smallest_file_bytes);
    call.offset.is_some() && call.offset < written.max()
}

/// Whether a path is in the directory of the campaign on the file system of the test.
fn is_under_test(case: &TestCriterion<'_>, path: &str) -> bool {
    let Some(dir) = case.index.campaign.info.data.get(&case.test.fs) else { return false };
    // MPI-IO accepts the name of a driver before the path.
    let plain = path.find('/').filter(|at| *at == 0 || path[..*at].ends_with(':'));
    plain.is_some_and(|at| Path::new(&path[at..]).starts_with(dir))
}

/// Whether the campaign made the names that a job uses: an earlier phase of the job, or the job of its
/// dataset.
fn made_names(case: &TestCriterion<'_>, job: &Job) -> bool {
    if let Line::Tool(line) = &case.test.line
        && !line.uses_only_made_names()
    {
        return false;
    }
    let made_here = case.test.line.writes() && record::phases(&job.records).next().is_some();
    made_here || maker(case).is_some_and(|maker| maker.info.end == JobEnd::Exit(0))
}

/// The job whose files the test uses.
fn maker<'a>(case: &TestCriterion<'a>) -> Option<&'a Job> {
    let name = case.test.uses.as_ref()?.maker(case.index.plan);
    case.index.jobs(&name).first().copied()
}
