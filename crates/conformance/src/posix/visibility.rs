//! When the data that one rank wrote is visible to the others.

use std::fs::File;
use std::path::Path;

use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

pub(super) fn cases() -> Vec<ConformanceCase> {
    let case = |name, document, promise, body: fn(&mut CaseContext<'_>) -> CaseResult| {
        ConformanceCase::new(name, document, promise, body).ranks(2)
    };
    vec![
        case(
            "posix.visible.after_write",
            "POSIX.1-2017 write",
            "a read by any rank that can be shown to come after a write finds what was written",
            |cx| write_in_turn(cx, VisibleAfter::Write),
        ),
        case(
            "posix.visible.after_fsync",
            "POSIX.1-2017 write",
            "what was written and synced is found by the others, through files that they have open",
            |cx| write_in_turn(cx, VisibleAfter::Fsync),
        ),
        case(
            "posix.visible.close_to_open",
            "POSIX.1-2017 close, open (NFS: RFC 8881 section 10.3.1)",
            "what was written before a close is found by who opens after it",
            |cx| write_in_turn(cx, VisibleAfter::Close),
        ),
        case(
            "posix.visible.truncate",
            "POSIX.1-2017 ftruncate",
            "a file that one rank shortens and lengthens has its new length and zeros for all",
            truncate,
        ),
        ConformanceCase::new(
            "posix.visible.side_by_side",
            "POSIX.1-2017 write",
            "pieces that do not overlap, written by all ranks at once, are all there, in shared pages too",
            side_by_side,
        ),
    ]
}

/// The call after which data must be visible.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VisibleAfter {
    Write,
    Fsync,
    Close,
}

/// Bytes of one write. It is not a multiple of the page size, so that writes share pages.
const LENGTH: usize = 5000;

/// In turn, each rank overwrites data that all have read, and all read it again.
fn write_in_turn(cx: &CaseContext<'_>, after: VisibleAfter) -> CaseResult {
    let path = cx.path("file");
    let (rank, size) = (cx.rank(), cx.size());
    cx.on_rank_0("make", || system_file::prefill(&path, LENGTH * size as usize))?;
    for turn in cx.turns() {
        let mut file = Some(cx.agree("open", system_file::open(&path))?);
        let place = u64::from(turn) * LENGTH as u64;
        let before = vec![test_data::UNTOUCHED; LENGTH];
        cx.all("read what was there", || {
            system_file::check_at("before", &path, open_file(file.as_ref())?, place, &before)
        })?;
        let data = test_data::bytes(turn, 1, LENGTH);
        cx.all("write", || {
            if rank != turn {
                return Ok(());
            }
            system_file::write_at(open_file(file.as_ref())?, &data, place)?;
            match after {
                VisibleAfter::Write => {}
                VisibleAfter::Fsync => open_file(file.as_ref())?.sync_all().context("fsync")?,
                VisibleAfter::Close => file = None,
            }
            Ok(())
        })?;
        if after == VisibleAfter::Close {
            file = Some(cx.agree("open after the close", system_file::open(&path))?);
        }
        cx.all("read what was written", || {
            system_file::check_at(
                &format!("written by rank {turn}"),
                &path,
                open_file(file.as_ref())?,
                place,
                &data,
            )
        })?;
    }
    Ok(())
}

/// The open file; a problem after it was closed.
fn open_file(file: Option<&File>) -> Result<&File, CaseProblem> {
    file.ok_or_else(|| CaseProblem::fail("the file is closed"))
}

fn truncate(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (whole, short, long) = (3 * LENGTH, LENGTH + 1, 2 * LENGTH);
    cx.on_rank_0("make", || system_file::prefill(&path, whole))?;
    let file = cx.agree("open", system_file::open(&path))?;
    let untouched = |length| vec![test_data::UNTOUCHED; length];
    cx.all("read", || system_file::check_at("before", &path, &file, 0, &untouched(whole)))?;
    for turn in cx.turns() {
        let mine = cx.rank() == turn;
        let cut =
            |length: usize| if mine { file.set_len(length as u64).context("ftruncate") } else { Ok(()) };
        cx.all("shorten", || cut(short))?;
        cx.all("check the short file", || {
            check_length(&path, &file, short)?;
            check_equal(
                "bytes read at its end",
                &1,
                &system_file::read_at(&file, LENGTH, short as u64 - 1)?.len(),
            )
        })?;
        cx.all("lengthen", || cut(long))?;
        cx.all("check the long file", || {
            check_length(&path, &file, long)?;
            let zeros = [untouched(short), vec![0; long - short]].concat();
            system_file::check_at("zeros from the old end on", &path, &file, 0, &zeros)
        })?;
    }
    Ok(())
}

fn check_length(path: &Path, file: &File, wanted: usize) -> Result<(), CaseProblem> {
    check_equal("length by fstat", &(wanted as u64), &file.metadata().context("fstat")?.len())?;
    check_equal("length by stat", &(wanted as u64), &std::fs::metadata(path).context("stat")?.len())
}

/// Pieces of each rank.
const PIECES: u64 = 64;

/// Bytes of a piece.
const PIECE: usize = 129;

fn side_by_side(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, size) = (cx.rank(), cx.size());
    let length = PIECES as usize * PIECE * size as usize;
    cx.on_rank_0("make", || system_file::prefill(&path, length))?;
    let file = cx.agree("open", system_file::open(&path))?;
    cx.all("write", || {
        (0..PIECES).try_for_each(|piece| {
            let place = (piece * u64::from(size) + u64::from(rank)) * PIECE as u64;
            system_file::write_at(&file, &test_data::bytes(rank, piece as u32, PIECE), place)
        })
    })?;
    drop(file);
    cx.comm.barrier()?;
    cx.all("read all", || {
        let rows = (0..PIECES as u32).flat_map(|piece| (0..size).map(move |rank| (rank, piece)));
        let wanted: Vec<u8> = rows.flat_map(|(rank, piece)| test_data::bytes(rank, piece, PIECE)).collect();
        system_file::check_all("pieces of all ranks", &path, &wanted)
    })
}
