//! The same at the shared pointer: where a rank's data goes is settled by the calls themselves.
//!
//! All ranks see the same view. Its data is a row of pieces as long as a call; in ordered calls the ranks
//! follow each other, in others each piece is some rank's.

use std::path::Path;

use ranks::{Comm, Reduce};
use storage::mpi_file::{Pointer, Whence};

use super::cell::Load;
use super::engine::{BEHIND, Part, moved};
use super::memory;
use super::view::Seen;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same, same_bytes};

pub(super) fn play(scene: &Scene<'_>, part: &Part<'_>) -> Verdict {
    let length = region(part);
    scene.all("prefill", || if part.looks { part.prefill(length as usize) } else { Ok(()) })?;
    let file = part.open(scene)?;
    scene.agree("write", transfer(part, &file, true).map(drop))?;
    scene.agree("pointer", pointer(part, &file))?;
    scene.close(file)?;
    scene.all("look at the whole file", || if part.looks { looked(part, length) } else { Ok(()) })?;
    let file = part.open(scene)?;
    scene.agree("MPI_File_seek_shared", file.seek(Pointer::Shared, 0, Whence::Start))?;
    let read = scene.agree("read", transfer(part, &file, false))?;
    scene.agree("pointer", pointer(part, &file))?;
    scene.close(file)?;
    let slots = scene.agree("look at what was read", found_slots(part, &read))?;
    each_once(scene, part, slots)
}

/// The view's start, which parts of ranks are not counted in.
fn common(part: &Part<'_>) -> Seen {
    Seen { start: 0, ..part.seen(0) }
}

/// How many pieces there are: two a rank that moves anything.
fn pieces(part: &Part<'_>) -> Vec<(u32, u32)> {
    let moves = |rank: &u32| part.seen(*rank).each > 0;
    (0..2).flat_map(|call| (0..part.here.size).filter(moves).map(move |rank| (rank, call))).collect()
}

/// Bytes of a piece.
fn piece(part: &Part<'_>) -> u64 {
    let seen = common(part);
    seen.each * seen.etype
}

fn region(part: &Part<'_>) -> u64 {
    let bytes = pieces(part).len() as u64 * piece(part);
    let end = if bytes == 0 { 0 } else { common(part).place(bytes - 1) + 1 - part.plan.far };
    end + BEHIND
}

/// A rank's data, as long as a piece.
fn data(part: &Part<'_>, rank: u32, call: u32) -> Vec<u8> {
    part.piece(rank, call, piece(part) as usize)
}

/// Both calls; gives what a read brought.
fn transfer(
    part: &Part<'_>,
    file: &storage::mpi_file::MpiFile,
    writes: bool,
) -> Result<Vec<Vec<u8>>, Trouble> {
    let plan = part.plan;
    let kind = if plan.memory.only_writes && !writes { &memory::KINDS[0] } else { plan.memory };
    let seen = part.seen(part.here.rank);
    let room = kind.room(part.comm, seen.each * seen.etype)?;
    let fill = |call| match (writes, seen.each) {
        (true, 1..) => room.holding(&data(part, part.here.rank, call)),
        _ => room.empty(),
    };
    let load =
        |call| Load { kind: &room.kind, count: room.count, buffer: fill(call), offset: 0, calls: plan.calls };
    let came = plan.cell.calls(file, writes, vec![load(0), load(1)]);
    let name = if writes { plan.cell.name.to_owned() } else { plan.cell.reading() };
    moved(&name, &came, &room, &seen)?;
    let bytes = (seen.each * seen.etype) as usize;
    came.into_iter()
        .map(|(_, buffer)| {
            let taken = room.out_of(&buffer, bytes);
            same_bytes("gaps of the buffer", Path::new("the buffer"), 0, &room.holding(&taken), &buffer)?;
            Ok(taken)
        })
        .collect()
}

/// After all calls of all ranks the pointer stands behind them.
fn pointer(part: &Part<'_>, file: &storage::mpi_file::MpiFile) -> Result<(), Trouble> {
    part.comm.barrier().map_err(|halt| Trouble::fail(halt.to_string()))?;
    let seen = common(part);
    let wanted = pieces(part).len() as u64 * seen.each;
    let found = file.position(Pointer::Shared).told("MPI_File_get_position_shared")?;
    same("the shared pointer after all calls, in etypes", &(wanted as i64), &found)
}

/// The data of each piece as it is in the file; trouble where it is not that of a rank, or where a byte
/// between was touched.
fn looked(part: &Part<'_>, length: u64) -> Result<(), Trouble> {
    let (seen, bytes) = (common(part), piece(part));
    let file = look::open(&part.path)?;
    let found = look::read_at(&file, length as usize, part.plan.far)?;
    let mut picture = vec![look::UNTOUCHED; length as usize];
    let mut left = pieces(part);
    for slot in 0..left.len() as u64 {
        let places: Vec<usize> =
            (0..bytes).map(|at| (seen.place(slot * bytes + at) - part.plan.far) as usize).collect();
        let there: Vec<u8> = places.iter().map(|place| found.get(*place).copied().unwrap_or(0)).collect();
        // Ordered calls leave no choice; others take any rank's, and what is nobody's is told against one.
        let same = |(rank, call): &(u32, u32)| data(part, *rank, *call) == there;
        let at = if part.plan.cell.together { 0 } else { left.iter().position(same).unwrap_or(0) };
        let (rank, call) = left.remove(at);
        let wanted = data(part, rank, call);
        places.iter().zip(wanted).for_each(|(place, byte)| picture[*place] = byte);
    }
    let what = format!("the file after {} of all ranks", part.plan.cell.name);
    same_bytes(&what, &part.path, part.plan.far, &picture, &found)
}

/// Which pieces this rank has read, as bits.
fn found_slots(part: &Part<'_>, read: &[Vec<u8>]) -> Result<Vec<u64>, Trouble> {
    let written = pieces(part);
    let mut counts = vec![0; written.len()];
    for found in read.iter().filter(|found| !found.is_empty()) {
        let same = |(rank, call): &(u32, u32)| data(part, *rank, *call) == *found;
        match written.iter().position(same) {
            Some(at) => counts[at] += 1,
            None => {
                let (rank, call) = written.first().copied().unwrap_or_default();
                let expected = data(part, rank, call);
                let what = format!(
                    "{} brought no piece that was written; against the first",
                    part.plan.cell.reading()
                );
                same_bytes(&what, Path::new("the buffer"), 0, &expected, found)?;
            }
        }
    }
    Ok(counts)
}

/// Every piece was read by one rank, once. Ranks alone on a file count for themselves.
fn each_once(scene: &Scene<'_>, part: &Part<'_>, mut counts: Vec<u64>) -> Verdict {
    part.comm.barrier()?;
    let alone = matches!(part.whose, storage::mpi_file::Whose::Alone(_));
    if !alone {
        part.comm.all_reduce(&mut counts, Reduce::Sum)?;
    }
    scene.all("count what was read", || {
        counts.iter().zip(pieces(part)).try_for_each(|(count, (rank, call))| {
            same(&format!("ranks that read what rank {rank} wrote in call {call}"), &1, count)
        })
    })
}
