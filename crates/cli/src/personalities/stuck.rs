//! The end of a run whose ranks cannot come together any more, because a call of a library failed on one of
//! them and the others wait inside it, or because none comes back from one.
//!
//! Where a rank left a call early that all ranks of a file make together, or never came to it, the others
//! stay in it for ever, and none of them has failed. Only the clock tells that from a call that honestly
//! takes long, so it has a limit of its own.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::Scope;
use std::time::{Duration, Instant};

use units::Usage;

use super::classic::environment::count;
use crate::speech::complain;
use crate::status::ERROR;

/// How often is looked.
const EVERY: Duration = Duration::from_secs(1);
/// How long the other ranks have to learn of a failure, at most half of what a call may last: who failed
/// tells why, before those that wait for it only tell where.
const PATIENCE: Duration = Duration::from_secs(30);
/// The variable that has the limit, in seconds.
pub(super) const CALL_LIMIT_VARIABLE: &str = "ASSAY_CALL_LIMIT";
/// The limit without it: a sync of what a large node's memory holds may take many minutes.
const CALL_LIMIT: Duration = Duration::from_secs(30 * 60);
/// How long a call lasts before it is told: longer than a rank waits that failed in one.
const LONG: Duration = Duration::from_secs(60);
/// Most seconds that a rank waits beyond the limit, one for each rank before it: the launcher ends all with
/// the first, and one line is told instead of one of each.
const TURNS: u32 = 60;

/// The limit that the variable has, or that without it.
pub(super) fn call_limit(given: Option<&str>) -> Result<Duration, Usage> {
    given.map_or(Ok(CALL_LIMIT), |text| Ok(Duration::from_secs(count(CALL_LIMIT_VARIABLE, text)?.into())))
}

/// Looks after a run until it is dropped.
pub(super) struct StuckWatch {
    _end: Sender<()>,
}

/// How a rank stands with the others.
pub(super) struct RankStanding {
    /// The call that all ranks make together and it is in, with a number that no other call has.
    pub(super) inside: Option<(u64, &'static str)>,
    /// Why its ranks may not come together any more.
    pub(super) stuck: Option<String>,
}

/// Begins to look after a run of `name`, in which no call that all ranks make together may last longer than
/// `limit`.
pub(super) fn watch<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &'static str,
    rank: u32,
    limit: Duration,
    standing: impl Fn() -> RankStanding + Send + 'scope,
) -> StuckWatch {
    let (end, ended) = mpsc::channel();
    let patience = PATIENCE.min(limit / 2);
    scope.spawn(move || {
        let mut since = None;
        let mut long = LongCall::new(name, rank, limit);
        while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
            let RankStanding { inside, stuck } = standing();
            long.look(inside);
            let Some(why) = stuck else {
                since = None;
                continue;
            };
            if since.get_or_insert_with(Instant::now).elapsed() > patience {
                leave(name, rank, &why, patience);
            }
        }
    });
    StuckWatch { _end: end }
}

/// Ends this process; the launcher then ends the others.
fn leave(name: &str, rank: u32, why: &str, patience: Duration) -> ! {
    let seconds = patience.as_secs();
    complain(&format!(
        "{name}: rank {rank}: {why}; other ranks were not out of the library after {seconds} s; \
         files are left"
    ));
    ffi::end::at_once(ERROR)
}

/// Looks at the calls of one rank.
struct LongCall {
    name: &'static str,
    rank: u32,
    limit: Duration,
    /// The call under way, and since when it is known.
    seen: Option<(u64, Instant)>,
    told: bool,
}

/// What has to be done.
#[derive(Debug, PartialEq, Eq)]
enum CallStep {
    Tell(String),
    End(String),
}

impl LongCall {
    /// No call of `rank` in a run of `name` may last longer than `limit`.
    fn new(name: &'static str, rank: u32, limit: Duration) -> Self {
        Self { name, rank, limit, seen: None, told: false }
    }

    /// Takes in which call the rank is in, if any, and does what has to be done: ends this process, and so
    /// the run, where it lasts too long.
    fn look(&mut self, call: Option<(u64, &str)>) {
        match self.step(call, Instant::now()) {
            None => {}
            Some(CallStep::Tell(line)) => complain(&line),
            Some(CallStep::End(line)) => {
                complain(&line);
                ffi::end::at_once(ERROR)
            }
        }
    }

    fn step(&mut self, call: Option<(u64, &str)>, now: Instant) -> Option<CallStep> {
        let Some((number, word)) = call else {
            self.seen = None;
            return None;
        };
        if self.seen.is_none_or(|(seen, _)| seen != number) {
            (self.seen, self.told) = (Some((number, now)), false);
        }
        let (_, since) = self.seen?;
        let (lasted, limit, rank) = (now.duration_since(since), self.limit.as_secs(), self.rank);
        let call =
            format!("{}: rank {rank}: a call that all ranks of the file make together ({word})", self.name);
        if lasted > self.limit + Duration::from_secs(rank.min(TURNS).into()) {
            return Some(CallStep::End(format!(
                "{call} has not ended in {limit} s ({CALL_LIMIT_VARIABLE}); the run is ended, files are left"
            )));
        }
        if rank > 0 || self.told || lasted <= LONG {
            return None;
        }
        self.told = true;
        let seconds = LONG.as_secs();
        Some(CallStep::Tell(format!(
            "{call} has lasted {seconds} s; the run is ended at {limit} s ({CALL_LIMIT_VARIABLE}=SECONDS)"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_long_call_is_told_once_by_rank_0_and_ended_by_one_rank_after_the_other() {
        let begin = Instant::now();
        for rank in [0, 2, 1000] {
            let mut calls = LongCall::new("ior", rank, 100 * SECOND);
            let steps =
                (0..200).map(|second| (second, calls.step(Some((8, "sync")), begin + second * SECOND)));
            let steps: Vec<_> = steps.filter_map(|(second, step)| Some((second, step?))).collect();
            let told = steps.iter().filter(|(_, step)| matches!(step, CallStep::Tell(_))).count();
            assert_eq!(told, usize::from(rank == 0), "{steps:?}");
            let (second, step) =
                steps.iter().find(|(_, step)| matches!(step, CallStep::End(_))).expect("ended");
            assert_eq!(*second, 101 + rank.min(TURNS));
            let CallStep::End(line) = step else { unreachable!("it was looked for") };
            assert!(line.contains("(sync) has not ended in 100 s (ASSAY_CALL_LIMIT)"), "{line}");
        }
    }

    #[test]
    fn calls_that_follow_each_other_are_no_long_one() {
        let (begin, mut calls) = (Instant::now(), LongCall::new("ior", 0, 100 * SECOND));
        for second in 0..1000 {
            let call = if second % 7 == 0 { None } else { Some((u64::from(second / 20), "transfer")) };
            assert_eq!(calls.step(call, begin + second * SECOND), None);
        }
    }
}
