//! Carries out the model's operations on the file system.
//!
//! Files hold stamped data (docs/reference/stamped-data.md), which compression and deduplication cannot
//! reduce.
//!
//! Invariant: an operation that is repeated after it was done in part has the same result as one operation.

use std::ffi::CStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use ranks::Comm;
use storage::{Mode, Names, Storage};

use super::act::{Act, Name};
use super::guard::Guard;
use super::state::at;
use super::tree::DirectoryTree;
use crate::kit::beneath::alone;
use crate::kit::path::PathBuffer;
use crate::kit::payload::{DataIdentity, Packet, Payload};

/// The size of one write, bytes.
const PIECE: u64 = 1 << 20;
/// Data consists of whole words.
const WORD: u64 = 8;
const DIR_PERMISSIONS: u32 = 0o777;

/// The rank, its directory and its tools.
pub(super) struct FileWorker<'a> {
    storage: &'a dyn Storage,
    names: &'a dyn Names,
    comm: &'a dyn Comm,
    rank: u64,
    seed: u64,
    path: PathBuffer,
    other: PathBuffer,
    root: usize,
    way: Vec<u32>,
    buffer: Vec<u8>,
}

/// The reason why an operation was not done.
enum OperationFailure {
    Call(&'static str, io::Error),
    /// The guard stopped it, for this reason.
    Stopped(String),
}

/// The failure of a call.
fn by(call: &'static str) -> impl FnOnce(io::Error) -> OperationFailure {
    move |error| OperationFailure::Call(call, error)
}

/// The operations that may have been done before this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Past {
    /// Exactly the earlier ones of the sequence.
    Known,
    /// Directories may exist that were not counted: a node failure loses the newest counts, but not always
    /// the counted directories.
    Resumed,
    /// This one in part or completely, and later ones: its file may have been renamed or removed.
    Uncounted,
}

impl<'a> FileWorker<'a> {
    pub(super) fn new(
        storage: &'a dyn Storage,
        names: &'a dyn Names,
        comm: &'a dyn Comm,
        (rank, seed): (u64, u64),
        root: &Path,
    ) -> Self {
        let path = PathBuffer::new(root);
        let (other, root) = (path.clone(), path.len());
        let buffer = vec![0; (PIECE + 2 * WORD) as usize];
        Self { storage, names, comm, rank, seed, path, other, root, way: Vec::new(), buffer }
    }

    /// The path of a directory.
    pub(super) fn dir(&mut self, tree: &DirectoryTree, dir: u32) -> &CStr {
        tree.path(dir, (&mut self.path, self.root), &mut self.way);
        self.path.as_c_str()
    }

    /// The path of a file.
    pub(super) fn file(&mut self, tree: &DirectoryTree, name: Name) -> &CStr {
        tree.path(name.dir, (&mut self.path, self.root), &mut self.way);
        self.path.push("/f").number(name.number.into());
        self.path.as_c_str()
    }

    /// The path that was set last.
    pub(super) fn path(&self) -> PathBuf {
        self.path.as_path().to_owned()
    }

    /// Does operation number `number`. An operation of an uncounted past that finds no file is left out. The
    /// audit must then create the missing files.
    pub(super) fn perform(
        &mut self,
        act: &Act,
        tree: &DirectoryTree,
        guard: &mut Guard<'_>,
        number: u64,
        past: Past,
    ) -> Result<(), String> {
        guard.before(0)?;
        match self.operate(act, tree, guard, number) {
            Err(OperationFailure::Call(call, error)) => match error.kind() {
                ErrorKind::NotFound if past == Past::Uncounted => Ok(()),
                ErrorKind::AlreadyExists if past != Past::Known && self.is_directory() => Ok(()),
                _ => Err(guard.explain(format!("{call} {}", at(self.path.as_path(), &error)), &error)),
            },
            Err(OperationFailure::Stopped(why)) => Err(why),
            Ok(()) => Ok(()),
        }
    }

    /// Whether a directory exists at the path that was set last.
    fn is_directory(&self) -> bool {
        self.names.lstat(self.path.as_c_str()).is_ok_and(|entry| entry.directory)
    }

    fn operate(
        &mut self,
        act: &Act,
        tree: &DirectoryTree,
        guard: &mut Guard<'_>,
        number: u64,
    ) -> Result<(), OperationFailure> {
        let names = self.names;
        match *act {
            Act::MakeDir(dir) => names.make_dir(self.dir(tree, dir), DIR_PERMISSIONS).map_err(by("mkdir")),
            Act::Delete(name) => names.unlink(self.file(tree, name)).map_err(by("unlink")),
            Act::Cut { name, to } => names.truncate(self.file(tree, name), to).map_err(by("truncate")),
            Act::Rename { from, to } => {
                tree.path(to.dir, (&mut self.other, self.root), &mut self.way);
                self.other.push("/f").number(to.number.into());
                self.file(tree, from);
                names.rename(self.path.as_c_str(), self.other.as_c_str()).map_err(by("rename"))
            }
            Act::Create { name, bytes, sync } => {
                self.file(tree, name);
                self.write(Mode::Truncate, name, (0, bytes), (sync, number), guard)
            }
            Act::Rewrite { name, bytes, sync } => {
                self.file(tree, name);
                self.write(Mode::Truncate, name, (0, bytes), (sync, number), guard)?;
                self.trim(bytes)
            }
            Act::Append { name, from, bytes, sync, last } => {
                self.file(tree, name);
                self.write(Mode::Update, name, (from, bytes), (sync, number), guard)?;
                if last { self.trim(from + bytes) } else { Ok(()) }
            }
            Act::Overwrite { name, from, bytes, sync } => {
                self.file(tree, name);
                self.write(Mode::Update, name, (from, bytes), (sync, number), guard)
            }
        }
    }

    /// Releases the space that the file system reserved after the end of a reopened file. XFS keeps it for
    /// minutes and counts it as used.
    fn trim(&self, bytes: u64) -> Result<(), OperationFailure> {
        self.names.truncate(self.path.as_c_str(), bytes).map_err(by("truncate"))
    }

    /// Writes a range of the file at `path`, in pieces that end at multiples of a piece.
    fn write(
        &mut self,
        mode: Mode,
        name: Name,
        (from, bytes): (u64, u64),
        (sync, number): (bool, u64),
        guard: &mut Guard<'_>,
    ) -> Result<(), OperationFailure> {
        let how = alone(mode, from + bytes);
        let mut file = self.storage.open(self.comm, self.path.as_path(), how).map_err(by("open"))?;
        let payload = Payload::new(DataIdentity {
            packet: Packet::Stamped,
            signature: self.seed as i32,
            rank: self.rank,
            file: u64::from(name.number) << 1 | 1,
            generation: number as u32,
            key: None,
        });
        let (mut at, end) = (from, from + bytes);
        while at < end {
            let (begin, length) = (at / WORD * WORD, (PIECE - at % PIECE).min(end - at));
            guard.before(length).map_err(OperationFailure::Stopped)?;
            let whole = (at - begin + length).next_multiple_of(WORD) as usize;
            payload.fill(&mut self.buffer[..whole], begin);
            let data = &self.buffer[(at - begin) as usize..][..length as usize];
            match file.write_at(data, at).map_err(by("write"))? {
                0 => return Err(by("write")(ErrorKind::WriteZero.into())),
                moved => at += moved as u64,
            }
        }
        if sync {
            file.sync().map_err(by("fsync"))?;
        }
        file.close().map_err(by("close"))
    }
}
