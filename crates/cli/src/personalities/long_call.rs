//! An end to the wait in a call that all ranks of a file make together.
//!
//! Where a rank left such a call early, or never came to it, the others stay in it for ever, and none of them
//! has failed. Only the clock tells that from a call that honestly takes long, so it has a limit of its own.

use std::time::{Duration, Instant};

use units::Usage;

use super::classic::environment::count;
use crate::speech::complain;

/// The variable that has the limit, in seconds.
pub(crate) const VARIABLE: &str = "ASSAY_CALL_LIMIT";
/// The limit without it: a sync of what a large node's memory holds may take many minutes.
const LIMIT: Duration = Duration::from_secs(30 * 60);
/// How long a call lasts before it is told: longer than a rank waits that failed in one (see `stuck`).
const PATIENCE: Duration = Duration::from_secs(60);
/// Most seconds that a rank waits beyond the limit, one for each rank before it: the launcher ends all with
/// the first, and one line is told instead of one of each.
const TURNS: u32 = 60;

/// The limit that the variable has, or that without it.
pub(crate) fn limit(given: Option<&str>) -> Result<Duration, Usage> {
    given.map_or(Ok(LIMIT), |text| Ok(Duration::from_secs(count(VARIABLE, text)?.into())))
}

/// Looks at the calls of one rank.
pub(super) struct LongCall {
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
    pub(super) fn new(name: &'static str, rank: u32, limit: Duration) -> Self {
        Self { name, rank, limit, seen: None, told: false }
    }

    /// Takes in which call the rank is in, if any, and does what has to be done: ends this process, and so
    /// the run, where it lasts too long.
    pub(super) fn look(&mut self, call: Option<(u64, &str)>) {
        match self.step(call, Instant::now()) {
            None => {}
            Some(CallStep::Tell(line)) => complain(&line),
            Some(CallStep::End(line)) => {
                complain(&line);
                ffi::end::at_once(1)
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
                "{call} has not ended in {limit} s ({VARIABLE}); the run is ended, files are left"
            )));
        }
        if rank > 0 || self.told || lasted <= PATIENCE {
            return None;
        }
        self.told = true;
        let seconds = PATIENCE.as_secs();
        Some(CallStep::Tell(format!(
            "{call} has lasted {seconds} s; the run is ended at {limit} s ({VARIABLE}=SECONDS)"
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
