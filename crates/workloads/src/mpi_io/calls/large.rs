//! Sizes and extents beyond what 32 bits count.

use storage::mpi_file::{At, Datatype, Elements, Info, Named, Start, Way};

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
    let promise =
        "a sparse file of 10 TB is written at both ends and in the middle from all ranks, and found";
    cases.push(
        Case::new("large.file_10tb", "MPI 4.1 section 14.4, MPI_Offset", promise, ten_tb).mpi().large(4),
    );
    let promise = "one call moves 2 GiB and 64 KiB from one rank, a datatype that 32 bits do not count";
    cases.push(Case::new("large.call_2gib", "MPI 4.1 section 14.4", promise, two_gib).mpi().large(20));
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

fn two_gib(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let comm = scene.mpi()?;
    scene.on_rank_0("look for memory", || {
        let free = Memory::of_this_node().map_or(u64::MAX, |memory| memory.available);
        let least = 2 * TWO_GIB;
        if free >= least {
            return Ok(());
        }
        Err(Trouble::Skipped(format!("needs {} MiB of memory, {} MiB are free", least >> 20, free >> 20)))
    })?;
    let kind = scene.agree("make a datatype", Datatype::named(comm, Named::Byte).many(TWO_GIB))?;
    let file = scene.open(&path, &MADE)?;
    let moves = scene.rank() == 0;
    // One piece over and over, with its number at the beginning: 2 GiB need not be computed byte by byte.
    let pattern = look::data(0, 1, PIECE);
    let mut data = vec![0; if moves { TWO_GIB as usize } else { 0 }];
    for (number, piece) in data.chunks_mut(PIECE).enumerate() {
        piece.copy_from_slice(&pattern[..piece.len()]);
        piece[..8].copy_from_slice(&(number as u64).to_le_bytes());
    }
    let count = i32::from(moves);
    scene.all("write", || {
        let done = file.write(At::Offset(0), Way::Collective, &data, Elements::new(&kind, count));
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
