//! A GlusterFS whose bricks have known speeds. Each brick is an ext4 on a loop device that a cgroup limits to
//! a number of bytes per second. The servers run without glusterd, as children of the test. Commands of a
//! plan may switch bricks on and off.
//!
//! Invariant: mounts, loop devices, cgroups and servers are removed after each test, also if it fails. The
//! next test removes what a killed test left.

mod hooks;
mod placed;

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::ports;
use super::system::{done, quiet};

/// The directory of the images: in memory, so that only the limited speed matters.
const IMAGE_DIR: &str = "/dev/shm";
const NAME: &str = "assay-gluster";
/// The mount point of a second client.
const SECOND_MOUNT: &str = "m2";
/// The cgroups that throttle devices (version 1).
const CGROUPS: &str = "/sys/fs/cgroup/blkio";
/// Size of a brick in bytes. Memory is used only as it is written.
const BRICK_BYTES: u64 = 256 << 20;
/// Longest wait for the mount.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a volume combines its bricks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume {
    /// Each file is on one brick, chosen by the hash of its name.
    Distribute,
    /// Each file is on all bricks.
    Replicate,
    /// Each file is on all bricks, and can be read without one of them.
    Disperse,
}

impl Volume {
    fn translator(self, bricks: usize) -> String {
        let names: Vec<String> = (1..=bricks).map(|brick| format!("c{brick}")).collect();
        match self {
            Self::Distribute => "  type cluster/distribute\n".to_owned(),
            Self::Replicate => format!(
                "  type cluster/replicate\n  option quorum-type auto\n  option afr-pending-xattr {}\n",
                names.join(",")
            ),
            Self::Disperse => "  type cluster/disperse\n  option redundancy 1\n".to_owned(),
        }
    }
}

/// A mounted volume, until dropped.
pub struct Gluster {
    root: PathBuf,
    /// The servers of the bricks, then the client.
    children: Vec<Child>,
    devices: Vec<String>,
    ports: Vec<u16>,
}

impl Gluster {
    /// A volume with a brick for each of these speeds in bytes per second. `None`, with the reason printed,
    /// if this machine cannot run it.
    pub fn start(volume: Volume, rates: &[u64]) -> Option<Self> {
        Self::with_bricks(volume, rates, BRICK_BYTES)
    }

    /// A volume with this number of bricks, which are large and not limited.
    pub fn unlimited(volume: Volume, bricks: usize) -> Option<Self> {
        // A limit of 0 is none.
        Self::with_bricks(volume, &vec![0; bricks], 8 * BRICK_BYTES)
    }

    fn with_bricks(volume: Volume, rates: &[u64], brick_bytes: u64) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        if let Err(why) = possible(number) {
            println!("SKIPPED: {why}");
            return None;
        }
        sweep();
        let root = Path::new(IMAGE_DIR).join(format!("{NAME}.{}.{number}", std::process::id()));
        fs::create_dir_all(root.join("m")).unwrap();
        let mut made = Self { root, children: Vec::new(), devices: Vec::new(), ports: Vec::new() };
        for (brick, rate) in (1..).zip(rates) {
            made.add_brick(brick, *rate, brick_bytes);
        }
        made.add_client(volume);
        Some(made)
    }

    /// The mount point of the volume.
    pub fn mount(&self) -> PathBuf {
        self.root.join("m")
    }

    /// The name of a brick (from 1) as in records.
    pub fn name(&self, brick: usize) -> String {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        format!("{}:{}", host.trim(), self.data(brick).display())
    }

    /// The directory of a brick (from 1). It holds the files of the volume at the same paths.
    pub fn data(&self, brick: usize) -> PathBuf {
        self.root.join(format!("b{brick}/data"))
    }

    /// Limits a brick to another speed from now on, in bytes per second.
    pub fn throttle(&self, brick: usize, rate: u64) {
        let group = self.cgroup(brick);
        for what in ["read", "write"] {
            let line = format!("{} {rate}", self.devices[brick - 1]);
            fs::write(group.join(format!("blkio.throttle.{what}_bps_device")), line).unwrap();
        }
    }

    /// Kills the server of a brick.
    pub fn kill(&mut self, brick: usize) {
        let server = &mut self.children[brick - 1];
        let _ = server.kill();
        let _ = server.wait();
    }

    /// Sends a signal, such as `-STOP`, to the server of a brick.
    pub fn signal(&self, brick: usize, signal: &str) {
        let pid = self.children[brick - 1].id().to_string();
        done("kill", &[signal, &pid]);
    }

    /// Uses up all space of a brick.
    pub fn fill(&self, brick: usize) {
        let dir = self.data(brick);
        let free = rustix::fs::statvfs(dir.parent().unwrap()).unwrap();
        let bytes = (free.f_bavail * free.f_frsize).to_string();
        // The blocks for the map of this file are taken from the same space, so the last ones are not there.
        let _ = quiet("fallocate", &["-l", &bytes, &text(&dir.with_file_name("filler"))]);
        let _ = fs::write(dir.with_file_name("rest"), vec![1; 8 << 20]);
    }

    fn cgroup(&self, brick: usize) -> PathBuf {
        let name = self.root.file_name().unwrap().to_string_lossy().into_owned();
        Path::new(CGROUPS).join(format!("{name}.{brick}"))
    }

    fn add_brick(&mut self, brick: usize, rate: u64, bytes: u64) {
        let (image, dir) = (self.root.join(format!("i{brick}")), self.root.join(format!("b{brick}")));
        fs::File::create(&image).unwrap().set_len(bytes).unwrap();
        fs::create_dir(&dir).unwrap();
        // A journal would be written at the same speed, and would double the amount.
        let whole = ["-O", "^has_journal", "-E", "lazy_itable_init=0"];
        done("mkfs.ext4", &[&["-q", "-F", "-m", "0"][..], &whole, &[&text(&image)]].concat());
        let device = done("losetup", &["-f", "--show", &text(&image)]);
        let device = device.trim();
        // Unrequested read-ahead would use a part of the speed.
        done("blockdev", &["--setra", "32", device]);
        // Every write goes to the device before it returns, so that the server itself is slowed down.
        done("mount", &["-o", "sync", device, &text(&dir)]);
        let name = device.trim_start_matches("/dev/");
        let number = fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap();
        // The first file causes extra reads and writes of metadata, so it is written before the limit is set.
        fs::write(dir.join("first"), vec![1; 8 << 20]).unwrap();
        fs::remove_file(dir.join("first")).unwrap();
        self.devices.push(number.trim().to_owned());
        fs::create_dir(self.cgroup(brick)).unwrap();
        self.throttle(brick, rate);
        fs::create_dir_all(self.data(brick).join(".glusterfs")).unwrap();
        let port = ports::free(1);
        self.ports.push(port);
        let volume = server_volume(&self.data(brick), port);
        let procs = self.cgroup(brick).join("cgroup.procs");
        self.spawn(&format!("b{brick}"), &volume, "glusterfsd", &format!("echo $$ > {}; ", text(&procs)), "");
        // A client that finds no server tries again only seconds later.
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begin.elapsed() < PATIENCE, "no server of brick {brick}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Mounts the volume by a second client. Gives its mount point.
    pub fn mount_again(&mut self) -> PathBuf {
        let mount = self.root.join(SECOND_MOUNT);
        fs::create_dir(&mount).unwrap();
        let volume = fs::read_to_string(self.root.join("c.vol")).unwrap();
        self.client("c2", &volume, &text(&mount));
        mount
    }

    fn add_client(&mut self, volume: Volume) {
        let volume = self.client_volume(volume, self.devices.len());
        self.client("c", &volume, &text(&self.mount()));
    }

    /// Starts a client with this name of its process, and waits for its mount.
    fn client(&mut self, name: &str, volume: &str, mount: &str) {
        self.spawn(name, volume, "glusterfs", "", mount);
        let begin = Instant::now();
        // Access to a mount without servers hangs, so that only a kill ends it.
        let access = |words: &[&str]| quiet("timeout", &[&["-s", "KILL", "2"], words].concat());
        let there = || [&["mountpoint", "-q", mount][..], &["ls", mount]].into_iter().all(access);
        while !there() {
            let log = || fs::read_to_string(self.root.join(format!("{name}.log"))).unwrap_or_default();
            assert!(begin.elapsed() < PATIENCE, "no mount: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The configuration of a client. Only the first `on` bricks take new files.
    fn client_volume(&self, volume: Volume, on: usize) -> String {
        let bricks = self.devices.len();
        let mut text = String::new();
        for brick in 1..=bricks {
            text.push_str(&format!(
                "volume c{brick}\n  type protocol/client\n  option transport-type socket\n  \
                 option transport.address-family inet\n  option remote-host 127.0.0.1\n  \
                 option remote-port {}\n  \
                 option remote-subvolume brick\n  option username t\n  option password t\n  \
                 option ping-timeout 30\nend-volume\n",
                self.ports[brick - 1]
            ));
        }
        let names = |from: usize| (from..=bricks).map(|brick| format!("c{brick}")).collect::<Vec<_>>();
        let of_bricks = volume.translator(bricks);
        let off = names(on + 1).join(",");
        let off = if off.is_empty() { off } else { format!("  option decommissioned-bricks {off}\n") };
        let all = names(1).join(" ");
        text.push_str(&format!("volume top\n{of_bricks}{off}  subvolumes {all}\nend-volume\n"));
        text
    }

    /// Starts a process of GlusterFS in the foreground, with shell text before it.
    fn spawn(&mut self, name: &str, volume: &str, program: &str, before: &str, after: &str) {
        let file = |kind: &str| text(&self.root.join(format!("{name}.{kind}")));
        fs::write(file("vol"), volume).unwrap();
        let script = format!(
            "{before}exec {program} -N -f {} -l {} -p {} {after}",
            file("vol"),
            file("log"),
            file("pid")
        );
        let null = Stdio::null;
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).stdin(null()).stdout(null()).stderr(null());
        self.children.push(shell.spawn().unwrap());
    }
}

impl Drop for Gluster {
    fn drop(&mut self) {
        unmount(&self.root);
        for child in self.children.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
        end_daemons(&self.root);
        clear(&self.root);
    }
}

/// Checks that this machine can run a volume.
fn possible(number: u32) -> Result<(), String> {
    for program in ["glusterfsd", "glusterfs", "mkfs.ext4", "losetup"] {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&path).any(|dir| dir.join(program).exists()) {
            return Err(format!("{program} is missing; `cargo xtask setup` installs it"));
        }
    }
    let probe = Path::new(CGROUPS).join(format!("{NAME}.{}.{number}.probe", std::process::id()));
    let _ = fs::remove_dir(&probe);
    let why = |error| {
        format!("cannot throttle devices by {CGROUPS}: {error}; run the tests as root, with cgroup v1")
    };
    fs::create_dir(&probe).map_err(why)?;
    let there = probe.join("blkio.throttle.write_bps_device").exists();
    let _ = fs::remove_dir(&probe);
    if there { Ok(()) } else { Err(format!("{CGROUPS} throttles no devices here")) }
}

/// Removes what killed tests left.
fn sweep() {
    for entry in fs::read_dir(IMAGE_DIR).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(pid) = name.strip_prefix(NAME).and_then(|rest| rest.split('.').nth(1)) else { continue };
        if Path::new("/proc").join(pid).exists() {
            continue;
        }
        unmount(&entry.path());
        end_daemons(&entry.path());
        clear(&entry.path());
    }
}

/// Unmounts the volume.
fn unmount(root: &Path) {
    for mount in ["m", SECOND_MOUNT] {
        let _ = quiet("umount", &["-l", &text(&root.join(mount))]);
    }
}

/// Kills the processes of a volume that are known only by number.
fn end_daemons(root: &Path) {
    let name = root.file_name().unwrap().to_string_lossy().into_owned();
    for file in fs::read_dir(root).into_iter().flatten().flatten() {
        // The number may belong to another process by now. Its command line shows this.
        let path = file.path();
        let Ok(pid) = fs::read_to_string(&path) else { continue };
        let line = fs::read_to_string(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
        if path.extension().is_some_and(|kind| kind == "pid") && line.contains(&name) {
            let _ = quiet("kill", &["-9", pid.trim()]);
        }
    }
}

/// Unmounts the bricks, detaches their devices, removes cgroups and directory. The servers have ended before.
fn clear(root: &Path) {
    let name = root.file_name().unwrap().to_string_lossy().into_owned();
    for brick in 1.. {
        let (image, dir) = (root.join(format!("i{brick}")), root.join(format!("b{brick}")));
        if !image.exists() {
            break;
        }
        let _ = quiet("umount", &["-l", &text(&dir)]);
        let found = Command::new("losetup").args(["-n", "-O", "NAME", "-j"]).arg(&image).output();
        for device in found.iter().flat_map(|out| std::str::from_utf8(&out.stdout)).flat_map(str::lines) {
            let _ = quiet("losetup", &["-d", device.trim()]);
        }
        let group = Path::new(CGROUPS).join(format!("{name}.{brick}"));
        // A process that was killed leaves its group a moment later.
        let begin = Instant::now();
        while group.exists() && fs::remove_dir(&group).is_err() && begin.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let _ = fs::remove_dir_all(root);
}

/// The configuration of the server of one brick: the directory, at a port of this node only.
fn server_volume(data: &Path, port: u16) -> String {
    let data = data.display();
    let mut text = format!("volume posix\n  type storage/posix\n  option directory {data}\nend-volume\n");
    let layers = [
        ("locks", "features/locks", String::new()),
        ("index", "features/index", format!("  option index-base {data}/.glusterfs/indices\n")),
        ("iot", "performance/io-threads", String::new()),
        ("brick", "debug/io-stats", String::new()),
    ];
    let mut below = "posix";
    for (name, kind, options) in &layers {
        text.push_str(&format!("volume {name}\n  type {kind}\n{options}  subvolumes {below}\nend-volume\n"));
        below = name;
    }
    text.push_str(&format!(
        "volume server\n  type protocol/server\n  option transport-type socket\n  \
         option transport.address-family inet\n  option transport.socket.bind-address 127.0.0.1\n  \
         option transport.socket.listen-port {port}\n  \
         option auth.addr.brick.allow *\n  option auth.login.brick.allow t\n  \
         option auth.login.t.password t\n  subvolumes brick\nend-volume\n"
    ));
    text
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
