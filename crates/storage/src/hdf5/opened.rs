//! Opening of a file on all its ranks.
#![allow(unsafe_code)]

use std::ffi::{CString, c_uint};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use ffi::hdf5::{DEFAULT, Hdf5Library, Id, READ_ONLY, TRUNCATE};
use ffi::mpi;
use ranks::Comm;

use super::calls::{HeldIdentifier, check};
use super::health::Health;
use crate::mpi_file::Info;
use crate::shared::{asked, given, together};

/// Properties of files in addition to hints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// Objects of at least this many bytes begin at multiples of it.
    pub(crate) alignment: u64,
    /// Whether all ranks read and write metadata together.
    pub(crate) metadata_together: bool,
}

/// Whether a file is created or opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OpenWay {
    /// Created, or replaced if it exists.
    Make,
    /// An existing file, opened with these flags.
    Open(c_uint),
}

impl OpenWay {
    fn writes(self) -> bool {
        !matches!(self, Self::Open(READ_ONLY))
    }
}

/// The ranks that open a file, and the library.
#[derive(Clone, Copy)]
pub(crate) struct Opening<'o> {
    pub(crate) library: &'static Hdf5Library,
    pub(crate) comm: &'o dyn Comm,
    /// Whether all ranks open the file together; otherwise this rank opens it alone.
    pub(crate) shared: bool,
    pub(crate) health: &'o Health,
}

impl Opening<'_> {
    /// The access property list for opening a file, and its hints.
    pub(crate) fn access<'h>(
        &self,
        hints: impl IntoIterator<Item = (&'h str, &'h str)>,
        tuning: Tuning,
    ) -> io::Result<(HeldIdentifier, Info)> {
        let library = self.library;
        let functions = &library.functions;
        let mpi = self.comm.mpi().ok_or_else(|| io::Error::other("the ranks are not MPI ranks"))?;
        let whose = if self.shared { mpi.handle() } else { mpi.library().constants.comm_self };
        let info = Info::of(mpi, hints)?;
        let access = self.list()?;
        // SAFETY: the list, the communicator and the hints are live; HDF5 copies the latter two.
        check(library, unsafe { (functions.pset_fapl_mpio)(access.id(), whose, info.handle()) })?;
        let alignment = tuning.alignment;
        // SAFETY: the list is live.
        check(library, unsafe { (functions.pset_alignment)(access.id(), alignment, alignment) })?;
        if tuning.metadata_together {
            // SAFETY: the list is live.
            check(library, unsafe { (functions.pset_all_coll_metadata_ops)(access.id(), true) })?;
            // SAFETY: the list is live.
            check(library, unsafe { (functions.pset_coll_metadata_write)(access.id(), true) })?;
        }
        Ok((access, info))
    }

    /// An empty access property list.
    pub(crate) fn list(&self) -> io::Result<HeldIdentifier> {
        HeldIdentifier::list(self.library, self.library.constants.file_access)
    }

    /// Opens or creates the file, on all ranks that share it or on none.
    pub(crate) fn open(&self, path: &Path, way: OpenWay, access: &HeldIdentifier) -> io::Result<OpenedFile> {
        // If only some ranks have opened the file, closing it would wait for the others.
        let file = self.health.watched(self.shared, self.open_here(path, way, access));
        let is_open = file.is_ok();
        together(self.comm, self.shared, "open", file).inspect_err(|_| match is_open {
            true => self.health.abandon(),
            false => self.health.settle(),
        })
    }

    fn open_here(&self, path: &Path, way: OpenWay, access: &HeldIdentifier) -> io::Result<OpenedFile> {
        let functions = &self.library.functions;
        let name = CString::new(given(path, false).as_os_str().as_bytes())?;
        // SAFETY: the name ends in a zero byte, and the lists are live; all ranks of the file make this call.
        let made = unsafe {
            match way {
                OpenWay::Make => (functions.fcreate)(name.as_ptr(), TRUNCATE, DEFAULT, access.id()),
                OpenWay::Open(flags) => (functions.fopen)(name.as_ptr(), flags, access.id()),
            }
        };
        // tidy: by message text because all failures to open have one code and no number of their own.
        match check(self.library, made) {
            Ok(id) => Ok(OpenedFile { library: self.library, id }),
            Err(error) if error.to_string().contains("signature not found") => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "it is not an HDF5 file"))
            }
            Err(error) => Err(asked(path, way.writes(), error)),
        }
    }
}

/// An open HDF5 file; it is closed only by [`OpenedFile::close`], which all its ranks call.
pub(crate) struct OpenedFile {
    library: &'static Hdf5Library,
    id: Id,
}

impl OpenedFile {
    /// The identifier, for calls of HDF5.
    pub(crate) fn id(&self) -> Id {
        self.id
    }

    /// The hints in effect, as MPI reports them. `access` is an access property list, which may be empty.
    pub(crate) fn hints(
        &self,
        access: &HeldIdentifier,
        mpi: &'static mpi::MpiLibrary,
    ) -> io::Result<Vec<(String, String)>> {
        let mut handle = ptr::null_mut();
        let ask = self.library.functions.fget_vfd_handle;
        // SAFETY: the file is open, and the handle is a local variable.
        check(self.library, unsafe { ask(self.id, access.id(), &raw mut handle) })?;
        if handle.is_null() {
            return Err(io::Error::other("HDF5 returned no MPI file handle"));
        }
        // SAFETY: the MPI-IO driver returns the address of its `MPI_File`, which is an address itself.
        let file = unsafe { *handle.cast::<mpi::Handle>() };
        let mut info = 0;
        // SAFETY: the file is open; the new handle is owned here.
        if unsafe { (mpi.functions.file_get_info)(file, &raw mut info) } != 0 {
            return Err(io::Error::other("MPI does not report the hints of the file"));
        }
        Ok(Info::own(mpi, info).pairs()?)
    }

    pub(crate) fn close(self) -> io::Result<()> {
        // SAFETY: the file is open and not used afterwards; all its ranks close together.
        check(self.library, unsafe { (self.library.functions.fclose)(self.id) }).map(drop)
    }
}
