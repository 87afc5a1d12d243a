//! Atomic mode: calls that overlap come one after the other, and are seen at once.

use storage::mpi_file::{At, Elements, Info, Start, Way};

use super::{byte, int, of_rows};
use crate::mpi_io::access;
use crate::mpi_io::case::Case;
use crate::mpi_io::files::{MADE, Opened};
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Stop, Told, Trouble, Verdict, same, same_bytes};

const SECTION: &str = "MPI 4.1 section 14.6.1";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = of_rows(&[(
        "atomic.default",
        SECTION,
        "files are opened without atomic mode; it can be set, and asked for",
        default,
    )]);
    let many: [super::Row; 4] = [
        ("atomic.at_once", SECTION, "in atomic mode a write is seen by others once it has returned", at_once),
        (
            "atomic.readers",
            SECTION,
            "reads that overlap a write find all of it or nothing, contiguous",
            |scene| torn(scene, false, false),
        ),
        (
            "atomic.readers_view",
            SECTION,
            "reads that overlap a write find all of it or nothing, in a view with gaps",
            |scene| torn(scene, true, false),
        ),
        ("atomic.writers", SECTION, "of writes that overlap the whole of one remains", |scene| {
            torn(scene, false, true)
        }),
    ];
    cases.extend(of_rows(&many).into_iter().map(|case| case.ranks(2)));
    for cell in ["write_at", "write_all", "write_at_all", "write_shared", "write_ordered"] {
        let promise = format!("{cell} and its twin move the same in atomic mode");
        cases.push(access::with(format!("atomic.{cell}"), promise, cell, &[], true));
    }
    cases
}

fn default(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    let is = |wanted: bool| same("atomic mode", &wanted, &file.atomicity().told("MPI_File_get_atomicity")?);
    scene.all("look", || is(false))?;
    for mode in [true, false, true] {
        scene.agree("MPI_File_set_atomicity", file.set_atomicity(mode))?;
        scene.all("look", || is(mode))?;
    }
    scene.close(file)
}

const LENGTH: usize = 40_000;

/// How often readers and writers meet.
const ROUNDS: u32 = 6;

fn opened(scene: &Scene<'_>, view: bool) -> Result<Opened, Stop> {
    let file = scene.open(&scene.path("file"), &MADE)?;
    if view {
        let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
        let half = scene.agree("make a view", int.vector(1, 1, 1).and_then(|one| one.resized(0, 8)))?;
        scene.agree("MPI_File_set_view", file.set_view(Start::Byte(0), &int, &half, "native", &none))?;
    }
    scene.agree("MPI_File_set_atomicity", file.set_atomicity(true))?;
    Ok(file)
}

fn at_once(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let byte = byte(scene)?;
    scene.on_rank_0("make", || look::prefill(&path, LENGTH))?;
    let file = opened(scene, false)?;
    let whole = || Elements::new(&byte, LENGTH as i32);
    for turn in 0..scene.size() {
        let data = look::data(turn, 1, LENGTH);
        scene.all("write in turn", || {
            if scene.rank() != turn {
                return Ok(());
            }
            file.write(At::Offset(0), Way::Independent, &data, whole()).map(drop).told("write_at")
        })?;
        scene.all("read at once", || {
            let mut found = vec![0; LENGTH];
            file.read(At::Offset(0), Way::Independent, &mut found, whole()).told("read_at")?;
            same_bytes(&format!("written by rank {turn}"), &path, 0, &data, &found)
        })?;
    }
    scene.close(file)
}

/// Numbers all alike: of one writer and round.
fn alike(writer: u32, round: u32) -> Vec<u8> {
    let number = 1 + writer * 1000 + round;
    number.to_ne_bytes().iter().copied().cycle().take(LENGTH).collect()
}

/// Rank 0 writes, or all do, while the others read the same range; each must find one writer's data, whole.
fn torn(scene: &Scene<'_>, view: bool, all_write: bool) -> Verdict {
    let path = scene.path("file");
    let (rank, size, int) = (scene.rank(), scene.size(), int(scene)?);
    let zeros = vec![0; if view { 2 * LENGTH } else { LENGTH }];
    scene.on_rank_0("make", || std::fs::write(&path, &zeros).told("write"))?;
    let file = opened(scene, view)?;
    let whole = || Elements::new(&int, LENGTH as i32 / 4);
    let read = |round| {
        let mut found = vec![0; LENGTH];
        file.read(At::Offset(0), Way::Independent, &mut found, whole()).told("read_at")?;
        one_of(&path, &found, size, round, all_write)
    };
    for round in 0..ROUNDS {
        scene.comm.barrier()?;
        let done = if rank == 0 || all_write {
            let data = alike(rank, round);
            file.write(At::Offset(0), Way::Independent, &data, whole()).map(drop).told("write_at")
        } else {
            (0..3).try_for_each(|_| read(round))
        };
        scene.agree("write and read", done)?;
        scene.agree("read after it", read(round))?;
    }
    scene.close(file)
}

/// Trouble unless all numbers are one writer's, of this round or the one before.
fn one_of(
    path: &std::path::Path,
    found: &[u8],
    size: u32,
    round: u32,
    all_write: bool,
) -> Result<(), Trouble> {
    let writers = if all_write { size } else { 1 };
    let known = (0..writers).flat_map(|writer| [(writer, round), (writer, round.wrapping_sub(1))]);
    let first = found.get(..4).unwrap_or_default();
    let fits = |(writer, round): &(u32, u32)| *round != u32::MAX && alike(*writer, *round)[..4] == *first;
    let wanted = known.into_iter().find(fits).map(|(writer, round)| alike(writer, round));
    match wanted {
        Some(wanted) => same_bytes("one write, whole", path, 0, &wanted, found),
        // Before the first round there are zeros.
        None => same_bytes("what was there before, whole", path, 0, &vec![0; found.len()], found),
    }
}
