//! Does to the file system what the model decided.
//!
//! Files hold stamped data (docs/METHODOLOGY.md), which neither compression nor deduplication makes smaller.
//!
//! Invariant: an operation that is done again after a part of it was done ends as if done once.

use std::ffi::CStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use ranks::Comm;
use storage::{Mode, Names, Open, Storage};

use super::act::{Act, Name};
use super::guard::Guard;
use super::tree::Tree;
use crate::kit::path::PathBuffer;
use crate::kit::payload::{Identity, Packet, Payload};

/// Bytes that one call writes.
const PIECE: u64 = 1 << 20;
/// Data is made in whole words.
const WORD: u64 = 8;
const DIR_PERMISSIONS: u32 = 0o777;

/// Who works where.
pub(super) struct Hands<'a> {
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

/// What went wrong, and with what.
fn failed(call: &str, path: &Path, error: &io::Error) -> String {
    format!("{call} {}: {error}", path.display())
}

/// Lets pass an error that says that it was done already.
fn done(result: io::Result<()>, redo: bool, by: ErrorKind) -> io::Result<()> {
    match result {
        Err(error) if redo && error.kind() == by => Ok(()),
        other => other,
    }
}

impl<'a> Hands<'a> {
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

    fn to_dir(path: &mut PathBuffer, root: usize, way: &mut Vec<u32>, tree: &Tree, dir: u32) {
        path.cut(root);
        way.clear();
        tree.way(dir, way);
        way.iter().for_each(|dir| {
            path.push("/d").number((*dir).into());
        });
    }

    /// The path of a directory.
    pub(super) fn dir(&mut self, tree: &Tree, dir: u32) -> &CStr {
        Self::to_dir(&mut self.path, self.root, &mut self.way, tree, dir);
        self.path.as_c_str()
    }

    /// The path of a file.
    pub(super) fn file(&mut self, tree: &Tree, name: Name) -> &CStr {
        Self::to_dir(&mut self.path, self.root, &mut self.way, tree, name.dir);
        self.path.push("/f").number(name.number.into());
        self.path.as_c_str()
    }

    /// The path that was made last.
    pub(super) fn path(&self) -> PathBuf {
        self.path.as_path().to_owned()
    }

    /// Does operation number `number`; with `redo` one that may have been done in part, or whole.
    pub(super) fn perform(
        &mut self,
        act: &Act,
        tree: &Tree,
        guard: &mut Guard<'_>,
        number: u64,
        redo: bool,
    ) -> Result<(), String> {
        guard.before(0)?;
        let names = self.names;
        match *act {
            Act::MakeDir(dir) => {
                let made = names.make_dir(self.dir(tree, dir), DIR_PERMISSIONS);
                self.tell("mkdir", done(made, redo, ErrorKind::AlreadyExists), guard)
            }
            Act::Delete(name) => {
                let gone = names.unlink(self.file(tree, name));
                self.tell("unlink", done(gone, redo, ErrorKind::NotFound), guard)
            }
            Act::Cut { name, to } => {
                let cut = names.truncate(self.file(tree, name), to);
                self.tell("truncate", cut, guard)
            }
            Act::Rename { from, to } => {
                Self::to_dir(&mut self.other, self.root, &mut self.way, tree, to.dir);
                self.other.push("/f").number(to.number.into());
                self.file(tree, from);
                let named = names.rename(self.path.as_c_str(), self.other.as_c_str());
                let there = redo && names.lstat(self.other.as_c_str()).is_ok();
                self.tell("rename", done(named, there, ErrorKind::NotFound), guard)
            }
            Act::Create { name, bytes, sync } => {
                self.file(tree, name);
                self.write(Mode::Truncate, name, (0, bytes), (sync, number), guard)
            }
            Act::Rewrite { name, bytes, sync } => {
                self.file(tree, name);
                self.write(Mode::Truncate, name, (0, bytes), (sync, number), guard)?;
                self.trim(bytes, guard)
            }
            Act::Append { name, from, bytes, sync, last } => {
                self.file(tree, name);
                self.write(Mode::Update, name, (from, bytes), (sync, number), guard)?;
                if last { self.trim(from + bytes, guard) } else { Ok(()) }
            }
            Act::Overwrite { name, from, bytes, sync } => {
                self.file(tree, name);
                self.write(Mode::Update, name, (from, bytes), (sync, number), guard)
            }
        }
    }

    fn tell(&self, call: &str, result: io::Result<()>, guard: &Guard<'_>) -> Result<(), String> {
        result.map_err(|error| guard.explain(failed(call, self.path.as_path(), &error), &error))
    }

    /// Gives back what the file system laid aside behind the end of a file that was opened again (XFS keeps
    /// it for minutes, and counts it as used).
    fn trim(&self, bytes: u64, guard: &Guard<'_>) -> Result<(), String> {
        self.tell("truncate", self.names.truncate(self.path.as_c_str(), bytes), guard)
    }

    /// Writes a range of the file at `path`, in pieces that end at multiples of a piece.
    fn write(
        &mut self,
        mode: Mode,
        name: Name,
        (from, bytes): (u64, u64),
        (sync, number): (bool, u64),
        guard: &mut Guard<'_>,
    ) -> Result<(), String> {
        let how = Open { mode, shared: false, collective: false, bytes: from + bytes };
        let mut file = match self.storage.open(self.comm, self.path.as_path(), how) {
            Ok(file) => file,
            Err(error) => return self.tell("open", Err(error), guard),
        };
        let payload = Payload::new(Identity {
            packet: Packet::Stamped,
            signature: self.seed as i32,
            rank: self.rank,
            file: u64::from(name.number) << 1 | 1,
            generation: number as u32,
        });
        let (mut at, end) = (from, from + bytes);
        while at < end {
            let (begin, length) = (at / WORD * WORD, (PIECE - at % PIECE).min(end - at));
            guard.before(length)?;
            let whole = (at - begin + length).next_multiple_of(WORD) as usize;
            payload.fill(&mut self.buffer[..whole], begin);
            let data = &self.buffer[(at - begin) as usize..][..length as usize];
            match file.write_at(data, at) {
                Ok(0) => return self.tell("write", Err(ErrorKind::WriteZero.into()), guard),
                Ok(moved) => at += moved as u64,
                Err(error) => return self.tell("write", Err(error), guard),
            }
        }
        if sync {
            self.tell("fsync", file.sync(), guard)?;
        }
        let closed = file.close();
        self.tell("close", closed, guard)
    }
}
