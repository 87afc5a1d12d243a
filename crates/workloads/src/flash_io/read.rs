//! All ranks read a file again and compare it.
//!
//! Invariant: as in writing, all ranks make the same calls from the opening to the close.

use measure::{Clock, CycleClock};
use ranks::Halt;
use storage::arrays::{Access, ArrayFile, ArrayValues, Slab, Variable};

use super::compare::{Comparing, ReadPlace};
use super::files::FileArray;
use super::write::{FileDone, FileWork, end, stops};
use crate::kit::failed_call::{cause, named, words};

/// What a rank reads, and the memory for it.
pub(super) struct Reading<'r> {
    pub(super) work: &'r FileWork<'r>,
    pub(super) arrays: &'r [FileArray],
    /// The rank that wrote the blocks.
    pub(super) owner: u32,
    /// The offset of each array in the file, after the lookup.
    pub(super) places: Vec<Option<u64>>,
    /// The length of the file, if known.
    pub(super) file_bytes: Option<u64>,
    /// Memory for the blocks of each array, filled with values that no file has.
    pub(super) room: Vec<ArrayValues>,
}

impl Reading<'_> {
    /// The first block of that rank.
    pub(super) fn first(&self) -> u64 {
        self.work.parameters.blocks_total(self.owner)
    }

    /// Number of blocks of that rank.
    pub(super) fn blocks(&self) -> u64 {
        self.work.parameters.blocks_of(self.owner)
    }

    /// Opens the file and finds its arrays.
    fn open(&self) -> Result<(Box<dyn ArrayFile>, Vec<Variable>), Halt> {
        let FileWork { comm, file, path, .. } = *self.work;
        let opened = self.work.arrays.open(comm, path).map_err(|error| named("open", path, &error));
        let mut open = comm.agree(file.check_name(), opened)?;
        let found = self.find(&mut *open).map_err(|error| named("inquire", path, &error));
        match comm.agree(file.check_name(), found) {
            Ok(variables) => Ok((open, variables)),
            Err(halt) => {
                // The file has already failed, so an error of the close adds nothing.
                let _ = open.close();
                Err(halt)
            }
        }
    }

    /// Looks up the offset of each array through a separate handle, before any clock starts.
    pub(super) fn look(&mut self) -> Result<(), Halt> {
        let (open, variables) = self.open()?;
        self.places = variables.iter().map(|variable| open.place(*variable).ok().flatten()).collect();
        let path = self.work.path;
        let closed = open.close().map_err(|error| cause("close", path, &error, words(&error)));
        self.work.comm.agree(self.work.file.check_name(), closed)
    }

    /// Reads and compares that rank's blocks of every array.
    pub(super) fn read(&mut self, clock: &CycleClock) -> Result<(FileDone, Comparing), Halt> {
        let FileWork { parameters, path, .. } = *self.work;
        let mut done = FileDone::default();
        self.work.call();
        let enter = clock.now();
        let (mut open, variables) = self.open()?;
        if parameters.independent {
            done.keep("begin_indep_data", open.access(Access::Independent));
        }
        done.stamps.open = (enter, clock.now());
        let mut came = Vec::with_capacity(variables.len());
        for (at, variable) in variables.into_iter().enumerate() {
            came.push(self.get(&mut *open, clock, at, variable, &mut done));
        }
        done.stamps.transfer = (done.stamps.open.1, clock.now());
        end(self.work, open, &mut done)?;
        done.stamps.close = (done.stamps.transfer.1, clock.now());
        // The comparison is not part of the time.
        let mut comparing = Comparing::default();
        let (first, blocks) = (self.first(), self.blocks());
        for (at, array) in self.arrays.iter().enumerate().filter(|(at, _)| came[*at]) {
            let place =
                ReadPlace { path, begin: self.places[at], first, blocks, file_bytes: self.file_bytes };
            comparing.look(array, &place, &self.room[at]);
        }
        Ok((done, comparing))
    }

    fn find(&self, open: &mut dyn ArrayFile) -> std::io::Result<Vec<Variable>> {
        let total = self.work.parameters.blocks_total(self.work.comm.size());
        let lengths =
            |array: &FileArray| -> Vec<u64> { [total].iter().chain(&array.lengths).copied().collect() };
        self.arrays.iter().map(|array| open.find(&array.name, array.element, &lengths(array))).collect()
    }

    /// Reads that rank's blocks of an array. Returns whether the read succeeded.
    fn get(
        &mut self,
        open: &mut dyn ArrayFile,
        clock: &CycleClock,
        at: usize,
        variable: Variable,
        done: &mut FileDone,
    ) -> bool {
        if stops(self.work, done) {
            return false;
        }
        let (array, mut start, mut count) = (&self.arrays[at], [0; 4], [0; 4]);
        let dimensions = 1 + array.lengths.len();
        (start[0], count[0]) = (self.first(), self.blocks());
        count[1..dimensions].copy_from_slice(&array.lengths);
        let slab = Slab { start: &start[..dimensions], count: &count[..dimensions] };
        self.work.call();
        done.begins.push(clock.now());
        let got = open.get(variable, slab, &mut self.room[at]);
        done.ends.push(clock.now());
        done.keep(&array.name, got).is_some()
    }
}
