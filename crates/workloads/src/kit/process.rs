//! The identity of this process and of its node.
//!
//! It has the kernel, a tracer, a filter of system calls, and mapped files that the program does not need.
//!
//! A library that is preloaded by the environment or by `/etc/ld.so.preload` is mapped when the program
//! starts, before the program loads a library itself. So the mapped files are read first of all. The calls
//! that read them are instructions of this program, so the library cannot answer them.
//!
//! Invariant: everything is read once for each process, before any clock starts.
//! Never here: what follows from it.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use results::folder::sha256_of;
use results::mounts::mount_of;
use results::record::{MappedObject, NodeIdentity};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::path::Arg;

/// The file with the id that a kernel chose when it booted.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// A larger file has no hash.
const HASHED_BYTES_MAX: u64 = 64 << 20;
/// Prefixes of the names of libraries that the program is linked to.
const NEEDED: [&str; 7] = ["libc.", "libm.", "libgcc_s.", "libpthread.", "libdl.", "librt.", "ld-"];
/// Where a system has these libraries.
const SYSTEM: [&str; 4] = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"];

/// The files that were mapped at the start.
static AT_START: OnceLock<Vec<MappedObject>> = OnceLock::new();

/// Remembers the mapped files that the program does not need. To be called before it loads a library.
pub fn remember_mapped() {
    AT_START.get_or_init(|| {
        let maps = kernel_text("/proc/self/maps");
        let program = rustix::fs::readlink("/proc/self/exe", Vec::new()).unwrap_or_default();
        let paths = unneeded(&maps, &program.to_string_lossy());
        paths.into_iter().take(NodeIdentity::CAP).map(object).collect()
    });
}

/// The mapped files that the program does not need, if they were remembered.
pub fn mapped_at_start() -> &'static [MappedObject] {
    AT_START.get().map_or(&[], Vec::as_slice)
}

/// What this process reports about itself. The node's name and kernel are not set.
pub fn own() -> NodeIdentity {
    let status = kernel_text("/proc/self/status");
    let field = |name: &str| {
        let mut lines = status.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        lines.next().and_then(|value| value.trim().parse().ok()).unwrap_or(0)
    };
    let tracer_pid = field("TracerPid");
    let tracer = match tracer_pid {
        0 => String::new(),
        pid => kernel_text(format!("/proc/{pid}/comm")).trim().to_owned(),
    };
    let objects = mapped_at_start().to_vec();
    NodeIdentity { seccomp: field("Seccomp"), tracer_pid, tracer, objects, ..NodeIdentity::default() }
}

/// The id of this node's kernel; empty if it cannot be read, or if something is mounted on its file.
pub fn boot_id() -> String {
    known_boot_id(&kernel_text("/proc/self/mountinfo"), kernel_text(BOOT_ID).trim())
}

/// The content of a file of the kernel, read by instructions of this program; empty if that fails.
pub(super) fn kernel_text(path: impl Arg) -> String {
    let Ok(file) = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) else {
        return String::new();
    };
    let (mut bytes, mut buffer) = (Vec::new(), [0; 1 << 14]);
    loop {
        match rustix::io::read(&file, &mut buffer) {
            Ok(0) => return String::from_utf8_lossy(&bytes).into_owned(),
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(Errno::INTR) => {}
            Err(_) => return String::new(),
        }
    }
}

fn known_boot_id(mountinfo: &str, text: &str) -> String {
    let mount = mount_of(mountinfo, Path::new(BOOT_ID));
    let below = BOOT_ID.strip_prefix(mount.point.as_str()).unwrap_or_default();
    let in_proc = format!("{}{below}", mount.root.trim_end_matches('/'));
    let is_own = mount.kind == "proc" && Some(in_proc.as_str()) == BOOT_ID.strip_prefix("/proc");
    let is_id = text.len() == 36 && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    if is_own && is_id { text.to_owned() } else { String::new() }
}

/// The mapped files with code, except `program` and the libraries that it is linked to. Those that were
/// loaded first come first: preloaded libraries, then those that they need. The loader maps each library
/// below the ones before.
fn unneeded<'m>(maps: &'m str, program: &str) -> Vec<&'m str> {
    let files = maps.lines().filter_map(|line| {
        let path = &line[line.find('/')?..];
        line.split(' ').nth(1)?.contains('x').then_some(path)
    });
    let mut files: Vec<&str> = files.collect();
    files.dedup();
    let loader = files.iter().find(|file| name(file).starts_with("ld-")).map(|file| dir(file));
    let needed = |file: &str| {
        let is_usual = SYSTEM.iter().any(|dir| file.starts_with(dir)) || Some(dir(file)) == loader;
        is_usual && NEEDED.iter().any(|prefix| name(file).starts_with(prefix))
    };
    files.retain(|file| *file != program && !needed(file));
    files.reverse();
    files
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn dir(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

fn object(path: &str) -> MappedObject {
    let is_small = fs::metadata(path).is_ok_and(|of| of.is_file() && of.len() <= HASHED_BYTES_MAX);
    let sha256 = is_small.then(|| sha256_of(Path::new(path)).ok()).flatten().unwrap_or_default();
    MappedObject { path: path.to_owned(), sha256 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_files_that_the_program_does_not_need_are_found() {
        let line = |rights: &str, path: &str| format!("7f00-7f01 {rights} 00000000 08:01 12   {path}\n");
        let needed = [
            line("r-xp", "/opt/assay"),
            line("r-xp", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
            line("r-xp", "/usr/lib64/libm-2.28.so").replace("libm-", "libm."),
            line("r-xp", "/nix/store/a/lib/ld-linux-x86-64.so.2"),
            line("r-xp", "/nix/store/a/lib/libgcc_s.so.1"),
            line("r-xp", "[vdso]"),
            line("r--p", "/usr/lib/locale/locale-archive"),
            "7f00-7f01 rwxp 00000000 00:00 0\n".to_owned(),
        ]
        .concat();
        assert_eq!(unneeded(&needed, "/opt/assay"), [""; 0]);
        let others = line("r-xp", "/tmp/libc.so.6") + &line("r-xp", "/usr/lib64/libfast io.so");
        let found = needed + &others + &line("r-xp", "/usr/lib64/libfast io.so");
        assert_eq!(unneeded(&found, "/opt/assay"), ["/usr/lib64/libfast io.so", "/tmp/libc.so.6"]);
    }

    #[test]
    fn the_id_of_a_kernel_is_not_taken_from_a_file_that_is_mounted_on_it() {
        let id = "f8a5ad8f-a629-4847-a153-6b21e3fcca28";
        let proc = "22 1 0:22 / /proc rw - proc proc rw\n";
        let container = "30 22 0:22 /sys /proc/sys ro - proc proc rw\n";
        assert_eq!(
            [proc.to_owned(), proc.to_owned() + container].map(|table| known_boot_id(&table, id)),
            [id; 2]
        );
        for (table, text) in [
            (format!("{proc}31 22 0:22 /sys/kernel/hostname {BOOT_ID} rw - proc proc rw\n"), id),
            (format!("{proc}31 22 0:40 /id {BOOT_ID} rw - tmpfs tmpfs rw\n"), id),
            (format!("{proc}31 22 0:40 / /proc/sys/kernel rw - tmpfs tmpfs rw\n"), id),
            (proc.to_owned(), "node7"),
        ] {
            assert_eq!(known_boot_id(&table, text), "", "{table}");
        }
        assert_eq!(boot_id().len(), 36, "the kernel of this machine");
    }
}
