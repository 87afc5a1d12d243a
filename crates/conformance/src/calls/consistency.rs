//! When a rank's writes are visible to other ranks, without atomic mode.

use storage::mpi_file::{At, Elements, Flag, Participation};

use super::{byte, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseResult, ProblemContext, check_bytes};
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

fn sync_barrier_sync(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, size, byte) = (cx.rank(), cx.size(), byte(cx)?);
    cx.on_rank_0("make", || system_file::prefill(&path, LENGTH * size as usize))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let at = |rank: u32| At::Offset(i64::from(rank) * LENGTH as i64);
    let whole = || Elements::new(&byte, LENGTH as i32);
    for round in 0..3 {
        cx.all("read what was there", || {
            let mut room = vec![0; LENGTH];
            file.read(at((rank + 1) % size), Participation::Independent, &mut room, whole())
                .map(drop)
                .context("read_at")
        })?;
        let data = test_data::bytes(rank, round, LENGTH);
        cx.all("write", || {
            file.write(at(rank), Participation::Independent, &data, whole()).map(drop).context("write_at")
        })?;
        cx.sync(&file)?;
        let writer = (rank + 1) % size;
        cx.all("read what another wrote", || {
            let mut found = vec![0; LENGTH];
            file.read(at(writer), Participation::Independent, &mut found, whole()).context("read_at")?;
            let wanted = test_data::bytes(writer, round, LENGTH);
            let place = u64::from(writer) * LENGTH as u64;
            check_bytes(&format!("written by rank {writer}"), &path, place, &wanted, &found)
        })?;
    }
    cx.close(file)
}

fn close_open(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, size, byte) = (cx.rank(), cx.size(), byte(cx)?);
    let whole = || Elements::new(&byte, LENGTH as i32);
    let at = |rank: u32| At::Offset(i64::from(rank) * LENGTH as i64);
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let data = test_data::bytes(rank, 1, LENGTH);
    cx.all("write", || {
        file.write(at(rank), Participation::Independent, &data, whole()).map(drop).context("write_at")
    })?;
    cx.close(file)?;
    let file = cx.open(&path, &[Flag::ReadOnly])?;
    cx.all("read what others wrote", || {
        (0..size).try_for_each(|writer| {
            let mut found = vec![0; LENGTH];
            file.read(at(writer), Participation::Independent, &mut found, whole()).context("read_at")?;
            let (wanted, place) = (test_data::bytes(writer, 1, LENGTH), u64::from(writer) * LENGTH as u64);
            check_bytes(&format!("written by rank {writer}"), &path, place, &wanted, &found)
        })
    })?;
    cx.close(file)
}

fn own(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, byte) = (cx.rank(), byte(cx)?);
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let at = At::Offset(i64::from(rank) * LENGTH as i64);
    cx.all("write and read", || {
        (0..4).try_for_each(|round| {
            let (data, mut found) = (test_data::bytes(rank, round, LENGTH), vec![0; LENGTH]);
            file.write(at, Participation::Independent, &data, Elements::new(&byte, LENGTH as i32))
                .context("write_at")?;
            file.read(at, Participation::Independent, &mut found, Elements::new(&byte, LENGTH as i32))
                .context("read_at")?;
            check_bytes("own data", &path, u64::from(rank) * LENGTH as u64, &data, &found)
        })
    })?;
    cx.close(file)
}
