//! Opening, closing and deleting.

use storage::mpi_file::{At, Class, Flag, Info, MpiFile, Opener, Participation, Pointer};

use super::{check_detected, check_rejected, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::{CREATE_READ_WRITE, mpi_part};
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

const OPEN: &str = "MPI 4.1 section 14.2.1";
const DELETE: &str = "MPI 4.1 section 14.2.3";

pub(super) fn cases() -> Vec<ConformanceCase> {
    let mut cases = mpi_cases(&[
        ("open.create", OPEN, "MPI_MODE_CREATE makes a file, and takes one that is there", create),
        ("open.missing", OPEN, "a file that is not there is rejected as MPI_ERR_NO_SUCH_FILE", missing),
        ("open.exclusive", OPEN, "MPI_MODE_EXCL makes a file, and rejects one that is there", exclusive),
        ("open.append", OPEN, "MPI_MODE_APPEND opens with both pointers at the end of the file", append),
        (
            "open.delete_on_close",
            OPEN,
            "MPI_MODE_DELETE_ON_CLOSE removes the file when it is closed",
            delete_on_close,
        ),
        ("open.unique", OPEN, "MPI_MODE_UNIQUE_OPEN opens, and data goes and comes as without", unique),
        ("open.amode", "MPI 4.1 section 14.2.7", "MPI_File_get_amode gives the modes of opening", amode),
        ("open.group", "MPI 4.1 section 14.2.7", "MPI_File_get_group gives the ranks that opened", group),
        ("open.comm_freed", OPEN, "the communicator may be freed while the file is open", comm_freed),
        (
            "open.read_only",
            OPEN,
            "a write into a file that is open for reading is noticed, and changes nothing",
            write_read_only,
        ),
        ("open.write_only", OPEN, "a read from a file that is open for writing is noticed", read_write_only),
        ("open.different_modes", OPEN, "ranks that open with different modes are noticed", different_modes),
        ("delete.there", DELETE, "MPI_File_delete removes a file", delete),
        (
            "delete.missing",
            DELETE,
            "deleting what is not there is rejected as MPI_ERR_NO_SUCH_FILE",
            delete_missing,
        ),
    ]);
    for (name, how) in INVALID_MODES {
        let promise = format!("modes that do not go together are rejected as MPI_ERR_AMODE: {how:?}");
        let body = |cx: &mut CaseContext<'_>| invalid_modes(cx, how);
        cases.push(ConformanceCase::new(*name, OPEN, promise, body).mpi());
    }
    cases
}

const INVALID_MODES: &[(&str, &[Flag])] = &[
    ("open.amode_two", &[Flag::ReadOnly, Flag::ReadWrite, Flag::Create]),
    ("open.amode_none", &[Flag::Create]),
    ("open.amode_sequential", &[Flag::Sequential, Flag::ReadWrite, Flag::Create]),
    ("open.amode_create", &[Flag::ReadOnly, Flag::Create]),
    ("open.amode_exclusive", &[Flag::ReadOnly, Flag::Exclusive]),
];

fn invalid_modes(cx: &mut CaseContext<'_>, how: &[Flag]) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0(
        "make",
        || if how.contains(&Flag::Create) { Ok(()) } else { system_file::prefill(&path, 8) },
    )?;
    let opened = cx.open_and_close(&path, how)?;
    cx.agree("open", check_rejected("MPI_File_open", opened, &[Class::Amode]))
}

fn create(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    for _ in 0..2 {
        let file = cx.open(&path, &CREATE_READ_WRITE)?;
        cx.close(file)?;
        cx.all("look", || check_equal("whether the file is there", &true, &path.is_file()))?;
    }
    let file = cx.open(&path, &[Flag::ReadOnly])?;
    cx.close(file)
}

fn missing(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("missing");
    let opened = cx.open_and_close(&path, &[Flag::ReadOnly])?;
    cx.agree("open", check_rejected("MPI_File_open", opened, &[Class::NoSuchFile]))?;
    cx.all("look", || check_equal("whether the file is there", &false, &path.exists()))
}

fn exclusive(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let how = [Flag::Create, Flag::Exclusive, Flag::ReadWrite];
    let file = cx.open(&path, &how)?;
    cx.close(file)?;
    let opened = cx.open_and_close(&path, &how)?;
    cx.agree(
        "open again",
        check_rejected("MPI_File_open of a file that is there", opened, &[Class::FileExists]),
    )?;
    cx.on_rank_0("delete", || std::fs::remove_file(&path).context("unlink"))?;
    let file = cx.open(&path, &how)?;
    cx.close(file)
}

fn append(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 1000))?;
    let file = cx.open(&path, &[Flag::Create, Flag::ReadWrite, Flag::Append])?;
    cx.all("check the pointers", || {
        let own = file.position(Pointer::Individual).context("MPI_File_get_position")?;
        check_equal("the rank's own pointer after opening", &1000, &own)
    })?;
    let data = test_data::bytes(cx.rank(), 1, 50);
    cx.all("write", || {
        file.write(At::Shared, Participation::Collective, &data, file.bytes(50)).context("write_ordered")
    })?;
    cx.close(file)?;
    let size = cx.size();
    let all = (0..size).flat_map(|rank| test_data::bytes(rank, 1, 50));
    let wanted: Vec<u8> = vec![test_data::UNTOUCHED; 1000].into_iter().chain(all).collect();
    cx.check_file("appended by the shared pointer", &path, &wanted)
}

fn delete_on_close(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let file = cx.open(&path, &[Flag::Create, Flag::ReadWrite, Flag::DeleteOnClose])?;
    cx.close(file)?;
    cx.all("look", || check_equal("whether the file is there", &false, &path.exists()))
}

fn unique(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let file = cx.open(&path, &[Flag::Create, Flag::ReadWrite, Flag::UniqueOpen])?;
    let (rank, data) = (cx.rank(), test_data::bytes(cx.rank(), 1, 64));
    let at = At::Offset(64 * i64::from(rank));
    cx.all("write", || {
        file.write(at, Participation::Independent, &data, file.bytes(64)).context("write_at")
    })?;
    cx.close(file)?;
    cx.check_file("the file", &path, &test_data::of_ranks(cx.size(), 1, 64))
}

fn amode(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    for how in
        [vec![Flag::ReadWrite, Flag::Create], vec![Flag::WriteOnly], vec![Flag::ReadOnly, Flag::UniqueOpen]]
    {
        let file = cx.open(&path, &how)?;
        cx.all("look", || check_equal("the modes", &how, &file.amode().context("MPI_File_get_amode")?))?;
        cx.close(file)?;
    }
    Ok(())
}

fn group(cx: &mut CaseContext<'_>) -> CaseResult {
    let (path, mine) = (cx.path("file"), cx.path(&format!("file.{}", cx.rank())));
    let comm = cx.mpi()?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let own = cx.open_as(Opener::Alone(comm), &mine, &CREATE_READ_WRITE, &Info::none(comm))?;
    cx.all("look", || {
        check_equal(
            "whether the group is that of all",
            &true,
            &file.group_is(comm).context("MPI_File_get_group")?,
        )?;
        let alone = own.group_is(comm).context("MPI_File_get_group")?;
        check_equal("whether that of one rank is that of all", &(cx.size() == 1), &alone)
    })?;
    cx.close(own)?;
    cx.close(file)
}

fn comm_freed(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let copy = cx.comm.split(0)?;
    let comm = mpi_part(&*copy);
    let file = cx.open_as(Opener::All(comm), &path, &CREATE_READ_WRITE, &Info::none(comm))?;
    drop(copy);
    let data = test_data::bytes(cx.rank(), 1, 100);
    cx.all("write", || {
        let at = At::Offset(100 * i64::from(cx.rank()));
        file.write(at, Participation::Collective, &data, file.bytes(100)).context("write_at_all")
    })?;
    cx.close(file)?;
    cx.check_file("the file", &path, &test_data::of_ranks(cx.size(), 1, 100))
}

fn write_read_only(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 100))?;
    let file = cx.open(&path, &[Flag::ReadOnly])?;
    let done = file.write(At::Offset(0), Participation::Independent, &[1; 10], file.bytes(10));
    cx.close(file)?;
    cx.check_file("the file", &path, &[test_data::UNTOUCHED; 100])?;
    cx.agree("write", check_detected("write_at", done))
}

fn read_write_only(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let file = cx.open(&path, &[Flag::WriteOnly, Flag::Create])?;
    cx.all("read", || {
        let done = file.read(At::Offset(0), Participation::Independent, &mut [0; 10], file.bytes(10));
        check_detected("read_at", done)
    })?;
    cx.close(file)
}

fn different_modes(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    if cx.size() == 1 {
        let why = "a single rank cannot differ from another".to_owned();
        return cx.agree("count ranks", Err(CaseProblem::Skipped(why)));
    }
    cx.on_rank_0("make", || system_file::prefill(&path, 10))?;
    let how = if cx.rank() == 0 { Flag::ReadWrite } else { Flag::ReadOnly };
    let comm = cx.mpi()?;
    let opened = MpiFile::open(Opener::All(comm), &path, &[how], &Info::none(comm));
    // Closing is collective: it is possible only if all ranks have the file open.
    let all = cx.comm.reduce_one(u64::from(opened.is_ok()), ranks::Reduce::Min)? == 1;
    let opened = if all { opened.and_then(MpiFile::close) } else { opened.map(drop) };
    cx.agree("open", check_detected("MPI_File_open", opened))
}

fn delete(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let comm = cx.mpi()?;
    cx.on_rank_0("delete", || {
        system_file::prefill(&path, 10)?;
        MpiFile::delete(comm, &path, &Info::none(comm)).context("MPI_File_delete")
    })?;
    cx.all("look", || check_equal("whether the file is there", &false, &path.exists()))
}

fn delete_missing(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path(&format!("missing.{}", cx.rank()));
    let comm = cx.mpi()?;
    let done = MpiFile::delete(comm, &path, &Info::none(comm));
    cx.agree("delete", check_rejected("MPI_File_delete", done, &[Class::NoSuchFile]))
}
