//! How errors come.

use storage::mpi_file::{
    At, Class, Datatype, Elements, Flag, Handler, Info, MpiFile, Way, Whose, handler_calls,
    set_default_handler,
};

use super::{byte, noticed, of_rows, refused};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Verdict, same};

const SECTION: &str = "MPI 4.1 section 14.7";
const SPLIT: &str = "MPI 4.1 section 14.4.5";

pub(super) fn cases() -> Vec<Case> {
    of_rows(&[
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

fn default(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    scene.all("look", || {
        let returns = file.returns_errors().told("MPI_File_get_errhandler")?;
        same("whether MPI_ERRORS_RETURN is set", &true, &returns)
    })?;
    scene.close(file)
}

fn handler(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let byte = byte(scene)?;
    let file = scene.open(&path, &[Flag::WriteOnly, Flag::Create])?;
    scene.agree("MPI_File_set_errhandler", file.set_handler(Handler::Counts))?;
    scene.all("fail", || {
        let before = handler_calls().calls;
        let done = file.read(At::Offset(0), Way::Independent, &mut [0; 4], Elements::new(&byte, 4));
        let calls = handler_calls().calls - before;
        if calls == 0 {
            noticed("read_at of a file that is open for writing", done)?;
        }
        // Whether the call then returns the error too is the library's choice.
        same("calls of the handler", &1, &calls)?;
        file.write(At::Offset(0), Way::Independent, &[1; 4], Elements::new(&byte, 4)).told("write_at")?;
        same("calls of the handler after a call that went well", &1, &(handler_calls().calls - before))
    })?;
    scene.close(file)
}

fn of_none(scene: &mut Scene<'_>) -> Verdict {
    let comm = scene.mpi()?;
    scene.agree("set a handler", set_default_handler(comm, Handler::Counts))?;
    let before = handler_calls().calls;
    let how = [Flag::ReadOnly];
    let done = MpiFile::open(Whose::All(comm), &scene.path("missing"), &how, &Info::none(comm));
    let calls = handler_calls().calls - before;
    let reset = set_default_handler(comm, Handler::Returns);
    let done = done.and_then(MpiFile::close);
    scene.agree("set it back", reset)?;
    scene.all("look", || {
        same("calls of the handler", &1, &calls)?;
        refused("MPI_File_open of a missing file", done, &[])
    })
}

fn call(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    scene.agree("MPI_File_set_errhandler", file.set_handler(Handler::Counts))?;
    scene.all("call", || {
        let before = handler_calls().calls;
        file.call_handler(Class::NoSpace).told("MPI_File_call_errhandler")?;
        same("calls of the handler", &1, &(handler_calls().calls - before))
    })?;
    scene.close(file)
}

fn null_type(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    let null = Datatype::null(scene.mpi()?);
    scene.all("write", || {
        let done = file.write(At::Offset(0), Way::Independent, &[1; 4], Elements::new(&null, 1));
        noticed("write_at of MPI_DATATYPE_NULL", done)
    })?;
    scene.close(file)
}

fn negative_offset(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 16))?;
    let file = scene.open(&path, &MADE)?;
    let byte = byte(scene)?;
    let done = file.write(At::Offset(-4), Way::Independent, &[1; 4], Elements::new(&byte, 4));
    scene.close(file)?;
    scene.on_rank_0("look", || look::is_whole("the file", &path, &[look::UNTOUCHED; 16]))?;
    scene.agree("write", noticed("write_at -4", done))
}

fn two_splits(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    let byte = byte(scene)?;
    let begin = |offset| file.begin_write(At::Offset(offset), vec![1; 4], Elements::new(&byte, 4));
    let at = 8 * i64::from(scene.rank());
    let first = scene.agree("begin", begin(at).map_err(|refused| refused.error))?;
    let second = begin(at + 4).map_err(|refused| refused.error);
    let began = second.is_ok();
    let told = noticed("a second begin", second.map(|half| half.end()));
    // Where both began, the end of the second was that of both.
    let ended = if began { Ok(()) } else { first.end().0.map(drop) };
    scene.agree("begin again", told)?;
    scene.agree("end", ended)?;
    scene.close(file)
}
