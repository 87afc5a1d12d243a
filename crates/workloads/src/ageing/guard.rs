//! What stops a rank before its work is done: the ceiling, the deadline, a full file system, another rank.
//!
//! The file system's own counters are looked at before the first operation, then every tenth of a second,
//! every 64 operations, and so often that all ranks together write at most an eighth of what is left to the
//! ceiling between two looks.
//!
//! Invariant: an operation that would pass the ceiling, as the counters stood at the last look, does not
//! begin.

use std::io::{self, ErrorKind};
use std::path::Path;

use measure::{Clock, CycleClock};
use ranks::Comm;
use storage::Storage;

use super::plan::{Geometry, percent};

/// Why a rank stops that has nothing to say itself.
pub(super) const OTHERS: &str = "another rank has stopped";

const LOOK_NS: u64 = 100_000_000;
const LOOK_OPERATIONS: u32 = 64;
const LOOK_BYTES_MAX: u64 = 64 << 20;
const LOOK_PART: u64 = 8;

/// One rank's guard.
pub(super) struct Guard<'a> {
    storage: &'a dyn Storage,
    comm: &'a dyn Comm,
    clock: &'a CycleClock,
    dir: &'a Path,
    ceiling: f64,
    deadline_ns: Option<u64>,
    /// Whether there was a look yet.
    seen: bool,
    looked_ns: u64,
    operations: u32,
    bytes: u64,
    allowance: u64,
}

impl<'a> Guard<'a> {
    pub(super) fn new(
        storage: &'a dyn Storage,
        comm: &'a dyn Comm,
        clock: &'a CycleClock,
        dir: &'a Path,
        (ceiling, timeout_s): (f64, Option<f64>),
    ) -> Self {
        let deadline_ns = timeout_s.map(|seconds| clock.ns().saturating_add((seconds * 1e9) as u64));
        Self {
            storage,
            comm,
            clock,
            dir,
            ceiling,
            deadline_ns,
            seen: false,
            looked_ns: 0,
            operations: 0,
            bytes: 0,
            allowance: 0,
        }
    }

    /// Asked before each operation, and before each piece of so many bytes.
    pub(super) fn before(&mut self, bytes: u64) -> Result<(), String> {
        if self.comm.alarm_raised() {
            return Err(OTHERS.to_owned());
        }
        let now = self.clock.ns();
        if self.deadline_ns.is_some_and(|deadline| now >= deadline) {
            return Err("the time of --timeout is over; go on with --resume".to_owned());
        }
        self.operations += u32::from(bytes == 0);
        self.bytes += bytes;
        let due = !self.seen
            || self.operations >= LOOK_OPERATIONS
            || self.bytes > self.allowance
            || now >= self.looked_ns + LOOK_NS;
        if due { self.look(now, bytes) } else { Ok(()) }
    }

    fn look(&mut self, now: u64, bytes: u64) -> Result<(), String> {
        let mut space = geometry(self.storage, self.dir)?;
        if self.passed(&space, bytes).is_some() {
            // Some file systems count reservations for data that is not written back yet, much too high.
            self.storage.sync_all(self.dir).map_err(|error| format!("{}: {error}", self.dir.display()))?;
            space = geometry(self.storage, self.dir)?;
        }
        (self.seen, self.looked_ns, self.operations, self.bytes) = (true, now, 0, bytes);
        let part = self.room(&space) / LOOK_PART / u64::from(self.comm.size());
        self.allowance = part.min(LOOK_BYTES_MAX);
        match self.passed(&space, bytes) {
            None => Ok(()),
            Some((what, now)) => Err(format!(
                "the {what} are at {}, and the ceiling is {}; make room and go on with --resume",
                percent(now),
                percent(self.ceiling)
            )),
        }
    }

    /// Bytes up to the ceiling.
    fn room(&self, space: &Geometry) -> u64 {
        ((space.bytes as f64 * self.ceiling) as u64).saturating_sub(space.bytes_used)
    }

    /// What is above the ceiling, or would be with so many bytes more, and the share of it now in use.
    fn passed(&self, space: &Geometry, bytes: u64) -> Option<(&'static str, f64)> {
        if bytes > self.room(space) || space.blocks() > self.ceiling {
            Some(("blocks", space.blocks()))
        } else if space.inodes > 0 && space.inodes() > self.ceiling {
            Some(("inodes", space.inodes()))
        } else {
            None
        }
    }

    /// The words of a failure; of a full file system also how full it is.
    pub(super) fn explain(&self, words: String, error: &io::Error) -> String {
        if !matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
            return words;
        }
        let fill = geometry(self.storage, self.dir).map_or(String::new(), |space| {
            format!("; blocks are at {}, inodes at {}", percent(space.blocks()), percent(space.inodes()))
        });
        format!("{words}{fill}; make room and go on with --resume")
    }
}

/// What the file system says of itself.
pub(super) fn geometry(storage: &dyn Storage, dir: &Path) -> Result<Geometry, String> {
    match storage.space(dir) {
        Ok(Some(space)) => Ok(space.into()),
        Ok(None) => Err(format!("{}: tells no blocks and inodes, so no fill can be reached", dir.display())),
        Err(error) => Err(format!("{}: {error}", dir.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranks::local;
    use storage::Settings;

    #[test]
    fn a_full_file_system_is_told_with_its_fill_and_what_to_do_and_other_failures_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let storage = (storage::backend("posix").unwrap().open)(&Settings::default()).unwrap();
        let (comm, clock) = (local::alone(), CycleClock::new());
        let guard = Guard::new(&*storage, &comm, &clock, dir.path(), (1.0, None));
        let told = |kind: ErrorKind| guard.explain("write f: oh".to_owned(), &kind.into());
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            let told = told(kind);
            assert!(told.starts_with("write f: oh; blocks are at "), "{told}");
            assert!(told.ends_with(" %; make room and go on with --resume"), "{told}");
        }
        assert_eq!(told(ErrorKind::PermissionDenied), "write f: oh");
    }

    #[test]
    fn a_passed_deadline_a_low_ceiling_and_an_alarm_stop_before_the_next_operation() {
        let dir = tempfile::tempdir().unwrap();
        let storage = (storage::backend("posix").unwrap().open)(&Settings::default()).unwrap();
        let (comm, clock) = (local::alone(), CycleClock::new());
        let guard = |limits| Guard::new(&*storage, &comm, &clock, dir.path(), limits);
        assert_eq!(guard((1.0, Some(3600.0))).before(4096), Ok(()));
        assert!(guard((1.0, Some(0.0))).before(0).unwrap_err().contains("--timeout"));
        let why = guard((1e-9, None)).before(0).unwrap_err();
        assert!(why.starts_with("the blocks are at ") && why.contains("ceiling is 0.0 %"), "{why}");
        comm.raise_alarm();
        assert_eq!(guard((1.0, None)).before(0).unwrap_err(), OTHERS);
    }
}
