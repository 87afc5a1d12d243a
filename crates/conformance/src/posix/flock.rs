//! Locks of whole files by flock(2) between ranks. They belong to open file descriptions, so they also keep
//! out other threads of one process.

use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::path::Path;

use results::record::Evidence;
use storage::locks::{self, Lock, Owner, Range};

use super::exclusion::{excludes, is_fresh, lock};
use super::killed;
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, ProblemContext};
use crate::system_file;

const DOCUMENT: &str = "Linux flock(2)";

pub(super) fn cases() -> Vec<ConformanceCase> {
    let case = |name, promise, body: fn(&mut CaseContext<'_>) -> CaseResult| {
        ConformanceCase::new(name, DOCUMENT, promise, body).ranks(2)
    };
    vec![
        case("flock.exclusion", "of ranks that lock a file exclusively, one is in at a time", |cx| {
            excludes(cx, Owner::Flock)
        }),
        case("flock.fresh", "a rank that holds a lock reads what the last holder wrote under it", |cx| {
            is_fresh(cx, Owner::Flock)
        }),
        case("flock.conflict", "a file that is locked exclusively is rejected to others", conflict),
        case("flock.shared", "many ranks may share a lock, and none may then lock exclusively", shared),
        case(
            "flock.close",
            "closing the file description of a lock gives it up, and closing another does not",
            close_releases,
        ),
        ConformanceCase::new(
            "flock.killed",
            DOCUMENT,
            "the lock of a killed process is free in time (--lock-release)",
            |cx| killed::releases(cx, Owner::Flock),
        )
        .waits_for_release(),
    ]
}

/// Locks or unlocks the file without waiting.
fn set(file: &File, kind: Lock) -> Result<(), CaseProblem> {
    lock(file, Owner::Flock, kind, Range::WHOLE, false)
}

/// Fails unless the lock is denied.
fn check_denied(path: &Path, file: &File, kind: Lock) -> Result<(), CaseProblem> {
    let what = format!("flock for {kind:?}");
    match locks::set(file.as_fd(), Owner::Flock, kind, Range::WHOLE, false) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
        Err(error) => Err(error).context(what),
        Ok(()) => Err(CaseProblem::with_evidence(Evidence {
            path: path.display().to_string(),
            expected: "EWOULDBLOCK".to_owned(),
            found: "success".to_owned(),
            what,
            ..Evidence::default()
        })),
    }
}

fn conflict(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 64))?;
    let file = cx.agree("open", system_file::open(&path))?;
    for turn in cx.turns() {
        cx.on_rank(turn, "lock", || set(&file, Lock::Write))?;
        let others = cx.rank() != turn;
        cx.all("ask for what another holds", || {
            [Lock::Write, Lock::Read]
                .into_iter()
                .filter(|_| others)
                .try_for_each(|kind| check_denied(&path, &file, kind))
        })?;
        cx.on_rank(turn, "unlock", || set(&file, Lock::None))?;
    }
    cx.all("share what was given up", || set(&file, Lock::Read).context("what was given up"))
}

fn shared(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 64))?;
    let file = cx.agree("open", system_file::open(&path))?;
    cx.all("share the lock", || set(&file, Lock::Read))?;
    for turn in cx.turns() {
        cx.on_rank(turn, "ask for it alone", || {
            // A denied change of a lock gives up the lock, so this rank gives it up before.
            set(&file, Lock::None)?;
            check_denied(&path, &file, Lock::Write)?;
            set(&file, Lock::Read)
        })?;
    }
    Ok(())
}

fn close_releases(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 64))?;
    let file = cx.agree("open", system_file::open(&path))?;
    cx.on_rank_0("lock, and close another description", || {
        set(&file, Lock::Write)?;
        system_file::open(&path).map(drop)
    })?;
    let others = cx.rank() != 0;
    cx.all("ask", || if others { check_denied(&path, &file, Lock::Write) } else { Ok(()) })?;
    let open = others.then_some(file);
    cx.comm.barrier()?;
    for turn in cx.turns().into_iter().filter(|turn| *turn > 0) {
        cx.on_rank(turn, "lock after the close", || {
            open.as_ref().map_or(Ok(()), |file| {
                set(file, Lock::Write).context("a lock after its holder closed the file")?;
                set(file, Lock::None)
            })
        })?;
    }
    Ok(())
}
