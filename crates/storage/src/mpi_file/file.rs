//! An open file: opening, closing, the positions of its pointers, and every other call that moves no data.
//! Positions count elements of the view, from its beginning.

use std::ffi::{CString, c_int};
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ffi::mpi::{Functions, Handle, Modes, MpiLibrary, Offset, Status};
use ranks::mpi::{MpiComm, MpiInUse};

use super::datatype::Datatype;
use super::error::{MpiError, check};
use super::info::Info;

macro_rules! flags {
    ($($flag:ident = $field:ident: $name:literal;)*) => {
        /// How to open, by `MPI_MODE_…`; flags can be combined.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Flag {
            $(#[doc = concat!("`", $name, "`")]
            $flag,)*
        }

        impl Flag {
            /// All flags.
            pub const ALL: &[Self] = &[$(Self::$flag,)*];

            fn bit(self, modes: &Modes) -> c_int {
                match self {
                    $(Self::$flag => modes.$field,)*
                }
            }
        }
    };
}

flags! {
    ReadOnly = rdonly: "MPI_MODE_RDONLY";
    WriteOnly = wronly: "MPI_MODE_WRONLY";
    ReadWrite = rdwr: "MPI_MODE_RDWR";
    Create = create: "MPI_MODE_CREATE";
    Exclusive = excl: "MPI_MODE_EXCL";
    Append = append: "MPI_MODE_APPEND";
    DeleteOnClose = delete_on_close: "MPI_MODE_DELETE_ON_CLOSE";
    UniqueOpen = unique_open: "MPI_MODE_UNIQUE_OPEN";
    Sequential = sequential: "MPI_MODE_SEQUENTIAL";
}

/// The ranks that open a file.
#[derive(Clone, Copy, Debug)]
pub enum Opener<'c> {
    /// All ranks of the communicator, together.
    All(&'c MpiComm),
    /// This rank alone, on `MPI_COMM_SELF`.
    Alone(&'c MpiComm),
}

/// The two file pointers of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// The individual pointer of each rank.
    Individual,
    /// The pointer that all ranks share; moving it is collective.
    Shared,
}

/// The origin of a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// The beginning of the view.
    Start,
    /// The current position of the pointer.
    Here,
    /// The end of the file.
    End,
}

/// An open `MPI_File`. If it is dropped it stays open, because closing is collective. It cannot leave its
/// thread:
///
/// ```compile_fail,E0277
/// fn sends<T: Send>() {}
/// sends::<storage::mpi_file::MpiFile>();
/// ```
#[derive(Debug)]
pub struct MpiFile {
    pub(super) library: &'static MpiLibrary,
    pub(super) handle: Handle,
    /// Whether calls get statuses with every bit set.
    marks: bool,
    _in_use: MpiInUse,
    /// Only one thread may call MPI, so the file stays in its thread.
    not_shared: PhantomData<*const ()>,
}

/// A path for MPI.
fn text(path: &Path) -> Result<CString, MpiError> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| MpiError::no_call("a zero byte in the path"))
}

impl MpiFile {
    /// Opens a file. Collective over `whose`. Errors are returned, which is MPI's default for files.
    pub fn open(whose: Opener<'_>, path: &Path, how: &[Flag], info: &Info) -> Result<Self, MpiError> {
        let (library, comm, in_use) = match whose {
            Opener::All(comm) => (comm.library(), comm.handle(), comm.in_use()),
            Opener::Alone(comm) => (comm.library(), comm.library().constants.comm_self, comm.in_use()),
        };
        let mode = how.iter().map(|flag| flag.bit(&library.constants.modes)).fold(0, |all, bit| all | bit);
        let (name, mut handle) = (text(path)?, library.constants.file_null);
        let open = library.functions.file_open;
        // SAFETY: MPI runs while the communicator lives, the name ends in a zero byte, and the handle is a
        // local variable.
        let code = unsafe { open(comm, name.as_ptr(), mode, info.handle(), &raw mut handle) };
        check(library, code)?;
        Ok(Self { library, handle, marks: false, _in_use: in_use, not_shared: PhantomData })
    }

    /// Deletes a file by its name; not collective.
    pub fn delete(comm: &MpiComm, path: &Path, info: &Info) -> Result<(), MpiError> {
        let (library, name) = (comm.library(), text(path)?);
        let delete = library.functions.file_delete;
        // SAFETY: the name ends in a zero byte.
        check(library, unsafe { delete(name.as_ptr(), info.handle()) })
    }

    /// Closes the file. Collective.
    pub fn close(mut self) -> Result<(), MpiError> {
        let close = self.functions().file_close;
        // SAFETY: the file is open and not used afterwards; requests and split calls borrow it.
        check(self.library, unsafe { close(&raw mut self.handle) })
    }

    /// The result of asking `MPI_FILE_NULL`, which is not a file, for its size.
    pub fn size_of_none(comm: &MpiComm) -> Result<i64, MpiError> {
        let (library, mut size): (_, Offset) = (comm.library(), 0);
        let get = library.functions.file_get_size;
        // SAFETY: MPI knows the handle and checks it first; it may write one number.
        check(library, unsafe { get(library.constants.file_null, &raw mut size) })?;
        Ok(size)
    }

    /// From now on calls get statuses with every bit set. So a call that leaves its status unchanged is
    /// noticed; otherwise the status would report that nothing was moved.
    pub fn mark_statuses(&mut self) {
        self.marks = true;
    }

    /// A status for a call to fill.
    pub(super) fn status(&self) -> Status {
        if self.marks { Status::unfilled() } else { Status::new() }
    }

    pub(super) fn functions(&self) -> &'static Functions {
        &self.library.functions
    }

    /// Converts the return code of a call on this file to a result.
    pub(super) fn check(&self, code: c_int) -> Result<(), MpiError> {
        check(self.library, code)
    }

    /// The flags that it was opened with.
    pub fn amode(&self) -> Result<Vec<Flag>, MpiError> {
        let mut mode: c_int = 0;
        // SAFETY: the file is open; MPI writes one number.
        self.check(unsafe { (self.functions().file_get_amode)(self.handle, &raw mut mode) })?;
        let modes = &self.library.constants.modes;
        Ok(Flag::ALL.iter().copied().filter(|flag| mode & flag.bit(modes) != 0).collect())
    }

    /// Whether exactly the ranks of `comm` opened it, in the same order.
    pub fn group_is(&self, comm: &MpiComm) -> Result<bool, MpiError> {
        let (f, mut own, mut other, mut result) = (self.functions(), 0, 0, 0);
        // SAFETY: the file is open and the communicator lives; both groups are freed below.
        self.check(unsafe { (f.file_get_group)(self.handle, &raw mut own) })?;
        // SAFETY: the same.
        self.check(unsafe { (f.comm_group)(comm.handle(), &raw mut other) })?;
        // SAFETY: both are live groups.
        let code = unsafe { (f.group_compare)(own, other, &raw mut result) };
        for group in [&mut own, &mut other] {
            // SAFETY: this function owns both groups and does not use them afterwards.
            unsafe { (f.group_free)(group) };
        }
        self.check(code)?;
        Ok(result == self.library.constants.ident)
    }

    /// Size in bytes.
    pub fn size(&self) -> Result<i64, MpiError> {
        let mut size: Offset = 0;
        // SAFETY: the file is open; MPI writes one number.
        self.check(unsafe { (self.functions().file_get_size)(self.handle, &raw mut size) })?;
        Ok(size)
    }

    /// Truncates or extends the file to this many bytes. Collective.
    pub fn set_size(&self, bytes: i64) -> Result<(), MpiError> {
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().file_set_size)(self.handle, bytes) })
    }

    /// Allocates the space of the first `bytes` bytes. Collective.
    pub fn preallocate(&self, bytes: i64) -> Result<(), MpiError> {
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().file_preallocate)(self.handle, bytes) })
    }

    /// Flushes what was written to storage, and makes it visible to the other ranks. Collective.
    pub fn sync(&self) -> Result<(), MpiError> {
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().file_sync)(self.handle) })
    }

    /// Whether atomic mode is on.
    pub fn atomicity(&self) -> Result<bool, MpiError> {
        let mut flag: c_int = 0;
        // SAFETY: the file is open; MPI writes one number.
        self.check(unsafe { (self.functions().file_get_atomicity)(self.handle, &raw mut flag) })?;
        Ok(flag != 0)
    }

    /// Switches atomic mode on or off. Collective.
    pub fn set_atomicity(&self, atomic: bool) -> Result<(), MpiError> {
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().file_set_atomicity)(self.handle, atomic.into()) })
    }

    /// The hints in effect.
    pub fn info(&self) -> Result<Info, MpiError> {
        let mut handle = 0;
        // SAFETY: the file is open; the new handle is owned here.
        self.check(unsafe { (self.functions().file_get_info)(self.handle, &raw mut handle) })?;
        Ok(Info::own(self.library, handle))
    }

    /// Gives hints to the open file. Collective.
    pub fn set_info(&self, info: &Info) -> Result<(), MpiError> {
        // SAFETY: the file is open and the hints live.
        self.check(unsafe { (self.functions().file_set_info)(self.handle, info.handle()) })
    }

    /// The extent of a datatype in this file's data representation, bytes.
    pub fn type_extent(&self, kind: &Datatype) -> Result<i64, MpiError> {
        let mut extent = 0_isize;
        let get = self.functions().file_get_type_extent;
        // SAFETY: the file is open and the datatype lives; MPI writes one number.
        self.check(unsafe { get(self.handle, kind.handle, &raw mut extent) })?;
        Ok(extent as i64)
    }

    /// Moves a pointer. Collective for the shared one.
    pub fn seek(&self, pointer: Pointer, offset: i64, whence: Whence) -> Result<(), MpiError> {
        let (f, c) = (self.functions(), &self.library.constants);
        let whence: c_int = match whence {
            Whence::Start => c.seek_set,
            Whence::Here => c.seek_cur,
            Whence::End => c.seek_end,
        };
        let seek = if pointer == Pointer::Shared { f.file_seek_shared } else { f.file_seek };
        // SAFETY: the file is open.
        self.check(unsafe { seek(self.handle, offset, whence) })
    }

    /// The position of a pointer.
    pub fn position(&self, pointer: Pointer) -> Result<i64, MpiError> {
        let (f, mut at): (_, Offset) = (self.functions(), 0);
        let get = match pointer {
            Pointer::Individual => f.file_get_position,
            Pointer::Shared => f.file_get_position_shared,
        };
        // SAFETY: the file is open; MPI writes one number.
        self.check(unsafe { get(self.handle, &raw mut at) })?;
        Ok(at)
    }

    /// The byte of the file at a position of the view.
    pub fn byte_offset(&self, position: i64) -> Result<i64, MpiError> {
        let mut byte: Offset = 0;
        // SAFETY: the file is open; MPI writes one number.
        self.check(unsafe { (self.functions().file_get_byte_offset)(self.handle, position, &raw mut byte) })?;
        Ok(byte)
    }
}
