//! Calls of HDF5: answers as results with the library's own words, and identifiers that are given back.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};
use std::io;

use ffi::hdf5::{DEFAULT, ErrorEntry, Hdf5Library, Id, SELECT_SET, WALK_UPWARD};

/// A call's answer: what is below zero is a failure, in the library's innermost words.
pub(crate) fn check<T: PartialOrd + Default>(library: &Hdf5Library, answer: T) -> io::Result<T> {
    if answer >= T::default() { Ok(answer) } else { Err(io::Error::other(why(library))) }
}

/// Why the last call failed.
fn why(library: &Hdf5Library) -> String {
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
pub(crate) struct HeldIdentifier {
    library: &'static Hdf5Library,
    id: Id,
    close: unsafe extern "C" fn(Id) -> c_int,
}

impl HeldIdentifier {
    /// What a call of `library` just made, to be given back by `close`.
    pub(crate) fn new(
        library: &'static Hdf5Library,
        made: Id,
        close: unsafe extern "C" fn(Id) -> c_int,
    ) -> io::Result<Self> {
        Ok(Self { library, id: check(library, made)?, close })
    }

    /// A new property list.
    pub(crate) fn list(library: &'static Hdf5Library, class: Id) -> io::Result<Self> {
        // SAFETY: the class is one that the library made.
        let made = unsafe { (library.functions.pcreate)(class) };
        Self::new(library, made, library.functions.pclose)
    }

    /// A new space of so many elements in each dimension, the slowest first.
    pub(crate) fn space(library: &'static Hdf5Library, lengths: &[u64]) -> io::Result<Self> {
        let (create, dimensions) = (library.functions.screate_simple, lengths.len() as c_int);
        // SAFETY: one size for each dimension; no second list says that they may not grow.
        let made = unsafe { create(dimensions, lengths.as_ptr(), std::ptr::null()) };
        Self::new(library, made, library.functions.sclose)
    }

    /// Chooses a part of a space, for calls that move it.
    pub(crate) fn choose(&self, start: &[u64], count: &[u64]) -> io::Result<()> {
        let (functions, none) = (&self.library.functions, std::ptr::null());
        // SAFETY: the space is live.
        let dimensions = check(self.library, unsafe { (functions.sget_simple_extent_ndims)(self.id) })?;
        if [start.len(), count.len()] != [dimensions as usize; 2] {
            let what = format!("a part {count:?} from {start:?} of a space of {dimensions} dimensions");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let choose = functions.sselect_hyperslab;
        // SAFETY: the space is live and has as many dimensions as both lists have numbers.
        let chosen = unsafe { choose(self.id, SELECT_SET, start.as_ptr(), none, count.as_ptr(), none) };
        check(self.library, chosen).map(drop)
    }

    /// For calls of HDF5.
    pub(crate) fn id(&self) -> Id {
        self.id
    }

    /// Gives it back; a failure is a result.
    pub(crate) fn close(self) -> io::Result<()> {
        let (library, id, close) = (self.library, self.id, self.close);
        std::mem::forget(self);
        // SAFETY: the identifier is live and not used afterwards.
        check(library, unsafe { close(id) }).map(drop)
    }
}

impl Drop for HeldIdentifier {
    fn drop(&mut self) {
        // SAFETY: the identifier is live and not used afterwards.
        unsafe { (self.close)(self.id) };
    }
}
