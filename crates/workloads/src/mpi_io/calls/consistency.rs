//! When one rank sees what another wrote, without atomic mode.

use storage::mpi_file::{At, Elements, Flag, Way};

use super::{byte, of_rows};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Verdict, same_bytes};

const SECTION: &str = "MPI 4.1 section 14.6.1";

pub(super) fn cases() -> Vec<Case> {
    of_rows(&[
        (
            "consistency.sync_barrier_sync",
            SECTION,
            "what was written is seen by all after sync, barrier, sync",
            synced,
        ),
        (
            "consistency.close_open",
            SECTION,
            "what was written is seen by all who open after it was closed",
            closed,
        ),
        ("consistency.own", SECTION, "a rank reads at once what it has written itself", own),
    ])
}

const LENGTH: usize = 3000;

fn synced(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, size, byte) = (scene.rank(), scene.size(), byte(scene)?);
    scene.on_rank_0("make", || look::prefill(&path, LENGTH * size as usize))?;
    let file = scene.open(&path, &MADE)?;
    let at = |rank: u32| At::Offset(i64::from(rank) * LENGTH as i64);
    let whole = || Elements::new(&byte, LENGTH as i32);
    for round in 0..3 {
        scene.all("read what was there", || {
            let mut room = vec![0; LENGTH];
            file.read(at((rank + 1) % size), Way::Independent, &mut room, whole()).map(drop).told("read_at")
        })?;
        let data = look::data(rank, round, LENGTH);
        scene.all("write", || {
            file.write(at(rank), Way::Independent, &data, whole()).map(drop).told("write_at")
        })?;
        scene.sync(&file)?;
        let writer = (rank + 1) % size;
        scene.all("read what another wrote", || {
            let mut found = vec![0; LENGTH];
            file.read(at(writer), Way::Independent, &mut found, whole()).told("read_at")?;
            let wanted = look::data(writer, round, LENGTH);
            let place = u64::from(writer) * LENGTH as u64;
            same_bytes(&format!("written by rank {writer}"), &path, place, &wanted, &found)
        })?;
    }
    scene.close(file)
}

fn closed(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, size, byte) = (scene.rank(), scene.size(), byte(scene)?);
    let whole = || Elements::new(&byte, LENGTH as i32);
    let at = |rank: u32| At::Offset(i64::from(rank) * LENGTH as i64);
    let file = scene.open(&path, &MADE)?;
    let data = look::data(rank, 1, LENGTH);
    scene
        .all("write", || file.write(at(rank), Way::Independent, &data, whole()).map(drop).told("write_at"))?;
    scene.close(file)?;
    let file = scene.open(&path, &[Flag::ReadOnly])?;
    scene.all("read what others wrote", || {
        (0..size).try_for_each(|writer| {
            let mut found = vec![0; LENGTH];
            file.read(at(writer), Way::Independent, &mut found, whole()).told("read_at")?;
            let (wanted, place) = (look::data(writer, 1, LENGTH), u64::from(writer) * LENGTH as u64);
            same_bytes(&format!("written by rank {writer}"), &path, place, &wanted, &found)
        })
    })?;
    scene.close(file)
}

fn own(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, byte) = (scene.rank(), byte(scene)?);
    let file = scene.open(&path, &MADE)?;
    let at = At::Offset(i64::from(rank) * LENGTH as i64);
    scene.all("write and read", || {
        (0..4).try_for_each(|round| {
            let (data, mut found) = (look::data(rank, round, LENGTH), vec![0; LENGTH]);
            file.write(at, Way::Independent, &data, Elements::new(&byte, LENGTH as i32)).told("write_at")?;
            file.read(at, Way::Independent, &mut found, Elements::new(&byte, LENGTH as i32))
                .told("read_at")?;
            same_bytes("own data", &path, u64::from(rank) * LENGTH as u64, &data, &found)
        })
    })?;
    scene.close(file)
}
