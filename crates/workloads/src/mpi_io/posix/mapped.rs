//! Shared mappings, seen by mappings and by reads of other ranks.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use storage::Mapped;

use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Stop, Told, Trouble, Verdict, same_bytes};

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
        Case::new(
            "posix.mmap.write",
            "POSIX.1-2017 msync, MS_INVALIDATE",
            "what ranks write and sync is found in the mappings of others, once these are invalidated",
            written,
        ),
    ]
}

#[derive(Clone, Copy)]
enum Seen {
    ByRead,
    ByMapping,
}

/// Bytes of a rank; ranks meet within pages.
const LENGTH: usize = 6000;

/// A file of untouched bytes that a rank has open and mapped, with a part for each rank.
struct Both {
    path: PathBuf,
    file: File,
    map: Mapped,
    ranks: u32,
}

impl Both {
    /// Opens and maps, and has every page of the mapping loaded before anything is stored or written.
    fn open(scene: &Scene<'_>) -> Result<Self, Stop> {
        let (path, ranks) = (scene.path("file"), scene.size());
        let length = LENGTH * ranks as usize;
        scene.on_rank_0("make", || look::prefill(&path, length))?;
        let file = scene.agree("open", look::open(&path))?;
        let map = scene.agree("map", Mapped::open(&path, length as u64).map_err(no_maps))?;
        let both = Self { path, file, map, ranks };
        scene.all("load before", || both.maps("before", 0, &vec![look::UNTOUCHED; length]))?;
        Ok(both)
    }

    fn maps(&self, what: &str, place: u64, wanted: &[u8]) -> Result<(), Trouble> {
        let mut found = vec![0; wanted.len()];
        self.map.read(&mut found, place).told("load")?;
        same_bytes(what, &self.path, place, wanted, &found)
    }

    /// Each rank's place and data.
    fn parts(&self) -> impl Iterator<Item = (u64, Vec<u8>)> {
        (0..self.ranks).map(|rank| (place(rank), look::data(rank, 1, LENGTH)))
    }
}

/// Of a file that cannot be mapped: `ENODEV` is how POSIX has a file system say that it maps none.
fn no_maps(error: io::Error) -> Trouble {
    const ENODEV: i32 = 19;
    match error.raw_os_error() {
        Some(ENODEV) => Trouble::Unsupported(format!("mmap: {error}")),
        _ => Trouble::from(error).of("mmap"),
    }
}

fn place(rank: u32) -> u64 {
    u64::from(rank) * LENGTH as u64
}

fn stores(scene: &Scene<'_>, seen: Seen) -> Verdict {
    let both = Both::open(scene)?;
    scene.all("store", || {
        both.map.write(&look::data(scene.rank(), 1, LENGTH), place(scene.rank())).told("store")?;
        both.map.sync().told("msync")
    })?;
    scene.all("look", || {
        both.parts().try_for_each(|(place, wanted)| match seen {
            Seen::ByRead => look::holds("stored by a mapping", &both.path, &both.file, place, &wanted),
            Seen::ByMapping => both.maps("stored by another mapping", place, &wanted),
        })
    })
}

fn written(scene: &mut Scene<'_>) -> Verdict {
    let both = Both::open(scene)?;
    scene.all("write", || {
        look::write_at(&both.file, &look::data(scene.rank(), 1, LENGTH), place(scene.rank()))?;
        both.file.sync_all().told("fsync")
    })?;
    scene.all("load", || {
        // Without it POSIX leaves open what a mapping shows of a write.
        both.map.invalidate().told("msync with MS_INVALIDATE")?;
        both.parts().try_for_each(|(place, wanted)| both.maps("written by other ranks", place, &wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_that_maps_no_files_is_told_from_one_that_fails() {
        assert!(matches!(no_maps(io::Error::from_raw_os_error(19)), Trouble::Unsupported(_)), "ENODEV");
        assert!(matches!(no_maps(io::Error::from_raw_os_error(12)), Trouble::Fail(_)), "ENOMEM");
    }
}
