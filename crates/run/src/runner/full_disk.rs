//! What a campaign does if the file system of its evidence package, or of the files under test, is full or
//! read-only. A test may have filled it.

use std::io::{self, ErrorKind};

use results::folder::{self, JobEnd, JobInfo, StagedJob};

use super::site::CampaignSite;
use super::{CampaignRequest, Trouble};
use crate::path_error::names_a_path;
use plan::schedule::PlannedJob;

/// Whether blocks, inodes or a quota were used up.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Whether a file system takes no more writes, so that the campaign resumes after a change outside of it.
pub(super) fn takes_no_writes(error: &io::Error) -> bool {
    is_full(error) || error.kind() == ErrorKind::ReadOnlyFilesystem
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
