//! What one rank wrote, and when the others see it.

use std::fs::File;
use std::path::Path;

use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same};

pub(super) fn cases() -> Vec<Case> {
    let case = |name, document, promise, body: fn(&mut Scene<'_>) -> Verdict| {
        Case::new(name, document, promise, body).ranks(2)
    };
    vec![
        case(
            "posix.visible.after_write",
            "POSIX.1-2017 write",
            "a read by any rank that can be shown to come after a write finds what was written",
            |scene| turns(scene, After::Write),
        ),
        case(
            "posix.visible.after_fsync",
            "POSIX.1-2017 write",
            "what was written and synced is found by the others, through files that they have open",
            |scene| turns(scene, After::Fsync),
        ),
        case(
            "posix.visible.close_to_open",
            "POSIX.1-2017 close, open (NFS: RFC 8881 section 10.3.1)",
            "what was written before a close is found by who opens after it",
            |scene| turns(scene, After::Close),
        ),
        case(
            "posix.visible.truncate",
            "POSIX.1-2017 ftruncate",
            "a file that one rank shortens and lengthens has its new length and zeros for all",
            truncate,
        ),
        Case::new(
            "posix.visible.side_by_side",
            "POSIX.1-2017 write",
            "pieces that do not overlap, written by all ranks at once, are all there, in shared pages too",
            side_by_side,
        ),
    ]
}

/// What makes it visible.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Write,
    Fsync,
    Close,
}

/// Bytes of one write: they begin and end within pages.
const LENGTH: usize = 5000;

/// In turn each rank writes over what all have read before, and all read it again.
fn turns(scene: &Scene<'_>, after: After) -> Verdict {
    let path = scene.path("file");
    let (rank, size) = (scene.rank(), scene.size());
    scene.on_rank_0("make", || look::prefill(&path, LENGTH * size as usize))?;
    for turn in scene.turns() {
        let mut file = Some(scene.agree("open", look::open(&path))?);
        let place = u64::from(turn) * LENGTH as u64;
        let before = vec![look::UNTOUCHED; LENGTH];
        scene.all("read what was there", || {
            look::holds("before", &path, held(file.as_ref())?, place, &before)
        })?;
        let data = look::data(turn, 1, LENGTH);
        scene.all("write", || {
            if rank != turn {
                return Ok(());
            }
            look::write_at(held(file.as_ref())?, &data, place)?;
            match after {
                After::Write => {}
                After::Fsync => held(file.as_ref())?.sync_all().told("fsync")?,
                After::Close => file = None,
            }
            Ok(())
        })?;
        if after == After::Close {
            file = Some(scene.agree("open after the close", look::open(&path))?);
        }
        scene.all("read what was written", || {
            look::holds(&format!("written by rank {turn}"), &path, held(file.as_ref())?, place, &data)
        })?;
    }
    Ok(())
}

/// The file, which is open between a write and its close.
fn held(file: Option<&File>) -> Result<&File, Trouble> {
    file.ok_or_else(|| Trouble::fail("the file is closed"))
}

fn truncate(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (whole, short, long) = (3 * LENGTH, LENGTH + 1, 2 * LENGTH);
    scene.on_rank_0("make", || look::prefill(&path, whole))?;
    let file = scene.agree("open", look::open(&path))?;
    let untouched = |length| vec![look::UNTOUCHED; length];
    scene.all("read", || look::holds("before", &path, &file, 0, &untouched(whole)))?;
    for turn in scene.turns() {
        let mine = scene.rank() == turn;
        let cut = |length: usize| if mine { file.set_len(length as u64).told("ftruncate") } else { Ok(()) };
        scene.all("shorten", || cut(short))?;
        scene.all("look at the short file", || {
            length(&path, &file, short)?;
            same("bytes read at its end", &1, &look::read_at(&file, LENGTH, short as u64 - 1)?.len())
        })?;
        scene.all("lengthen", || cut(long))?;
        scene.all("look at the long file", || {
            length(&path, &file, long)?;
            let zeros = [untouched(short), vec![0; long - short]].concat();
            look::holds("zeros from the old end on", &path, &file, 0, &zeros)
        })?;
    }
    Ok(())
}

fn length(path: &Path, file: &File, wanted: usize) -> Result<(), Trouble> {
    same("length by fstat", &(wanted as u64), &file.metadata().told("fstat")?.len())?;
    same("length by stat", &(wanted as u64), &std::fs::metadata(path).told("stat")?.len())
}

/// Pieces of each rank.
const PIECES: u64 = 64;

/// Bytes of a piece.
const PIECE: usize = 129;

fn side_by_side(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, size) = (scene.rank(), scene.size());
    let length = PIECES as usize * PIECE * size as usize;
    scene.on_rank_0("make", || look::prefill(&path, length))?;
    let file = scene.agree("open", look::open(&path))?;
    scene.all("write", || {
        (0..PIECES).try_for_each(|piece| {
            let place = (piece * u64::from(size) + u64::from(rank)) * PIECE as u64;
            look::write_at(&file, &look::data(rank, piece as u32, PIECE), place)
        })
    })?;
    drop(file);
    scene.comm.barrier()?;
    scene.all("read all", || {
        let rows = (0..PIECES as u32).flat_map(|piece| (0..size).map(move |rank| (rank, piece)));
        let wanted: Vec<u8> = rows.flat_map(|(rank, piece)| look::data(rank, piece, PIECE)).collect();
        look::is_whole("pieces of all ranks", &path, &wanted)
    })
}
