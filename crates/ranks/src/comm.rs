//! Communication between ranks, and how all ranks fail together.
//!
//! Not collective are `rank`, `size`, `node_name`, the messages (`post`, `has_unsent`, `poll`) and the
//! methods on the alarm. All ranks of the communicator call every other method, in the same order. Between
//! two collectives no rank may leave alone; `?` follows `agree`, never a bare local result.
//!
//! Never here: storage, time, printing.

use std::any::Any;
use std::fmt;
use std::io;

/// A call on a file that failed, or that moved less than it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFailure {
    /// The call, such as `write` or `mkdir`.
    pub call: String,
    /// The path of the file or directory.
    pub path: String,
    /// The offset in the file, bytes; `None` if the call is about the path itself.
    pub offset: Option<u64>,
    /// The number of the system's error; `None` if a library reports none.
    pub errno: Option<i32>,
    /// Whether the call succeeded but moved too few bytes.
    pub is_short: bool,
    /// When it failed by the clock of its node, milliseconds since 1970.
    pub at_unix_ms: u64,
}

/// Why one rank failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureCause {
    /// What happened, with path and offset if there are any.
    pub text: String,
    /// The call on a file that failed; `None` if the rank failed for another reason.
    pub call: Option<Box<CallFailure>>,
}

impl fmt::Display for FailureCause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl From<String> for FailureCause {
    fn from(text: String) -> Self {
        Self { text, call: None }
    }
}

impl From<&str> for FailureCause {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// An error without the path of its call is only a text.
impl From<io::Error> for FailureCause {
    fn from(error: io::Error) -> Self {
        error.to_string().into()
    }
}

impl FailureCause {
    /// The same cause, with its text after `words`.
    #[must_use]
    pub fn after(mut self, words: &str) -> Self {
        self.text.insert_str(0, words);
        self
    }

    /// The cause and the node of its rank as one text, for the other ranks. It has no limit of characters.
    pub fn encode(&self, node: &str) -> String {
        let call = self.call.as_ref().map_or_else(String::new, |call| {
            let numbers = [
                call.offset.map(i128::from),
                call.errno.map(i128::from),
                Some(call.is_short.into()),
                Some(call.at_unix_ms.into()),
            ];
            let numbers = numbers.map(|number| number.map_or_else(String::new, |number| number.to_string()));
            [&[call.call.clone(), call.path.clone()][..], &numbers].concat().join("\n")
        });
        [node, &call, &self.text].join("\0")
    }

    /// The node and the cause that another rank encoded.
    pub fn decode(sent: &str) -> (String, Self) {
        let mut parts = sent.splitn(3, '\0');
        let (node, call, text) = (parts.next(), parts.next(), parts.next().unwrap_or_default());
        // A path may have line ends, and the numbers have none.
        let call = call.and_then(|call| {
            let (name, rest) = call.split_once('\n')?;
            let mut parts = rest.rsplitn(5, '\n');
            let (at, short, errno, offset) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
            Some(Box::new(CallFailure {
                call: name.to_owned(),
                path: parts.next()?.to_owned(),
                offset: offset.parse().ok(),
                errno: errno.parse().ok(),
                is_short: short == "1",
                at_unix_ms: at.parse().unwrap_or_default(),
            }))
        });
        (node.unwrap_or("?").to_owned(), Self { text: text.to_owned(), call })
    }
}

/// Why all ranks stopped: the same value on every rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Halt {
    /// The step that failed, such as `write` or `open`.
    pub step: String,
    /// The rank that failed. If several failed, see [`agree`](#method.agree) and
    /// [`agree_on_first`](#method.agree_on_first).
    pub rank: u32,
    /// The node of that rank.
    pub node: String,
    /// What happened, with path and offset if there are any.
    pub why: String,
    /// The call on a file that failed, if this is the reason.
    pub call: Option<Box<CallFailure>>,
}

impl fmt::Display for Halt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: rank {} (node {}): {}", self.step, self.rank, self.node, self.why)
    }
}

impl std::error::Error for Halt {}

/// The failure of one rank, with its moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAt<E> {
    /// When it failed, nanoseconds of one clock that all ranks use.
    pub at_ns: u64,
    /// What happened.
    pub why: E,
}

/// The moment of a rank that did not fail. Reductions need values below 2^63.
const NEVER: u64 = (1 << 63) - 1;

/// How the values of all ranks are combined.
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
    /// Combines `other` with `into`, element by element; both have the same length.
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

/// The offset between the clock of this rank and that of rank 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    /// Nanoseconds to add to this rank's clock to get rank 0's.
    pub offset_ns: i64,
    /// Half of the shortest round trip, in nanoseconds: the error of the offset is at most this.
    pub uncertainty_ns: u64,
}

/// A group of ranks, as threads of this process or as MPI processes; callers see no difference.
pub trait Comm {
    /// This rank's number, from 0.
    fn rank(&self) -> u32;

    /// How many ranks there are.
    fn size(&self) -> u32;

    /// The name of the node this rank runs on.
    fn node_name(&self) -> &str;

    /// Waits until all ranks have called it.
    fn barrier(&self) -> Result<(), Halt>;

    /// Replaces `values` on every rank by the reduction over all ranks, element by element.
    ///
    /// Values must stay below 2^63: MPICH 4.0 compares unsigned types as signed.
    fn all_reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt>;

    /// Replaces `values` on rank 0 by the reduction over all ranks, element by element. Other ranks keep
    /// theirs. They may continue before the others have called it, and before it is known whether it ends.
    ///
    /// The limit of the values is that of [`Comm::all_reduce`].
    fn reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt>;

    /// Replaces `data` on every rank by that of `root`.
    fn broadcast(&self, root: u32, data: &mut Vec<u8>) -> Result<(), Halt>;

    /// Sends every rank's bytes to rank 0, in rank order; `None` on the others. These may continue as in
    /// [`Comm::reduce`].
    fn gather(&self, mine: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Halt>;

    /// The communicator of the ranks that gave the same `color`, ordered by their rank in this one.
    fn split(&self, color: u32) -> Result<Box<dyn Comm>, Halt>;

    /// The communicator of the ranks that share memory with this one: those of one node.
    ///
    /// Repeated calls may return the same communicator. If all ranks share a node, it may be this one, with
    /// its alarm.
    fn split_by_node(&self) -> Result<Box<dyn Comm>, Halt>;

    /// Measures this rank's clock offset to rank 0 by ping-pong; `now` reads this rank's clock in
    /// nanoseconds.
    fn clock_offset(&self, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt>;

    /// Sends a message to another rank without waiting until it arrives; see [`Mailbox`](crate::Mailbox).
    fn post(&self, to: u32, message: Vec<u8>) -> Result<(), Halt>;

    /// Whether a message of this rank is still to be sent, so that its memory is in use.
    fn has_unsent(&self) -> Result<bool, Halt> {
        Ok(false)
    }

    /// The next message that has arrived, and its sender; `None` if there is none now. Messages of one sender
    /// arrive in their order.
    fn poll(&self) -> Result<Option<(u32, Vec<u8>)>, Halt>;

    /// Informs the other ranks, without waiting for them, that this one has failed and they may stop early.
    fn raise_alarm(&self);

    /// Whether a rank has raised the alarm since the last `agree`; cheap, not collective.
    fn alarm_raised(&self) -> bool;

    /// Clears an alarm that all ranks have agreed on. Collective; `agree` calls it.
    fn clear_alarm(&self) -> Result<(), Halt>;

    /// The communicator itself where it can do more than this trait, see `mpi()`.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}

impl dyn Comm + '_ {
    /// Reduces one value over all ranks.
    pub fn reduce_one(&self, mine: u64, how: Reduce) -> Result<u64, Halt> {
        let mut one = [mine];
        self.all_reduce(&mut one, how)?;
        Ok(one[0])
    }

    /// Ends `step` on all ranks together. Either all get their own value, or all get the same [`Halt`] with
    /// the error of the lowest rank that failed. Both cases clear the alarm.
    pub fn agree<T, E: Into<FailureCause>>(&self, step: &str, mine: Result<T, E>) -> Result<T, Halt> {
        self.agree_on_first(step, mine.map_err(|why| FailedAt { at_ns: 0, why }))
    }

    /// The same, with the error that came first. A failure makes other ranks fail in later calls, and their
    /// errors must not hide it. Among failures of the same moment it is that of the lowest rank.
    pub fn agree_on_first<T, E: Into<FailureCause>>(
        &self,
        step: &str,
        mine: Result<T, FailedAt<E>>,
    ) -> Result<T, Halt> {
        let moment = mine.as_ref().err().map(|failed| failed.at_ns.min(NEVER - 1));
        let mut votes = [moment.unwrap_or(NEVER), u64::from(!self.alarm_raised())];
        self.all_reduce(&mut votes, Reduce::Min)?;
        let [first, quiet] = votes;
        if first == NEVER {
            if quiet == 0 {
                self.clear_alarm()?;
            }
            match mine {
                Ok(value) => return Ok(value),
                Err(failed) => unreachable!("no rank failed, but this rank has {}", failed.why.into().text),
            }
        }
        let candidate = if moment == Some(first) { self.rank() } else { self.size() };
        let first = u32::try_from(self.reduce_one(candidate.into(), Reduce::Min)?).expect("a rank number");
        let mut sent = Vec::new();
        if let Err(failed) = mine
            && self.rank() == first
        {
            sent = failed.why.into().encode(self.node_name()).into_bytes();
        }
        self.broadcast(first, &mut sent)?;
        self.clear_alarm()?;
        let (node, FailureCause { text: why, call }) = FailureCause::decode(&String::from_utf8_lossy(&sent));
        Err(Halt { step: step.to_owned(), rank: first, node, why, call })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_arrives_at_the_other_ranks_as_it_was() {
        let call = |path: &str, offset, errno| CallFailure {
            call: "write".to_owned(),
            path: path.to_owned(),
            offset,
            errno,
            is_short: errno.is_none(),
            at_unix_ms: 1_764_000_000_123,
        };
        let causes = [None, Some(call("/f", Some(4096), Some(5))), Some(call("/a\nb\n", None, None))];
        for call in causes {
            let cause = FailureCause { text: "two\nlines\0and more".to_owned(), call: call.map(Box::new) };
            assert_eq!(FailureCause::decode(&cause.encode("n017")), ("n017".to_owned(), cause));
        }
    }
}
