//! The identity of this process and of its node.
//!
//! It has the kernel, a tracer, a filter of system calls, mapped files that the program does not need, and
//! the program itself.
//!
//! A library that is preloaded by the environment or by `/etc/ld.so.preload` is mapped when the program
//! starts, before the program loads a library itself. So the mapped files are read first of all. The calls
//! that read them are instructions of this program, so the library cannot answer them.
//!
//! Invariant: everything is read for each process while no clock runs. Mapped files are read once.
//! Never here: what follows from it.

use std::fs;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use results::folder::{sha256_by, sha256_of};
use results::mounts::mount_of;
use results::record::{MappedObject, NodeIdentity};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::path::Arg;

/// The file with the id that a kernel chose when it booted.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// A larger file has no hash.
const HASHED_BYTES_MAX: u64 = 64 << 20;
/// The libraries that the program is linked to. They lie beside the loader.
const NEEDED: [&str; 6] =
    ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"];
/// The entry of the auxiliary vector with the address of the loader (getauxval(3)).
const AT_BASE: usize = 7;

/// The files that were mapped at the start.
static AT_START: OnceLock<Vec<MappedObject>> = OnceLock::new();

/// The hash of the program, if it was remembered.
static PROGRAM: OnceLock<Option<String>> = OnceLock::new();

/// Remembers the SHA-256 of this program, unless the process that started it runs the same file: then no
/// launcher chose another one. To be called while no clock runs.
pub fn remember_program() {
    PROGRAM.get_or_init(|| {
        let file = |process: &str| {
            let facts = rustix::fs::stat(format!("/proc/{process}/exe")).ok()?;
            Some((facts.st_dev, facts.st_ino))
        };
        let is_of_parent = file("self").is_some_and(|own| file(&parent_id().to_string()) == Some(own));
        if is_of_parent { None } else { kernel_sha256("/proc/self/exe") }
    });
}

/// The SHA-256 of a file, read by instructions of this program.
fn kernel_sha256(path: &str) -> Option<String> {
    let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    sha256_by(|buffer| Ok(rustix::io::retry_on_intr(|| rustix::io::read(&file, &mut *buffer))?)).ok()
}

/// Remembers the mapped files that the program does not need. To be called before it loads a library.
pub fn remember_mapped() {
    AT_START.get_or_init(|| {
        let maps = kernel_text("/proc/self/smaps");
        let program = rustix::fs::readlink("/proc/self/exe", Vec::new()).unwrap_or_default();
        let mappings = mappings(&maps);
        let loader = loader(&mappings, base(&kernel_bytes("/proc/self/auxv")));
        let beside = |name: &&str| fs::canonicalize(Path::new(loader).with_file_name(name)).ok();
        let mut needed: Vec<PathBuf> = NEEDED.iter().filter_map(beside).collect();
        needed.extend([PathBuf::from(loader), PathBuf::from(&*program.to_string_lossy())]);
        let found = unneeded(&mappings, &needed);
        found.into_iter().take(NodeIdentity::CAP).map(|path| object(&path)).collect()
    });
}

/// The mapped files that the program does not need, if they were remembered.
pub fn mapped_at_start() -> &'static [MappedObject] {
    AT_START.get().map_or(&[], Vec::as_slice)
}

/// What this process reports about itself. The node's name and kernel are not set.
pub fn own() -> NodeIdentity {
    let (tracer_pid, seccomp) = tracer_and_filter();
    let tracer = match tracer_pid {
        0 => String::new(),
        pid => kernel_text(format!("/proc/{pid}/comm")).trim().to_owned(),
    };
    let objects = mapped_at_start().to_vec();
    let programs = PROGRAM.get().cloned().flatten().into_iter().collect();
    NodeIdentity { seccomp, tracer_pid, tracer, objects, programs, ..NodeIdentity::default() }
}

/// The process that traces this one now, 0 for none, and the present seccomp mode of this one.
pub(super) fn tracer_and_filter() -> (u32, u32) {
    let status = kernel_text("/proc/self/status");
    let field = |name: &str| {
        let mut lines = status.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        lines.next().and_then(|value| value.trim().parse().ok()).unwrap_or(0)
    };
    (field("TracerPid"), field("Seccomp"))
}

/// The id of this node's kernel; empty if it cannot be read, or if something is mounted on its file.
pub fn boot_id() -> String {
    known_boot_id(&kernel_text("/proc/self/mountinfo"), kernel_text(BOOT_ID).trim())
}

/// The text of a file of the kernel, read by instructions of this program; empty if that fails.
pub(super) fn kernel_text(path: impl Arg) -> String {
    String::from_utf8_lossy(&kernel_bytes(path)).into_owned()
}

fn kernel_bytes(path: impl Arg) -> Vec<u8> {
    let Ok(file) = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) else {
        return Vec::new();
    };
    let (mut bytes, mut buffer) = (Vec::new(), [0; 1 << 14]);
    loop {
        match rustix::io::read(&file, &mut buffer) {
            Ok(0) => return bytes,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(Errno::INTR) => {}
            Err(_) => return Vec::new(),
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

/// A part of the address space.
struct MappedPart<'m> {
    from: usize,
    to: usize,
    has_code: bool,
    /// Its file; a name in brackets, or nothing, if it has none.
    path: &'m str,
    /// Whether pages of the file were replaced by own ones of the process.
    is_changed: bool,
}

/// The parts in the text of `/proc/PID/smaps` (proc(5)).
fn mappings(smaps: &str) -> Vec<MappedPart<'_>> {
    let mut all: Vec<MappedPart<'_>> = Vec::new();
    for line in smaps.lines() {
        if let Some(own) = line.strip_prefix("Anonymous:") {
            let is_changed = own.trim() != "0 kB";
            all.last_mut().into_iter().for_each(|last| last.is_changed = is_changed);
        }
        let mut words = line.splitn(6, ' ');
        let range = words.next().and_then(|range| range.split_once('-'));
        let Some((from, to)) = range else { continue };
        let address = |text| usize::from_str_radix(text, 16).ok();
        let (Some(from), Some(to)) = (address(from), address(to)) else { continue };
        let has_code = words.next().is_some_and(|rights| rights.contains('x'));
        let path = words.nth(3).unwrap_or_default().trim_start();
        all.push(MappedPart { from, to, has_code, path, is_changed: false });
    }
    all
}

/// The address of the loader in the auxiliary vector that the kernel gave the process; 0 without one.
fn base(auxv: &[u8]) -> usize {
    const WORD: usize = size_of::<usize>();
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, usize::from_ne_bytes);
    let mut entries = auxv.chunks_exact(2 * WORD).map(|entry| entry.split_at(WORD));
    entries.find(|(kind, _)| word(kind) == AT_BASE).map_or(0, |(_, address)| word(address))
}

/// The file of the loader, which the kernel mapped at `base`; empty without one.
fn loader<'m>(mappings: &[MappedPart<'m>], base: usize) -> &'m str {
    let at_base = |one: &&MappedPart<'_>| (one.from..one.to).contains(&base);
    mappings.iter().find(at_base).map_or("", |one| one.path)
}

/// The mapped files with code that are not `needed`, code that was changed, and code of no file. Those that
/// were loaded first come first: preloaded libraries, then those that they need. The loader maps each library
/// below the ones before.
fn unneeded(mappings: &[MappedPart<'_>], needed: &[PathBuf]) -> Vec<String> {
    let is_needed = |path: &str| needed.iter().any(|needed| needed.as_os_str() == path);
    let named = mappings.iter().filter(|one| one.has_code).filter_map(|one| match one.path {
        path if path.starts_with('/') && !is_needed(path) => Some(path.to_owned()),
        path if path.starts_with('/') => one.is_changed.then(|| format!("{path} (changed code)")),
        "[vdso]" | "[vsyscall]" => None,
        _ => Some(format!("code of no file at {:x}", one.from)),
    });
    let mut named: Vec<String> = named.collect();
    named.dedup();
    named.reverse();
    named
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
        let part = |from: &str, rights: &str, path: &str, own: u32| {
            let to = format!("{from}fff");
            format!("{from}000-{to} {rights} 00000000 08:01 12   {path}\nRss:  4 kB\nAnonymous:   {own} kB\n")
        };
        let found = |text: &str| {
            let mappings = mappings(text);
            let beside = Path::new(loader(&mappings, 0x30_100)).with_file_name("libc.so.6");
            let needed = ["/opt/assay".into(), loader(&mappings, 0x30_100).into(), beside];
            unneeded(&mappings, &needed)
        };
        let honest = [
            part("10", "r-xp", "/opt/assay", 0),
            part("11", "rw-p", "/opt/assay", 8),
            part("12", "rw-p", "", 8),
            part("20", "r-xp", "/usr/lib/x86_64-linux-gnu/libc.so.6", 0),
            part("30", "r-xp", "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", 0),
            part("40", "r-xp", "[vdso]", 0),
            part("50", "r--p", "/usr/lib/locale/locale-archive", 0),
        ]
        .concat();
        assert_eq!(found(&honest), [""; 0]);
        for (text, named) in [
            (part("19", "r-xp", "/usr/lib64/libfast io.so", 0), "/usr/lib64/libfast io.so"),
            (part("19", "r-xp", "/tmp/ld-fast.so", 0), "/tmp/ld-fast.so"),
            (
                part("19", "r-xp", "/usr/lib/x86_64-linux-gnu/libm.so.9", 0),
                "/usr/lib/x86_64-linux-gnu/libm.so.9",
            ),
            (part("19", "r-xp", "/tmp/libc.so.6", 0), "/tmp/libc.so.6"),
            (part("19", "rwxp", "", 4), "code of no file at 19000"),
            (part("19", "r-xp", "[anon:name]", 4), "code of no file at 19000"),
            (part("19", "r-xp", "/opt/assay", 4), "/opt/assay (changed code)"),
        ] {
            assert_eq!(found(&(text + &honest)), [named]);
        }
    }

    #[test]
    fn the_loader_is_that_of_the_kernel_and_a_test_program_needs_no_more() {
        let maps = kernel_text("/proc/self/smaps");
        let mappings = mappings(&maps);
        let loader = loader(&mappings, base(&kernel_bytes("/proc/self/auxv")));
        assert!(loader.rsplit('/').next().unwrap().starts_with("ld-linux"), "{loader}");
        remember_mapped();
        remember_program();
        // Cargo started it.
        let own = sha256_of(&std::env::current_exe().unwrap()).unwrap();
        assert_eq!(super::own().programs, [own]);
        let objects = mapped_at_start();
        assert!(objects.iter().all(|one| one.path.contains("valgrind")), "{objects:?}");
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
