//! Whether locks exclude other ranks, and whether data is fresh under a lock. These are two promises: on some
//! file systems a lock is held while the client still reads old data from its cache.
//!
//! Exclusion is seen by the moments at which ranks hold the lock, on one clock. No data of the file system
//! takes part.

use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use ranks::ClockOffset;
use storage::locks::{self, Lock, Owner, Range};

use crate::context::{CaseContext, TURNS_MAX};
use crate::problem::{CaseProblem, CaseResult, EarlyEnd, ProblemContext};
use crate::system_file;

/// How often each rank takes the lock. With many ranks it is less, because they wait for each other.
fn holds_per_rank(ranks: u32) -> u64 {
    const MOST: u32 = 40;
    (MOST * TURNS_MAX / ranks).clamp(1, MOST).into()
}

/// The shortest time for which a rank holds the lock. It is long enough that another rank without exclusion
/// would get in between, also if it waits for a processor.
const HOLD: Duration = Duration::from_millis(1);
/// The lock is held for this multiple of the uncertainty between two clocks.
const HOLD_FACTOR: u64 = 8;

const COUNTER: Range = Range { start: 64, length: 8 };

/// A time in which a rank held the lock, on rank 0's clock, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeldLock {
    rank: u32,
    from: i64,
    to: i64,
    /// What the rank read from the counter, if it did.
    read: u64,
}

/// The clocks of all ranks.
pub(super) struct RankClocks {
    mine: ClockOffset,
    /// The largest error of any clock, nanoseconds.
    error_ns: u64,
}

impl RankClocks {
    /// Compares the clocks. Collective.
    pub(super) fn compare(cx: &CaseContext<'_>) -> Result<Self, EarlyEnd> {
        let mine = cx.comm.clock_offset(&|| cx.watch.now_ns())?;
        let error_ns = cx.comm.reduce_one(mine.uncertainty_ns, ranks::Reduce::Max)?;
        Ok(Self { mine, error_ns })
    }

    /// The time on rank 0's clock, nanoseconds.
    pub(super) fn now(&self, cx: &CaseContext<'_>) -> i64 {
        cx.watch.now_ns() as i64 + self.mine.offset_ns
    }

    fn hold(&self) -> Duration {
        HOLD.max(Duration::from_nanos(self.error_ns * HOLD_FACTOR))
    }
}

/// All ranks take the lock again and again. On rank 0, gives when each held it, in order. Collective.
fn take_turns(
    cx: &CaseContext<'_>,
    path: &Path,
    owner: Owner,
    clocks: &RankClocks,
    count: bool,
) -> Result<Vec<HeldLock>, EarlyEnd> {
    cx.on_rank_0("make", || std::fs::write(path, [0; 128]).context("write"))?;
    let file = cx.agree("open", system_file::open(path))?;
    let mut mine: Vec<[u64; 3]> = Vec::new();
    cx.all("hold the lock", || {
        for _ in 0..holds_per_rank(cx.size()) {
            lock(&file, owner, Lock::Write, COUNTER, true).context("wait for the lock")?;
            let from = clocks.now(cx);
            let read = if count { counter(&file)? } else { 0 };
            sleep(clocks.hold());
            if count {
                system_file::write_at(&file, &(read + 1).to_le_bytes(), COUNTER.start)?;
            }
            mine.push([from as u64, clocks.now(cx) as u64, read]);
            lock(&file, owner, Lock::None, COUNTER, false).context("unlock")?;
        }
        Ok(())
    })?;
    let bytes: Vec<u8> = mine.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let all = cx.comm.gather(&bytes)?.unwrap_or_default();
    let mut held: Vec<HeldLock> = (0..).zip(&all).flat_map(|(rank, bytes)| parse(rank, bytes)).collect();
    held.sort_by_key(|one| one.from);
    Ok(held)
}

fn parse(rank: u32, bytes: &[u8]) -> Vec<HeldLock> {
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let words: Vec<u64> = bytes.chunks_exact(8).map(word).collect();
    let one = |words: &[u64]| HeldLock { rank, from: words[0] as i64, to: words[1] as i64, read: words[2] };
    words.chunks_exact(3).map(one).collect()
}

/// The first two ranks that held the lock at once, with the nanoseconds. `held` is in the order of the
/// beginnings.
fn overlap(held: &[HeldLock], error_ns: u64) -> Option<(u32, u32, i64)> {
    let mut latest: Option<HeldLock> = None;
    for one in held {
        if let Some(before) = latest
            && before.to - one.from > 2 * error_ns as i64
        {
            return Some((before.rank, one.rank, before.to.min(one.to) - one.from));
        }
        latest = latest.filter(|before| before.to >= one.to).or(Some(*one));
    }
    None
}

/// Only one rank holds the lock at a time.
pub(super) fn excludes(cx: &CaseContext<'_>, owner: Owner) -> CaseResult {
    let clocks = RankClocks::compare(cx)?;
    let held = take_turns(cx, &cx.path("file"), owner, &clocks, false)?;
    cx.on_rank_0("compare the times", || match overlap(&held, clocks.error_ns) {
        None => Ok(()),
        Some((first, second, ns)) => Err(CaseProblem::fail(format!(
            "rank {first} and rank {second} held the lock at once, for {:.3} ms",
            ns as f64 * 1e-6
        ))),
    })
}

/// A rank that holds the lock reads what the last holder wrote.
pub(super) fn is_fresh(cx: &CaseContext<'_>, owner: Owner) -> CaseResult {
    let clocks = RankClocks::compare(cx)?;
    let path = cx.path("counter");
    let held = take_turns(cx, &path, owner, &clocks, true)?;
    cx.on_rank_0("compare what was read", || {
        if overlap(&held, clocks.error_ns).is_some() {
            let why = "more than one rank held the lock at once, so the data shows nothing";
            return Err(CaseProblem::Skipped(why.to_owned()));
        }
        match (0..).zip(&held).find(|(number, one)| one.read != *number) {
            None => Ok(()),
            Some((number, one)) => Err(stale(&path, number, one.read, one.rank)),
        }
    })
}

/// The problem of a rank that read another number than that of the writes under the lock before.
fn stale(path: &Path, expected: u64, found: u64, rank: u32) -> CaseProblem {
    let what = format!(
        "stale data: rank {rank} held the lock, alone, and did not read what the last holder wrote under it"
    );
    CaseProblem::at(path, COUNTER.start, expected.to_string(), found.to_string(), what)
}

fn counter(file: &File) -> Result<u64, CaseProblem> {
    let bytes = system_file::read_at(file, 8, COUNTER.start)?;
    Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| CaseProblem::fail("the counter is cut short"))?))
}

/// Sets or removes a lock; `Unsupported` if the file system has none.
pub(super) fn lock(
    file: &File,
    owner: Owner,
    lock: Lock,
    range: Range,
    wait: bool,
) -> Result<(), CaseProblem> {
    locks::set(file.as_fd(), owner, lock, range, wait).map_err(|error| match error.kind() {
        // Errors by which a system reports that it has no such locks.
        ErrorKind::InvalidInput | ErrorKind::Unsupported => CaseProblem::Unsupported(error.to_string()),
        _ if error.raw_os_error() == Some(37) => CaseProblem::Unsupported(error.to_string()),
        _ => CaseProblem::from(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(rank: u32, from: i64, to: i64) -> HeldLock {
        HeldLock { rank, from, to, read: 0 }
    }

    #[test]
    fn times_that_overlap_by_more_than_the_errors_of_the_clocks_are_found() {
        let apart = [held(0, 0, 100), held(1, 100, 200), held(0, 210, 300)];
        assert_eq!(overlap(&apart, 0), None);
        let within = [held(0, 0, 100), held(1, 90, 200)];
        assert_eq!((overlap(&within, 5), overlap(&within, 4)), (None, Some((0, 1, 10))));
        // A long time also overlaps one that is not the next.
        let long = [held(0, 0, 1000), held(0, 1000, 1001), held(2, 1000, 2000), held(3, 1500, 1600)];
        assert_eq!(overlap(&long, 1), Some((2, 3, 100)));
    }

    #[test]
    fn the_times_of_a_rank_are_read_back() {
        let bytes: Vec<u8> =
            [7_u64, 9, 3, -4_i64 as u64, 2, 1].iter().flat_map(|w| w.to_le_bytes()).collect();
        let wanted = [HeldLock { read: 3, ..held(5, 7, 9) }, HeldLock { read: 1, ..held(5, -4, 2) }];
        assert_eq!(parse(5, &bytes), wanted);
    }
}
