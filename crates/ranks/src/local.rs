//! Ranks as threads of this process: no MPI needed, and the same program text runs on them.
//!
//! All ranks are on one node and read one clock. A rank that panics, or returns while others wait for it,
//! breaks their group, so that they get a [`Halt`] and no rank waits for ever.
//!
//! Never here: anything that knows what the ranks do.

mod rank_group;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use crate::comm::{ClockOffset, Comm, Halt, Reduce};
use rank_group::{Collective, Contribution, RankGroup};

/// Stack of a rank: small enough that a thousand of them fit anywhere.
const STACK_BYTES: usize = 1 << 20;

/// Mappings of memory that a rank needs: its stack, the stack for its overflow, a guard for each, and what it
/// works with.
const MAPPINGS: u32 = 5;

/// How many ranks this process can have at most, and the system's limit of mappings from which that follows;
/// beyond it the system's library ends the process while threads start. `None` where the limit is unknown.
pub fn most() -> Option<(u32, u32)> {
    let limit: u32 = std::fs::read_to_string("/proc/sys/vm/max_map_count").ok()?.trim().parse().ok()?;
    Some(((limit / MAPPINGS).max(1), limit))
}

/// Runs `body` on `ranks` ranks at the same time and returns what each of them returned, in rank order.
///
/// A rank that panicked has a [`Halt`] with the panic's words. A single rank runs on the caller's thread.
pub fn run<T: Send>(ranks: u32, body: impl Fn(&dyn Comm) -> T + Sync) -> Vec<Result<T, Halt>> {
    if ranks == 1 {
        return vec![one(alone(), &body)];
    }
    let group = Arc::new(RankGroup::new(ranks, host_name().into()));
    let body = &body;
    thread::scope(|scope| {
        let start = |rank| {
            let comm = LocalComm { group: Arc::clone(&group), rank };
            let thread = thread::Builder::new().name(format!("rank {rank}")).stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, move || one(comm, body)).map_err(|error| {
                let halt = group.halt("start", rank, format!("cannot start its thread: {error}"));
                group.leave(halt.clone());
                halt
            })
        };
        let started: Vec<_> = (0..ranks).map(start).collect();
        let end = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().expect("a rank's panic is caught inside its thread")
        };
        started.into_iter().map(|thread| thread.and_then(end)).collect()
    })
}

/// A communicator of one rank, on which every collective is done at once.
pub fn alone() -> LocalComm {
    LocalComm { group: Arc::new(RankGroup::new(1, host_name().into())), rank: 0 }
}

/// The name of this machine.
pub(crate) fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "localhost".to_owned() } else { name.trim().to_owned() }
}

/// The life of one rank.
fn one<T>(comm: LocalComm, body: &impl Fn(&dyn Comm) -> T) -> Result<T, Halt> {
    catch_unwind(AssertUnwindSafe(|| body(&comm))).map_err(|payload| {
        let halt = comm.group.halt("run", comm.rank, format!("panicked: {}", words(&*payload)));
        comm.group.leave(halt.clone());
        halt
    })
}

/// What a panic said.
fn words(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else {
        payload.downcast_ref::<String>().map_or("without words", String::as_str)
    }
}

/// A rank's place among threads of this process.
#[derive(Debug)]
pub struct LocalComm {
    group: Arc<RankGroup>,
    rank: u32,
}

impl Drop for LocalComm {
    fn drop(&mut self) {
        let why = if thread::panicking() { "panicked" } else { "ended while others waited for it" };
        self.group.leave(self.group.halt("wait", self.rank, why.to_owned()));
    }
}

impl Comm for LocalComm {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.group.size
    }

    fn node_name(&self) -> &str {
        &self.group.node
    }

    fn barrier(&self) -> Result<(), Halt> {
        if self.size() > 1 {
            self.group.join(self.rank, &Contribution::Barrier)?;
        }
        Ok(())
    }

    fn all_reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        if self.size() > 1
            && let Collective::Reduce(_, all) =
                &*self.group.join(self.rank, &Contribution::Reduce(how, values))?
        {
            values.copy_from_slice(all);
        }
        Ok(())
    }

    fn broadcast(&self, root: u32, data: &mut Vec<u8>) -> Result<(), Halt> {
        assert!(root < self.size(), "the root of a broadcast is one of the ranks");
        if self.size() > 1 {
            let mine = (root == self.rank).then_some(data.as_slice());
            let done = self.group.join(self.rank, &Contribution::Broadcast(root, mine))?;
            if let Collective::Broadcast(_, all) = &*done
                && root != self.rank
            {
                data.clone_from(all);
            }
        }
        Ok(())
    }

    fn gather(&self, mine: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Halt> {
        if self.size() == 1 {
            return Ok(Some(vec![mine.to_vec()]));
        }
        match &*self.group.join(self.rank, &Contribution::Gather(mine))? {
            Collective::Gather(all) if self.rank == 0 => Ok(Some(all.clone())),
            _ => Ok(None),
        }
    }

    fn split(&self, color: u32) -> Result<Box<dyn Comm>, Halt> {
        let done = self.group.join(self.rank, &Contribution::Split(color))?;
        let Collective::Groups(places) = &*done else { unreachable!("a split ends with groups") };
        let (group, rank) = &places[self.rank as usize];
        Ok(Box::new(Self { group: Arc::clone(group), rank: *rank }))
    }

    fn split_by_node(&self) -> Result<Box<dyn Comm>, Halt> {
        self.split(0)
    }

    fn clock_offset(&self, _now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
        Ok(ClockOffset::default())
    }

    fn raise_alarm(&self) {
        self.group.alarm.store(true, Ordering::Release);
    }

    fn alarm_raised(&self) -> bool {
        self.group.alarm.load(Ordering::Acquire)
    }

    fn clear_alarm(&self) -> Result<(), Halt> {
        self.group.join(self.rank, &Contribution::Clear)?;
        Ok(())
    }
}
