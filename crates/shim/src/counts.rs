//! Counts the calls that a program makes through functions of the C library, MPI, HDF5 and PnetCDF.
//!
//! If `ASSAY_SHIM_CALLS` names a file, each process writes its counts to this file with `.PID` added, when it
//! ends. A line has a function and its calls. Calls on files are counted below `ASSAY_SHIM_UNDER` only, calls
//! of other libraries all. A process without such calls writes nothing.
//!
//! Never here: system calls that a program makes itself; nothing that is preloaded sees them.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_int};
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::fault::path_under;

struct Wanted {
    /// Where the counts go, without the number of the process.
    file: String,
    /// Where counted files are.
    under: String,
}

static WANTED: OnceLock<Option<Wanted>> = OnceLock::new();
static COUNTS: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

fn wanted() -> Option<&'static Wanted> {
    let read = || {
        let variable = |name: &str| std::env::var(name).ok();
        Some(Wanted { file: variable("ASSAY_SHIM_CALLS")?, under: variable("ASSAY_SHIM_UNDER")? })
    };
    WANTED.get_or_init(read).as_ref()
}

/// Reads the variables when the library is loaded, and not in the handler of a signal.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = {
    extern "C" fn at_load() {
        if wanted().is_some() {
            // SAFETY: the function stays as long as the process.
            unsafe { libc::atexit(write_to_file) };
        }
    }
    at_load
};

/// Counts a call.
pub(crate) fn call(name: &'static str) {
    if wanted().is_some() {
        *COUNTS.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
    }
}

/// Counts a call on a path.
pub(crate) fn on_path(name: &'static str, path: *const c_char) {
    let Some(wanted) = wanted() else { return };
    // SAFETY: the caller of the function passes a text that ends in a zero byte.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    if std::path::absolute(path).is_ok_and(|path| path.starts_with(&wanted.under)) {
        call(name);
    }
}

/// Counts a call on an open file.
pub(crate) fn on_descriptor(name: &'static str, descriptor: c_int) {
    if wanted().is_some_and(|wanted| path_under(descriptor, &wanted.under).is_some()) {
        call(name);
    }
}

extern "C" fn write_to_file() {
    let counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(wanted) = wanted().filter(|_| !counts.is_empty()) else { return };
    let mut text = String::new();
    for (name, calls) in counts {
        let _ = writeln!(text, "{name} {calls}");
    }
    let _ = std::fs::write(format!("{}.{}", wanted.file, std::process::id()), text);
}
