//! Real file systems for the tests: on loop devices, above other ones, and with servers of their own.
//!
//! Each has a directory of its own, which is in the command line of all its processes. So everything is found
//! by this directory: mounts, processes and loop devices.
//!
//! Invariant: nothing remains after a test, also if it fails. The next test removes what a killed test left.

mod ceph;
mod network;
mod nfs;
mod servers;
pub mod ssh_nodes;
mod stacked;
pub mod two_nodes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::campaign::{SmallFs, there, until};
use super::fuse::FuseMount;
use super::gluster::{Gluster, Volume};
use super::processes;
use super::system::quiet;

/// The directory of images and of data of servers: on a disk on most systems.
const BASE: &str = "/var/tmp";
const NAME: &str = "assay-mounted";
/// The mount points of the first and of a second client.
const CLIENTS: [&str; 2] = ["m", "m2"];
/// Size of an image in bytes. Space is used only as it is written.
const IMAGE_BYTES: u64 = 3 << 30;
/// Longest wait for the end of a process.
const PATIENCE: Duration = Duration::from_secs(60);

/// A kind of file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystem {
    /// ext4 on a loop device.
    Ext4,
    /// XFS on a loop device.
    Xfs,
    /// btrfs on a loop device.
    Btrfs,
    /// overlayfs above ext4.
    Overlay,
    /// mergerfs over two directories.
    Mergerfs,
    /// A directory of this machine over SSH.
    Sshfs,
    /// MooseFS with two chunk servers.
    Moosefs,
    /// NFS version 3 from NFS-Ganesha, with the tests' own client.
    Nfs,
    /// CephFS with one server of each kind, through FUSE.
    Cephfs,
    /// GlusterFS: each file on one of three bricks.
    GlusterDistribute,
    /// GlusterFS: each file on two bricks.
    GlusterReplicate,
    /// GlusterFS: each file on three bricks, of which one may fail.
    GlusterDisperse,
}

/// A mounted file system, until dropped.
pub struct Mounted {
    /// Where it is mounted.
    pub mount: PathBuf,
    /// Where a second client has mounted it, if there is one.
    pub second: Option<PathBuf>,
    _kept: Kept,
}

/// What is removed with it.
enum Kept {
    Own(#[allow(dead_code)] OwnDirectory),
    /// The clients end first.
    Nfs(#[allow(dead_code)] Vec<FuseMount>, #[allow(dead_code)] OwnDirectory),
    Gluster(#[allow(dead_code)] Gluster),
}

impl Mounted {
    /// Kills all its processes of this name.
    pub fn kill(&self, program: &str) {
        self.signal("-KILL", program);
    }

    /// Sends a signal to all its processes of this name.
    pub fn signal(&self, signal: &str, program: &str) {
        let found = processes::of_directory(self.mount.parent().unwrap(), program);
        assert!(!found.is_empty(), "no {program} of {}", self.mount.display());
        for pid in found {
            let _ = quiet("kill", &[signal, &pid]);
        }
    }
}

impl FileSystem {
    /// The programs that it needs.
    fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Ext4 | Self::Overlay => &["mkfs.ext4"],
            Self::Xfs => &["mkfs.xfs"],
            Self::Btrfs => &["mkfs.btrfs"],
            Self::Mergerfs => &["mergerfs"],
            Self::Sshfs => &["sshfs", "sshd", "ssh-keygen"],
            Self::Moosefs => &["mfsmaster", "mfschunkserver", "mfsmount", "nsenter"],
            Self::Nfs => &["ganesha.nfsd", "rpcbind", "unshare", "ip"],
            Self::Cephfs => &["ceph", "ceph-mon", "ceph-mgr", "ceph-osd", "ceph-mds", "ceph-fuse"],
            Self::GlusterDistribute | Self::GlusterReplicate | Self::GlusterDisperse => &["glusterfsd"],
        }
    }

    /// Mounts one. `None`, with the reason printed, if this machine cannot.
    pub fn mount(self) -> Option<Mounted> {
        self.mount_by(&CLIENTS[..1])
    }

    /// Mounts one by two clients, which share nothing but the servers.
    pub fn mount_twice(self) -> Option<Mounted> {
        self.mount_by(&CLIENTS)
    }

    /// Mounts one by a client at each of these directories.
    fn mount_by(self, clients: &'static [&'static str]) -> Option<Mounted> {
        if !self.programs().iter().all(|program| there(program)) || !may_mount() {
            return None;
        }
        let gluster = |volume, bricks| {
            let mut volume = Gluster::unlimited(volume, bricks)?;
            let second = (clients.len() > 1).then(|| volume.mount_again());
            Some(Mounted { mount: volume.mount(), second, _kept: Kept::Gluster(volume) })
        };
        match self {
            Self::GlusterDistribute => return gluster(Volume::Distribute, 3),
            Self::GlusterReplicate => return gluster(Volume::Replicate, 2),
            Self::GlusterDisperse => return gluster(Volume::Disperse, 3),
            _ => {}
        }
        let own = OwnDirectory::new();
        clients.iter().for_each(|client| _ = own.directory(client));
        let second = clients.get(1).map(|client| own.path(client));
        let mount = own.path(CLIENTS[0]);
        match self {
            Self::Nfs => {
                let served = own.nfs(clients)?;
                return Some(Mounted { mount, second, _kept: Kept::Nfs(served, own) });
            }
            Self::Ext4 => own.loop_device("mkfs.ext4", &["-q", "-F"], "m"),
            Self::Xfs => own.loop_device("mkfs.xfs", &["-q"], "m"),
            Self::Btrfs => own.loop_device("mkfs.btrfs", &["-q"], "m"),
            Self::Overlay => own.overlay(),
            Self::Mergerfs => own.mergerfs(),
            Self::Sshfs => own.sshfs(clients),
            Self::Moosefs => own.moosefs(clients),
            Self::Cephfs => own.cephfs(clients),
            Self::GlusterDistribute | Self::GlusterReplicate | Self::GlusterDisperse => unreachable!(),
        }
        Some(Mounted { mount, second, _kept: Kept::Own(own) })
    }
}

/// The directory of a file system.
struct OwnDirectory(PathBuf);

impl OwnDirectory {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        sweep();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = Path::new(BASE).join(format!("{NAME}.{}.{number}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        Self(root)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// A new directory.
    fn directory(&self, name: &str) -> String {
        fs::create_dir_all(self.path(name)).unwrap();
        self.text(name)
    }

    /// Starts a process that ends with the test.
    fn spawn(&self, program: &str, words: &[&str]) {
        let log = fs::File::create(self.path(&format!("{}.log", program.replace('/', "-")))).unwrap();
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
        std::thread::spawn(move || child.wait());
    }

    /// The number of a process, as soon as it has written it to this file.
    fn process_in(&self, file: &str) -> String {
        let read = || fs::read_to_string(self.path(file)).unwrap_or_default();
        until("the number of a process", || read().ends_with('\n'));
        read().trim().to_owned()
    }

    /// Waits until `dir` is a mount point.
    fn wait_for_mount(&self, dir: &str) {
        until("the mount", || mounts_below(&self.path(dir)).len() == 1);
    }
}

impl Drop for OwnDirectory {
    fn drop(&mut self) {
        clear(&self.0);
    }
}

/// Removes what killed tests left.
fn sweep() {
    for entry in fs::read_dir(BASE).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let pid = name.strip_prefix(NAME).and_then(|rest| rest.split('.').nth(1)).map(str::to_owned);
        if pid.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            clear(&entry.path());
        }
    }
}

/// Unmounts what is mounted below a directory, ends the processes that name it, and removes it.
fn clear(root: &Path) {
    let mut mounts = mounts_below(root);
    mounts.sort_by_key(|mount| std::cmp::Reverse(mount.as_os_str().len()));
    for mount in mounts {
        let _ = quiet("umount", &["-l", &mount.display().to_string()]);
    }
    let begin = Instant::now();
    while end_processes(root) && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    let found = Command::new("losetup").args(["-n", "-l", "-O", "NAME,BACK-FILE"]).output();
    let found = found.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
    for line in found.lines().filter(|line| line.contains(&format!("{}/", root.display()))) {
        let _ = quiet("losetup", &["-d", line.split_whitespace().next().unwrap_or_default()]);
    }
    let _ = fs::remove_dir_all(root);
}

/// Kills the processes with this directory in their command lines. Returns whether there are any.
fn end_processes(root: &Path) -> bool {
    let found = processes::of_directory(root, "");
    found.iter().for_each(|pid| _ = quiet("kill", &["-9", pid]));
    !found.is_empty()
}

/// The mount points at and below a directory.
fn mounts_below(root: &Path) -> Vec<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(1)).map(PathBuf::from);
    places.filter(|place| place.starts_with(root)).collect()
}

/// Whether this process may mount file systems. If not, prints that the test is skipped. Root of a container
/// may not.
fn may_mount() -> bool {
    let dir = tempfile::tempdir().unwrap();
    SmallFs::mount(dir.path(), "1m").is_some()
}
