//! An open file of the backend: where each transfer goes, by an explicit offset or through a view.
//!
//! A view consists of bytes, so that the rest of a short transfer can start at any offset.
//!
//! Invariant: where all ranks move a transfer together, no rank learns of a part that it would complete
//! alone.

use std::io;
use std::path::{Path, PathBuf};

use ranks::mpi::MpiComm;
use rustix::io::Errno;

use crate::files::{Moved, transfer_rejection};
use crate::mpi_file::{
    At, CallStatus, Class, Datatype, DimensionOrder, Elements, Info, MpiError, MpiFile, NamedDatatype,
    Participation, Pointer, ViewStart, Whence,
};
use crate::{File, Hints, Open, Parts, call_error, calls};

/// The most bytes that the caller expects one call to move; see `kit::steps`.
const ONE_CALL: u64 = 0x7fff_f000;

/// The blocks that one rank moves: one block of every segment, each of whole transfers. Sizes are bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    rank: u64,
    /// How many ranks share the file; 1 with a file per process.
    ranks: u64,
    pub(super) segments: u64,
    block: u64,
    pub(super) transfer: u64,
}

impl Blocks {
    /// The blocks of the owner that an open names.
    pub(super) fn of(how: Open) -> Option<Self> {
        let Parts { segment, block, transfer, owner } = how.parts;
        let segments = how.bytes.checked_div(segment)?;
        Some(Self { rank: owner?, ranks: segment.checked_div(block)?, segments, block, transfer })
    }

    /// The position of a file offset in the sequence of these blocks.
    fn within(self, place: u64) -> io::Result<u64> {
        let segment = self.ranks * self.block;
        let inside = (place % segment).checked_sub(self.rank * self.block);
        let inside = inside.filter(|inside| *inside < self.block);
        let outside = || io::Error::new(io::ErrorKind::InvalidInput, "not in the view of this rank");
        Ok(place / segment * self.block + inside.ok_or_else(outside)?)
    }
}

/// Hints by their keys, for display.
pub(super) type Pairs = Vec<(String, String)>;

/// How transfers address the file.
pub(super) enum FileSight {
    /// The whole file: transfers have explicit offsets.
    Whole,
    /// The blocks of one rank end to end, by the individual file pointer; `next` is its position, if known.
    Blocks { blocks: Blocks, next: Option<u64> },
    /// One transfer of each segment, from an offset on. `set` is the offset of the last view that was set.
    /// `at_start` is whether the pointer is at its beginning.
    Strided { filetype: Datatype, set: u64, at_start: bool },
}

/// An open `MPI_File`. The library outlives it: it is never unloaded, and MPI ends after the tests.
pub(super) struct MpiFileTransfers {
    file: MpiFile,
    /// Its path for plain calls, which give the error numbers that the library does not.
    path: PathBuf,
    way: Participation,
    seen: FileSight,
    byte: Datatype,
    /// A datatype of as many bytes as a transfer has, if a C `int` cannot count them.
    many: Option<Datatype>,
    no_hints: Info,
    /// The passed hints, if there are any or if they are to be shown.
    passed: Option<Pairs>,
}

/// A number of bytes in the type that MPI uses.
pub(super) fn offset(bytes: u64) -> io::Result<i64> {
    i64::try_from(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "beyond 2^63 bytes"))
}

impl MpiFileTransfers {
    /// A file that was just opened.
    pub(super) fn new(
        comm: &MpiComm,
        file: MpiFile,
        path: PathBuf,
        way: Participation,
        passed: Option<Pairs>,
    ) -> Self {
        let (byte, no_hints) = (Datatype::named(comm, NamedDatatype::Byte), Info::none(comm));
        Self { file, path, way, seen: FileSight::Whole, byte, many: None, no_hints, passed }
    }

    /// The file.
    pub(super) fn file(&self) -> &MpiFile {
        &self.file
    }

    /// The parts of a view for transfers, and the first view. It is not set yet, because all ranks set it
    /// together.
    pub(super) fn view(&self, blocks: Blocks, strided: bool) -> io::Result<(ViewStart, Datatype, FileSight)> {
        let transfer = self.byte.many(blocks.transfer)?;
        let segment = blocks.ranks * blocks.block;
        let first = blocks.rank * blocks.block;
        if strided {
            let resized = || transfer.resized(0, segment as isize);
            let seen = FileSight::Strided { filetype: resized()?, set: first, at_start: true };
            return Ok((ViewStart::Byte(offset(first)?), resized()?, seen));
        }
        let per_block = blocks.block / blocks.transfer;
        let count = |transfers: u64| {
            let why =
                format!("a view of {transfers} transfers a segment; MPI allows 2^31 - 1. Choose a larger -t");
            i32::try_from(transfers).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, why))
        };
        let (all, mine) = (count(per_block * blocks.ranks)?, count(per_block)?);
        let start = count(per_block * blocks.rank)?;
        let filetype = transfer.subarray(&[1, all], &[1, mine], &[0, start], DimensionOrder::C)?;
        Ok((ViewStart::Byte(0), filetype, FileSight::Blocks { blocks, next: Some(0) }))
    }

    /// Sets the first view. All ranks of a shared file do so together.
    pub(super) fn see(
        &mut self,
        (start, filetype, seen): (ViewStart, Datatype, FileSight),
    ) -> io::Result<()> {
        self.file.set_view(start, &self.byte, &filetype, "native", &self.no_hints)?;
        self.seen = seen;
        Ok(())
    }

    /// Makes in advance what a transfer of this many bytes needs, so that transfers do not spend time on it.
    pub(super) fn prepare(&mut self, bytes: u64) -> io::Result<()> {
        if i32::try_from(bytes).is_err() && self.many.as_ref().is_none_or(|many| many.size() != bytes) {
            self.many = Some(self.byte.many(bytes)?);
        }
        Ok(())
    }

    /// Sets the position where a transfer at `offset` begins.
    fn go(&mut self, place: u64) -> io::Result<At> {
        match &mut self.seen {
            FileSight::Whole => Ok(At::Offset(offset(place)?)),
            FileSight::Blocks { blocks, next } => {
                let there = blocks.within(place)?;
                if *next != Some(there) {
                    self.file.seek(Pointer::Individual, offset(there)?, Whence::Start)?;
                }
                *next = None;
                Ok(At::Individual)
            }
            FileSight::Strided { filetype, set, at_start } => {
                if *set != place {
                    let start = ViewStart::Byte(offset(place)?);
                    self.file.set_view(start, &self.byte, filetype, "native", &self.no_hints)?;
                } else if !*at_start {
                    self.file.seek(Pointer::Individual, 0, Whence::Start)?;
                }
                (*set, *at_start) = (place, false);
                Ok(At::Individual)
            }
        }
    }

    /// How many bytes a finished call has moved. After a whole transfer the pointer has advanced with it.
    fn moved(
        &mut self,
        done: Result<CallStatus, MpiError>,
        place: u64,
        bytes: Moved<'_>,
    ) -> io::Result<usize> {
        let length = bytes.length();
        let moved = match done.and_then(|status| status.bytes()) {
            // Open MPI returns failures as transfers of 0 bytes.
            Ok(0) if length > 0 => match self.rejection(place, bytes) {
                Some(errno) => return Err(errno.into()),
                None => 0,
            },
            Ok(moved) => moved,
            Err(error) => return Err(error.numbered(|| self.rejection(place, bytes))),
        };
        let whole = moved == length as u64;
        if let FileSight::Blocks { blocks, next } = &mut self.seen {
            *next = if whole { Some(blocks.within(place)? + moved) } else { None };
        }
        // A caller would continue with the rest, and would be alone in a collective call.
        let alone = self.way == Participation::Collective || matches!(self.seen, FileSight::Strided { .. });
        if !whole && alone && moved >= ONE_CALL {
            return Err(call_error::short(format!("one call moved {moved} of {length} bytes")));
        }
        usize::try_from(moved).map_err(io::Error::other)
    }

    /// The error of the system for the bytes of a transfer that are adjacent in the file.
    fn rejection(&self, place: u64, bytes: Moved<'_>) -> Option<Errno> {
        let bytes = match &self.seen {
            FileSight::Strided { filetype, .. } => bytes.first(filetype.size()),
            FileSight::Whole | FileSight::Blocks { .. } => bytes,
        };
        transfer_rejection(&self.path, bytes, place)
    }
}

/// The error of a call that flushes data to storage. It has no arguments that could be wrong, so
/// `MPI_ERR_IO` is EIO. Only another flush can return the number of other classes.
fn flush_error(error: MpiError, path: &Path) -> io::Error {
    let is_io = error.class == Class::Io;
    let again = || transfer_rejection(path, Moved::Written(&[]), 0);
    error.numbered(|| if is_io { Some(Errno::IO) } else { again() })
}

/// The elements of a transfer of `length` bytes; `many` counts as one element where there are too many bytes.
fn elements<'t>(byte: &'t Datatype, many: Option<&'t Datatype>, length: usize) -> Elements<'t> {
    match (i32::try_from(length), many) {
        (Ok(few), _) => Elements::new(byte, few),
        (Err(_), Some(many)) => Elements::new(many, 1),
        (Err(_), None) => unreachable!("`prepare` made the datatype"),
    }
}

impl File for MpiFileTransfers {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        self.prepare(data.len() as u64)?;
        let at = self.go(offset)?;
        let elements = elements(&self.byte, self.many.as_ref(), data.len());
        let done = self.file.write(at, self.way, data, elements);
        self.moved(done, offset, Moved::Written(data))
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        self.prepare(data.len() as u64)?;
        let at = self.go(offset)?;
        let elements = elements(&self.byte, self.many.as_ref(), data.len());
        let done = self.file.read(at, self.way, data, elements);
        self.moved(done, offset, Moved::Read(data))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync().map_err(|error| flush_error(error, &self.path))
    }

    fn size(&mut self) -> io::Result<u64> {
        let size = self.file.size().map_err(|error| error.numbered(|| calls::stat(&*self.path).err()))?;
        Ok(size.try_into().unwrap_or(0))
    }

    fn hints(&self) -> io::Result<Option<Hints>> {
        let Some(passed) = self.passed.clone() else { return Ok(None) };
        Ok(Some(Hints { to: "MPI_File_open()", passed, returned: self.file.info()?.pairs()? }))
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        let Self { file, path, .. } = *self;
        file.close().map_err(|error| flush_error(error, &path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;

    #[test]
    fn the_blocks_of_a_rank_follow_each_other_in_its_view() {
        let parts = Parts { segment: 192, block: 64, transfer: 16, owner: Some(2) };
        let how = Open { mode: Mode::Read, shared: true, collective: false, bytes: 384, parts };
        let blocks = Blocks::of(how).unwrap();
        assert_eq!((blocks.ranks, blocks.segments), (3, 2));
        let places = [(128, 0), (176, 48), (192 + 128, 64), (192 + 190, 126)];
        assert!(places.iter().all(|(place, there)| blocks.within(*place).unwrap() == *there));
        for outside in [0, 127, 192, 192 + 127] {
            assert_eq!(blocks.within(outside).unwrap_err().to_string(), "not in the view of this rank");
        }
    }
}
