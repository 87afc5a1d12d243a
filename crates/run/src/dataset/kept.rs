//! Datasets that are kept for later campaigns, on the file system under test:
//!
//! ```text
//! DIR/assay-datasets/
//!   NAME-HASH/             a dataset, with the first digits of the hash of its recipe
//!     .assay-dataset       the mark: it names the campaign that started the dataset, and is the lock
//!     dataset.json         its manifest, written last: without it the files are unfinished
//!     records.jsonl …      the output of the job that created it
//!     files/               its files
//! ```
//!
//! Invariant: the owner of a [`KeptDataset`] is the only one, on this node and wherever the file system has
//! locks. A file or directory is not removed if it has another mark, belongs to another user, or is missing
//! in the manifest.
//! Never here: whether a dataset is fit.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use results::folder::{Manifest, names};
use units::Usage;

use super::walk;
use crate::inherited_lock::InheritedLock;
use crate::path_error::{gone, named};

/// The directory of all kept datasets, below the directory under test.
pub(super) const DATASETS_DIR: &str = "assay-datasets";
/// The mark in that directory.
const PARENT_MARK: &str = ".assay-datasets";
/// The mark and lock of a dataset.
const MARK: &str = ".assay-dataset";
/// The directory of its files.
const FILES: &str = "files";
/// The output of the job that created it.
const ORIGINALS: [&str; 4] = [names::JOB, names::RECORDS, names::STDERR, names::STDOUT];
/// The number of digits of the hash in the name.
const HASH_DIGITS: usize = 12;

/// A kept dataset, locked until dropped.
pub struct KeptDataset {
    dir: PathBuf,
    lock: InheritedLock,
}

impl KeptDataset {
    /// The name of the directory of a dataset.
    pub fn name(dataset: &str, recipe_sha256: &str) -> String {
        format!("{dataset}-{}", &recipe_sha256[..HASH_DIGITS.min(recipe_sha256.len())])
    }

    /// Locks the dataset called `name` on the file system of `root` for the campaign in `folder`, and creates
    /// its directory if it is missing. Rejects a dataset that another campaign has locked.
    pub fn take(root: &Path, name: &str, folder: &Path) -> io::Result<Result<Self, Usage>> {
        let parent = root.join(DATASETS_DIR);
        match fs::create_dir(&parent) {
            Ok(()) => fs::write(parent.join(PARENT_MARK), "made by assay for datasets that are kept\n")?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(named(&parent, &error)),
        }
        let dir = parent.join(name);
        match fs::create_dir(&dir) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(named(&dir, &error)),
            _ => {}
        }
        let kept = match Self::lock(&dir)? {
            Ok(kept) => kept,
            Err(rejected) => return Ok(Err(rejected)),
        };
        if kept.is_finished() {
            return Ok(Ok(kept));
        }
        let begun = kept.campaign();
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let (other, at) = (Path::new(&begun), dir.display());
        let can_resume =
            other != folder && other.join(names::CAMPAIGN).exists() && !other.join(names::VERDICTS).exists();
        if can_resume {
            return Ok(Err(Usage(format!(
                "{at} is an unfinished dataset of the stopped campaign in {begun}. Resume that campaign with \
                 `assay run --resume {begun}`, or remove the dataset with `assay datasets {} --remove \
                 {name}`.",
                root.display()
            ))));
        }
        let text = format!("{}campaign {}\n", mark_of(&dir), folder.display());
        fs::write(dir.join(MARK), text).map_err(|error| named(&dir, &error))?;
        Ok(Ok(kept))
    }

    /// Locks the dataset in `dir`, which exists.
    pub(super) fn lock(dir: &Path) -> io::Result<Result<Self, Usage>> {
        let at = dir.display();
        if !is_own(dir) {
            return Ok(Err(Usage(format!(
                "{at}/{MARK} does not say that assay created this directory. Nothing was changed there."
            ))));
        }
        let path = dir.join(MARK);
        for _ in 0..100 {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = options.open(&path).map_err(|error| named(&path, &error))?;
            let Some(lock) = InheritedLock::take(file).map_err(|error| named(&path, &error))? else { break };
            // The previous owner may have removed it meanwhile.
            let here = path.metadata().is_ok_and(|found| {
                lock.file()
                    .metadata()
                    .is_ok_and(|held| (held.dev(), held.ino()) == (found.dev(), found.ino()))
            });
            if here {
                return Ok(Ok(Self { dir: dir.to_owned(), lock }));
            }
            if !dir.is_dir() {
                fs::create_dir(dir)?;
            }
        }
        Ok(Err(Usage(format!(
            "{at}: another campaign, or a job that it left behind, still works on this dataset. Wait until \
             it ends. To find the process, run `fuser {at}/{MARK}`."
        ))))
    }

    /// Lets processes that are started from now on inherit the lock, or not. A job that is alive after its
    /// campaign still reads or writes the files.
    pub fn lend(&self, lent: bool) -> io::Result<()> {
        self.lock.lend(lent)
    }

    /// Leaves the lock to a job that is still alive.
    pub fn outlived(&self) {
        self.lock.leave();
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The directory of its files.
    pub fn files(&self) -> PathBuf {
        self.dir.join(FILES)
    }

    /// Whether it is finished, so that it has a manifest.
    pub fn is_finished(&self) -> bool {
        self.dir.join(names::DATASET).exists()
    }

    /// Whether a campaign has started to create files in it.
    pub fn is_begun(&self) -> bool {
        self.files().exists()
    }

    /// Its manifest, if it is finished.
    pub fn manifest(&self) -> io::Result<Manifest> {
        Manifest::load(&self.dir.join(names::DATASET))
    }

    /// The folder of the campaign that started it; empty if it is not known.
    pub fn campaign(&self) -> String {
        let text = fs::read_to_string(self.dir.join(MARK)).unwrap_or_default();
        text.lines().find_map(|line| line.strip_prefix("campaign ")).unwrap_or_default().to_owned()
    }

    /// A file of the job that created it.
    pub fn original(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Removes everything in it except the mark, and creates an empty directory for its files. Rejects a
    /// dataset that contains other files, and then removes nothing.
    pub fn begin(&self) -> io::Result<Result<(), Usage>> {
        if let Err(rejected) = self.clear()? {
            return Ok(Err(rejected));
        }
        fs::create_dir(self.files()).map_err(|error| named(&self.files(), &error))?;
        Ok(Ok(()))
    }

    /// Removes everything in it except the mark, or rejects it as [`KeptDataset::begin`] does.
    pub fn clear(&self) -> io::Result<Result<(), Usage>> {
        if let Some(why) = self.not_removable()? {
            return Ok(Err(Usage(why)));
        }
        // The manifest is removed first: a partly removed dataset must not look complete.
        for name in [names::DATASET].iter().chain(&ORIGINALS) {
            gone(fs::remove_file(self.dir.join(name)), &self.dir.join(name))?;
        }
        gone(fs::remove_dir_all(self.files()), &self.files())?;
        Ok(Ok(()))
    }

    /// The reason why it must not be removed, if there is one.
    fn not_removable(&self) -> io::Result<Option<String>> {
        let at = self.dir.display();
        if self.dir.metadata()?.uid() != rustix::process::geteuid().as_raw() {
            return Ok(Some(format!("{at} belongs to another user. Only that user may remove it.")));
        }
        let foreign = |name: String| {
            format!("{at}/{name} is not part of the dataset but would be removed with it. Move it first.")
        };
        let part = format!(".{}.part", names::DATASET);
        let own = [MARK, FILES, names::DATASET, &part];
        for entry in fs::read_dir(&self.dir)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name == part {
                gone(fs::remove_file(self.dir.join(&name)), &self.dir)?;
            } else if !own.contains(&name.as_str()) && !ORIGINALS.contains(&name.as_str()) {
                return Ok(Some(foreign(name)));
            }
        }
        match self.manifest() {
            Ok(made) => {
                Ok(walk::unlisted(&self.files(), &made)?.map(|name| foreign(format!("{FILES}/{name}"))))
            }
            // All files of an unfinished dataset belong to its job.
            Err(_) => Ok(None),
        }
    }

    /// Completes it for later campaigns, with the files in `job`, the folder of the job that created it.
    pub fn finish(&self, job: &Path) -> io::Result<()> {
        for name in ORIGINALS {
            let from = job.join(name);
            if from.exists() {
                let to = self.dir.join(name);
                fs::copy(&from, &to).and_then(|_| File::open(&to)?.sync_all()).map_err(|e| named(&to, &e))?;
            }
        }
        Manifest::load(&job.join(names::DATASET))?.write(&self.dir.join(names::DATASET))
    }

    /// Removes its directory.
    pub(super) fn remove(&self) -> io::Result<Result<(), Usage>> {
        if let Err(rejected) = self.clear()? {
            return Ok(Err(rejected));
        }
        self.leave();
        Ok(Ok(()))
    }

    /// Removes the directories that are empty.
    pub fn leave(&self) {
        let (left, parent) = (entries(&self.dir), self.dir.parent().unwrap_or(&self.dir));
        if left == [MARK] {
            let _ = fs::remove_file(self.dir.join(MARK)).and_then(|()| fs::remove_dir(&self.dir));
        }
        if entries(parent) == [PARENT_MARK] {
            let _ = fs::remove_file(parent.join(PARENT_MARK)).and_then(|()| fs::remove_dir(parent));
        }
    }
}

/// The first line of the mark of the dataset in `dir`.
fn mark_of(dir: &Path) -> String {
    format!("assay dataset {}\n", dir.file_name().unwrap_or_default().to_string_lossy())
}

/// Whether assay created the directory: its mark has its name, or it is still empty.
pub(super) fn is_own(dir: &Path) -> bool {
    match fs::read_to_string(dir.join(MARK)) {
        Ok(text) => text.starts_with(&mark_of(dir)) || text.is_empty(),
        Err(_) => entries(dir).is_empty() && dir.is_dir(),
    }
}

fn entries(dir: &Path) -> Vec<String> {
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
