//! The datasets of a campaign that are kept for later ones: held while it runs, put away when their last
//! reader has ended.
//!
//! Invariant: a dataset gets its place among those that are kept when its last reader has ended, whole; until
//! then no other campaign uses it.
//! Never here: what makes a dataset fit, what its job does.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use results::folder::{Manifest, Recipe, names};
use results::records;
use units::Usage;

use super::{CampaignRequest, Trouble};
use crate::dataset::{self, KeptDataset};
use crate::machine;
use crate::path_error::named;
use plan::schedule::{PlannedJob, Purpose};
use plan::{Dataset, dataset_check};

/// The datasets of a campaign that are kept, each held by it.
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
    /// The folder of the job that makes or finds it.
    job: PathBuf,
}

impl KeptDatasets {
    /// The dataset with these files, where it is kept.
    pub(super) fn of(&self, files: &str) -> Option<&HeldDataset> {
        self.held.get(files)
    }

    /// Takes hold of every dataset that `jobs` make and that is to be kept.
    pub(super) fn take(
        asked: &CampaignRequest,
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
                    let held = HeldDataset { kept, dataset: dataset.clone(), recipe, job };
                    keeping.held.insert(dataset.files(), held);
                }
                Err(rejected) => {
                    keeping.leave();
                    return Err(rejected.into());
                }
            }
        }
        Ok(keeping)
    }

    /// The jobs as far as they need room: what is kept already has its own.
    pub(super) fn beside(&self, jobs: &[PlannedJob]) -> Vec<PlannedJob> {
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

    /// Has `link` lead to the files that are kept; tells whether the job's files are.
    pub(super) fn lay(&self, files: &str, link: &Path) -> io::Result<bool> {
        let Some(held) = self.held.get(files) else { return Ok(false) };
        let files = held.kept.files();
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
                Err(error) => troubles.push(format!("{} is not kept: {error}", held.dataset.job())),
            }
        }
        if let Err(why) = held.kept.clear()? {
            troubles.push(why.0);
        }
        Ok(())
    }

    /// Has jobs inherit the locks, or nothing.
    pub(super) fn lend(&self, lent: bool) -> io::Result<()> {
        self.held.values().try_for_each(|held| held.kept.lend(lent))
    }

    /// Leaves the locks to a job that lives on.
    pub(super) fn outlived(&self) {
        self.held.values().for_each(|held| held.kept.outlived());
    }

    /// What is to be put right by hand.
    pub(super) fn troubles(&self) -> Vec<String> {
        self.troubles.take()
    }

    /// Takes away directories in which nothing is kept.
    pub(super) fn leave(&self) {
        self.held.values().for_each(|held| held.kept.leave());
    }
}
