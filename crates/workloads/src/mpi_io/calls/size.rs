//! Sizes.

use storage::mpi_file::{At, Elements, Flag, Way};

use super::{byte, noticed, of_rows};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Verdict, same};

const SET: &str = "MPI 4.1 section 14.2.4";

pub(super) fn cases() -> Vec<Case> {
    of_rows(&[
        (
            "size.set",
            SET,
            "MPI_File_set_size lengthens and shortens a file, as all ranks see it after sync, barrier, sync",
            set,
        ),
        (
            "size.read_only",
            SET,
            "a file that is open for reading keeps its size, and a call to set it is noticed",
            read_only,
        ),
        (
            "size.preallocate",
            "MPI 4.1 section 14.2.5",
            "MPI_File_preallocate makes a file at least so long, never shorter, and keeps its data",
            preallocate,
        ),
        ("size.get", "MPI 4.1 section 14.2.6", "MPI_File_get_size counts bytes, whatever the view", get),
        (
            "size.beyond_end",
            "POSIX.1-2017 lseek, write",
            "a write beyond the end lengthens the file, and what was never written reads as zeros here",
            beyond,
        ),
    ])
}

fn set(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 100))?;
    for length in [5000, 37, 37, 0, 1 << 20] {
        let file = scene.open(&path, &MADE)?;
        scene.agree("MPI_File_set_size", file.set_size(length))?;
        scene.sync(&file)?;
        scene.all("look", || same("MPI_File_get_size", &length, &file.size().told("MPI_File_get_size")?))?;
        scene.close(file)?;
        scene.all("look after the close", || {
            same("length by stat", &(length as u64), &std::fs::metadata(&path).told("stat")?.len())
        })?;
    }
    Ok(())
}

fn read_only(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 100))?;
    let file = scene.open(&path, &[Flag::ReadOnly])?;
    let done = file.set_size(10);
    scene.close(file)?;
    scene.on_rank_0("look", || look::is_whole("the file", &path, &[look::UNTOUCHED; 100]))?;
    scene.agree("set_size", noticed("MPI_File_set_size", done))
}

fn preallocate(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 1000))?;
    let file = scene.open(&path, &MADE)?;
    for (asked, least) in [(100, 1000), (70_000, 70_000), (10, 70_000)] {
        scene.agree("MPI_File_preallocate", file.preallocate(asked))?;
        scene.sync(&file)?;
        scene.all("look", || {
            let size = file.size().told("MPI_File_get_size")?;
            same(&format!("whether {size} bytes are at least {least}"), &true, &(size >= least))
        })?;
    }
    scene.close(file)?;
    scene
        .on_rank_0("look", || {
            let file = look::open(&path)?;
            look::holds("what was there before", &path, &file, 0, &[look::UNTOUCHED; 1000])
        })
        .map(drop)
}

fn get(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 1234))?;
    let file = scene.open(&path, &MADE)?;
    let comm = scene.mpi()?;
    let int = super::int(scene)?;
    let none = storage::mpi_file::Info::none(comm);
    let start = storage::mpi_file::Start::Byte(100);
    scene.agree("MPI_File_set_view", file.set_view(start, &int, &int, "native", &none))?;
    scene.all("look", || same("bytes", &1234, &file.size().told("MPI_File_get_size")?))?;
    scene.close(file)
}

fn beyond(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let file = scene.open(&path, &MADE)?;
    let byte = byte(scene)?;
    let (rank, size) = (scene.rank(), scene.size());
    let place = |rank: u32| 10_000 + 20_000 * i64::from(rank);
    scene.all("write", || {
        let (data, at) = (look::data(rank, 1, 100), At::Offset(place(rank)));
        file.write(at, Way::Independent, &data, Elements::new(&byte, 100)).map(drop).told("write_at")
    })?;
    scene.close(file)?;
    let mut wanted = vec![0; place(size - 1) as usize + 100];
    for rank in 0..size {
        let at = place(rank) as usize;
        wanted[at..at + 100].copy_from_slice(&look::data(rank, 1, 100));
    }
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}
