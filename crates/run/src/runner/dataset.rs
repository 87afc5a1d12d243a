//! What a campaign does about its datasets beside launching jobs: describes what one made, takes from
//! those that are kept, and looks at it before each reader.
//!
//! Invariant: a dataset that changed since it was made is read by no test.
//! Never here: what makes a dataset fit, keeping it for later campaigns.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use results::folder::{self, JobEnd, JobInfo, Manifest, StagedJob, names};
use results::reason::{Code, Reason};
use results::records;

use super::site::CampaignSite;
use super::{CampaignRequest, Trouble};
use crate::dataset::{self, KeptContent};
use crate::machine;
use crate::path_error::named;
use plan::schedule::{self, PlannedJob, Purpose};
use plan::{Plan, Test, dataset_check};

/// What the job of a dataset has to do.
pub(super) enum DatasetTask {
    /// Make it, and describe it; with the reason why what was kept is not used.
    Makes(Option<Reason>),
    /// Nothing: what an earlier campaign kept is whole.
    Finds(Box<Manifest>),
    /// It cannot be made where it is to lie.
    Rejected(String),
}

impl DatasetTask {
    /// The turn of a job that is about to begin; `None` of one that makes no dataset.
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

    /// Puts into the job's folder what the job left that made what is kept.
    pub(super) fn bring(site: &CampaignSite, job: &PlannedJob, staged: &Path) -> io::Result<()> {
        let Some(held) = site.kept.of(&job.files) else { return Ok(()) };
        for name in [names::STDOUT, names::STDERR, names::RECORDS] {
            let from = held.kept.original(name);
            fs::copy(&from, staged.join(name)).map_err(|error| named(&from, &error))?;
        }
        Ok(())
    }

    /// Adds the manifest to the folder of a job that has ended well, and what was launched then to the facts
    /// of one that only found it.
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

/// What the job of a dataset made.
fn described(
    asked: &CampaignRequest,
    site: &CampaignSite,
    (job, files): (&PlannedJob, &Path),
    staged: &Path,
) -> Result<Manifest, Trouble> {
    let Purpose::Dataset(index) = job.purpose else { unreachable!("only datasets have a turn") };
    let made = &asked.plan.datasets[index];
    let recipe = match site.kept.of(&job.files) {
        Some(held) => held.recipe.clone(),
        None => dataset::recipe(made, &asked.tool, &machine::file_system(&job.fs, files)?),
    };
    let records = records::load(&staged.join(names::RECORDS)).unwrap_or_default();
    let folder = asked.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Manifest {
        campaign: folder,
        campaign_started: site.info.started.clone(),
        ..dataset::described(made, recipe, files, &records)
    })
}

/// The dataset whose files `job` finds, by its place in the plan.
fn found_by(plan: &Plan, job: &PlannedJob) -> Option<usize> {
    let reads = matches!(job.purpose, Purpose::Test(_));
    plan.datasets.iter().position(|dataset| reads && dataset.files() == job.files)
}

/// Why the dataset that a test is to read is not fit for it, if so; `folder` gives that of the first
/// repetition of a job.
pub(super) fn unfit(plan: &Plan, job: &PlannedJob, folder: &dyn Fn(&str) -> PathBuf) -> Option<Reason> {
    let (index, Purpose::Test(test)) = (found_by(plan, job)?, job.purpose) else { return None };
    let folder = folder(&plan.datasets[index].job());
    let made = Manifest::load(&folder.join(names::DATASET)).ok()?;
    let records = records::load(&folder.join(names::RECORDS)).unwrap_or_default();
    dataset_check::unfit(&plan.datasets[index], &plan.tests[test], &made, &records)
}

/// Why the dataset that a test is to read is not as it was made, if so, or cannot be looked at.
pub(super) fn changed(asked: &CampaignRequest, job: &PlannedJob, files: &Path) -> Option<Reason> {
    let plan = &asked.plan;
    let index = found_by(plan, job)?;
    let who = plan.datasets[index].job();
    let folders = fs::read_dir(asked.folder.join(names::JOBS)).ok()?.flatten();
    let maker = folders.map(|entry| entry.path()).find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        path.join(names::JOB).exists()
            && !name.contains(".killed-")
            && folder::job_of(&name) == format!("{who}-r1")
    })?;
    let made = Manifest::load(&maker.join(names::DATASET)).ok()?;
    let writes = |test: &Test| test.line.writes() && schedule::files(plan, test, 1) == job.files;
    let rewritten = plan.tests.iter().any(writes);
    match dataset::changed(files, &made, rewritten) {
        Ok(what) => Some(what?.with("dataset", who)),
        Err(error) => {
            Some(Reason::new(Code::DatasetUnreadable).with("dataset", who).with("error", error.to_string()))
        }
    }
}
