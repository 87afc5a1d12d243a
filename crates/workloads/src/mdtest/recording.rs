//! Storage for tests that stores every call with the rank that made it, and fails where the test asks for it.

use std::ffi::CStr;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use ranks::Comm;
use storage::{File, Mode, NameStatus, Names, Open, Space, Storage};

use super::scene::posix;

/// One call: the rank, and the call with the last part of each path.
pub(super) type RecordedCall = (u32, String);

/// The files of this machine, with recorded calls.
pub(super) struct Recording {
    inner: Box<dyn Storage>,
    calls: Mutex<Vec<RecordedCall>>,
    /// The call that fails on every path that contains this text, and the number of its error. A `mknod` with
    /// number 0 makes nothing.
    fault: Option<(&'static str, &'static str, i32)>,
    /// Milliseconds by which calls of that name are slowed down.
    pauses: &'static [(&'static str, u64)],
}

impl Recording {
    pub(super) fn new() -> Self {
        Self { inner: posix(), calls: Mutex::default(), fault: None, pauses: &[] }
    }

    pub(super) fn failing(call: &'static str, on: &'static str, error: i32) -> Self {
        Self { fault: Some((call, on, error)), ..Self::new() }
    }

    pub(super) fn pausing(pauses: &'static [(&'static str, u64)]) -> Self {
        Self { pauses, ..Self::new() }
    }

    /// The calls of `rank` that begin with one of these words.
    pub(super) fn calls(&self, rank: u32, words: &[&str]) -> Vec<String> {
        let calls = self.calls.lock().expect("no test panics while holding it");
        let wanted = |call: &&RecordedCall| {
            call.0 == rank && words.iter().any(|word| call.1.split(' ').next() == Some(*word))
        };
        calls.iter().filter(wanted).map(|call| call.1.clone()).collect()
    }

    fn names(&self) -> &dyn Names {
        self.inner.names().expect("it has some")
    }

    fn record(&self, call: &str, first: &CStr, second: Option<&CStr>) -> io::Result<()> {
        let thread = std::thread::current();
        let rank = thread.name().and_then(|name| name.strip_prefix("rank ")?.parse().ok()).unwrap_or(0);
        let mut text = format!("{call} {}", last(first));
        if let Some(second) = second {
            text = format!("{text} {}", last(second));
        }
        self.calls.lock().expect("no test panics while holding it").push((rank, text));
        if let Some((_, ms)) = self.pauses.iter().find(|(slow, _)| *slow == call) {
            std::thread::sleep(std::time::Duration::from_millis(*ms));
        }
        match self.fault {
            Some((failing, on, error))
                if error > 0 && failing == call && first.to_string_lossy().contains(on) =>
            {
                Err(io::Error::from_raw_os_error(error))
            }
            _ => Ok(()),
        }
    }
}

fn last(path: &CStr) -> String {
    let path = path.to_string_lossy();
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

impl Storage for Recording {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let call = match how.mode {
            Mode::Write => "open-write",
            Mode::Read => "open-read",
            Mode::Update => "open-update",
            Mode::Truncate => "open-truncate",
        };
        self.record(call, &crate::kit::path::c_path(path), None)?;
        self.inner.open(comm, path, how)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }

    fn size(&self, path: &Path) -> io::Result<Option<u64>> {
        self.inner.size(path)
    }

    fn space(&self, path: &Path) -> io::Result<Option<Space>> {
        self.inner.space(path)
    }

    fn names(&self) -> Option<&dyn Names> {
        Some(self)
    }

    fn direct(&self) -> bool {
        false
    }
}

macro_rules! recorded {
    ($($name:ident ( $first:ident $(, $other:ident : $kind:ty)* ) -> $result:ty, $call:literal;)*) => {
        $(fn $name(&self, $first: &CStr $(, $other: $kind)*) -> io::Result<$result> {
            self.record($call, $first, None)?;
            self.names().$name($first $(, $other)*)
        })*
    };
}

impl Names for Recording {
    recorded! {
        make_dir(path, permissions: u32) -> (), "mkdir";
        remove_dir(path) -> (), "rmdir";
        unlink(path) -> (), "unlink";
        stat(path) -> NameStatus, "stat";
        lstat(path) -> NameStatus, "lstat";
        statx(path) -> NameStatus, "statx";
        chmod(path, permissions: u32) -> (), "chmod";
        truncate(path, bytes: u64) -> (), "truncate";
        set_attribute(path, name: &CStr, value: &[u8]) -> (), "setxattr";
        get_attribute(path, name: &CStr, value: &mut [u8]) -> usize, "getxattr";
        remove_attribute(path, name: &CStr) -> (), "removexattr";
        list(path, each: &mut dyn FnMut(&CStr, Option<bool>)) -> u64, "list";
    }

    fn make_node(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        self.record("mknod", path, None)?;
        match self.fault {
            Some(("mknod", on, 0)) if path.to_string_lossy().contains(on) => Ok(()),
            _ => self.names().make_node(path, permissions),
        }
    }

    fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        self.record("rename", from, Some(to))?;
        self.names().rename(from, to)
    }

    fn link(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        self.record("link", from, Some(to))?;
        self.names().link(from, to)
    }

    fn symlink(&self, target: &CStr, path: &CStr) -> io::Result<()> {
        self.record("symlink", target, Some(path))?;
        self.names().symlink(target, path)
    }
}
