//! File systems for the tests to fill: in memory, or on a loop device.
#![allow(dead_code, unreachable_pub)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Ran, assay, run};

/// Free memory that is needed for images in memory, in bytes.
const IMAGE_BYTES: u64 = 6 << 30;

/// A file system that is unmounted at the end of the test, also if the test fails.
pub struct Mounted {
    dir: tempfile::TempDir,
    pub root: PathBuf,
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.root).status();
        let _ = fs::remove_file(self.dir.path().join("image"));
    }
}

fn done(command: &mut Command) -> Result<(), String> {
    match command.output() {
        Err(error) => Err(format!("{command:?}: {error}")),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

impl Mounted {
    fn new(mount: impl FnOnce(&Path, &Path) -> Result<(), String>) -> Option<Self> {
        let shared = "/dev/shm";
        let has_memory =
            rustix::fs::statvfs(shared).is_ok_and(|found| found.f_bavail * found.f_frsize > IMAGE_BYTES);
        let dir = if has_memory { tempfile::tempdir_in(shared) } else { tempfile::tempdir() }.unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        match mount(&dir.path().join("image"), &root) {
            Ok(()) => Some(Self { root, dir }),
            Err(why) => {
                println!("SKIPPED: no file system for the test ({why})");
                None
            }
        }
    }

    /// In memory, where counters are exact. `options` are those of `mount`.
    pub fn in_memory(options: &str) -> Option<Self> {
        Self::new(|_, root| {
            done(Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(root))
        })
    }

    /// On a loop device of this number of bytes, formatted by `mkfs`.
    pub fn on_loop(mkfs: &str, bytes: u64) -> Option<Self> {
        Self::on_loop_with(mkfs, "loop", bytes)
    }

    /// The same with these mount options.
    pub fn on_loop_with(mkfs: &str, options: &str, bytes: u64) -> Option<Self> {
        Self::new(|image, root| {
            File::create(image).and_then(|file| file.set_len(bytes)).map_err(|error| error.to_string())?;
            let mut words = mkfs.split_whitespace();
            done(Command::new(words.next().unwrap_or_default()).args(words).arg(image))?;
            done(Command::new("mount").args(["-o", options]).arg(image).arg(root))
        })
    }

    /// The directory that is aged.
    pub fn aged(&self) -> PathBuf {
        self.root.join("aged")
    }

    /// Runs `assay -n RANKS age aged WORDS`.
    pub fn age(&self, ranks: u32, words: &str) -> Ran {
        run(&mut assay(&self.root, &format!("-n {ranks} age aged {words}")))
    }

    /// Runs `assay -n RANKS age aged WORDS` and kills it when rank 0 has done this number of operations.
    /// Gives whether it was still running then.
    pub fn killed_at(&self, ranks: u32, words: &str, operations: u64) -> bool {
        let mut child = assay(&self.root, &format!("-n {ranks} age aged {words}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while self.operations() < operations && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        let _ = child.kill();
        !child.wait().unwrap().success()
    }

    /// Shares of blocks and inodes in use, as the file system reports them.
    pub fn utilization(&self) -> (f64, f64) {
        self.write_back();
        let found = rustix::fs::statvfs(&self.root).unwrap();
        let share = |all: u64, free: u64| (all - free) as f64 / all as f64;
        (share(found.f_blocks, found.f_bfree), share(found.f_files, found.f_ffree))
    }

    /// Flushes everything to storage.
    pub fn write_back(&self) {
        rustix::fs::syncfs(File::open(&self.root).unwrap()).unwrap();
    }

    /// Number of operations of rank 0; 0 before the first.
    pub fn operations(&self) -> u64 {
        let bytes = fs::read(self.aged().join("rank.0/odometer")).unwrap_or_default();
        bytes.get(..8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
    }

    /// All files of the aged trees by name, with their lengths.
    pub fn lengths(&self) -> BTreeMap<PathBuf, u64> {
        let mut files = BTreeMap::new();
        let mut dirs = vec![self.aged()];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let entry = entry.unwrap();
                let path = entry.path();
                if entry.file_type().unwrap().is_dir() {
                    dirs.push(path);
                } else if path.parent().unwrap().components().any(|part| part.as_os_str() == "tree") {
                    let length = entry.metadata().unwrap().len();
                    files.insert(path.strip_prefix(self.aged()).unwrap().to_owned(), length);
                }
            }
        }
        files
    }

    /// The same files with their contents.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let names = self.lengths().into_keys();
        names.map(|path| (path.clone(), fs::read(self.aged().join(path)).unwrap())).collect()
    }
}

/// Mount options of a file system in memory that is filled within two seconds.
pub const SMALL: &str = "size=48m,nr_inodes=4000";

pub const TARGETS: &str = "--blocks 80% --inodes 20%";

/// Asserts that the run has one line of error with this text, and this exit status.
pub fn assert_rejected(ran: &Ran, status: i32, says: &str) {
    let lines: Vec<_> = ran.err.lines().filter(|line| line.starts_with("age: ")).collect();
    assert!(ran.status == Some(status) && lines.len() == 1 && lines[0].contains(says), "{says}: {ran:#?}");
}
