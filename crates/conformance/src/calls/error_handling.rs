//! Error handlers, and erroneous calls that a library may detect.

use storage::Op;
use storage::mpi_file::{
    At, Class, Datatype, Elements, Flag, Handler, Info, MpiFile, Opener, Participation, handler_calls,
    set_default_handler,
};

use super::{check_detected, check_rejected, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseResult, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

const SECTION: &str = "MPI 4.1 section 14.7";
const SPLIT: &str = "MPI 4.1 section 14.4.5";

pub(super) fn cases() -> Vec<ConformanceCase> {
    mpi_cases(&[
        ("errors.default", SECTION, "errors of files are returned, unless a handler is set", default),
        ("errors.handler", SECTION, "a handler of a file is called once for each error of the file", handler),
        (
            "errors.handler_of_none",
            SECTION,
            "a handler set on MPI_FILE_NULL is called for errors of opening",
            of_none,
        ),
        (
            "errors.call_handler",
            "MPI 4.1 section 9.3",
            "MPI_File_call_errhandler calls the file's handler",
            call,
        ),
        ("errors.type", SECTION, "a null datatype is noticed", null_type),
        (
            "errors.negative_offset",
            "MPI 4.1 section 14.4.2",
            "a negative offset is noticed, and changes nothing",
            negative_offset,
        ),
        (
            "errors.two_splits",
            SPLIT,
            "a second split collective on a file that has one is noticed",
            two_splits,
        ),
    ])
}

fn default(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    cx.all("look", || {
        let returns = file.returns_errors().context("MPI_File_get_errhandler")?;
        check_equal("whether MPI_ERRORS_RETURN is set", &true, &returns)
    })?;
    cx.close(file)
}

fn handler(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let file = cx.open(&path, &[Flag::WriteOnly, Flag::Create])?;
    cx.agree("MPI_File_set_errhandler", file.set_handler(Handler::Counts))?;
    cx.all("fail", || {
        let before = handler_calls();
        let done = file.read(At::Offset(0), Participation::Independent, &mut [0; 4], file.bytes(4));
        let calls = handler_calls() - before;
        if calls == 0 {
            check_detected("read_at of a file that is open for writing", done)?;
        }
        // The library decides whether the call returns the error too.
        check_equal("calls of the handler", &1, &calls)?;
        file.write(At::Offset(0), Participation::Independent, &[1; 4], file.bytes(4)).context("write_at")?;
        check_equal("calls of the handler after a call that went well", &1, &(handler_calls() - before))
    })?;
    cx.close(file)
}

fn of_none(cx: &mut CaseContext<'_>) -> CaseResult {
    let comm = cx.mpi()?;
    cx.agree("set a handler", set_default_handler(comm, Handler::Counts))?;
    let before = handler_calls();
    let how = [Flag::ReadOnly];
    let done = MpiFile::open(Opener::All(comm), &cx.path("missing"), &how, &Info::none(comm));
    let calls = handler_calls() - before;
    let reset = set_default_handler(comm, Handler::Returns);
    let done = done.and_then(MpiFile::close);
    cx.agree("set it back", reset)?;
    cx.all("look", || {
        check_equal("calls of the handler", &1, &calls)?;
        check_rejected("MPI_File_open of a missing file", done, &[])
    })
}

fn call(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    cx.agree("MPI_File_set_errhandler", file.set_handler(Handler::Counts))?;
    cx.all("call", || {
        let before = handler_calls();
        file.call_handler(Class::NoSpace).context("MPI_File_call_errhandler")?;
        check_equal("calls of the handler", &1, &(handler_calls() - before))
    })?;
    cx.close(file)
}

fn null_type(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let null = Datatype::null(cx.mpi()?);
    cx.all("write", || {
        let done = file.write(At::Offset(0), Participation::Independent, &[1; 4], Elements::new(&null, 1));
        check_detected("write_at of MPI_DATATYPE_NULL", done)
    })?;
    cx.close(file)
}

fn negative_offset(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 16))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let done = file.write(At::Offset(-4), Participation::Independent, &[1; 4], file.bytes(4));
    cx.close(file)?;
    cx.check_file("the file", &path, &[test_data::UNTOUCHED; 16])?;
    cx.agree("write", check_detected("write_at -4", done))
}

fn two_splits(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let begin = |offset| file.begin(Op::Write, At::Offset(offset), vec![1; 4], file.bytes(4));
    let at = 8 * i64::from(cx.rank());
    let first = cx.agree("begin", begin(at))?;
    let second = begin(at + 4).map_err(|rejected| rejected.error);
    let began = second.is_ok();
    let detected = check_detected("a second begin", second.map(|half| half.end()));
    // If both began, ending the second also ended the first.
    let ended = if began { Ok(()) } else { first.end().0.map(drop) };
    cx.agree("begin again", detected)?;
    cx.agree("end", ended)?;
    cx.close(file)
}
