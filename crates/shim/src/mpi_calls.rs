//! Counts the calls of MPI that a program makes, with their bytes.
//!
//! The program finds the functions of MPI with `dlsym`, and this library replaces `dlsym`. If
//! `ASSAY_SHIM_COUNT` names a file, a function of MPI is found as a wrapper that counts and then calls it.
//! `MPI_Finalize` writes the counts of the rank to the file with `.RANK` added. A line has the function, the
//! size of its communicator (0 if it has none), the calls and the bytes of this rank.
//!
//! Calls that a rank repeats while it waits are not counted, because their number differs from run to run.
//! Never here: the calls inside an MPI library, and those of libraries that are linked with it.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Write;
use std::mem::transmute;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::fault::{fails_mpi_test, rank_of_launcher};

/// Any function of MPI: all its arguments are integers or addresses, and no function has more.
type MpiFunction = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> c_int;

pub(crate) type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// Most functions of MPI that a program finds.
const SLOTS: usize = 256;

/// Functions without a code as their result, and those that waiting ranks repeat.
const NOT_COUNTED: [&str; 7] =
    ["MPI_Wtime", "MPI_Wtick", "MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe"];

/// Where a function has the count and the datatype of what this rank sends, and its communicator.
struct Places {
    name: &'static str,
    data: Option<[usize; 2]>,
    comm: usize,
}

const PLACES: [Places; 11] = [
    Places { name: "MPI_Isend", data: Some([1, 2]), comm: 5 },
    Places { name: "MPI_Irecv", data: Some([1, 2]), comm: 5 },
    Places { name: "MPI_Ibarrier", data: None, comm: 0 },
    Places { name: "MPI_Iallreduce", data: Some([2, 3]), comm: 5 },
    Places { name: "MPI_Ireduce", data: Some([2, 3]), comm: 6 },
    Places { name: "MPI_Ibcast", data: Some([1, 2]), comm: 4 },
    Places { name: "MPI_Igather", data: Some([1, 2]), comm: 7 },
    Places { name: "MPI_Comm_idup", data: None, comm: 0 },
    Places { name: "MPI_Comm_split", data: None, comm: 0 },
    Places { name: "MPI_Comm_split_type", data: None, comm: 0 },
    Places { name: "MPI_File_open", data: None, comm: 0 },
];

/// Calls and bytes by function and size of its communicator.
type MpiCounts = BTreeMap<(usize, c_int), (u64, u64)>;

static REAL: [AtomicUsize; SLOTS] = [const { AtomicUsize::new(0) }; SLOTS];
static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());
static COUNTS: Mutex<MpiCounts> = Mutex::new(BTreeMap::new());
/// `MPI_Comm_size` and `MPI_Type_size`, which are asked about arguments.
static SIZES: OnceLock<[usize; 2]> = OnceLock::new();
static FILE: OnceLock<Option<String>> = OnceLock::new();

/// The wrappers of all slots.
static WRAPPERS: [MpiFunction; SLOTS] = wrappers();

macro_rules! sixteen {
    ($all:ident, $from:expr, $($at:literal)*) => { $($all[$from + $at] = counted::<{ $from + $at }>;)* };
}

macro_rules! rows {
    ($all:ident, $($row:literal)*) => {
        $(sixteen!($all, $row * 16, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);)*
    };
}

const fn wrappers() -> [MpiFunction; SLOTS] {
    let mut all: [MpiFunction; SLOTS] = [counted::<0>; SLOTS];
    rows!(all, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    all
}

/// Counts a call and makes it.
#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn counted<const SLOT: usize>(
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    g: usize,
    h: usize,
    i: usize,
    j: usize,
    k: usize,
    l: usize,
) -> c_int {
    count(SLOT, &[a, b, c, d, e, f, g, h, i, j, k, l]);
    // SAFETY: the slot has the address of a function of MPI, which ignores what it does not take.
    let real: MpiFunction = unsafe { transmute(REAL[SLOT].load(Ordering::Acquire)) };
    // SAFETY: the arguments are the caller's.
    unsafe { real(a, b, c, d, e, f, g, h, i, j, k, l) }
}

fn count(slot: usize, arguments: &[usize; 12]) {
    let name = NAMES.lock().unwrap_or_else(PoisonError::into_inner)[slot].clone();
    let places = PLACES.iter().find(|places| places.name == name);
    let size = places.map_or(0, |places| size_by(0, arguments[places.comm]));
    let data = places.and_then(|places| places.data);
    let bytes = data.map_or(0, |[count, kind]| {
        // A count is a C `int`, in the low half of its register.
        u64::from(arguments[count] as u32) * size_by(1, arguments[kind]) as u64
    });
    let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = counts.entry((slot, size)).or_default();
    *entry = (entry.0 + 1, entry.1 + bytes);
    if name == "MPI_Finalize" {
        write_to_file(&counts);
    }
}

/// The size of a communicator (`which` 0) or of a datatype (1).
fn size_by(which: usize, handle: usize) -> c_int {
    let Some(sizes) = SIZES.get() else { return 0 };
    let mut size: c_int = 0;
    // SAFETY: both functions take a handle and an address, and the handle is the caller's.
    let ask: unsafe extern "C" fn(usize, *mut c_int) -> c_int = unsafe { transmute(sizes[which]) };
    // SAFETY: as above; `size` lives through the call.
    unsafe { ask(handle, &raw mut size) };
    size
}

fn write_to_file(counts: &MpiCounts) {
    let Some(Some(file)) = FILE.get() else { return };
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let mut text = String::new();
    for ((slot, size), (calls, bytes)) in counts {
        let _ = writeln!(text, "{} {size} {calls} {bytes}", names[*slot]);
    }
    let _ = std::fs::write(format!("{file}.{}", rank_of_launcher()), text);
}

/// The `dlsym` of the C library.
pub(crate) fn real_dlsym() -> Dlsym {
    static NEXT: OnceLock<Dlsym> = OnceLock::new();
    *NEXT.get_or_init(|| {
        for version in [c"GLIBC_2.34", c"GLIBC_2.2.5", c"GLIBC_2.17"] {
            // SAFETY: both names end in a zero byte.
            let found = unsafe { libc::dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), version.as_ptr()) };
            if !found.is_null() {
                // SAFETY: the C library declares `dlsym` with this type.
                return unsafe { transmute::<*mut c_void, Dlsym>(found) };
            }
        }
        std::process::abort()
    })
}

/// The wrapper of the function `name` at `real`; the first request gives it a slot.
fn wrapper(handle: *mut c_void, name: &str, real: usize) -> usize {
    SIZES.get_or_init(|| {
        [c"MPI_Comm_size", c"MPI_Type_size"].map(|name| {
            // SAFETY: the handle is the caller's.
            unsafe { real_dlsym()(handle, name.as_ptr()) as usize }
        })
    });
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let slot = names.iter().position(|known| known == name).unwrap_or(names.len());
    if slot == SLOTS {
        return real;
    }
    if slot == names.len() {
        names.push(name.to_owned());
    }
    REAL[slot].store(real, Ordering::Release);
    WRAPPERS[slot] as usize
}

/// Whether this is the name of a counted function. Constants of MPI have no lower-case letters.
fn is_counted(name: &str) -> bool {
    let function = name.starts_with("MPI_") && name.bytes().any(|byte| byte.is_ascii_lowercase());
    function && !NOT_COUNTED.contains(&name)
}

/// An `MPI_Test` that fails and leaves its request as it is.
extern "C" fn failing_test(_: usize, _: usize, _: usize) -> c_int {
    const MPI_ERR_OTHER: c_int = 15;
    MPI_ERR_OTHER
}

/// `dlsym`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: the arguments are passed on.
    let real = unsafe { real_dlsym()(handle, name) };
    let counts = FILE.get_or_init(|| std::env::var("ASSAY_SHIM_COUNT").ok()).is_some();
    if real.is_null() || !counts && !fails_mpi_test() {
        return real;
    }
    // SAFETY: the caller passes a text that ends in a zero byte.
    match unsafe { CStr::from_ptr(name) }.to_str() {
        Ok("MPI_Test") if fails_mpi_test() => failing_test as *mut c_void,
        Ok(name) if counts && is_counted(name) => wrapper(handle, name, real as usize) as *mut c_void,
        _ => real,
    }
}
