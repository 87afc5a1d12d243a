//! Reports while a run waits: which rank has been in which call on which file, and for how long.
//!
//! The kernel shows the call that a thread is in (`/proc/self/task/TID/syscall`). So the measured loop does
//! nothing for this, and a rank reports only calls on files, not its wait for other ranks.
//!
//! Never here: ending a run. `stuck` does that where ranks cannot meet any more.

mod call;

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::speech::complain;
pub(crate) use call::FileCall;

/// A call that lasts this long is reported, and again each time that it has lasted as long once more.
const LONG: Duration = Duration::from_secs(60);
/// The environment variable with another time, in seconds.
pub(crate) const REPORT_VARIABLE: &str = "ASSAY_WAIT_REPORT";
/// How often the calls are checked, as a part of the time after which they are reported.
const LOOKS: u32 = 12;
/// A call that lasts this long when the run is stopped is reported.
const MOMENT: Duration = Duration::from_millis(200);
/// Ranks with higher numbers report a call only once, so that a run of many ranks does not flood its output.
const REPEATING: u32 = 16;

/// Watches the ranks of this process until it is dropped.
pub(crate) struct WaitWatch {
    ranks: Arc<Mutex<Vec<WatchedRank>>>,
    _end: Sender<()>,
}

/// A rank, its thread, and the call that it was last seen in.
struct WatchedRank {
    rank: u32,
    thread: i32,
    seen: Option<SeenCall>,
}

struct SeenCall {
    call: FileCall,
    since: Instant,
    reported: u32,
}

/// The time in the environment variable, or the default. Other text than a number of seconds is ignored: the
/// watch must not prevent a run.
fn report_after() -> Duration {
    let given = std::env::var(REPORT_VARIABLE).ok().and_then(|text| text.parse().ok());
    given.filter(|seconds| *seconds > 0).map_or(LONG, Duration::from_secs)
}

/// Starts to watch a run of `program`. Its ranks enter by [`WaitWatch::rank`].
pub(crate) fn watch(program: &'static str) -> WaitWatch {
    let ranks: Arc<Mutex<Vec<WatchedRank>>> = Arc::default();
    let (end, ended) = mpsc::channel();
    let (watched, long) = (Arc::clone(&ranks), report_after());
    // Without a watcher only the reports are missing.
    let _ = thread::Builder::new().name("waiting".to_owned()).spawn(move || {
        while ended.recv_timeout(long / LOOKS) == Err(RecvTimeoutError::Timeout) {
            let mut ranks = watched.lock().unwrap_or_else(PoisonError::into_inner);
            for rank in ranks.iter_mut() {
                let call = FileCall::of(rank.thread);
                if let Some(line) = rank.look(call, Instant::now(), long) {
                    complain(&format!("{program}: {line}"));
                }
            }
        }
    });
    WaitWatch { ranks, _end: end }
}

impl WaitWatch {
    /// The calling thread is this rank.
    pub(crate) fn rank(&self, rank: u32) {
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        let mut ranks = self.ranks.lock().unwrap_or_else(PoisonError::into_inner);
        ranks.push(WatchedRank { rank, thread, seen: None });
    }
}

impl WatchedRank {
    /// Notes the call that the rank is in now. Gives the line to print, if it lasts long.
    fn look(&mut self, call: Option<FileCall>, now: Instant, long: Duration) -> Option<String> {
        let Some(call) = call else {
            self.seen = None;
            return None;
        };
        let Some(seen) = self.seen.as_mut().filter(|seen| seen.call == call) else {
            self.seen = Some(SeenCall { call, since: now, reported: 0 });
            return None;
        };
        let lasted = now.duration_since(seen.since);
        let due = long * (seen.reported + 1);
        if lasted < due || (self.rank >= REPEATING && seen.reported > 0) {
            return None;
        }
        seen.reported = (lasted.as_nanos() / long.as_nanos()) as u32;
        Some(format!("rank {} has been in {} for {} s", self.rank, seen.call, lasted.as_secs()))
    }
}

/// The calls on files that local ranks do not return from, a line for each rank, with at most `most` lines.
/// This takes a moment, in which a call at work ends.
pub(crate) fn stuck_local_ranks(most: usize) -> Vec<String> {
    let first = calls_of_local_ranks();
    if first.is_empty() {
        return Vec::new();
    }
    thread::sleep(MOMENT);
    let stuck = calls_of_local_ranks().into_iter().filter(|call| first.contains(call));
    stuck.take(most).map(|(rank, call)| format!("rank {rank} was in {call}")).collect()
}

/// The call on a file that each local rank is in, if any. The threads of local ranks have their names. A
/// single rank is the main thread.
fn calls_of_local_ranks() -> Vec<(u32, FileCall)> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let numbered = threads.filter_map(|entry| {
        let thread: i32 = entry.file_name().to_str()?.parse().ok()?;
        let name = std::fs::read_to_string(entry.path().join("comm")).ok()?;
        Some((name.trim().strip_prefix("rank ")?.parse::<u32>().ok()?, thread))
    });
    let mut ranks: Vec<(u32, i32)> = numbered.collect();
    ranks.sort_unstable();
    if ranks.is_empty() {
        ranks.push((0, rustix::process::getpid().as_raw_nonzero().get()));
    }
    ranks.into_iter().filter_map(|(rank, thread)| Some((rank, FileCall::of(thread)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_long_call_is_reported_every_minute_and_by_high_ranks_once() {
        for (rank, wanted) in [(0, &[60, 120, 180][..]), (REPEATING, &[60][..])] {
            let mut watched = WatchedRank { rank, thread: 0, seen: None };
            let begin = Instant::now();
            let lines: Vec<String> = (0..40)
                .filter_map(|turn| {
                    watched.look(Some(FileCall::example("write", 7)), begin + turn * 5 * SECOND, 60 * SECOND)
                })
                .collect();
            let expected: Vec<String> = wanted
                .iter()
                .map(|seconds| format!("rank {rank} has been in write at 7 of FILE for {seconds} s"))
                .collect();
            assert_eq!(lines, expected);
        }
    }

    #[test]
    fn calls_one_after_the_other_and_times_without_a_call_are_no_long_call() {
        let mut watched = WatchedRank { rank: 0, thread: 0, seen: None };
        let begin = Instant::now();
        for turn in 0..100 {
            let call = Some(FileCall::example("write", u64::from(turn) / 10)).filter(|_| turn % 7 > 0);
            assert_eq!(watched.look(call, begin + turn * 5 * SECOND, 60 * SECOND), None);
        }
    }
}
