//! The reasons to stop a rank early: the ceiling, the deadline, a full file system, or another rank.
//!
//! The counters of the file system are read before the first operation. Then the ranks of a node read them in
//! turn: one of them every tenth of a second. The rank that finds a reason to stop informs the others. Every
//! rank also reads them before all ranks together have used an eighth of the bytes and inodes below the
//! ceiling.
//!
//! Invariant: no operation starts that would exceed the ceiling if all ranks did the same, by the last
//! reading of the counters.

use std::io::{self, ErrorKind};
use std::path::Path;

use measure::{Clock, CycleClock};
use ranks::Comm;
use storage::Storage;
use units::percent;

use super::plan::Geometry;
use super::state::at;

/// The reason of a rank that stops because another one failed.
pub(super) const OTHERS: &str = "another rank has stopped";

const LOOK_NS: u64 = 100_000_000;
const LOOK_OPERATIONS: u64 = 64;
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
    turn: NodeTurn,
    /// Whether the counters were read before.
    seen: bool,
    looked_ns: u64,
    /// Operations and bytes since then, and their limits until the next reading.
    done: PlannedAmount,
    allowed: PlannedAmount,
}

/// Operations (each may create a file) and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PlannedAmount {
    operations: u64,
    bytes: u64,
}

/// The place of a rank among those of its node, which read the counters in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeTurn {
    /// Its number within the node.
    pub(super) rank: u32,
    /// Ranks of the node.
    pub(super) ranks: u32,
}

impl NodeTurn {
    /// A rank that is alone on its node.
    #[cfg(test)]
    pub(super) const ALONE: Self = Self { rank: 0, ranks: 1 };

    /// The time between two readings of one rank.
    fn interval_ns(self) -> u64 {
        LOOK_NS * u64::from(self.ranks)
    }

    /// By how much the second reading of this rank comes earlier, so that the ranks of the node do not read
    /// at the same time.
    fn earlier_ns(self) -> u64 {
        LOOK_NS * u64::from(self.rank)
    }
}

/// A limited resource of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpaceKind {
    Blocks,
    Inodes,
}

/// The amount below the ceiling for all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RoomLeft {
    bytes: u64,
    /// `None` if inodes are not counted.
    inodes: Option<u64>,
}

impl RoomLeft {
    fn of(space: &Geometry, ceiling: f64) -> Self {
        let left = |all: u64, used: u64| ((all as f64 * ceiling) as u64).saturating_sub(used);
        Self {
            bytes: left(space.bytes, space.bytes_used),
            inodes: (space.inodes > 0).then(|| left(space.inodes, space.inodes_used)),
        }
    }

    /// The resource that is too small if this number of ranks each write this number of bytes, or do one
    /// operation.
    fn lacks(&self, bytes: u64, ranks: u64) -> Option<SpaceKind> {
        if bytes.saturating_mul(ranks) > self.bytes {
            Some(SpaceKind::Blocks)
        } else if self.inodes.is_some_and(|inodes| inodes < ranks) {
            Some(SpaceKind::Inodes)
        } else {
            None
        }
    }

    /// The limits of each rank until its next reading, with this number of ranks on its node.
    fn each(&self, ranks: u64, on_node: u64) -> PlannedAmount {
        let most = LOOK_OPERATIONS * on_node;
        let operations = self.inodes.map_or(most, |inodes| inodes / LOOK_PART / ranks);
        PlannedAmount {
            operations: operations.clamp(1, most),
            bytes: (self.bytes / LOOK_PART / ranks).min(LOOK_BYTES_MAX * on_node),
        }
    }
}

impl<'a> Guard<'a> {
    pub(super) fn new(
        storage: &'a dyn Storage,
        comm: &'a dyn Comm,
        clock: &'a CycleClock,
        dir: &'a Path,
        (ceiling, timeout_s): (f64, Option<f64>),
        turn: NodeTurn,
    ) -> Self {
        let deadline_ns = timeout_s.map(|seconds| clock.ns().saturating_add((seconds * 1e9) as u64));
        Self {
            storage,
            comm,
            clock,
            dir,
            ceiling,
            deadline_ns,
            turn,
            seen: false,
            looked_ns: 0,
            done: PlannedAmount::default(),
            allowed: PlannedAmount::default(),
        }
    }

    /// Called before each operation, and before each piece of data of this size.
    pub(super) fn before(&mut self, bytes: u64) -> Result<(), String> {
        if self.comm.alarm_raised() {
            return Err(OTHERS.to_owned());
        }
        let now = self.clock.ns();
        if self.deadline_ns.is_some_and(|deadline| now >= deadline) {
            return Err("the time limit (--timeout) was reached. Continue with --resume.".to_owned());
        }
        self.done.operations += u64::from(bytes == 0);
        self.done.bytes += bytes;
        let due = !self.seen
            || self.done.operations > self.allowed.operations
            || self.done.bytes > self.allowed.bytes
            || now >= self.looked_ns + self.turn.interval_ns();
        if due { self.look(now, bytes) } else { Ok(()) }
    }

    fn look(&mut self, now: u64, bytes: u64) -> Result<(), String> {
        let ranks = u64::from(self.comm.size());
        let mut space = geometry(self.storage, self.dir)?;
        if self.passed(&space, bytes, ranks).is_some() {
            // Some file systems count far too much space for data that is not written back yet.
            self.storage.sync_all(self.dir).map_err(|error| at(self.dir, &error))?;
            space = geometry(self.storage, self.dir)?;
        }
        let earlier = if self.seen { 0 } else { self.turn.earlier_ns() };
        (self.seen, self.looked_ns) = (true, now.saturating_sub(earlier));
        self.done = PlannedAmount { operations: u64::from(bytes == 0), bytes };
        self.allowed = RoomLeft::of(&space, self.ceiling).each(ranks, self.turn.ranks.into());
        match self.passed(&space, bytes, ranks) {
            None => Ok(()),
            Some((kind, now)) => Err(format!(
                "the {kind} are at {}, but the ceiling is {}. Free space and continue with --resume, \
                 or set a higher --ceiling.",
                percent(now, 1),
                percent(self.ceiling, 1)
            )),
        }
    }

    /// The resource above the ceiling, with its present share. It may be there already, or after the next
    /// operation of all ranks.
    fn passed(&self, space: &Geometry, bytes: u64, ranks: u64) -> Option<(&'static str, f64)> {
        let above = (space.blocks() > self.ceiling).then_some(SpaceKind::Blocks);
        let kind = above.or_else(|| RoomLeft::of(space, self.ceiling).lacks(bytes, ranks))?;
        Some(match kind {
            SpaceKind::Blocks => ("blocks", space.blocks()),
            SpaceKind::Inodes => ("inodes", space.inodes()),
        })
    }

    /// The text of a failure. For a full file system it includes the utilization.
    pub(super) fn explain(&self, words: String, error: &io::Error) -> String {
        if !matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
            return words;
        }
        let fill = geometry(self.storage, self.dir).map_or(String::new(), |space| {
            format!(
                "; blocks are at {}, inodes at {}",
                percent(space.blocks(), 1),
                percent(space.inodes(), 1)
            )
        });
        format!("{words}{fill}. Free space and continue with --resume.")
    }
}

/// The counters of the file system.
pub(super) fn geometry(storage: &dyn Storage, dir: &Path) -> Result<Geometry, String> {
    match storage.space(dir) {
        Ok(Some(space)) => Ok(space.into()),
        Ok(None) => Err(format!(
            "{} does not report its blocks and inodes, so no utilization can be reached",
            dir.display()
        )),
        Err(error) => Err(at(dir, &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use command::Settings;
    use ranks::local;

    #[test]
    fn a_full_file_system_is_reported_with_utilization_and_remedy_and_other_failures_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let storage = (storage::driver("posix").unwrap().open)(&Settings::default()).unwrap();
        let (comm, clock) = (local::alone(), CycleClock::new());
        let guard = Guard::new(&*storage, &comm, &clock, dir.path(), (1.0, None), NodeTurn::ALONE);
        let explained = |kind: ErrorKind| guard.explain("write f: oh".to_owned(), &kind.into());
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            let why = explained(kind);
            assert!(why.starts_with("write f: oh; blocks are at "), "{why}");
            assert!(why.ends_with(" %. Free space and continue with --resume."), "{why}");
        }
        assert_eq!(explained(ErrorKind::PermissionDenied), "write f: oh");
    }

    #[test]
    fn what_all_ranks_do_between_two_looks_stays_below_the_ceiling() {
        let of = |used: u64| Geometry {
            bytes: 1000 << 20,
            bytes_used: used << 20,
            bytes_available: 0,
            inodes: 1000,
            inodes_used: used,
            block: 4096,
        };
        for (used, ranks) in [(0, 1), (500, 7), (892, 1), (892, 8), (899, 1), (800, 100)] {
            let room = RoomLeft::of(&of(used), 0.9);
            assert_eq!(room, RoomLeft { bytes: (900 - used) << 20, inodes: Some(900 - used) });
            let part = room.each(ranks, 1);
            assert!(part.bytes * ranks <= room.bytes / LOOK_PART && part.bytes <= LOOK_BYTES_MAX);
            let least = part.operations == 1;
            assert!(part.operations * ranks <= (900 - used) / LOOK_PART || least, "{used} {ranks} {part:?}");
            assert!((1..=LOOK_OPERATIONS).contains(&part.operations));
            // A piece fits if all ranks can write one.
            assert_eq!(room.lacks(room.bytes / ranks, ranks), None, "{used} {ranks}");
            assert_eq!(room.lacks(room.bytes / ranks + 1, ranks), Some(SpaceKind::Blocks), "{used} {ranks}");
        }
        assert_eq!(RoomLeft::of(&of(893), 0.9).lacks(0, 7), None);
        assert_eq!(RoomLeft::of(&of(893), 0.9).lacks(0, 8), Some(SpaceKind::Inodes), "each may make a name");
        let uncounted = RoomLeft::of(&Geometry { inodes: 0, inodes_used: 0, ..of(893) }, 0.9);
        assert_eq!((uncounted.lacks(0, 8), uncounted.each(8, 1).operations), (None, LOOK_OPERATIONS));
        assert_eq!(RoomLeft::of(&of(901), 0.9), RoomLeft { bytes: 0, inodes: Some(0) });
    }

    #[test]
    fn the_ranks_of_a_node_read_the_counters_in_turn_and_none_passes_an_eighth_of_the_space() {
        const ALL: u32 = 5;
        // The moments of the second and third readings, in tenths of a second after the first.
        let moments = |rank| {
            let turn = NodeTurn { rank, ranks: ALL };
            let second = turn.interval_ns() - turn.earlier_ns();
            [second, second + turn.interval_ns()].map(|ns| ns / LOOK_NS)
        };
        let mut all: Vec<u64> = (0..ALL).flat_map(moments).collect();
        all.sort_unstable();
        assert_eq!(all, (1..=10).collect::<Vec<u64>>(), "one rank at each tenth of a second");
        let room = |bytes, inodes| RoomLeft { bytes, inodes: Some(inodes) }.each(10, ALL.into());
        let most = PlannedAmount { operations: 320, bytes: 320 << 20 };
        assert_eq!(room(1 << 50, 1 << 50), most);
        assert_eq!(room(800, 800), PlannedAmount { operations: 10, bytes: 10 });
    }

    #[test]
    fn a_passed_deadline_a_low_ceiling_and_an_alarm_stop_before_the_next_operation() {
        let dir = tempfile::tempdir().unwrap();
        let storage = (storage::driver("posix").unwrap().open)(&Settings::default()).unwrap();
        let (comm, clock) = (local::alone(), CycleClock::new());
        let guard = |limits| Guard::new(&*storage, &comm, &clock, dir.path(), limits, NodeTurn::ALONE);
        assert_eq!(guard((1.0, Some(3600.0))).before(4096), Ok(()));
        assert!(guard((1.0, Some(0.0))).before(0).unwrap_err().contains("--timeout"));
        let why = guard((1e-9, None)).before(0).unwrap_err();
        assert!(why.starts_with("the blocks are at ") && why.contains("ceiling is 0.0 %"), "{why}");
        assert!(why.ends_with(", or set a higher --ceiling."), "{why}");
        comm.raise_alarm();
        assert_eq!(guard((1.0, None)).before(0).unwrap_err(), OTHERS);
    }
}
