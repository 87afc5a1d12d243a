//! Shared mappings, seen by mappings and by reads of other ranks.

use storage::Mapped;

use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Verdict, same_bytes};

pub(super) fn cases() -> Vec<Case> {
    let case = |name, promise, body: fn(&mut Scene<'_>) -> Verdict| {
        Case::new(name, "POSIX.1-2017 mmap, MAP_SHARED", promise, body)
    };
    vec![
        case(
            "posix.mmap.msync",
            "what ranks store into mappings and sync by msync is found by the reads of others",
            |scene| stores(scene, Seen::ByRead),
        ),
        case(
            "posix.mmap.shared",
            "what ranks store into shared mappings is found in those of others",
            |scene| stores(scene, Seen::ByMapping),
        ),
        case("posix.mmap.write", "what ranks write into a file is found in the mappings of others", written),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    ByRead,
    ByMapping,
}

/// Bytes of a rank; ranks meet within pages.
const LENGTH: usize = 6000;

fn stores(scene: &Scene<'_>, seen: Seen) -> Verdict {
    let path = scene.path("file");
    let (rank, size) = (scene.rank(), scene.size());
    let length = LENGTH * size as usize;
    scene.on_rank_0("make", || look::prefill(&path, length))?;
    let file = scene.agree("open", look::open(&path))?;
    let map = scene.agree("map", Mapped::open(&path, length as u64).told("mmap"))?;
    let place = |rank: u32| u64::from(rank) * LENGTH as u64;
    scene.all("load before", || {
        let mut found = vec![0; length];
        map.read(&mut found, 0).told("load")?;
        same_bytes("before", &path, 0, &vec![look::UNTOUCHED; length], &found)
    })?;
    scene.all("store", || {
        map.write(&look::data(rank, 1, LENGTH), place(rank)).told("store")?;
        map.sync().told("msync")
    })?;
    scene.all("look", || {
        (0..size).try_for_each(|other| {
            let wanted = look::data(other, 1, LENGTH);
            if seen == Seen::ByRead {
                return look::holds("stored by a mapping", &path, &file, place(other), &wanted);
            }
            let mut found = vec![0; LENGTH];
            map.read(&mut found, place(other)).told("load")?;
            same_bytes("stored by another mapping", &path, place(other), &wanted, &found)
        })
    })
}

fn written(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, size) = (scene.rank(), scene.size());
    let length = LENGTH * size as usize;
    scene.on_rank_0("make", || look::prefill(&path, length))?;
    let file = scene.agree("open", look::open(&path))?;
    let map = scene.agree("map", Mapped::open(&path, length as u64).told("mmap"))?;
    scene.all("load before", || {
        let mut found = vec![0; length];
        map.read(&mut found, 0).told("load")?;
        same_bytes("before", &path, 0, &vec![look::UNTOUCHED; length], &found)
    })?;
    scene.all("write", || {
        look::write_at(&file, &look::data(rank, 1, LENGTH), u64::from(rank) * LENGTH as u64)?;
        file.sync_all().told("fsync")
    })?;
    scene.all("load", || {
        let mut found = vec![0; length];
        map.read(&mut found, 0).told("load")?;
        let wanted: Vec<u8> = (0..size).flat_map(|rank| look::data(rank, 1, LENGTH)).collect();
        same_bytes("written by other ranks", &path, 0, &wanted, &found)
    })
}
