//! What a rank can say to the others, and how all ranks fail together.
//!
//! Every method but `rank`, `size` and `node_name` is collective: all ranks of the communicator call
//! it, in the same order. Between two collectives no rank may leave alone; `?` follows
//! `agree`, never a bare local result.
//!
//! Never here: storage, time, printing.

use std::fmt;

/// Why all ranks stopped: the same value on every rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halt {
    /// What was being done, such as `write` or `open`.
    pub step: String,
    /// The rank that failed first (lowest number among those that failed in this step).
    pub rank: u32,
    /// The node that rank ran on.
    pub node: String,
    /// What happened, with path and offset where there are any.
    pub why: String,
}

impl fmt::Display for Halt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: rank {} (node {}): {}", self.step, self.rank, self.node, self.why)
    }
}

impl std::error::Error for Halt {}

/// How values of all ranks become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// Element-wise sum.
    Sum,
    /// Element-wise minimum.
    Min,
    /// Element-wise maximum.
    Max,
}

impl Reduce {
    /// Folds `other` into `into`, element by element; both have the same length.
    pub fn fold(self, into: &mut [u64], other: &[u64]) {
        assert_eq!(into.len(), other.len(), "all ranks reduce arrays of one length");
        for (a, b) in into.iter_mut().zip(other) {
            *a = match self {
                Self::Sum => a.wrapping_add(*b),
                Self::Min => (*a).min(*b),
                Self::Max => (*a).max(*b),
            };
        }
    }
}

/// The clock of this rank against rank 0's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    /// Nanoseconds to add to this rank's clock to get rank 0's.
    pub offset_ns: i64,
    /// Half of the shortest round trip seen, in nanoseconds: the truth lies within plus or minus this.
    pub uncertainty_ns: u64,
}

/// A group of ranks, as threads of this process or as MPI processes; nobody above can tell which.
pub trait Comm: Send + Sync {
    /// This rank's number, from 0.
    fn rank(&self) -> u32;

    /// How many ranks there are.
    fn size(&self) -> u32;

    /// The name of the node this rank runs on.
    fn node_name(&self) -> &str;

    /// Waits until all ranks are here.
    fn barrier(&self) -> Result<(), Halt>;

    /// Replaces `values` on every rank by the reduction over all ranks, element by element.
    ///
    /// Values stay below 2^63: MPICH 4.0 compares unsigned types as signed.
    fn all_reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt>;

    /// Replaces `data` on every rank by that of `root`.
    fn broadcast(&self, root: u32, data: &mut Vec<u8>) -> Result<(), Halt>;

    /// Brings every rank's bytes to rank 0, in rank order; `None` on the others.
    fn gather(&self, mine: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Halt>;

    /// The communicator of the ranks that gave the same `color`, ordered by rank here.
    fn split(&self, color: u32) -> Result<Box<dyn Comm>, Halt>;

    /// The communicator of the ranks that share memory with this one: those of one node.
    ///
    /// It may be the same one each time, and where all ranks share a node this one itself with its alarm.
    fn split_by_node(&self) -> Result<Box<dyn Comm>, Halt>;

    /// This rank's clock against rank 0's, by ping-pong; `now` reads this rank's clock in nanoseconds.
    fn clock_offset(&self, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt>;

    /// Tells the other ranks, without waiting for them, that this one has failed and they may stop early.
    fn raise_alarm(&self);

    /// Whether some rank has raised the alarm since the last `agree`; cheap, not collective.
    fn alarm_raised(&self) -> bool;

    /// Forgets an alarm that has been agreed on. Collective; `agree` calls it.
    fn clear_alarm(&self) -> Result<(), Halt>;

    /// The raw MPI communicator handle and functions, when the ranks are MPI's.
    fn mpi(&self) -> Option<&crate::mpi::MpiComm> {
        None
    }
}

impl dyn Comm + '_ {
    /// One value, reduced over all ranks.
    pub fn reduce_one(&self, mine: u64, how: Reduce) -> Result<u64, Halt> {
        let mut one = [mine];
        self.all_reduce(&mut one, how)?;
        Ok(one[0])
    }

    /// Ends `step` on all ranks together: all get their own value, or all get the same [`Halt`] with
    /// the words of the lowest rank that failed. An alarm is forgotten, whichever way it ends.
    pub fn agree<T, E: fmt::Display>(&self, step: &str, mine: Result<T, E>) -> Result<T, Halt> {
        let nobody = u64::from(self.size());
        let vote = if mine.is_ok() { nobody } else { u64::from(self.rank()) };
        let mut votes = [vote, u64::from(!self.alarm_raised())];
        self.all_reduce(&mut votes, Reduce::Min)?;
        let [first, quiet] = votes;
        if first == nobody {
            if quiet == 0 {
                self.clear_alarm()?;
            }
            match mine {
                Ok(value) => return Ok(value),
                Err(error) => unreachable!("nobody failed, yet this rank has {error}"),
            }
        }
        let first = u32::try_from(first).expect("a vote is a rank number");
        let mut words = Vec::new();
        if let Err(error) = &mine
            && self.rank() == first
        {
            words = format!("{}\n{error}", self.node_name()).into_bytes();
        }
        self.broadcast(first, &mut words)?;
        self.clear_alarm()?;
        let words = String::from_utf8_lossy(&words);
        let (node, why) = words.split_once('\n').unwrap_or(("?", &words));
        Err(Halt { step: step.to_owned(), rank: first, node: node.to_owned(), why: why.to_owned() })
    }
}
