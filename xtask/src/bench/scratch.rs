//! The folders and files of a benchmark: its own, named after its process, and gone when it ends.
//!
//! Invariant: only what was made here is removed, also after a failure.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

const MEBIBYTE: usize = 1 << 20;

/// A folder that is removed with all that is in it when this value goes.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes it below `parent`; one that is there already is somebody else's and an error.
    pub(super) fn new(parent: &Path) -> Result<Self> {
        let path = parent.join(format!("assay-bench-{}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(fs::canonicalize(&path)?))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The name of a file in it, which need not be there.
    pub(super) fn name(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// A file of so many bytes, whole mebibytes, that neither compress nor repeat, on the device.
    pub(super) fn file(&self, name: &str, bytes: u64) -> Result<String> {
        let path = self.name(name);
        let mut file = File::create_new(&path).with_context(|| format!("cannot make {path}"))?;
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut block = vec![0; MEBIBYTE];
        for _ in 0..bytes / MEBIBYTE as u64 {
            for word in block.chunks_exact_mut(8) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                word.copy_from_slice(&state.to_ne_bytes());
            }
            file.write_all(&block).with_context(|| format!("cannot write {path}"))?;
        }
        file.sync_all().with_context(|| format!("cannot write {path}"))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(why) = fs::remove_dir_all(&self.0) {
            eprintln!("xtask: {} stays behind: {why}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_folder_goes_with_its_files_and_leaves_the_neighbours() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("mine"), "stays").unwrap();
        let scratch = Scratch::new(parent.path()).unwrap();
        let file = scratch.file("data", 2 << 20).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().len(), 2 << 20);
        let second = Scratch::new(parent.path()).unwrap_err();
        assert!(second.to_string().contains("cannot make"), "{second}");
        drop(scratch);
        let left: Vec<_> = fs::read_dir(parent.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["mine"]);
    }
}
