//! The body of every rank: writes the three files of each repetition, then reads all of them if requested.

use results::reason::Reason;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use command::flash_io::FlashIoParameters;
use measure::CycleClock;
use ranks::{Comm, Halt, Reduce};
use results::record::Phase;
use results::records::Sink;
use storage::arrays::{Arrays, LibraryMemory};
use storage::{Mode, Storage, directory_of};

use super::files::{FileArray, FlashFile};
use super::memory::check_memory;
use super::mesh::{Mesh, no_memory, room};
use super::read::Reading;
use super::record::{self, Seconds};
use super::write::{FileDone, FileWork, WriteRemainder, write};
use crate::kit::beneath::{self, Mounts};
use crate::kit::observer::EventObserver;
use crate::kit::{clients, opened, rank::Rank, reduce};

/// One event.
#[derive(Debug)]
pub enum FlashIoEvent<'a> {
    /// All ranks have written a file.
    Wrote {
        /// The file.
        file: FlashFile,
        /// Its times.
        seconds: Seconds,
        /// Bytes that the library wrote for all ranks, including its header; the bytes of the data if the
        /// library does not count them.
        amount: u64,
        /// For the checkpoint, the hints in effect.
        hints: &'a [(String, String)],
        /// The record of the phase.
        phase: &'a Phase,
    },
    /// All files of a repetition are written.
    Repetition {
        /// The repetition, from 0.
        number: u32,
        /// Memory of the library on all ranks, if it reports that.
        held: Option<LibraryMemory>,
    },
    /// A file was read again and compared.
    Checked {
        /// The file.
        file: FlashFile,
        /// The record of the phase.
        phase: &'a Phase,
    },
    /// A notice for the reader of the numbers.
    Notice(&'a Reason),
}

/// Receives the events of a run.
pub type FlashIoListener<'o> = dyn for<'e> EventObserver<FlashIoEvent<'e>> + 'o;

/// What a rank needs for a run.
pub struct FlashIoContext<'a> {
    /// This rank's clock.
    pub clock: &'a mut CycleClock,
    /// The writer of records on rank 0; nothing on other ranks.
    pub records: &'a mut dyn Sink,
    /// The listener for events, on rank 0.
    pub observer: &'a mut FlashIoListener<'a>,
    /// Number of calls on files that this rank has begun. The hang watchdog reads it and sees whether it
    /// still grows.
    pub calls: &'a AtomicU64,
}

/// Writes the files through `arrays`, and reads them again if requested. Returns the number of reads with
/// wrong data, over all ranks. `storage` is the file system that holds the files. Collective.
pub fn run(
    parameters: &FlashIoParameters,
    arrays: &dyn Arrays,
    storage: &dyn Storage,
    comm: &dyn Comm,
    cx: &mut FlashIoContext<'_>,
) -> Result<u64, Halt> {
    let dirs = clients::dirs(storage, [clients::dir_of(&parameters.prefix)]);
    let rank = Rank::begin(comm, cx.clock, cx.records, None, &dirs)?;
    reachable(parameters, storage, comm)?;
    check_memory(parameters, &rank)?;
    let mesh = comm.agree("memory", Mesh::new(parameters, comm.rank()))?;
    let mounts = Mounts::default();
    let mut flash =
        Flash { parameters, arrays, storage, mesh, rank, mounts, observer: cx.observer, calls: cx.calls };
    let mut wrong = 0;
    for repetition in 0..parameters.repetitions {
        if parameters.write {
            FlashFile::ALL.into_iter().try_for_each(|file| flash.write(file, repetition))?;
            let held = flash.held()?;
            flash.observer.event(&FlashIoEvent::Repetition { number: repetition, held });
        }
        for file in FlashFile::ALL.into_iter().filter(|_| parameters.verify) {
            wrong += flash.read(file, repetition)?;
        }
    }
    // The notice follows the numbers that it is about.
    for reason in flash.rank.node_notices() {
        flash.observer.event(&FlashIoEvent::Notice(&reason));
    }
    Ok(wrong)
}

/// Rejects a missing directory, or missing files that are only read, on all ranks. Opening a file is a
/// collective call, so the other ranks would wait.
fn reachable(parameters: &FlashIoParameters, storage: &dyn Storage, comm: &dyn Comm) -> Result<(), Halt> {
    let paths = FlashFile::ALL.map(|file| PathBuf::from(file.path(parameters.form, &parameters.prefix)));
    let dir = directory_of(&paths[0]);
    let lacks = |path: &&PathBuf| storage.size(path).map_or(true, |size| size.is_none());
    let missing = match parameters.write {
        true => Some(dir).filter(|dir| !dir.is_dir()),
        false => paths.iter().find(lacks).map(PathBuf::as_path),
    };
    let there = missing.map_or(Ok(()), |path| {
        Err(format!("-f {}: {}: No such file or directory", parameters.prefix, path.display()))
    });
    comm.agree(if parameters.write { "create" } else { "open" }, there)
}

/// One rank in a run.
struct Flash<'a, 'r> {
    parameters: &'a FlashIoParameters,
    arrays: &'a dyn Arrays,
    storage: &'a dyn Storage,
    mesh: Mesh,
    rank: Rank<'r>,
    mounts: Mounts,
    observer: &'a mut FlashIoListener<'a>,
    calls: &'a AtomicU64,
}

impl Flash<'_, '_> {
    /// Writes a file.
    fn write(&mut self, file: FlashFile, repetition: u32) -> Result<(), Halt> {
        let (parameters, comm) = (self.parameters, self.rank.comm);
        let path = PathBuf::from(file.path(parameters.form, &parameters.prefix));
        let arrays = file.arrays(parameters.form, parameters.zones);
        let same = self.mounts.same(self.storage, &path);
        comm.agree("create", same)?;
        let values: Result<Vec<_>, _> = arrays.iter().map(|array| self.mesh.values(array)).collect();
        let values = comm.agree("memory", values)?;
        self.rank.next_phase()?;
        let (mesh, path) = (&self.mesh, path.as_path());
        let work = FileWork { parameters, arrays: self.arrays, comm, mesh, file, path, calls: self.calls };
        let written = write(&work, self.rank.clock, &arrays, values)?;
        comm.agree(file.name(), written.done.ended(path))?;
        let file_bytes = self.whole(file, &arrays, path, &written)?;
        let (seconds, amount) = record::classic(&self.rank, &written)?;
        let bytes = self.mesh.blocks * file.block_bytes(parameters);
        let known = self.known(file.name(), path, repetition, bytes);
        let opened = opened::find(self.rank.comm, self.storage, path)?;
        let known = Phase { smallest_file_bytes: file_bytes, opened, ..known };
        let phase = record::put(&mut self.rank, parameters, file, known, &written.done)?;
        let (hints, phase) = (&written.hints[..], &phase);
        self.observer.event(&FlashIoEvent::Wrote { file, seconds, amount, hints, phase });
        self.tell_uncollective(file.name(), repetition, &written.done)
    }

    /// Reports calls that the library made from single ranks although collective ones were requested.
    fn tell_uncollective(&mut self, name: &str, repetition: u32, done: &FileDone) -> Result<(), Halt> {
        if self.parameters.independent {
            return Ok(());
        }
        let (comm, counts) = (self.rank.comm, (done.uncollective, done.begins.len() as u64));
        let Some(reason) = reduce::uncollective(comm, name, counts, "none")? else { return Ok(()) };
        self.rank.notice(repetition, name, &reason)?;
        self.observer.event(&FlashIoEvent::Notice(&reason));
        Ok(())
    }

    /// The fields that the records of all phases share.
    fn known(&self, name: &str, path: &Path, repetition: u32, bytes: u64) -> Phase {
        Phase {
            repetition,
            phase: name.to_owned(),
            backend: self.arrays.name().to_owned(),
            path: path.display().to_string(),
            bytes,
            ..Phase::default()
        }
    }

    /// Detects lost data: every call succeeded, and the file is still shorter than the written data. Returns
    /// its size on rank 0. Collective.
    fn whole(
        &self,
        file: FlashFile,
        arrays: &[FileArray],
        path: &Path,
        written: &WriteRemainder,
    ) -> Result<Option<u64>, Halt> {
        let comm = self.rank.comm;
        let blocks = self.parameters.blocks_total(comm.size());
        let ends = arrays.iter().zip(&written.places);
        let wanted = ends.filter_map(|(array, place)| Some((*place)? + blocks * array.bytes())).max();
        let size = if comm.rank() == 0 { self.storage.size(path).unwrap_or(None) } else { None };
        let how = beneath::alone(Mode::Read, 0);
        let reopened = |wanted| beneath::size_after_reopening(self.storage, comm, path, how, wanted);
        let (size, lost) = match (wanted, size) {
            (Some(wanted), Some(size)) if size < wanted => match reopened(wanted) {
                found if found < wanted => {
                    let why = format!("{wanted} bytes were written, but the file has {found} bytes");
                    (Some(found), Err(format!("{}: {why}", path.display())))
                }
                found => (Some(found), Ok(())),
            },
            (Some(_), Some(_)) => {
                let bytes = blocks * file.block_bytes(self.parameters);
                (size, beneath::has_space(self.storage, path, bytes))
            }
            _ => (size, Ok(())),
        };
        comm.agree(file.name(), lost)?;
        Ok(size)
    }

    /// Reads a file again and compares it. Each rank reads the blocks of a rank on another node, if there is
    /// one.
    fn read(&mut self, file: FlashFile, repetition: u32) -> Result<u64, Halt> {
        let (parameters, comm) = (self.parameters, self.rank.comm);
        let path = PathBuf::from(file.path(parameters.form, &parameters.prefix));
        let arrays = file.arrays(parameters.form, parameters.zones);
        let on_node = comm.reduce_one(self.rank.node.ranks.size().into(), Reduce::Max)? as u32;
        let owner = (comm.rank() + on_node) % comm.size();
        let blocks = parameters.blocks_of(owner);
        let rooms: Option<Vec<_>> = arrays.iter().map(|array| room(array, blocks)).collect();
        let wanted = blocks * file.block_bytes(parameters);
        let room = comm.agree("memory", rooms.ok_or_else(|| no_memory(wanted)))?;
        let (mesh, path) = (&self.mesh, path.as_path());
        let work = FileWork { parameters, arrays: self.arrays, comm, mesh, file, path, calls: self.calls };
        let file_bytes = self.bytes_there(path)?;
        let places = Vec::new();
        let mut reading = Reading { work: &work, arrays: &arrays, owner, places, file_bytes, room };
        reading.look()?;
        let cached_before = self.cached(&reading, path)?;
        self.rank.next_phase()?;
        let (done, comparing) = reading.read(self.rank.clock)?;
        comm.agree(file.check_name(), done.ended(path))?;
        let check = comparing.check(comm)?;
        let wrong = check.bad_transfers;
        let known = self.known(file.check_name(), path, repetition, wanted);
        let opened = opened::find(comm, self.storage, path)?;
        let known = Phase { cached_before, check: Some(check), opened, ..known };
        let phase = record::put(&mut self.rank, parameters, file, known, &done)?;
        self.observer.event(&FlashIoEvent::Checked { file, phase: &phase });
        self.tell_uncollective(file.check_name(), repetition, &done)?;
        self.tell_cached(file, repetition, &phase)?;
        Ok(wrong)
    }

    /// The length of a file as seen by rank 0; `None` if it is unknown. Collective.
    fn bytes_there(&self, path: &Path) -> Result<Option<u64>, Halt> {
        let comm = self.rank.comm;
        let size = if comm.rank() == 0 { self.storage.size(path).unwrap_or(None) } else { None };
        let said = comm.reduce_one(size.map_or(0, |size| size + 1), Reduce::Max)?;
        Ok(said.checked_sub(1))
    }

    /// Share of the data to be read that is in the page cache of its client; the worst of all ranks. It uses
    /// a separate handle, before any clock starts.
    fn cached(&self, reading: &Reading<'_>, path: &Path) -> Result<Option<f64>, Halt> {
        let (first, blocks) = (reading.first(), reading.blocks());
        let arrays = reading.arrays.iter().zip(&reading.places);
        let ranges = arrays
            .filter_map(|(array, place)| Some(((*place)? + first * array.bytes(), blocks * array.bytes())));
        let ranges: Vec<(u64, u64)> = ranges.collect();
        let cache = self.storage.page_cache(path).unwrap_or(None);
        let share = cache.and_then(|mut cache| cache.resident(&ranges).ok()).filter(|_| !ranges.is_empty());
        reduce::worst_share(self.rank.comm, share)
    }

    fn tell_cached(&mut self, file: FlashFile, repetition: u32, phase: &Phase) -> Result<(), Halt> {
        let label = file.check_name().replace('_', " ");
        let Some(reason) = beneath::cached_read(&label, phase.cached_before) else { return Ok(()) };
        self.rank.notice(repetition, file.check_name(), &reason)?;
        self.observer.event(&FlashIoEvent::Notice(&reason));
        Ok(())
    }

    /// Memory of the library in all ranks, if it reports that. Collective.
    fn held(&self) -> Result<Option<LibraryMemory>, Halt> {
        let mine = self.arrays.held();
        let mut sums = [mine.is_some().into(), mine.map_or(0, |h| h.most), mine.map_or(0, |h| h.now)];
        self.rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
        let all = sums[0] == u64::from(self.rank.comm.size());
        Ok(all.then_some(LibraryMemory { most: sums[1], now: sums[2] }))
    }
}
