//! Ranks as threads of this process: MPI is not needed, and the same code runs on them.
//!
//! All ranks are on one node and read one clock. If a rank panics, or returns while others wait for it, it
//! breaks their group: they get a [`Halt`], and no rank waits forever.
//!
//! Never here: knowledge of what the ranks do.

mod rank_group;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use crate::comm::{ClockOffset, Comm, Halt, Reduce};
use rank_group::{Collective, CollectiveEnd, Contribution, RankGroup};

/// Stack size of a rank: small enough for a thousand ranks on any machine.
const STACK_BYTES: usize = 1 << 20;

/// Memory mappings that a rank needs: its stack, the stack for its overflow, a guard for each, and its
/// working memory.
const MAPPINGS: u32 = 5;

/// The most ranks that this process can have, and the system's limit of mappings that causes it. Beyond it
/// the C library ends the process while threads start. `None` if the limit is unknown.
pub fn most() -> Option<(u32, u32)> {
    let limit: u32 = std::fs::read_to_string("/proc/sys/vm/max_map_count").ok()?.trim().parse().ok()?;
    Some(((limit / MAPPINGS).max(1), limit))
}

/// Runs `body` on `ranks` ranks at the same time and returns their results, in rank order.
///
/// The result of a rank that panicked is a [`Halt`] with the panic's message. A single rank runs on the
/// caller's thread.
pub fn run<T: Send>(ranks: u32, body: impl Fn(&dyn Comm) -> T + Sync) -> Vec<Result<T, Halt>> {
    if ranks == 1 {
        return vec![one(alone(), &body)];
    }
    let group = Arc::new(RankGroup::new(ranks, host_name().into()));
    let body = &body;
    thread::scope(|scope| {
        let start = |rank| {
            let comm = LocalComm::new(Arc::clone(&group), rank);
            let thread = thread::Builder::new().name(format!("rank {rank}")).stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, move || one(comm, body)).map_err(|error| {
                let halt = group.halt("start", rank, format!("cannot start its thread: {error}"));
                group.leave(rank, halt.clone());
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

/// A communicator of one rank, on which every collective ends at once.
pub fn alone() -> LocalComm {
    LocalComm::new(Arc::new(RankGroup::new(1, host_name().into())), 0)
}

/// The name of this machine.
pub(crate) fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "localhost".to_owned() } else { name.trim().to_owned() }
}

/// Runs one rank from start to end.
fn one<T>(comm: LocalComm, body: &impl Fn(&dyn Comm) -> T) -> Result<T, Halt> {
    catch_unwind(AssertUnwindSafe(|| body(&comm))).map_err(|payload| {
        let halt = comm.place.group.halt("run", comm.place.rank, format!("panicked: {}", words(&*payload)));
        comm.place.group.leave(comm.place.rank, halt.clone());
        halt
    })
}

/// The message of a panic.
fn words(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else {
        payload.downcast_ref::<String>().map_or("without a message", String::as_str)
    }
}

/// A rank's place in a group. The rank leaves the group when its last communicator of it is dropped.
#[derive(Debug)]
struct GroupPlace {
    group: Arc<RankGroup>,
    rank: u32,
}

impl Drop for GroupPlace {
    fn drop(&mut self) {
        let why = if thread::panicking() { "panicked" } else { "ended while others waited for it" };
        self.group.leave(self.rank, self.group.halt("wait", self.rank, why.to_owned()));
    }
}

/// One rank's communicator among threads of this process.
#[derive(Debug)]
pub struct LocalComm {
    place: Arc<GroupPlace>,
}

impl LocalComm {
    fn new(group: Arc<RankGroup>, rank: u32) -> Self {
        Self { place: Arc::new(GroupPlace { group, rank }) }
    }

    /// Contributes `part` and waits for the result.
    fn join(&self, part: &Contribution<'_>) -> Result<CollectiveEnd, Halt> {
        let slot = self.place.group.contribute(self.place.rank, part)?;
        self.place.group.wait(slot)
    }

    /// Contributes `part`. Only rank 0 waits for the result; `None` on the others.
    fn join_to_root(&self, part: &Contribution<'_>) -> Result<Option<CollectiveEnd>, Halt> {
        let slot = self.place.group.contribute(self.place.rank, part)?;
        if self.place.rank == 0 { self.place.group.wait(slot).map(Some) } else { Ok(None) }
    }
}

impl Comm for LocalComm {
    fn rank(&self) -> u32 {
        self.place.rank
    }

    fn size(&self) -> u32 {
        self.place.group.size
    }

    fn node_name(&self) -> &str {
        &self.place.group.node
    }

    fn barrier(&self) -> Result<(), Halt> {
        if self.size() > 1 {
            self.join(&Contribution::Barrier)?;
        }
        Ok(())
    }

    fn all_reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        if self.size() > 1
            && let Collective::Reduce(_, all) = &*self.join(&Contribution::Reduce(how, values))?
        {
            values.copy_from_slice(all);
        }
        Ok(())
    }

    fn reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        if self.size() > 1
            && let Some(end) = self.join_to_root(&Contribution::ReduceToRoot(how, values))?
            && let Collective::ReduceToRoot(_, all) = &*end
        {
            values.copy_from_slice(all);
        }
        Ok(())
    }

    fn broadcast(&self, root: u32, data: &mut Vec<u8>) -> Result<(), Halt> {
        assert!(root < self.size(), "the root of a broadcast is one of the ranks");
        if self.size() > 1 {
            let mine = (root == self.place.rank).then_some(data.as_slice());
            if let Collective::Broadcast(_, all) = &*self.join(&Contribution::Broadcast(root, mine))?
                && root != self.place.rank
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
        let end = self.join_to_root(&Contribution::Gather(mine))?;
        Ok(end.map(|end| {
            let Collective::Gather(all) = &*end else { unreachable!("a gather ends with its parts") };
            all.clone()
        }))
    }

    fn split(&self, color: u32) -> Result<Box<dyn Comm>, Halt> {
        let end = self.join(&Contribution::Split(color))?;
        let Collective::Groups(places) = &*end else { unreachable!("a split ends with groups") };
        let (group, rank) = &places[self.place.rank as usize];
        Ok(Box::new(Self::new(Arc::clone(group), *rank)))
    }

    fn split_by_node(&self) -> Result<Box<dyn Comm>, Halt> {
        Ok(Box::new(Self { place: Arc::clone(&self.place) }))
    }

    fn clock_offset(&self, _now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
        Ok(ClockOffset::default())
    }

    fn post(&self, to: u32, message: Vec<u8>) -> Result<(), Halt> {
        self.place.group.post(self.place.rank, to, message);
        Ok(())
    }

    fn poll(&self) -> Result<Option<(u32, Vec<u8>)>, Halt> {
        self.place.group.poll(self.place.rank)
    }

    fn raise_alarm(&self) {
        self.place.group.alarm.store(true, Ordering::Release);
    }

    fn alarm_raised(&self) -> bool {
        self.place.group.alarm.load(Ordering::Acquire)
    }

    fn clear_alarm(&self) -> Result<(), Halt> {
        self.join(&Contribution::Clear)?;
        Ok(())
    }
}
