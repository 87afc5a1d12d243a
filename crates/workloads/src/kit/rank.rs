//! What every rank of a run has: the other ranks, its clock, and the sink for records.

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use measure::{Clock, CycleClock, Tick, WallClock};
use ranks::{CallFailure, ClockOffset, Comm, FailedAt, FailureCause, Halt, Reduce};
use results::Record;
use results::mounts::Mount;
use results::reason::Reason;
use results::record::{Clients, ClockPace, KernelCount, Moments, Notice, Phase};
use results::records::Sink;

use super::board::{Board, BoardRow, phase_number};
use super::clients::{self, WallClockOrigin};
use super::double_entry::{KernelMoment, KernelPlaces};
use super::failed_call::{cause, recorded, words};
use super::node::Node;
use super::parts::{ReducedParts, ReductionParts};
use super::payload::DataKey;

/// Added to stamps, so that a clock younger than rank 0's does not give negative values.
const BIAS_NS: i64 = 1 << 50;

/// The first failure of a rank in a phase, with its moment on the rank's own clock.
#[derive(Clone, Debug)]
pub(crate) struct FirstFailure {
    pub(crate) at: Tick,
    pub(crate) why: FailureCause,
}

/// One rank of a run.
pub struct Rank<'a> {
    /// All ranks of the run.
    pub comm: &'a dyn Comm,
    /// This rank's clock. Ranks of one process have clones of one clock, so that their stamps can be
    /// compared.
    pub clock: &'a mut CycleClock,
    /// The sink for records on rank 0; other ranks ignore records.
    pub records: &'a mut dyn Sink,
    /// The board on which this rank shows its progress, and its row there. `None` if no watcher reads it.
    pub board: Option<(&'a Board, u32)>,
    /// The ranks of the same node, and the number of nodes.
    pub node: Rc<Node>,
    /// What the nodes reported, on rank 0.
    clients: Clients,
    /// The offset of this clock from rank 0's.
    offset: ClockOffset,
    /// When the run began, on rank 0's clock.
    began_ns: u64,
    /// Phases begun so far.
    phases: u64,
    /// The mount of the first directory that the nodes were queried about.
    mount: Mount,
    /// What the kernel had counted before the present phase.
    before: Option<KernelMoment>,
}

impl<'a> Rank<'a> {
    /// Compares the clocks, queries the nodes about `dirs` ([`clients::dirs`]) and begins the sink.
    /// Collective.
    pub fn begin(
        comm: &'a dyn Comm,
        clock: &'a mut CycleClock,
        records: &'a mut dyn Sink,
        board: Option<(&'a Board, u32)>,
        dirs: &[PathBuf],
    ) -> Result<Self, Halt> {
        let offset = comm.clock_offset(&|| clock.ns())?;
        let node = Rc::new(Node::find(comm)?);
        let nodes = node.count;
        let mut rank = Self::compared(comm, clock, offset, records, board, node);
        rank.query_nodes(dirs)?;
        rank.begin_run(nodes)?;
        Ok(rank)
    }

    /// A rank whose clock differs by the known `offset` from rank 0's. Its run has not begun.
    pub fn compared(
        comm: &'a dyn Comm,
        clock: &'a mut CycleClock,
        offset: ClockOffset,
        records: &'a mut dyn Sink,
        board: Option<(&'a Board, u32)>,
        node: Rc<Node>,
    ) -> Self {
        let clients = Clients::default();
        let (mount, before) = (Mount::default(), None);
        Self { comm, clock, records, board, node, clients, offset, began_ns: 0, phases: 0, mount, before }
    }

    /// Queries on every node the file systems of `dirs`, the wall clock and its identity, while nothing is
    /// timed.
    /// Collective.
    pub fn query_nodes(&mut self, dirs: &[PathBuf]) -> Result<(), Halt> {
        let wall_clock = WallClock::read(&*self.clock);
        let origin = WallClockOrigin {
            unix_ns: wall_clock.origin_unix_ns() - self.offset.offset_ns,
            uncertainty_ns: wall_clock.uncertainty_ns() + self.offset.uncertainty_ns,
        };
        let mount = dirs.first().and_then(|dir| clients::mount_at(dir));
        self.mount = mount.map(|(_, mount)| mount).unwrap_or_default();
        self.clients = clients::ask(self.comm, &self.node, dirs, origin)?.unwrap_or_default();
        Ok(())
    }

    /// What the nodes reported, on rank 0.
    pub fn clients(&self) -> &Clients {
        &self.clients
    }

    /// The notices about the nodes for a reader of the numbers, on rank 0; empty on other ranks.
    pub fn node_notices(&self) -> Vec<Reason> {
        clients::notices(&self.clients, self.comm.node_name(), self.node.count)
    }

    /// The run begins when the last rank has called this. Begins the sink, with the number of nodes.
    /// Collective.
    pub fn begin_run(&mut self, nodes: u32) -> Result<(), Halt> {
        let mut parts = ReductionParts::default();
        let places = [parts.max(self.on_rank_0(self.clock.ns())), parts.max(self.offset.uncertainty_ns)];
        let [began_ns, worst_ns] = parts.reduce(self.comm)?.all(places);
        self.began_ns = began_ns;
        let begun =
            if self.comm.rank() == 0 { self.records.begin(nodes, worst_ns, &self.clients) } else { Ok(()) };
        self.agree_on_records(begun)
    }

    /// The same rank within `comm`, which has fewer ranks and the same rank 0. Collective there.
    pub fn among<'b>(&'b mut self, comm: &'b dyn Comm) -> Result<Rank<'b>, Halt> {
        let clock: &CycleClock = self.clock;
        let offset = comm.clock_offset(&|| clock.ns())?;
        let node = Rc::new(Node::find(comm)?);
        let (board, began_ns, phases, mount) = (self.board, self.began_ns, self.phases, self.mount.clone());
        let mut rank = Rank::compared(comm, self.clock, offset, self.records, board, node);
        (rank.began_ns, rank.phases, rank.mount) = (began_ns, phases, mount);
        Ok(rank)
    }

    /// Rank 0's seed, on all ranks. Collective.
    pub fn same_seed(&self, seed: u64) -> Result<u64, Halt> {
        let mut bytes = seed.to_le_bytes().to_vec();
        self.comm.broadcast(0, &mut bytes)?;
        Ok(bytes.try_into().map_or(0, u64::from_le_bytes))
    }

    /// Requires that all ranks have the key of rank 0, because each node reads its own file. Collective, if
    /// there is a key.
    pub fn check_key(&self, key: Option<DataKey>) -> Result<(), Halt> {
        let Some(key) = key else { return Ok(()) };
        let same = self.same_seed(key.id())? == key.id();
        let differs = "this node has another key than rank 0. Copy the file of --data-key to all nodes";
        self.comm.agree("data key", same.then_some(()).ok_or(differs))
    }

    /// Rank 0 sleeps; the others wait for it at the next barrier. Not collective.
    pub fn wait(&self, seconds: u32) {
        if self.comm.rank() == 0 {
            std::thread::sleep(Duration::from_secs(seconds.into()));
        }
    }

    /// Converts a moment of this rank's clock to rank 0's, in nanoseconds.
    pub fn on_rank_0(&self, ns: u64) -> u64 {
        (ns as i64 + self.offset.offset_ns + BIAS_NS).max(0) as u64
    }

    /// When the run began, on rank 0's clock, in nanoseconds.
    pub fn began_ns(&self) -> u64 {
        self.began_ns
    }

    /// Nanoseconds from the run's start to a moment of this rank's clock, by rank 0's clock.
    pub fn since_start_ns(&self, tick: Tick) -> u64 {
        self.on_rank_0(self.clock.ns_at(tick)).saturating_sub(self.began_ns)
    }

    /// The uncertainty of this rank's clock against rank 0's, nanoseconds.
    pub fn uncertainty_ns(&self) -> u64 {
        self.offset.uncertainty_ns
    }

    /// The moments of a phase by the wall clock, on rank 0. `first` and `last` are the first start and the
    /// last end of transfers on rank 0's clock. `timeline` is the start of the timeline on this rank's clock.
    /// `uncertainty_ns` is the worst of all ranks.
    pub fn moments(&self, [first, last]: [u64; 2], timeline: Tick, uncertainty_ns: u64) -> Option<Moments> {
        let wall_clock = (self.comm.rank() == 0).then(|| WallClock::read(&*self.clock))?;
        // Rank 0's clock is its own, shifted by the bias.
        let at = |ns: u64| wall_clock.unix_ns(ns.saturating_sub(self.on_rank_0(0)));
        Some(Moments {
            first_start_unix_ns: at(first),
            last_end_unix_ns: at(last),
            timeline_unix_ns: wall_clock.unix_ns(self.clock.ns_at(timeline)),
            uncertainty_ns: uncertainty_ns + wall_clock.uncertainty_ns(),
        })
    }

    /// The row in which this rank will show its progress in the next phase, which belongs to test number
    /// `test`.
    pub fn row(&self, test: u32) -> Option<BoardRow> {
        let number = phase_number(test, self.phases + 1);
        let (board, index) = self.board?;
        Some(board.row(index, self.comm.rank(), number, self.clock.scale()))
    }

    /// Compares the clocks again, because they drift, counts the new phase, and reads what the kernel has
    /// counted so far. Collective.
    pub fn next_phase(&mut self) -> Result<(), Halt> {
        self.clock.refine();
        let clock: &CycleClock = self.clock;
        self.offset = self.comm.clock_offset(&|| clock.ns())?;
        self.phases += 1;
        self.before = Some(self.kernel_moment());
        Ok(())
    }

    /// Bytes that the kernel has fetched from and sent to storage for this rank since [`Rank::next_phase`];
    /// `None` if it shares its process with other ranks.
    pub fn kernel_bytes(&self, places: Option<&KernelPlaces>) -> Option<[u64; 2]> {
        self.comm.mpi()?;
        places?.own
    }

    fn kernel_moment(&self) -> KernelMoment {
        KernelMoment::now(self.comm, &self.node, &self.mount, &*self.clock)
    }

    /// All ranks leave this together. Returns the moment of the first rank, on this rank's clock. Collective.
    pub fn start_together(&self) -> Result<Tick, Halt> {
        self.comm.barrier()?;
        let now = self.clock.now();
        let mine = self.on_rank_0(self.clock.ns_at(now));
        let first = self.comm.reduce_one(mine, Reduce::Min)?;
        Ok(Tick(now.0.saturating_sub(self.clock.scale().ticks(mine - first))))
    }

    /// Ends `step` on all ranks together, with the failure that came first. Collective.
    pub(crate) fn agree_on_first(&self, step: &str, failed: Option<FirstFailure>) -> Result<(), Halt> {
        let moment = |at: Tick| self.on_rank_0(self.clock.ns_at(at));
        let mine = failed.map(|FirstFailure { at, why }| FailedAt { at_ns: moment(at), why });
        self.comm.agree_on_first(step, mine.map_or(Ok(()), Err))
    }

    /// Records on rank 0. All ranks stop together if that fails. Collective.
    pub fn record(&mut self, record: &Record) -> Result<(), Halt> {
        let kept = if self.comm.rank() == 0 { self.records.put(record) } else { Ok(()) };
        self.agree_on_records(kept)
    }

    /// The same for a phase. Only rank 0's is used.
    pub fn record_phase(&mut self, phase: &Phase) -> Result<(), Halt> {
        self.record_phase_and_stall(phase, None)
    }

    /// The same for a phase, and for the notice about a stall. Only rank 0 can see a stall, because it has
    /// the timeline of all ranks.
    pub fn record_phase_and_stall(&mut self, phase: &Phase, stall: Option<&Reason>) -> Result<(), Halt> {
        let mut kept = Ok(());
        if self.comm.rank() == 0 {
            kept = self.records.put(&Record::Phase(Box::new(phase.clone())));
            if let (Ok(()), Some(reason)) = (&kept, stall) {
                kept = self.records.put(&notice(phase.repetition, &phase.phase, reason, None));
            }
        }
        self.agree_on_records(kept)
    }

    /// Adds what the kernel has counted since [`Rank::next_phase`].
    pub fn add_kernel(&self, parts: &mut ReductionParts) -> Option<KernelPlaces> {
        let before = self.before.as_ref()?;
        Some(self.kernel_moment().add(before, self.comm, self.clock, parts))
    }

    /// What the kernel has counted in this phase, and the pace of the clocks.
    pub fn kernel(
        &self,
        places: Option<KernelPlaces>,
        reduced: &ReducedParts,
    ) -> (Option<KernelCount>, Option<ClockPace>) {
        let counted = places.map(|places| places.counted(reduced, &self.mount));
        counted.map_or((None, None), |(count, pace)| (Some(count), pace))
    }

    fn agree_on_records(&self, kept: io::Result<()>) -> Result<(), Halt> {
        self.comm.agree(
            "record",
            kept.map_err(|error| {
                let text = format!("cannot write the records: {}", words(&error));
                cause("write", Path::new(""), &error, text)
            }),
        )
    }

    /// Records a notice for the reader of the numbers. Collective.
    pub fn notice(&mut self, repetition: u32, phase: &str, reason: &Reason) -> Result<(), Halt> {
        self.notice_of_call(repetition, phase, reason, None)
    }

    /// The same for a notice about a call on a file that failed.
    pub fn notice_of_call(
        &mut self,
        repetition: u32,
        phase: &str,
        reason: &Reason,
        call: Option<Box<CallFailure>>,
    ) -> Result<(), Halt> {
        self.record(&notice(repetition, phase, reason, call))
    }
}

fn notice(repetition: u32, phase: &str, reason: &Reason, call: Option<Box<CallFailure>>) -> Record {
    let (phase, reason, call) = (phase.to_owned(), reason.clone(), call.map(|call| recorded(*call)));
    Record::Notice(Notice { repetition, phase, reason, call })
}

#[cfg(test)]
mod tests {
    use results::records::Nowhere;

    use super::*;

    #[test]
    fn a_rank_with_another_key_than_rank_0_stops_all_ranks() {
        let runs = |keys: [&[u8]; 2]| {
            let ended = ranks::local::run(2, |comm| {
                let (mut clock, mut nowhere) = (CycleClock::new(), Nowhere);
                let rank = Rank::begin(comm, &mut clock, &mut nowhere, None, &[])?;
                rank.check_key(Some(DataKey::new(keys[comm.rank() as usize], "")))
            });
            ended.into_iter().filter(|ended| matches!(ended, Ok(Ok(())))).count()
        };
        assert_eq!((runs([b"a", b"a"]), runs([b"a", b"b"])), (2, 0));
    }
}
