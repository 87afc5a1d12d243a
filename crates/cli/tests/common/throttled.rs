//! A disk of known speed: an ext4 on a loop device that a cgroup limits to a number of bytes per second. The
//! image is in memory, so that only the limit matters.
//!
//! Invariant: mount, loop device, cgroup and image are removed after each test, also if it fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::program;

const IMAGE_DIR: &str = "/dev/shm";
/// The cgroups that throttle devices (version 1).
const CGROUPS: &str = "/sys/fs/cgroup/blkio";
/// Size of the disk in bytes. Memory is used only as it is written.
const DISK_BYTES: u64 = 64 << 20;

/// A mounted disk, until dropped.
pub struct ThrottledDisk {
    dir: tempfile::TempDir,
    group: PathBuf,
    /// The loop device, and its number as `MAJOR:MINOR`.
    device: String,
    number: String,
}

impl ThrottledDisk {
    /// A disk with this speed in bytes per second and these mount options. `None`, with the reason printed,
    /// if this machine cannot have one.
    pub fn start(rate: u64, options: &str) -> Option<Self> {
        let dir = tempfile::Builder::new().prefix("assay-disk.").tempdir_in(IMAGE_DIR).unwrap();
        let name = dir.path().file_name().unwrap().to_owned();
        let group = Path::new(CGROUPS).join(name);
        let mut disk = Self { dir, group, device: String::new(), number: String::new() };
        if let Err(why) = disk.set_up(options) {
            println!("SKIPPED: {why}; run the tests as root, with cgroup v1, losetup and mkfs.ext4");
            return None;
        }
        disk.throttle(rate);
        Some(disk)
    }

    fn set_up(&mut self, options: &str) -> Result<(), String> {
        let at = |error: std::io::Error| format!("cannot throttle devices by {CGROUPS}: {error}");
        fs::create_dir(&self.group).map_err(at)?;
        if !self.group.join("blkio.throttle.write_bps_device").exists() {
            return Err(format!("{CGROUPS} throttles no devices here"));
        }
        let image = self.dir.path().join("image").display().to_string();
        fs::File::create(&image).unwrap().set_len(DISK_BYTES).unwrap();
        fs::create_dir(self.mount()).unwrap();
        // A journal would be written at the same speed.
        output(
            "mkfs.ext4",
            &["-q", "-F", "-m", "0", "-O", "^has_journal", "-E", "lazy_itable_init=0", &image],
        )?;
        self.device = output("losetup", &["-f", "--show", &image])?.trim().to_owned();
        // Unrequested read-ahead would use a part of the speed.
        output("blockdev", &["--setra", "32", &self.device])?;
        output("mount", &["-o", options, &self.device, &self.mount().display().to_string()])?;
        let name = self.device.trim_start_matches("/dev/");
        let number = fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap();
        number.trim().clone_into(&mut self.number);
        Ok(())
    }

    /// The mount point.
    pub fn mount(&self) -> PathBuf {
        self.dir.path().join("m")
    }

    /// Limits the disk to another speed from now on, in bytes per second.
    pub fn throttle(&self, rate: u64) {
        for what in ["read", "write"] {
            let line = format!("{} {rate}", self.number);
            fs::write(self.group.join(format!("blkio.throttle.{what}_bps_device")), line).unwrap();
        }
    }

    /// Mounts the disk with other options.
    pub fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        output("mount", &["-o", &options, &self.device, &self.mount().display().to_string()]).unwrap();
    }

    /// The command `assay WORDS` in `dir`. The limit applies to it.
    pub fn assay(&self, dir: &Path, words: &str) -> Command {
        let mut command = Command::new("sh");
        command.current_dir(dir).args(["-c", "echo $$ > \"$0\" && exec \"$@\""]);
        command.arg(self.group.join("cgroup.procs")).arg(program()).args(words.split_whitespace());
        command
    }
}

impl Drop for ThrottledDisk {
    fn drop(&mut self) {
        let _ = output("umount", &["-l", &self.mount().display().to_string()]);
        if !self.device.is_empty() {
            let _ = output("losetup", &["-d", &self.device]);
        }
        let _ = fs::remove_dir(&self.group);
    }
}

/// The output of a command, or why it failed.
fn output(program: &str, words: &[&str]) -> Result<String, String> {
    let out = Command::new(program).args(words).stdin(Stdio::null()).output();
    let out = out.map_err(|error| format!("{program}: {error}"))?;
    match out.status.success() {
        true => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        false => Err(format!("{program} {words:?}: {}", String::from_utf8_lossy(&out.stderr).trim())),
    }
}
