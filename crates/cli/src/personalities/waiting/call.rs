//! The system call on a file that a thread of this process is in.

use std::fmt;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use results::record::WaitingCall;
use units::visible;

/// Bytes of a path that are read from the arguments of a call.
const PATH_BYTES: usize = 1024;

/// Which argument of a call names the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileArgument {
    /// A descriptor.
    Descriptor,
    /// A descriptor of a call that moves data. `offset` is the argument with the place in the file, if there
    /// is one.
    Data { offset: Option<usize> },
    /// A path.
    Path(usize),
}

const PLAIN: FileArgument = FileArgument::Descriptor;
const STREAM: FileArgument = FileArgument::Data { offset: None };
const PLACED: FileArgument = FileArgument::Data { offset: Some(3) };

/// The calls that wait for a file system, with their names for people.
const CALLS: &[(libc::c_long, &str, FileArgument)] = &[
    (libc::SYS_write, "write", STREAM),
    (libc::SYS_pwrite64, "write", PLACED),
    (libc::SYS_writev, "write", STREAM),
    (libc::SYS_pwritev, "write", PLACED),
    (libc::SYS_read, "read", STREAM),
    (libc::SYS_pread64, "read", PLACED),
    (libc::SYS_readv, "read", STREAM),
    (libc::SYS_preadv, "read", PLACED),
    (libc::SYS_fsync, "fsync", PLAIN),
    (libc::SYS_fdatasync, "fdatasync", PLAIN),
    (libc::SYS_ftruncate, "ftruncate", PLAIN),
    (libc::SYS_fallocate, "fallocate", PLAIN),
    (libc::SYS_fcntl, "fcntl", PLAIN),
    (libc::SYS_lseek, "lseek", PLAIN),
    (libc::SYS_syncfs, "syncfs", PLAIN),
    (libc::SYS_fstatfs, "statfs", PLAIN),
    (libc::SYS_getdents64, "getdents", PLAIN),
    (libc::SYS_fstat, "fstat", PLAIN),
    (libc::SYS_close, "close", PLAIN),
    (libc::SYS_openat, "open", FileArgument::Path(1)),
    (libc::SYS_mkdirat, "mkdir", FileArgument::Path(1)),
    (libc::SYS_unlinkat, "unlink", FileArgument::Path(1)),
    (libc::SYS_newfstatat, "stat", FileArgument::Path(1)),
    (libc::SYS_statx, "stat", FileArgument::Path(1)),
    (libc::SYS_renameat2, "rename", FileArgument::Path(1)),
    (libc::SYS_mknodat, "mknod", FileArgument::Path(1)),
    (libc::SYS_linkat, "link", FileArgument::Path(1)),
    (libc::SYS_symlinkat, "symlink", FileArgument::Path(2)),
    (libc::SYS_readlinkat, "readlink", FileArgument::Path(1)),
    (libc::SYS_fchmodat, "chmod", FileArgument::Path(1)),
    (libc::SYS_faccessat, "access", FileArgument::Path(1)),
    (libc::SYS_truncate, "truncate", FileArgument::Path(0)),
    (libc::SYS_statfs, "statfs", FileArgument::Path(0)),
    (libc::SYS_setxattr, "setxattr", FileArgument::Path(0)),
    (libc::SYS_getxattr, "getxattr", FileArgument::Path(0)),
    (libc::SYS_lgetxattr, "lgetxattr", FileArgument::Path(0)),
    (libc::SYS_removexattr, "removexattr", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, "open", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_stat, "stat", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lstat, "lstat", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, "mkdir", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rmdir, "rmdir", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_unlink, "unlink", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rename, "rename", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, "mknod", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_link, "link", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_symlink, "symlink", FileArgument::Path(1)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_readlink, "readlink", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, "chmod", FileArgument::Path(0)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_access, "access", FileArgument::Path(0)),
];

/// A call on a file that has not returned yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileCall {
    name: &'static str,
    /// The place in the file, bytes.
    offset: Option<u64>,
    /// The path; empty if it is not known.
    path: String,
    /// The descriptor, if the call has one.
    descriptor: Option<u64>,
    /// Whether the call moves data.
    moves_data: bool,
    /// The kernel's counters of the thread. They change with every call that moves data, so two equal calls
    /// are not taken for one.
    counters: String,
}

impl fmt::Display for FileCall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = visible(&self.path);
        match (self.offset, self.path.is_empty()) {
            (_, true) => write!(out, "{}", self.name),
            (Some(offset), _) => write!(out, "{} at {offset} of {path}", self.name),
            (None, _) => write!(out, "{} of {path}", self.name),
        }
    }
}

impl FileCall {
    /// The call on a file that this thread of this process is in; `None` if it is in none.
    pub(super) fn of(thread: i32) -> Option<Self> {
        let task = format!("/proc/self/task/{thread}");
        let line = fs::read_to_string(format!("{task}/syscall")).ok()?;
        let mut call = parse(&line)?;
        call.counters = fs::read_to_string(format!("{task}/io")).unwrap_or_default();
        // Pipes, terminals and what the kernel shows are no storage.
        let others = ["/dev/null", "/dev/pts/", "/proc/", "/sys/"];
        let storage = !others.iter().any(|place| call.path.starts_with(place));
        (storage && call.path.starts_with('/') || call.name == "close").then_some(call)
    }

    /// Its facts for a record that the rank did not return from it.
    pub(super) fn to_record(&self) -> WaitingCall {
        WaitingCall {
            call: self.name.to_owned(),
            path: self.path.clone(),
            offset: self.offset,
            at_unix_ms: measure::unix_ms(),
            ..WaitingCall::default()
        }
    }

    /// Whether its file is known.
    pub(super) fn has_file(&self) -> bool {
        !self.path.is_empty()
    }

    /// The path for a call without one, from an earlier call of the thread. For another descriptor it is only
    /// the directory. `None` if no data was moved between the calls. Then the counters of two closes do not
    /// differ, so short calls look like one long call.
    pub(super) fn path_from(&self, before: &Self) -> Option<String> {
        if self.has_file() || (self.counters == before.counters && !before.moves_data) {
            return None;
        }
        if before.moves_data && before.descriptor == self.descriptor {
            return Some(before.path.clone());
        }
        Some(Path::new(&before.path).parent()?.display().to_string())
    }

    #[cfg(test)]
    pub(super) fn opening(counters: &str) -> Self {
        let path = "/s/d/f".to_owned();
        Self {
            descriptor: None,
            moves_data: false,
            path,
            counters: counters.into(),
            ..Self::example("open", 0)
        }
    }

    #[cfg(test)]
    pub(super) fn closing() -> Self {
        Self { offset: None, path: String::new(), moves_data: false, ..Self::example("close", 0) }
    }

    #[cfg(test)]
    pub(super) fn example(name: &'static str, offset: u64) -> Self {
        let (offset, path, counters) = (Some(offset), "FILE".to_owned(), String::new());
        Self { name, offset, path, descriptor: Some(7), moves_data: true, counters }
    }
}

/// The call in the kernel's line: its number and six arguments in hexadecimal digits.
fn parse(line: &str) -> Option<FileCall> {
    let mut words = line.split_whitespace();
    let number: libc::c_long = words.next()?.parse().ok()?;
    let (_, name, argument) = CALLS.iter().find(|(known, ..)| *known == number)?;
    let values: Vec<u64> =
        words.take(6).map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()).collect();
    let descriptor = match argument {
        FileArgument::Path(_) => None,
        FileArgument::Descriptor | FileArgument::Data { .. } => Some(*values.first()?),
    };
    let offset = match argument {
        FileArgument::Data { offset: Some(at) } => values.get(*at).copied(),
        _ => None,
    };
    let path = match (argument, descriptor) {
        (FileArgument::Path(at), _) => absolute(&text_at(*values.get(*at)?)?),
        (_, descriptor) => {
            let link = format!("/proc/self/fd/{}", descriptor?);
            fs::read_link(link).map(|path| path.display().to_string()).unwrap_or_default()
        }
    };
    let moves_data = matches!(argument, FileArgument::Data { .. });
    Some(FileCall { name, offset, path, descriptor, moves_data, counters: String::new() })
}

/// The path as it is from the root. The rank may have given it from its working directory.
fn absolute(path: &str) -> String {
    std::path::absolute(Path::new(path)).map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

/// The text at an address of this process, up to its zero byte. The kernel reads it, so a wrong address is an
/// error and no crash.
fn text_at(address: u64) -> Option<String> {
    let memory = File::open("/proc/self/mem").ok()?;
    let mut bytes = [0; PATH_BYTES];
    let length = memory.read_at(&mut bytes, address).ok()?;
    let end = bytes[..length].iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    fn line(number: libc::c_long, arguments: [u64; 6]) -> String {
        let words: Vec<String> = arguments.iter().map(|value| format!("{value:#x}")).collect();
        format!("{number} {} 0x7ffc 0x7f67\n", words.join(" "))
    }

    #[test]
    fn a_call_is_shown_with_its_place_and_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("f");
        let file = File::create(&path).unwrap();
        let fd = file.as_raw_fd() as u64;
        let shown = |number, arguments| parse(&line(number, arguments)).map(|call| call.to_string());
        let at = |word: &str| Some(format!("{word} of {}", path.display()));
        assert_eq!(shown(libc::SYS_pwrite64, [fd, 9, 4096, 41025536, 0, 0]), at("write at 41025536"));
        assert_eq!(shown(libc::SYS_fsync, [fd, 0, 0, 0, 0, 0]), at("fsync"));
        let text = std::ffi::CString::new(path.display().to_string()).unwrap();
        let address = text.as_ptr() as u64;
        assert_eq!(shown(libc::SYS_mkdirat, [0, address, 0, 0, 0, 0]), at("mkdir"));
        assert_eq!(shown(libc::SYS_mkdirat, [0, 8, 0, 0, 0, 0]), None, "an address without memory");
        for other in ["running\n", "-1 0x7ffc 0x7f67\n", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8\n", ""] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    /// The calls of the C library whose system call has another name.
    const OTHER_NAMES: [(&str, &str); 7] = [
        ("pread", "read"),
        ("pwrite", "write"),
        ("opendir", "open"),
        ("readdir", "getdents"),
        ("closedir", "close"),
        ("statx", "stat"),
        ("statvfs", "statfs"),
    ];

    #[test]
    fn each_call_of_the_storage_on_a_file_is_known() {
        let source = include_str!("../../../../storage/src/calls.rs");
        let called = source.split("libc::").skip(1).filter_map(|rest| rest.split_once('('));
        let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let called: Vec<&str> = called.map(|(name, _)| name).filter(is_name).collect();
        assert!(called.len() > 20, "{called:?}");
        for name in called.into_iter().filter(|name| *name != "dirfd") {
            let plain = name.trim_end_matches("64");
            let other = OTHER_NAMES.iter().find(|(known, _)| *known == plain);
            let shown = other.map_or(plain, |(_, shown)| shown);
            assert!(CALLS.iter().any(|(_, known, _)| *known == shown), "{name}");
        }
    }

    #[test]
    fn a_thread_that_waits_for_a_pipe_is_in_no_call_on_a_file() {
        let (reader, writer) = std::io::pipe().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let waiter = std::thread::spawn(move || {
            sender.send(rustix::thread::gettid().as_raw_nonzero().get()).unwrap();
            std::io::Read::read(&mut { reader }, &mut [0])
        });
        let thread = receiver.recv().unwrap();
        for _ in 0..50 {
            assert_eq!(FileCall::of(thread), None);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        drop(writer);
        assert_eq!(waiter.join().unwrap().unwrap(), 0);
    }
}
