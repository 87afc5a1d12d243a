//! File pointers: positions and seeks.

use storage::mpi_file::{At, Participation, Pointer, Whence};

use super::{check_detected, int, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::{CREATE_READ_WRITE, OpenFile};
use crate::problem::{CaseProblem, CaseResult, EarlyEnd, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

const OWN: &str = "MPI 4.1 section 14.4.3";
const SHARED: &str = "MPI 4.1 section 14.4.4";

pub(super) fn cases() -> Vec<ConformanceCase> {
    mpi_cases(&[
        (
            "pointers.seek",
            OWN,
            "MPI_File_seek goes from the start, from here and from the end of the file",
            seek,
        ),
        (
            "pointers.seek_view",
            OWN,
            "positions count etypes of the view, and the end is the first at or after it",
            in_view,
        ),
        (
            "pointers.negative",
            OWN,
            "a seek to a place before the view is noticed, and moves no pointer",
            negative,
        ),
        (
            "pointers.byte_offset",
            OWN,
            "MPI_File_get_byte_offset gives the byte of a position in the view",
            byte_offset,
        ),
        ("pointers.seek_shared", SHARED, "MPI_File_seek_shared moves the pointer of all ranks", seek_shared),
        (
            "pointers.apart",
            SHARED,
            "the two pointers and calls with an offset do not move each other",
            independent_pointers,
        ),
        (
            "pointers.view_resets",
            "MPI 4.1 section 14.3",
            "MPI_File_set_view sets both pointers to 0",
            view_resets,
        ),
        (
            "pointers.shared_in_turn",
            SHARED,
            "ranks that write in turn each find the pointer behind the one before",
            shared_in_turn,
        ),
    ])
}

/// Opens a file of 1000 untouched bytes; with `view`, the view has two integers of every five from byte 40
/// on.
fn open_1000_bytes(cx: &CaseContext<'_>, view: bool) -> Result<OpenFile, EarlyEnd> {
    open_prefilled(cx, 1000, view)
}

fn open_prefilled(cx: &CaseContext<'_>, length: usize, view: bool) -> Result<OpenFile, EarlyEnd> {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, length))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    if view {
        let int = int(cx)?;
        let two = cx.agree("make a view", int.contiguous(2).and_then(|two| two.resized(0, 20)))?;
        cx.set_view(&file, 40, &int, &two)?;
    }
    Ok(file)
}

/// Seeks the individual file pointer and checks its position.
fn check_seek(file: &OpenFile, offset: i64, whence: Whence, wanted: i64) -> Result<(), CaseProblem> {
    file.seek(Pointer::Individual, offset, whence).context(format!("seek {offset} from {whence:?}"))?;
    let found = file.position(Pointer::Individual).context("MPI_File_get_position")?;
    check_equal(&format!("the position after a seek of {offset} from {whence:?}"), &wanted, &found)
}

fn seek(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = open_1000_bytes(cx, false)?;
    // The file has 1000 bytes for any number of ranks, so the position stays below 500.
    let rank = i64::from(cx.rank() % 500);
    cx.all("seek", || {
        check_seek(&file, 10 + rank, Whence::Start, 10 + rank)?;
        check_seek(&file, 5, Whence::Here, 15 + rank)?;
        check_seek(&file, -15, Whence::Here, rank)?;
        check_seek(&file, 0, Whence::End, 1000)?;
        check_seek(&file, -rank, Whence::End, 1000 - rank)?;
        check_seek(&file, 7, Whence::End, 1007)?;
        check_seek(&file, 0, Whence::Start, 0)
    })?;
    cx.close(file)
}

fn in_view(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = open_1000_bytes(cx, true)?;
    cx.all("seek", || {
        check_seek(&file, 4, Whence::Start, 4)?;
        check_seek(&file, 3, Whence::Here, 7)?;
        // The view has 960 bytes of the file: 48 tiles of two integers.
        check_seek(&file, 0, Whence::End, 96)
    })?;
    // The file now ends in a hole, 4 bytes after the second integer of tile 10.
    cx.agree("MPI_File_set_size", file.set_size(40 + 10 * 20 + 12))?;
    cx.sync(&file)?;
    cx.all("seek to an end in a hole", || {
        check_seek(&file, 0, Whence::End, 22)?;
        check_seek(&file, -2, Whence::End, 20)?;
        check_equal("the byte there", &240, &file.byte_offset(20).context("MPI_File_get_byte_offset")?)
    })?;
    cx.close(file)
}

fn negative(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = open_1000_bytes(cx, false)?;
    cx.all("seek", || {
        check_seek(&file, 3, Whence::Start, 3)?;
        check_detected("a seek to -1", file.seek(Pointer::Individual, -1, Whence::Start))?;
        check_detected("a seek to -2 from 3", file.seek(Pointer::Individual, -5, Whence::Here))?;
        let found = file.position(Pointer::Individual).context("MPI_File_get_position")?;
        check_equal("the position after seeks that were rejected", &3, &found)
    })?;
    cx.close(file)
}

fn byte_offset(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = open_1000_bytes(cx, true)?;
    cx.all("ask", || {
        for (position, wanted) in [(0, 40), (1, 44), (2, 60), (3, 64), (11, 144), (1 << 33, 40 + (10 << 33))]
        {
            let found = file.byte_offset(position).context("MPI_File_get_byte_offset")?;
            check_equal(&format!("the byte of position {position}"), &wanted, &found)?;
        }
        Ok(())
    })?;
    cx.close(file)
}

fn seek_shared(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = open_1000_bytes(cx, true)?;
    let ways = [(6, Whence::Start, 6), (5, Whence::Here, 11), (-4, Whence::Here, 7), (0, Whence::End, 96)];
    for (offset, whence, wanted) in ways {
        cx.agree("MPI_File_seek_shared", file.seek(Pointer::Shared, offset, whence))?;
        cx.all("look", || {
            let found = file.position(Pointer::Shared).context("MPI_File_get_position_shared")?;
            check_equal(&format!("the shared position after {offset} from {whence:?}"), &wanted, &found)
        })?;
    }
    cx.close(file)
}

fn independent_pointers(cx: &mut CaseContext<'_>) -> CaseResult {
    let size = i64::from(cx.size());
    let file = open_prefilled(cx, 1000.max(10 * size as usize), false)?;
    let mut room = [0; 10];
    let mut read = |at| file.read(at, Participation::Independent, &mut room, file.bytes(10)).map(drop);
    let own = || file.position(Pointer::Individual).context("MPI_File_get_position");
    let shared = || file.position(Pointer::Shared).context("MPI_File_get_position_shared");
    cx.all("read at an offset and at the own pointer", || {
        read(At::Offset(500)).context("read_at")?;
        check_equal("the own pointer after read_at", &0, &own()?)?;
        read(At::Individual).context("read")?;
        check_equal("the own pointer after read", &10, &own()?)
    })?;
    cx.all("look", || check_equal("the shared pointer after others' calls", &0, &shared()?))?;
    cx.all("read at the shared pointer", || read(At::Shared).context("read_shared"))?;
    cx.all("look again", || {
        check_equal("the shared pointer after a call of each rank", &(10 * size), &shared()?)?;
        check_equal("the own pointer after that", &10, &own()?)
    })?;
    cx.close(file)
}

fn view_resets(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = open_1000_bytes(cx, false)?;
    cx.all("seek", || check_seek(&file, 33, Whence::Start, 33))?;
    cx.agree("MPI_File_seek_shared", file.seek(Pointer::Shared, 44, Whence::Start))?;
    let int = int(cx)?;
    cx.set_view(&file, 8, &int, &int)?;
    cx.all("look", || {
        let own = file.position(Pointer::Individual).context("MPI_File_get_position")?;
        check_equal("the own pointer", &0, &own)?;
        let shared = file.position(Pointer::Shared).context("MPI_File_get_position_shared")?;
        check_equal("the shared pointer", &0, &shared)
    })?;
    cx.close(file)
}

fn shared_in_turn(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = open_1000_bytes(cx, false)?;
    let turns = cx.turns();
    for (before, &turn) in (0_i64..).zip(&turns) {
        cx.on_rank(turn, "write in turn", || {
            let data = test_data::bytes(turn, 1, 30);
            file.write(At::Shared, Participation::Independent, &data, file.bytes(30)).context("write_shared")
        })?;
        cx.all("look", || {
            let found = file.position(Pointer::Shared).context("MPI_File_get_position_shared")?;
            check_equal(&format!("the shared pointer after rank {turn}"), &(30 * (before + 1)), &found)
        })?;
    }
    cx.close(file)?;
    let mut wanted: Vec<u8> = turns.iter().flat_map(|rank| test_data::bytes(*rank, 1, 30)).collect();
    wanted.resize(1000.max(wanted.len()), test_data::UNTOUCHED);
    cx.check_file("the file", &cx.path("file"), &wanted)
}
