//! When a rank's writes are visible to other ranks, without atomic mode.

use std::path::Path;

use storage::mpi_file::{At, CallStatus, Flag, Participation};

use super::mpi_cases;
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::{CREATE_READ_WRITE, OpenFile};
use crate::problem::{CaseProblem, CaseResult, ProblemContext};
use crate::system_file;
use crate::test_data;

const SECTION: &str = "MPI 4.1 section 14.6.1";

pub(super) fn cases() -> Vec<ConformanceCase> {
    mpi_cases(&[
        (
            "consistency.sync_barrier_sync",
            SECTION,
            "what was written is seen by all after sync, barrier, sync",
            sync_barrier_sync,
        ),
        (
            "consistency.close_open",
            SECTION,
            "what was written is seen by all who open after it was closed",
            close_open,
        ),
        ("consistency.own", SECTION, "a rank reads at once what it has written itself", own),
    ])
}

const LENGTH: usize = 3000;

/// Offset of a rank's piece.
fn place(rank: u32) -> u64 {
    u64::from(rank) * LENGTH as u64
}

/// Writes the piece of a rank in a round.
fn write(file: &OpenFile, rank: u32, round: u32) -> Result<CallStatus, CaseProblem> {
    let (at, data) = (At::Offset(place(rank) as i64), test_data::bytes(rank, round, LENGTH));
    file.write(at, Participation::Independent, &data, file.bytes(LENGTH)).context("write_at")
}

/// Fails unless the piece of a rank is that of this round.
fn check_written(file: &OpenFile, path: &Path, rank: u32, round: u32) -> Result<(), CaseProblem> {
    let wanted = test_data::bytes(rank, round, LENGTH);
    file.check_at(&format!("written by rank {rank}"), path, place(rank), &wanted)
}

fn sync_barrier_sync(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, size) = (cx.rank(), cx.size());
    cx.on_rank_0("make", || system_file::prefill(&path, LENGTH * size as usize))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let writer = (rank + 1) % size;
    for round in 0..3 {
        cx.all("read what was there", || {
            let (at, mut room) = (At::Offset(place(writer) as i64), vec![0; LENGTH]);
            file.read(at, Participation::Independent, &mut room, file.bytes(LENGTH)).context("read_at")
        })?;
        cx.all("write", || write(&file, rank, round))?;
        cx.sync(&file)?;
        cx.all("read what another wrote", || check_written(&file, &path, writer, round))?;
    }
    cx.close(file)
}

fn close_open(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, size) = (cx.rank(), cx.size());
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    cx.all("write", || write(&file, rank, 1))?;
    cx.close(file)?;
    let file = cx.open(&path, &[Flag::ReadOnly])?;
    cx.all("read what others wrote", || {
        (0..size).try_for_each(|writer| check_written(&file, &path, writer, 1))
    })?;
    cx.close(file)
}

fn own(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let rank = cx.rank();
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    cx.all("write and read", || {
        (0..4).try_for_each(|round| {
            write(&file, rank, round)?;
            file.check_at("own data", &path, place(rank), &test_data::bytes(rank, round, LENGTH))
        })
    })?;
    cx.close(file)
}
