//! The steps of the measuring loop: writing, reading, and both mixed.

use std::io;
use std::path::Path;
use storage::call_error;

use storage::{Buffer, File};

use super::checker::Checker;
use super::drive::{LoopStep, TransferTrouble};
use super::end::FileEnd;
use super::mix::Mix;
use super::payload::{self, Payload};

/// The most bytes that Linux moves in one call: 2 GiB less a page.
pub(super) const ONE_CALL: usize = 0x7fff_f000;
/// Number of times that a partly moved transfer is continued before it fails.
pub(super) const RETRIES: u32 = 10_000;

/// What reads and writes need: the file, its path, and whether a short transfer is continued.
pub struct TransferTarget<'a> {
    /// The open file.
    pub file: &'a mut dyn File,
    /// Its path, for messages.
    pub path: &'a Path,
    /// A transfer that moved only a part fails at once (`-x`).
    pub single_attempt: bool,
    /// Number of transfers that needed more than one call.
    pub short: u64,
}

impl TransferTarget<'_> {
    /// Writes the whole of `data`.
    #[inline]
    fn write(&mut self, data: &[u8], offset: u64) -> Result<(), Box<TransferTrouble>> {
        match self.file.write_at(data, offset) {
            Ok(moved) if moved == data.len() => Ok(()),
            Ok(moved) => {
                let rest = &mut |file: &mut dyn File, done: usize| {
                    file.write_at(&data[done..], offset + done as u64)
                };
                match self.continue_transfer("write", offset, data.len(), moved, rest)? {
                    done if done >= data.len() => Ok(()),
                    done => Err(self.stuck(("write", "short write"), offset, done, data.len())),
                }
            }
            Err(error) => Err(TransferTrouble::new("write", self.path, Some(offset), &error)),
        }
    }

    /// Syncs a write, even after a failed one, because other ranks of a shared file may wait in their sync.
    fn sync(
        &mut self,
        offset: u64,
        written: Result<(), Box<TransferTrouble>>,
    ) -> Result<(), Box<TransferTrouble>> {
        let synced = self.file.sync();
        written?;
        synced.map_err(|error| TransferTrouble::with_call("fsync", self.path, Some(offset), &error))
    }

    /// Continues a transfer after a call that moved `moved` of `length` bytes, until it is complete or moves
    /// no more. Returns the number of bytes moved in all.
    #[cold]
    fn continue_transfer(
        &mut self,
        name: &str,
        offset: u64,
        length: usize,
        moved: usize,
        call: &mut dyn FnMut(&mut dyn File, usize) -> io::Result<usize>,
    ) -> Result<usize, Box<TransferTrouble>> {
        let mut done = moved;
        // A call that moved the most that one call can move is not short.
        let short = moved < ONE_CALL;
        if moved == 0 || (self.single_attempt && short) {
            return Ok(done);
        }
        self.short += u64::from(short);
        for _ in 0..RETRIES {
            match call(self.file, done) {
                Ok(0) => break,
                Ok(more) => done += more,
                Err(error) => {
                    let at = Some(offset + done as u64);
                    return Err(TransferTrouble::new(name, self.path, at, &error));
                }
            }
            if done >= length {
                break;
            }
        }
        Ok(done)
    }

    /// Why a transfer that moved only `done` of `length` bytes has failed.
    #[cold]
    fn stuck(
        &self,
        (call, what): (&str, &str),
        offset: u64,
        done: usize,
        length: usize,
    ) -> Box<TransferTrouble> {
        let error = call_error::short(format!("{what}: moved {done} of {length} bytes"));
        TransferTrouble::new(call, self.path, Some(offset + done as u64), &error)
    }
}

/// Whether a file ends at or before `place`; false if the size is not available.
#[cold]
pub(super) fn ends_at(file: &mut dyn File, place: u64) -> bool {
    file.size().is_ok_and(|size| size <= place)
}

/// Writes one buffer again and again.
pub struct Writer<'a> {
    /// The file and how to write it.
    pub target: TransferTarget<'a>,
    /// The data, filled for this rank.
    pub buffer: &'a mut Buffer,
    /// Makes the words that depend on the offset.
    pub payload: Payload,
    /// `-Y`: an fsync follows every write, within its latency.
    pub sync_each: bool,
}

impl LoopStep for Writer<'_> {
    fn works_between(&self) -> bool {
        self.payload.depends_on_offset()
    }

    fn before(&mut self, offset: u64) {
        self.payload.prepare(self.buffer.bytes_mut(), offset);
    }

    #[inline]
    fn transfer(&mut self, offset: u64) -> Result<(), Box<TransferTrouble>> {
        let written = self.target.write(self.buffer.bytes(), offset);
        if self.sync_each { self.target.sync(offset, written) } else { written }
    }
}

/// Reads into one buffer again and again.
pub struct Reader<'a> {
    /// The file and how to read it.
    pub target: TransferTarget<'a>,
    /// The buffer for the data.
    pub buffer: &'a mut Buffer,
    /// Compares the data, if given.
    pub checker: Option<&'a mut Checker>,
    /// The known end of the file, independent of what a read call reports.
    end: FileEnd,
    /// Bytes of the last transfer that were read: all of them, except at the end of a file that is compared.
    came: usize,
}

impl<'a> Reader<'a> {
    /// Reads from `target` into `buffer`. `checker`, if any, compares the data.
    pub fn new(target: TransferTarget<'a>, buffer: &'a mut Buffer, checker: Option<&'a mut Checker>) -> Self {
        Self { target, buffer, checker, end: FileEnd::UNKNOWN, came: 0 }
    }

    /// The same for a file with a known end.
    pub fn up_to(self, end: FileEnd) -> Self {
        Self { end, ..self }
    }
}

impl LoopStep for Reader<'_> {
    fn works_between(&self) -> bool {
        self.checker.is_some()
    }

    /// Overwrites the start of every page of the buffer, so that missing data is detected.
    fn before(&mut self, _offset: u64) {
        payload::poison_pages(self.buffer.bytes_mut());
    }

    #[inline]
    fn transfer(&mut self, offset: u64) -> Result<(), Box<TransferTrouble>> {
        let data = self.buffer.bytes_mut();
        let length = data.len();
        let end = &mut self.end;
        self.came = match end.read(self.target.file, data, offset) {
            Ok(moved) if moved == length => moved,
            Ok(moved) if self.checker.is_some() && ends_at(self.target.file, end.behind(offset, moved)) => {
                moved
            }
            Ok(moved) => {
                let rest = &mut |file: &mut dyn File, done: usize| {
                    end.read(file, &mut data[done..], offset + done as u64)
                };
                let done = self.target.continue_transfer("read", offset, length, moved, rest)?;
                let rejected = self.target.single_attempt && done > 0;
                if done < length && (self.checker.is_none() || rejected) {
                    return Err(self.target.stuck(("read", "end of file"), offset, done, length));
                }
                done
            }
            Err(error) => return Err(TransferTrouble::new("read", self.target.path, Some(offset), &error)),
        };
        Ok(())
    }

    fn after(&mut self, offset: u64) {
        let (data, came) = (self.buffer.bytes(), self.came);
        if let Some(checker) = &mut self.checker {
            checker.compare(&data[..came], offset);
            // A file that ends early is a finding. The run continues, because the other files are still to be
            // compared.
            if came < data.len() {
                checker.missing(offset, came, data.len());
            }
        }
    }

    fn cut_short(&self) -> Option<u64> {
        (self.came < self.buffer.bytes().len()).then_some(self.came as u64)
    }
}

/// Reads some of the transfers and writes the others, each with its own buffer.
pub struct Mixed<'a> {
    /// Reads into the other of the two buffers. Writes use its target.
    pub reader: Reader<'a>,
    /// The data, filled for this rank.
    pub written: &'a mut Buffer,
    /// Makes the words that depend on the offset.
    pub payload: Payload,
    /// `-Y`: an fsync follows every write, within its latency.
    pub sync_each: bool,
    /// Which transfers are reads.
    pub mix: Mix,
    /// Number of the next transfer.
    pub number: u64,
}

impl LoopStep for Mixed<'_> {
    fn works_between(&self) -> bool {
        true
    }

    fn before(&mut self, offset: u64) {
        if !self.mix.is_read(self.number) && self.payload.depends_on_offset() {
            self.payload.prepare(self.written.bytes_mut(), offset);
        }
    }

    #[inline]
    fn transfer(&mut self, offset: u64) -> Result<(), Box<TransferTrouble>> {
        self.number += 1;
        // `before` asked, outside the measured time.
        if self.mix.was_read() {
            return self.reader.transfer(offset);
        }
        let written = self.reader.target.write(self.written.bytes(), offset);
        if self.sync_each { self.reader.target.sync(offset, written) } else { written }
    }

    fn was_read(&self) -> Option<bool> {
        Some(self.mix.was_read())
    }
}
