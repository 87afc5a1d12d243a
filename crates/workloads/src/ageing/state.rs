//! The state of ageing in a directory: the marker, and the progress of each rank.
//!
//! The marker (`.assay-age.json`) has the start values of all sequences. A rank's state (`rank.N/state.json`)
//! has the legs of its sequence. Its odometer (`rank.N/odometer`, 16 bytes) has the number of finished
//! operations. Marker and state are staged, renamed and flushed to storage. The odometer is written in place
//! before each operation.
//!
//! Invariant: operations with a number below the odometer's are done. That one may be done in part. None
//! above it has started, at any moment at which the process may die. After a node failure the odometer may be
//! too low. A resumed run then finds the files of later operations.
//! Never here: the operations themselves.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use results::record::StateExtents;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::model::Leg;
use super::plan::{AgeingGoal, Geometry};

/// The version of the sequence that belongs to a seed.
pub(super) const SEQUENCE: u32 = 1;
/// The marker's name.
pub(super) const MARKER: &str = ".assay-age.json";
const STAGED: &str = ".staged";
const STATE: &str = "state.json";
const ODOMETER: &str = "odometer";
const TREE: &str = "tree";

/// The start values of a directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct AgeingMarker {
    /// The [`SEQUENCE`] of the program that created it.
    pub(super) sequence: u32,
    pub(super) ranks: u32,
    pub(super) goal: AgeingGoal,
    /// The profile as text.
    pub(super) profile: String,
    /// The file system before anything was written.
    pub(super) before: Geometry,
}

/// The progress of one rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct AgeingState {
    pub(super) legs: Vec<Leg>,
    /// Extents after the first fill, if they were counted.
    #[serde(default)]
    pub(super) first: Option<StateExtents>,
}

impl AgeingState {
    pub(super) fn has_churned(&self) -> bool {
        self.legs.iter().any(|leg| matches!(leg, Leg::Churn { .. }))
    }

    pub(super) fn cycles(&self) -> f64 {
        let each = self.legs.iter().map(|leg| if let Leg::Churn { cycles } = leg { *cycles } else { 0.0 });
        each.sum()
    }
}

/// The directory of a rank.
#[derive(Clone, Debug)]
pub(super) struct StatePlaces {
    pub(super) rank_dir: PathBuf,
    pub(super) tree: PathBuf,
    pub(super) state: PathBuf,
    pub(super) odometer: PathBuf,
}

impl StatePlaces {
    /// Whether it has no files except those of its creation.
    pub(super) fn are_unused(&self) -> io::Result<bool> {
        if !self.rank_dir.symlink_metadata()?.is_dir() {
            return Ok(false);
        }
        for entry in fs::read_dir(&self.rank_dir)? {
            let path = entry?.path();
            let found = path.symlink_metadata()?;
            let unused = path == self.tree && found.is_dir() && fs::read_dir(&path)?.next().is_none()
                || path == self.odometer && found.is_file() && found.len() == 0;
            if !unused {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Removes them while they are unused.
    pub(super) fn remove_unused(&self) -> Result<(), String> {
        gone(fs::remove_dir(&self.tree)).map_err(|error| at(&self.tree, &error))?;
        gone(fs::remove_file(&self.odometer)).map_err(|error| at(&self.odometer, &error))?;
        gone(fs::remove_dir(&self.rank_dir)).map_err(|error| at(&self.rank_dir, &error))
    }

    pub(super) fn of(dir: &Path, rank: u64) -> Self {
        let rank_dir = dir.join(format!("rank.{rank}"));
        Self {
            tree: rank_dir.join(TREE),
            state: rank_dir.join(STATE),
            odometer: rank_dir.join(ODOMETER),
            rank_dir,
        }
    }
}

/// `error` with the path it is about.
pub(super) fn at(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Removes a file that may not exist.
pub(super) fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The path of a file while it is written, before it gets its name.
pub(super) fn staged(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(STAGED);
    name.into()
}

/// Writes a value under a temporary name, flushes it to storage, renames it, and flushes the directory.
pub(super) fn save(path: &Path, value: &impl Serialize) -> Result<(), String> {
    save_by(path, value, |staged| fs::rename(staged, path))
}

/// The same for a name that was never used.
pub(super) fn save_new(path: &Path, value: &impl Serialize) -> Result<(), String> {
    save_by(path, value, |staged| match fs::hard_link(staged, path) {
        Ok(()) => fs::remove_file(staged),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(staged)?;
            Err(error)
        }
        // Not every file system has hard links.
        Err(_) if path.symlink_metadata().is_err() => fs::rename(staged, path),
        Err(error) => Err(error),
    })
}

fn save_by(
    path: &Path,
    value: &impl Serialize,
    name: impl FnOnce(&Path) -> io::Result<()>,
) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| at(path, &error.into()))?;
    let staged = staged(path);
    let write = || {
        // A temporary file of an earlier attempt may be a link to the named file.
        gone(fs::remove_file(&staged))?;
        let mut file = File::create_new(&staged)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        name(&staged)?;
        path.parent().map_or(Ok(()), sync_names)
    };
    write().map_err(|error| at(path, &error))
}

/// Flushes the names in a directory to storage, if the file system supports this.
fn sync_names(dir: &Path) -> io::Result<()> {
    match File::open(dir)?.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// Reads a value; `None` if the file does not exist.
pub(super) fn load<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path, &error)),
        Ok(text) => match serde_json::from_slice(&text) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(format!("{}: is no state of this program ({error})", path.display())),
        },
    }
}

/// The number of finished operations of a rank.
pub(super) struct Odometer(File);

impl Odometer {
    /// Opens it, or creates it at 0, and locks out other processes. Without locks in the file system it is
    /// not locked.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let open = || File::options().read(true).write(true).create(true).truncate(false).open(path);
        let file = open().map_err(|error| at(path, &error))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(format!("{}: another run is at work here", path.display())),
            _ => Ok(Self(file)),
        }
    }

    /// Its value; 0 if it has none yet.
    pub(super) fn read(path: &Path) -> Result<u64, String> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(at(path, &error)),
            Ok(bytes) if bytes.is_empty() => return Ok(0),
            Ok(bytes) => bytes,
        };
        let word = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        match (word(0), word(8)) {
            (Some(done), Some(check)) if check == !done => Ok(done),
            _ => Err(format!("{}: is damaged", path.display())),
        }
    }

    /// All operations below `number` are done.
    pub(super) fn set(&self, number: u64) -> io::Result<()> {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..].copy_from_slice(&(!number).to_le_bytes());
        self.0.write_all_at(&bytes, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_given_is_not_given_again_and_a_stage_that_was_left_does_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        let legs = |count: usize| AgeingState { legs: vec![Leg::Fill; count], first: None };
        save_new(&path, &legs(1)).unwrap();
        assert!(save_new(&path, &legs(2)).unwrap_err().contains("File exists"));
        assert_eq!(load::<AgeingState>(&path).unwrap(), Some(legs(1)));
        // The state after a kill between the rename and the removal of the temporary file.
        fs::hard_link(&path, staged(&path)).unwrap();
        let before = File::open(&path).unwrap();
        save(&path, &legs(3)).unwrap();
        assert_eq!(load::<AgeingState>(&path).unwrap(), Some(legs(3)));
        assert!(before.metadata().unwrap().len() > 0, "the old file was not emptied on the way");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
