//! Files by MPI-IO, with explicit offsets: `MPI_File_write_at` and `MPI_File_read_at`, or their
//! collective forms. The ranks have to be MPI's.
//!
//! A shared file is opened on the communicator of the test, a file per rank on the rank alone.
//! MPI has no truncation at open, and none is done here: a file that exists keeps its length.
//!
//! Options: `hintsFileName` and the environment give hints (see `hints`), `showHints` has the file tell which
//! were passed and which came back, `preallocate` asks for the file's space when it is opened for writing.
#![allow(unsafe_code)]

mod hints;

use std::ffi::{CString, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ffi::mpi::{Functions, Handle, Library, Status};
use ranks::Comm;
use units::Usage;

use crate::backends::{Backend, BackendOption, Settings, Takes};
use crate::{File, Hints, Mode, Open, PageCache, Space, Storage};
use crate::{files, residency};
use hints::Info;

pub(super) const BACKEND: Backend = Backend {
    name: "mpiio",
    about: "files by MPI-IO, independent or collective (-c), with explicit offsets",
    options: &[
        BackendOption { name: "hintsFileName", takes: Takes::Text, about: "file of hints for MPI_File_open" },
        BackendOption {
            name: "preallocate",
            takes: Takes::Flag,
            about: "ask for the file's space when it is opened for writing",
        },
        BackendOption { name: "showHints", takes: Takes::Flag, about: "show the hints of each file" },
        BackendOption { name: "useFileView", takes: Takes::Flag, about: "transfers through a file view" },
        BackendOption {
            name: "useStridedDatatype",
            takes: Takes::Flag,
            about: "all segments of a rank in one call",
        },
    ],
    needs_mpi: true,
    open,
};

struct MpiIo {
    hints: hints::Asked,
    shows_hints: bool,
    preallocates: bool,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    for name in ["mpiio.useFileView", "mpiio.useStridedDatatype"] {
        if settings.flag(name) {
            let what = "not there yet; leave it out, transfers go to explicit offsets";
            return Err(Usage(format!("--{name}: {what}")));
        }
    }
    Ok(Box::new(MpiIo {
        hints: hints::asked("mpiio", settings)?,
        shows_hints: settings.flag("mpiio.showHints"),
        preallocates: settings.flag("mpiio.preallocate"),
    }))
}

/// An open `MPI_File`. The library outlives it: it is never unloaded, and MPI ends after the tests.
struct MpiFile {
    library: &'static Library,
    handle: Handle,
    collective: bool,
    /// What was passed, where it is to be shown.
    passed: Option<Vec<(String, String)>>,
}

impl Storage for MpiIo {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let mpi = comm.mpi().ok_or_else(|| io::Error::other("the ranks are not MPI's"))?;
        let library = mpi.library();
        let constants = &library.constants;
        let modes = &constants.modes;
        let mode = match how.mode {
            Mode::Write => modes.create | modes.rdwr,
            Mode::Update => modes.wronly,
            Mode::Truncate => modes.create | modes.wronly,
            Mode::Read => modes.rdonly,
        };
        let whose = if how.shared { mpi.handle() } else { constants.comm_self };
        let name = CString::new(given(path).as_os_str().as_bytes())?;
        let info = self.info(comm, library, how)?;
        let passed = if self.shows_hints { Some(info.pairs()?) } else { None };
        let mut handle = constants.file_null;
        // SAFETY: MPI runs while `comm` lives; the name ends in a zero byte and the handle is ours.
        let code = unsafe {
            (library.functions.file_open)(whose, name.as_ptr(), mode, info.handle, &raw mut handle)
        };
        check(library, code)?;
        // SAFETY: the file was just opened. Errors come back instead of ending the program.
        let code = unsafe { (library.functions.file_set_errhandler)(handle, constants.errors_return) };
        check(library, code)?;
        let file = MpiFile { library, handle, collective: how.shared && how.collective, passed };
        if self.preallocates && how.mode == Mode::Write && how.bytes > 0 {
            let mine = file.preallocate(how.bytes);
            // MPI lets one rank ask for the space, and fail, alone: the others have to hear of it.
            if let Err(error) = together(comm, how.shared, "preallocate", mine) {
                Box::new(file).close()?;
                return Err(error);
            }
        }
        Ok(Box::new(file))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        files::remove(plain(path))
    }

    fn size(&self, path: &Path) -> io::Result<Option<u64>> {
        files::size(plain(path))
    }

    fn system_path<'p>(&self, path: &'p Path) -> &'p Path {
        plain(path)
    }

    fn space(&self, path: &Path) -> io::Result<Option<Space>> {
        files::space(plain(path))
    }

    fn hole(&self, path: &Path) -> io::Result<Option<u64>> {
        files::hole(plain(path))
    }

    fn is_device(&self, path: &Path) -> bool {
        files::is_device(plain(path))
    }

    fn page_cache(&self, path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
        residency::of(plain(path))
    }

    fn is_collective(&self) -> bool {
        true
    }

    fn keeps_data(&self) -> bool {
        true
    }

    fn direct(&self) -> bool {
        false
    }
}

/// Names that MPI-IO libraries let stand before a path, with a colon, to choose a driver.
const DRIVERS: &[&str] =
    &["bgl", "daos", "gpfs", "ime", "lustre", "nfs", "panfs", "pvfs2", "quobytefs", "testfs", "ufs", "xfs"];

/// The path without the name of a driver.
fn plain(path: &Path) -> &Path {
    match path.to_str().and_then(|text| text.split_once(':')) {
        Some((driver, rest)) if DRIVERS.contains(&driver) => Path::new(rest),
        _ => path,
    }
}

/// The path as MPI is given it: Open MPI 4.1 cannot create a file whose name has no directory.
fn given(path: &Path) -> PathBuf {
    let bare = !path.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b'/' | b':'));
    if bare { Path::new(".").join(path) } else { path.to_owned() }
}

/// MPI's answer as a result; an error carries the words of its class and of the library.
fn check(library: &Library, code: c_int) -> io::Result<()> {
    if code == 0 {
        return Ok(());
    }
    let mut text = [0_u8; 1024];
    let mut length: c_int = 0;
    // SAFETY: the text has more room than any library's MPI_MAX_ERROR_STRING (at most 512).
    unsafe { (library.functions.error_string)(code, text.as_mut_ptr().cast(), &raw mut length) };
    let words = String::from_utf8_lossy(&text[..length.clamp(0, 1024) as usize]).replace('\n', " ");
    let errors = &library.constants.errors;
    let mut class = 0;
    // SAFETY: a plain query of an error code.
    unsafe { (library.functions.error_class)(code, &raw mut class) };
    let kind = match class {
        c if c == errors.no_such_file => io::ErrorKind::NotFound,
        c if c == errors.no_space => io::ErrorKind::StorageFull,
        c if c == errors.access || c == errors.read_only => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    Err(io::Error::new(kind, words.trim().to_owned()))
}

impl MpiIo {
    /// The hints for an open. A rank that cannot make them may not leave the others in the open.
    fn info(&self, comm: &dyn Comm, library: &'static Library, how: Open) -> io::Result<Info> {
        let mine = Info::new(library, &self.hints);
        if self.hints.is_empty() { mine } else { together(comm, how.shared, "hints", mine) }
    }
}

/// What came of a step that all ranks of a shared file take: it fails on all of them or on none.
fn together<T>(comm: &dyn Comm, shared: bool, step: &str, mine: io::Result<T>) -> io::Result<T> {
    if !shared {
        return mine;
    }
    comm.agree(step, mine).map_err(|halt| io::Error::other(halt.why))
}

impl MpiFile {
    /// Asks for the space of that many bytes.
    fn preallocate(&self, bytes: u64) -> io::Result<()> {
        let (_, size) = place(0, bytes)?;
        // SAFETY: the file is open; all its ranks ask for the same.
        let code = unsafe { (self.functions().file_preallocate)(self.handle, size) };
        check(self.library, code).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot preallocate {size} bytes: {error}"))
        })
    }

    fn functions(&self) -> &'static Functions {
        &self.library.functions
    }

    /// How many bytes a finished call moved.
    fn moved(&self, status: &Status) -> io::Result<usize> {
        let mut count = 0;
        let byte = self.library.constants.byte;
        // SAFETY: the status was filled by the call just made.
        check(self.library, unsafe { (self.functions().get_count)(status, byte, &raw mut count) })?;
        Ok(usize::try_from(count).unwrap_or(0))
    }
}

/// Length and offset as MPI counts them.
fn place(length: usize, offset: u64) -> io::Result<(c_int, i64)> {
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidInput, "beyond what one MPI call can move");
    Ok((c_int::try_from(length).map_err(invalid)?, i64::try_from(offset).map_err(invalid)?))
}

impl File for MpiFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        let (count, offset) = place(data.len(), offset)?;
        let functions = self.functions();
        let write = if self.collective { functions.file_write_at_all } else { functions.file_write_at };
        let mut status = Status::new();
        let byte = self.library.constants.byte;
        // SAFETY: the file is open and `data` has `count` bytes for as long as the call lasts.
        let code = unsafe { write(self.handle, offset, data.as_ptr().cast(), count, byte, &raw mut status) };
        check(self.library, code)?;
        self.moved(&status)
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        let (count, offset) = place(data.len(), offset)?;
        let functions = self.functions();
        let read = if self.collective { functions.file_read_at_all } else { functions.file_read_at };
        let mut status = Status::new();
        let byte = self.library.constants.byte;
        // SAFETY: the file is open and `data` has room for `count` bytes for as long as the call lasts.
        let code =
            unsafe { read(self.handle, offset, data.as_mut_ptr().cast(), count, byte, &raw mut status) };
        check(self.library, code)?;
        self.moved(&status)
    }

    fn sync(&mut self) -> io::Result<()> {
        // SAFETY: the file is open; all its ranks sync together.
        check(self.library, unsafe { (self.functions().file_sync)(self.handle) })
    }

    fn size(&mut self) -> io::Result<u64> {
        let mut size = 0;
        // SAFETY: the file is open.
        check(self.library, unsafe { (self.functions().file_get_size)(self.handle, &raw mut size) })?;
        Ok(size.try_into().unwrap_or(0))
    }

    fn hints(&self) -> io::Result<Option<Hints>> {
        let Some(passed) = self.passed.clone() else { return Ok(None) };
        let returned = Info::of(self.library, self.handle)?.pairs()?;
        Ok(Some(Hints { passed, returned }))
    }

    fn close(mut self: Box<Self>) -> io::Result<()> {
        // SAFETY: the file is open and not used afterwards; all its ranks close together.
        check(self.library, unsafe { (self.functions().file_close)(&raw mut self.handle) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_yet_is_refused_in_one_line() {
        for name in ["mpiio.useFileView", "mpiio.useStridedDatatype"] {
            let mut settings = Settings::default();
            settings.set(name, "1");
            let error = open(&settings).err().expect("refused").0;
            assert!(error.starts_with(&format!("--{name}: not there yet")), "{error}");
        }
    }

    #[test]
    fn a_drivers_name_before_a_path_is_left_out() {
        assert_eq!(plain(Path::new("ufs:/scratch/f")), Path::new("/scratch/f"));
        for other in ["/scratch/a:b", "run:3", "a:b"] {
            assert_eq!(plain(Path::new(other)), Path::new(other), "a colon is a letter like others");
        }
    }
}
