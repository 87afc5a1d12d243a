//! Atomic mode: overlapping calls take effect one after the other, and are visible when they return.

use std::path::Path;

use storage::mpi_file::{At, Elements, Opener, Participation};

use super::{int, mpi_cases};
use crate::access::{self, HintPairs};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::{CREATE_READ_WRITE, OpenFile};
use crate::problem::{CaseProblem, CaseResult, EarlyEnd, ProblemContext, check_bytes, check_equal};
use crate::system_file;
use crate::test_data;

const SECTION: &str = "MPI 4.1 section 14.6.1";

pub(super) fn cases() -> Vec<ConformanceCase> {
    let mut cases = mpi_cases(&[(
        "atomic.default",
        SECTION,
        "files are opened without atomic mode; it can be set, and asked for",
        default,
    )]);
    let many: [super::CaseRow; 6] = [
        ("atomic.at_once", SECTION, "in atomic mode a write is seen by others once it has returned", at_once),
        (
            "atomic.readers",
            SECTION,
            "reads that overlap a write find all of it or nothing, contiguous",
            |cx| overlap(cx, &PLAIN),
        ),
        (
            "atomic.readers_view",
            SECTION,
            "reads that overlap a write find all of it or nothing, in a view with gaps",
            |cx| overlap(cx, &OverlapTest { view: true, ..PLAIN }),
        ),
        (
            "atomic.readers_sieved",
            SECTION,
            "the same with buffers for sieving that are small and odd",
            |cx| overlap(cx, &OverlapTest { view: true, hints: ODD_BUFFERS, ..PLAIN }),
        ),
        (
            "atomic.writers_together",
            SECTION,
            "of writes that overlap in a collective call the whole of one remains",
            |cx| overlap(cx, &OverlapTest { way: Participation::Collective, all_write: true, ..PLAIN }),
        ),
        ("atomic.writers", SECTION, "of writes that overlap the whole of one remains", |cx| {
            overlap(cx, &OverlapTest { all_write: true, ..PLAIN })
        }),
    ];
    cases.extend(mpi_cases(&many).into_iter().map(|case| case.ranks(2)));
    for routine in ["write_at", "write_all", "write_at_all", "write_shared", "write_ordered"] {
        let promise = format!("{routine} and its twin move the same in atomic mode");
        cases.push(access::case_with(format!("atomic.{routine}"), promise, routine, &[], true));
    }
    cases
}

fn default(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let is = |wanted: bool| {
        check_equal("atomic mode", &wanted, &file.atomicity().context("MPI_File_get_atomicity")?)
    };
    cx.all("look", || is(false))?;
    for mode in [true, false, true] {
        cx.agree("MPI_File_set_atomicity", file.set_atomicity(mode))?;
        cx.all("look", || is(mode))?;
    }
    cx.close(file)
}

const LENGTH: usize = 40_000;

/// Rounds in which readers and writers meet.
const ROUNDS: u32 = 6;

fn open_atomic(cx: &CaseContext<'_>, how: &OverlapTest) -> Result<OpenFile, EarlyEnd> {
    let comm = cx.mpi()?;
    let info = cx.hints(how.hints.iter().copied())?;
    let file = cx.open_as(Opener::All(comm), &cx.path("file"), &CREATE_READ_WRITE, &info)?;
    if how.view {
        let int = int(cx)?;
        let half = cx.agree("make a view", int.vector(1, 1, 1).and_then(|one| one.resized(0, 8)))?;
        cx.set_view(&file, 0, &int, &half)?;
    }
    cx.agree("MPI_File_set_atomicity", file.set_atomicity(true))?;
    Ok(file)
}

fn at_once(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, LENGTH))?;
    let file = open_atomic(cx, &PLAIN)?;
    for turn in cx.turns() {
        let data = test_data::bytes(turn, 1, LENGTH);
        cx.on_rank(turn, "write in turn", || {
            file.write(At::Offset(0), Participation::Independent, &data, file.bytes(LENGTH))
                .context("write_at")
        })?;
        cx.all("read at once", || file.check_at(&format!("written by rank {turn}"), &path, 0, &data))?;
    }
    cx.close(file)
}

/// Identifies a writer and a round. 0 identifies the initial data.
fn number(writer: u32, round: u32) -> u32 {
    1 + writer * ROUNDS + round
}

/// The data of a write: one number, repeated.
fn repeated(number: u32) -> Vec<u8> {
    number.to_ne_bytes().iter().copied().cycle().take(LENGTH).collect()
}

/// When a rank reads, which decides what it may find.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadTime {
    /// While ranks write: the data of this round, or the data before it.
    DuringWrites,
    /// After all writes have returned: only the data of this round.
    AfterWrites,
}

/// How the overlapping calls are made.
struct OverlapTest {
    /// In a view with gaps.
    view: bool,
    all_write: bool,
    way: Participation,
    hints: HintPairs,
}

const PLAIN: OverlapTest =
    OverlapTest { view: false, all_write: false, way: Participation::Independent, hints: &[] };

/// Hints that make buffers end in the middle of the data.
const ODD_BUFFERS: HintPairs = &[("ind_wr_buffer_size", "1209"), ("ind_rd_buffer_size", "1107")];

/// Rank 0 writes, or all ranks do, while the others read the same range. Each read must find the whole data
/// of one write.
fn overlap(cx: &CaseContext<'_>, how: &OverlapTest) -> CaseResult {
    let OverlapTest { view, all_write, way, .. } = *how;
    let path = cx.path("file");
    let (rank, size, int) = (cx.rank(), cx.size(), int(cx)?);
    let zeros = vec![0; if view { 2 * LENGTH } else { LENGTH }];
    cx.on_rank_0("make", || std::fs::write(&path, &zeros).context("write"))?;
    let file = open_atomic(cx, how)?;
    let whole = || Elements::new(&int, LENGTH as i32 / 4);
    let writers = if all_write { size } else { 1 };
    let read = |round, when| {
        let mut found = vec![0; LENGTH];
        file.read(At::Offset(0), Participation::Independent, &mut found, whole()).context("read_at")?;
        check_one_write(&path, &found, writers, round, when)
    };
    for round in 0..ROUNDS {
        cx.comm.barrier()?;
        let done = if rank == 0 || all_write {
            let data = repeated(number(rank, round));
            file.write(At::Offset(0), way, &data, whole()).map(drop).context("write_at")
        } else {
            (0..3).try_for_each(|_| read(round, ReadTime::DuringWrites).map(drop))
        };
        cx.agree("write and read", done)?;
        let number = cx.agree("read after it", read(round, ReadTime::AfterWrites))?;
        // All ranks must find the same write: a rank may have its own write only in its own memory.
        let first = cx.comm.reduce_one(number.into(), ranks::Reduce::Min)?;
        cx.all("compare", || check_equal("the number of the write that remains", &first, &number.into()))?;
    }
    cx.close(file)
}

/// Fails unless all numbers are of one write of this round or, while ranks write, of the data before it.
/// Gives that number.
fn check_one_write(
    path: &Path,
    found: &[u8],
    writers: u32,
    round: u32,
    when: ReadTime,
) -> Result<u32, CaseProblem> {
    let of_round = |round: u32| (0..writers).map(move |writer| number(writer, round));
    let before: Vec<u32> = match round.checked_sub(1) {
        Some(round) => of_round(round).collect(),
        None => vec![0],
    };
    let allowed: Vec<u32> =
        of_round(round).chain(before.iter().copied().filter(|_| when == ReadTime::DuringWrites)).collect();
    let first = found.first_chunk().map_or(u32::MAX, |bytes| u32::from_ne_bytes(*bytes));
    if allowed.contains(&first) {
        // A single writer that has returned has no write outstanding.
        let what = match (when, writers) {
            (ReadTime::AfterWrites, 1) => "a write that has returned",
            _ => "one write, whole",
        };
        return check_bytes(what, path, 0, &repeated(first), found).map(|()| first);
    }
    let (what, wanted) = match when {
        ReadTime::DuringWrites => ("what was there before, whole", before[0]),
        ReadTime::AfterWrites => ("a write that has returned, against the first", allowed[0]),
    };
    check_bytes(what, path, 0, &repeated(wanted), found).map(|()| wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_the_writes_have_returned_only_data_of_this_round_is_accepted() {
        let is_right = |data: Vec<u8>, writers, round, when| {
            check_one_write(Path::new("file"), &data, writers, round, when).is_ok()
        };
        let of = |writer, round| repeated(number(writer, round));
        for (data, writers, round, meanwhile, after) in [
            (repeated(0), 1, 0, true, false),
            (repeated(0), 1, 1, false, false),
            (of(0, 1), 1, 1, true, true),
            (of(0, 0), 1, 1, true, false),
            (of(0, 0), 1, 2, false, false),
            (of(2, 1), 3, 1, true, true),
            (of(2, 0), 3, 1, true, false),
            (of(2, 1), 1, 1, false, false),
        ] {
            assert_eq!(
                is_right(data.clone(), writers, round, ReadTime::DuringWrites),
                meanwhile,
                "{:?}",
                &data[..4]
            );
            assert_eq!(
                is_right(data.clone(), writers, round, ReadTime::AfterWrites),
                after,
                "{:?}",
                &data[..4]
            );
        }
        let torn = [&of(0, 1)[..LENGTH / 2], &of(0, 0)[LENGTH / 2..]].concat();
        assert!(!is_right(torn, 1, 1, ReadTime::DuringWrites));
    }
}
