//! Whether the lock of a killed process is free soon, on its node and on the others.
//!
//! Rank 0 starts a process that takes the lock, and kills it. Then all ranks try to lock for reading, which
//! they may do at once.
//!
//! Invariant: every wait has an end, also if the file system hangs. The process ends with the rank.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, sleep};
use std::time::Duration;

use ranks::Reduce;
use results::record::Evidence;
use storage::locks::{self, Lock, Owner, Range};

use super::exclusion::{RankClocks, lock};
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, EarlyEnd, ProblemContext};
use crate::system_file;

/// The end of the line by which the process reports that it holds the lock.
const HOLDS: &str = "holds the lock";
/// How long the process may take to start and to lock.
const START: Duration = Duration::from_secs(20);
/// The clocks of two nodes are compared far better than this, nanoseconds.
const CLOCKS_NS: i64 = 50_000_000;
/// A rank tries again after this part of the time that it has waited.
const PAUSE_PART: u32 = 16;
const PAUSE_MIN: Duration = Duration::from_millis(1);
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// Locks a file, reports that, and holds the lock until `input` ends. For the process that a case kills.
pub fn hold_lock(owner: Owner, path: &Path, report: &mut dyn Write, input: &mut dyn Read) -> io::Result<()> {
    let file = File::options().read(true).write(true).open(path)?;
    locks::set(file.as_fd(), owner, Lock::Write, Range::WHOLE, true)?;
    writeln!(report, "{HOLDS}").and_then(|()| report.flush())?;
    io::copy(input, &mut io::sink()).map(drop)
}

/// The lock of a killed process is free in time.
pub(super) fn releases(cx: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let clocks = RankClocks::compare(cx)?;
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 64))?;
    let file = cx.agree("open", system_file::open(&path))?;
    cx.all("lock and unlock", || {
        lock(&file, owner, Lock::Read, Range::WHOLE, false)?;
        lock(&file, owner, Lock::None, Range::WHOLE, false)
    })?;
    let within = cx.lock_release.within;
    let start = || LockHolder::start((cx.lock_release.holder)(owner, &path));
    let mut holder = cx.agree("start a process that locks", (cx.rank() == 0).then(start).transpose())?;
    cx.all("ask for what the process holds", || match is_locked(&file, owner)? {
        true => Ok(()),
        false => Err(CaseProblem::Skipped(
            "the lock does not exclude this rank, so its release shows nothing".to_owned(),
        )),
    })?;
    let limit = |from: i64| from.saturating_add_unsigned(within.as_nanos() as u64);
    let mut kill = || -> Result<_, CaseProblem> {
        let begin = clocks.now(cx);
        holder.as_mut().map_or(Ok(()), LockHolder::kill).context("kill")?;
        Ok((begin, locked_until(cx, &clocks, &file, owner, limit(begin))?))
    };
    let (begin, free) = cx.agree("kill the process, then lock", kill())?;
    let mut killed = begin.to_le_bytes().to_vec();
    cx.comm.broadcast(0, &mut killed)?;
    let killed = killed.try_into().map_or(begin, i64::from_le_bytes);
    // This rank may have begun to wait before the kill.
    let rest = || match free {
        None => locked_until(cx, &clocks, &file, owner, limit(killed)),
        free => Ok(free),
    };
    let free = cx.agree("lock at the end of the time", rest())?;
    let waited = free.map(|free| Duration::from_nanos((free - killed).max(0) as u64));
    let is_early = free.is_some_and(|free| free + CLOCKS_NS < killed);
    cx.all("compare the times", || match waited {
        Some(_) if is_early => Err(not_released(&path, within, "free before the kill".to_owned())),
        Some(time) if time <= within => Ok(()),
        Some(time) => Err(not_released(&path, within, format!("after {:.3} s", time.as_secs_f64()))),
        None => Err(not_released(&path, within, "still locked".to_owned())),
    })?;
    cx.note = times(cx, waited.unwrap_or_default())?;
    Ok(())
}

fn not_released(path: &Path, within: Duration, found: String) -> CaseProblem {
    CaseProblem::with_evidence(Evidence {
        path: path.display().to_string(),
        expected: format!("free after at most {} s", within.as_secs()),
        found,
        what: "the lock of a killed process".to_owned(),
        ..Evidence::default()
    })
}

/// Whether another process excludes this rank.
fn is_locked(file: &File, owner: Owner) -> Result<bool, CaseProblem> {
    match locks::set(file.as_fd(), owner, Lock::Read, Range::WHOLE, false) {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(true),
        Err(error) => Err(error).context("lock"),
    }
}

/// When this rank got the lock; `None` if it did not until this time. Both are on rank 0's clock.
fn locked_until(
    cx: &CaseContext<'_>,
    clocks: &RankClocks,
    file: &File,
    owner: Owner,
    until: i64,
) -> Result<Option<i64>, CaseProblem> {
    let begin = clocks.now(cx);
    loop {
        let is_locked = is_locked(file, owner)?;
        let now = clocks.now(cx);
        if !is_locked || now >= until {
            return Ok((!is_locked).then_some(now));
        }
        let waited = Duration::from_nanos((now - begin).max(0) as u64);
        sleep((waited / PAUSE_PART).clamp(PAUSE_MIN, PAUSE_MAX));
    }
}

/// The longest time on the node of the killed process, and on the others. Collective.
fn times(cx: &CaseContext<'_>, waited: Duration) -> Result<String, EarlyEnd> {
    let first = cx.comm.split_by_node()?.reduce_one(cx.rank().into(), Reduce::Min)?;
    let is_elsewhere = first != 0;
    let mut longest = [0; 3];
    longest[usize::from(is_elsewhere)] = waited.as_nanos() as u64;
    longest[2] = is_elsewhere.into();
    cx.comm.all_reduce(&mut longest, Reduce::Max)?;
    let [here, elsewhere] = [longest[0], longest[1]].map(|ns| format!("{:.3} s", ns as f64 * 1e-9));
    let others = if longest[2] == 0 { String::new() } else { format!(", and {elsewhere} on other nodes") };
    Ok(format!("free {here} after the kill on the same node{others}"))
}

/// A process that holds a lock, until dropped.
struct LockHolder(Option<Child>);

impl LockHolder {
    /// Starts the process, and waits until it holds the lock.
    fn start(command: io::Result<Command>) -> Result<Self, CaseProblem> {
        let started = command.and_then(|mut command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
        });
        let skipped = |error| CaseProblem::Skipped(format!("cannot start a process: {error}"));
        let mut process = started.map_err(skipped)?;
        let output = process.stdout.take();
        let holder = Self(Some(process));
        let (sender, receiver) = mpsc::channel();
        // Another thread reads, because the file system may hang.
        thread::spawn(move || sender.send(output.map_or(Ok(()), wait_for_lock)));
        let late = || Err(format!("no lock after {} s", START.as_secs()));
        let locked = receiver.recv_timeout(START).unwrap_or_else(|_| late());
        locked.map(|()| holder).map_err(|why| CaseProblem::fail(format!("a process that locks: {why}")))
    }

    fn kill(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Child::kill)
    }
}

impl Drop for LockHolder {
    fn drop(&mut self) {
        let _ = self.kill();
        if let Some(mut process) = self.0.take() {
            // Another thread waits for its end, because the file system may hang.
            thread::spawn(move || process.wait());
        }
    }
}

/// Reads until the process reports that it holds the lock. The error is its last line.
fn wait_for_lock(output: ChildStdout) -> Result<(), String> {
    let mut last = "it ended".to_owned();
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        if line.ends_with(HOLDS) {
            return Ok(());
        }
        last = line;
    }
    Err(last)
}
