//! Calls of HDF5: answers as results with the library's own words, and identifiers that are given back.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};
use std::io;

use ffi::hdf5::{DEFAULT, ErrorEntry, Id, Library, WALK_UPWARD};

/// A call's answer: what is below zero is a failure, in the library's innermost words.
pub(super) fn check<T: PartialOrd + Default>(library: &Library, answer: T) -> io::Result<T> {
    if answer >= T::default() { Ok(answer) } else { Err(io::Error::other(why(library))) }
}

/// Why the last call failed.
fn why(library: &Library) -> String {
    let mut all: Vec<String> = Vec::new();
    let into: *mut Vec<String> = &raw mut all;
    // SAFETY: the library calls `note` with `into` before this returns, and keeps neither.
    unsafe { (library.functions.ewalk)(DEFAULT, WALK_UPWARD, note, into.cast()) };
    let innermost = all.iter().map(|words| one_line(words)).find(|words| !words.is_empty());
    format!("HDF5: {}", innermost.unwrap_or_else(|| "no reason was given".into()))
}

/// Takes down one entry of the stack of errors.
unsafe extern "C" fn note(_depth: c_uint, error: *const ErrorEntry, into: *mut c_void) -> c_int {
    // SAFETY: HDF5 hands out a live entry, and `into` is the list that `why` passed.
    unsafe { (*into.cast::<Vec<String>>()).push((*error).words()) };
    0
}

fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An identifier of a property list, a space, a type or a dataset, given back in the end.
pub(super) struct Held {
    library: &'static Library,
    id: Id,
    close: unsafe extern "C" fn(Id) -> c_int,
}

impl Held {
    /// What a call of `library` just made, to be given back by `close`.
    pub(super) fn new(
        library: &'static Library,
        made: Id,
        close: unsafe extern "C" fn(Id) -> c_int,
    ) -> io::Result<Self> {
        Ok(Self { library, id: check(library, made)?, close })
    }

    /// A new property list.
    pub(super) fn list(library: &'static Library, class: Id) -> io::Result<Self> {
        // SAFETY: the class is one that the library made.
        let made = unsafe { (library.functions.pcreate)(class) };
        Self::new(library, made, library.functions.pclose)
    }

    /// A new space of one dimension.
    pub(super) fn space(library: &'static Library, elements: u64) -> io::Result<Self> {
        // SAFETY: one size for one dimension; no second list says that it may not grow.
        let made = unsafe { (library.functions.screate_simple)(1, &raw const elements, std::ptr::null()) };
        Self::new(library, made, library.functions.sclose)
    }

    /// For calls of HDF5.
    pub(super) fn id(&self) -> Id {
        self.id
    }

    /// Gives it back; a failure is a result.
    pub(super) fn close(self) -> io::Result<()> {
        let (library, id, close) = (self.library, self.id, self.close);
        std::mem::forget(self);
        // SAFETY: the identifier is live and not used afterwards.
        check(library, unsafe { close(id) }).map(drop)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the identifier is live and not used afterwards.
        unsafe { (self.close)(self.id) };
    }
}
