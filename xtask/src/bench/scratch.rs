//! The temporary directories and files of a benchmark, named after its process and removed at the end.
//!
//! Invariant: only directories from here are removed, also after a failure.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

const MEBIBYTE: usize = 1 << 20;

/// A directory that is removed with its content when this value is dropped.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Creates the directory below `parent`. It is an error if it exists.
    pub(super) fn new(parent: &Path) -> Result<Self> {
        let path = parent.join(format!("assay-bench-{}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self(fs::canonicalize(&path)?))
    }

    /// The path of the directory.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it, which may not exist yet.
    pub(super) fn name(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Creates a file of `bytes` random bytes (whole mebibytes) and flushes it to storage.
    pub(super) fn file(&self, name: &str, bytes: u64) -> Result<String> {
        let path = self.name(name);
        let mut file = File::create_new(&path).with_context(|| format!("cannot create {path}"))?;
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
            eprintln!("xtask: cannot remove {}: {why}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_scratch_directory_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("mine"), "stays").unwrap();
        let scratch = Scratch::new(parent.path()).unwrap();
        let file = scratch.file("data", 2 << 20).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().len(), 2 << 20);
        let second = Scratch::new(parent.path()).unwrap_err();
        assert!(second.to_string().contains("cannot create"), "{second}");
        drop(scratch);
        let left: Vec<_> = fs::read_dir(parent.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["mine"]);
    }
}
