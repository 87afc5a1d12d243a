//! The datasets of a file: one for each segment, or for each block of a rank in it. They are named from
//! `Dataset-0000.0000` on, and have native 64-bit integers.
//!
//! The datasets of a written file are created before its first transfer. All ranks must create a dataset
//! together. A rank that stops early, after a failure or at a deadline, would leave the others waiting in
//! that call.
#![allow(unsafe_code)]

use std::io;

use ffi::hdf5::{Address, FILL_NEVER, Hdf5Library, Id, NOWHERE};

use crate::Parts;
use crate::hdf5::{self, HeldIdentifier, SetsOf, check};

pub(super) use command::backends::ELEMENT_BYTES as ELEMENT;

/// How datasets are made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DatasetOptions {
    /// Elements of a chunk; 0 for a contiguous dataset.
    pub(super) chunk: u64,
    /// Whether HDF5 writes no fill values into a new dataset.
    pub(super) no_fill: bool,
    /// Whether each block of a rank is a dataset.
    pub(super) individual: bool,
}

/// The shape of the datasets of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetShape {
    /// Elements of each.
    elements: u64,
    /// How many there are.
    count: usize,
    /// How many there are for each segment.
    per_segment: usize,
    /// The only one of a segment that is used; `None` if all are.
    used: Option<usize>,
}

impl SetShape {
    /// The shape for `bytes` of data in these parts.
    pub(super) fn new(parts: Parts, bytes: u64, individual: bool) -> Self {
        let block = if individual { parts.block } else { parts.segment };
        let elements = block / ELEMENT;
        let count = if elements == 0 { 0 } else { bytes.div_ceil(block) as usize };
        let per_segment = parts.segment.checked_div(block).unwrap_or(1) as usize;
        let used = parts.owner.map(|owner| owner as usize).filter(|_| per_segment > 1);
        Self { elements, count, per_segment, used }
    }

    /// Bytes of a dataset.
    pub(super) fn bytes(self) -> u64 {
        self.elements * ELEMENT
    }

    /// The name of a dataset: the rank whose block it is, and the segment.
    pub(super) fn name(self, set: usize) -> String {
        format!("Dataset-{:04}.{:04}", set % self.per_segment, set / self.per_segment)
    }

    fn is_used(self, set: usize) -> bool {
        self.used.is_none_or(|used| set % self.per_segment == used)
    }

    /// Adds the name of the dataset to an error.
    fn named(self, set: usize, error: &io::Error) -> io::Error {
        crate::call_error::reworded(error, format!("{}: {error}", self.name(set)))
    }
}

/// The datasets of an open file. Those that the file lacks, or this rank does not use, are missing here.
pub(super) struct Sets {
    library: &'static Hdf5Library,
    pub(super) shape: SetShape,
    sets: Vec<Option<HeldIdentifier>>,
}

impl Sets {
    /// Opens the datasets that this rank uses and the file has; the first must exist.
    pub(super) fn open(of: SetsOf, shape: SetShape) -> io::Result<Self> {
        let mut all = Self { library: of.library, shape, sets: Vec::new() };
        let first = (0..shape.count).find(|set| shape.is_used(*set));
        for number in 0..shape.count {
            let set = if shape.is_used(number) { all.open_one(of, number)? } else { None };
            if first == Some(number) && set.is_none() {
                let what = "the file has no such dataset; IOR or this program did not write the file so";
                let name = shape.name(number);
                return Err(io::Error::new(io::ErrorKind::NotFound, format!("{name}: {what}")));
            }
            all.sets.push(set);
        }
        Ok(all)
    }

    /// Opens all datasets and creates the missing ones. Those that this rank does not use are closed again,
    /// because open ones take memory. All ranks of the file call this together.
    pub(super) fn make(of: SetsOf, shape: SetShape, look: DatasetOptions) -> io::Result<Self> {
        let mut all = Self { library: of.library, shape, sets: Vec::new() };
        let creation = look.list(of.library)?;
        let (kind, space) =
            (of.library.constants.native_llong, HeldIdentifier::space(of.library, &[shape.elements])?);
        for number in 0..shape.count {
            let set = match all.open_one(of, number)? {
                Some(set) => set,
                None => hdf5::make(of, &shape.name(number), kind, &space, creation.id())
                    .map_err(|error| shape.named(number, &error))?,
            };
            all.sets.push(Some(set).filter(|_| shape.is_used(number)));
        }
        Ok(all)
    }

    /// Opens a dataset if it exists, and rejects one of another shape.
    fn open_one(&self, of: SetsOf, number: usize) -> io::Result<Option<HeldIdentifier>> {
        let name = self.shape.name(number);
        let opened = hdf5::open(of, &name).map_err(|error| self.shape.named(number, &error))?;
        let Some(set) = opened else { return Ok(None) };
        match self.differs(&set).map_err(|error| self.shape.named(number, &error))? {
            None => Ok(Some(set)),
            Some(what) => Err(io::Error::new(io::ErrorKind::InvalidData, format!("{name}: {what}"))),
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
        let wanted = self.shape.elements;
        let what = "give the -b and the number of ranks it was written with (with -F: the same -b), and \
                    --hdf5.individualDataSets if it was given";
        Ok((found != wanted)
            .then(|| format!("it has {} bytes instead of {}; {what}", found * ELEMENT, wanted * ELEMENT)))
    }

    /// How many datasets there are, or should be.
    pub(super) fn count(&self) -> usize {
        self.sets.len()
    }

    /// A dataset; an error where the file has none.
    pub(super) fn of(&self, number: usize) -> io::Result<Id> {
        match self.sets.get(number) {
            Some(Some(set)) => Ok(set.id()),
            _ => {
                let what = format!("{}: the file has no such dataset", self.shape.name(number));
                Err(io::Error::new(io::ErrorKind::NotFound, what))
            }
        }
    }

    /// The offset in the file of a dataset; `None` where the dataset is not contiguous.
    pub(super) fn begin(&self, number: usize) -> Option<Address> {
        let set = self.of(number).ok()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datasets_have_the_names_that_ior_gives_them() {
        let parts = |ranks: u64| Parts { segment: 64 * ranks, block: 64, transfer: 16, owner: Some(1) };
        let shared = SetShape::new(parts(3), 6 * 64, false);
        assert_eq!(shared, SetShape { elements: 24, count: 2, per_segment: 1, used: None });
        assert_eq!([0, 12345].map(|set| shared.name(set)), ["Dataset-0000.0000", "Dataset-0000.12345"]);
        let own = SetShape::new(parts(3), 6 * 64, true);
        assert_eq!(own, SetShape { elements: 8, count: 6, per_segment: 3, used: Some(1) });
        assert_eq!([0, 5].map(|set| own.name(set)), ["Dataset-0000.0000", "Dataset-0002.0001"]);
        assert_eq!((0..own.count).filter(|set| own.is_used(*set)).collect::<Vec<_>>(), [1, 4]);
        // A file of one rank has its blocks only.
        assert_eq!(
            SetShape::new(parts(1), 128, true),
            SetShape { elements: 8, count: 2, per_segment: 1, used: None }
        );
        assert_eq!(SetShape::new(Parts::NONE, 9, true).count, 0);
    }
}
