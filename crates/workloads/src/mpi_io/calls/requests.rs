//! Requests: many at once, mixed with calls that wait, cancelled, let go.

use std::time::Duration;

use storage::mpi_file::{At, Elements, Progress, Request, Way};

use super::{byte, of_rows};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same, same_bytes};

const OFFSETS: &str = "MPI 4.1 section 14.4.2";
const OWN: &str = "MPI 4.1 section 14.4.3";
const ENDS: &str = "MPI 4.1 section 3.7";

pub(super) fn cases() -> Vec<Case> {
    of_rows(&[
        ("requests.many", OFFSETS, "many requests of one file may be under way, and end in any order", many),
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
        ("requests.free", ENDS, "a request that is freed goes on to its end", free),
    ])
}

const PIECE: usize = 700;
const PIECES: u32 = 32;

fn place(rank: u32, piece: u32) -> i64 {
    i64::from(rank * PIECES + piece) * PIECE as i64
}

/// Ends requests by tests, from the last one on, each with the number of its piece.
fn ended(requests: Vec<(u32, Request<'_>)>) -> Result<Vec<(u32, Vec<u8>)>, Trouble> {
    let mut going: Vec<_> = requests.into_iter().rev().collect();
    let mut buffers = Vec::new();
    while !going.is_empty() {
        let mut still = Vec::new();
        for (piece, request) in going {
            match request.test() {
                Progress::UnderWay(request) => still.push((piece, request)),
                Progress::Ended(done, buffer) => {
                    let bytes = done.told("test")?.bytes().told("MPI_Get_elements")?;
                    same(&format!("bytes of request {piece}"), &(PIECE as u64), &bytes)?;
                    buffers.push((piece, buffer));
                }
            }
        }
        going = still;
        std::thread::yield_now();
    }
    Ok(buffers)
}

fn many(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, byte) = (scene.rank(), byte(scene)?);
    let file = scene.open(&path, &MADE)?;
    let begin = |writes: bool| -> Result<Vec<(u32, Request<'_>)>, Trouble> {
        let start = |piece: u32| {
            let elements = Elements::new(&byte, PIECE as i32);
            let at = At::Offset(place(rank, piece));
            let begun = if writes {
                file.start_write(at, Way::Independent, look::data(rank, piece, PIECE), elements)
            } else {
                file.start_read(at, Way::Independent, vec![0; PIECE], elements)
            };
            begun.map(|request| (piece, request)).map_err(|refused| refused.error).told("begin")
        };
        (0..PIECES).map(start).collect()
    };
    scene.all("write", || begin(true).and_then(ended).map(drop))?;
    scene.agree("MPI_File_sync", file.sync())?;
    scene.all("read", || {
        begin(false).and_then(ended)?.into_iter().try_for_each(|(piece, found)| {
            let wanted = look::data(rank, piece, PIECE);
            same_bytes("a piece read back", &path, place(rank, piece) as u64, &wanted, &found)
        })
    })?;
    scene.close(file)?;
    let pieces = (0..scene.size()).flat_map(|rank| (0..PIECES).map(move |piece| (rank, piece)));
    let wanted: Vec<u8> = pieces.flat_map(|(rank, piece)| look::data(rank, piece, PIECE)).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}

fn mixed(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path(&format!("file.{}", scene.rank()));
    let comm = scene.mpi()?;
    let (rank, byte) = (scene.rank(), byte(scene)?);
    let none = storage::mpi_file::Info::none(comm);
    let file = scene.open_as(storage::mpi_file::Whose::Alone(comm), &path, &MADE, &none)?;
    scene.all("write", || {
        let piece = |number| look::data(rank, number, PIECE);
        let elements = || Elements::new(&byte, PIECE as i32);
        let (at, way) = (At::Individual, Way::Independent);
        let first = file.start_write(at, way, piece(0), elements()).map_err(|r| r.error).told("iwrite")?;
        file.write(at, way, &piece(1), elements()).told("write")?;
        let third = file.start_write(at, way, piece(2), elements()).map_err(|r| r.error).told("iwrite")?;
        file.write(at, way, &piece(3), elements()).told("write")?;
        third.wait().0.told("wait")?;
        first.wait().0.map(drop).told("wait")
    })?;
    scene.close(file)?;
    let wanted: Vec<u8> = (0..4).flat_map(|number| look::data(rank, number, PIECE)).collect();
    scene.all("look", || look::is_whole("the file", &path, &wanted))
}

fn cancel(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, byte) = (scene.rank(), byte(scene)?);
    scene.on_rank_0("make", || look::prefill(&path, PIECE * scene.size() as usize))?;
    let file = scene.open(&path, &MADE)?;
    let at = i64::from(rank) * PIECE as i64;
    let data = look::data(rank, 1, PIECE);
    let cancelled = scene.agree("cancel", {
        let elements = Elements::new(&byte, PIECE as i32);
        let begun = file.start_write(At::Offset(at), Way::Independent, data.clone(), elements);
        begun.map_err(|refused| refused.error).told("iwrite_at").and_then(|mut request| {
            // Where it cannot be cancelled, that may be said, or it goes on to its end.
            let said_no = request.cancel().is_err();
            let done = request.wait().0.told("wait")?;
            Ok(!said_no && done.cancelled().told("MPI_Test_cancelled")?)
        })
    })?;
    scene.close(file)?;
    scene.all("look", || {
        let file = look::open(&path)?;
        let wanted = if cancelled { vec![look::UNTOUCHED; PIECE] } else { data };
        let what = if cancelled { "cancelled, so not written" } else { "not cancelled, so written" };
        look::holds(what, &path, &file, at as u64, &wanted)
    })
}

fn free(scene: &mut Scene<'_>) -> Verdict {
    let place = |rank: u32| i64::from(rank) * PIECE as i64;
    let path = scene.path("file");
    let (rank, byte) = (scene.rank(), byte(scene)?);
    let file = scene.open(&path, &MADE)?;
    let data = look::data(rank, 1, PIECE);
    scene.all("begin and free", || {
        let (at, elements) = (At::Offset(place(rank)), Elements::new(&byte, PIECE as i32));
        let begun = file.start_write(at, Way::Independent, data, elements);
        begun.map_err(|refused| refused.error).told("iwrite_at")?.free().told("MPI_Request_free")
    })?;
    // Closing a file with something under way is forbidden, and nothing tells when it has ended but that a
    // rank reads what it has written itself.
    scene.all("wait for the own piece", || {
        let (at, wanted) = (place(rank), look::data(rank, 1, PIECE));
        let mut found = vec![0; PIECE];
        for _ in 0..LOOKS {
            let elements = Elements::new(&byte, PIECE as i32);
            file.read(At::Offset(at), Way::Independent, &mut found, elements).told("read_at")?;
            if found == wanted {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        same_bytes("what a freed request was to write", &path, at as u64, &wanted, &found)
    })?;
    scene.agree("MPI_File_sync", file.sync())?;
    scene.close(file)?;
    let wanted: Vec<u8> = (0..scene.size()).flat_map(|rank| look::data(rank, 1, PIECE)).collect();
    scene.on_rank_0("look", || look::is_whole("what freed requests were to write", &path, &wanted)).map(drop)
}

/// How often a file is looked at, and how long apart, until what is under way has come.
const LOOKS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);
