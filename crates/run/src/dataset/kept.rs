//! Datasets that are kept for later campaigns, beside those on the file system under test:
//!
//! ```text
//! DIR/assay-datasets/
//!   NAME-HASH/             a dataset, with the beginning of its recipe's hash
//!     .assay-dataset       says so, names the campaign that began it, and is the lock
//!     dataset.json         its manifest, written last: without it the files were never finished
//!     records.jsonl …      what the job that made it left
//!     files/               its files
//! ```
//!
//! Invariant: whoever holds a [`KeptDataset`] is alone with it, on this node and where the file system has
//! locks; nothing is removed that carries another mark, belongs to another user, or is no part of the
//! manifest.
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

/// Where all of them lie, below the directory under test.
pub(super) const HOME: &str = "assay-datasets";
/// Says in that directory that it was made for them.
const HOME_MARK: &str = ".assay-datasets";
/// The mark and lock of one.
const MARK: &str = ".assay-dataset";
/// Its files.
const FILES: &str = "files";
/// What the job that made it left.
const ORIGINALS: [&str; 4] = [names::JOB, names::RECORDS, names::STDERR, names::STDOUT];
/// Letters of the hash that stand in the name.
const LETTERS: usize = 12;

/// A kept dataset that nobody else works on, until dropped.
pub struct KeptDataset {
    dir: PathBuf,
    lock: InheritedLock,
}

impl KeptDataset {
    /// The name of the directory of a dataset.
    pub fn name(dataset: &str, recipe_sha256: &str) -> String {
        format!("{dataset}-{}", &recipe_sha256[..LETTERS.min(recipe_sha256.len())])
    }

    /// Takes hold of the dataset called `name` on the file system of `root` for the campaign in `folder`;
    /// makes its directory where there is none. Says no where another campaign has it.
    pub fn take(root: &Path, name: &str, folder: &Path) -> io::Result<Result<Self, Usage>> {
        let home = root.join(HOME);
        match fs::create_dir(&home) {
            Ok(()) => fs::write(home.join(HOME_MARK), "made by assay for datasets that are kept\n")?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(named(&home, &error)),
        }
        let dir = home.join(name);
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
        let goes_on =
            other != folder && other.join(names::CAMPAIGN).exists() && !other.join(names::VERDICTS).exists();
        if goes_on {
            return Ok(Err(Usage(format!(
                "{at} is half made by the campaign in {begun}, which was stopped; go on with that one \
                 (`assay run --resume {begun}`), or take what it left away with `assay datasets {} \
                 --remove {name}`",
                root.display()
            ))));
        }
        let text = format!("{}campaign {}\n", mark_of(&dir), folder.display());
        fs::write(dir.join(MARK), text).map_err(|error| named(&dir, &error))?;
        Ok(Ok(kept))
    }

    /// Takes hold of the dataset in `dir`, which exists.
    pub(super) fn lock(dir: &Path) -> io::Result<Result<Self, Usage>> {
        let at = dir.display();
        if !is_own(dir) {
            return Ok(Err(Usage(format!(
                "{at}/{MARK} does not say that assay made this directory; nothing is touched"
            ))));
        }
        let path = dir.join(MARK);
        for _ in 0..100 {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = options.open(&path).map_err(|error| named(&path, &error))?;
            let Some(lock) = InheritedLock::take(file).map_err(|error| named(&path, &error))? else { break };
            // Whoever had it may have removed it meanwhile.
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
            "{at}: another campaign, or a job that outlived one, works on this dataset; wait for its end \
             (`fuser {at}/{MARK}` names it)"
        ))))
    }

    /// Has what is started from now on inherit the lock, or not: a job that outlives its campaign still reads
    /// or writes the files.
    pub fn lend(&self, lent: bool) -> io::Result<()> {
        self.lock.lend(lent)
    }

    /// Leaves the lock to a job that lives on.
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

    /// Whether it was finished, so that it has a manifest.
    pub fn is_finished(&self) -> bool {
        self.dir.join(names::DATASET).exists()
    }

    /// Whether anything lies there that a campaign began.
    pub fn is_begun(&self) -> bool {
        self.files().exists()
    }

    /// Its manifest, if it was finished.
    pub fn manifest(&self) -> io::Result<Manifest> {
        Manifest::load(&self.dir.join(names::DATASET))
    }

    /// The folder of the campaign that began it; empty where that is not known.
    pub fn campaign(&self) -> String {
        let text = fs::read_to_string(self.dir.join(MARK)).unwrap_or_default();
        text.lines().find_map(|line| line.strip_prefix("campaign ")).unwrap_or_default().to_owned()
    }

    /// A file that the job left which made it.
    pub fn original(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Takes away all that is in it but the mark, and makes an empty directory for its files. Says no, with
    /// nothing removed, where something lies in it that it did not bring.
    pub fn begin(&self) -> io::Result<Result<(), Usage>> {
        if let Err(rejected) = self.clear()? {
            return Ok(Err(rejected));
        }
        fs::create_dir(self.files()).map_err(|error| named(&self.files(), &error))?;
        Ok(Ok(()))
    }

    /// Takes away all that is in it but the mark, or says no, as [`KeptDataset::begin`] does.
    pub fn clear(&self) -> io::Result<Result<(), Usage>> {
        if let Some(why) = self.strange()? {
            return Ok(Err(Usage(why)));
        }
        // The manifest first: what is half removed must not look whole.
        for name in [names::DATASET].iter().chain(&ORIGINALS) {
            gone(fs::remove_file(self.dir.join(name)), &self.dir.join(name))?;
        }
        gone(fs::remove_dir_all(self.files()), &self.files())?;
        Ok(Ok(()))
    }

    /// What is in the way of removing it, if anything is.
    fn strange(&self) -> io::Result<Option<String>> {
        let at = self.dir.display();
        if self.dir.metadata()?.uid() != rustix::process::geteuid().as_raw() {
            return Ok(Some(format!("{at} belongs to another user; it is for that one to remove")));
        }
        let strange = |name: String| {
            format!("{at}/{name} is no part of the dataset, and would go with it; take it away first")
        };
        let part = format!(".{}.part", names::DATASET);
        let own = [MARK, FILES, names::DATASET, &part];
        for entry in fs::read_dir(&self.dir)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name == part {
                gone(fs::remove_file(self.dir.join(&name)), &self.dir)?;
            } else if !own.contains(&name.as_str()) && !ORIGINALS.contains(&name.as_str()) {
                return Ok(Some(strange(name)));
            }
        }
        match self.manifest() {
            Ok(made) => {
                Ok(walk::stranger(&self.files(), &made)?.map(|name| strange(format!("{FILES}/{name}"))))
            }
            // What was never finished is the job's, all of it.
            Err(_) => Ok(None),
        }
    }

    /// Makes it one that later campaigns find, with what the folder `job` of the job that made it holds.
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

    /// Takes its directory away.
    pub(super) fn remove(&self) -> io::Result<Result<(), Usage>> {
        if let Err(rejected) = self.clear()? {
            return Ok(Err(rejected));
        }
        self.leave();
        Ok(Ok(()))
    }

    /// Takes the directories away in which nothing is.
    pub fn leave(&self) {
        let (left, home) = (entries(&self.dir), self.dir.parent().unwrap_or(&self.dir));
        if left == [MARK] {
            let _ = fs::remove_file(self.dir.join(MARK)).and_then(|()| fs::remove_dir(&self.dir));
        }
        if entries(home) == [HOME_MARK] {
            let _ = fs::remove_file(home.join(HOME_MARK)).and_then(|()| fs::remove_dir(home));
        }
    }
}

/// The first line of the mark of the dataset in `dir`.
fn mark_of(dir: &Path) -> String {
    format!("assay dataset {}\n", dir.file_name().unwrap_or_default().to_string_lossy())
}

/// Whether assay made the directory: its mark has its name, or it has only just been made.
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
