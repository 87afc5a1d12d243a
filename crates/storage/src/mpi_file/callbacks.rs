//! Functions that MPI calls: handlers of errors, and conversions of data representations.
//!
//! MPI hands a handler nothing to remember by, so what was called is counted for the whole process.

use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use ffi::mpi::{Abi, Handle, MpiLibrary, Offset};
use ranks::mpi::MpiComm;

use super::datatype::Datatype;
use super::error::{Class, MpiError, check};
use super::file::MpiFile;

/// What happens when a call on a file fails, beside that it returns its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// Nothing (`MPI_ERRORS_RETURN`).
    Returns,
    /// A function of ours is called, which counts: see [`handler_calls`].
    Counts,
}

/// What a data representation of ours does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Nothing: there is no function (`MPI_CONVERSION_FN_NULL`), the file is as the memory.
    None,
    /// Functions of ours are called, which copy the bytes and count: see [`datarep_calls`].
    Copies,
}

/// Which functions of data representations were called, how often.
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

/// The calls of conversions since the program began.
pub fn datarep_calls() -> DatarepCalls {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    DatarepCalls { reads: read(&READS), writes: read(&WRITES) }
}

/// MPI gives further arguments to a handler; where they are passed, ours do not move.
unsafe extern "C" fn count(_file: *mut Handle, _code: *mut c_int) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

/// Sets what happens when a call on `file` fails.
fn set_handler(library: &MpiLibrary, file: Handle, handler: Handler) -> Result<(), MpiError> {
    let f = &library.functions;
    let mut ours = library.constants.errors_return;
    if handler == Handler::Counts {
        let count: unsafe extern "C" fn(*mut Handle, *mut c_int) = count;
        // SAFETY: the function has the two arguments that every handler has, and lives for ever.
        check(library, unsafe { (f.file_create_errhandler)(count as *const c_void, &raw mut ours) })?;
    }
    // SAFETY: the file is open or none, the handler lives.
    let set = check(library, unsafe { (f.file_set_errhandler)(file, ours) });
    if handler == Handler::Counts {
        // SAFETY: it is ours and not used afterwards; the file keeps what it needs of it.
        unsafe { (f.errhandler_free)(&raw mut ours) };
    }
    set
}

/// Sets what happens when opening or deleting fails, and in files that are opened from now on.
pub fn set_default_handler(comm: &MpiComm, handler: Handler) -> Result<(), MpiError> {
    set_handler(comm.library(), comm.library().constants.file_null, handler)
}

impl MpiFile {
    /// Sets what happens when a call on this file fails.
    pub fn set_handler(&self, handler: Handler) -> Result<(), MpiError> {
        set_handler(self.library, self.handle, handler)
    }

    /// Whether the handler of this file is that which does nothing but return errors.
    pub fn returns_errors(&self) -> Result<bool, MpiError> {
        let (f, mut handler) = (self.functions(), 0);
        // SAFETY: the file is open; the new handle is freed below where it is not MPI's own.
        self.check(unsafe { (f.file_get_errhandler)(self.handle, &raw mut handler) })?;
        let returns = handler == self.library.constants.errors_return;
        if !returns || self.library.abi == Abi::OpenMpi {
            // SAFETY: MPI counted this handle for us.
            unsafe { (f.errhandler_free)(&raw mut handler) };
        }
        Ok(returns)
    }

    /// Has the file's handler called with an error of `class`.
    pub fn call_handler(&self, class: Class) -> Result<(), MpiError> {
        let code = class.number(&self.library.constants.errors);
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().file_call_errhandler)(self.handle, code) })
    }
}

/// The library, as it comes back to a function of a data representation.
unsafe fn library(state: *mut c_void) -> &'static MpiLibrary {
    // SAFETY: `register_datarep` gave the address of a library, which lives for ever.
    unsafe { &*state.cast_const().cast() }
}

/// The datatype of a handle that came by value: of MPICH's only the low half was passed.
fn kind_of(library: &'static MpiLibrary, handle: Handle) -> Result<Datatype, MpiError> {
    let handle = if library.abi == Abi::Mpich { handle & 0xffff_ffff } else { handle };
    Datatype::own(library, handle, false)
}

unsafe extern "C" fn extent(handle: Handle, extent: *mut isize, state: *mut c_void) -> c_int {
    // SAFETY: the state is ours.
    let library = unsafe { library(state) };
    let Ok(kind) = kind_of(library, handle) else { return library.constants.errors.conversion };
    // SAFETY: MPI gives the address of a number.
    unsafe { *extent = kind.extent() as isize };
    0
}

/// Copies `count` elements between the file's buffer and the memory, from element `position` there on.
unsafe fn copy(
    (user, file): (*mut c_void, *mut c_void),
    handle: Handle,
    count: c_int,
    position: Offset,
    state: *mut c_void,
    writes: bool,
) -> c_int {
    // SAFETY: the state is ours.
    let library = unsafe { library(state) };
    let rejected = library.constants.errors.conversion;
    let Ok(kind) = kind_of(library, handle) else { return rejected };
    // Only data without gaps can be copied as it lies.
    let (size, count) = (kind.size(), u64::try_from(count).unwrap_or(0));
    if i64::try_from(size) != Ok(kind.extent()) || kind.true_lower() != 0 || position < 0 {
        return rejected;
    }
    let bytes = (size * count) as usize;
    // SAFETY: MPI gives a buffer of the memory with `position + count` elements, and one of the file with as
    // many bytes as `count` elements have; they are two buffers.
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
    // SAFETY: what MPI gives is passed on.
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
    // SAFETY: what MPI gives is passed on.
    unsafe { copy((user, file), kind, count, position, state, true) }
}

/// Makes a data representation known by `name`, for the rest of the program's life.
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
    // SAFETY: the functions have the arguments that MPI asks for and live for ever, as does the library.
    let code = unsafe { register(name.as_ptr(), read, write, of_extent as *const c_void, state) };
    check(library, code)
}
