//! Requests that are ended together, in all ways that MPI has; buffers that are used again.

use storage::mpi_file::{At, Elements, Many, MpiFile, Requests, Way};

use super::{byte, int, of_rows};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same, same_bytes};

const SEVERAL: &str = "MPI 4.1 section 3.7.5";

const FREED: &str = "MPI 4.1 section 5.1.9";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = of_rows(&[
        (
            "requests.reused",
            "MPI 4.1 section 3.7.3",
            "a buffer may be written over as soon as its request has ended",
            reused,
        ),
        (
            "requests.type_freed",
            FREED,
            "a datatype may be freed while a request that moves it is under way",
            |scene| type_freed(scene, Way::Independent),
        ),
        (
            "requests.type_freed_together",
            FREED,
            "a datatype may be freed while a collective request that moves it is under way",
            |scene| type_freed(scene, Way::Collective),
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
        let body = move |scene: &mut Scene<'_>| several(scene, call, many, waits);
        cases.push(Case::new(name, SEVERAL, promise, body).mpi());
    }
    cases
}

/// Requests of each rank. No two are of one length, so that no status can be taken for another.
const PIECES: u32 = 9;

fn length(piece: u32) -> usize {
    400 + 37 * piece as usize
}

/// Where a rank's piece lies, and behind all where the next rank's begin.
fn place(rank: u32, piece: u32) -> u64 {
    let each = |piece| length(piece) as u64;
    u64::from(rank) * (0..PIECES).map(each).sum::<u64>() + (0..piece).map(each).sum::<u64>()
}

/// Begins all pieces of this rank, and ends them; gives what came by piece.
fn moved(
    scene: &Scene<'_>,
    file: &MpiFile,
    writes: bool,
    (call, many, waits): (&str, Many, bool),
) -> Result<Vec<Vec<u8>>, Trouble> {
    let comm = scene.comm.mpi().ok_or_else(|| Trouble::fail("ranks of MPI have a communicator"))?;
    let byte = storage::mpi_file::Datatype::named(comm, storage::mpi_file::Named::Byte);
    let rank = scene.rank();
    let start = |piece: u32| {
        let at = At::Offset(place(rank, piece) as i64);
        let elements = Elements::new(&byte, length(piece) as i32);
        let begun = if writes {
            file.start_write(at, Way::Independent, look::data(rank, piece, length(piece)), elements)
        } else {
            file.start_read(at, Way::Independent, vec![0; length(piece)], elements)
        };
        begun.map_err(|refused| refused.error).told("begin")
    };
    let mut going = (0..PIECES).map(start).collect::<Result<Requests<'_>, _>>()?;
    let mut came = vec![None; PIECES as usize];
    while !going.is_empty() {
        let ended = going.end(many, waits).told(call)?;
        if many == Many::Any {
            same(&format!("at most one request ended by {call}"), &true, &(ended.len() <= 1))?;
        }
        if waits {
            same(&format!("whether {call}, which waits, ended any"), &true, &!ended.is_empty())?;
        }
        for one in ended {
            let bytes = one.done.bytes().told("MPI_Get_elements_x")?;
            let what = format!("bytes that the status of request {} tells", one.number);
            same(&what, &(length(one.number as u32) as u64), &bytes)?;
            came[one.number] = Some(one.buffer);
        }
        std::thread::yield_now();
    }
    let none = || Trouble::fail("a request has ended that was never told");
    came.into_iter().map(|buffer| buffer.ok_or_else(none)).collect()
}

fn several(scene: &Scene<'_>, call: &str, many: Many, waits: bool) -> Verdict {
    let path = scene.path("file");
    let (rank, how) = (scene.rank(), (call, many, waits));
    let file = scene.open(&path, &MADE)?;
    scene.agree("write", moved(scene, &file, true, how).map(drop))?;
    scene.close(file)?;
    let pieces = (0..scene.size()).flat_map(|rank| (0..PIECES).map(move |piece| (rank, piece)));
    let wanted: Vec<u8> = pieces.flat_map(|(rank, piece)| look::data(rank, piece, length(piece))).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted))?;
    let file = scene.open(&path, &MADE)?;
    let found = scene.agree("read", moved(scene, &file, false, how))?;
    scene.all("compare", || {
        (0..PIECES).zip(found).try_for_each(|(piece, found)| {
            let wanted = look::data(rank, piece, length(piece));
            same_bytes("a piece read back", &path, place(rank, piece), &wanted, &found)
        })
    })?;
    scene.close(file)
}

/// How often a buffer is used again.
const TURNS: u32 = 20;

fn reused(scene: &mut Scene<'_>) -> Verdict {
    const EACH: usize = 3000;
    let path = scene.path("file");
    let (rank, byte) = (scene.rank(), byte(scene)?);
    let file = scene.open(&path, &MADE)?;
    let at = |turn: u32| At::Offset(i64::from(rank * TURNS + turn) * EACH as i64);
    scene.all("write", || {
        let mut buffer = vec![0; EACH];
        (0..TURNS).try_for_each(|turn| {
            buffer.copy_from_slice(&look::data(rank, turn, EACH));
            let elements = Elements::new(&byte, EACH as i32);
            let begun = file.start_write(at(turn), Way::Independent, std::mem::take(&mut buffer), elements);
            let (done, back) = begun.map_err(|refused| refused.error).told("iwrite_at")?.wait();
            done.told("MPI_Wait")?;
            buffer = back;
            buffer.fill(look::UNTOUCHED);
            Ok(())
        })
    })?;
    scene.close(file)?;
    let turns = (0..scene.size()).flat_map(|rank| (0..TURNS).map(move |turn| (rank, turn)));
    let wanted: Vec<u8> = turns.flat_map(|(rank, turn)| look::data(rank, turn, EACH)).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}

fn type_freed(scene: &Scene<'_>, way: Way) -> Verdict {
    const NUMBERS: usize = 500;
    let path = scene.path("file");
    let (rank, int) = (scene.rank(), int(scene)?);
    let file = scene.open(&path, &MADE)?;
    let data = |rank| look::data(rank, 1, 4 * NUMBERS);
    // Every second number of the buffer.
    let spread: Vec<u8> = data(rank).chunks(4).flat_map(|number| [number, &[0; 4]].concat()).collect();
    let kind = scene.agree("make a datatype", int.vector(NUMBERS as i32, 1, 2))?;
    let begun = {
        let at = At::Offset(i64::from(rank) * 4 * NUMBERS as i64);
        file.start_write(at, way, spread, Elements::new(&kind, 1)).map_err(|refused| refused.error)
    };
    drop(kind);
    let request = scene.agree("begin", begun)?;
    scene.agree("end", request.wait().0.map(drop))?;
    scene.close(file)?;
    let wanted: Vec<u8> = (0..scene.size()).flat_map(data).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}
