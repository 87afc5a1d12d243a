//! Facts of this machine and of the file systems under test, at one moment.
//!
//! Invariant: a fact that cannot be read is empty or zero; no fact is guessed.
//! Never here: opinions about the facts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use results::folder::{FileSystem, Machine};

/// This machine now, with the file systems of the directories given by the plan's names for them.
pub fn machine(dirs: &[(String, PathBuf)]) -> Machine {
    let name = rustix::system::uname();
    let word = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    Machine {
        taken: now(),
        host: word(name.nodename()),
        kernel: format!("{} {}", word(name.sysname()), word(name.release())),
        os: keyed("/etc/os-release", "PRETTY_NAME=").trim_matches('"').to_owned(),
        cpu: keyed("/proc/cpuinfo", "model name").trim_start_matches([' ', '\t', ':']).to_owned(),
        cores: std::thread::available_parallelism().map_or(0, |cores| cores.get() as u32),
        memory_bytes: memory(),
        load: first_number("/proc/loadavg"),
        file_systems: dirs.iter().map(|(name, dir)| file_system(name, dir).unwrap_or_default()).collect(),
    }
}

/// The file system that `dir` lies on; fails where `dir` cannot be asked.
pub fn file_system(name: &str, dir: &Path) -> io::Result<FileSystem> {
    let dir = dir.canonicalize()?;
    let room = rustix::fs::statvfs(&dir)?;
    let mount = mount_of(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default(), &dir);
    Ok(FileSystem {
        name: name.to_owned(),
        dir: dir.to_string_lossy().into_owned(),
        mount: mount.point,
        device: mount.device,
        kind: mount.kind,
        options: mount.options,
        bytes: room.f_blocks.saturating_mul(room.f_frsize),
        bytes_used: room.f_blocks.saturating_sub(room.f_bfree).saturating_mul(room.f_frsize),
        bytes_free: room.f_bavail.saturating_mul(room.f_frsize),
        inodes: room.f_files,
        inodes_free: room.f_favail,
    })
}

/// The time now, RFC 3339 with the local offset, to the millisecond.
pub fn now() -> String {
    jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}

#[derive(Debug, Default, PartialEq)]
struct Mount {
    point: String,
    device: String,
    kind: String,
    options: String,
}

/// The mount of `dir` by `/proc/self/mountinfo`: the longest mount point above it, the last one where
/// several are mounted over each other.
fn mount_of(mountinfo: &str, dir: &Path) -> Mount {
    let mut best = Mount::default();
    for line in mountinfo.lines() {
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let left: Vec<&str> = left.split(' ').collect();
        let right: Vec<&str> = right.split(' ').collect();
        let (Some(point), [kind, device, wide @ ..]) = (left.get(4), &right[..]) else { continue };
        let point = unescaped(point);
        if dir.starts_with(&point) && point.len() >= best.point.len() {
            let options = [left.get(5).copied(), wide.first().copied()];
            best = Mount {
                point,
                device: unescaped(device),
                kind: (*kind).to_owned(),
                options: options.into_iter().flatten().collect::<Vec<_>>().join(";"),
            };
        }
    }
    best
}

/// Blanks and backslashes stand in mountinfo as octal escapes.
fn unescaped(text: &str) -> String {
    text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

/// What follows `key` on the first line of a file that starts with it.
fn keyed(path: &str, key: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim().to_owned()
}

fn memory() -> u64 {
    let kib = keyed("/proc/meminfo", "MemTotal:");
    kib.trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) * 1024
}

fn first_number(path: &str) -> f64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_is_the_nearest_one_above() {
        let table = "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro\n\
                     40 22 0:35 / /scratch rw shared:9 - lustre 10.0.0.1@o2ib:/fs rw,flock\n\
                     41 40 0:36 / /scratch/my\\040dir rw - tmpfs tmpfs rw,size=1g\n";
        let found = |dir: &str| mount_of(table, Path::new(dir));
        assert_eq!(found("/home/me").kind, "ext4");
        assert_eq!(found("/scratchy").point, "/", "a name that only begins alike lies elsewhere");
        let lustre = found("/scratch/a/b");
        assert_eq!((lustre.device.as_str(), lustre.options.as_str()), ("10.0.0.1@o2ib:/fs", "rw;rw,flock"));
        assert_eq!(found("/scratch/my dir/x").point, "/scratch/my dir");
    }

    #[test]
    fn this_machine_has_cores_memory_and_a_file_system_with_room() {
        let here = tempfile::tempdir().unwrap();
        let machine = machine(&[("scratch".to_owned(), here.path().to_owned())]);
        assert!(machine.cores > 0 && machine.memory_bytes > 1 << 20 && machine.kernel.starts_with("Linux"));
        let fs = &machine.file_systems[0];
        assert!(fs.bytes > 0 && !fs.kind.is_empty() && fs.mount.starts_with('/'), "{fs:?}");
    }
}
