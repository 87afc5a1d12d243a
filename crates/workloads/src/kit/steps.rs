//! The steps of the measuring loop: writing, reading, and both mixed.

use std::io;
use std::path::Path;

use storage::{Buffer, File};

use super::checker::Checker;
use super::drive::{LoopStep, TransferTrouble};
use super::end::FileEnd;
use super::mix::Mix;
use super::payload::{self, Payload};

/// The most bytes that Linux moves in one call: 2 GiB less a page.
pub(super) const ONE_CALL: usize = 0x7fff_f000;
/// How often a transfer that moved only a part is taken up again before giving up.
pub(super) const RETRIES: u32 = 10_000;

/// What both directions need: the file, its name, and whether a short transfer is taken up again.
pub struct TransferTarget<'a> {
    /// The open file.
    pub file: &'a mut dyn File,
    /// Its path, for messages.
    pub path: &'a Path,
    /// A transfer that moved only a part fails at once (`-x`).
    pub single_attempt: bool,
    /// How many transfers needed more than one call.
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
                match self.go_on(offset, data.len(), moved, rest)? {
                    done if done >= data.len() => Ok(()),
                    done => Err(self.stuck(offset, done, data.len(), "short write")),
                }
            }
            Err(error) => Err(TransferTrouble::of_error(self.path, offset, &error)),
        }
    }

    /// Makes a write durable; also after one that failed: the sync of a shared file may be one that other
    /// ranks wait in.
    fn sync(
        &mut self,
        offset: u64,
        written: Result<(), Box<TransferTrouble>>,
    ) -> Result<(), Box<TransferTrouble>> {
        let synced = self.file.sync();
        written?;
        synced.map_err(|error| TransferTrouble::of_sync(self.path, offset, &error))
    }

    /// The part of the path from a call that moved `moved` of `length` bytes to the whole transfer, or to
    /// where it moves no more; returns how many bytes were moved in all.
    #[cold]
    fn go_on(
        &mut self,
        offset: u64,
        length: usize,
        moved: usize,
        call: &mut dyn FnMut(&mut dyn File, usize) -> io::Result<usize>,
    ) -> Result<usize, Box<TransferTrouble>> {
        let mut done = moved;
        // A call that moved all that one call can is not short.
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
                    return Err(TransferTrouble::of_error(self.path, offset + done as u64, &error));
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
    fn stuck(&self, offset: u64, done: usize, length: usize, what: &str) -> Box<TransferTrouble> {
        TransferTrouble::new(
            self.path,
            offset + done as u64,
            format!("{what}: moved {done} of {length} bytes"),
        )
    }
}

/// Whether a file ends at or before `place`; one that cannot be asked does not.
#[cold]
pub(super) fn ends_at(file: &mut dyn File, place: u64) -> bool {
    file.size().is_ok_and(|size| size <= place)
}

/// Writes one buffer again and again.
pub struct Writer<'a> {
    /// Where to.
    pub target: TransferTarget<'a>,
    /// The data, filled for this rank.
    pub buffer: &'a mut Buffer,
    /// Makes the words that depend on the offset.
    pub payload: Payload,
    /// `-Y`: every write is made durable, within its latency.
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
    /// Where from.
    pub target: TransferTarget<'a>,
    /// Where the data comes.
    pub buffer: &'a mut Buffer,
    /// Compares the data, when asked to.
    pub checker: Option<&'a mut Checker>,
    /// Where the file ends, whatever a call says it has read.
    end: FileEnd,
    /// How many bytes of the last transfer came: all, but where the file ends and the data is compared.
    came: usize,
}

impl<'a> Reader<'a> {
    /// Reads from `target` into `buffer` and has `checker`, if any, compare it.
    pub fn new(target: TransferTarget<'a>, buffer: &'a mut Buffer, checker: Option<&'a mut Checker>) -> Self {
        Self { target, buffer, checker, end: FileEnd::UNKNOWN, came: 0 }
    }

    /// The same of a file that is known to end there.
    pub fn up_to(self, end: FileEnd) -> Self {
        Self { end, ..self }
    }
}

impl LoopStep for Reader<'_> {
    fn works_between(&self) -> bool {
        self.checker.is_some()
    }

    /// Spoils every page of the buffer, so that one that does not arrive is seen.
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
                let done = self.target.go_on(offset, length, moved, rest)?;
                let rejected = self.target.single_attempt && done > 0;
                if done < length && (self.checker.is_none() || rejected) {
                    return Err(self.target.stuck(offset, done, length, "end of file"));
                }
                done
            }
            Err(error) => return Err(TransferTrouble::of_error(self.target.path, offset, &error)),
        };
        Ok(())
    }

    fn after(&mut self, offset: u64) {
        let (data, came) = (self.buffer.bytes(), self.came);
        if let Some(checker) = &mut self.checker {
            checker.look(&data[..came], offset);
            // A file that ends early is a finding, and the files' other ends are still to be seen.
            if came < data.len() {
                checker.missing(offset, came, data.len());
            }
        }
    }

    fn cut_short(&self) -> Option<u64> {
        (self.came < self.buffer.bytes().len()).then_some(self.came as u64)
    }
}

/// Reads some of the transfers and writes the others, each with a buffer of its own.
pub struct Mixed<'a> {
    /// Reads into the other of the two buffers. It lends its target to the writes.
    pub reader: Reader<'a>,
    /// The data, filled for this rank.
    pub written: &'a mut Buffer,
    /// Makes the words that depend on the offset.
    pub payload: Payload,
    /// `-Y`: every write is made durable, within its latency.
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
        let number = self.number;
        self.number += 1;
        if self.mix.is_read(number) {
            return self.reader.transfer(offset);
        }
        let written = self.reader.target.write(self.written.bytes(), offset);
        if self.sync_each { self.reader.target.sync(offset, written) } else { written }
    }

    fn was_read(&self) -> Option<bool> {
        Some(self.mix.was_read())
    }
}
