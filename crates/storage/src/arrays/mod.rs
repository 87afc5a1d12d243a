//! Files of named arrays, which several ranks write parts of: what a simulation leaves.
//!
//! [`Arrays`] makes and opens files, whichever library does it; an [`ArrayFile`] is defined first, then
//! takes and gives parts of its arrays. A library that can take many parts before it moves any returns
//! [`Deferred`].
//!
//! All ranks that have a file open make the same calls of those marked *collective*, in the same order, also
//! after one of them has failed: a rank that left would keep the others waiting.
//!
//! Invariant: a call never touches memory beyond the values it was given, whatever its arguments are.
//! Never here: what is in the arrays, clocks, ranks' agreement.

mod hdf5;
pub(crate) mod pnetcdf;
mod values;

use std::io::{self, ErrorKind};
use std::path::Path;

use ranks::Comm;
use units::Usage;

pub use crate::mpi_file::Participation as Access;
pub use values::{ArrayValues, Element};

/// A dimension of a file, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DimensionNumber(pub usize);

/// An array of a file, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable(pub usize);

/// What is kept of a file beside its arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attribute<'a> {
    /// Words.
    Text(&'a str),
    /// A number.
    Number(Number),
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Int(i32),
    /// A number in single precision.
    Float(f32),
    /// A number in double precision.
    Double(f64),
}

/// A part of an array: where it begins, and how many elements it has, for each dimension, the slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slab<'a> {
    /// Beginnings.
    pub start: &'a [u64],
    /// Lengths.
    pub count: &'a [u64],
}

impl Slab<'_> {
    /// How many elements it has; `None` where that is more than can be counted, or where it is no part.
    pub fn elements(&self) -> Option<u64> {
        if self.start.len() != self.count.len() {
            return None;
        }
        self.count.iter().try_fold(1_u64, |all, count| all.checked_mul(*count))
    }

    /// Says no where so many values of `element` are none for this part of an array of so many dimensions.
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

/// What cannot be meant.
fn wrong(what: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

/// A file without an array that was looked for.
fn absent(name: &str) -> io::Error {
    wrong(format!("it has no variable {name}"))
}

/// Says no to an array of other lengths.
fn check_lengths(name: &str, found: &[u64], wanted: &[u64]) -> io::Result<()> {
    if found == wanted {
        return Ok(());
    }
    Err(wrong(format!("its variable {name} is {found:?} long, not {wanted:?}")))
}

/// Memory that a library says it has taken, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryMemory {
    /// The most at once.
    pub most: u64,
    /// Now.
    pub now: u64,
}

/// A library of files of arrays.
pub trait Arrays: Sync {
    /// Its name, as records have it.
    fn name(&self) -> &'static str;

    /// Its version, in its own words.
    fn version(&self) -> String;

    /// Makes a file anew, with these hints, and leaves it open to be defined. Collective.
    fn create(&self, comm: &dyn Comm, path: &Path, hints: &[(&str, &str)]) -> io::Result<Box<dyn ArrayFile>>;

    /// Opens a file that is there, to be read. Collective.
    fn open(&self, comm: &dyn Comm, path: &Path) -> io::Result<Box<dyn ArrayFile>>;

    /// The memory that it holds in this process; `None` where it was built not to tell.
    fn held(&self) -> Option<LibraryMemory>;

    /// Whether a file of which a call failed cannot be closed any more, because the ranks would wait for each
    /// other inside the library: all its ranks abandon it instead.
    fn is_fragile(&self) -> bool {
        false
    }

    /// Why a call failed of which other ranks may not know, so that they wait inside the library for ever.
    fn stuck(&self) -> Option<String> {
        None
    }

    /// Whether a file was abandoned. The library would close it when MPI ends, and wait there.
    fn has_abandoned(&self) -> bool {
        false
    }
}

/// An open file of arrays; one that is not closed stays open.
pub trait ArrayFile {
    /// Defines a dimension. Collective, with the same arguments on all ranks, as all definitions are.
    fn dimension(&mut self, name: &str, length: u64) -> io::Result<DimensionNumber>;

    /// Defines an array over dimensions, the slowest first. Collective.
    fn variable(
        &mut self,
        name: &str,
        element: Element,
        dimensions: &[DimensionNumber],
    ) -> io::Result<Variable>;

    /// The ability to keep attributes of the file; `None` where the library here has none.
    fn attributes(&mut self) -> Option<&mut dyn Attributes> {
        None
    }

    /// The ability to keep small arrays of texts and of records; `None` where the library has none.
    fn records(&mut self) -> Option<&mut dyn Records> {
        None
    }

    /// Ends the definition; from here on data moves, by all ranks together. Collective.
    fn end_definition(&mut self) -> io::Result<()>;

    /// From here on data moves in this way. Collective.
    fn access(&mut self, access: Access) -> io::Result<()>;

    /// The array of this name; one that has other elements or lengths is an error that says so.
    fn find(&mut self, name: &str, element: Element, lengths: &[u64]) -> io::Result<Variable>;

    /// Where the first byte of an array lies in the file, where its elements follow each other in order;
    /// `None` where they do not.
    fn place(&self, variable: Variable) -> io::Result<Option<u64>>;

    /// Writes a part of an array from the first of `values`, which has at least as many; their bytes may be
    /// turned round while the call lasts.
    fn put(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()>;

    /// Reads a part of an array into the first of `values`, which has at least as many.
    fn get(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()>;

    /// The ability to take parts now and to move them later; `None` where the library has none.
    fn deferred(&mut self) -> Option<&mut dyn Deferred> {
        None
    }

    /// Bytes that this rank had the library write so far, what the library itself needs included; `None`
    /// where it does not count.
    fn amount_written(&mut self) -> io::Result<Option<u64>>;

    /// The hints in effect, in the order of the library.
    fn hints(&self) -> io::Result<Vec<(String, String)>>;

    /// Calls on data that were asked for as collective ones and that the library made by single ranks.
    fn uncollective(&self) -> u64 {
        0
    }

    /// Closes the file; a failed close is a result. Collective.
    fn close(self: Box<Self>) -> io::Result<()>;

    /// Leaves the file open for good, see [`Arrays::is_fragile`]; all its ranks have learned of the failure.
    fn abandon(self: Box<Self>) {}
}

/// What is kept of a file beside its arrays.
pub trait Attributes {
    /// Gives the file an attribute, while it is defined. Collective.
    fn attribute(&mut self, name: &str, value: Attribute<'_>) -> io::Result<()>;
}

/// Small arrays that are there with their values at once, which rank 0 alone writes.
pub trait Records {
    /// Keeps texts of a fixed length in bytes, as an array of these lengths. Collective.
    fn texts(&mut self, name: &str, bytes: usize, lengths: &[u64], texts: &[&str]) -> io::Result<()>;

    /// Keeps one record of named numbers, laid out as C lays out a structure. Collective.
    fn record(&mut self, name: &str, members: &[(&str, Number)]) -> io::Result<()>;
}

/// Parts that are taken now and moved when they are waited for.
pub trait Deferred {
    /// Takes a part with its values, which come back from [`Deferred::wait`].
    fn post(&mut self, variable: Variable, slab: Slab<'_>, values: ArrayValues) -> io::Result<()>;

    /// Room for the copies that [`Deferred::post_copy`] makes until they are waited for, bytes.
    fn attach(&mut self, bytes: u64) -> io::Result<()>;

    /// Gives the room up.
    fn detach(&mut self) -> io::Result<()>;

    /// Takes a part with a copy of its values.
    fn post_copy(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()>;

    /// Moves all that was taken, and gives back the values that came with it, in their order; after a failure
    /// they are lost. Collective, unless access is independent.
    fn wait(&mut self) -> io::Result<Vec<ArrayValues>>;
}

/// PnetCDF, as far as it fits the MPI of the ranks, which run.
pub fn pnetcdf() -> Result<Box<dyn Arrays>, Usage> {
    Ok(Box::new(pnetcdf::Pnetcdf::load()?))
}

/// HDF5, as far as it fits the MPI of the ranks, which run; objects of at least `alignment` bytes begin at
/// multiples of it.
pub fn hdf5(alignment: u64) -> Result<Box<dyn Arrays>, Usage> {
    Ok(Box::new(hdf5::Hdf5Arrays::load(alignment)?))
}
