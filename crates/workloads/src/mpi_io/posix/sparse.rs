//! Files with holes, up to 10 TB.

use std::fs::File;

use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Verdict, same};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "posix.sparse.holes",
            "POSIX.1-2017 lseek, write",
            "what no rank has written, before what others wrote, reads as zeros",
            |scene| far_apart(scene, long_enough(scene.size())),
        ),
        Case::new(
            "posix.sparse.beyond_4gib",
            "POSIX.1-2017 write, off_t",
            "offsets beyond 2^32 lead where they say: a sparse file of 40 GiB is written and found",
            |scene| far_apart(scene, 40 << 30),
        ),
        Case::new(
            "posix.sparse.10tb",
            "POSIX.1-2017 write, off_t",
            "a sparse file of 10 TB is written at both ends and in the middle from all ranks, and found",
            |scene| far_apart(scene, 10_000_000_000_000),
        )
        .large(4),
    ]
}

/// Bytes of one write.
const LENGTH: usize = 48 << 10;

/// The length of a file in which so many ranks write three times and leave holes between.
fn long_enough(ranks: u32) -> u64 {
    (3 << 20).max(16 * LENGTH as u64 * u64::from(ranks))
}

/// Where a rank writes: at the beginning, around the middle, and up to the very end.
fn places(length: u64, rank: u32, size: u32) -> [u64; 3] {
    let piece = LENGTH as u64;
    let rank = u64::from(rank);
    let group = piece * u64::from(size);
    [rank * piece, length / 2 + rank * piece, length - group + rank * piece]
}

fn far_apart(scene: &Scene<'_>, length: u64) -> Verdict {
    let path = scene.path("sparse");
    let (rank, size) = (scene.rank(), scene.size());
    scene.on_rank_0("make", || look::open(&path).map(drop))?;
    let file = scene.agree("open", look::open(&path))?;
    let written = places(length, rank, size)
        .into_iter()
        .enumerate()
        .try_for_each(|(call, place)| look::write_at(&file, &look::data(rank, call as u32, LENGTH), place));
    scene.agree("write", written.map_err(|trouble| look::too_long(&path, length, trouble)))?;
    scene.all("sync", || file.sync_all().told("fsync"))?;
    drop(file);
    let file = scene.agree("open again", File::open(&path).told("open"))?;
    scene.all("read", || {
        same("length of the file", &length, &file.metadata().told("fstat")?.len())?;
        let other = (rank + 1) % size;
        for (call, place) in places(length, other, size).into_iter().enumerate() {
            let wanted = look::data(other, call as u32, LENGTH);
            look::holds(&format!("written by rank {other}"), &path, &file, place, &wanted)?;
        }
        let zeros = vec![0; LENGTH];
        let end = places(length, size - 1, size).map(|place| place + LENGTH as u64);
        let quarter = length / 4 / 4096 * 4096;
        let holes = [end[0], quarter, length / 2 - LENGTH as u64, end[1]];
        holes.iter().try_for_each(|place| look::holds("never written", &path, &file, *place, &zeros))
    })
}
