//! Reports while a run waits: which rank has been in which call on which file, and for how long. Rank 0 of a
//! launcher also reports that it waits for other ranks: one of their nodes may have lost its network.
//!
//! The kernel shows the call that a thread is in (`/proc/self/task/TID/syscall`). So the measured loop does
//! nothing for this.
//!
//! Never here: ending a run. `stuck` does that where ranks cannot meet any more.

mod call;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use results::record::WaitingCall;
use workloads::kit::current;

use crate::speech::complain;
use call::FileCall;

/// A call that lasts this long is reported, and again each time that it has lasted as long once more.
const LONG: Duration = Duration::from_secs(60);
/// The environment variable with another time, in seconds.
const REPORT_VARIABLE: &str = "ASSAY_WAIT_REPORT";
/// How often the calls are checked, as a part of the time after which they are reported.
const LOOKS: u32 = 12;
/// A call that lasts this long when the run is stopped is reported.
const MOMENT: Duration = Duration::from_millis(200);
/// Ranks with higher numbers report a call only once, so that a run of many ranks does not flood its output.
const REPEATING: u32 = 16;

/// What rank 0 does while it needs the others.
const WAITING: &str = "waiting for other ranks";

/// The directory of the records of this run, if it writes any.
static RECORDS: OnceLock<PathBuf> = OnceLock::new();
/// The calls in which the watch last saw the ranks.
static SEEN: Mutex<Vec<SeenCall>> = Mutex::new(Vec::new());
/// The ranks of this process and their threads, from the start of each rank to the end of the watch.
static RANKS: Mutex<Vec<RankThread>> = Mutex::new(Vec::new());

/// A rank of this process, and the kernel's number of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RankThread {
    rank: u32,
    thread: i32,
}

/// The call in which the watch last saw a rank, and since when.
#[derive(Clone, Debug)]
struct SeenCall {
    rank: u32,
    call: FileCall,
    since: Instant,
    /// The path of its file or directory, if the kernel does not show it but it is known.
    path: Option<String>,
}

/// Watches the ranks of this process until it is dropped.
pub(crate) struct WaitWatch {
    _end: Sender<()>,
}

/// A rank, and the call that it was last seen in.
struct WatchedRank {
    of: RankThread,
    seen: LongTime<FileCall>,
    /// The last call whose file is known. The kernel does not show the file of a descriptor that is being
    /// closed.
    known: Option<FileCall>,
}

/// Something that lasts: since when it was seen, and how often it was reported.
struct LongTime<T>(Option<(T, Instant, u32)>);

/// The time in the environment variable, or the default. Other text than a number of seconds is ignored: the
/// watch must not prevent a run.
fn report_after() -> Duration {
    let given = std::env::var(REPORT_VARIABLE).ok().and_then(|text| text.parse().ok());
    given.filter(|seconds| *seconds > 0).map_or(LONG, Duration::from_secs)
}

/// The lock is held only for a moment, never while the kernel is asked. So a rank that hangs stops no report.
fn ranks_here() -> MutexGuard<'static, Vec<RankThread>> {
    RANKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to watch a run. Its ranks enter by [`WaitWatch::rank`].
pub(crate) fn watch() -> WaitWatch {
    let (end, ended) = mpsc::channel();
    let long = report_after();
    // Without a watcher only the reports are missing.
    let _ = thread::Builder::new().name("waiting".to_owned()).spawn(move || {
        let (mut watched, mut wait) = (Vec::<WatchedRank>::new(), LongTime(None));
        while ended.recv_timeout(long / LOOKS) == Err(RecvTimeoutError::Timeout) {
            let known = watched.len();
            watched.extend(ranks_here().iter().skip(known).map(|of| WatchedRank {
                of: *of,
                seen: LongTime(None),
                known: None,
            }));
            if let Some(seconds) = wait.due(wait_of_rank_0(), Instant::now(), long, true) {
                complain_of(&format!("rank 0 has been {WAITING} for {seconds} s"));
            }
            for rank in &mut watched {
                let call = FileCall::of(rank.of.thread);
                rank.share(&call);
                if let Some(line) = rank.look(call, Instant::now(), long) {
                    complain_of(&line);
                }
            }
        }
    });
    WaitWatch { _end: end }
}

/// Notes the file of the records, on every process. The calls that ranks do not return from are recorded
/// beside it.
pub(crate) fn records_in(file: Option<&str>) {
    let dir = file.and_then(|file| Path::new(file).parent());
    // A process has one run.
    let _ = dir.map(|dir| RECORDS.set(dir.to_owned()));
}

/// Prints a line about a rank, with the phase that it is in.
pub(crate) fn complain_of(rank: &str) {
    match current::phase() {
        Some(phase) => complain(&format!("assay: {rank}, in phase {phase}")),
        None => complain(&format!("assay: {rank}")),
    }
}

impl WaitWatch {
    /// The calling thread is this rank.
    pub(crate) fn rank(&self, rank: u32) {
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        ranks_here().push(RankThread { rank, thread });
    }
}

impl Drop for WaitWatch {
    fn drop(&mut self) {
        ranks_here().clear();
    }
}

impl WatchedRank {
    /// Shares the call that the rank is in now with the thread that handles signals.
    fn share(&self, call: &Option<FileCall>) {
        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        let rank = self.of.rank;
        let known = seen.iter().position(|seen| seen.rank == rank);
        if known.is_some_and(|at| Some(&seen[at].call) == call.as_ref()) {
            return;
        }
        let _ = known.map(|at| seen.swap_remove(at));
        if let Some(call) = call {
            let path = self.known.as_ref().and_then(|before| call.path_from(before));
            seen.push(SeenCall { rank, call: call.clone(), since: Instant::now(), path });
        }
    }

    /// Notes the call that the rank is in now. Gives the line to print, if it lasts long.
    fn look(&mut self, call: Option<FileCall>, now: Instant, long: Duration) -> Option<String> {
        if let Some(call) = call.as_ref().filter(|call| call.has_file()) {
            self.known = Some(call.clone());
        }
        let seconds = self.seen.due(call.clone(), now, long, self.of.rank < REPEATING)?;
        let call = call?;
        let before = match &self.known {
            Some(known) if !call.has_file() => format!(" (last seen in {known})"),
            _ => String::new(),
        };
        Some(format!("rank {} has been in {call} for {seconds} s{before}", self.of.rank))
    }
}

impl<T: PartialEq> LongTime<T> {
    /// Notes what lasts now. Gives its seconds if they have reached `long`, or if `repeats` once more of it.
    fn due(&mut self, what: Option<T>, now: Instant, long: Duration, repeats: bool) -> Option<u64> {
        match &mut self.0 {
            Some((seen, since, reported)) if Some(&*seen) == what.as_ref() => {
                let lasted = now.duration_since(*since);
                let is_due = lasted >= long * (*reported + 1) && (repeats || *reported == 0);
                if is_due {
                    *reported = (lasted.as_nanos() / long.as_nanos()) as u32;
                }
                is_due.then_some(lasted.as_secs())
            }
            _ => {
                self.0 = what.map(|what| (what, now, 0));
                None
            }
        }
    }
}

/// The wait for other ranks that this process is in, if it is rank 0 of a launcher.
fn wait_of_rank_0() -> Option<u64> {
    ranks::mpi::current_wait().filter(|_| ranks_here().iter().any(|of| of.rank == 0))
}

/// The calls on files that ranks of this process do not return from, and the wait of rank 0 for others. A
/// line for each rank, at most `most`. All calls are also recorded, if the run has records. This takes a
/// moment, in which a call at work ends.
pub(crate) fn stuck_ranks(most: usize) -> Vec<String> {
    let (first, wait) = (calls_of_ranks(), wait_of_rank_0());
    if first.is_empty() && wait.is_none() {
        return Vec::new();
    }
    thread::sleep(MOMENT);
    let mut stuck = calls_of_ranks();
    stuck.retain(|call| first.contains(call));
    record(&stuck);
    let stuck = stuck.into_iter().map(|(rank, call)| format!("rank {rank} was in {call}"));
    let waits = wait.filter(|wait| wait_of_rank_0() == Some(*wait));
    waits.map(|_| format!("rank 0 was {WAITING}")).into_iter().chain(stuck).take(most).collect()
}

/// Records calls that ranks do not return from. If this fails, only the record is missing.
fn record(stuck: &[(u32, FileCall)]) {
    let Some(dir) = RECORDS.get() else { return };
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let node = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let calls: Vec<WaitingCall> = stuck
        .iter()
        .map(|(rank, call)| {
            let known = seen.iter().find(|seen| seen.rank == *rank && seen.call == *call);
            let seconds = known.map_or(0, |seen| seen.since.elapsed().as_secs());
            let recorded = call.to_record();
            let path = known.and_then(|seen| seen.path.clone()).unwrap_or(recorded.path);
            WaitingCall { rank: *rank, node: node.clone(), path, seconds, ..recorded }
        })
        .collect();
    let _ = WaitingCall::write_all(dir, &calls);
}

/// The call on a file that each rank of this process is in, if any, in the order of the ranks.
fn calls_of_ranks() -> Vec<(u32, FileCall)> {
    let mut ranks = ranks_here().clone();
    ranks.sort_unstable();
    ranks.into_iter().filter_map(|of| Some((of.rank, FileCall::of(of.thread)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_long_call_is_reported_every_minute_and_by_high_ranks_once() {
        for (rank, wanted) in [(0, &[60, 120, 180][..]), (REPEATING, &[60][..])] {
            let mut watched =
                WatchedRank { of: RankThread { rank, thread: 0 }, seen: LongTime(None), known: None };
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
    fn a_long_close_is_reported_with_the_file_of_the_call_before() {
        let mut watched =
            WatchedRank { of: RankThread { rank: 0, thread: 0 }, seen: LongTime(None), known: None };
        let begin = Instant::now();
        let mut at = |seconds: u32, call| watched.look(call, begin + seconds * SECOND, 60 * SECOND);
        assert_eq!(at(0, Some(FileCall::example("write", 7))), None);
        assert_eq!(at(5, None), None);
        assert_eq!(at(10, Some(FileCall::closing())), None);
        let line = "rank 0 has been in close for 60 s (last seen in write at 7 of FILE)";
        assert_eq!(at(70, Some(FileCall::closing())).as_deref(), Some(line));
    }

    #[test]
    fn a_close_is_recorded_with_its_file_or_directory_only_if_data_was_moved_before_it() {
        let rank = u32::MAX;
        for (before, path) in [
            (FileCall::example("write", 7), Some("FILE")),
            (FileCall::opening("wchar: 9"), Some("/s/d")),
            (FileCall::opening(""), None),
        ] {
            let of = RankThread { rank, thread: 0 };
            let mut watched = WatchedRank { of, seen: LongTime(None), known: None };
            for call in [Some(before), Some(FileCall::closing()), Some(FileCall::closing())] {
                watched.share(&call);
                watched.look(call, Instant::now(), 60 * SECOND);
            }
            let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let seen = seen.into_iter().find(|seen| seen.rank == rank).unwrap();
            assert_eq!((seen.call, seen.path.as_deref()), (FileCall::closing(), path));
            watched.share(&None);
        }
    }

    #[test]
    fn calls_one_after_the_other_and_times_without_a_call_are_no_long_call() {
        let mut watched =
            WatchedRank { of: RankThread { rank: 0, thread: 0 }, seen: LongTime(None), known: None };
        let begin = Instant::now();
        for turn in 0..100 {
            let call = Some(FileCall::example("write", u64::from(turn) / 10)).filter(|_| turn % 7 > 0);
            assert_eq!(watched.look(call, begin + turn * 5 * SECOND, 60 * SECOND), None);
        }
    }

    #[test]
    fn ranks_that_stay_in_a_call_are_reported_in_order_until_the_watch_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let watch = watch();
        let mut printed = 0;
        let (lines, _both_ends) = thread::scope(|scope| {
            // The opening of a pipe lasts until another thread opens its other end.
            for rank in [7, 3] {
                let (watch, path, (sender, entered)) = (&watch, &path, mpsc::channel());
                scope.spawn(move || {
                    watch.rank(rank);
                    sender.send(()).unwrap();
                    std::fs::File::open(path).unwrap();
                });
                entered.recv().unwrap();
            }
            let mut lines = Vec::new();
            for _ in 0..50 {
                lines = stuck_ranks(9);
                if lines.len() == 2 {
                    break;
                }
            }
            records_in(dir.path().join("records").to_str());
            printed = stuck_ranks(1).len();
            // It stays open until the others are, also if one comes later.
            (lines, std::fs::File::options().read(true).write(true).open(&path).unwrap())
        });
        let line = |rank| format!("rank {rank} was in open of {}", path.display());
        assert_eq!((lines, printed), (vec![line(3), line(7)], 1));
        let recorded = std::fs::read_to_string(dir.path().join("waits.3.jsonl")).unwrap();
        let ranks = WaitingCall::read_all(&recorded).into_iter().map(|call| call.rank);
        assert_eq!(ranks.collect::<Vec<_>>(), [3, 7], "all are recorded");
        assert_eq!(ranks_here().len(), 2);
        drop(watch);
        assert_eq!(*ranks_here(), []);
    }
}
