//! One file, defined and written by all ranks, with the steps and the clock of the original.
//!
//! Invariant: from the creation to the close all ranks make the same calls, even a rank on which one has
//! failed. A fragile library is the exception: after the failure of one of its own calls, no rank makes
//! another, and none closes the file.

use command::flash_io::{FlashIoParameters, Form};
use ranks::FailureCause;
use std::io;
use std::mem;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use measure::{Clock, CycleClock, Tick};
use ranks::{Comm, Halt, Reduce};
use storage::arrays::{Access, ArrayFile, ArrayValues, Arrays, Attribute, Element, Number, Slab, Variable};

use super::files::{FileArray, FlashFile};
use super::memory::copies;
use super::mesh::Mesh;
use crate::kit::failed_call::call_failed;
use crate::kit::stamps::PhaseStamps;

/// The text by which PnetCDF's benchmark identifies itself in each file.
const VERSION: &str = "FLASH I/O benchmark using Pnetcdf";
/// The same text of the HDF5 benchmark, whose field has 20 letters.
const VERSION_HDF5: &str = "FLASH I/O benchmark";
/// The creation date in the form of PnetCDF's benchmark.
const TIME: &str = "now";

/// What a file is written from, and the library that writes it.
#[derive(Clone, Copy)]
pub(super) struct FileWork<'w> {
    pub(super) parameters: &'w FlashIoParameters,
    pub(super) arrays: &'w dyn Arrays,
    pub(super) comm: &'w dyn Comm,
    pub(super) mesh: &'w Mesh,
    pub(super) file: FlashFile,
    pub(super) path: &'w Path,
    pub(super) calls: &'w AtomicU64,
}

impl FileWork<'_> {
    /// Counts a call on the file that now begins, or a few short ones.
    pub(super) fn call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a rank did with a file.
#[derive(Debug, Default)]
pub(super) struct FileDone {
    pub(super) stamps: PhaseStamps,
    /// When each call on data began, and when its data was moved.
    pub(super) begins: Vec<Tick>,
    pub(super) ends: Vec<Tick>,
    /// The first call that failed.
    pub(super) failed: Option<(String, io::Error)>,
    /// Calls that should have been collective and were not.
    pub(super) uncollective: u64,
}

/// The other results of writing.
#[derive(Debug, Default)]
pub(super) struct WriteRemainder {
    pub(super) done: FileDone,
    /// When the unknowns began.
    pub(super) unknowns: Tick,
    /// Bytes that the library wrote for this rank; the bytes of its data if the library does not count them.
    pub(super) amount: u64,
    pub(super) hints: Vec<(String, String)>,
    /// The offset of each array in the file, if it has one.
    pub(super) places: Vec<Option<u64>>,
}

impl FileDone {
    /// The value of a result. Stores its failure, unless an earlier one is stored.
    pub(super) fn keep<T>(&mut self, what: &str, result: io::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.failed.get_or_insert_with(|| (what.to_owned(), error));
                None
            }
        }
    }

    /// Whether all calls on the file succeeded, and else which one failed first.
    pub(super) fn ended(&self, path: &Path) -> Result<(), FailureCause> {
        self.failed.as_ref().map_or(Ok(()), |(call, error)| Err(call_failed(call, path, error)))
    }
}

/// The position of this rank's blocks among all blocks.
#[derive(Clone, Copy, Debug)]
struct BlockShare {
    first: u64,
    blocks: u64,
    total: u64,
}

impl BlockShare {
    /// All ranks exchange their numbers of blocks, as in the original. Collective.
    fn among(comm: &dyn Comm, blocks: u64) -> Result<Self, Halt> {
        let mut all = vec![0; comm.size() as usize];
        let rank = comm.rank() as usize;
        all[rank] = blocks;
        comm.all_reduce(&mut all, Reduce::Sum)?;
        Ok(Self { first: all[..rank].iter().sum(), blocks, total: all.iter().sum() })
    }
}

/// Writes the file from `values`, which belong to its `arrays`.
pub(super) fn write(
    work: &FileWork<'_>,
    clock: &CycleClock,
    arrays: &[FileArray],
    values: Vec<ArrayValues>,
) -> Result<WriteRemainder, Halt> {
    let FileWork { parameters, comm, file, .. } = *work;
    let mut written = WriteRemainder::default();
    let done = &mut written.done;
    (done.begins, done.ends) = (Vec::with_capacity(arrays.len()), Vec::with_capacity(arrays.len()));

    work.call();
    let enter = clock.now();
    let share = BlockShare::among(comm, work.mesh.blocks)?;
    let created = work.arrays.create(comm, work.path, &hints(parameters));
    let mut open =
        comm.agree(file.name(), created.map_err(|error| call_failed("create", work.path, &error)))?;
    if file == FlashFile::Checkpoint {
        written.hints = done.keep("hints", open.hints()).unwrap_or_default();
    }
    let defined = define(&mut *open, work, arrays, share.total);
    let defined = comm.agree(file.name(), defined.map_err(|error| call_failed("define", work.path, &error)));
    let variables = match defined {
        Ok(variables) => variables,
        Err(halt) => {
            give_up(work.arrays, open);
            return Err(halt);
        }
    };
    done.stamps.open = (enter, clock.now());

    if parameters.independent {
        done.keep("begin_indep_data", open.access(Access::Independent));
    }
    let mut putting = Putting { work, clock, open: &mut *open, done, share };
    let (variables_of_blocks, variables_of_zones) = variables.split_at(arrays.len() - file.unknowns().len());
    let (blocks, zones) = arrays.split_at(variables_of_blocks.len());
    let mut values = values.into_iter();
    for ((array, variable), mut values) in blocks.iter().zip(variables_of_blocks).zip(&mut values) {
        putting.put(array, *variable, &mut values, false);
    }
    putting.make_room();
    written.unknowns = clock.now();
    let returned = putting.unknowns(zones, variables_of_zones, values);

    let close = clock.now();
    let counted = done.keep("inq_put_size", open.amount_written()).flatten();
    written.amount = counted.unwrap_or(work.mesh.blocks * file.block_bytes(parameters));
    written.places = variables.iter().map(|variable| open.place(*variable).ok().flatten()).collect();
    end(work, open, done)?;
    let exit = clock.now();
    // Freeing memory is not part of the time.
    drop(returned);
    (done.stamps.transfer, done.stamps.close) = ((done.stamps.open.1, close), (close, exit));
    Ok(written)
}

/// Whether no further calls on data are made. In a fragile library, the next calls of the other ranks would
/// pair with different calls of the failed rank.
pub(super) fn stops(work: &FileWork<'_>, done: &FileDone) -> bool {
    if !work.arrays.is_fragile() {
        return false;
    }
    if done.failed.is_some() {
        work.comm.raise_alarm();
    }
    done.failed.is_some() || work.comm.alarm_raised()
}

/// Closes a file after its calls. If a rank has failed and the library would wait for it, the file stays
/// open. Collective.
pub(super) fn end(work: &FileWork<'_>, open: Box<dyn ArrayFile>, done: &mut FileDone) -> Result<(), Halt> {
    work.call();
    done.uncollective = open.uncollective();
    let asks = work.arrays.is_fragile();
    if asks && work.comm.reduce_one(done.failed.is_some().into(), Reduce::Max)? > 0 {
        open.abandon();
    } else {
        done.keep("close", open.close());
    }
    Ok(())
}

/// Abandons a file on which a rank has failed. All ranks know this.
fn give_up(arrays: &dyn Arrays, open: Box<dyn ArrayFile>) {
    if arrays.is_fragile() {
        open.abandon();
    } else {
        // The file has already failed, so an error of the close adds nothing.
        let _ = open.close();
    }
}

/// The hints for MPI-IO and PnetCDF that PnetCDF's benchmark sets, in its order, followed by the additional
/// ones.
fn hints(parameters: &FlashIoParameters) -> Vec<(&str, &str)> {
    let all_together = if parameters.independent { "false" } else { "true" };
    let own =
        [("romio_no_indep_rw", all_together), ("romio_ds_write", "disable"), ("nc_var_align_size", "1")];
    let given = parameters.hints.iter().map(|(key, value)| (&**key, &**value));
    own.into_iter().filter(|_| parameters.form == Form::Pnetcdf).chain(given).collect()
}

/// The calls on data of one file.
struct Putting<'p> {
    work: &'p FileWork<'p>,
    clock: &'p CycleClock,
    open: &'p mut dyn ArrayFile,
    done: &'p mut FileDone,
    share: BlockShare,
}

impl Putting<'_> {
    /// Writes this rank's blocks of an array, or passes them to the library. With `copies` the library gets a
    /// copy, otherwise the values themselves.
    fn put(&mut self, array: &FileArray, variable: Variable, values: &mut ArrayValues, copies: bool) {
        if stops(self.work, self.done) {
            return;
        }
        let (mut start, mut count) = ([0; 4], [0; 4]);
        let dimensions = 1 + array.lengths.len();
        (start[0], count[0]) = (self.share.first, self.share.blocks);
        count[1..dimensions].copy_from_slice(&array.lengths);
        let slab = Slab { start: &start[..dimensions], count: &count[..dimensions] };
        self.work.call();
        self.done.begins.push(self.clock.now());
        let put = match self.work.parameters.nonblocking {
            false => self.open.put(variable, slab, values),
            true => match self.open.deferred() {
                None => Err(io::Error::other("this library has no nonblocking calls. Add -b")),
                Some(deferred) if copies => deferred.post_copy(variable, slab, values),
                Some(deferred) => {
                    deferred.post(variable, slab, mem::replace(values, ArrayValues::Bytes(Vec::new())))
                }
            },
        };
        self.done.ends.push(self.clock.now());
        self.done.keep(&array.name, put);
    }

    /// The memory for copies of the unknowns, from which plot files are written.
    fn make_room(&mut self) {
        if self.copies()
            && let Some(deferred) = self.open.deferred()
        {
            self.done.keep("buffer_attach", deferred.attach(copies(self.work.parameters)));
        }
    }

    fn copies(&self) -> bool {
        self.work.parameters.nonblocking && self.work.file != FlashFile::Checkpoint
    }

    /// Packs and writes the unknowns. Returns the memory that need not be freed within the time.
    fn unknowns(
        &mut self,
        arrays: &[FileArray],
        variables: &[Variable],
        values: impl Iterator<Item = ArrayValues>,
    ) -> Vec<ArrayValues> {
        let mut returned = Vec::with_capacity(variables.len() + 1);
        for ((array, variable), mut values) in arrays.iter().zip(variables).zip(values) {
            let unknown = array.unknown.expect("the arrays of zones are those of unknowns");
            self.work.mesh.pack(self.work.file, unknown, &mut values);
            self.put(array, *variable, &mut values, self.copies());
            returned.push(values);
        }
        if self.work.parameters.nonblocking
            && let Some(deferred) = self.open.deferred()
        {
            self.work.call();
            let waited = deferred.wait();
            // Before this point, data that the library accepted may not be moved yet.
            let now = self.clock.now();
            self.done.ends.fill(now);
            returned.extend(self.done.keep("wait", waited).unwrap_or_default());
        }
        if self.copies()
            && let Some(deferred) = self.open.deferred()
        {
            self.done.keep("buffer_detach", deferred.detach());
        }
        returned
    }
}

/// Defines a file with arrays for `blocks` blocks. All definitions are in the order of the original.
fn define(
    open: &mut dyn ArrayFile,
    work: &FileWork<'_>,
    arrays: &[FileArray],
    blocks: u64,
) -> io::Result<Vec<Variable>> {
    if work.parameters.form == Form::Hdf5 {
        keep_records(open, work, arrays, blocks)?;
    }
    let lengths = work.file.dimensions(work.parameters.zones, blocks);
    let dimensions = lengths.map(|(name, length)| open.dimension(name, length));
    let dimensions = dimensions.into_iter().collect::<io::Result<Vec<_>>>()?;
    let mut variables = Vec::with_capacity(arrays.len());
    for array in arrays {
        let over: Vec<_> = [0].iter().chain(array.inner).map(|at| dimensions[*at]).collect();
        variables.push(open.variable(&array.name, array.element, &over)?);
    }
    if work.parameters.form == Form::Pnetcdf {
        keep_attributes(open, work, blocks)?;
    }
    open.end_definition()?;
    Ok(variables)
}

/// The values that PnetCDF's benchmark stores as attributes.
fn keep_attributes(open: &mut dyn ArrayFile, work: &FileWork<'_>, blocks: u64) -> io::Result<()> {
    let attributes =
        open.attributes().ok_or_else(|| io::Error::other("this library does not support attributes"))?;
    let int = |value| Attribute::Number(Number::Int(value));
    let side = int(work.file.side(work.parameters.zones) as i32);
    let all = [
        ("file_creation_time", Attribute::Text(TIME)),
        ("flash_version", Attribute::Text(VERSION)),
        ("total_blocks", int(blocks as i32)),
        ("nsteps", int(0)),
        ("nxb", side),
        ("nyb", side),
        ("nzb", side),
        ("time", Attribute::Number(Number::Double(0.0))),
    ];
    all.into_iter().try_for_each(|(name, value)| attributes.attribute(name, value))
}

/// The values that the HDF5 benchmark stores as separate datasets.
fn keep_records(
    open: &mut dyn ArrayFile,
    work: &FileWork<'_>,
    arrays: &[FileArray],
    blocks: u64,
) -> io::Result<()> {
    let records =
        open.records().ok_or_else(|| io::Error::other("this library does not support compound datasets"))?;
    records.texts("file creation time", 40, &[1], &[TIME])?;
    records.texts("FLASH version", 20, &[1], &[VERSION_HDF5])?;
    let zero = match work.file.real() {
        Element::Double => Number::Double(0.0),
        _ => Number::Float(0.0),
    };
    let side = Number::Int(work.file.side(work.parameters.zones) as i32);
    let members = [
        ("total blocks", Number::Int(blocks as i32)),
        ("time", zero),
        ("timestep", zero),
        ("number of steps", Number::Int(0)),
        ("nxb", side),
        ("nyb", side),
        ("nzb", side),
    ];
    records.record("simulation parameters", &members)?;
    let unknowns = arrays.iter().filter(|array| array.unknown.is_some());
    let names: Vec<&str> = unknowns.map(|array| array.name.as_str()).collect();
    records.texts("unknown names", 4, &[names.len() as u64, 1], &names)
}
