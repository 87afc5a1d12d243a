//! Sizes, extents and counts that exceed 32 bits.

use storage::NodeMemory;
use storage::mpi_file::{
    At, Datatype, DimensionOrder, Distribution, ElementCalls, Elements, Flag, NamedDatatype, Participation,
};

use super::{int, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_bytes, check_equal};
use crate::system_file;
use crate::test_data;

const VIEW: &str = "MPI 4.1 section 14.3";
const ARRAYS: &str = "MPI 4.1 section 5.1.3";
const BEYOND_INT: &str =
    "a count beyond 2^31 is one: such a read of a short file brings all there is (MPI_File_read_at_c)";
const LAST_ROWS: &str = "the last rows of an array of 4.25 GiB lie where the array says (sparse)";

pub(super) fn cases() -> Vec<ConformanceCase> {
    let mut cases: Vec<ConformanceCase> = [1, 3, 6]
        .into_iter()
        .map(|gib: u64| {
            let promise =
                format!("a filetype with an extent of {gib} GiB puts its tiles so far apart (sparse)");
            let body = move |cx: &mut CaseContext<'_>| far_apart(cx, gib << 30);
            ConformanceCase::new(format!("large.extent_{gib}gib"), VIEW, promise, body).mpi()
        })
        .collect();
    cases.extend(mpi_cases(&[
        ("large.subarray_4gib", ARRAYS, LAST_ROWS, |cx| last_rows(cx, ArrayDistribution::Subarray)),
        ("large.darray_4gib", ARRAYS, LAST_ROWS, |cx| last_rows(cx, ArrayDistribution::Darray)),
        ("large.count_beyond_int", "MPI 4.1 section 14.4.2", BEYOND_INT, beyond_int),
    ]));
    let sparse = mpi_cases(&[(
        "large.file_10tb",
        "MPI 4.1 section 14.4, MPI_Offset",
        "a sparse file of 10 TB is written at both ends and in the middle from all ranks, and found",
        ten_tb,
    )]);
    cases.extend(sparse.into_iter().map(|case| case.large(4)));
    let of_two_gib = mpi_cases(&[
        (
            "large.call_2gib",
            "MPI 4.1 section 14.4",
            "one call moves 2 GiB and 64 KiB from one rank, a datatype that 32 bits do not count",
            |cx| two_gib(cx, ElementCalls::Plain),
        ),
        (
            "large.count_2gib",
            "MPI 4.1 section 14.4",
            "one call moves 2 GiB and 64 KiB by a count of bytes (MPI_File_write_at_all_c)",
            |cx| two_gib(cx, ElementCalls::Large),
        ),
    ]);
    cases.extend(of_two_gib.into_iter().map(|case| case.large(20)));
    cases
}

const PIECE: usize = 4096;

fn far_apart(cx: &CaseContext<'_>, extent: u64) -> CaseResult {
    let path = cx.path("file");
    let (rank, int) = (cx.rank(), int(cx)?);
    let made = int.contiguous(PIECE as i32 / 4).and_then(|piece| piece.resized(0, extent as isize));
    let filetype = cx.agree("make a filetype", made)?;
    let end = 2 * extent + u64::from(cx.size()) * PIECE as u64;
    cx.on_rank_0("make", || system_file::create_for_length(&path, end))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    cx.set_view(&file, i64::from(rank) * PIECE as i64, &int, &filetype)?;
    let data = test_data::bytes(rank, 1, 3 * PIECE);
    let elements = || Elements::new(&int, 3 * PIECE as i32 / 4);
    cx.all("write", || {
        file.write(At::Offset(0), Participation::Collective, &data, elements()).context("write_at_all")
    })?;
    cx.close(file)?;
    cx.all("look", || {
        let file = system_file::open(&path)?;
        data.chunks(PIECE).enumerate().try_for_each(|(tile, wanted)| {
            let place = tile as u64 * extent + u64::from(rank) * PIECE as u64;
            system_file::check_at(&format!("tile {tile}"), &path, &file, place, wanted)
        })?;
        check_equal("length of the file", &end, &file.metadata().context("fstat")?.len())
    })
}

const TEN_TB: i64 = 10_000_000_000_000;

fn ten_tb(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, size) = (i64::from(cx.rank()), i64::from(cx.size()));
    let piece = PIECE as i64;
    let places = |rank: i64| [rank * piece, TEN_TB / 2 + rank * piece, TEN_TB - (size - rank) * piece];
    cx.on_rank_0("make", || system_file::create_for_length(&path, TEN_TB as u64))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    for (call, place) in places(rank).into_iter().enumerate() {
        cx.all("write", || {
            let data = test_data::bytes(rank as u32, call as u32, PIECE);
            file.write(At::Offset(place), Participation::Collective, &data, file.bytes(PIECE))
                .context("write_at_all")
        })?;
    }
    cx.sync(&file)?;
    cx.all("read what another wrote", || {
        check_equal("MPI_File_get_size", &TEN_TB, &file.size().context("MPI_File_get_size")?)?;
        let other = (rank + 1) % size;
        places(other).into_iter().enumerate().try_for_each(|(call, place)| {
            let (wanted, place) = (test_data::bytes(other as u32, call as u32, PIECE), place as u64);
            file.check_at(&format!("written by rank {other}"), &path, place, &wanted)?;
            let by_system = system_file::open(&path)?;
            system_file::check_at("the same by the system", &path, &by_system, place, &wanted)
        })
    })?;
    cx.close(file)
}

/// Bytes that rank 0 moves. The other ranks move none, to save memory.
const TWO_GIB: u64 = (2 << 30) + (64 << 10);

fn two_gib(cx: &mut CaseContext<'_>, calls: ElementCalls) -> CaseResult {
    let path = cx.path("file");
    let comm = cx.mpi()?;
    check_memory(cx, 2 * TWO_GIB)?;
    let byte = Datatype::named(comm, NamedDatatype::Byte);
    let many = cx.agree("make a datatype", byte.many(TWO_GIB))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let moves = cx.rank() == 0;
    // One piece repeated, with its number at the beginning, because computing 2 GiB of data takes long.
    let pattern = test_data::bytes(0, 1, PIECE);
    let mut data = vec![0; if moves { TWO_GIB as usize } else { 0 }];
    for (number, piece) in data.chunks_mut(PIECE).enumerate() {
        piece.copy_from_slice(&pattern[..piece.len()]);
        piece[..8].copy_from_slice(&(number as u64).to_le_bytes());
    }
    let elements = match calls {
        ElementCalls::Large => Elements { count: data.len() as i64, ..file.bytes(0) }.by(calls),
        _ => Elements::new(&many, i32::from(moves)),
    };
    cx.all("write", || {
        let done = file.write(At::Offset(0), Participation::Collective, &data, elements);
        let bytes = done.context("write_at_all")?.bytes().context("MPI_Get_elements_x")?;
        check_equal("bytes moved", &(data.len() as u64), &bytes)
    })?;
    cx.close(file)?;
    cx.on_rank_0("look", || {
        let file = system_file::open(&path)?;
        check_equal("length of the file", &TWO_GIB, &file.metadata().context("fstat")?.len())?;
        data.chunks(8 << 20).enumerate().try_for_each(|(number, wanted)| {
            system_file::check_at("the file", &path, &file, number as u64 * (8 << 20), wanted)
        })
    })
}

/// Skips the case unless the node of rank 0 has this memory available, bytes.
fn check_memory(cx: &CaseContext<'_>, least: u64) -> CaseResult {
    let look = || {
        let available = NodeMemory::of_this_node().map_or(u64::MAX, |memory| memory.available);
        if available >= least {
            return Ok(());
        }
        Err(CaseProblem::Skipped(format!(
            "needs {} MiB of memory, {} MiB are free",
            least >> 20,
            available >> 20
        )))
    };
    cx.on_rank_0("look for memory", look)
}

/// Bytes of a file from which a read requests more than 2^31.
const SHORT: usize = 50_000;

fn beyond_int(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let data = test_data::bytes(0, 1, SHORT);
    cx.on_rank_0("make", || std::fs::write(&path, &data).context("write"))?;
    check_memory(cx, 2 * TWO_GIB)?;
    let file = cx.open(&path, &[Flag::ReadOnly])?;
    cx.on_rank_0("read", || {
        // The kernel provides memory only for pages that are touched.
        let mut found = vec![0; TWO_GIB as usize];
        let elements = Elements { count: TWO_GIB as i64, ..file.bytes(0) }.by(ElementCalls::Large);
        let done = file
            .read(At::Offset(0), Participation::Independent, &mut found, elements)
            .context("read_at_c")?;
        check_equal("bytes moved", &(SHORT as u64), &done.bytes().context("MPI_Get_elements_x")?)?;
        check_bytes("the buffer", &path, 0, &data, &found[..SHORT])
    })?;
    cx.close(file)
}

/// How an array is distributed over the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrayDistribution {
    /// Each rank has a block of columns of all rows (`MPI_Type_create_subarray`).
    Subarray,
    /// The rows are distributed cyclically (`MPI_Type_create_darray`).
    Darray,
}

/// Integers of a row, and rows: 4.25 GiB in all.
const ROW: u64 = 1 << 16;
const ROWS: u64 = (4 << 12) + (1 << 10);

fn last_rows(cx: &CaseContext<'_>, array: ArrayDistribution) -> CaseResult {
    let path = cx.path("file");
    let int = int(cx)?;
    let (rank, size) = (u64::from(cx.rank()), u64::from(cx.size()));
    let place = (cx.rank() as i32, cx.size() as i32);
    let columns = ROW / size;
    let sizes = [ROWS as i32, ROW as i32];
    // The rows of this rank, the integers that it has of each, and the number of its last row.
    let (made, rows, each, last) = match array {
        ArrayDistribution::Subarray => {
            let (part, start) = ([ROWS as i32, columns as i32], [0, (rank * columns) as i32]);
            (int.subarray(&sizes, &part, &start, DimensionOrder::C), ROWS, columns, ROWS - 1)
        }
        ArrayDistribution::Darray => {
            let distribution = [Distribution::Cyclic(None), Distribution::None];
            let rows = (rank..ROWS).step_by(size as usize);
            let made = int.darray(place, &sizes, &distribution, &[place.1, 1], DimensionOrder::C);
            (made, rows.clone().count() as u64, ROW, rows.last().unwrap_or_default())
        }
    };
    let filetype = cx.agree("make a filetype", made)?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    cx.set_view(&file, 0, &int, &filetype)?;
    let data = test_data::bytes(cx.rank(), 1, PIECE);
    let numbers = PIECE as u64 / 4;
    let at = At::Offset((rows * each - numbers) as i64);
    cx.all("write", || {
        let elements = Elements::new(&int, numbers as i32);
        file.write(at, Participation::Collective, &data, elements).context("write_at_all")
    })?;
    cx.close(file)?;
    // The end of this rank's part of its last row, bytes.
    let first = if array == ArrayDistribution::Subarray { rank * columns } else { 0 };
    let end = 4 * (last * ROW + first + each);
    cx.all("look", || {
        system_file::check_at("the last row", &path, &system_file::open(&path)?, end - PIECE as u64, &data)
    })
}
