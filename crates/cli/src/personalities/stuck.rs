//! Ends a run whose ranks cannot meet any more. Either a library call failed on one rank and the others wait
//! inside it, or no rank returns from a call.
//!
//! If a rank leaves a collective call early, or never enters it, the other ranks stay in it for ever and none
//! of them fails. Only a time limit distinguishes such a call from a slow one.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::Scope;
use std::time::{Duration, Instant};

use units::Usage;

use super::classic::environment::count;
use super::own_lines::complain_own;
use crate::speech::complain;
use crate::status::ERROR;

/// How often the watch checks the rank.
const EVERY: Duration = Duration::from_secs(1);
/// How long the other ranks have to learn of a failure; at most half of the limit of a call. So the failed
/// rank reports the reason before waiting ranks report only the place.
const PATIENCE: Duration = Duration::from_secs(30);
/// The environment variable with the limit, in seconds.
pub(super) const CALL_LIMIT_VARIABLE: &str = "ASSAY_CALL_LIMIT";
/// The default limit: a sync of a large node's memory may take many minutes.
const CALL_LIMIT: Duration = Duration::from_secs(30 * 60);
/// A call that lasts longer is reported. This is longer than a failed rank waits for the others.
const LONG: Duration = Duration::from_secs(60);
/// The most seconds that a rank waits beyond the limit: one second per lower rank. The launcher ends all
/// ranks with the first one, so one line is printed instead of one per rank.
const TURNS: u32 = 60;

/// The limit in the environment variable, or the default.
pub(super) fn call_limit(given: Option<&str>) -> Result<Duration, Usage> {
    given.map_or(Ok(CALL_LIMIT), |text| Ok(Duration::from_secs(count(CALL_LIMIT_VARIABLE, text)?.into())))
}

/// Watches a run until it is dropped.
pub(super) struct StuckWatch {
    _end: Sender<()>,
}

/// The state of a rank relative to the others.
pub(super) struct RankStanding {
    /// The collective call that the rank is in, with a number that is unique to the call.
    pub(super) inside: Option<(u64, &'static str)>,
    /// Why the ranks may not be able to meet any more.
    pub(super) stuck: Option<String>,
}

/// Starts to watch a run of `name`. No collective call in it may last longer than `limit`.
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
            long.update(inside);
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

/// Ends this process. The launcher then ends the others.
fn leave(name: &str, rank: u32, why: &str, patience: Duration) -> ! {
    let seconds = patience.as_secs();
    complain(&format!(
        "{name}: rank {rank}: {why}. Other ranks were still inside the library after {seconds} s. \
         The run ends and its files remain."
    ));
    ffi::end::at_once(ERROR)
}

/// Watches the collective calls of one rank.
struct LongCall {
    name: &'static str,
    rank: u32,
    limit: Duration,
    /// The call in progress, and since when it is known.
    seen: Option<(u64, Instant)>,
    warned: bool,
}

/// What the watch has to do.
#[derive(Debug, PartialEq, Eq)]
enum CallStep {
    Warn(String),
    End(String),
}

impl LongCall {
    /// A watch of `rank` in a run of `name`. No collective call may last longer than `limit`.
    fn new(name: &'static str, rank: u32, limit: Duration) -> Self {
        Self { name, rank, limit, seen: None, warned: false }
    }

    /// Notes the call that the rank is in, if any. Warns, or ends this process and so the run, if the call
    /// lasts too long.
    fn update(&mut self, call: Option<(u64, &str)>) {
        match self.step(call, Instant::now()) {
            None => {}
            Some(CallStep::Warn(line)) => complain_own(&line),
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
            (self.seen, self.warned) = (Some((number, now)), false);
        }
        let (_, since) = self.seen?;
        let (lasted, limit, rank) = (now.duration_since(since), self.limit.as_secs(), self.rank);
        let call = format!("{}: rank {rank}: a collective call on a file ({word})", self.name);
        if lasted > self.limit + Duration::from_secs(rank.min(TURNS).into()) {
            return Some(CallStep::End(format!(
                "{call} has not ended in {limit} s ({CALL_LIMIT_VARIABLE}). The run ends and its files \
                 remain. To wait longer, set {CALL_LIMIT_VARIABLE}=SECONDS."
            )));
        }
        if rank > 0 || self.warned || lasted <= LONG {
            return None;
        }
        self.warned = true;
        let seconds = LONG.as_secs();
        Some(CallStep::Warn(format!(
            "{call} has lasted {seconds} s. The run ends at {limit} s. To wait longer, set \
             {CALL_LIMIT_VARIABLE}=SECONDS."
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn rank_0_warns_once_of_a_long_call_and_the_ranks_end_it_one_after_the_other() {
        let begin = Instant::now();
        for rank in [0, 2, 1000] {
            let mut calls = LongCall::new("ior", rank, 100 * SECOND);
            let steps =
                (0..200).map(|second| (second, calls.step(Some((8, "sync")), begin + second * SECOND)));
            let steps: Vec<_> = steps.filter_map(|(second, step)| Some((second, step?))).collect();
            let warnings = steps.iter().filter(|(_, step)| matches!(step, CallStep::Warn(_))).count();
            assert_eq!(warnings, usize::from(rank == 0), "{steps:?}");
            let (second, step) =
                steps.iter().find(|(_, step)| matches!(step, CallStep::End(_))).expect("ended");
            assert_eq!(*second, 101 + rank.min(TURNS));
            let CallStep::End(line) = step else { unreachable!("the search returned it") };
            assert!(line.contains("(sync) has not ended in 100 s (ASSAY_CALL_LIMIT)"), "{line}");
        }
    }

    #[test]
    fn calls_in_a_row_do_not_count_as_one_long_call() {
        let (begin, mut calls) = (Instant::now(), LongCall::new("ior", 0, 100 * SECOND));
        for second in 0..1000 {
            let call = if second % 7 == 0 { None } else { Some((u64::from(second / 20), "transfer")) };
            assert_eq!(calls.step(call, begin + second * SECOND), None);
        }
    }
}
