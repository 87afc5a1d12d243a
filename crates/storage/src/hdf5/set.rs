//! Datasets of an open file, by name.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::ptr;

use ffi::hdf5::{DEFAULT, Hdf5Library, Id};

use super::calls::{HeldIdentifier, check};

/// Where datasets are: an open file.
#[derive(Clone, Copy)]
pub(crate) struct SetsOf {
    pub(crate) library: &'static Hdf5Library,
    pub(crate) file: Id,
}

/// Opens a dataset; `None` where there is none of that name.
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

/// Makes a dataset of elements of type `kind`, by the property list `creation`. Collective.
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
    // SAFETY: there is a number of ours for each dimension of the space.
    let told =
        unsafe { (functions.sget_simple_extent_dims)(space.id(), lengths.as_mut_ptr(), ptr::null_mut()) };
    check(library, told)?;
    Ok(lengths)
}
