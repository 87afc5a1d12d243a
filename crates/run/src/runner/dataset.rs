//! What a campaign does about its datasets beside launching jobs: describes what one made, looks at it before
//! each reader, and takes it from where it is kept and puts it there.
//!
//! Invariant: a dataset gets its place among those that are kept when its last reader has ended, whole; until
//! then it is nobody's but this campaign's.
//! Never here: what makes a dataset fit.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use results::folder::{self, JobEnd, JobInfo, Manifest, Recipe, StagedJob, names};
use results::reason::{Code, Reason};
use results::records;
use units::Usage;

use super::site::{CampaignSite, named};
use super::{Campaigning, Trouble};
use crate::dataset::{self, KeptContent, KeptDataset};
use crate::machine;
use plan::schedule::{self, PlannedJob, Purpose};
use plan::{Dataset, Plan, Test, dataset_check};

/// The datasets of a campaign that are kept, each held by it.
#[derive(Default)]
pub(super) struct KeptDatasets {
    shelves: BTreeMap<String, HeldDataset>,
    troubles: RefCell<Vec<String>>,
}

/// One of them.
struct HeldDataset {
    kept: KeptDataset,
    dataset: Dataset,
    recipe: Recipe,
    /// The folder of the job that makes or finds it.
    job: PathBuf,
}

impl KeptDatasets {
    /// Takes hold of every dataset that `jobs` make and that is to be kept.
    pub(super) fn take(
        asked: &Campaigning,
        jobs: &[PlannedJob],
        dirs: &[(String, PathBuf)],
    ) -> Result<Self, Trouble> {
        let mut keeping = Self::default();
        for job in jobs {
            let Purpose::Dataset(index) = job.purpose else { continue };
            let dataset = &asked.plan.datasets[index];
            let dir = dirs.iter().find(|(fs, _)| *fs == dataset.fs).map(|(_, dir)| dir);
            let (Some(_), Some(dir)) = (dataset.keep_s, dir) else { continue };
            let recipe = dataset::recipe(dataset, &asked.tool, &machine::file_system(&dataset.fs, dir)?);
            let name = KeptDataset::name(&dataset.name, &dataset::hash(&recipe));
            let unmade = |error| Usage(format!("{error}; datasets that are kept lie there"));
            match KeptDataset::take(dir, &name, &asked.folder).unwrap_or_else(|error| Err(unmade(error))) {
                Ok(kept) => {
                    let job = asked.folder.join(names::JOBS).join(&job.folder);
                    let shelf = HeldDataset { kept, dataset: dataset.clone(), recipe, job };
                    keeping.shelves.insert(dataset.files(), shelf);
                }
                Err(refused) => {
                    keeping.leave();
                    return Err(refused.into());
                }
            }
        }
        Ok(keeping)
    }

    /// The jobs as far as they need room: what is kept already has its own.
    pub(super) fn beside(&self, jobs: &[PlannedJob]) -> Vec<PlannedJob> {
        let mut jobs = jobs.to_vec();
        for job in &mut jobs {
            let made = self.shelves.get(&job.files).and_then(|shelf| shelf.kept.manifest().ok());
            if let Some(made) = made.filter(|_| job.makes_files) {
                job.holds_bytes = job.holds_bytes.saturating_sub(made.allocated_bytes.unwrap_or(made.bytes));
                job.holds_names = job.holds_names.saturating_sub(made.files + made.counted.len() as u64);
            }
        }
        jobs
    }

    /// Has `link` lead to the files that are kept; tells whether the job's files are.
    pub(super) fn lay(&self, files: &str, link: &Path) -> io::Result<bool> {
        let Some(shelf) = self.shelves.get(files) else { return Ok(false) };
        let files = shelf.kept.files();
        let lay = || {
            fs::create_dir_all(link.parent().unwrap_or(link))?;
            fs::create_dir_all(&files)?;
            symlink(&files, link)
        };
        lay().map_err(|error| named(link, &error))?;
        Ok(true)
    }

    /// Has the files of a dataset found by later campaigns where they are whole and as they were, and else
    /// takes them away. What is kept already stays.
    pub(super) fn put_away(&self, files: &str) -> io::Result<()> {
        let Some(shelf) = self.shelves.get(files).filter(|shelf| !shelf.kept.is_finished()) else {
            return Ok(());
        };
        let records = records::load(&shelf.job.join(names::RECORDS)).unwrap_or_default();
        let fit = Manifest::load(&shelf.job.join(names::DATASET)).is_ok_and(|made| {
            dataset_check::lacking(&shelf.dataset, &made, &records).is_none()
                && dataset::changed(&shelf.kept.files(), &made, false).is_ok_and(|what| what.is_none())
        });
        let mut troubles = self.troubles.borrow_mut();
        if fit {
            match shelf.kept.finish(&shelf.job) {
                Ok(()) => return Ok(()),
                Err(error) => troubles.push(format!("{} is not kept: {error}", shelf.dataset.job())),
            }
        }
        if let Err(why) = shelf.kept.clear()? {
            troubles.push(why.0);
        }
        Ok(())
    }

    /// Has jobs inherit the locks, or nothing.
    pub(super) fn lend(&self, lent: bool) -> io::Result<()> {
        self.shelves.values().try_for_each(|shelf| shelf.kept.lend(lent))
    }

    /// Leaves the locks to a job that lives on.
    pub(super) fn outlived(&self) {
        self.shelves.values().for_each(|shelf| shelf.kept.outlived());
    }

    /// What is to be put right by hand.
    pub(super) fn troubles(&self) -> Vec<String> {
        self.troubles.take()
    }

    /// Takes away directories in which nothing is kept.
    pub(super) fn leave(&self) {
        self.shelves.values().for_each(|shelf| shelf.kept.leave());
    }
}

/// What the job of a dataset has to do.
pub(super) enum Turn {
    /// Make it, and describe it; with the reason why what was kept is not used.
    Makes(Option<Reason>),
    /// Nothing: what an earlier campaign kept is whole.
    Finds(Box<Manifest>),
    /// It cannot be made where it is to lie.
    Refused(String),
}

impl Turn {
    /// The turn of a job that is about to begin; `None` of one that makes no dataset.
    pub(super) fn of(site: &CampaignSite, job: &PlannedJob) -> Result<Option<Self>, Trouble> {
        let Purpose::Dataset(_) = job.purpose else { return Ok(None) };
        let Some(shelf) = site.keeping.shelves.get(&job.files) else { return Ok(Some(Self::Makes(None))) };
        let found = dataset::find(&shelf.dataset, &shelf.recipe, &shelf.kept)?;
        let why = match found {
            KeptContent::Whole(made) => return Ok(Some(Self::Finds(made))),
            KeptContent::Nothing => None,
            KeptContent::Unusable(why) => Some(why),
        };
        Ok(Some(match shelf.kept.begin()? {
            Ok(()) => Self::Makes(why),
            Err(refused) => Self::Refused(refused.0),
        }))
    }

    /// Puts into the job's folder what the job left that made what is kept.
    pub(super) fn bring(site: &CampaignSite, job: &PlannedJob, staged: &Path) -> io::Result<()> {
        let Some(shelf) = site.keeping.shelves.get(&job.files) else { return Ok(()) };
        for name in [names::STDOUT, names::STDERR, names::RECORDS] {
            let from = shelf.kept.original(name);
            fs::copy(&from, staged.join(name)).map_err(|error| named(&from, &error))?;
        }
        Ok(())
    }

    /// Adds the manifest to the folder of a job that has ended well, and what was launched then to the facts
    /// of one that only found it.
    pub(super) fn conclude(
        self,
        asked: &Campaigning,
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
                let shelf = site.keeping.shelves.get(&job.files);
                let kept = shelf.and_then(|shelf| fs::read(shelf.kept.original(names::JOB)).ok());
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
    asked: &Campaigning,
    site: &CampaignSite,
    (job, files): (&PlannedJob, &Path),
    staged: &Path,
) -> Result<Manifest, Trouble> {
    let Purpose::Dataset(index) = job.purpose else { unreachable!("only datasets have a turn") };
    let made = &asked.plan.datasets[index];
    let recipe = match site.keeping.shelves.get(&job.files) {
        Some(shelf) => shelf.recipe.clone(),
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
pub(super) fn changed(asked: &Campaigning, job: &PlannedJob, files: &Path) -> Option<Reason> {
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
