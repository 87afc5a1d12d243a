//! Requests: many outstanding at once, mixed with blocking calls, cancelled, freed.

use std::time::Duration;

use storage::Op;
use storage::mpi_file::{At, Info, MpiRequest, Opener, Participation, RequestProgress};

use super::mpi_cases;
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_bytes, check_equal};
use crate::system_file;
use crate::test_data;

const OFFSETS: &str = "MPI 4.1 section 14.4.2";
const OWN: &str = "MPI 4.1 section 14.4.3";
const COMPLETION: &str = "MPI 4.1 section 3.7";

pub(super) fn cases() -> Vec<ConformanceCase> {
    mpi_cases(&[
        (
            "requests.many",
            OFFSETS,
            "many requests of one file may be outstanding, and end in any order",
            many,
        ),
        (
            "requests.mixed",
            OWN,
            "requests and calls that wait take the pointer in the order in which they begin",
            mixed,
        ),
        (
            "requests.cancel",
            "MPI 4.1 section 3.8.4",
            "a request that is cancelled has moved all or says that it was cancelled",
            cancel,
        ),
        ("requests.free", COMPLETION, "a freed request continues to its end", free),
    ])
}

const PIECE: usize = 700;
const PIECES: u32 = 32;

fn place(rank: u32, piece: u32) -> i64 {
    i64::from(rank * PIECES + piece) * PIECE as i64
}

/// Completes requests by tests, beginning with the last. Each has the number of its piece.
fn end_by_tests(requests: Vec<(u32, MpiRequest<'_>)>) -> Result<Vec<(u32, Vec<u8>)>, CaseProblem> {
    let mut pending: Vec<_> = requests.into_iter().rev().collect();
    let mut buffers = Vec::new();
    while !pending.is_empty() {
        let mut unfinished = Vec::new();
        for (piece, request) in pending {
            match request.test() {
                RequestProgress::Outstanding(request) => unfinished.push((piece, request)),
                RequestProgress::Ended(done, buffer) => {
                    let bytes = done.context("test")?.bytes().context("MPI_Get_elements")?;
                    check_equal(&format!("bytes of request {piece}"), &(PIECE as u64), &bytes)?;
                    buffers.push((piece, buffer));
                }
            }
        }
        pending = unfinished;
        std::thread::yield_now();
    }
    Ok(buffers)
}

fn many(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let rank = cx.rank();
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let begin = |op: Op| -> Result<Vec<(u32, MpiRequest<'_>)>, CaseProblem> {
        let start = |piece: u32| {
            let buffer = match op {
                Op::Write => test_data::bytes(rank, piece, PIECE),
                Op::Read => vec![0; PIECE],
            };
            let at = At::Offset(place(rank, piece));
            let begun = file.start(op, at, Participation::Independent, buffer, file.bytes(PIECE));
            begun.map(|request| (piece, request)).context("begin")
        };
        (0..PIECES).map(start).collect()
    };
    cx.all("write", || begin(Op::Write).and_then(end_by_tests))?;
    cx.agree("MPI_File_sync", file.sync())?;
    cx.all("read", || {
        begin(Op::Read).and_then(end_by_tests)?.into_iter().try_for_each(|(piece, found)| {
            let wanted = test_data::bytes(rank, piece, PIECE);
            check_bytes("a piece read back", &path, place(rank, piece) as u64, &wanted, &found)
        })
    })?;
    cx.close(file)?;
    cx.check_file("the file", &path, &test_data::of_calls(cx.size(), PIECES, PIECE))
}

fn mixed(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path(&format!("file.{}", cx.rank()));
    let comm = cx.mpi()?;
    let rank = cx.rank();
    let file = cx.open_as(Opener::Alone(comm), &path, &CREATE_READ_WRITE, &Info::none(comm))?;
    cx.all("write", || {
        let piece = |number| test_data::bytes(rank, number, PIECE);
        let elements = || file.bytes(PIECE);
        let (at, way) = (At::Individual, Participation::Independent);
        let first = file.start(Op::Write, at, way, piece(0), elements()).context("iwrite")?;
        file.write(at, way, &piece(1), elements()).context("write")?;
        let third = file.start(Op::Write, at, way, piece(2), elements()).context("iwrite")?;
        file.write(at, way, &piece(3), elements()).context("write")?;
        third.wait().0.context("wait")?;
        first.wait().0.context("wait")
    })?;
    cx.close(file)?;
    let wanted: Vec<u8> = (0..4).flat_map(|number| test_data::bytes(rank, number, PIECE)).collect();
    cx.all("look", || system_file::check_all("the file", &path, &wanted))
}

fn cancel(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let rank = cx.rank();
    cx.on_rank_0("make", || system_file::prefill(&path, PIECE * cx.size() as usize))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let at = i64::from(rank) * PIECE as i64;
    let data = test_data::bytes(rank, 1, PIECE);
    let cancelled = cx.agree("cancel", {
        let begun = file.start(
            Op::Write,
            At::Offset(at),
            Participation::Independent,
            data.clone(),
            file.bytes(PIECE),
        );
        begun.context("iwrite_at").and_then(|mut request| {
            // A library may report that it cannot cancel, or complete the request.
            let said_no = request.cancel().is_err();
            let done = request.wait().0.context("wait")?;
            Ok(!said_no && done.cancelled().context("MPI_Test_cancelled")?)
        })
    })?;
    cx.close(file)?;
    cx.all("look", || {
        let file = system_file::open(&path)?;
        let wanted = if cancelled { vec![test_data::UNTOUCHED; PIECE] } else { data };
        let what = if cancelled { "cancelled, so not written" } else { "not cancelled, so written" };
        system_file::check_at(what, &path, &file, at as u64, &wanted)
    })
}

fn free(cx: &mut CaseContext<'_>) -> CaseResult {
    let place = |rank: u32| i64::from(rank) * PIECE as i64;
    let path = cx.path("file");
    let rank = cx.rank();
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let data = test_data::bytes(rank, 1, PIECE);
    cx.all("begin and free", || {
        let (at, elements) = (At::Offset(place(rank)), file.bytes(PIECE));
        let begun = file.start(Op::Write, at, Participation::Independent, data, elements);
        begun.context("iwrite_at")?.free().context("MPI_Request_free")
    })?;
    // A file must not be closed while a request is outstanding, and a freed request does not report its end.
    // So this waits until the rank reads its own data.
    cx.all("wait for the own piece", || {
        let (at, wanted) = (place(rank), test_data::bytes(rank, 1, PIECE));
        let mut found = vec![0; PIECE];
        for _ in 0..LOOKS {
            file.read(At::Offset(at), Participation::Independent, &mut found, file.bytes(PIECE))
                .context("read_at")?;
            if found == wanted {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        check_bytes("what a freed request was to write", &path, at as u64, &wanted, &found)
    })?;
    cx.agree("MPI_File_sync", file.sync())?;
    cx.close(file)?;
    cx.check_file("what freed requests were to write", &path, &test_data::of_ranks(cx.size(), 1, PIECE))
}

/// How often the file is read until the outstanding data has arrived, and the pause between two reads.
const LOOKS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);
