//! An open HDF5 file: one dataset for each array.
//!
//! HDF5 writes nothing into a new dataset before its data. The dataset is contiguous, and HDF5 fills a
//! contiguous dataset only if a fill value was set.
#![allow(unsafe_code)]

use std::io;
use std::sync::Arc;

use ffi::hdf5::{DEFAULT, Hdf5Library, Id, NOWHERE};
use ffi::mpi;

use super::super::{
    Access, ArrayFile, ArrayValues, DimensionNumber, Element, Records, Slab, Variable, absent, check_lengths,
    wrong,
};
use crate::hdf5::{self, Health, HeldIdentifier, OpenedFile, SetsOf, Transfers, check};

/// An array of a file.
struct Set {
    set: HeldIdentifier,
    /// Its dataspace; each call selects a part of it.
    space: HeldIdentifier,
    element: Element,
    dimensions: usize,
}

/// An open file. The library outlives it: it is never unloaded.
pub(super) struct SetFile {
    pub(super) library: &'static Hdf5Library,
    mpi: &'static mpi::MpiLibrary,
    file: OpenedFile,
    /// The access property list that the file was opened with.
    access: HeldIdentifier,
    transfers: Transfers,
    health: Arc<Health>,
    /// Whether this rank writes the data that only one rank writes.
    pub(super) writes: bool,
    /// The lengths of the dimensions defined.
    lengths: Vec<u64>,
    sets: Vec<Set>,
    uncollective: u64,
}

impl SetFile {
    /// A file that all ranks have opened with this access list and these transfer properties.
    pub(super) fn new(
        library: &'static Hdf5Library,
        mpi: &'static mpi::MpiLibrary,
        (file, access, transfers): (OpenedFile, HeldIdentifier, Transfers),
        health: Arc<Health>,
        writes: bool,
    ) -> Self {
        let (lengths, sets) = (Vec::new(), Vec::new());
        Self { library, mpi, file, access, transfers, health, writes, lengths, sets, uncollective: 0 }
    }

    /// Notes a failure that other ranks may not know of.
    pub(super) fn watched<T>(&self, answer: io::Result<T>) -> io::Result<T> {
        self.health.watched(true, answer)
    }

    /// Where its datasets are.
    pub(super) fn sets_of(&self) -> SetsOf {
        SetsOf { library: self.library, file: self.file.id() }
    }

    fn type_of(&self, element: Element) -> Id {
        let constants = &self.library.constants;
        match element {
            Element::Byte => constants.native_schar,
            Element::Int => constants.native_int,
            Element::Float => constants.native_float,
            Element::Double => constants.native_double,
        }
    }

    fn keep(
        &mut self,
        set: HeldIdentifier,
        space: HeldIdentifier,
        element: Element,
        dimensions: usize,
    ) -> Variable {
        self.sets.push(Set { set, space, element, dimensions });
        Variable(self.sets.len() - 1)
    }

    fn make(&mut self, name: &str, element: Element, dimensions: &[DimensionNumber]) -> io::Result<Variable> {
        let lengths: Vec<u64> = dimensions.iter().map(|dimension| self.lengths[dimension.0]).collect();
        let space = HeldIdentifier::space(self.library, &lengths)?;
        let set = hdf5::make(self.sets_of(), name, self.type_of(element), &space, DEFAULT)
            .map_err(|error| crate::call_error::reworded(&error, format!("{name}: {error}")))?;
        Ok(self.keep(set, space, element, lengths.len()))
    }

    /// Selects a part of an array for these values. Returns the dataset, a dataspace for the values, and the
    /// dataspace of the file with the selection.
    fn part(
        &self,
        variable: Variable,
        slab: Slab<'_>,
        values: &ArrayValues,
    ) -> io::Result<(Id, HeldIdentifier, Id)> {
        let Set { set, space, element, dimensions } = &self.sets[variable.0];
        slab.check((*dimensions, *element), (values.len(), values.element()))?;
        space.choose(slab.start, slab.count)?;
        Ok((set.id(), HeldIdentifier::space(self.library, slab.count)?, space.id()))
    }

    fn write(&self, variable: Variable, slab: Slab<'_>, values: &ArrayValues) -> io::Result<bool> {
        let (set, memory, space) = self.part(variable, slab, values)?;
        let (kind, write) = (self.type_of(values.element()), self.library.functions.dwrite);
        // SAFETY: during the call there are at least as many values as both spaces have elements.
        let code =
            unsafe { write(set, kind, memory.id(), space, self.transfers.id(), values.place().cast()) };
        check(self.library, code)?;
        self.transfers.was_collective()
    }

    fn read(&self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<bool> {
        let (set, memory, space) = self.part(variable, slab, values)?;
        let (kind, read) = (self.type_of(values.element()), self.library.functions.dread);
        let list = self.transfers.id();
        // SAFETY: there is space for at least as many values as both spaces have elements.
        let code = unsafe { read(set, kind, memory.id(), space, list, values.place_mut().cast()) };
        check(self.library, code)?;
        self.transfers.was_collective()
    }

    /// Notes how a call on data ended.
    fn ended(&mut self, moved: io::Result<bool>) -> io::Result<()> {
        let collective = self.watched(moved)?;
        self.uncollective += u64::from(!collective);
        Ok(())
    }
}

impl ArrayFile for SetFile {
    fn dimension(&mut self, name: &str, length: u64) -> io::Result<DimensionNumber> {
        if length == 0 {
            return Err(wrong(format!("dimension {name} has no length")));
        }
        self.lengths.push(length);
        Ok(DimensionNumber(self.lengths.len() - 1))
    }

    fn variable(
        &mut self,
        name: &str,
        element: Element,
        dimensions: &[DimensionNumber],
    ) -> io::Result<Variable> {
        let made = self.make(name, element, dimensions);
        self.watched(made)
    }

    fn records(&mut self) -> Option<&mut dyn Records> {
        Some(self)
    }

    fn end_definition(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn access(&mut self, access: Access) -> io::Result<()> {
        self.transfers.become_collective(access == Access::Collective)
    }

    fn find(&mut self, name: &str, element: Element, lengths: &[u64]) -> io::Result<Variable> {
        let set = hdf5::open(self.sets_of(), name)?.ok_or_else(|| absent(name))?;
        if !hdf5::type_is(self.library, &set, self.type_of(element))? {
            let what = format!("its variable {name} is not of type {element:?} in this machine's format");
            return Err(wrong(what));
        }
        check_lengths(name, &hdf5::lengths(self.library, &set)?, lengths)?;
        let space = HeldIdentifier::space(self.library, lengths)?;
        Ok(self.keep(set, space, element, lengths.len()))
    }

    fn place(&self, variable: Variable) -> io::Result<Option<u64>> {
        // SAFETY: the dataset is open.
        let begin = unsafe { (self.library.functions.dget_offset)(self.sets[variable.0].set.id()) };
        Ok(Some(begin).filter(|begin| *begin != NOWHERE))
    }

    fn put(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()> {
        let moved = self.write(variable, slab, values);
        self.ended(moved)
    }

    fn get(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()> {
        let moved = self.read(variable, slab, values);
        self.ended(moved)
    }

    fn amount_written(&mut self) -> io::Result<Option<u64>> {
        Ok(None)
    }

    fn hints(&self) -> io::Result<Vec<(String, String)>> {
        self.file.hints(&self.access, self.mpi)
    }

    fn uncollective(&self) -> u64 {
        self.uncollective
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        let Self { file, sets, health, .. } = *self;
        let mut closed = Ok(());
        for Set { set, .. } in sets {
            closed = closed.and(set.close());
        }
        let closed = health.watched(true, closed.and_then(|()| file.close()));
        // What could not be closed is still open, and the library would close it again when MPI ends.
        closed.inspect_err(|_| health.leave())
    }

    fn abandon(self: Box<Self>) {
        self.health.abandon();
        // The identifiers that belong to the file stay open with it.
        std::mem::forget(self);
    }
}
