//! What a campaign does if the file system of its evidence package, or of the files under test, is full or
//! read-only. A test may have filled it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use results::folder::{self, Job, JobEnd, JobInfo, StagedJob};
use results::record::{
    self, APP, BadRange, ErrorCause, FailedCall, Failure, Notice, Phase, Record, error_cause,
};

use super::site::CampaignSite;
use super::{CampaignRequest, Trouble};
use crate::path_error::{named, names_a_path};
use plan::schedule::PlannedJob;

/// Whether blocks, inodes or a quota were used up.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Whether a file system takes no more writes, so that the campaign resumes after a change outside of it.
pub(super) fn takes_no_writes(error: &io::Error) -> bool {
    is_full(error) || error.kind() == ErrorKind::ReadOnlyFilesystem
}

/// What the failure of a job means for the campaign.
pub(super) enum JobFailure {
    /// The storage system did something wrong. The job counts, also if its file system was full.
    Fault,
    /// The file system or quota of its files or of its folder was used up, so it runs again.
    Full(io::Error),
    /// Another one, or none.
    Other,
}

/// The failure of a job with its files in `files` and its folder in `dir`, from its records. If they do not
/// show the cause, the free space of now decides.
pub(super) fn failure_of(planned: &PlannedJob, files: &Path, dir: &Path, end: &JobEnd) -> JobFailure {
    let (Some(parent), Some(name)) = (dir.parent(), dir.file_name()) else { return JobFailure::Other };
    let info = JobInfo { end: end.clone(), ..JobInfo::default() };
    let mut job = Job::read(parent, name.to_string_lossy().into_owned(), info);
    if planned.workload == APP {
        // The program may have written a file of this name.
        job.records.clear();
    }
    let without_space = || [files, dir].into_iter().find(|dir| has_no_space(dir)).map(Path::to_owned);
    shown_failure(&job, &planned.folder, files, &without_space)
}

/// The same for a job that was read. `without_space` gives the directory whose file system is full now.
fn shown_failure(
    job: &Job,
    folder: &str,
    files: &Path,
    without_space: &dyn Fn() -> Option<PathBuf>,
) -> JobFailure {
    if matches!(job.info.end, JobEnd::Exit(0) | JobEnd::NotStarted) {
        return JobFailure::Other;
    }
    if has_fault(&job.records) || !job.waits.is_empty() {
        return JobFailure::Fault;
    }
    if let Some((call, found_by)) = job.records.iter().find_map(full_call) {
        let full = io::Error::from_raw_os_error(call.errno.unwrap_or_default());
        let text = full.to_string();
        let text = text.split(" (os error").next().unwrap_or_default();
        let text = format!("{text} ({found_by}in job {folder})");
        let path = if call.path.is_empty() { files } else { Path::new(&call.path) };
        return JobFailure::Full(named(path, &io::Error::new(full.kind(), text)));
    }
    if record::is_complete(&job.records) && !job.records.iter().any(has_no_number) {
        return JobFailure::Other;
    }
    without_space().map_or(JobFailure::Other, |full| {
        let text = format!("No space left on device (after job {folder} failed)");
        JobFailure::Full(named(&full, &io::Error::new(ErrorKind::StorageFull, text)))
    })
}

/// Whether the records show a fault of the storage system. After a call met a full file system, missing names
/// and short files show none: what could not be written is missing later.
fn has_fault(records: &[Record]) -> bool {
    let mut was_full = false;
    records.iter().any(|record| {
        let errors = errors_of(record);
        was_full |= errors.iter().any(|(errno, is_short)| error_cause(*errno, *is_short) == ErrorCause::Full);
        let is_wrong = match record {
            Record::Phase(phase) => has_wrong_data(phase, was_full),
            Record::Notice(notice) => notice.reason.code.is_quota_fault(),
            _ => false,
        };
        is_wrong
            || errors.into_iter().any(|(errno, is_short)| match error_cause(errno, is_short) {
                ErrorCause::Storage => !is_short || !was_full,
                ErrorCause::Name => !was_full,
                ErrorCause::Full | ErrorCause::Request => false,
            })
    })
}

/// Whether a phase found wrong data, which is more than missing data if the file system was full.
fn has_wrong_data(phase: &Phase, was_full: bool) -> bool {
    let is_missing = |bad: &BadRange| bad.kind == "truncated";
    let compared = phase.check.as_ref().filter(|check| check.bad_transfers > 0);
    let is_wrong = compared.is_some_and(|check| !was_full || !check.bad.iter().all(is_missing));
    is_wrong || phase.sampled.is_some_and(|sampled| sampled.wrong > 0)
}

/// The number of each error in a record, and whether it is that of a short transfer.
fn errors_of(record: &Record) -> Vec<(Option<i32>, bool)> {
    match record {
        Record::Failure(Failure { call: Some(call), .. })
        | Record::Notice(Notice { call: Some(call), .. }) => {
            vec![(call.errno, call.is_short)]
        }
        Record::Phase(phase) => {
            let reasons = phase.failed.iter().flat_map(|failed| &failed.reasons);
            reasons.map(|reason| (reason.errno, reason.is_short)).collect()
        }
        _ => Vec::new(),
    }
}

/// The failed call of a record that met a full file system, and which rank found it. Of many failed calls
/// only some are listed, so the rank may not be known.
fn full_call(record: &Record) -> Option<(FailedCall, String)> {
    let is_full = |call: &FailedCall| call.cause() == ErrorCause::Full;
    let found_by = |rank: u32, node: &str| format!("rank {rank} on {node} ");
    match record {
        Record::Failure(Failure { rank, node, call: Some(call), .. }) if is_full(call) => {
            Some((call.clone(), found_by(*rank, node)))
        }
        Record::Phase(phase) => {
            let failed = phase.failed.as_ref()?;
            let listed = failed.first.iter().map(|one| (one.call(), found_by(one.rank, &one.node)));
            let reason = failed.reasons.iter().find(|reason| reason.cause() == ErrorCause::Full);
            let counted = reason.map(|reason| {
                let (errno, path) = (reason.errno, phase.path.clone());
                (FailedCall { errno, path, ..FailedCall::default() }, String::new())
            });
            listed.chain(counted).find(|(call, _)| is_full(call))
        }
        _ => None,
    }
}

/// Whether a record has a failure whose cause is not known. HDF5 and PnetCDF give no number.
fn has_no_number(record: &Record) -> bool {
    let Record::Failure(failure) = record else { return false };
    failure.call.as_ref().is_none_or(|call| call.errno.is_none())
}

/// Whether a file system has no free block or no free inode.
fn has_no_space(dir: &Path) -> bool {
    let found = rustix::fs::statvfs(dir);
    found.is_ok_and(|fs| fs.f_blocks > 0 && fs.f_bavail == 0 || fs.f_files > 0 && fs.f_favail == 0)
}

/// Completes the folder of a job. If the file system is too full, the files of the job are removed first.
/// They have no use without a complete folder, because the job would create them again. If another job
/// still needs these files, the job does not count as ended.
pub(super) fn finish(
    staged: &StagedJob,
    info: &JobInfo,
    site: &CampaignSite,
    job: &PlannedJob,
) -> Result<JobInfo, Trouble> {
    let error = match staged.finish(info.clone()) {
        Err(error) if is_full(&error) => error,
        finished => return Ok(finished?),
    };
    let last = job.removes.contains(&job.files);
    if job.makes_files || last {
        site.remove_files(job, &job.files)?;
    }
    if last || (job.makes_files && info.end != JobEnd::Exit(0)) {
        return Ok(staged.finish(info.clone())?);
    }
    Err(error.into())
}

/// Turns the error of a full or read-only file system into where the files are, and what to do. Without a
/// campaign that can resume, the error stays as it is.
pub(super) fn with_advice(trouble: Trouble, asked: &CampaignRequest) -> Trouble {
    let error = match trouble {
        Trouble::Io(error) if takes_no_writes(&error) => error,
        trouble => return trouble,
    };
    let Ok(campaign) = folder::load(&asked.folder) else { return error.into() };
    let folder = asked.folder.display();
    // An error without a path is about the campaign folder.
    let at = if names_a_path(&error) { String::new() } else { format!("{folder}: ") };
    let text = if is_full(&error) {
        let data: Vec<&str> = campaign.info.data.values().map(String::as_str).collect();
        format!(
            "{at}{error}. The files under test are in {}. Free space on that file system, then run `assay \
             run --resume {folder}`. Or remove both directories and start again with --campaigns on another \
             file system.",
            data.join(" and ")
        )
    } else {
        format!("{at}{error}. Make that file system writable again, then run `assay run --resume {folder}`.")
    };
    Trouble::NoWrites(text)
}

#[cfg(test)]
mod tests {
    use results::reason::{Code, Reason};
    use results::record::{Check, End, Failed, FailedOperation, FailureReason, SampledData, WaitingCall};

    use super::*;

    const ENOENT: i32 = 2;
    const EIO: i32 = 5;
    const EACCES: i32 = 13;
    const ENOSPC: i32 = 28;
    const EDQUOT: i32 = 122;

    fn call(errno: Option<i32>) -> FailedCall {
        FailedCall { path: "/s/f".into(), errno, ..FailedCall::default() }
    }

    fn failure(errno: Option<i32>) -> Record {
        Record::Failure(Failure { rank: 1, node: "n1".into(), call: Some(call(errno)), ..Failure::default() })
    }

    /// A phase whose operations failed with these errors. Only those with the first one are listed.
    fn failed(errnos: &[i32]) -> Record {
        let reason = |errno: &i32| FailureReason { errno: Some(*errno), ..FailureReason::default() };
        let listed = |errno: &i32| FailedOperation {
            rank: 1,
            node: "n1".into(),
            path: "/s/f".into(),
            errno: Some(*errno),
            ..FailedOperation::default()
        };
        let failed = Failed {
            operations: 64,
            reasons: errnos.iter().map(reason).collect(),
            first: errnos.iter().take(1).map(listed).collect(),
        };
        Record::Phase(Box::new(Phase { path: "/s".into(), failed: Some(failed), ..Phase::default() }))
    }

    fn wrong(kind: &str) -> Record {
        let bad = vec![BadRange { kind: kind.into(), ..BadRange::default() }];
        let check = Some(Check { bad_transfers: 1, bad, ..Check::default() });
        Record::Phase(Box::new(Phase { check, ..Phase::default() }))
    }

    fn notice(code: Code) -> Record {
        Record::Notice(Notice { reason: Reason::new(code), ..Notice::default() })
    }

    fn end() -> Record {
        Record::End(End::default())
    }

    /// `fault`, `other`, or the text of the error. The file system has no free space afterwards.
    fn shown(end: JobEnd, records: Vec<Record>, waits: Vec<WaitingCall>) -> String {
        let info = JobInfo { end, ..JobInfo::default() };
        let job = Job { info, records, waits, ..Job::default() };
        match shown_failure(&job, "1-T", Path::new("/s"), &|| Some("/s".into())) {
            JobFailure::Fault => "fault".to_owned(),
            JobFailure::Full(error) => error.to_string(),
            JobFailure::Other => "other".to_owned(),
        }
    }

    #[test]
    fn a_job_on_a_full_file_system_runs_again_unless_its_records_show_a_fault() {
        let full = "/s/f: No space left on device (rank 1 on n1 in job 1-T)";
        let quota = "/s: Disk quota exceeded (in job 1-T)";
        let now = "/s: No space left on device (after job 1-T failed)";
        let sampled = Some(SampledData { blocks: 9, wrong: 1 });
        let sampled = Record::Phase(Box::new(Phase { sampled, ..Phase::default() }));
        for (records, wanted) in [
            (vec![failure(Some(ENOSPC)), end()], full),
            (vec![failed(&[ENOSPC]), end()], full),
            (vec![failed(&[EACCES, EDQUOT]), end()], quota),
            (vec![failed(&[EDQUOT]), notice(Code::OthersRejected), end()], "fault"),
            (vec![failed(&[EIO, ENOSPC]), end()], "fault"),
            (vec![failed(&[ENOSPC, EIO]), end()], "fault"),
            (vec![failed(&[ENOSPC]), failure(Some(EIO)), end()], "fault"),
            (vec![wrong("flipped"), end()], "fault"),
            (vec![wrong("truncated"), end()], "fault"),
            (vec![sampled, end()], "fault"),
            // What could not be written is missing later.
            (vec![failed(&[ENOSPC]), failed(&[ENOENT]), end()], full),
            (vec![failed(&[ENOSPC, ENOENT]), end()], full),
            (vec![failed(&[ENOSPC]), wrong("truncated"), end()], full),
            (vec![failed(&[ENOSPC]), wrong("flipped"), end()], "fault"),
            (vec![failed(&[ENOENT]), failed(&[ENOSPC]), end()], "fault"),
            (vec![failure(Some(EIO)), end()], "fault"),
            (vec![failure(Some(EACCES)), end()], "other"),
            (vec![end()], "other"),
            // The records do not show the cause.
            (vec![failure(None), end()], now),
            (vec![failed(&[EACCES])], now),
            (vec![], now),
        ] {
            assert_eq!(shown(JobEnd::Exit(4), records.clone(), Vec::new()), wanted, "{records:#?}");
        }
        assert_eq!(shown(JobEnd::Exit(0), vec![end()], Vec::new()), "other");
        assert_eq!(shown(JobEnd::TimedOut, Vec::new(), Vec::new()), now);
        assert_eq!(shown(JobEnd::TimedOut, Vec::new(), vec![WaitingCall::default()]), "fault");
    }
}
