//! Error classes: each case provokes one. docs/explanation/conformance.md names the classes that no program
//! can provoke on a working file system.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use storage::mpi_file::{At, Class, Flag, Info, MpiError, MpiFile, Participation, Pointer, Whence};

use super::{check_detected, check_rejected, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

const SECTION: &str = "MPI 4.1 section 14.7";

pub(super) fn cases() -> Vec<ConformanceCase> {
    mpi_cases(&[
        ("errors.no_file", SECTION, "a call on MPI_FILE_NULL is rejected as MPI_ERR_FILE", no_file),
        (
            "errors.bad_name",
            SECTION,
            "a name too long for any file is rejected as MPI_ERR_BAD_FILE",
            bad_name,
        ),
        ("errors.access", SECTION, "a file that may not be opened is rejected as MPI_ERR_ACCESS", access),
        (
            "errors.no_space",
            SECTION,
            "a full file system is reported as MPI_ERR_NO_SPACE, at the latest when the file is closed",
            no_space,
        ),
        (
            "errors.sequential",
            "MPI 4.1 section 14.2.1",
            "seeks and offsets in a file that is open for sequential access are rejected",
            sequential,
        ),
        (
            "delete.open",
            "MPI 4.1 section 14.2.3",
            "a file that is open is deleted, or rejected as MPI_ERR_FILE_IN_USE and stays",
            delete_open,
        ),
    ])
}

fn no_file(cx: &mut CaseContext<'_>) -> CaseResult {
    let asked = MpiFile::size_of_none(cx.mpi()?);
    cx.agree("MPI_File_get_size", check_rejected("MPI_File_get_size of MPI_FILE_NULL", asked, &[Class::File]))
}

/// Length of a name that no file system accepts.
const LETTERS: usize = 300;

fn bad_name(cx: &mut CaseContext<'_>) -> CaseResult {
    let opened = cx.open_and_close(&cx.path(&"x".repeat(LETTERS)), &CREATE_READ_WRITE)?;
    cx.agree("open", check_rejected("MPI_File_open", opened, &[Class::BadFile]))
}

fn access(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || {
        system_file::prefill(&path, 10)?;
        fs::set_permissions(&path, Permissions::from_mode(0o000)).context("chmod")
    })?;
    cx.all("look", || match fs::File::open(&path) {
        Ok(_) => Err(CaseProblem::Skipped("this user may open every file; run it as another".to_owned())),
        Err(_) => Ok(()),
    })?;
    let opened = cx.open_and_close(&path, &[Flag::ReadWrite])?;
    cx.agree("open", check_rejected("MPI_File_open", opened, &[Class::Access]))
}

/// Only a file system with at most this free space is filled, bytes.
const SMALL: u64 = 16 << 20;

/// Bytes of one write.
const PIECE: usize = 1 << 20;

/// Free space of the file system that holds a directory, bytes.
fn room(dir: &Path) -> Result<u64, CaseProblem> {
    Ok(storage::space(dir).context("statvfs")?.map_or(u64::MAX, |space| space.bytes_available))
}

fn no_space(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let room = cx.agree("statvfs", room(cx.dir))?;
    cx.all("look for room", || {
        let why = format!("{} MiB are free, and only a file system with less than 16 is filled", room >> 20);
        if room > SMALL { Err(CaseProblem::Skipped(why)) } else { Ok(()) }
    })?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let data = test_data::bytes(cx.rank(), 1, PIECE);
    // Together the ranks write more than the free space. Consecutive pieces are of consecutive ranks.
    let pieces = room / PIECE as u64 + 4;
    let mine = (0..pieces).filter(|piece| piece % u64::from(cx.size()) == u64::from(cx.rank()));
    let written: Result<(), MpiError> = { mine }.try_for_each(|piece| {
        let at = At::Offset((piece * PIECE as u64) as i64);
        file.write(at, Participation::Independent, &data, file.bytes(PIECE)).map(drop)
    });
    let synced = file.sync();
    let closed = file.close();
    let all = written.and(synced).and(closed);
    let failed = u64::from(all.is_err());
    let failed = cx.comm.reduce_one(failed, ranks::Reduce::Sum)?;
    cx.all("look", || match all {
        Ok(()) => check_equal("whether a full file system is reported to any rank", &true, &(failed > 0)),
        full => check_rejected("a write into a full file system", full, &[Class::NoSpace]),
    })
}

fn sequential(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 100))?;
    let file = cx.open(&path, &[Flag::WriteOnly, Flag::Sequential])?;
    cx.all("seek", || check_detected("MPI_File_seek", file.seek(Pointer::Individual, 10, Whence::Start)))?;
    let seek = file.seek(Pointer::Shared, 10, Whence::Start);
    cx.agree("seek together", check_detected("MPI_File_seek_shared", seek))?;
    cx.all("write", || {
        let done = file.write(At::Offset(10), Participation::Independent, &[1; 4], file.bytes(4));
        check_detected("MPI_File_write_at", done)?;
        let done = file.write(At::Individual, Participation::Independent, &[1; 4], file.bytes(4));
        check_detected("MPI_File_write", done)
    })?;
    cx.close(file)?;
    cx.check_file("the file", &path, &[test_data::UNTOUCHED; 100])
}

fn delete_open(cx: &mut CaseContext<'_>) -> CaseResult {
    let (path, comm) = (cx.path("file"), cx.mpi()?);
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    cx.on_rank_0("delete", || {
        let deleted = MpiFile::delete(comm, &path, &Info::none(comm));
        let stays = deleted.is_err();
        if stays {
            check_rejected("MPI_File_delete of a file that is open", deleted, &[Class::FileInUse])?;
        }
        check_equal("whether the file is there", &stays, &path.exists())
    })?;
    cx.close(file)
}
