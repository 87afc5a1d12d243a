//! What a rank does with its files in each phase: it writes, cuts or creates.
//!
//! A rejected call ends the work of the rank in the phase. It is no failed operation.

use std::io;
use std::path::Path;

use ranks::FailureCause;
use storage::{File, Names, call_error};

use super::tracker::Tracker;
use crate::kit::failed_call::named;
use crate::kit::operations::{NothingToDo, Operation};
use crate::kit::path::PathBuffer;
use crate::kit::payload::stamped::mix;

/// The work of a rank in a phase.
pub(super) trait LimitedWork: Operation {
    /// What it used.
    fn tracker(&mut self) -> &mut Tracker;

    /// Flushes what was written, at the end of the phase.
    fn finish(&mut self) -> Result<(), FailureCause> {
        Ok(())
    }
}

/// The file of a rank, with the data of its next transfer.
pub(super) struct RankFile {
    pub(super) file: Box<dyn File>,
    pub(super) path: PathBuffer,
    data: Vec<u8>,
    /// The number of the last word of data, of all ranks.
    words: u64,
    sync_each: bool,
}

impl RankFile {
    /// A file for transfers of this size.
    pub(super) fn new(
        file: Box<dyn File>,
        path: PathBuffer,
        transfer: u64,
        rank: u32,
        sync_each: bool,
    ) -> Self {
        let words = u64::from(rank) << 40;
        Self { file, path, data: vec![0; transfer as usize], words, sync_each }
    }

    /// Bytes of a transfer.
    fn transfer(&self) -> u64 {
        self.data.len() as u64
    }

    /// Makes data that no transfer had before. Storage that compresses, or stores equal parts once, would
    /// show less usage.
    fn renew(&mut self) {
        for bytes in self.data.chunks_mut(8) {
            self.words += 1;
            bytes.copy_from_slice(&mix(self.words).to_le_bytes()[..bytes.len()]);
        }
    }

    /// Writes at the end of what the rank has. The error is a rejection, see [`Tracker::reject`], or a
    /// failure.
    fn write(&mut self, tracker: &mut Tracker, most: u64) -> Result<(), (&'static str, io::Error)> {
        let length = self.transfer().min(most) as usize;
        let moved = self.file.write_at(&self.data[..length], tracker.held);
        let moved = moved.map_err(|error| ("write", error))?;
        if moved == 0 {
            return Err(("write", call_error::short("the write call wrote 0 bytes")));
        }
        if self.sync_each {
            self.file.sync().map_err(|error| ("fsync", error))?;
        }
        tracker.accept(moved as u64);
        Ok(())
    }

    /// Flushes the file. A rejection counts.
    fn finish(&mut self, tracker: &mut Tracker) -> Result<(), FailureCause> {
        match self.file.sync() {
            Err(error) if !tracker.reject("fsync", &error) => {
                Err(named("fsync", self.path.as_path(), &error))
            }
            _ => Ok(()),
        }
    }
}

/// Writes until the rank is rejected, or has what it may have.
pub(super) struct Writing<'w> {
    pub(super) file: &'w mut RankFile,
    pub(super) tracker: Tracker,
    pub(super) call: &'static str,
}

impl Operation for Writing<'_> {
    fn before(&mut self, _item: u64) {
        self.file.renew();
    }

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        let more = self.tracker.allowed.saturating_sub(self.tracker.held);
        if more == 0 || !self.tracker.is_free() {
            return Err(NothingToDo::after_last());
        }
        self.file.write(&mut self.tracker, more).map_err(|(call, error)| {
            self.call = call;
            if self.tracker.reject(call, &error) { NothingToDo::after_last() } else { error }
        })
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, self.file.path.as_path())
    }
}

impl LimitedWork for Writing<'_> {
    fn tracker(&mut self) -> &mut Tracker {
        &mut self.tracker
    }

    fn finish(&mut self) -> Result<(), FailureCause> {
        self.file.finish(&mut self.tracker)
    }
}

/// Makes the file of the rank longer without data, writes into the new part, and cuts it to a half.
pub(super) struct Cutting<'w> {
    pub(super) names: &'w dyn Names,
    pub(super) file: &'w mut RankFile,
    pub(super) tracker: Tracker,
    pub(super) call: &'static str,
}

impl Cutting<'_> {
    /// Items before all ranks have what they can get, and all items.
    pub(super) const ITEMS: [u64; 2] = [2, 3];

    fn resize(&mut self, bytes: u64) -> io::Result<()> {
        self.call = "truncate";
        self.names.truncate(self.file.path.as_c_str(), bytes)
    }

    /// A rejection is not a failure, and the next item follows.
    fn rejectable(&mut self, call: &'static str, error: io::Error) -> io::Error {
        self.call = call;
        if self.tracker.reject(call, &error) { NothingToDo::error() } else { error }
    }
}

impl Operation for Cutting<'_> {
    fn before(&mut self, _item: u64) {
        self.file.renew();
    }

    fn operate(&mut self, item: u64) -> io::Result<()> {
        let (held, transfer) = (self.tracker.held, self.file.transfer());
        match item {
            0 => self.resize(held + transfer).map_err(|error| self.rejectable("truncate", error)),
            1 => {
                let written = self.file.write(&mut self.tracker, transfer);
                written.map_err(|(call, error)| self.rejectable(call, error))
            }
            _ => {
                let half = held / 2 / transfer * transfer;
                self.resize(half)?;
                self.tracker.cut(half);
                Ok(())
            }
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, self.file.path.as_path())
    }
}

impl LimitedWork for Cutting<'_> {
    fn tracker(&mut self) -> &mut Tracker {
        &mut self.tracker
    }

    fn finish(&mut self) -> Result<(), FailureCause> {
        self.file.finish(&mut self.tracker)
    }
}

/// Creates empty files until the rank is rejected, or has what it may have.
pub(super) struct Creating<'w> {
    pub(super) names: &'w dyn Names,
    pub(super) path: PathBuffer,
    /// The length of the path of the directory.
    pub(super) dir: usize,
    pub(super) tracker: Tracker,
}

/// The path of an empty file of a rank, in its directory.
pub(super) fn empty_file(path: &mut PathBuffer, dir: usize, number: u64) {
    path.cut(dir);
    path.push("/f").number(number);
}

impl Operation for Creating<'_> {
    fn before(&mut self, _item: u64) {
        empty_file(&mut self.path, self.dir, self.tracker.held);
    }

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        if self.tracker.held >= self.tracker.allowed || !self.tracker.is_free() {
            return Err(NothingToDo::after_last());
        }
        match self.names.make_node(self.path.as_c_str(), 0o644) {
            Ok(()) => {
                self.tracker.accept(1);
                Ok(())
            }
            Err(error) if self.tracker.reject("mknod", &error) => Err(NothingToDo::after_last()),
            Err(error) => Err(error),
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        ("mknod", self.path.as_path())
    }
}

impl LimitedWork for Creating<'_> {
    fn tracker(&mut self) -> &mut Tracker {
        &mut self.tracker
    }
}
