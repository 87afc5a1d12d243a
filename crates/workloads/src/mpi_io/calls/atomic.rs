//! Atomic mode: calls that overlap come one after the other, and are seen at once.

use std::path::Path;

use storage::mpi_file::{At, Elements, Info, Start, Way, Whose};

use super::{byte, int, of_rows};
use crate::mpi_io::access::{self, Hints};
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
    let many: [super::Row; 6] = [
        ("atomic.at_once", SECTION, "in atomic mode a write is seen by others once it has returned", at_once),
        (
            "atomic.readers",
            SECTION,
            "reads that overlap a write find all of it or nothing, contiguous",
            |scene| torn(scene, &Torn::default()),
        ),
        (
            "atomic.readers_view",
            SECTION,
            "reads that overlap a write find all of it or nothing, in a view with gaps",
            |scene| torn(scene, &Torn { view: true, ..Torn::default() }),
        ),
        (
            "atomic.readers_sieved",
            SECTION,
            "the same with buffers for sieving that are small and odd",
            |scene| torn(scene, &Torn { view: true, hints: ODD, ..Torn::default() }),
        ),
        (
            "atomic.writers_together",
            SECTION,
            "of writes that overlap in a collective call the whole of one remains",
            |scene| torn(scene, &Torn { way: Way::Collective, all_write: true, ..Torn::default() }),
        ),
        ("atomic.writers", SECTION, "of writes that overlap the whole of one remains", |scene| {
            torn(scene, &Torn { all_write: true, ..Torn::default() })
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

fn opened(scene: &Scene<'_>, how: &Torn) -> Result<Opened, Stop> {
    let comm = scene.mpi()?;
    let info = scene.agree("make hints", Info::new(comm, how.hints.iter().copied()))?;
    let file = scene.open_as(Whose::All(comm), &scene.path("file"), &MADE, &info)?;
    if how.view {
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
    let file = opened(scene, &Torn::default())?;
    let whole = || Elements::new(&byte, LENGTH as i32);
    for turn in scene.turns() {
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

/// The number of one writer and round; 0 is what was there before.
fn number(writer: u32, round: u32) -> u32 {
    1 + writer * ROUNDS + round
}

/// Numbers all alike.
fn alike(number: u32) -> Vec<u8> {
    number.to_ne_bytes().iter().copied().cycle().take(LENGTH).collect()
}

/// What may be in the file when a rank reads it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    /// This round's data or what was there before: the writers are at it.
    Meanwhile,
    /// Only this round's: all writers have returned.
    After,
}

/// How calls are made that may be torn.
struct Torn {
    /// In a view with gaps.
    view: bool,
    all_write: bool,
    way: Way,
    hints: Hints,
}

impl Default for Torn {
    fn default() -> Self {
        Self { view: false, all_write: false, way: Way::Independent, hints: &[] }
    }
}

/// Hints for buffers that end within what is moved.
const ODD: Hints = &[("ind_wr_buffer_size", "1209"), ("ind_rd_buffer_size", "1107")];

/// Rank 0 writes, or all do, while the others read the same range; each must find one writer's data, whole.
fn torn(scene: &Scene<'_>, how: &Torn) -> Verdict {
    let Torn { view, all_write, way, .. } = *how;
    let path = scene.path("file");
    let (rank, size, int) = (scene.rank(), scene.size(), int(scene)?);
    let zeros = vec![0; if view { 2 * LENGTH } else { LENGTH }];
    scene.on_rank_0("make", || std::fs::write(&path, &zeros).told("write"))?;
    let file = opened(scene, how)?;
    let whole = || Elements::new(&int, LENGTH as i32 / 4);
    let writers = if all_write { size } else { 1 };
    let read = |round, when| {
        let mut found = vec![0; LENGTH];
        file.read(At::Offset(0), Way::Independent, &mut found, whole()).told("read_at")?;
        one_of(&path, &found, writers, round, when)
    };
    for round in 0..ROUNDS {
        scene.comm.barrier()?;
        let done = if rank == 0 || all_write {
            let data = alike(number(rank, round));
            file.write(At::Offset(0), way, &data, whole()).map(drop).told("write_at")
        } else {
            (0..3).try_for_each(|_| read(round, Read::Meanwhile).map(drop))
        };
        scene.agree("write and read", done)?;
        let number = scene.agree("read after it", read(round, Read::After))?;
        // One data for all: what a rank has written itself may be in its own memory only.
        let first = scene.comm.reduce_one(number.into(), ranks::Reduce::Min)?;
        scene.all("compare", || same("the number of the write that remains", &first, &number.into()))?;
    }
    scene.close(file)
}

/// Trouble unless all numbers are one writer's of this round or, while it goes on, what was there before it;
/// gives that number.
fn one_of(path: &Path, found: &[u8], writers: u32, round: u32, when: Read) -> Result<u32, Trouble> {
    let of_round = |round: u32| (0..writers).map(move |writer| number(writer, round));
    let before: Vec<u32> = match round.checked_sub(1) {
        Some(round) => of_round(round).collect(),
        None => vec![0],
    };
    let may_be: Vec<u32> =
        of_round(round).chain(before.iter().copied().filter(|_| when == Read::Meanwhile)).collect();
    let first = found.first_chunk().map_or(u32::MAX, |bytes| u32::from_ne_bytes(*bytes));
    if may_be.contains(&first) {
        // Of one writer that has returned nothing can be under way.
        let what = match (when, writers) {
            (Read::After, 1) => "a write that has returned",
            _ => "one write, whole",
        };
        return same_bytes(what, path, 0, &alike(first), found).map(|()| first);
    }
    let (what, wanted) = match when {
        Read::Meanwhile => ("what was there before, whole", before[0]),
        Read::After => ("a write that has returned, against the first", may_be[0]),
    };
    same_bytes(what, path, 0, &alike(wanted), found).map(|()| wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_rounds_data_is_right_once_its_writers_have_returned() {
        let is_right = |data: Vec<u8>, writers, round, when| {
            one_of(Path::new("file"), &data, writers, round, when).is_ok()
        };
        let of = |writer, round| alike(number(writer, round));
        for (data, writers, round, meanwhile, after) in [
            (alike(0), 1, 0, true, false),
            (alike(0), 1, 1, false, false),
            (of(0, 1), 1, 1, true, true),
            (of(0, 0), 1, 1, true, false),
            (of(0, 0), 1, 2, false, false),
            (of(2, 1), 3, 1, true, true),
            (of(2, 0), 3, 1, true, false),
            (of(2, 1), 1, 1, false, false),
        ] {
            assert_eq!(
                is_right(data.clone(), writers, round, Read::Meanwhile),
                meanwhile,
                "{:?}",
                &data[..4]
            );
            assert_eq!(is_right(data.clone(), writers, round, Read::After), after, "{:?}", &data[..4]);
        }
        let torn = [&of(0, 1)[..LENGTH / 2], &of(0, 0)[LENGTH / 2..]].concat();
        assert!(!is_right(torn, 1, 1, Read::Meanwhile));
    }
}
