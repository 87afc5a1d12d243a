//! Storage in memory with a quota that it keeps, or breaks in a known way.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use command::quota::QuotaOf;
use ranks::Comm;
use storage::{File, Mode, NameStatus, Names, Open, QuotaLimit, QuotaLimits, Quotas, Space, Storage};

/// The user whose files are limited, and the one of files in [`OTHERS`].
pub(super) const ID: u32 = 7;
const OTHER_ID: u32 = 8;
pub(super) const OTHERS: &str = "/others";

/// What the storage accepts and shows.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// The limits that it shows.
    pub(super) limits: QuotaLimits,
    /// Bytes and inodes that it accepts beyond them; `None` for any number.
    pub(super) beyond: [Option<u64>; 2],
    /// The error of a rejection.
    pub(super) errno: i32,
    /// A rank that is never rejected bytes.
    pub(super) favoured: Option<u32>,
    /// Whether cut files give their bytes back.
    pub(super) gives_back: bool,
    /// How often the usage that was shown before is shown again after a change; `None` for ever.
    pub(super) late: Option<u32>,
    /// Whether it shows limits and usage.
    pub(super) shows: bool,
    /// Whether others are rejected, too, once a file of the user was.
    pub(super) harms_others: bool,
    /// Writes at or after this offset of a file fail with EIO.
    pub(super) broken_at: Option<u64>,
}

impl Rules {
    /// A quota that is kept.
    pub(super) fn sound(bytes: u64, inodes: u64) -> Self {
        let limit = |hard| QuotaLimit { hard, ..QuotaLimit::default() };
        Self {
            limits: QuotaLimits { bytes: limit(bytes), inodes: limit(inodes) },
            beyond: [Some(0); 2],
            errno: 122,
            favoured: None,
            gives_back: true,
            late: Some(0),
            shows: true,
            harms_others: false,
            broken_at: None,
        }
    }
}

#[derive(Debug, Default)]
struct State {
    /// The data of each file, which begins at its start. Directories have none.
    files: BTreeMap<PathBuf, Option<u64>>,
    /// Bytes that count for the user, and the most that they were.
    used: u64,
    used_max: u64,
    has_rejected: bool,
    /// The usage that is shown, and how often it was shown although it is not the present one.
    shown: [u64; 2],
    shown_late: u32,
}

/// The storage.
#[derive(Clone, Debug)]
pub(super) struct Limited {
    rules: Rules,
    state: Arc<Mutex<State>>,
}

impl Limited {
    pub(super) fn new(rules: Rules) -> Self {
        let state = State::default();
        Self { rules, state: Arc::new(Mutex::new(state)) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }

    /// All paths that exist.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.state().files.keys().cloned().collect()
    }

    /// The most bytes of the user at a time.
    pub(super) fn used_max(&self) -> u64 {
        self.state().used_max
    }

    /// Adds a file that exists already.
    pub(super) fn add(&self, path: &str, bytes: u64) {
        let mut state = self.state();
        state.files.insert(path.into(), Some(bytes));
        state.used += bytes;
    }

    fn rejected(&self, state: &mut State) -> io::Error {
        state.has_rejected = true;
        io::Error::from_raw_os_error(self.rules.errno)
    }

    fn make(&self, path: &CStr, bytes: Option<u64>) -> io::Result<()> {
        let path = path_of(path);
        let mut state = self.state();
        if state.files.contains_key(&path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if is_other(&path) {
            self.check_others(&state)?;
        } else if let Some(beyond) = self.rules.beyond[1]
            && inodes(&state) >= self.rules.limits.inodes.hard.saturating_add(beyond)
            && self.rules.limits.inodes.hard > 0
        {
            return Err(self.rejected(&mut state));
        }
        state.files.insert(path, bytes);
        Ok(())
    }

    fn check_others(&self, state: &State) -> io::Result<()> {
        match self.rules.harms_others && state.has_rejected {
            true => Err(io::Error::from_raw_os_error(self.rules.errno)),
            false => Ok(()),
        }
    }

    fn take(&self, path: &CStr) -> io::Result<()> {
        let mut state = self.state();
        let path = path_of(path);
        let bytes = state.files.remove(&path).ok_or(io::ErrorKind::NotFound)?.unwrap_or(0);
        if !is_other(&path) {
            state.used = state.used.saturating_sub(bytes);
        }
        Ok(())
    }
}

fn path_of(path: &CStr) -> PathBuf {
    path.to_str().expect("a path of the test").into()
}

fn is_other(path: &Path) -> bool {
    path.starts_with(OTHERS)
}

/// Files and directories of the user.
fn inodes(state: &State) -> u64 {
    state.files.keys().filter(|path| !is_other(path)).count() as u64
}

impl Storage for Limited {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let exists = self.state().files.contains_key(path);
        if !exists && how.mode == Mode::Write {
            self.make(&crate::kit::path::c_path(path), Some(0))?;
        }
        Ok(Box::new(LimitedFile { on: self.clone(), path: path.to_owned(), rank: comm.rank() }))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.take(&crate::kit::path::c_path(path))
    }

    fn size(&self, path: &Path) -> io::Result<Option<u64>> {
        Ok(self.state().files.get(path).copied().flatten())
    }

    fn space(&self, _path: &Path) -> io::Result<Option<Space>> {
        Ok(None)
    }

    fn names(&self) -> Option<&dyn Names> {
        Some(self)
    }

    fn mounted(&self) -> Option<&dyn Names> {
        None
    }

    fn quotas(&self) -> Option<&dyn Quotas> {
        self.rules.shows.then_some(self)
    }

    fn direct(&self) -> bool {
        false
    }
}

struct LimitedFile {
    on: Limited,
    path: PathBuf,
    rank: u32,
}

impl File for LimitedFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        let (rules, mut state) = (&self.on.rules, self.on.state());
        if rules.broken_at.is_some_and(|from| offset >= from) {
            return Err(io::Error::from_raw_os_error(5));
        }
        if is_other(&self.path) {
            self.on.check_others(&state)?;
            return Ok(data.len());
        }
        let mut length = data.len() as u64;
        let favoured = rules.favoured == Some(self.rank);
        if let Some(beyond) = rules.beyond[0].filter(|_| !favoured && rules.limits.bytes.hard > 0) {
            let room = (rules.limits.bytes.hard + beyond).saturating_sub(state.used);
            length = length.min(room);
        }
        if length == 0 {
            return Err(self.on.rejected(&mut state));
        }
        state.used += length;
        state.used_max = state.used_max.max(state.used);
        state.files.insert(self.path.clone(), Some(offset + length));
        Ok(length as usize)
    }

    fn read_at(&mut self, _data: &mut [u8], _offset: u64) -> io::Result<usize> {
        Ok(0)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn size(&mut self) -> io::Result<u64> {
        Ok(self.on.state().files[&self.path].unwrap_or(0))
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

impl Quotas for Limited {
    fn id_of(&self, path: &Path, _of: QuotaOf) -> io::Result<u32> {
        Ok(if is_other(path) { OTHER_ID } else { ID })
    }

    fn limits(&self, _path: &Path, _of: QuotaOf, _id: u32) -> io::Result<QuotaLimits> {
        let mut state = self.state();
        let now = [state.used, inodes(&state)];
        if state.shown != now {
            if self.rules.late.is_some_and(|late| state.shown_late >= late) {
                (state.shown, state.shown_late) = (now, 0);
            } else {
                state.shown_late += 1;
            }
        }
        let mut limits = self.rules.limits;
        [limits.bytes.used, limits.inodes.used] = state.shown;
        Ok(limits)
    }
}

fn unsupported<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Names for Limited {
    fn make_dir(&self, path: &CStr, _permissions: u32) -> io::Result<()> {
        self.make(path, None)
    }

    fn remove_dir(&self, path: &CStr) -> io::Result<()> {
        let dir = path_of(path);
        if self.state().files.keys().any(|path| *path != dir && path.starts_with(&dir)) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        self.take(path)
    }

    fn make_node(&self, path: &CStr, _permissions: u32) -> io::Result<()> {
        self.make(path, Some(0))
    }

    fn unlink(&self, path: &CStr) -> io::Result<()> {
        self.take(path)
    }

    fn truncate(&self, path: &CStr, bytes: u64) -> io::Result<()> {
        let mut state = self.state();
        let path = path_of(path);
        let data = state.files[&path].unwrap_or(0);
        // A part beyond the data takes no space.
        let left = data.min(bytes);
        state.files.insert(path, Some(left));
        if self.rules.gives_back {
            state.used -= data - left;
        }
        Ok(())
    }

    fn stat(&self, _path: &CStr) -> io::Result<NameStatus> {
        unsupported()
    }

    fn lstat(&self, _path: &CStr) -> io::Result<NameStatus> {
        unsupported()
    }

    fn statx(&self, _path: &CStr) -> io::Result<NameStatus> {
        unsupported()
    }

    fn rename(&self, _from: &CStr, _to: &CStr) -> io::Result<()> {
        unsupported()
    }

    fn link(&self, _from: &CStr, _to: &CStr) -> io::Result<()> {
        unsupported()
    }

    fn symlink(&self, _target: &CStr, _path: &CStr) -> io::Result<()> {
        unsupported()
    }

    fn chmod(&self, _path: &CStr, _permissions: u32) -> io::Result<()> {
        unsupported()
    }

    fn set_attribute(&self, _path: &CStr, _name: &CStr, _value: &[u8]) -> io::Result<()> {
        unsupported()
    }

    fn get_attribute(&self, _path: &CStr, _name: &CStr, _value: &mut [u8]) -> io::Result<usize> {
        unsupported()
    }

    fn remove_attribute(&self, _path: &CStr, _name: &CStr) -> io::Result<()> {
        unsupported()
    }

    fn list(&self, _path: &CStr, _each: &mut dyn FnMut(&CStr, Option<bool>)) -> io::Result<u64> {
        unsupported()
    }
}
