//! Calls of HDF5: return codes as results with the library's messages, and identifiers that are closed when
//! dropped. Also datasets of an open file by name, and whether transfers are independent or collective.
#![allow(unsafe_code)]

use std::ffi::{CString, c_int, c_uint, c_void};
use std::io;
use std::ptr;

use ffi::hdf5::{
    CHUNK_COLLECTIVE, COLLECTIVE, CONTIGUOUS_COLLECTIVE, DEFAULT, ErrorEntry, Hdf5Library, INDEPENDENT, Id,
    NO_COLLECTIVE, SELECT_SET, WALK_UPWARD,
};

/// Converts a return value to a result: a negative value is a failure, with the library's innermost message.
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

/// Notes one entry of the error stack.
unsafe extern "C" fn note(_depth: c_uint, error: *const ErrorEntry, into: *mut c_void) -> c_int {
    // SAFETY: HDF5 passes a live entry, and `into` is the list that `why` passed.
    unsafe { (*into.cast::<Vec<String>>()).push((*error).words()) };
    0
}

fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An identifier of a property list, a dataspace, a datatype or a dataset; it is closed when dropped.
pub(crate) struct HeldIdentifier {
    library: &'static Hdf5Library,
    id: Id,
    close: unsafe extern "C" fn(Id) -> c_int,
}

impl HeldIdentifier {
    /// Takes an identifier that a call of `library` just returned; `close` closes it.
    pub(crate) fn new(
        library: &'static Hdf5Library,
        made: Id,
        close: unsafe extern "C" fn(Id) -> c_int,
    ) -> io::Result<Self> {
        Ok(Self { library, id: check(library, made)?, close })
    }

    /// A new property list.
    pub(crate) fn list(library: &'static Hdf5Library, class: Id) -> io::Result<Self> {
        // SAFETY: the library made the class.
        let made = unsafe { (library.functions.pcreate)(class) };
        Self::new(library, made, library.functions.pclose)
    }

    /// A new dataspace with these lengths, the slowest dimension first.
    pub(crate) fn space(library: &'static Hdf5Library, lengths: &[u64]) -> io::Result<Self> {
        let (create, dimensions) = (library.functions.screate_simple, lengths.len() as c_int);
        // SAFETY: one size for each dimension; the null pointer means that the dimensions may not grow.
        let made = unsafe { create(dimensions, lengths.as_ptr(), ptr::null()) };
        Self::new(library, made, library.functions.sclose)
    }

    /// Selects a part of a dataspace for the calls that move it.
    pub(crate) fn choose(&self, start: &[u64], count: &[u64]) -> io::Result<()> {
        let (functions, none) = (&self.library.functions, ptr::null());
        // SAFETY: the space is live.
        let dimensions = check(self.library, unsafe { (functions.sget_simple_extent_ndims)(self.id) })?;
        if [start.len(), count.len()] != [dimensions as usize; 2] {
            let what = format!("a part {count:?} from {start:?} in a space of {dimensions} dimensions");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let choose = functions.sselect_hyperslab;
        // SAFETY: the space is live, and its number of dimensions is the length of both lists.
        let chosen = unsafe { choose(self.id, SELECT_SET, start.as_ptr(), none, count.as_ptr(), none) };
        check(self.library, chosen).map(drop)
    }

    /// The identifier, for calls of HDF5.
    pub(crate) fn id(&self) -> Id {
        self.id
    }

    /// Closes it; a failure is a result.
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

/// The location of datasets: an open file.
#[derive(Clone, Copy)]
pub(crate) struct SetsOf {
    pub(crate) library: &'static Hdf5Library,
    pub(crate) file: Id,
}

/// Opens a dataset; `None` where the file has no dataset of that name.
pub(crate) fn open(of: SetsOf, name: &str) -> io::Result<Option<HeldIdentifier>> {
    let (functions, name) = (&of.library.functions, CString::new(name)?);
    // SAFETY: the file is open, and the name ends in a zero byte.
    let there = unsafe { (functions.lexists)(of.file, name.as_ptr(), DEFAULT) };
    if check(of.library, there)? == 0 {
        return Ok(None);
    }
    // SAFETY: as above.
    let opened = unsafe { (functions.dopen)(of.file, name.as_ptr(), DEFAULT) };
    HeldIdentifier::new(of.library, opened, functions.dclose).map(Some)
}

/// Makes a dataset of elements of type `kind`, with the property list `creation`. Collective.
pub(crate) fn make(
    of: SetsOf,
    name: &str,
    kind: Id,
    space: &HeldIdentifier,
    creation: Id,
) -> io::Result<HeldIdentifier> {
    let (functions, name, space) = (&of.library.functions, CString::new(name)?, space.id());
    // SAFETY: all identifiers are live, and the name ends in a zero byte.
    let made =
        unsafe { (functions.dcreate)(of.file, name.as_ptr(), kind, space, DEFAULT, creation, DEFAULT) };
    HeldIdentifier::new(of.library, made, functions.dclose)
}

/// Whether the elements of a dataset are of that type.
pub(crate) fn type_is(library: &'static Hdf5Library, set: &HeldIdentifier, wanted: Id) -> io::Result<bool> {
    let functions = &library.functions;
    // SAFETY: the dataset is open.
    let kind = HeldIdentifier::new(library, unsafe { (functions.dget_type)(set.id()) }, functions.tclose)?;
    // SAFETY: both types are live.
    check(library, unsafe { (functions.tequal)(kind.id(), wanted) }).map(|same| same > 0)
}

/// How many elements a dataset has in each dimension, the slowest first.
pub(crate) fn lengths(library: &'static Hdf5Library, set: &HeldIdentifier) -> io::Result<Vec<u64>> {
    let functions = &library.functions;
    // SAFETY: the dataset is open.
    let space = HeldIdentifier::new(library, unsafe { (functions.dget_space)(set.id()) }, functions.sclose)?;
    // SAFETY: the space is live.
    let dimensions = check(library, unsafe { (functions.sget_simple_extent_ndims)(space.id()) })?;
    let mut lengths = vec![0; dimensions as usize];
    // SAFETY: the list has one number for each dimension of the space.
    let answer =
        unsafe { (functions.sget_simple_extent_dims)(space.id(), lengths.as_mut_ptr(), ptr::null_mut()) };
    check(library, answer)?;
    Ok(lengths)
}

/// `H5D_MPIO_CHUNK_COLLECTIVE` and `H5D_MPIO_CONTIGUOUS_COLLECTIVE`: all ranks moved the data together.
const TOGETHER: [i32; 2] = [CHUNK_COLLECTIVE, CONTIGUOUS_COLLECTIVE];

/// The transfer property list of all transfers.
pub(crate) struct Transfers {
    library: &'static Hdf5Library,
    list: HeldIdentifier,
    collective: bool,
}

impl Transfers {
    /// A list for independent or collective transfers.
    pub(crate) fn new(library: &'static Hdf5Library, collective: bool) -> io::Result<Self> {
        let list = HeldIdentifier::list(library, library.constants.dataset_transfer)?;
        let mut transfers = Self { library, list, collective: false };
        transfers.become_collective(collective)?;
        Ok(transfers)
    }

    /// From now on transfers are collective or independent.
    pub(crate) fn become_collective(&mut self, collective: bool) -> io::Result<()> {
        let mode = if collective { COLLECTIVE } else { INDEPENDENT };
        let (library, list) = (self.library, self.list.id());
        // SAFETY: the list is live.
        check(library, unsafe { (library.functions.pset_dxpl_mpio)(list, mode) })?;
        self.collective = collective;
        Ok(())
    }

    /// The identifier, for calls of HDF5.
    pub(crate) fn id(&self) -> Id {
        self.list.id()
    }

    /// Whether the last transfer was collective, if collective transfers were requested.
    pub(crate) fn was_collective(&self) -> io::Result<bool> {
        if !self.collective {
            return Ok(true);
        }
        let mut mode = NO_COLLECTIVE;
        let ask = self.library.functions.pget_mpio_actual_io_mode;
        // SAFETY: the list is the one that the transfer was made with.
        check(self.library, unsafe { ask(self.list.id(), &raw mut mode) })?;
        Ok(TOGETHER.contains(&mode))
    }
}
