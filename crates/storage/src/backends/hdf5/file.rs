//! An open HDF5 file: a hyperslab of a dataset for each transfer.
//!
//! Within a transfer's time lie: the choice of the elements in the file, the call that moves them, and with
//! collective transfers the question whether they were moved so. All else is made with the open.
#![allow(unsafe_code)]

use std::io;

use ffi::hdf5::{COLLECTIVE, INDEPENDENT, Id, Library, NO_COLLECTIVE, SCOPE_LOCAL, SELECT_SET};
use ffi::mpi;

use super::calls::{Held, check};
use super::sets::{self, ELEMENT, Sets};
use crate::mpi_file::Info;
use crate::{File, Hints};

/// `H5D_MPIO_CHUNK_COLLECTIVE` and `H5D_MPIO_CONTIGUOUS_COLLECTIVE`: moved by all ranks together.
const TOGETHER: [i32; 2] = [2, 4];

/// A file as the library has it; it is closed by [`Opened::close`] only, which all its ranks call together.
pub(super) struct Opened {
    library: &'static Library,
    id: Id,
}

impl Opened {
    /// What `H5Fcreate` or `H5Fopen` just gave.
    pub(super) fn new(library: &'static Library, made: Id) -> io::Result<Self> {
        check(library, made).map(|id| Self { library, id })
    }

    /// For calls of HDF5.
    pub(super) fn id(&self) -> Id {
        self.id
    }

    pub(super) fn close(self) -> io::Result<()> {
        // SAFETY: the file is open and not used afterwards; all its ranks close together.
        check(self.library, unsafe { (self.library.functions.fclose)(self.id) }).map(drop)
    }
}

/// What a file shows of its hints.
pub(super) struct Shown {
    pub(super) mpi: &'static mpi::Library,
    /// What was passed.
    pub(super) passed: Vec<(String, String)>,
    /// The list that the file was opened with.
    pub(super) access: Held,
}

/// An open file with its datasets.
pub(super) struct H5File {
    library: &'static Library,
    file: Opened,
    sets: Sets,
    /// Bytes of a dataset.
    segment: u64,
    /// The elements of a dataset of which some are chosen for a transfer.
    space: Held,
    /// A space of the elements in memory, and how many these are.
    memory: (Held, u64),
    transfer: Held,
    collective: bool,
    shown: Option<Shown>,
    uncollective: u64,
}

impl H5File {
    /// `segment` and `transfer` are bytes, of a dataset and of most transfers.
    pub(super) fn new(
        library: &'static Library,
        file: Opened,
        sets: Sets,
        (segment, transfer): (u64, u64),
        collective: bool,
    ) -> Result<Self, (Opened, Sets, io::Error)> {
        let parts = || -> io::Result<_> {
            let list = Held::list(library, library.constants.dataset_transfer)?;
            let mode = if collective { COLLECTIVE } else { INDEPENDENT };
            // SAFETY: the list is live.
            check(library, unsafe { (library.functions.pset_dxpl_mpio)(list.id(), mode) })?;
            let elements = (transfer / ELEMENT).max(1);
            Ok((
                list,
                Held::space(library, (segment / ELEMENT).max(1))?,
                Held::space(library, elements)?,
                elements,
            ))
        };
        match parts() {
            Err(error) => Err((file, sets, error)),
            Ok((transfer, space, memory, elements)) => {
                let memory = (memory, elements);
                Ok(Self {
                    library,
                    file,
                    sets,
                    segment,
                    space,
                    memory,
                    transfer,
                    collective,
                    shown: None,
                    uncollective: 0,
                })
            }
        }
    }

    /// Shows its hints when asked.
    pub(super) fn showing(self, shown: Option<Shown>) -> Self {
        Self { shown, ..self }
    }

    /// Chooses the elements of a transfer; gives its dataset and how many bytes of it lie there, 0 at the end of
    /// the data.
    fn choose(&mut self, length: usize, offset: u64) -> io::Result<(Id, usize)> {
        let length = length as u64;
        if !length.is_multiple_of(ELEMENT) || !offset.is_multiple_of(ELEMENT) {
            let what = "datasets hold elements of 8 bytes, and this transfer holds parts of one";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let segment = if self.segment == 0 { usize::MAX } else { (offset / self.segment) as usize };
        if segment >= self.sets.count() {
            return Ok((0, 0));
        }
        let set = self.sets.of(segment)?;
        let begin = offset % self.segment;
        let bytes = length.min(self.segment - begin);
        let (start, count) = (begin / ELEMENT, bytes / ELEMENT);
        if self.memory.1 != count {
            self.memory = (Held::space(self.library, count)?, count);
        }
        let (all, no_stride, no_block) = (self.space.id(), std::ptr::null(), std::ptr::null());
        // SAFETY: the space has one dimension, of which the chosen part lies within its size.
        let chosen = unsafe {
            let choose = self.library.functions.sselect_hyperslab;
            choose(all, SELECT_SET, &raw const start, no_stride, &raw const count, no_block)
        };
        check(self.library, chosen)?;
        Ok((set, bytes as usize))
    }

    /// Counts a collective transfer that was none.
    fn count_uncollective(&mut self) -> io::Result<()> {
        if self.collective {
            let mut mode = NO_COLLECTIVE;
            // SAFETY: the list is the one that the transfer just made was given.
            let told = unsafe {
                (self.library.functions.pget_mpio_actual_io_mode)(self.transfer.id(), &raw mut mode)
            };
            check(self.library, told)?;
            self.uncollective += u64::from(!TOGETHER.contains(&mode));
        }
        Ok(())
    }
}

impl File for H5File {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        let (set, bytes) = self.choose(data.len(), offset)?;
        if bytes == 0 {
            return Ok(0);
        }
        let kind = self.library.constants.native_llong;
        let (memory, space, list) = (self.memory.0.id(), self.space.id(), self.transfer.id());
        // SAFETY: `data` has as many elements as are chosen in both spaces, for as long as the call lasts.
        let code =
            unsafe { (self.library.functions.dwrite)(set, kind, memory, space, list, data.as_ptr().cast()) };
        check(self.library, code)?;
        self.count_uncollective()?;
        Ok(bytes)
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        let (set, bytes) = self.choose(data.len(), offset)?;
        if bytes == 0 {
            return Ok(0);
        }
        let kind = self.library.constants.native_llong;
        let (memory, space, list) = (self.memory.0.id(), self.space.id(), self.transfer.id());
        // SAFETY: `data` has room for as many elements as are chosen in both spaces, for as long as the call
        // lasts.
        let code = unsafe {
            (self.library.functions.dread)(set, kind, memory, space, list, data.as_mut_ptr().cast())
        };
        check(self.library, code)?;
        self.count_uncollective()?;
        Ok(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        // SAFETY: the file is open; all its ranks flush together.
        check(self.library, unsafe { (self.library.functions.fflush)(self.file.id(), SCOPE_LOCAL) }).map(drop)
    }

    fn size(&mut self) -> io::Result<u64> {
        let mut size = 0;
        // SAFETY: the file is open.
        check(self.library, unsafe {
            (self.library.functions.fget_filesize)(self.file.id(), &raw mut size)
        })?;
        Ok(size)
    }

    fn uncollective(&self) -> u64 {
        self.uncollective
    }

    fn place(&self, offset: u64) -> Option<String> {
        let segment = offset.checked_div(self.segment)? as usize;
        let within = offset % self.segment;
        let element = within / ELEMENT;
        let at = match self.sets.begin(segment) {
            Some(begin) => format!(" at {} of the file", begin + within),
            None => String::new(),
        };
        Some(format!("element {element} of {}{at}", sets::name(segment)))
    }

    fn hints(&self) -> io::Result<Option<Hints>> {
        let Some(shown) = &self.shown else { return Ok(None) };
        let mut handle: *mut std::ffi::c_void = std::ptr::null_mut();
        // SAFETY: the file is open with this list; the handle is ours to write into.
        let told = unsafe {
            (self.library.functions.fget_vfd_handle)(self.file.id(), shown.access.id(), &raw mut handle)
        };
        check(self.library, told)?;
        if handle.is_null() {
            return Err(io::Error::other("HDF5 gave no handle of MPI"));
        }
        // SAFETY: the driver over MPI-IO gives the address of its `MPI_File`, which is an address itself.
        let file = unsafe { *handle.cast::<mpi::Handle>() };
        let mut info = 0;
        // SAFETY: the file is open; the new handle is ours.
        if unsafe { (shown.mpi.functions.file_get_info)(file, &raw mut info) } != 0 {
            return Err(io::Error::other("MPI does not tell the hints of the file"));
        }
        let returned = Info::own(shown.mpi, info).pairs()?;
        Ok(Some(Hints { to: "access property list", passed: shown.passed.clone(), returned }))
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        let Self { file, sets, .. } = *self;
        let closed = sets.close();
        closed.and(file.close())
    }
}
