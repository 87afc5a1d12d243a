//! Races of names that exactly one rank may win, or nobody may lose.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

use ranks::Reduce;

use super::no_links;
use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same, same_bytes};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "posix.create.exclusive",
            "POSIX.1-2017 open, O_EXCL",
            "of ranks that create one name with O_EXCL at once, one succeeds, and the others get EEXIST",
            |scene| {
                let make = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path).map(drop);
                race(scene, make, Trouble::from)
            },
        ),
        Case::new(
            "posix.mkdir.exclusive",
            "POSIX.1-2017 mkdir",
            "of ranks that make one directory at once, one succeeds, and the others get EEXIST",
            |scene| race(scene, |path| fs::create_dir(path), Trouble::from),
        ),
        Case::new(
            "posix.link.exclusive",
            "POSIX.1-2017 link",
            "of ranks that link files of their own to one name at once, one succeeds",
            |scene| {
                let mine = scene.path(&format!("mine.{}", scene.rank()));
                scene.agree("make", look::prefill(&mine, 1))?;
                race(scene, |path| fs::hard_link(&mine, path), no_links)
            },
        ),
        Case::new(
            "posix.rename.atomic",
            "POSIX.1-2017 rename",
            "while files are renamed over a name, who opens it always gets one of them, whole",
            atomic_rename,
        )
        .ranks(2),
    ]
}

/// Names raced for.
const ROUNDS: u32 = 25;

/// Makes names at once; what an error says but that another rank won, `refused` tells.
fn race(
    scene: &Scene<'_>,
    make: impl Fn(&Path) -> io::Result<()>,
    refused: fn(io::Error) -> Trouble,
) -> Verdict {
    for round in 0..ROUNDS {
        let path = scene.path(&format!("name.{round}"));
        scene.comm.barrier()?;
        let won = match make(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(refused(error).of(path.display())),
        };
        let won = scene.agree("race", won)?;
        let winners = scene.comm.reduce_one(u64::from(won), Reduce::Sum)?;
        scene.all("count winners", || {
            let what = format!("ranks that made {}", path.display());
            same(&what, &1, &winners)
        })?;
    }
    Ok(())
}

/// Bytes of a version: more than a page, so that a half-written one shows.
const VERSION: usize = 6000;

/// Versions that rank 0 writes, and looks of every other rank.
const VERSIONS: u32 = 150;

fn atomic_rename(scene: &mut Scene<'_>) -> Verdict {
    let (path, fresh) = (scene.path("name"), scene.path("fresh"));
    scene.on_rank_0("make", || fs::write(&path, version(0)).told("write"))?;
    scene.comm.barrier()?;
    let done = if scene.rank() == 0 {
        (1..=VERSIONS).try_for_each(|number| {
            fs::write(&fresh, version(number)).told("write fresh")?;
            fs::rename(&fresh, &path).told("rename")
        })
    } else {
        let mut latest = 0;
        (0..VERSIONS).try_for_each(|_| look_at(&path, &mut latest))
    };
    scene.agree("rename and read", done)
}

fn version(number: u32) -> Vec<u8> {
    let mut bytes = look::data(0, number, VERSION);
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn look_at(path: &Path, latest: &mut u32) -> Result<(), Trouble> {
    let found = look::whole(path).map_err(|trouble| trouble.of("a name that is always there"))?;
    let number = found.get(..4).and_then(|word| word.try_into().ok()).map_or(u32::MAX, u32::from_le_bytes);
    same_bytes("one version, whole", path, 0, &version(number), &found)?;
    same("whether a later look finds a version not older", &true, &(number >= *latest))?;
    *latest = number;
    Ok(())
}
