//! Hints to GPFS (IBM Storage Scale) on open files, if its library is found.
//!
//! The hints and their moments are those of IOR 4.1. After the opening, `releasetoken` gives back the locks
//! (tokens) of the whole file. Then `finegrainwritesharing` marks files for writing and
//! `finegrainreadsharing` files for reading. `hintaccess` announces the range of each transfer, and gives it
//! back afterwards.
//!
//! Invariant: a hint that GPFS rejects is an error, because a test without its hints is another test.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::{Arc, OnceLock};

use command::Settings;
use ffi::gpfs::{
    AccessRange, FineGrainReadSharing, FineGrainWriteSharing, FreeRange, GpfsHint, GpfsLibrary, HintArgument,
};

use crate::calls::answered;
use crate::libraries::LibraryKind;
use crate::{File, Mode};

pub(crate) const KIND: LibraryKind = LibraryKind {
    name: "GPFS",
    variable: "ASSAY_GPFS_LIBRARY",
    homes: &[],
    folders: &["/usr/lpp/mmfs/lib"],
    names: &["libgpfs.so"],
    is_on_mpi: false,
    version: |path| GpfsLibrary::load(path).map(|_| "with gpfs_fcntl".to_owned()).map_err(|error| error.why),
    advice: "IBM Storage Scale has it in /usr/lpp/mmfs/lib",
};

/// The options of the hints, in the order of [`GpfsHints::given`].
const OPTIONS: [&str; 4] = ["hintaccess", "releasetoken", "finegrainwritesharing", "finegrainreadsharing"];

/// The hints that the settings request.
#[derive(Debug, Default)]
pub(crate) struct GpfsHints {
    given: [bool; OPTIONS.len()],
    /// The library, or why there is none.
    library: OnceLock<Result<GpfsLibrary, String>>,
}

impl GpfsHints {
    pub(super) fn new(settings: &Settings) -> Self {
        let given = OPTIONS.map(|option| settings.flag(&format!("posix.gpfs.{option}")));
        Self { given, library: OnceLock::new() }
    }

    /// Why the requested hints have no effect, in a line. `None` if they have.
    pub(crate) fn note(&self) -> Option<String> {
        let given = OPTIONS.iter().zip(self.given).filter(|(_, given)| *given);
        let names: Vec<String> = given.map(|(option, _)| format!("--posix.gpfs.{option}")).collect();
        let verb = if names.len() == 1 { "has" } else { "have" };
        // A run without hints does not load the library.
        let why = if names.is_empty() { None } else { self.library().err() }?;
        Some(format!("{} {verb} no effect: {why}", names.join(", ")))
    }

    /// Gives the hints on a file that was opened.
    pub(super) fn opened(&self, fd: &OwnedFd, mode: Mode) -> io::Result<()> {
        let [_, release, write_sharing, read_sharing] = self.given;
        if release {
            self.give(fd, "releasetoken", FreeRange { start: 0, length: 0 })?;
        }
        match mode {
            Mode::Read if read_sharing => {
                self.give(fd, "finegrainreadsharing", FineGrainReadSharing { enable: 1, padding: [0; 4] })
            }
            Mode::Write | Mode::Update | Mode::Truncate if write_sharing => {
                let hint = FineGrainWriteSharing { enable: 1, task: -1, tasks: -1, record: -1 };
                self.give(fd, "finegrainwritesharing", hint)
            }
            _ => Ok(()),
        }
    }

    /// The file with hints around its transfers, if they are requested.
    pub(crate) fn around(self: &Arc<Self>, file: Box<dyn File>) -> Box<dyn File> {
        let [access, ..] = self.given;
        let is_possible = access && self.library().is_ok();
        if is_possible { Box::new(HintedFile { file, hints: Arc::clone(self) }) } else { file }
    }

    fn library(&self) -> Result<&GpfsLibrary, &String> {
        let load = || {
            let found = KIND.found().into_iter().next().ok_or_else(|| KIND.missing())?;
            GpfsLibrary::load(found.path).map_err(|error| error.to_string())
        };
        self.library.get_or_init(load).as_ref()
    }

    /// Gives a hint on an open file; does nothing without the library, which a note reports.
    fn give(&self, fd: impl AsFd, option: &str, hint: impl GpfsHint) -> io::Result<()> {
        let Ok(library) = self.library() else { return Ok(()) };
        let mut argument = HintArgument::new(hint);
        let place = (&raw mut argument).cast();
        // SAFETY: the argument is live and is one of this function, and the descriptor is open.
        let given = answered(unsafe { (library.functions.fcntl)(fd.as_fd().as_raw_fd(), place) });
        given.map_err(|error| {
            let what = format!("GPFS does not take the hint; leave out --posix.gpfs.{option}: {error}");
            crate::call_error::reworded(&error, what)
        })
    }
}

/// A file with hints around each transfer.
struct HintedFile {
    file: Box<dyn File>,
    hints: Arc<GpfsHints>,
}

impl HintedFile {
    fn hinted(
        &mut self,
        is_write: bool,
        (offset, bytes): (u64, usize),
        transfer: impl FnOnce(&mut dyn File) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let fd = self.file.descriptor().filter(|_| bytes > 0);
        // A range of length 0 would reach to the end of the file.
        let Some(fd) = fd else { return transfer(&mut *self.file) };
        let (start, length) = (offset.cast_signed(), bytes as i64);
        let access = AccessRange { start, length, is_write: is_write.into(), padding: [0; 4] };
        self.hints.give(&*fd, "hintaccess", access)?;
        let moved = transfer(&mut *self.file)?;
        self.hints.give(&*fd, "hintaccess", FreeRange { start, length })?;
        Ok(moved)
    }
}

impl File for HintedFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        self.hinted(true, (offset, data.len()), |file| file.write_at(data, offset))
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        self.hinted(false, (offset, data.len()), |file| file.read_at(data, offset))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }

    fn size(&mut self) -> io::Result<u64> {
        self.file.size()
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        self.file.close()
    }

    fn descriptor(&self) -> Option<Arc<OwnedFd>> {
        self.file.descriptor()
    }
}
