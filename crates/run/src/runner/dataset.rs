//! The datasets of a campaign: describes what a job created, reuses kept datasets, and checks a dataset
//! before each reader.
//!
//! Invariant: no test reads a dataset that changed since it was made.
//! Never here: what makes a dataset fit, keeping it for later campaigns.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use results::folder::{self, JobEnd, JobInfo, Manifest, StagedJob, names};
use results::reason::{Reason, reason};
use results::records;

use super::site::CampaignSite;
use super::{CampaignRequest, Trouble};
use crate::dataset::{self, KeptContent};
use crate::machine;
use crate::path_error::named;
use plan::schedule::{self, PlannedJob, Purpose};
use plan::{Plan, Test, dataset_check};

/// The task of the job of a dataset.
pub(super) enum DatasetTask {
    /// Create and describe it; with the reason why a kept one is not used.
    Makes(Option<Reason>),
    /// Nothing: an earlier campaign kept it, and it is intact.
    Finds(Box<Manifest>),
    /// Nothing: it cannot be created in its directory.
    Rejected(String),
}

impl DatasetTask {
    /// The task of a job that is about to start; `None` if it makes no dataset.
    pub(super) fn of(site: &CampaignSite, job: &PlannedJob) -> Result<Option<Self>, Trouble> {
        let Purpose::Dataset(_) = job.purpose else { return Ok(None) };
        let Some(held) = site.kept.of(&job.files) else { return Ok(Some(Self::Makes(None))) };
        let found = dataset::find(&held.dataset, &held.recipe, &held.kept)?;
        let why = match found {
            KeptContent::Whole(made) => return Ok(Some(Self::Finds(made))),
            KeptContent::Nothing => None,
            KeptContent::Unusable(why) => Some(why),
        };
        Ok(Some(match held.kept.begin()? {
            Ok(()) => Self::Makes(why),
            Err(rejected) => Self::Rejected(rejected.0),
        }))
    }

    /// Copies the output of the job that created the kept dataset into the folder of this job.
    pub(super) fn bring(site: &CampaignSite, job: &PlannedJob, staged: &Path) -> io::Result<()> {
        let Some(held) = site.kept.of(&job.files) else { return Ok(()) };
        for name in [names::STDOUT, names::STDERR, names::RECORDS] {
            let from = held.kept.original(name);
            fs::copy(&from, staged.join(name)).map_err(|error| named(&from, &error))?;
        }
        Ok(())
    }

    /// Adds the manifest to the folder of a job that ended well. A job that only found the dataset gets the
    /// command line and the environment of the job that created it.
    pub(super) fn conclude(
        self,
        asked: &CampaignRequest,
        site: &CampaignSite,
        (job, files): (&PlannedJob, &Path),
        staged: &StagedJob,
        info: &mut JobInfo,
    ) -> Result<Option<Manifest>, Trouble> {
        let made = match self {
            Self::Makes(why) if info.end == JobEnd::Exit(0) => {
                let made = described(asked, site, (job, files), &staged.dir())?;
                Some(Manifest { instead_of: why, ..made })
            }
            Self::Finds(made) => {
                let held = site.kept.of(&job.files);
                let kept = held.and_then(|held| fs::read(held.kept.original(names::JOB)).ok());
                if let Some(first) = kept.and_then(|text| serde_json::from_slice::<JobInfo>(&text).ok()) {
                    (info.argv, info.env) = (first.argv, first.env);
                }
                Some(*made)
            }
            _ => None,
        };
        if let Some(made) = &made {
            made.write(&staged.dir().join(names::DATASET))?;
        }
        Ok(made)
    }
}

/// The manifest of what the job of a dataset created.
fn described(
    asked: &CampaignRequest,
    site: &CampaignSite,
    (job, files): (&PlannedJob, &Path),
    staged: &Path,
) -> Result<Manifest, Trouble> {
    let Purpose::Dataset(index) = job.purpose else { unreachable!("only datasets have a task") };
    let made = &asked.plan.datasets[index];
    let recipe = match site.kept.of(&job.files) {
        Some(held) => held.recipe.clone(),
        None => {
            let fs = machine::file_system(&job.fs, files)?;
            dataset::recipe(made, &asked.tool, &fs, asked.data_key.as_ref())
        }
    };
    let records = records::load(&staged.join(names::RECORDS)).unwrap_or_default();
    let folder = asked.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Manifest {
        campaign: folder,
        campaign_started: site.info.started.clone(),
        ..dataset::described(made, recipe, files, &records)
    })
}

/// The dataset whose files `job` reads, by its place in the plan.
fn found_by(plan: &Plan, job: &PlannedJob) -> Option<usize> {
    let reads = matches!(job.purpose, Purpose::Test(_));
    plan.datasets.iter().position(|dataset| reads && dataset.files() == job.files)
}

/// Why the dataset that a test reads is not fit for it, if so. `folder` returns the folder of the job that
/// made it for this one.
pub(super) fn unfit(plan: &Plan, job: &PlannedJob, folder: &dyn Fn(&str) -> PathBuf) -> Option<Reason> {
    let (index, Purpose::Test(test)) = (found_by(plan, job)?, job.purpose) else { return None };
    let folder = folder(&plan.datasets[index].job());
    let made = Manifest::load(&folder.join(names::DATASET)).ok()?;
    let records = records::load(&folder.join(names::RECORDS)).unwrap_or_default();
    dataset_check::unfit(&plan.datasets[index], &plan.tests[test], &made, &records)
}

/// Why the dataset that a test reads has changed since it was made, if so, or cannot be checked.
pub(super) fn changed(asked: &CampaignRequest, job: &PlannedJob, files: &Path) -> Option<Reason> {
    let plan = &asked.plan;
    let index = found_by(plan, job)?;
    let who = plan.datasets[index].job();
    let folders = fs::read_dir(asked.folder.join(names::JOBS)).ok()?.flatten();
    let maker = folders.map(|entry| entry.path()).find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        path.join(names::JOB).exists()
            && !name.contains(".killed-")
            && folder::job_of(&name) == format!("{who}-r{}", job.repetition_of(&who))
    })?;
    let made = Manifest::load(&maker.join(names::DATASET)).ok()?;
    let writes = |test: &Test| test.line.writes() && schedule::files(plan, test, 1) == job.files;
    let rewritten = plan.tests.iter().any(writes);
    match dataset::changed(files, &made, rewritten) {
        Ok(what) => Some(reason!(DatasetChanged { dataset: who, ..what? })),
        Err(error) => Some(reason!(DatasetUnreadable { dataset: who, error: error.to_string() })),
    }
}
