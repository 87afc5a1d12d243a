//! Facts about this machine and the file systems under test, at one moment.
//!
//! Invariant: a fact that cannot be read is empty or zero. No fact is guessed.
//! Never here: opinions about the facts.

mod backing;
pub(crate) mod device;
mod environment;
mod programs;
mod targets;
mod unmounted;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use results::folder::{FileSystemFacts, Fill, Layout, Machine};
use results::mounts::{self, Mount, mount_of};
use rustix::fs::StatVfs;

use crate::bounded;

pub use environment::recorded;
pub(crate) use programs::found;
pub use programs::{Hashes, launcher};
pub(crate) use results::folder::now;
pub(crate) use targets::layout_of;
pub use unmounted::local;
pub(crate) use unmounted::placed;

/// The time limit of a program that is asked for a fact.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// This machine now, with the file systems of the directories. Each directory has its name in the plan.
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
        load: load(),
        governor: governors(),
        time_sync: time_sync(),
        clock_source: first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        limits: limits(&fs::read_to_string("/proc/self/limits").unwrap_or_default()),
        file_systems: dirs.iter().map(|(name, dir)| file_system(name, dir).unwrap_or_default()).collect(),
        hosts: Vec::new(),
    }
}

/// The file system of `dir`. It fails if `dir` cannot be read.
pub fn file_system(name: &str, dir: &Path) -> io::Result<FileSystemFacts> {
    let dir = dir.canonicalize()?;
    let space = rustix::fs::statvfs(&dir)?;
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mount = mount_of(&table, &dir);
    let Fill { bytes_used, bytes_free, inodes_free, targets, .. } = utilization(&space, &mount, &dir);
    Ok(FileSystemFacts {
        mounts: mounts::concerning(&table, &dir),
        layout: layout_of(&mount.kind, &dir),
        targets,
        backing: backing::of(&table, &mount),
        name: name.to_owned(),
        dir: dir.to_string_lossy().into_owned(),
        mount: mount.point,
        device: mount.device,
        kind: mount.kind,
        options: mount.options,
        bytes: space.f_blocks.saturating_mul(space.f_frsize),
        bytes_used,
        bytes_free,
        inodes: space.f_files,
        inodes_free,
    })
}

/// The utilization of the file system of `dir`; `None` if it cannot be read.
pub fn fill(dir: &Path) -> Option<Fill> {
    let dir = dir.canonicalize().ok()?;
    let space = rustix::fs::statvfs(&dir).ok()?;
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    Some(utilization(&space, &mount_of(&table, &dir), &dir))
}

fn utilization(space: &StatVfs, mount: &Mount, dir: &Path) -> Fill {
    Fill {
        bytes_used: space.f_blocks.saturating_sub(space.f_bfree).saturating_mul(space.f_frsize),
        bytes_free: space.f_bavail.saturating_mul(space.f_frsize),
        inodes_used: space.f_files.saturating_sub(space.f_favail),
        inodes_free: space.f_favail,
        targets: targets::all(&mount.kind, &mount.device, dir),
    }
}

/// The layout of the files in `dir`: that of the first file, or that of new files; `None` if the file system
/// does not report it.
pub fn layout(dir: &Path) -> Option<Layout> {
    let kind = mount_of(&fs::read_to_string("/proc/self/mountinfo").ok()?, &dir.canonicalize().ok()?).kind;
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let file = entries.map(|entry| entry.path()).find(|path| path.is_file());
    layout_of(&kind, file.as_deref().unwrap_or(dir))
}

/// Load average of the last minute.
pub fn load() -> f64 {
    first_line("/proc/loadavg").split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

/// The rest after `key` of the first line that starts with it.
fn keyed(path: &str, key: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim().to_owned()
}

/// The main memory of this node, in bytes; 0 if it is not known.
pub fn memory() -> u64 {
    let kib = keyed("/proc/meminfo", "MemTotal:");
    kib.trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) * 1024
}

fn first_line(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().lines().next().unwrap_or_default().to_owned()
}

/// The distinct CPU frequency governors of all cores.
fn governors() -> String {
    let cores = fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten();
    let found: BTreeSet<String> = cores
        .map(|core| first_line(&core.path().join("cpufreq/scaling_governor").to_string_lossy()))
        .filter(|governor| !governor.is_empty())
        .collect();
    found.into_iter().collect::<Vec<_>>().join(", ")
}

/// The report of the time service, if one answers.
fn time_sync() -> String {
    let chrony = answer("chronyc", &["-n", "tracking"]).unwrap_or_default();
    let kept = chrony.lines().filter(|line| {
        ["Reference ID", "System time", "RMS offset", "Leap status"].iter().any(|key| line.starts_with(key))
    });
    let kept: Vec<String> = kept.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    if !kept.is_empty() {
        return format!("chrony: {}", kept.join("; "));
    }
    let state = answer("timedatectl", &["show", "-p", "NTP", "-p", "NTPSynchronized"]).unwrap_or_default();
    if state.is_empty() {
        state
    } else {
        format!("timedatectl: {}", state.lines().collect::<Vec<_>>().join("; "))
    }
}

/// The output of `program`, which is found as by the shell; `None` if it is missing, prints nothing, fails or
/// exceeds the time limit.
fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    let ran = bounded::ended(command.args(arguments).env("LC_ALL", "C"), "", ANSWER_LIMIT).ok()?;
    (ran.status.success() && !ran.out.trim().is_empty()).then_some(ran.out)
}

/// The kernel's table of limits. Two or more spaces separate its columns.
fn limits(table: &str) -> BTreeMap<String, String> {
    let row = |line: &str| {
        let mut words = line.split("  ").map(str::trim).filter(|word| !word.is_empty());
        let name = words.next()?.to_owned();
        Some((name, words.collect::<Vec<_>>().join(" ")))
    };
    table.lines().skip(1).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_has_its_soft_and_hard_value() {
        let table = "Limit                     Soft Limit           Hard Limit           Units     \n\
                     Max locked memory         8388608              unlimited            bytes     \n\
                     Max nice priority         0                    0                    \n";
        let found = limits(table);
        assert_eq!(found["Max locked memory"], "8388608 unlimited bytes");
        assert_eq!(found["Max nice priority"], "0 0");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn this_machine_has_cores_memory_and_a_file_system_with_free_space() {
        let here = tempfile::tempdir().unwrap();
        let machine = machine(&[("scratch".to_owned(), here.path().to_owned())]);
        assert!(machine.cores > 0 && machine.memory_bytes > 1 << 20 && machine.kernel.starts_with("Linux"));
        let fs = &machine.file_systems[0];
        assert!(machine.limits.contains_key("Max open files"), "{:?}", machine.limits);
        assert!(!machine.clock_source.is_empty() && !fs.mounts.is_empty());
        let fill = fill(here.path()).unwrap();
        assert!(fill.bytes_used > 0 && fill.bytes_free > 0, "{fill:?}");
        assert!(fs.bytes > 0 && !fs.kind.is_empty() && fs.mount.starts_with('/'), "{fs:?}");
    }
}
