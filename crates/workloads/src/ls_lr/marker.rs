//! The file that proves that assay made a tree and may remove it. It holds the shape of the tree and its
//! state.
//!
//! Its name begins with a dot, so `ls -lR` does not list it.

use command::ls_lr::LsLrShape;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use storage::call_error;

use crate::kit::failed_call::path_and_words;

/// Its name in the root of each tree.
pub(super) const NAME: &str = ".ls-lr-tree";
/// Its name while it is written.
pub(super) const NEW: &str = ".ls-lr-tree.new";
const FIRST: &str = "ls-lr made this tree, and removes it when asked to";

/// The state of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeState {
    /// Being created, or the creation was interrupted.
    Making,
    /// Created and counted.
    Whole,
    /// Being removed, or the removal was interrupted.
    Removing,
}

const STATES: [(TreeState, &str); 3] =
    [(TreeState::Making, "making"), (TreeState::Whole, "whole"), (TreeState::Removing, "removing")];

/// The content of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The state of the tree.
    pub state: TreeState,
    /// The shape of the tree.
    pub shape: LsLrShape,
}

impl Marker {
    /// The marker of a tree; `None` if it has none.
    pub fn load(root: &Path) -> io::Result<Option<Self>> {
        let path = root.join(NAME);
        match fs::read_to_string(&path) {
            Ok(text) => match Self::parse(&text) {
                Some(marker) => Ok(Some(marker)),
                None => {
                    Err(io::Error::new(ErrorKind::InvalidData, format!("{NAME} is not a marker of ls-lr")))
                }
            },
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a directory is empty except for files of an interrupted write of the marker. This is the root
    /// of a tree that was not started, or that was removed except for its root.
    pub fn is_bare(root: &Path) -> io::Result<bool> {
        match root.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
            Ok(found) if !found.is_dir() => return Ok(false),
            Ok(_) => {}
        }
        for entry in fs::read_dir(root)? {
            if entry?.file_name() != NEW {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stores it in the root of the tree, either completely or not at all.
    pub(super) fn keep(&self, root: &Path) -> io::Result<()> {
        let new = root.join(NEW);
        let kept = fs::write(&new, self.text()).and_then(|()| fs::rename(&new, root.join(NAME)));
        kept.map_err(|error| {
            // A file of a failed write would prevent the removal of the tree.
            let _ = fs::remove_file(&new);
            call_error::reworded(&error, path_and_words(&new, &error))
        })
    }

    /// Removes it, and any file of an interrupted write.
    pub(super) fn remove(root: &Path) -> io::Result<()> {
        for name in [NEW, NAME] {
            match fs::remove_file(root.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn text(&self) -> String {
        let LsLrShape { entries, per_dir, fan_out, bytes } = self.shape;
        let state = STATES.iter().find(|(state, _)| *state == self.state).map_or("", |(_, name)| name);
        format!(
            "{FIRST}\nstate {state}\nentries {entries}\nper-dir {per_dir}\nfan-out {fan_out}\nbytes {bytes}\n"
        )
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut value = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ').map(str::to_owned);
        let mut parsed = || {
            value("ls-lr")?;
            let word = value("state")?;
            let state = STATES.iter().find(|(_, name)| *name == word)?.0;
            let mut number = |key: &str| value(key)?.parse::<u64>().ok();
            let shape = LsLrShape {
                entries: number("entries")?,
                per_dir: number("per-dir")?,
                fan_out: number("fan-out")?,
                bytes: number("bytes")?,
            };
            Some(Self { state, shape })
        };
        parsed().filter(|marker| marker.text() == text && marker.shape.check(Path::new("")).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_comes_back_as_it_was_kept_and_one_that_was_changed_is_not_believed() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Marker::load(dir.path()).unwrap().is_none());
        assert!(Marker::load(&dir.path().join("none")).unwrap().is_none());
        for (state, _) in STATES {
            let marker = Marker { state, shape: LsLrShape { entries: 7, per_dir: 3, fan_out: 2, bytes: 1 } };
            marker.keep(dir.path()).unwrap();
            assert_eq!(Marker::load(dir.path()).unwrap(), Some(marker));
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else is left");
        }
        let file = dir.path().join(NAME);
        for (from, to) in [("fan-out 2", "fan-out 0"), ("entries 7", "entries 07"), ("state", "State")] {
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, text.replace(from, to)).unwrap();
            assert_eq!(Marker::load(dir.path()).unwrap_err().kind(), ErrorKind::InvalidData, "{to}");
            fs::write(&file, text).unwrap();
        }
    }
}
