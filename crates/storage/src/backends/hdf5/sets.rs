//! The datasets of a file: one for each segment, named from `Dataset-0000.0000` on, of native 64-bit
//! integers.
//!
//! The datasets of a written file are created before its first transfer. All ranks must create a dataset
//! together. A rank that stops early, after a failure or at a deadline, would leave the others waiting in
//! that call.
#![allow(unsafe_code)]

use std::io;

use ffi::hdf5::{Address, FILL_NEVER, Hdf5Library, Id, NOWHERE};

use crate::hdf5::{self, HeldIdentifier, SetsOf, check};

pub(super) use command::backends::ELEMENT_BYTES as ELEMENT;

/// How datasets are made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DatasetOptions {
    /// Elements of a chunk; 0 for a contiguous dataset.
    pub(super) chunk: u64,
    /// Whether HDF5 writes no fill values into a new dataset.
    pub(super) no_fill: bool,
}

/// The datasets of an open file; those that the file lacks are missing here.
pub(super) struct Sets {
    library: &'static Hdf5Library,
    /// Elements of each.
    elements: u64,
    sets: Vec<Option<HeldIdentifier>>,
}

/// The name of the dataset of a segment.
pub(super) fn name(segment: usize) -> String {
    format!("Dataset-0000.{segment:04}")
}

impl Sets {
    /// Opens the datasets that the file has; the first must exist.
    pub(super) fn open(of: SetsOf, elements: u64, count: u64) -> io::Result<Self> {
        let mut all = Self { library: of.library, elements, sets: Vec::new() };
        for segment in 0..count as usize {
            let set = all.open_one(of, segment)?;
            if segment == 0 && set.is_none() {
                let what = "the file has no such dataset; IOR or this program did not write the file";
                return Err(io::Error::new(io::ErrorKind::NotFound, format!("{}: {what}", name(0))));
            }
            all.sets.push(set);
        }
        Ok(all)
    }

    /// Opens all datasets and creates the missing ones. All ranks of the file call this together.
    pub(super) fn make(of: SetsOf, elements: u64, count: u64, look: DatasetOptions) -> io::Result<Self> {
        let mut all = Self { library: of.library, elements, sets: Vec::new() };
        let creation = look.list(of.library)?;
        let (kind, space) =
            (of.library.constants.native_llong, HeldIdentifier::space(of.library, &[elements])?);
        for segment in 0..count as usize {
            let set = match all.open_one(of, segment)? {
                Some(set) => set,
                None => hdf5::make(of, &name(segment), kind, &space, creation.id())
                    .map_err(|error| named(segment, &error))?,
            };
            all.sets.push(Some(set));
        }
        Ok(all)
    }

    /// Opens a dataset if it exists, and rejects one of another shape.
    fn open_one(&self, of: SetsOf, segment: usize) -> io::Result<Option<HeldIdentifier>> {
        let opened = hdf5::open(of, &name(segment)).map_err(|error| named(segment, &error))?;
        let Some(set) = opened else { return Ok(None) };
        match self.differs(&set).map_err(|error| named(segment, &error))? {
            None => Ok(Some(set)),
            Some(what) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", name(segment))))
            }
        }
    }

    /// How a dataset differs from the requested one; `None` where it does not.
    fn differs(&self, set: &HeldIdentifier) -> io::Result<Option<String>> {
        if !hdf5::type_is(self.library, set, self.library.constants.native_llong)? {
            return Ok(Some("its elements are not 64-bit integers in this machine's byte order".into()));
        }
        let lengths = hdf5::lengths(self.library, set)?;
        let [found] = lengths[..] else {
            return Ok(Some(format!("it has {} dimensions instead of one", lengths.len())));
        };
        let wanted = self.elements;
        let what = "give the -b and the number of ranks it was written with (with -F: the same -b)";
        Ok((found != wanted)
            .then(|| format!("it has {} bytes instead of {}; {what}", found * ELEMENT, wanted * ELEMENT)))
    }

    /// How many datasets there are, or should be.
    pub(super) fn count(&self) -> usize {
        self.sets.len()
    }

    /// The dataset of a segment; an error where the file has none.
    pub(super) fn of(&self, segment: usize) -> io::Result<Id> {
        match self.sets.get(segment) {
            Some(Some(set)) => Ok(set.id()),
            _ => {
                let what = "the file has no such dataset";
                Err(io::Error::new(io::ErrorKind::NotFound, format!("{}: {what}", name(segment))))
            }
        }
    }

    /// The offset in the file of the dataset of a segment; `None` where the dataset is not contiguous.
    pub(super) fn begin(&self, segment: usize) -> Option<Address> {
        let set = self.of(segment).ok()?;
        // SAFETY: the dataset is open.
        let begin = unsafe { (self.library.functions.dget_offset)(set) };
        Some(begin).filter(|begin| *begin != NOWHERE)
    }

    /// Closes all datasets in their order; the first failure is the result.
    pub(super) fn close(self) -> io::Result<()> {
        let mut closed = Ok(());
        for set in self.sets.into_iter().flatten() {
            closed = closed.and(set.close());
        }
        closed
    }
}

impl DatasetOptions {
    /// The property list of new datasets.
    fn list(self, library: &'static Hdf5Library) -> io::Result<HeldIdentifier> {
        let list = HeldIdentifier::list(library, library.constants.dataset_create)?;
        if self.chunk > 0 {
            // SAFETY: the list is live; there is one size for one dimension.
            check(library, unsafe { (library.functions.pset_chunk)(list.id(), 1, &raw const self.chunk) })?;
        }
        if self.no_fill {
            // SAFETY: the list is live.
            check(library, unsafe { (library.functions.pset_fill_time)(list.id(), FILL_NEVER) })?;
        }
        Ok(list)
    }
}

/// Adds the name of the dataset to an error.
fn named(segment: usize, error: &io::Error) -> io::Error {
    crate::call_error::reworded(error, format!("{}: {error}", name(segment)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datasets_have_the_names_that_ior_gives_them() {
        assert_eq!(name(0), "Dataset-0000.0000");
        assert_eq!(name(12345), "Dataset-0000.12345");
    }
}
