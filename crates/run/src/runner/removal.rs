//! Removal of the files of jobs that no later job needs.
//!
//! Never here: which files belong to a campaign.

use super::site::CampaignSite;
use super::{Event, Trouble};
use plan::schedule::PlannedJob;

/// When a removal is tried again. A campaign that pauses or stops first does it when it has resumed.
const LATER: &str = "This is tried again at the end, or when the campaign resumes.";

/// Files of jobs that could not be removed after their job.
#[derive(Default)]
pub(super) struct LeftFiles<'j>(Vec<(&'j PlannedJob, &'j str)>);

impl<'j> LeftFiles<'j> {
    /// Removes what these jobs were the last to need. What cannot be removed is tried again at the end.
    pub(super) fn remove_after(
        &mut self,
        site: &CampaignSite,
        jobs: &'j [PlannedJob],
        observer: &mut dyn FnMut(&Event<'_>),
    ) -> Result<(), Trouble> {
        for (job, files) in jobs.iter().flat_map(|job| job.removes.iter().map(move |files| (job, files))) {
            if !removed(site, job, files, LATER, observer)? {
                self.0.push((job, files));
            }
        }
        Ok(())
    }

    /// Tries again. The file system of the files may have been offline for a while.
    pub(super) fn remove_at_end(
        self,
        site: &CampaignSite,
        observer: &mut dyn FnMut(&Event<'_>),
    ) -> Result<(), Trouble> {
        for (job, files) in self.0 {
            removed(site, job, files, "Remove them by hand.", observer)?;
        }
        Ok(())
    }
}

/// Removes files of a job. If they stay, this is reported with `advice`.
fn removed(
    site: &CampaignSite,
    job: &PlannedJob,
    files: &str,
    advice: &str,
    observer: &mut dyn FnMut(&Event<'_>),
) -> Result<bool, Trouble> {
    match site.remove_files(job, files) {
        Err(Trouble::Io(error)) => {
            observer(&Event::Trouble(&format!("{error}. The files there were not removed. {advice}")));
            Ok(false)
        }
        removed => removed.map(|()| true),
    }
}
