//! Byte-range locks between ranks.

use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use results::record::Evidence;
use storage::locks::{self, Lock, Owner, Range};

use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::{Scene, TURNS};
use crate::mpi_io::stop::{Told, Trouble, Verdict};

const DOCUMENT: &str = "POSIX.1-2017 fcntl, F_SETLK";

pub(super) fn cases() -> Vec<Case> {
    let case = |name, promise, body: fn(&mut Scene<'_>) -> Verdict| {
        Case::new(name, DOCUMENT, promise, body).ranks(2).processes()
    };
    vec![
        case(
            "posix.locks.exclusion",
            "of ranks that lock one range for writing, one is in at a time",
            |scene| exclusion(scene, Owner::Process),
        ),
        case(
            "posix.locks.conflict",
            "a range that is locked is refused to others, and those beside are not",
            conflict,
        ),
        case(
            "posix.locks.shared",
            "many ranks may read-lock a range, and none may then write-lock it",
            shared,
        ),
        case("posix.locks.close", "closing a file gives up the locks of the process", close),
        Case::new(
            "posix.locks.descriptions",
            "POSIX.1-2024 fcntl, F_OFD_SETLKW",
            "locks of open file descriptions keep out others, also within one process",
            |scene| exclusion(scene, Owner::Description),
        )
        .ranks(2),
    ]
}

/// How often each rank goes in: where there are many, they wait long for each other.
fn visits(ranks: u32) -> u64 {
    const MOST: u32 = 40;
    (MOST * TURNS / ranks).clamp(1, MOST).into()
}

/// How long a rank stays between its load and its store: long enough for others to come in, if they can, also
/// where they wait for a processor meanwhile.
const STAY: Duration = Duration::from_millis(1);

const COUNTER: Range = Range { start: 64, length: 8 };

fn lock(file: &File, owner: Owner, lock: Lock, range: Range, wait: bool) -> Result<(), Trouble> {
    locks::set(file.as_fd(), owner, lock, range, wait).map_err(|error| match error.kind() {
        // A system without such locks says so with its own error for them.
        ErrorKind::InvalidInput | ErrorKind::Unsupported => Trouble::Unsupported(error.to_string()),
        _ if error.raw_os_error() == Some(37) => Trouble::Unsupported(error.to_string()),
        _ => Trouble::from(error),
    })
}

fn exclusion(scene: &Scene<'_>, owner: Owner) -> Verdict {
    let path = scene.path("counter");
    scene.on_rank_0("make", || std::fs::write(&path, [0; 128]).told("write"))?;
    let file = scene.agree("open", look::open(&path))?;
    let visits = visits(scene.size());
    scene.all("count under a lock", || (0..visits).try_for_each(|_| visit(&file, owner)))?;
    let wanted = visits * u64::from(scene.size());
    scene.all("look", || {
        let found = counter(&file)?;
        if found == wanted {
            return Ok(());
        }
        Err(Trouble::seen(Evidence {
            path: path.display().to_string(),
            offset: Some(COUNTER.start),
            expected: wanted.to_string(),
            found: found.to_string(),
            what: "counted under a lock: more than one rank was in at once".to_owned(),
            ..Evidence::default()
        }))
    })
}

fn visit(file: &File, owner: Owner) -> Result<(), Trouble> {
    lock(file, owner, Lock::Write, COUNTER, true).map_err(|trouble| trouble.of("wait for the lock"))?;
    let counted = counter(file)?;
    sleep(STAY);
    look::write_at(file, &(counted + 1).to_le_bytes(), COUNTER.start)?;
    lock(file, owner, Lock::None, COUNTER, false).map_err(|trouble| trouble.of("unlock"))
}

fn counter(file: &File) -> Result<u64, Trouble> {
    let bytes = look::read_at(file, 8, COUNTER.start)?;
    Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| Trouble::fail("the counter is cut short"))?))
}

/// Trouble unless the lock is refused, and its holder told.
fn refused(path: &Path, file: &File, kind: Lock, range: Range) -> Result<(), Trouble> {
    let told = |expected: &str, found: String, what: String| {
        let (path, offset) = (path.display().to_string(), Some(range.start));
        let expected = expected.to_owned();
        Err(Trouble::seen(Evidence { path, offset, expected, found, what, ..Evidence::default() }))
    };
    let what = format!("lock of {} bytes for {kind:?}", range.length);
    match locks::set(file.as_fd(), Owner::Process, kind, range, false) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => {}
        Err(error) => return Err(error).told(what),
        Ok(()) => return told("EAGAIN or EACCES", "success".to_owned(), what),
    }
    match locks::holder(file.as_fd(), Owner::Process, kind, range).told("F_GETLK")? {
        Some(_) => Ok(()),
        None => told("a holder", "none".to_owned(), format!("F_GETLK before a {what}")),
    }
}

fn conflict(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, size) = (u64::from(scene.rank()), u64::from(scene.size()));
    scene.on_rank_0("make", || look::prefill(&path, 4096))?;
    let file = scene.agree("open", look::open(&path))?;
    let of = |rank: u64| Range { start: rank * 100, length: 100 };
    let set = |kind, range| lock(&file, Owner::Process, kind, range, false);
    scene.all("lock ranges side by side", || set(Lock::Write, of(rank)))?;
    scene.all("ask for what others hold", || {
        let next = of((rank + 1) % size);
        refused(&path, &file, Lock::Write, next)?;
        refused(&path, &file, Lock::Read, Range { start: next.start + 99, length: 1 })
    })?;
    scene.all("ask for what nobody holds", || {
        let free = Range { start: size * 100 + rank, length: 1 };
        set(Lock::Write, free).map_err(|trouble| trouble.of("a range beside those that are locked"))
    })?;
    scene.all("unlock", || set(Lock::None, of(rank)))?;
    let turn = || set(Lock::Read, of((rank + 1) % size));
    scene.all("lock what was given up", || turn().map_err(|trouble| trouble.of("what was given up")))
}

fn shared(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 64))?;
    let file = scene.agree("open", look::open(&path))?;
    let all = Range { start: 0, length: 0 };
    scene.all("read-lock", || lock(&file, Owner::Process, Lock::Read, all, false))?;
    scene.all("ask to write", || refused(&path, &file, Lock::Write, Range { start: 5, length: 1 }))
}

fn close(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 64))?;
    let file = scene.agree("open", look::open(&path))?;
    let all = Range { start: 0, length: 0 };
    scene.on_rank_0("lock", || lock(&file, Owner::Process, Lock::Write, all, false))?;
    let others = scene.rank() != 0;
    scene.all("ask", || if others { refused(&path, &file, Lock::Write, all) } else { Ok(()) })?;
    let kept = others.then_some(file);
    scene.comm.barrier()?;
    for turn in scene.turns().into_iter().filter(|turn| *turn > 0) {
        let file = kept.as_ref().filter(|_| scene.rank() == turn);
        scene.all("lock after the close", || {
            let Some(file) = file else { return Ok(()) };
            lock(file, Owner::Process, Lock::Write, all, false)
                .map_err(|trouble| trouble.of("a lock after its holder closed the file"))?;
            lock(file, Owner::Process, Lock::None, all, false)
        })?;
    }
    Ok(())
}
