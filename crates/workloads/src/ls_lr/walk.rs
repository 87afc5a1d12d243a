//! One walker: the system calls of `ls -lR` on one tree, in the order in which GNU ls 9.1 makes them.
//!
//! For a directory: opendir, statx of its inode, then readdir until it returns nothing, closedir. The calls
//! on an entry follow its readdir: statx, the security context, the access control list, and for a link its
//! target. A directory also has a default access control list; a link has none. Names that begin
//! with a dot are skipped. Then the subdirectories follow in sorted order, each with everything below it
//! before the next. Links are not followed.
//!
//! Invariant: memory holds the entries of one directory and the names of directories not yet listed. Never
//! here: text about the findings.

use std::io;
use std::path::Path;

use measure::{Clock, CycleClock, Histogram};
use storage::{Directory, DirectoryIdentity, EntryKind, ListedEntry, Listing};

use super::pending::{Entries, PendingDirectories};
use super::stamps::WalkerStamps;
use crate::kit::drive::Stop;
use crate::kit::operations::failures::Failures;
use crate::kit::operations::{NothingToDo, Operating, Operation};
use crate::kit::order::TransferOrder;
use crate::kit::path::PathBuffer;
use crate::kit::rank::Rank;

/// The error numbers that mean that a file system does not have this attribute, or has none at all.
const NO_SUCH: i32 = 61;
const UNSUPPORTED: [i32; 3] = [95, 22, 38];
const TOO_SMALL: i32 = 34;
/// More entries than a directory has.
const ITEMS_MAX: u64 = 1 << 62;

/// The calls on an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryCalls {
    /// All calls of `ls -l`.
    #[default]
    All,
    /// Only `statx`.
    Stat,
}

/// The result of a walker, and how it spent its time.
pub(super) struct WalkSeen {
    /// Entries that were listed, without the root.
    pub(super) entries: u64,
    /// Directories that were listed, including the root.
    pub(super) directories: u64,
    /// For each directory the time of its own calls, without the calls on its entries.
    pub(super) lists: Histogram,
    /// Calls on directories that failed while the run continued.
    pub(super) failures: Failures,
    /// The number of successful statx calls on entries over time.
    pub(super) stamps: WalkerStamps,
    /// Ticks in the calls after the statx of each entry.
    further: u64,
}

/// Walks one tree.
pub(super) struct Walker<'w> {
    listing: &'w dyn Listing,
    calls: EntryCalls,
    clock: CycleClock,
    path: PathBuffer,
    entries: Entries,
    pending: PendingDirectories,
    /// The directories above the current one.
    above: Vec<DirectoryIdentity>,
    missing: Missing,
    pub(super) seen: WalkSeen,
}

/// Devices that do not support an attribute. Like `ls`, the walker does not query them for it again.
#[derive(Default)]
struct Missing {
    context: Option<(u32, u32)>,
    list: Option<(u32, u32)>,
}

impl<'w> Walker<'w> {
    /// The setting of the phase.
    pub(super) fn new(
        listing: &'w dyn Listing,
        calls: EntryCalls,
        clock: &CycleClock,
        keep_going: bool,
    ) -> Self {
        let (lists, failures, stamps) = (Histogram::new(), Failures::new(keep_going), WalkerStamps::new());
        let seen = WalkSeen { entries: 0, directories: 0, lists, failures, stamps, further: 0 };
        Self {
            listing,
            calls,
            clock: clock.clone(),
            path: PathBuffer::default(),
            entries: Entries::default(),
            pending: PendingDirectories::default(),
            above: Vec::new(),
            missing: Missing::default(),
            seen,
        }
    }

    /// Nanoseconds in the calls after the statx of each entry.
    pub(super) fn further_ns(&self) -> u64 {
        self.clock.scale().ns(self.seen.further)
    }

    /// Walks the whole tree, until it is complete or the phase has failed.
    pub(super) fn walk(&mut self, rank: &Rank<'_>, doing: &mut Operating, root: &Path) {
        self.path = PathBuffer::new(root);
        self.argument(rank, doing);
        self.pending.push(self.path.as_c_str(), 0);
        while !doing.has_failed() && !rank.comm.alarm_raised() {
            let Some(depth) = self.pending.pop(&mut self.path) else { return };
            self.directory(rank, doing, depth);
        }
    }

    /// The calls of `ls` on its argument. The argument is not an entry and does not count.
    fn argument(&mut self, rank: &Rank<'_>, doing: &mut Operating) {
        let found = self.listing.shown(self.path.as_c_str()).map_err(|error| ("statx", error));
        let further = found.and_then(|shown| match self.calls {
            EntryCalls::All => further(self.listing, &self.path, shown, &mut self.missing),
            EntryCalls::Stat => Ok(()),
        });
        if let Err((call, error)) = further {
            doing.failed_outside(rank, call, self.path.as_path(), &error);
        }
    }

    fn directory(&mut self, rank: &Rank<'_>, doing: &mut Operating, depth: usize) {
        self.entries.clear();
        self.above.truncate(depth);
        let own = self.path.len();
        let begin = self.clock.now();
        let directory = match self.open() {
            Ok(directory) => directory,
            Err((call, error)) => {
                self.seen.failures.take(call, self.path.as_path(), &error);
                return doing.failed_outside(rank, call, self.path.as_path(), &error);
            }
        };
        let opened = self.clock.now();
        let base = slash(&mut self.path, own);
        let mut asking = Asking::new(self, directory, base);
        doing.run(rank, &mut asking, &mut TransferOrder::items(ITEMS_MAX), 0, Stop::after(ITEMS_MAX));
        let Asking { directory, ticks, unread, troubles, .. } = asking;
        self.path.cut(own);
        if let Some(error) = unread {
            self.seen.failures.take("readdir", self.path.as_path(), &error);
            doing.failed_outside(rank, "readdir", self.path.as_path(), &error);
        }
        for (call, index, error) in troubles {
            self.path.cut(base);
            let path = self.path.push_name(self.entries.name(index)).as_path();
            doing.failed_outside(rank, call, path, &error);
        }
        self.path.cut(own);
        let end = self.clock.now();
        drop(directory);
        let ticks = ticks + (opened.0 - begin.0) + (self.clock.now().0 - end.0);
        self.seen.lists.add(self.clock.scale().ns(ticks));
        self.seen.directories += 1;
        self.seen.entries += self.entries.len() as u64;
        self.queue(own, depth);
    }

    /// Opens the directory of the path and identifies it. If it is one of its own parents, `ls` reports that
    /// and continues. So does this.
    fn open(&mut self) -> Result<Box<dyn Directory>, (&'static str, io::Error)> {
        let directory = self.listing.open_dir(self.path.as_c_str()).map_err(|error| ("open", error))?;
        let identity = directory.identity().map_err(|error| ("statx", error))?;
        if self.above.contains(&identity) {
            return Err(("list", io::Error::other("this directory is one of its own parents")));
        }
        self.above.push(identity);
        Ok(directory)
    }

    /// Adds the subdirectories of this directory, sorted, as the next ones to list.
    fn queue(&mut self, own: usize, depth: usize) {
        self.entries.sort();
        let base = slash(&mut self.path, own);
        for name in self.entries.directories_backwards() {
            self.path.cut(base);
            self.pending.push(self.path.push_name(name).as_c_str(), depth + 1);
        }
    }
}

/// Appends a slash to the path of a directory, which has `own` bytes. Returns the new length.
fn slash(path: &mut PathBuffer, own: usize) -> usize {
    path.cut(own);
    if path.as_c_str().to_bytes().last() != Some(&b'/') {
        path.push("/");
    }
    path.len()
}

/// Reads the entries of a directory one by one, and makes the calls on each.
struct Asking<'a, 'w> {
    walker: &'a mut Walker<'w>,
    directory: Box<dyn Directory>,
    /// Length of the path before the entry's name, bytes.
    base: usize,
    /// Whether the last read found an entry.
    has_entry: bool,
    found: Option<ListedEntry>,
    /// Ticks in the reads.
    ticks: u64,
    /// Why the directory could not be read to its end.
    unread: Option<io::Error>,
    /// Failed calls after a statx, each with the number of its entry.
    troubles: Vec<(&'static str, usize, io::Error)>,
}

impl<'a, 'w> Asking<'a, 'w> {
    fn new(walker: &'a mut Walker<'w>, directory: Box<dyn Directory>, base: usize) -> Self {
        let (unread, troubles) = (None, Vec::new());
        Self { walker, directory, base, has_entry: false, found: None, ticks: 0, unread, troubles }
    }

    /// Reads the next entry that `ls` lists; false if there is none.
    fn read(&mut self) -> bool {
        if !self.troubles.is_empty() && !self.walker.seen.failures.keep_going {
            return false;
        }
        loop {
            match self.directory.next() {
                Ok(Some((name, _))) if name.to_bytes().starts_with(b".") => {}
                Ok(Some((name, kind))) => {
                    self.walker.entries.push(name, kind);
                    return true;
                }
                Ok(None) => return false,
                Err(error) => {
                    self.unread = Some(error);
                    return false;
                }
            }
        }
    }
}

impl Operation for Asking<'_, '_> {
    #[inline]
    fn before(&mut self, _item: u64) {
        let begin = self.walker.clock.now();
        self.has_entry = self.read();
        self.ticks += self.walker.clock.now().0 - begin.0;
        self.found = None;
        if self.has_entry {
            let walker = &mut *self.walker;
            walker.path.cut(self.base);
            walker.path.push_name(walker.entries.last());
        }
    }

    #[inline]
    fn operate(&mut self, _item: u64) -> io::Result<()> {
        if !self.has_entry {
            return Err(NothingToDo::after_last());
        }
        self.found = Some(self.walker.listing.shown(self.walker.path.as_c_str())?);
        Ok(())
    }

    fn after(&mut self, _item: u64) {
        let Some(shown) = self.found else { return };
        let walker = &mut *self.walker;
        let index = walker.entries.len() - 1;
        walker.entries.is(index, shown.kind);
        if walker.calls == EntryCalls::Stat {
            return walker.seen.stamps.add(|| walker.clock.now());
        }
        let begin = walker.clock.now();
        walker.seen.stamps.add(|| begin);
        if let Err((call, error)) = further(walker.listing, &walker.path, shown, &mut walker.missing) {
            self.troubles.push((call, index, error));
        }
        walker.seen.further += walker.clock.now().0 - begin.0;
    }

    fn failed(&self) -> (&'static str, &Path) {
        ("statx", self.walker.path.as_path())
    }
}

/// The calls of `ls` on a name after its statx.
fn further(
    listing: &dyn Listing,
    path: &PathBuffer,
    shown: ListedEntry,
    missing: &mut Missing,
) -> Result<(), (&'static str, io::Error)> {
    let path = path.as_c_str();
    if missing.context != Some(shown.device) {
        let asked = listing.own_attribute(path, c"security.selinux", &mut [0; 255]);
        match asked.as_ref().err().and_then(io::Error::raw_os_error) {
            None | Some(NO_SUCH | TOO_SMALL) => {}
            Some(number) if UNSUPPORTED.contains(&number) => missing.context = Some(shown.device),
            Some(_) => return asked.map(drop).map_err(|error| ("lgetxattr", error)),
        }
    }
    if shown.kind == EntryKind::Link {
        return listing.read_link(path, &mut [0; 4096]).map(drop).map_err(|error| ("readlink", error));
    }
    let lists = [c"system.posix_acl_access", c"system.posix_acl_default"];
    for name in if shown.kind == EntryKind::Directory { &lists[..] } else { &lists[..1] } {
        if missing.list == Some(shown.device) {
            break;
        }
        let asked = listing.attribute(path, name, &mut []);
        match asked.as_ref().err().and_then(io::Error::raw_os_error) {
            // With an access control list, `ls` does not query the default one.
            None if asked.as_ref().is_ok_and(|bytes| *bytes > 0) => break,
            None | Some(NO_SUCH) => {}
            Some(number) if UNSUPPORTED.contains(&number) => missing.list = Some(shown.device),
            Some(_) => return asked.map(drop).map_err(|error| ("getxattr", error)),
        }
    }
    Ok(())
}
