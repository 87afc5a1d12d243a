//! Sizes and extents beyond what 32 bits count.

use storage::mpi_file::{At, Calls, Datatype, Distribution, Elements, Flag, Info, Named, Order, Start, Way};

use super::{byte, int};
use crate::kit::memory::Memory;
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same, same_bytes};

const VIEW: &str = "MPI 4.1 section 14.3";

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = [1, 3, 6]
        .into_iter()
        .map(|gib: u64| {
            let promise =
                format!("a filetype with an extent of {gib} GiB puts its tiles so far apart (sparse)");
            let body = move |scene: &mut Scene<'_>| far_apart(scene, gib << 30);
            Case::new(format!("large.extent_{gib}gib"), VIEW, promise, body).mpi()
        })
        .collect();
    for (name, kind) in [("large.subarray_4gib", Array::Sub), ("large.darray_4gib", Array::Dealt)] {
        let promise = "the last rows of an array of 4.25 GiB lie where the array says (sparse)";
        let body = move |scene: &mut Scene<'_>| last_rows(scene, kind);
        cases.push(Case::new(name, "MPI 4.1 section 5.1.3", promise, body).mpi());
    }
    let promise =
        "a count beyond 2^31 is one: such a read of a short file brings all there is (MPI_File_read_at_c)";
    cases.push(Case::new("large.count_beyond_int", "MPI 4.1 section 14.4.2", promise, beyond_int).mpi());
    let promise =
        "a sparse file of 10 TB is written at both ends and in the middle from all ranks, and found";
    cases.push(
        Case::new("large.file_10tb", "MPI 4.1 section 14.4, MPI_Offset", promise, ten_tb).mpi().large(4),
    );
    let promise = "one call moves 2 GiB and 64 KiB from one rank, a datatype that 32 bits do not count";
    let by_type = |scene: &mut Scene<'_>| two_gib(scene, Calls::Plain);
    cases.push(Case::new("large.call_2gib", "MPI 4.1 section 14.4", promise, by_type).mpi().large(20));
    let promise = "one call moves 2 GiB and 64 KiB by a count of bytes (MPI_File_write_at_all_c)";
    let by_count = |scene: &mut Scene<'_>| two_gib(scene, Calls::Large);
    cases.push(Case::new("large.count_2gib", "MPI 4.1 section 14.4", promise, by_count).mpi().large(20));
    cases
}

const PIECE: usize = 4096;

fn far_apart(scene: &Scene<'_>, extent: u64) -> Verdict {
    let path = scene.path("file");
    let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
    let rank = scene.rank();
    let made = int.contiguous(PIECE as i32 / 4).and_then(|piece| piece.resized(0, extent as isize));
    let filetype = scene.agree("make a filetype", made)?;
    let end = 2 * extent + u64::from(scene.size()) * PIECE as u64;
    scene.on_rank_0("make", || look::make_for(&path, end))?;
    let file = scene.open(&path, &MADE)?;
    let start = Start::Byte(i64::from(rank) * PIECE as i64);
    scene.agree("MPI_File_set_view", file.set_view(start, &int, &filetype, "native", &none))?;
    let data = look::data(rank, 1, 3 * PIECE);
    let elements = || Elements::new(&int, 3 * PIECE as i32 / 4);
    scene.all("write", || {
        file.write(At::Offset(0), Way::Collective, &data, elements()).map(drop).told("write_at_all")
    })?;
    scene.close(file)?;
    scene.all("look", || {
        let file = look::open(&path)?;
        data.chunks(PIECE).enumerate().try_for_each(|(tile, wanted)| {
            let place = tile as u64 * extent + u64::from(rank) * PIECE as u64;
            look::holds(&format!("tile {tile}"), &path, &file, place, wanted)
        })?;
        same("length of the file", &end, &file.metadata().told("fstat")?.len())
    })
}

const TEN_TB: i64 = 10_000_000_000_000;

fn ten_tb(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, size, byte) = (i64::from(scene.rank()), i64::from(scene.size()), byte(scene)?);
    let piece = PIECE as i64;
    let places = |rank: i64| [rank * piece, TEN_TB / 2 + rank * piece, TEN_TB - (size - rank) * piece];
    scene.on_rank_0("make", || look::make_for(&path, TEN_TB as u64))?;
    let file = scene.open(&path, &MADE)?;
    for (call, place) in places(rank).into_iter().enumerate() {
        scene.all("write", || {
            let data = look::data(rank as u32, call as u32, PIECE);
            let elements = Elements::new(&byte, PIECE as i32);
            file.write(At::Offset(place), Way::Collective, &data, elements).map(drop).told("write_at_all")
        })?;
    }
    scene.sync(&file)?;
    scene.all("read what another wrote", || {
        same("MPI_File_get_size", &TEN_TB, &file.size().told("MPI_File_get_size")?)?;
        let other = (rank + 1) % size;
        places(other).into_iter().enumerate().try_for_each(|(call, place)| {
            let (wanted, mut found) = (look::data(other as u32, call as u32, PIECE), vec![0; PIECE]);
            let elements = Elements::new(&byte, PIECE as i32);
            file.read(At::Offset(place), Way::Independent, &mut found, elements).told("read_at")?;
            same_bytes(&format!("written by rank {other}"), &path, place as u64, &wanted, &found)?;
            look::holds("the same by the system", &path, &look::open(&path)?, place as u64, &wanted)
        })
    })?;
    scene.close(file)
}

/// Bytes that the first rank moves; the others move none, for memory's sake.
const TWO_GIB: u64 = (2 << 30) + (64 << 10);

fn two_gib(scene: &mut Scene<'_>, calls: Calls) -> Verdict {
    let path = scene.path("file");
    let comm = scene.mpi()?;
    memory_for(scene, 2 * TWO_GIB)?;
    let byte = Datatype::named(comm, Named::Byte);
    let many = scene.agree("make a datatype", byte.many(TWO_GIB))?;
    let file = scene.open(&path, &MADE)?;
    let moves = scene.rank() == 0;
    // One piece over and over, with its number at the beginning: 2 GiB need not be computed byte by byte.
    let pattern = look::data(0, 1, PIECE);
    let mut data = vec![0; if moves { TWO_GIB as usize } else { 0 }];
    for (number, piece) in data.chunks_mut(PIECE).enumerate() {
        piece.copy_from_slice(&pattern[..piece.len()]);
        piece[..8].copy_from_slice(&(number as u64).to_le_bytes());
    }
    let elements = match calls {
        Calls::Large => Elements { count: data.len() as i64, ..Elements::new(&byte, 0) }.by(calls),
        _ => Elements::new(&many, i32::from(moves)),
    };
    scene.all("write", || {
        let done = file.write(At::Offset(0), Way::Collective, &data, elements);
        let bytes = done.told("write_at_all")?.bytes().told("MPI_Get_elements_x")?;
        same("bytes moved", &(data.len() as u64), &bytes)
    })?;
    scene.close(file)?;
    scene
        .on_rank_0("look", || {
            let file = look::open(&path)?;
            same("length of the file", &TWO_GIB, &file.metadata().told("fstat")?.len())?;
            data.chunks(8 << 20).enumerate().try_for_each(|(number, wanted)| {
                look::holds("the file", &path, &file, number as u64 * (8 << 20), wanted)
            })
        })
        .map(drop)
}

/// Whether so much memory can be had on the node of rank 0.
fn memory_for(scene: &Scene<'_>, least: u64) -> Verdict {
    let look = || {
        let free = Memory::of_this_node().map_or(u64::MAX, |memory| memory.available);
        if free >= least {
            return Ok(());
        }
        Err(Trouble::Skipped(format!("needs {} MiB of memory, {} MiB are free", least >> 20, free >> 20)))
    };
    scene.on_rank_0("look for memory", look).map(drop)
}

/// Bytes that a file has, of which more than 2^31 are asked for.
const SHORT: usize = 50_000;

fn beyond_int(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (byte, asks) = (byte(scene)?, scene.rank() == 0);
    let data = look::data(0, 1, SHORT);
    scene.on_rank_0("make", || std::fs::write(&path, &data).told("write"))?;
    memory_for(scene, 2 * TWO_GIB)?;
    let file = scene.open(&path, &[Flag::ReadOnly])?;
    scene.all("read", || {
        if !asks {
            return Ok(());
        }
        // Memory that nobody touches is none.
        let mut found = vec![0; TWO_GIB as usize];
        let elements = Elements { count: TWO_GIB as i64, ..Elements::new(&byte, 0) }.by(Calls::Large);
        let done = file.read(At::Offset(0), Way::Independent, &mut found, elements).told("read_at_c")?;
        same("bytes moved", &(SHORT as u64), &done.bytes().told("MPI_Get_elements_x")?)?;
        same_bytes("the buffer", &path, 0, &data, &found[..SHORT])
    })?;
    scene.close(file)
}

/// How an array is dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Array {
    /// Each rank has the same columns of all rows.
    Sub,
    /// Rows are dealt out in turn.
    Dealt,
}

/// Numbers of a row, and rows: 4.25 GiB in all.
const ROW: u64 = 1 << 16;
const ROWS: u64 = (4 << 12) + (1 << 10);

fn last_rows(scene: &Scene<'_>, array: Array) -> Verdict {
    let path = scene.path("file");
    let (int, comm) = (int(scene)?, scene.mpi()?);
    let (rank, size) = (u64::from(scene.rank()), u64::from(scene.size()));
    let place = (scene.rank() as i32, scene.size() as i32);
    let columns = ROW / size;
    let sizes = [ROWS as i32, ROW as i32];
    // Of how many rows this rank sees how many numbers each, and which is the last.
    let (made, rows, each, last) = match array {
        Array::Sub => {
            let (part, start) = ([ROWS as i32, columns as i32], [0, (rank * columns) as i32]);
            (int.subarray(&sizes, &part, &start, Order::C), ROWS, columns, ROWS - 1)
        }
        Array::Dealt => {
            let dealt = [Distribution::Cyclic(None), Distribution::None];
            let rows = (rank..ROWS).step_by(size as usize);
            let made = int.darray(place, &sizes, &dealt, &[place.1, 1], Order::C);
            (made, rows.clone().count() as u64, ROW, rows.last().unwrap_or_default())
        }
    };
    let filetype = scene.agree("make a filetype", made)?;
    let file = scene.open(&path, &MADE)?;
    let set = file.set_view(Start::Byte(0), &int, &filetype, "native", &Info::none(comm));
    scene.agree("MPI_File_set_view", set)?;
    let data = look::data(scene.rank(), 1, PIECE);
    let numbers = PIECE as u64 / 4;
    let at = At::Offset((rows * each - numbers) as i64);
    scene.all("write", || {
        let elements = Elements::new(&int, numbers as i32);
        file.write(at, Way::Collective, &data, elements).map(drop).told("write_at_all")
    })?;
    scene.close(file)?;
    // The end of this rank's part of its last row.
    let first = if array == Array::Sub { rank * columns } else { 0 };
    let end = 4 * (last * ROW + first + each);
    scene.all("look", || look::holds("the last row", &path, &look::open(&path)?, end - PIECE as u64, &data))
}
