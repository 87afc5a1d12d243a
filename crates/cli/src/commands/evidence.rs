//! Evidence as it is handed around: a campaign's folder, or the archive that `assay pack` made of one.
//!
//! Invariant: an archive is only read; what is unpacked of it goes when the command ends.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use results::folder;
use tempfile::TempDir;
use units::Usage;

/// A campaign's folder, wherever it comes from.
pub(super) struct EvidenceFolder {
    /// The folder.
    pub(super) folder: PathBuf,
    /// What messages call it: what was typed.
    pub(super) name: String,
    unpacked: Option<TempDir>,
}

impl EvidenceFolder {
    /// Finds the folder that `path` is or holds.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        if !folder::is_archive(path) {
            return Ok(Self { folder: path.to_owned(), name, unpacked: None });
        }
        let place = tempfile::Builder::new().prefix("assay-").tempdir();
        let place = place.context("cannot unpack the archive; let TMPDIR be a directory with room")?;
        let folder = folder::unpack(path, place.path()).map_err(|error| Usage(error.to_string()))?;
        Ok(Self { folder, name, unpacked: Some(place) })
    }

    /// Whether it is an archive, which stays as it is.
    pub(super) fn is_archive(&self) -> bool {
        self.unpacked.is_some()
    }
}
