//! One rank of a search: it reads directories, compares names, and queries the files whose names match.
//!
//! Each step of the measuring loop is the open of a directory, the read of an entry, or the `lstat` of one.
//! It counts as an operation if a file has then been examined. So the rate is that of files.
//!
//! Invariant: memory holds at most `queue` pending entries, what others gave, and one open directory for each
//! level of the tree. Links are not followed.

use std::io;
use std::path::Path;

use measure::{Clock, CycleClock, Histogram, Tick};
use ranks::Halt;
use storage::{Directory, EntryKind, Listing};

use super::pending::PendingEntries;
use super::sharing::Sharing;
use super::{Conditions, PfindParameters};
use crate::kit::operations::failures::Failures;
use crate::kit::operations::{NothingToDo, Operation};
use crate::kit::path::PathBuffer;

/// Requests of other ranks are answered at most this often.
const ANSWER_NS: u64 = 50_000;

/// What a rank found, and how it spent its time.
pub(super) struct Seen {
    /// Names that the directories returned.
    pub(super) entries: u64,
    /// Of these, names whose kind was unknown.
    pub(super) unknown: u64,
    /// Files that met all conditions.
    pub(super) matched: u64,
    /// Calls of `lstat` that succeeded.
    pub(super) queried: u64,
    /// For each directory the time of its open and its close.
    pub(super) directories: Histogram,
    /// Directories that could not be opened, or not be read to their end.
    pub(super) unread: Failures,
}

/// The next step.
#[derive(Clone, Copy)]
enum Step {
    /// The open of a directory.
    Open,
    /// The read of the next entry of the innermost open directory.
    Read,
    /// The `lstat` of an entry, of which the directory reported this kind.
    Query(EntryKind),
    /// There is none.
    Nothing,
}

/// A directory while it is read.
struct OpenDirectory {
    stream: Box<dyn Directory>,
    /// Its path, with a slash at the end.
    base: PathBuffer,
    /// Ticks of its open.
    ticks: u64,
}

/// One rank of a search.
pub(super) struct Walker<'w, 'c> {
    listing: &'w dyn Listing,
    conditions: Conditions<'w>,
    queue: usize,
    clock: CycleClock,
    sharing: &'w mut Sharing<'c>,
    answered: Tick,
    entries: PendingEntries,
    /// The innermost is the last one.
    open: Vec<OpenDirectory>,
    /// The entry that is opened or queried, or the directory that was closed.
    path: PathBuffer,
    step: Step,
    /// Why messages cannot be exchanged.
    pub(super) halted: Option<Halt>,
    pub(super) seen: Seen,
}

impl<'w, 'c> Walker<'w, 'c> {
    pub(super) fn new(
        parameters: &'w PfindParameters,
        conditions: Conditions<'w>,
        listing: &'w dyn Listing,
        clock: &CycleClock,
        sharing: &'w mut Sharing<'c>,
    ) -> Self {
        let (directories, unread) = (Histogram::new(), Failures::new(parameters.keep_going));
        Self {
            listing,
            conditions,
            queue: parameters.queue,
            clock: clock.clone(),
            sharing,
            answered: Tick(0),
            entries: PendingEntries::default(),
            open: Vec::new(),
            path: PathBuffer::default(),
            step: Step::Nothing,
            halted: None,
            seen: Seen { entries: 0, unknown: 0, matched: 0, queried: 0, directories, unread },
        }
    }

    /// Gives the root of the search to this rank.
    pub(super) fn begin(&mut self, root: &Path) {
        self.entries.push(PathBuffer::new(root).as_c_str(), EntryKind::Directory);
    }

    /// Waits for work of other ranks. False if none is left, or if `has_alarm`.
    pub(super) fn obtain(&mut self, has_alarm: impl Fn() -> bool) -> Result<bool, Halt> {
        self.sharing.obtain(&mut self.entries, has_alarm)
    }

    /// Opens the directory of the path. This is no operation on a file.
    fn open(&mut self) -> io::Result<()> {
        let begin = self.clock.now();
        let opened = self.listing.open_dir(self.path.as_c_str());
        let ticks = self.clock.now().0 - begin.0;
        let stream = opened.inspect_err(|error| {
            self.seen.unread.take("open", self.path.as_path(), error);
        })?;
        let mut base = self.path.clone();
        if base.as_c_str().to_bytes().last() != Some(&b'/') {
            base.push("/");
        }
        self.open.push(OpenDirectory { stream, base, ticks });
        Err(NothingToDo::error())
    }

    /// Closes the innermost open directory. Its path remains for a message.
    fn close(&mut self) {
        let Some(OpenDirectory { stream, base, ticks }) = self.open.pop() else { return };
        let begin = self.clock.now();
        drop(stream);
        let ticks = ticks + self.clock.now().0 - begin.0;
        self.seen.directories.add(self.clock.scale().ns(ticks));
        self.path = base;
    }

    /// Answers the requests of other ranks, unless it did a moment ago.
    fn answer(&mut self) {
        let now = self.clock.now();
        if self.clock.scale().ns(now.0 - self.answered.0) >= ANSWER_NS {
            self.answered = now;
            self.halted = self.sharing.answer(&mut self.entries).err();
        }
    }

    /// Reads the next entry of the innermost open directory.
    fn read(&mut self) -> io::Result<()> {
        let Some(directory) = self.open.last_mut() else { return Err(NothingToDo::error()) };
        let (name, kind) = match directory.stream.next() {
            Ok(Some(found)) => found,
            Ok(None) => {
                self.close();
                return Err(NothingToDo::error());
            }
            Err(error) => {
                self.close();
                self.seen.unread.take("readdir", self.path.as_path(), &error);
                return Err(error);
            }
        };
        self.seen.entries += 1;
        self.seen.unknown += u64::from(kind == EntryKind::Unknown);
        if !matches!(kind, EntryKind::Directory | EntryKind::Unknown) {
            if !self.conditions.name_matches(name.to_bytes()) {
                return Ok(());
            }
            if !self.conditions.need_status() {
                self.seen.matched += 1;
                return Ok(());
            }
        }
        self.entries.push_name(&directory.base, name, kind);
        Err(NothingToDo::error())
    }

    /// Queries the entry of the path.
    fn query(&mut self, kind: EntryKind) -> io::Result<()> {
        let found = self.listing.status(self.path.as_c_str())?;
        self.seen.queried += 1;
        if kind == EntryKind::Unknown {
            if found.kind == EntryKind::Directory {
                self.step = Step::Open;
                return self.open();
            }
            let name = self.path.as_path().file_name().unwrap_or_default();
            if !self.conditions.name_matches(name.as_encoded_bytes()) {
                return Ok(());
            }
        }
        self.seen.matched += u64::from(self.conditions.hold(&found));
        Ok(())
    }
}

impl Operation for Walker<'_, '_> {
    #[inline]
    fn before(&mut self, _item: u64) {
        self.answer();
        self.step = if self.halted.is_some() {
            Step::Nothing
        } else if !self.open.is_empty() && self.entries.len() < self.queue {
            Step::Read
        } else {
            match self.entries.pop(&mut self.path) {
                None => Step::Nothing,
                Some(EntryKind::Directory) => Step::Open,
                Some(kind) => Step::Query(kind),
            }
        };
    }

    #[inline]
    fn operate(&mut self, _item: u64) -> io::Result<()> {
        match self.step {
            Step::Open => self.open(),
            Step::Read => self.read(),
            Step::Query(kind) => self.query(kind),
            Step::Nothing => Err(NothingToDo::after_last()),
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        let call = match self.step {
            Step::Open => "open",
            Step::Read => "readdir",
            Step::Query(_) | Step::Nothing => "lstat",
        };
        (call, self.path.as_path())
    }
}
