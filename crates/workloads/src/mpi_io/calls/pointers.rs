//! Where pointers stand and go.

use storage::mpi_file::{At, Elements, Info, Pointer, Start, Way, Whence};

use super::{byte, int, noticed, of_rows};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::{MADE, Opened};
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Stop, Told, Trouble, Verdict, same};

const OWN: &str = "MPI 4.1 section 14.4.3";
const SHARED: &str = "MPI 4.1 section 14.4.4";

pub(super) fn cases() -> Vec<Case> {
    of_rows(&[
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
        ("pointers.apart", SHARED, "the two pointers and calls with an offset do not move each other", apart),
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
            turns,
        ),
    ])
}

/// A file of 1000 untouched bytes, seen from byte 40 on as two numbers of every five.
fn opened(scene: &Scene<'_>, view: bool) -> Result<Opened, Stop> {
    made(scene, 1000, view)
}

fn made(scene: &Scene<'_>, length: usize, view: bool) -> Result<Opened, Stop> {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, length))?;
    let file = scene.open(&path, &MADE)?;
    if view {
        let int = int(scene)?;
        let two = scene.agree("make a view", int.contiguous(2).and_then(|two| two.resized(0, 20)))?;
        let none = Info::none(scene.mpi()?);
        scene.agree("MPI_File_set_view", file.set_view(Start::Byte(40), &int, &two, "native", &none))?;
    }
    Ok(file)
}

/// Seeks the rank's own pointer and looks where it stands.
fn goes(file: &Opened, offset: i64, whence: Whence, wanted: i64) -> Result<(), Trouble> {
    file.seek(Pointer::Individual, offset, whence).told(format!("seek {offset} from {whence:?}"))?;
    let found = file.position(Pointer::Individual).told("MPI_File_get_position")?;
    same(&format!("the position after a seek of {offset} from {whence:?}"), &wanted, &found)
}

fn seek(scene: &mut Scene<'_>) -> Verdict {
    let file = opened(scene, false)?;
    // The file has 1000 bytes for any number of ranks.
    let rank = i64::from(scene.rank() % 500);
    scene.all("seek", || {
        goes(&file, 10 + rank, Whence::Start, 10 + rank)?;
        goes(&file, 5, Whence::Here, 15 + rank)?;
        goes(&file, -15, Whence::Here, rank)?;
        goes(&file, 0, Whence::End, 1000)?;
        goes(&file, -rank, Whence::End, 1000 - rank)?;
        goes(&file, 7, Whence::End, 1007)?;
        goes(&file, 0, Whence::Start, 0)
    })?;
    scene.close(file)
}

fn in_view(scene: &mut Scene<'_>) -> Verdict {
    let file = opened(scene, true)?;
    scene.all("seek", || {
        goes(&file, 4, Whence::Start, 4)?;
        goes(&file, 3, Whence::Here, 7)?;
        // 960 bytes of the view: 48 tiles of two numbers.
        goes(&file, 0, Whence::End, 96)
    })?;
    // The file ends within a hole, 4 bytes behind the second number of tile 10.
    scene.agree("MPI_File_set_size", file.set_size(40 + 10 * 20 + 12))?;
    scene.sync(&file)?;
    scene.all("seek to an end in a hole", || {
        goes(&file, 0, Whence::End, 22)?;
        goes(&file, -2, Whence::End, 20)?;
        same("the byte there", &240, &file.byte_offset(20).told("MPI_File_get_byte_offset")?)
    })?;
    scene.close(file)
}

fn negative(scene: &mut Scene<'_>) -> Verdict {
    let file = opened(scene, false)?;
    scene.all("seek", || {
        goes(&file, 3, Whence::Start, 3)?;
        noticed("a seek to -1", file.seek(Pointer::Individual, -1, Whence::Start))?;
        noticed("a seek to -2 from 3", file.seek(Pointer::Individual, -5, Whence::Here))?;
        let found = file.position(Pointer::Individual).told("MPI_File_get_position")?;
        same("the position after seeks that were refused", &3, &found)
    })?;
    scene.close(file)
}

fn byte_offset(scene: &mut Scene<'_>) -> Verdict {
    let file = opened(scene, true)?;
    scene.all("ask", || {
        for (position, wanted) in [(0, 40), (1, 44), (2, 60), (3, 64), (11, 144), (1 << 33, 40 + (10 << 33))]
        {
            let found = file.byte_offset(position).told("MPI_File_get_byte_offset")?;
            same(&format!("the byte of position {position}"), &wanted, &found)?;
        }
        Ok(())
    })?;
    scene.close(file)
}

fn seek_shared(scene: &mut Scene<'_>) -> Verdict {
    let file = opened(scene, true)?;
    let ways = [(6, Whence::Start, 6), (5, Whence::Here, 11), (-4, Whence::Here, 7), (0, Whence::End, 96)];
    for (offset, whence, wanted) in ways {
        scene.agree("MPI_File_seek_shared", file.seek(Pointer::Shared, offset, whence))?;
        scene.all("look", || {
            let found = file.position(Pointer::Shared).told("MPI_File_get_position_shared")?;
            same(&format!("the shared position after {offset} from {whence:?}"), &wanted, &found)
        })?;
    }
    scene.close(file)
}

fn apart(scene: &mut Scene<'_>) -> Verdict {
    let (byte, size) = (byte(scene)?, i64::from(scene.size()));
    let file = made(scene, 1000.max(10 * size as usize), false)?;
    let mut room = [0; 10];
    let mut read = |at| file.read(at, Way::Independent, &mut room, Elements::new(&byte, 10)).map(drop);
    let own = || file.position(Pointer::Individual).told("MPI_File_get_position");
    let shared = || file.position(Pointer::Shared).told("MPI_File_get_position_shared");
    scene.all("read at an offset and at the own pointer", || {
        read(At::Offset(500)).told("read_at")?;
        same("the own pointer after read_at", &0, &own()?)?;
        read(At::Individual).told("read")?;
        same("the own pointer after read", &10, &own()?)
    })?;
    scene.all("look", || same("the shared pointer after others' calls", &0, &shared()?))?;
    scene.all("read at the shared pointer", || read(At::Shared).told("read_shared"))?;
    scene.all("look again", || {
        same("the shared pointer after a call of each rank", &(10 * size), &shared()?)?;
        same("the own pointer after that", &10, &own()?)
    })?;
    scene.close(file)
}

fn view_resets(scene: &mut Scene<'_>) -> Verdict {
    let file = opened(scene, false)?;
    scene.all("seek", || goes(&file, 33, Whence::Start, 33))?;
    scene.agree("MPI_File_seek_shared", file.seek(Pointer::Shared, 44, Whence::Start))?;
    let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
    scene.agree("MPI_File_set_view", file.set_view(Start::Byte(8), &int, &int, "native", &none))?;
    scene.all("look", || {
        let own = file.position(Pointer::Individual).told("MPI_File_get_position")?;
        same("the own pointer", &0, &own)?;
        let shared = file.position(Pointer::Shared).told("MPI_File_get_position_shared")?;
        same("the shared pointer", &0, &shared)
    })?;
    scene.close(file)
}

fn turns(scene: &mut Scene<'_>) -> Verdict {
    let file = opened(scene, false)?;
    let byte = byte(scene)?;
    let turns = scene.turns();
    for (before, &turn) in (0_i64..).zip(&turns) {
        scene.all("write in turn", || {
            if scene.rank() != turn {
                return Ok(());
            }
            let data = look::data(turn, 1, 30);
            file.write(At::Shared, Way::Independent, &data, Elements::new(&byte, 30))
                .map(drop)
                .told("write_shared")
        })?;
        scene.all("look", || {
            let found = file.position(Pointer::Shared).told("MPI_File_get_position_shared")?;
            same(&format!("the shared pointer after rank {turn}"), &(30 * (before + 1)), &found)
        })?;
    }
    scene.close(file)?;
    let mut wanted: Vec<u8> = turns.iter().flat_map(|rank| look::data(*rank, 1, 30)).collect();
    wanted.resize(1000.max(wanted.len()), look::UNTOUCHED);
    scene.on_rank_0("look", || look::is_whole("the file", &scene.path("file"), &wanted)).map(drop)
}
