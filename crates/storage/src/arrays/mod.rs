//! Files of named arrays, written in parts by several ranks: the typical output of a simulation.
//!
//! [`Arrays`] creates and opens files with one of the libraries. An [`ArrayFile`] is defined first; then its
//! arrays are written and read in parts. A library that can accept many parts before it moves any of them
//! returns [`Deferred`].
//!
//! All ranks that have a file open make the same calls of those marked *collective*, in the same order. They
//! continue to do so after one of them has failed: a rank that left would keep the others waiting.
//!
//! Invariant: a call never accesses memory beyond the values it was given, for any arguments.
//! Never here: the contents of the arrays, clocks, agreement between ranks.

mod hdf5;
pub(crate) mod pnetcdf;
mod values;

use std::io::{self, ErrorKind};
use std::path::Path;

use ranks::Comm;
use units::Usage;

use crate::StorageLibrary;

pub use crate::mpi_file::Participation as Access;
pub use values::{ArrayValues, Element};

/// A dimension of a file, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DimensionNumber(pub usize);

/// An array of a file, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable(pub usize);

/// The value of an attribute of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attribute<'a> {
    /// Text.
    Text(&'a str),
    /// A number.
    Number(Number),
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Int(i32),
    /// A number in single precision.
    Float(f32),
    /// A number in double precision.
    Double(f64),
}

/// A part of an array: its start and its number of elements in each dimension, the slowest dimension first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slab<'a> {
    /// The start in each dimension.
    pub start: &'a [u64],
    /// The number of elements in each dimension.
    pub count: &'a [u64],
}

impl Slab<'_> {
    /// How many elements it has; `None` where the product overflows, or where the lists differ in length.
    pub fn elements(&self) -> Option<u64> {
        if self.start.len() != self.count.len() {
            return None;
        }
        self.count.iter().try_fold(1_u64, |all, count| all.checked_mul(*count))
    }

    /// Rejects values that do not fit this part of an array: wrong type, too few values, or wrong number of
    /// dimensions.
    fn check(
        &self,
        (dimensions, own): (usize, Element),
        (values, element): (usize, Element),
    ) -> io::Result<()> {
        let fits = self.elements().is_some_and(|elements| elements <= values as u64);
        if self.start.len() == dimensions && fits && element == own {
            return Ok(());
        }
        Err(wrong(format!(
            "{values} values of {element:?} do not fit a part {:?} of an array of {dimensions} dimensions \
             of {own:?}",
            self.count
        )))
    }
}

/// An error for arguments that are not valid.
fn wrong(what: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

/// The error for a file that lacks a requested array.
fn absent(name: &str) -> io::Error {
    wrong(format!("it has no variable {name}"))
}

/// Rejects an array whose lengths differ from the wanted ones.
fn check_lengths(name: &str, found: &[u64], wanted: &[u64]) -> io::Result<()> {
    if found == wanted {
        return Ok(());
    }
    Err(wrong(format!("its variable {name} has lengths {found:?}, not {wanted:?}")))
}

/// Memory that a library reports to have allocated, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryMemory {
    /// The maximum so far.
    pub most: u64,
    /// Now.
    pub now: u64,
}

/// A library for files of arrays.
pub trait Arrays: StorageLibrary {
    /// Its name, as in records.
    fn name(&self) -> &'static str;

    /// Creates a file, or replaces an existing one, with these hints. The file is then ready for definitions.
    /// Collective.
    fn create(&self, comm: &dyn Comm, path: &Path, hints: &[(&str, &str)]) -> io::Result<Box<dyn ArrayFile>>;

    /// Opens an existing file for reading. Collective.
    fn open(&self, comm: &dyn Comm, path: &Path) -> io::Result<Box<dyn ArrayFile>>;

    /// The memory that the library holds in this process; `None` where it was built without this report.
    fn held(&self) -> Option<LibraryMemory>;
}

/// An open file of arrays; it stays open until it is closed explicitly.
pub trait ArrayFile {
    /// Defines a dimension. Collective; as in all definitions, all ranks pass the same arguments.
    fn dimension(&mut self, name: &str, length: u64) -> io::Result<DimensionNumber>;

    /// Defines an array over dimensions, the slowest first. Collective.
    fn variable(
        &mut self,
        name: &str,
        element: Element,
        dimensions: &[DimensionNumber],
    ) -> io::Result<Variable>;

    /// The ability to store attributes of the file; `None` where this library has none.
    fn attributes(&mut self) -> Option<&mut dyn Attributes> {
        None
    }

    /// The ability to store small arrays of texts and of records; `None` where the library has none.
    fn records(&mut self) -> Option<&mut dyn Records> {
        None
    }

    /// Ends the definition; from now on all ranks move data together. Collective.
    fn end_definition(&mut self) -> io::Result<()>;

    /// From now on data is moved in this way. Collective.
    fn access(&mut self, access: Access) -> io::Result<()>;

    /// The array of this name; other elements or lengths are an error that reports them.
    fn find(&mut self, name: &str, element: Element, lengths: &[u64]) -> io::Result<Variable>;

    /// The offset in the file of the first byte of an array; `None` where its elements are not contiguous.
    fn place(&self, variable: Variable) -> io::Result<Option<u64>>;

    /// Writes a part of an array from the start of `values`, which has at least as many elements. The library
    /// may swap their bytes in place during the call.
    fn put(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()>;

    /// Reads a part of an array into the start of `values`, which has at least as many elements.
    fn get(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()>;

    /// The ability to accept parts now and to move them later; `None` where the library has none.
    fn deferred(&mut self) -> Option<&mut dyn Deferred> {
        None
    }

    /// Bytes that the library has written so far for this rank, its own metadata included; `None` where it
    /// does not count.
    fn amount_written(&mut self) -> io::Result<Option<u64>>;

    /// The hints in effect, in the library's order.
    fn hints(&self) -> io::Result<Vec<(String, String)>>;

    /// How many collective calls on data the library executed as independent ones.
    fn uncollective(&self) -> u64 {
        0
    }

    /// Closes the file; a failed close is a result. Collective.
    fn close(self: Box<Self>) -> io::Result<()>;

    /// Leaves the file open for good, see [`Arrays::is_fragile`]; all its ranks know of the failure.
    fn abandon(self: Box<Self>) {}
}

/// Attributes of a file, which are stored in addition to its arrays.
pub trait Attributes {
    /// Gives the file an attribute during the definition. Collective.
    fn attribute(&mut self, name: &str, value: Attribute<'_>) -> io::Result<()>;
}

/// Small arrays that are created together with their values, which rank 0 alone writes.
pub trait Records {
    /// Stores texts of a fixed length in bytes, as an array of these lengths. Collective.
    fn texts(&mut self, name: &str, bytes: usize, lengths: &[u64], texts: &[&str]) -> io::Result<()>;

    /// Stores one record of named numbers, laid out like a C structure. Collective.
    fn record(&mut self, name: &str, members: &[(&str, Number)]) -> io::Result<()>;
}

/// Parts that are accepted now and moved by a later wait.
pub trait Deferred {
    /// Accepts a part with its values, which [`Deferred::wait`] returns.
    fn post(&mut self, variable: Variable, slab: Slab<'_>, values: ArrayValues) -> io::Result<()>;

    /// Allocates space for the copies that [`Deferred::post_copy`] makes until the next wait, bytes.
    fn attach(&mut self, bytes: u64) -> io::Result<()>;

    /// Releases that space.
    fn detach(&mut self) -> io::Result<()>;

    /// Accepts a part with a copy of its values.
    fn post_copy(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()>;

    /// Moves all accepted parts, and returns the values that came with them, in their order. After a failure
    /// the values are lost. Collective, unless access is independent.
    fn wait(&mut self) -> io::Result<Vec<ArrayValues>>;
}

/// PnetCDF, if it fits the MPI of the running ranks.
pub fn pnetcdf() -> Result<Box<dyn Arrays>, Usage> {
    Ok(Box::new(pnetcdf::Pnetcdf::load()?))
}

/// HDF5, if it fits the MPI of the running ranks. Objects of at least `alignment` bytes begin at multiples of
/// it.
pub fn hdf5(alignment: u64) -> Result<Box<dyn Arrays>, Usage> {
    Ok(Box::new(hdf5::Hdf5Arrays::load(alignment)?))
}
