//! Byte-range locks between ranks.

use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::path::Path;

use storage::locks::{self, Lock, Owner, Range};

use super::exclusion::{excludes, is_fresh, lock};
use super::killed;
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, ProblemContext};
use crate::system_file;

const DOCUMENT: &str = "POSIX.1-2017 fcntl, F_SETLK";

pub(super) fn cases() -> Vec<ConformanceCase> {
    let case = |name, promise, body: fn(&mut CaseContext<'_>) -> CaseResult| {
        ConformanceCase::new(name, DOCUMENT, promise, body).ranks(2).processes()
    };
    vec![
        case(
            "posix.locks.exclusion",
            "of ranks that lock one range for writing, one is in at a time",
            |cx| excludes(cx, Owner::Process),
        ),
        case(
            "posix.locks.fresh",
            "a rank that holds a lock reads what the last holder wrote under it",
            |cx| is_fresh(cx, Owner::Process),
        ),
        case(
            "posix.locks.conflict",
            "a range that is locked is rejected to others, and those beside are not",
            conflict,
        ),
        case(
            "posix.locks.shared",
            "many ranks may read-lock a range, and none may then write-lock it",
            shared,
        ),
        case("posix.locks.close", "closing a file gives up the locks of the process", close_releases),
        ConformanceCase::new(
            "posix.locks.descriptions",
            "POSIX.1-2024 fcntl, F_OFD_SETLKW",
            "locks of open file descriptions keep out others, also within one process",
            |cx| excludes(cx, Owner::Description),
        )
        .ranks(2),
        ConformanceCase::new(
            "posix.locks.descriptions_fresh",
            "POSIX.1-2024 fcntl, F_OFD_SETLKW",
            "under a lock of an open file description, a rank reads what the last holder wrote",
            |cx| is_fresh(cx, Owner::Description),
        )
        .ranks(2),
        ConformanceCase::new(
            "posix.locks.killed",
            DOCUMENT,
            "the lock of a killed process is free in time (--lock-release)",
            |cx| killed::releases(cx, Owner::Process),
        )
        .waits_for_release(),
        ConformanceCase::new(
            "posix.locks.descriptions_killed",
            "POSIX.1-2024 fcntl, F_OFD_SETLK",
            "the lock of a file description that only a killed process had is free in time (--lock-release)",
            |cx| killed::releases(cx, Owner::Description),
        )
        .waits_for_release(),
    ]
}

/// Fails unless the lock is denied, and the query reports its holder.
fn check_conflict(path: &Path, file: &File, kind: Lock, range: Range) -> Result<(), CaseProblem> {
    let failure = |expected: &str, found: &str, what: String| {
        Err(CaseProblem::at(path, range.start, expected.to_owned(), found.to_owned(), what))
    };
    let what = format!("lock of {} bytes for {kind:?}", range.length);
    match locks::set(file.as_fd(), Owner::Process, kind, range, false) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => {}
        Err(error) => return Err(error).context(what),
        Ok(()) => return failure("EAGAIN or EACCES", "success", what),
    }
    match locks::holder(file.as_fd(), Owner::Process, kind, range).context("F_GETLK")? {
        Some(_) => Ok(()),
        None => failure("a holder", "none", format!("F_GETLK before a {what}")),
    }
}

fn conflict(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, size) = (u64::from(cx.rank()), u64::from(cx.size()));
    cx.on_rank_0("make", || system_file::prefill(&path, 4096))?;
    let file = cx.agree("open", system_file::open(&path))?;
    let of = |rank: u64| Range { start: rank * 100, length: 100 };
    let set = |kind, range| lock(&file, Owner::Process, kind, range, false);
    cx.all("lock ranges side by side", || set(Lock::Write, of(rank)))?;
    cx.all("ask for what others hold", || {
        let next = of((rank + 1) % size);
        check_conflict(&path, &file, Lock::Write, next)?;
        check_conflict(&path, &file, Lock::Read, Range { start: next.start + 99, length: 1 })
    })?;
    cx.all("request an unlocked range", || {
        let free = Range { start: size * 100 + rank, length: 1 };
        set(Lock::Write, free).context("a range beside those that are locked")
    })?;
    cx.all("unlock", || set(Lock::None, of(rank)))?;
    let turn = || set(Lock::Read, of((rank + 1) % size));
    cx.all("lock what was given up", || turn().context("what was given up"))
}

fn shared(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 64))?;
    let file = cx.agree("open", system_file::open(&path))?;
    cx.all("read-lock", || lock(&file, Owner::Process, Lock::Read, Range::WHOLE, false))?;
    cx.all("ask to write", || check_conflict(&path, &file, Lock::Write, Range { start: 5, length: 1 }))
}

fn close_releases(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 64))?;
    let file = cx.agree("open", system_file::open(&path))?;
    cx.on_rank_0("lock", || lock(&file, Owner::Process, Lock::Write, Range::WHOLE, false))?;
    let others = cx.rank() != 0;
    cx.all("ask", || if others { check_conflict(&path, &file, Lock::Write, Range::WHOLE) } else { Ok(()) })?;
    let kept = others.then_some(file);
    cx.comm.barrier()?;
    for turn in cx.turns().into_iter().filter(|turn| *turn > 0) {
        let file = kept.as_ref().filter(|_| cx.rank() == turn);
        cx.all("lock after the close", || {
            let Some(file) = file else { return Ok(()) };
            lock(file, Owner::Process, Lock::Write, Range::WHOLE, false)
                .context("a lock after its holder closed the file")?;
            lock(file, Owner::Process, Lock::None, Range::WHOLE, false)
        })?;
    }
    Ok(())
}
