//! A small file system in memory over a temporary directory.

use std::path::Path;
use std::process::Command;

use super::is_root;

/// A small file system, unmounted when the test ends.
pub struct Tmpfs(tempfile::TempDir);

impl Tmpfs {
    /// Mounts one. `None`, with the reason printed, if the test does not run as root.
    pub fn new(options: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        if !is_root() {
            println!("SKIPPED: only root may mount a small file system");
            return None;
        }
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(dir.path());
        assert!(mount.status().unwrap().success(), "mount -o {options}");
        Some(Self(dir))
    }

    /// The mount point.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}
