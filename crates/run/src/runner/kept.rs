//! The datasets of a campaign that are kept for later campaigns. They are locked while it runs, and kept
//! after their last reader has ended.
//!
//! Invariant: a dataset becomes a kept one when its last reader has ended and it is intact. Until then no
//! other campaign uses it.
//! Never here: what makes a dataset fit, the work of its job.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use results::folder::{Manifest, Recipe, names};
use results::records;
use units::Usage;

use super::{CampaignRequest, Trouble, takes_no_writes};
use crate::dataset::{self, KeptDataset};
use crate::machine;
use crate::path_error::named;
use plan::schedule::{PlannedJob, Purpose};
use plan::{Dataset, dataset_check};

/// The kept datasets of a campaign, each locked by it.
#[derive(Default)]
pub(super) struct KeptDatasets {
    held: BTreeMap<String, HeldDataset>,
    troubles: RefCell<Vec<String>>,
}

/// One of them.
pub(super) struct HeldDataset {
    pub(super) kept: KeptDataset,
    pub(super) dataset: Dataset,
    pub(super) recipe: Recipe,
    /// The folder of the job that creates or finds it.
    job: PathBuf,
}

impl KeptDatasets {
    /// The dataset with these files, if it is kept.
    pub(super) fn of(&self, files: &str) -> Option<&HeldDataset> {
        self.held.get(files)
    }

    /// Locks every dataset that `jobs` create and that the plan keeps.
    pub(super) fn take(
        asked: &CampaignRequest,
        jobs: &[PlannedJob],
        dirs: &[(String, PathBuf)],
    ) -> Result<Self, Trouble> {
        let mut all = Self::default();
        for job in jobs {
            let Purpose::Dataset(index) = job.purpose else { continue };
            let dataset = &asked.plan.datasets[index];
            let dir = dirs.iter().find(|(fs, _)| *fs == dataset.fs).map(|(_, dir)| dir);
            let (Some(_), Some(dir)) = (dataset.keep_s, dir) else { continue };
            let fs = machine::file_system(&dataset.fs, dir)?;
            let recipe = dataset::recipe(dataset, &asked.tool, &fs, asked.data_key.as_ref());
            let name = KeptDataset::name(&dataset.name, &dataset::hash(&recipe));
            let taken = match KeptDataset::take(dir, &name, &asked.folder) {
                Err(error) if asked.resume && takes_no_writes(&error) => return Err(error.into()),
                taken => taken.unwrap_or_else(|error| {
                    let need = "Kept datasets are stored there, so you need write permission.";
                    Err(Usage(format!("{error}. {need}")))
                }),
            };
            match taken {
                Ok(kept) => {
                    let job = asked.folder.join(names::JOBS).join(&job.folder);
                    let held = HeldDataset { kept, dataset: dataset.clone(), recipe, job };
                    all.held.insert(dataset.files(), held);
                }
                Err(rejected) => {
                    all.leave();
                    return Err(rejected.into());
                }
            }
        }
        Ok(all)
    }

    /// The jobs with the space that they still need: kept files already have theirs.
    pub(super) fn space_needed(&self, jobs: &[PlannedJob]) -> Vec<PlannedJob> {
        let mut jobs = jobs.to_vec();
        for job in &mut jobs {
            let made = self.held.get(&job.files).and_then(|held| held.kept.manifest().ok());
            if let Some(made) = made.filter(|_| job.makes_files) {
                job.holds_bytes = job.holds_bytes.saturating_sub(made.allocated_bytes.unwrap_or(made.bytes));
                job.holds_names = job.holds_names.saturating_sub(made.files + made.counted.len() as u64);
            }
        }
        jobs
    }

    /// Makes `link` a link to the kept files. Returns whether the files of the job are kept.
    pub(super) fn link(&self, files: &str, link: &Path) -> io::Result<bool> {
        let Some(held) = self.held.get(files) else { return Ok(false) };
        let files = held.kept.files();
        let create = || {
            fs::create_dir_all(link.parent().unwrap_or(link))?;
            fs::create_dir_all(&files)?;
            symlink(&files, link)
        };
        create().map_err(|error| named(link, &error))?;
        Ok(true)
    }

    /// Keeps the files of a dataset for later campaigns if they are intact, and removes them otherwise. An
    /// already kept dataset stays.
    pub(super) fn keep_or_remove(&self, files: &str) -> io::Result<()> {
        let Some(held) = self.held.get(files).filter(|held| !held.kept.is_finished()) else {
            return Ok(());
        };
        let records = records::load(&held.job.join(names::RECORDS)).unwrap_or_default();
        let fit = Manifest::load(&held.job.join(names::DATASET)).is_ok_and(|made| {
            dataset_check::lacking(&held.dataset, &made, &records).is_none()
                && dataset::changed(&held.kept.files(), &made, false).is_ok_and(|what| what.is_none())
        });
        let mut troubles = self.troubles.borrow_mut();
        if fit {
            match held.kept.finish(&held.job) {
                Ok(()) => return Ok(()),
                Err(error) => troubles.push(format!("{} was not kept: {error}", held.dataset.job())),
            }
        }
        if let Err(why) = held.kept.clear()? {
            troubles.push(why.0);
        }
        Ok(())
    }

    /// Lets jobs inherit the locks, or not.
    pub(super) fn lend(&self, lent: bool) -> io::Result<()> {
        self.held.values().try_for_each(|held| held.kept.lend(lent))
    }

    /// Leaves the locks to a job that is still alive.
    pub(super) fn outlived(&self) {
        self.held.values().for_each(|held| held.kept.outlived());
    }

    /// Problems that the user must correct by hand.
    pub(super) fn troubles(&self) -> Vec<String> {
        self.troubles.take()
    }

    /// Removes the directories that contain no kept dataset.
    pub(super) fn leave(&self) {
        self.held.values().for_each(|held| held.kept.leave());
    }
}
