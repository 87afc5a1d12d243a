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
use plan::{Dataset, Test};
use results::folder::{Job, JobEnd};
use results::reason::{Code, Reason, any, reason, row};
use results::record::has_kinds;
use results::record::{
    self, ErrorCause, FailedCall, Failure, Notice, Phase, Record, WaitingCall, error_name,
};

use crate::case::TestCriterion;
use crate::crosscheck::is_unmounted;

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

/// The faults of the storage system in a job, at most one of each record.
pub(crate) fn in_job(case: &TestCriterion<'_>, job: &Job) -> Vec<StorageFault> {
    let recorded = job.records.iter().enumerate().filter_map(|(at, record)| {
        let place = FailurePlace { case, job, before: &job.records[..at] };
        match record {
            Record::Failure(failure) => halted(&place, failure),
            // The kinds of its operations follow.
            Record::Phase(phase) if !has_kinds(&phase.phase) => counted(&place, phase),
            Record::Notice(notice) => noticed(&place, notice),
            _ => None,
        }
    });
    let certain = never_returned(case, job).into_iter().chain(lost_dataset(job));
    let certain = certain.map(|reason| StorageFault { reason, may_be_planned: false, phase: None });
    recorded.chain(certain).collect()
}

/// Where a failure is recorded.
struct FailurePlace<'p, 'a> {
    case: &'p TestCriterion<'a>,
    job: &'p Job,
    /// The records before it.
    before: &'p [Record],
}

/// A file of the dataset that was gone when the job was about to read it.
fn lost_dataset(job: &Job) -> Option<Reason> {
    let reason = job.info.rejection.as_ref()?;
    let is_lost =
        reason.code == Code::DatasetChanged && reason.get(row::DatasetChanged::change) == Some("gone");
    is_lost.then(|| reason.clone().with(any::folder, &job.folder))
}

/// The failed call that ended the job.
fn halted(place: &FailurePlace<'_, '_>, failure: &Failure) -> Option<StorageFault> {
    let Failure { rank, node, call: Some(call), .. } = failure else { return None };
    let reason =
        reason!(FileCallFailed { rank: *rank, node, ..of_call(Code::FileCallFailed, place.job, call) });
    place.blamed(call, reason)
}

/// The operations of a phase that failed while the job continued. If none of those with a path concerns the
/// storage system, their counts by error may.
fn counted(place: &FailurePlace<'_, '_>, phase: &Phase) -> Option<StorageFault> {
    let failed = phase.failed.as_ref()?;
    let fault = |rank: Option<(u32, &str)>, call: &FailedCall| {
        place.blamed(
            call,
            reason!(FileCallFailed {
                operations: failed.operations,
                rank: rank.map(|(rank, _)| rank),
                node: rank.map(|(_, node)| node),
                ..of_call(Code::FileCallFailed, place.job, call)
            }),
        )
    };
    let mut listed = failed.first.iter();
    let with_path = listed.find_map(|one| fault(Some((one.rank, &one.node)), &one.call()));
    // Without their places, short transfers show nothing.
    let found = with_path.or_else(|| {
        let mut reasons = failed.reasons.iter();
        let reason = reasons.find(|reason| reason.cause() == ErrorCause::Storage && !reason.is_short)?;
        let (call, path) = (phase.phase.clone(), phase.path.clone());
        fault(None, &FailedCall { call, path, errno: reason.errno, ..FailedCall::default() })
    })?;
    Some(StorageFault { phase: Some(phase.phase.clone()), ..found })
}

/// A notice about entries that were missing or that remained, or about a quota that was not kept.
fn noticed(place: &FailurePlace<'_, '_>, notice: &Notice) -> Option<StorageFault> {
    if notice.reason.code.is_quota_fault() {
        let reason = notice.reason.clone().with(any::folder, &place.job.folder);
        return Some(StorageFault { reason, may_be_planned: false, phase: None });
    }
    let call = notice.call.as_ref()?;
    place.blamed(
        call,
        reason!(EntriesWrong { cause: &notice.reason, ..of_call(Code::EntriesWrong, place.job, call) }),
    )
}

/// The call that a rank was in when the time limit passed, if it had lasted long.
fn never_returned(case: &TestCriterion<'_>, job: &Job) -> Option<Reason> {
    let least = NEVER_S.min(job.info.timeout_s * OF_LIMIT);
    let lasted = |call: &&WaitingCall| call.seconds as f64 >= least.floor();
    // Without a path, short calls one after the other may look like one long call.
    let is_here = |call: &&WaitingCall| is_under_test(case, &call.path);
    let long = job.waits.iter().filter(lasted).filter(is_here);
    let first = long.clone().max_by_key(|call| call.seconds)?;
    let at = FailedCall { at_unix_ms: first.at_unix_ms, ..FailedCall::default() }.at();
    (job.info.end == JobEnd::TimedOut).then(|| {
        reason!(CallNeverReturned {
            folder: &job.folder,
            rank: first.rank,
            node: &first.node,
            call: &first.call,
            path: &first.path,
            offset: first.offset,
            lasted: first.seconds as f64,
            timeout: job.info.timeout_s,
            ranks: long.count(),
            at
        })
    })
}

fn of_call(code: Code, job: &Job, call: &FailedCall) -> Reason {
    reason!(FileCallFailed {
        folder: &job.folder,
        call: &call.call,
        path: &call.path,
        offset: call.offset,
        error: call.errno.map(error_name),
        short: call.is_short.then_some(true),
        at: call.at(),
        ..Reason::new(code)
    })
    .with(any::repetition, job.info.repetition)
}

impl<'a> FailurePlace<'_, 'a> {
    /// The fault, if the failed call concerns the storage system.
    fn blamed(&self, call: &FailedCall, reason: Reason) -> Option<StorageFault> {
        let is_missing = call.is_short && call.call != "write";
        let concerns = match call.cause() {
            ErrorCause::Storage if is_missing && self.has_failures_before() => false,
            ErrorCause::Storage if call.is_short && call.call == "read" => self.was_written(call),
            ErrorCause::Storage => true,
            ErrorCause::Name => self.made_names() && !self.has_failures_before(),
            ErrorCause::Full | ErrorCause::Request => false,
        };
        let may_be_planned = call.is_short || call.cause() == ErrorCause::Name;
        let concerns = concerns && is_under_test(self.case, &call.path);
        concerns.then_some(StorageFault { reason, may_be_planned, phase: None })
    }

    /// Whether an earlier phase of a job that writes has failures. They may be why something is missing.
    fn has_failures_before(&self) -> bool {
        let mut failures = record::phases(self.before).filter(|phase| phase.failed.is_some());
        self.line().is_some_and(|line| line.writes()) && failures.next().is_some()
    }

    /// Whether the file had data where a read met its end. The command line may also read more than was
    /// written.
    fn was_written(&self, call: &FailedCall) -> bool {
        let last = |records| record::phases(records).filter_map(Phase::written_file_bytes).last();
        // It is not known here which repetition of the maker the job reads.
        let made = || self.makers().iter().filter_map(|maker| last(&maker.records)).min();
        call.offset.is_some() && call.offset < last(self.before).or_else(made)
    }

    /// Whether the campaign made the names that the job uses: an earlier phase of the job, or the job of its
    /// dataset.
    fn made_names(&self) -> bool {
        let Some(line) = self.line() else { return false };
        if matches!(line, Line::Tool(tool) if !tool.uses_only_made_names()) {
            return false;
        }
        let made_here = line.writes() && record::phases(self.before).next().is_some();
        made_here || self.makers().first().is_some_and(|maker| maker.info.end == JobEnd::Exit(0))
    }

    /// The test of the job; `None` for the job of a dataset.
    fn test(&self) -> Option<&'a Test> {
        self.case.index.test_of_job(&self.job.info.test)
    }

    /// The command line of the job.
    fn line(&self) -> Option<&'a Line> {
        let is_maker = |dataset: &&Dataset| dataset.job() == self.job.info.test;
        let dataset = || self.case.index.plan.datasets.iter().find(is_maker);
        self.test().map(|test| &test.line).or_else(|| dataset().map(|dataset| &dataset.line))
    }

    /// The jobs that made the files that the job uses.
    fn makers(&self) -> &'a [&'a Job] {
        let uses = self.test().and_then(|test| test.uses.as_ref());
        uses.map_or(&[], |uses| self.case.index.jobs(&uses.maker(self.case.index.plan)))
    }
}

/// Whether a path is in the directory of the campaign on the file system of the test.
fn is_under_test(case: &TestCriterion<'_>, path: &str) -> bool {
    let Some(dir) = case.index.campaign.info.data.get(&case.test.fs) else { return false };
    // MPI-IO accepts the name of a driver before the path.
    let plain = path.find('/').filter(|at| *at == 0 || path[..*at].ends_with(':'));
    plain.is_some_and(|at| Path::new(&path[at..]).starts_with(dir) || is_unmounted(path, dir))
}
