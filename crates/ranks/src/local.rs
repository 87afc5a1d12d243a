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
use rank_group::{Collective, Contribution, RankGroup};

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

/// A communicator of one rank, on which every collective ends at once.
pub fn alone() -> LocalComm {
    LocalComm { group: Arc::new(RankGroup::new(1, host_name().into())), rank: 0 }
}

/// The name of this machine.
pub(crate) fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "localhost".to_owned() } else { name.trim().to_owned() }
}

/// Runs one rank from start to end.
fn one<T>(comm: LocalComm, body: &impl Fn(&dyn Comm) -> T) -> Result<T, Halt> {
    catch_unwind(AssertUnwindSafe(|| body(&comm))).map_err(|payload| {
        let halt = comm.group.halt("run", comm.rank, format!("panicked: {}", words(&*payload)));
        comm.group.leave(halt.clone());
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

/// One rank's communicator among threads of this process.
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

    fn reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        if self.size() > 1
            && let Collective::Reduce(_, all) =
                &*self.group.join(self.rank, &Contribution::Reduce(how, values))?
            && self.rank == 0
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
