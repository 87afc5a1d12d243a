//! Functions that MPI calls: error handlers, and conversions of data representations.
//!
//! MPI passes no state to an error handler, so calls are counted for the whole process.

use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use ffi::mpi::{Abi, Handle, MpiLibrary, Offset};
use ranks::mpi::MpiComm;

use super::datatype::Datatype;
use super::error::{Class, MpiError, check};
use super::file::MpiFile;

/// What happens when a call on a file fails, in addition to returning its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// Nothing (`MPI_ERRORS_RETURN`).
    Returns,
    /// MPI calls a function of this module, which counts: see [`handler_calls`].
    Counts,
}

/// What a registered data representation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Nothing: no function is given (`MPI_CONVERSION_FN_NULL`), and the file has the layout of the memory.
    None,
    /// MPI calls functions of this module, which copy the bytes and count: see [`datarep_calls`].
    Copies,
}

/// How often the conversion functions were called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatarepCalls {
    /// For data read.
    pub reads: u64,
    /// For data written.
    pub writes: u64,
}

static HANDLED: AtomicU64 = AtomicU64::new(0);
static READS: AtomicU64 = AtomicU64::new(0);
static WRITES: AtomicU64 = AtomicU64::new(0);

/// How many calls of [`Handler::Counts`] there were since the program began.
pub fn handler_calls() -> u64 {
    HANDLED.load(Ordering::Relaxed)
}

/// The calls of conversion functions since the program began.
pub fn datarep_calls() -> DatarepCalls {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    DatarepCalls { reads: read(&READS), writes: read(&WRITES) }
}

/// MPI passes further arguments to a handler; they do not change where the first two are passed.
unsafe extern "C" fn count(_file: *mut Handle, _code: *mut c_int) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

/// Sets what happens when a call on `file` fails.
fn set_handler(library: &MpiLibrary, file: Handle, handler: Handler) -> Result<(), MpiError> {
    let f = &library.functions;
    let mut ours = library.constants.errors_return;
    if handler == Handler::Counts {
        let count: unsafe extern "C" fn(*mut Handle, *mut c_int) = count;
        // SAFETY: the function has the two arguments that every handler has, and lives forever.
        check(library, unsafe { (f.file_create_errhandler)(count as *const c_void, &raw mut ours) })?;
    }
    // SAFETY: the file is open or null, and the handler lives.
    let set = check(library, unsafe { (f.file_set_errhandler)(file, ours) });
    if handler == Handler::Counts {
        // SAFETY: this function owns the handler and does not use it afterwards; the file keeps its own
        // reference.
        unsafe { (f.errhandler_free)(&raw mut ours) };
    }
    set
}

/// Sets what happens when opening or deleting fails, and the handler of files opened from now on.
pub fn set_default_handler(comm: &MpiComm, handler: Handler) -> Result<(), MpiError> {
    set_handler(comm.library(), comm.library().constants.file_null, handler)
}

impl MpiFile {
    /// Sets what happens when a call on this file fails.
    pub fn set_handler(&self, handler: Handler) -> Result<(), MpiError> {
        set_handler(self.library, self.handle, handler)
    }

    /// Whether the handler of this file only returns errors.
    pub fn returns_errors(&self) -> Result<bool, MpiError> {
        let (f, mut handler) = (self.functions(), 0);
        // SAFETY: the file is open; the new handle is freed below if it is not one of MPI's own handlers.
        self.check(unsafe { (f.file_get_errhandler)(self.handle, &raw mut handler) })?;
        let returns = handler == self.library.constants.errors_return;
        if !returns || self.library.abi == Abi::OpenMpi {
            // SAFETY: MPI returned a new reference to this handle.
            unsafe { (f.errhandler_free)(&raw mut handler) };
        }
        Ok(returns)
    }

    /// Calls the file's handler with an error of `class`.
    pub fn call_handler(&self, class: Class) -> Result<(), MpiError> {
        let code = class.number(&self.library.constants.errors);
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().file_call_errhandler)(self.handle, code) })
    }
}

/// The library, from the state that MPI passes to the functions of a data representation.
unsafe fn library(state: *mut c_void) -> &'static MpiLibrary {
    // SAFETY: `register_datarep` passed the address of a library, which lives forever.
    unsafe { &*state.cast_const().cast() }
}

/// The datatype of a handle that was passed by value: for MPICH only its low half was passed.
fn kind_of(library: &'static MpiLibrary, handle: Handle) -> Result<Datatype, MpiError> {
    let handle = if library.abi == Abi::Mpich { handle & 0xffff_ffff } else { handle };
    Datatype::own(library, handle, false)
}

unsafe extern "C" fn extent(handle: Handle, extent: *mut isize, state: *mut c_void) -> c_int {
    // SAFETY: the state is that of `register_datarep`.
    let library = unsafe { library(state) };
    let Ok(kind) = kind_of(library, handle) else { return library.constants.errors.conversion };
    // SAFETY: MPI passes the address of a number.
    unsafe { *extent = kind.extent() as isize };
    0
}

/// Copies `count` elements between the file's buffer and the memory, in the memory from element `position`
/// on.
unsafe fn copy(
    (user, file): (*mut c_void, *mut c_void),
    handle: Handle,
    count: c_int,
    position: Offset,
    state: *mut c_void,
    writes: bool,
) -> c_int {
    // SAFETY: the state is that of `register_datarep`.
    let library = unsafe { library(state) };
    let rejected = library.constants.errors.conversion;
    let Ok(kind) = kind_of(library, handle) else { return rejected };
    // Only data without gaps can be copied as a block.
    let (size, count) = (kind.size(), u64::try_from(count).unwrap_or(0));
    if i64::try_from(size) != Ok(kind.extent()) || kind.true_lower() != 0 || position < 0 {
        return rejected;
    }
    let bytes = (size * count) as usize;
    // SAFETY: MPI passes a memory buffer with `position + count` elements, and a file buffer with the bytes
    // of `count` elements; the two do not overlap.
    unsafe {
        let memory = user.cast::<u8>().add(position as usize * size as usize);
        if writes {
            ptr::copy(memory, file.cast::<u8>(), bytes);
        } else {
            ptr::copy(file.cast::<u8>(), memory, bytes);
        }
    }
    0
}

unsafe extern "C" fn on_read(
    user: *mut c_void,
    kind: Handle,
    count: c_int,
    file: *mut c_void,
    position: Offset,
    state: *mut c_void,
) -> c_int {
    READS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the arguments of MPI are passed on unchanged.
    unsafe { copy((user, file), kind, count, position, state, false) }
}

unsafe extern "C" fn on_write(
    user: *mut c_void,
    kind: Handle,
    count: c_int,
    file: *mut c_void,
    position: Offset,
    state: *mut c_void,
) -> c_int {
    WRITES.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the arguments of MPI are passed on unchanged.
    unsafe { copy((user, file), kind, count, position, state, true) }
}

/// Registers a data representation named `name`, until the program ends.
pub fn register_datarep(comm: &MpiComm, name: &str, conversion: Conversion) -> Result<(), MpiError> {
    type Convert =
        unsafe extern "C" fn(*mut c_void, Handle, c_int, *mut c_void, Offset, *mut c_void) -> c_int;
    let library = comm.library();
    let name = CString::new(name).map_err(|_| MpiError::no_call("a zero byte in a name"))?;
    let (read, write): (Convert, Convert) = (on_read, on_write);
    let (read, write) = match conversion {
        Conversion::None => (ptr::null(), ptr::null()),
        Conversion::Copies => (read as *const c_void, write as *const c_void),
    };
    let of_extent: unsafe extern "C" fn(Handle, *mut isize, *mut c_void) -> c_int = extent;
    let state: *mut c_void = ptr::from_ref(library).cast_mut().cast();
    let register = library.functions.register_datarep;
    // SAFETY: the functions have the arguments that MPI requires and live forever, as does the library.
    let code = unsafe { register(name.as_ptr(), read, write, of_extent as *const c_void, state) };
    check(library, code)
}
