//! What a campaign does where its own files find no room: a test may have filled the file system that the
//! folder of evidence lies on.

use std::io::{self, ErrorKind};

use results::folder::{JobEnd, JobInfo, StagedJob};

use super::site::CampaignSite;
use super::{CampaignRequest, Trouble};
use crate::path_error::names_a_path;
use plan::schedule::PlannedJob;

/// Whether there was no room, in blocks, inodes or a quota.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Ends the folder of a job. Where there is no room for that, the job's files go first: as long as the job
/// has no folder, they would be made anew. Where another job was to find them, the job has not ended then.
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

/// Says of a campaign that found no room what lies where, and what to do.
pub(super) fn told(trouble: Trouble, asked: &CampaignRequest, site: &CampaignSite) -> Trouble {
    match trouble {
        Trouble::Io(error) if is_full(&error) => {
            let data: Vec<&str> = site.info.data.values().map(String::as_str).collect();
            let (data, folder) = (data.join(" and "), asked.folder.display());
            // What is written without a path of its own is evidence.
            let at = if names_a_path(&error) { String::new() } else { format!("{folder}: ") };
            let text = format!(
                "{at}{error}; the files under test are in {data}: make room there and go on with `assay run \
                 --resume {folder}`, or remove both and begin again with --campaigns on another file system"
            );
            Trouble::Io(io::Error::new(error.kind(), text))
        }
        trouble => trouble,
    }
}
