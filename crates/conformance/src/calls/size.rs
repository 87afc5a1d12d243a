//! File sizes.

use storage::mpi_file::{At, Flag, Participation};

use super::{check_detected, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseResult, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

const SET: &str = "MPI 4.1 section 14.2.4";

pub(super) fn cases() -> Vec<ConformanceCase> {
    mpi_cases(&[
        (
            "size.set",
            SET,
            "MPI_File_set_size lengthens and shortens a file, as all ranks see it after sync, barrier, sync",
            set,
        ),
        (
            "size.read_only",
            SET,
            "a file that is open for reading keeps its size, and a call to set it is noticed",
            read_only,
        ),
        (
            "size.preallocate",
            "MPI 4.1 section 14.2.5",
            "MPI_File_preallocate makes a file at least so long, never shorter, and keeps its data",
            preallocate,
        ),
        ("size.get", "MPI 4.1 section 14.2.6", "MPI_File_get_size counts bytes in every view", get),
        (
            "size.beyond_end",
            "POSIX.1-2017 lseek, write",
            "a write beyond the end lengthens the file, and what was never written reads as zeros here",
            beyond_end,
        ),
    ])
}

fn set(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 100))?;
    for length in [5000, 37, 37, 0, 1 << 20] {
        let file = cx.open(&path, &CREATE_READ_WRITE)?;
        cx.agree("MPI_File_set_size", file.set_size(length))?;
        cx.sync(&file)?;
        cx.all("look", || {
            check_equal("MPI_File_get_size", &length, &file.size().context("MPI_File_get_size")?)
        })?;
        cx.close(file)?;
        cx.all("look after the close", || {
            check_equal("length by stat", &(length as u64), &std::fs::metadata(&path).context("stat")?.len())
        })?;
    }
    Ok(())
}

fn read_only(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 100))?;
    let file = cx.open(&path, &[Flag::ReadOnly])?;
    let done = file.set_size(10);
    cx.close(file)?;
    cx.check_file("the file", &path, &[test_data::UNTOUCHED; 100])?;
    cx.agree("set_size", check_detected("MPI_File_set_size", done))
}

fn preallocate(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 1000))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    for (asked, least) in [(100, 1000), (70_000, 70_000), (10, 70_000)] {
        cx.agree("MPI_File_preallocate", file.preallocate(asked))?;
        cx.sync(&file)?;
        cx.all("look", || {
            let size = file.size().context("MPI_File_get_size")?;
            check_equal(&format!("whether {size} bytes are at least {least}"), &true, &(size >= least))
        })?;
    }
    cx.close(file)?;
    cx.on_rank_0("look", || {
        let file = system_file::open(&path)?;
        system_file::check_at("what was there before", &path, &file, 0, &[test_data::UNTOUCHED; 1000])
    })
}

fn get(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 1234))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let int = super::int(cx)?;
    cx.set_view(&file, 100, &int, &int)?;
    cx.all("look", || check_equal("bytes", &1234, &file.size().context("MPI_File_get_size")?))?;
    cx.close(file)
}

fn beyond_end(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let (rank, size) = (cx.rank(), cx.size());
    let place = |rank: u32| 10_000 + 20_000 * i64::from(rank);
    cx.all("write", || {
        let (data, at) = (test_data::bytes(rank, 1, 100), At::Offset(place(rank)));
        file.write(at, Participation::Independent, &data, file.bytes(100)).context("write_at")
    })?;
    cx.close(file)?;
    let mut wanted = vec![0; place(size - 1) as usize + 100];
    for rank in 0..size {
        let at = place(rank) as usize;
        wanted[at..at + 100].copy_from_slice(&test_data::bytes(rank, 1, 100));
    }
    cx.check_file("the file", &path, &wanted)
}
