//! Sets of requests, completed by each of MPI's calls for that; reused buffers; freed datatypes.

use storage::Op;
use storage::mpi_file::{At, Elements, Many, Participation, Requests};

use super::{int, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::{CREATE_READ_WRITE, OpenFile};
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_bytes, check_equal};
use crate::test_data;

const MULTIPLE_COMPLETIONS: &str = "MPI 4.1 section 3.7.5";

const DATATYPE_FREE: &str = "MPI 4.1 section 5.1.9";

pub(super) fn cases() -> Vec<ConformanceCase> {
    let mut cases = mpi_cases(&[
        (
            "requests.reused",
            "MPI 4.1 section 3.7.3",
            "a buffer may be written over as soon as its request has ended",
            buffer_reuse,
        ),
        (
            "requests.type_freed",
            DATATYPE_FREE,
            "a datatype may be freed while a request that moves it is outstanding",
            |cx| type_freed(cx, Participation::Independent),
        ),
        (
            "requests.type_freed_together",
            DATATYPE_FREE,
            "a datatype may be freed while a collective request that moves it is outstanding",
            |cx| type_freed(cx, Participation::Collective),
        ),
    ]);
    for (name, call, many, waits) in [
        ("requests.wait_all", "MPI_Waitall", Many::All, true),
        ("requests.wait_any", "MPI_Waitany", Many::Any, true),
        ("requests.wait_some", "MPI_Waitsome", Many::Some, true),
        ("requests.test_all", "MPI_Testall", Many::All, false),
        ("requests.test_any", "MPI_Testany", Many::Any, false),
        ("requests.test_some", "MPI_Testsome", Many::Some, false),
    ] {
        let promise =
            format!("{call} ends each request once, with the status and the buffer that are its own");
        let body = move |cx: &mut CaseContext<'_>| end_as_set(cx, call, many, waits);
        cases.push(ConformanceCase::new(name, MULTIPLE_COMPLETIONS, promise, body).mpi());
    }
    cases
}

/// Requests of each rank. Each has another length, so that a status of the wrong request is detected.
const PIECES: u32 = 9;

fn length(piece: u32) -> usize {
    400 + 37 * piece as usize
}

/// Offset of a rank's piece. The pieces of the next rank follow the last piece.
fn place(rank: u32, piece: u32) -> u64 {
    let each = |piece| length(piece) as u64;
    u64::from(rank) * (0..PIECES).map(each).sum::<u64>() + (0..piece).map(each).sum::<u64>()
}

/// Begins the requests of all pieces of this rank and completes them; gives their buffers in order.
fn transfer(
    cx: &CaseContext<'_>,
    file: &OpenFile,
    op: Op,
    (call, many, waits): (&str, Many, bool),
) -> Result<Vec<Vec<u8>>, CaseProblem> {
    let rank = cx.rank();
    let start = |piece: u32| {
        let at = At::Offset(place(rank, piece) as i64);
        let buffer = match op {
            Op::Write => test_data::bytes(rank, piece, length(piece)),
            Op::Read => vec![0; length(piece)],
        };
        file.start(op, at, Participation::Independent, buffer, file.bytes(length(piece))).context("begin")
    };
    let mut pending = (0..PIECES).map(start).collect::<Result<Requests<'_>, _>>()?;
    let mut buffers = vec![None; PIECES as usize];
    while !pending.is_empty() {
        let ended = pending.end(many, waits).context(call)?;
        if many == Many::Any {
            check_equal(&format!("at most one request ended by {call}"), &true, &(ended.len() <= 1))?;
        }
        if waits {
            check_equal(&format!("whether {call}, which waits, ended any"), &true, &!ended.is_empty())?;
        }
        for one in ended {
            let bytes = one.done.bytes().context("MPI_Get_elements_x")?;
            let what = format!("bytes in the status of request {}", one.number);
            check_equal(&what, &(length(one.number as u32) as u64), &bytes)?;
            buffers[one.number] = Some(one.buffer);
        }
        std::thread::yield_now();
    }
    let none = || CaseProblem::fail("a request ended that was never reported");
    buffers.into_iter().map(|buffer| buffer.ok_or_else(none)).collect()
}

fn end_as_set(cx: &CaseContext<'_>, call: &str, many: Many, waits: bool) -> CaseResult {
    let path = cx.path("file");
    let (rank, how) = (cx.rank(), (call, many, waits));
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    cx.agree("write", transfer(cx, &file, Op::Write, how))?;
    cx.close(file)?;
    let pieces = (0..cx.size()).flat_map(|rank| (0..PIECES).map(move |piece| (rank, piece)));
    let wanted: Vec<u8> =
        pieces.flat_map(|(rank, piece)| test_data::bytes(rank, piece, length(piece))).collect();
    cx.check_file("the file", &path, &wanted)?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let found = cx.agree("read", transfer(cx, &file, Op::Read, how))?;
    cx.all("compare", || {
        (0..PIECES).zip(found).try_for_each(|(piece, found)| {
            let wanted = test_data::bytes(rank, piece, length(piece));
            check_bytes("a piece read back", &path, place(rank, piece), &wanted, &found)
        })
    })?;
    cx.close(file)
}

/// How often a buffer is reused.
const TURNS: u32 = 20;

fn buffer_reuse(cx: &mut CaseContext<'_>) -> CaseResult {
    const EACH: usize = 3000;
    let path = cx.path("file");
    let rank = cx.rank();
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let at = |turn: u32| At::Offset(i64::from(rank * TURNS + turn) * EACH as i64);
    cx.all("write", || {
        let mut buffer = vec![0; EACH];
        (0..TURNS).try_for_each(|turn| {
            buffer.copy_from_slice(&test_data::bytes(rank, turn, EACH));
            let taken = std::mem::take(&mut buffer);
            let begun = file.start(Op::Write, at(turn), Participation::Independent, taken, file.bytes(EACH));
            let (done, back) = begun.context("iwrite_at")?.wait();
            done.context("MPI_Wait")?;
            buffer = back;
            buffer.fill(test_data::UNTOUCHED);
            Ok(())
        })
    })?;
    cx.close(file)?;
    cx.check_file("the file", &path, &test_data::of_calls(cx.size(), TURNS, EACH))
}

fn type_freed(cx: &CaseContext<'_>, way: Participation) -> CaseResult {
    const NUMBERS: usize = 500;
    let path = cx.path("file");
    let (rank, int) = (cx.rank(), int(cx)?);
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    // The datatype moves every second integer of the buffer.
    let spread: Vec<u8> = test_data::bytes(rank, 1, 4 * NUMBERS)
        .chunks(4)
        .flat_map(|number| [number, &[0; 4]].concat())
        .collect();
    let kind = cx.agree("make a datatype", int.vector(NUMBERS as i32, 1, 2))?;
    let at = At::Offset(i64::from(rank) * 4 * NUMBERS as i64);
    let begun = file.start(Op::Write, at, way, spread, Elements::new(&kind, 1));
    drop(kind);
    let request = cx.agree("begin", begun)?;
    cx.agree("end", request.wait().0)?;
    cx.close(file)?;
    cx.check_file("the file", &path, &test_data::of_ranks(cx.size(), 1, 4 * NUMBERS))
}
