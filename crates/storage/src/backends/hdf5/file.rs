//! An open HDF5 file: one hyperslab of a dataset for each transfer.
//!
//! The time of a transfer includes the selection of the elements in the file and the call that moves them.
//! With collective transfers it also includes the query whether they were moved collectively. Everything else
//! is done at open.
#![allow(unsafe_code)]

use std::io;
use std::sync::Arc;

use ffi::hdf5::{Hdf5Library, Id, SCOPE_LOCAL};
use ffi::mpi;

use super::sets::{ELEMENT, Sets};
use crate::hdf5::{Health, HeldIdentifier, OpenedFile, Transfers, check};
use crate::{File, Hints};

/// The hints of a file, if they are shown.
pub(super) struct ShownHints {
    pub(super) mpi: &'static mpi::MpiLibrary,
    /// The hints that were passed.
    pub(super) passed: Vec<(String, String)>,
    /// The access property list that the file was opened with.
    pub(super) access: HeldIdentifier,
}

/// Everything that is needed to transfer data of an open file.
pub(super) struct TransferParts {
    library: &'static Hdf5Library,
    sets: Sets,
    /// The dataspace of a dataset; each transfer selects elements of it.
    space: HeldIdentifier,
    /// A dataspace of the elements in memory, and their number.
    memory: (HeldIdentifier, u64),
    transfers: Transfers,
}

impl TransferParts {
    /// Made once at open; `transfer` is the number of bytes of most transfers.
    pub(super) fn new(
        library: &'static Hdf5Library,
        sets: Sets,
        transfer: u64,
        collective: bool,
    ) -> io::Result<Self> {
        let transfers = Transfers::new(library, collective)?;
        let elements = (transfer / ELEMENT).max(1);
        let memory = (HeldIdentifier::space(library, &[elements])?, elements);
        let space = HeldIdentifier::space(library, &[(sets.shape.bytes() / ELEMENT).max(1)])?;
        Ok(Self { library, sets, space, memory, transfers })
    }

    /// Selects the elements of a transfer. Returns its dataset and how many bytes of it exist there, 0 at the
    /// end of the data.
    fn choose(&mut self, length: usize, offset: u64) -> io::Result<(Id, usize)> {
        let length = length as u64;
        if !length.is_multiple_of(ELEMENT) || !offset.is_multiple_of(ELEMENT) {
            let what = "datasets have elements of 8 bytes, and this transfer is not a multiple of 8 bytes";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let whole = self.sets.shape.bytes();
        let number = offset.checked_div(whole).map_or(usize::MAX, |number| number as usize);
        if number >= self.sets.count() {
            return Ok((0, 0));
        }
        let set = self.sets.of(number)?;
        let begin = offset % whole;
        let bytes = length.min(whole - begin);
        let (start, count) = (begin / ELEMENT, bytes / ELEMENT);
        if self.memory.1 != count {
            self.memory = (HeldIdentifier::space(self.library, &[count])?, count);
        }
        self.space.choose(&[start], &[count])?;
        Ok((set, bytes as usize))
    }

    /// Writes; returns how many bytes, and whether a requested collective transfer was collective.
    fn write(&mut self, data: &[u8], offset: u64) -> io::Result<(usize, bool)> {
        let (set, bytes) = self.choose(data.len(), offset)?;
        if bytes == 0 {
            return Ok((0, true));
        }
        let (kind, write) = (self.library.constants.native_llong, self.library.functions.dwrite);
        let (memory, space, list) = (self.memory.0.id(), self.space.id(), self.transfers.id());
        // SAFETY: during the call `data` has as many elements as are selected in both spaces.
        let code = unsafe { write(set, kind, memory, space, list, data.as_ptr().cast()) };
        check(self.library, code)?;
        Ok((bytes, self.transfers.was_collective()?))
    }

    /// Reads; returns the same as `write`.
    fn read(&mut self, data: &mut [u8], offset: u64) -> io::Result<(usize, bool)> {
        let (set, bytes) = self.choose(data.len(), offset)?;
        if bytes == 0 {
            return Ok((0, true));
        }
        let (kind, read) = (self.library.constants.native_llong, self.library.functions.dread);
        let (memory, space, list) = (self.memory.0.id(), self.space.id(), self.transfers.id());
        // SAFETY: during the call `data` has space for what is selected in both spaces.
        let code = unsafe { read(set, kind, memory, space, list, data.as_mut_ptr().cast()) };
        check(self.library, code)?;
        Ok((bytes, self.transfers.was_collective()?))
    }
}

/// An open file with its datasets.
pub(super) struct H5File {
    pub(super) file: OpenedFile,
    pub(super) parts: TransferParts,
    pub(super) health: Arc<Health>,
    pub(super) shared: bool,
    /// The hints, if they are to be shown.
    pub(super) shown: Option<ShownHints>,
    pub(super) uncollective: u64,
}

impl H5File {
    /// Notes how a transfer ended.
    fn ended(&mut self, moved: io::Result<(usize, bool)>) -> io::Result<usize> {
        let (bytes, collective) = self.health.watched(self.shared, moved)?;
        self.uncollective += u64::from(!collective);
        Ok(bytes)
    }
}

impl File for H5File {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        let moved = self.parts.write(data, offset);
        self.ended(moved)
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        let moved = self.parts.read(data, offset);
        self.ended(moved)
    }

    fn sync(&mut self) -> io::Result<()> {
        let library = self.parts.library;
        // SAFETY: the file is open; all its ranks flush together.
        let flushed = check(library, unsafe { (library.functions.fflush)(self.file.id(), SCOPE_LOCAL) });
        self.health.watched(self.shared, flushed).map(drop)
    }

    fn size(&mut self) -> io::Result<u64> {
        let (library, mut size) = (self.parts.library, 0);
        // SAFETY: the file is open.
        check(library, unsafe { (library.functions.fget_filesize)(self.file.id(), &raw mut size) })?;
        Ok(size)
    }

    fn uncollective(&self) -> u64 {
        self.uncollective
    }

    fn place(&self, offset: u64) -> Option<String> {
        let sets = &self.parts.sets;
        let number = offset.checked_div(sets.shape.bytes())? as usize;
        let within = offset % sets.shape.bytes();
        let at = sets.begin(number).map(|begin| format!(" at {} of the file", begin + within));
        let name = sets.shape.name(number);
        Some(format!("element {} of {name}{}", within / ELEMENT, at.unwrap_or_default()))
    }

    fn hints(&self) -> io::Result<Option<Hints>> {
        let Some(shown) = &self.shown else { return Ok(None) };
        let returned = self.file.hints(&shown.access, shown.mpi)?;
        Ok(Some(Hints { to: "access property list", passed: shown.passed.clone(), returned }))
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        let Self { file, parts, health, shared, .. } = *self;
        let closed = parts.sets.close();
        let closed = health.watched(shared, closed.and_then(|()| file.close()));
        // What could not be closed is still open, and the library would close it again when MPI ends.
        closed.inspect_err(|_| health.leave())
    }

    fn abandon(self: Box<Self>) {
        self.health.abandon();
        // The identifiers that belong to the file stay open with it.
        std::mem::forget(self);
    }
}
