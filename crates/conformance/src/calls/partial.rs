//! Reads that end within an element: the status counts bytes, elements and basic elements.

use storage::Op;
use storage::mpi_file::{
    At, CallStatus, Datatype, Elements, Flag, MpiFile, MpiRequest, Participation, RejectedCall, Split,
};

use super::int;
use crate::access::GAP_BYTE;
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_bytes, check_equal};
use crate::test_data;

pub(super) fn cases() -> Vec<ConformanceCase> {
    let rows = [
        ("partial.read_at", ReadMethod::Blocking(Participation::Independent), false),
        ("partial.read_at_all", ReadMethod::Blocking(Participation::Collective), false),
        ("partial.iread_at", ReadMethod::Nonblocking, false),
        ("partial.read_at_all_begin", ReadMethod::Split, false),
        ("partial.view.read_at", ReadMethod::Blocking(Participation::Independent), true),
        ("partial.view.read_at_all", ReadMethod::Blocking(Participation::Collective), true),
    ];
    let case = |(name, method, view): (&'static str, ReadMethod, bool)| {
        let at = if view { ", in a view with gaps" } else { "" };
        let promise = format!(
            "a read that ends in half an element has no count of elements, but a count of basic elements{at}"
        );
        let body = move |cx: &mut CaseContext<'_>| partial(cx, method, view);
        ConformanceCase::new(name, "MPI 4.1 section 5.1.11", promise, body).mpi()
    };
    rows.into_iter().map(case).collect()
}

#[derive(Clone, Copy)]
enum ReadMethod {
    Blocking(Participation),
    Nonblocking,
    Split,
}

/// Integers in the file: three elements of two integers, and half of a fourth element.
const NUMBERS: usize = 7;

/// Elements that the read requests.
const ASKED: i32 = 6;

/// Bytes from one element to the next in memory, and from its first integer to its second.
const STEPS: (usize, usize) = (20, 12);

/// Bytes of two integers of the view and the gap after them.
const TILE: usize = 20;

fn read(file: &MpiFile, method: ReadMethod, kind: &Datatype) -> Result<(CallStatus, Vec<u8>), CaseProblem> {
    let (at, elements) = (At::Offset(0), Elements::new(kind, ASKED));
    let mut buffer = vec![GAP_BYTE; ASKED as usize * STEPS.0];
    let (done, buffer) = match method {
        ReadMethod::Blocking(way) => (file.read(at, way, &mut buffer, elements), buffer),
        ReadMethod::Nonblocking => file
            .start(Op::Read, at, Participation::Independent, buffer, elements)
            .map_or_else(RejectedCall::ended, MpiRequest::wait),
        ReadMethod::Split => {
            file.begin(Op::Read, at, buffer, elements).map_or_else(RejectedCall::ended, Split::end)
        }
    };
    Ok((done.context("read")?, buffer))
}

/// Offset in the file of integer `at`.
fn place(at: usize, view: bool) -> usize {
    if view { at / 2 * TILE + at % 2 * 4 } else { at * 4 }
}

fn partial(cx: &CaseContext<'_>, method: ReadMethod, view: bool) -> CaseResult {
    let path = cx.path("file");
    let int = int(cx)?;
    let data = test_data::bytes(0, 1, place(NUMBERS - 1, view) + 4);
    cx.on_rank_0("make", || std::fs::write(&path, &data).context("write"))?;
    let file = cx.open(&path, &[Flag::ReadOnly])?;
    if view {
        let made = int.contiguous(2).and_then(|two| two.resized(0, TILE as isize));
        let filetype = cx.agree("make a view", made)?;
        cx.set_view(&file, 0, &int, &filetype)?;
    }
    let kind = cx.agree("make a datatype", pair_with_gaps(&int))?;
    let (done, buffer) = cx.agree("read", read(&file, method, &kind))?;
    cx.all("look", || {
        let mut wanted = vec![GAP_BYTE; buffer.len()];
        for at in 0..NUMBERS {
            let (from, to) = (place(at, view), at / 2 * STEPS.0 + at % 2 * STEPS.1);
            wanted[to..to + 4].copy_from_slice(&data[from..from + 4]);
        }
        check_status(&done, &kind, &int)?;
        check_bytes("the buffer", "the buffer".as_ref(), 0, &wanted, &buffer)
    })?;
    cx.close(file)
}

fn pair_with_gaps(int: &Datatype) -> Result<Datatype, storage::mpi_file::MpiError> {
    Datatype::structure(&[1, 1], &[0, STEPS.1 as isize], &[int, int])?.resized(0, STEPS.0 as isize)
}

/// Fails unless the status counts the integers of the file.
fn check_status(done: &CallStatus, kind: &Datatype, int: &Datatype) -> Result<(), CaseProblem> {
    check_equal("bytes in the status", &(4 * NUMBERS as u64), &done.bytes().context("MPI_Get_elements_x")?)?;
    check_equal("elements by MPI_Get_count", &None, &done.count(kind).context("MPI_Get_count")?)?;
    let some = Some(NUMBERS as u64);
    check_equal("numbers by MPI_Get_elements", &some, &done.few_elements(kind).context("MPI_Get_elements")?)?;
    check_equal("numbers by MPI_Get_elements_x", &some, &done.elements(kind).context("MPI_Get_elements_x")?)?;
    check_equal("numbers by MPI_Get_count", &some, &done.count(int).context("MPI_Get_count")?)
}
