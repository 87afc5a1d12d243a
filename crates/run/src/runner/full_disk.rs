//! What a campaign does if the file system of its evidence package, or of the files under test, is full or
//! read-only. A test may have filled it.

use std::io::{self, ErrorKind};
use std::path::Path;

use results::folder::{self, JobEnd, JobInfo, StagedJob, names};
use results::record::{ErrorCause, FailedCall, Failure, Record};
use results::records;

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

/// Why a job that failed has no result: the file system or quota of its files or of its folder `dir` was used
/// up. Its records have the failed call. A program without records leaves no free space.
pub(super) fn met_by(job: &PlannedJob, files: &Path, dir: &Path, end: &JobEnd) -> Option<io::Error> {
    if matches!(end, JobEnd::Exit(0) | JobEnd::NotStarted) {
        return None;
    }
    // Records that cannot be read have no failed call.
    let records = records::load(&dir.join(names::RECORDS)).unwrap_or_default();
    let failed = records.iter().find_map(|record| match record {
        Record::Failure(Failure { rank, node, call: Some(call), .. }) => {
            Some((call.clone(), *rank, node)).filter(|(call, ..)| is_full_call(call))
        }
        Record::Phase(phase) => {
            let mut listed = phase.failed.as_ref()?.first.iter().map(|one| (one.call(), one.rank, &one.node));
            listed.find(|(call, ..)| is_full_call(call))
        }
        _ => None,
    });
    if let Some((call, rank, node)) = failed {
        let full = io::Error::from_raw_os_error(call.errno.unwrap_or_default());
        let text = full.to_string();
        let text = text.split(" (os error").next().unwrap_or_default();
        let text = format!("{text} (rank {rank} on {node} in job {})", job.folder);
        return Some(named(Path::new(&call.path), &io::Error::new(full.kind(), text)));
    }
    let full = [files, dir].into_iter().find(|dir| has_no_space(dir))?;
    let text = format!("No space left on device (after job {} failed)", job.folder);
    Some(named(full, &io::Error::new(ErrorKind::StorageFull, text)))
}

fn is_full_call(call: &FailedCall) -> bool {
    call.cause() == ErrorCause::Full
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
