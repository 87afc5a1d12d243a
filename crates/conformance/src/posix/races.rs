//! Races of ranks for a name: exactly one rank creates it, and a renamed name never disappears.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

use ranks::Reduce;

use super::link_problem;
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_bytes, check_equal};
use crate::system_file;
use crate::test_data;

pub(super) fn cases() -> Vec<ConformanceCase> {
    vec![
        ConformanceCase::new(
            "posix.create.exclusive",
            "POSIX.1-2017 open, O_EXCL",
            "of ranks that create one name with O_EXCL at once, one succeeds, and the others get EEXIST",
            |cx| {
                let make = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path).map(drop);
                race(cx, make, CaseProblem::from)
            },
        ),
        ConformanceCase::new(
            "posix.mkdir.exclusive",
            "POSIX.1-2017 mkdir",
            "of ranks that make one directory at once, one succeeds, and the others get EEXIST",
            |cx| race(cx, |path| fs::create_dir(path), CaseProblem::from),
        ),
        ConformanceCase::new(
            "posix.link.exclusive",
            "POSIX.1-2017 link",
            "of ranks that link files of their own to one name at once, one succeeds",
            |cx| {
                let mine = cx.path(&format!("mine.{}", cx.rank()));
                cx.agree("make", system_file::prefill(&mine, 1))?;
                race(cx, |path| fs::hard_link(&mine, path), link_problem)
            },
        ),
        ConformanceCase::new(
            "posix.rename.atomic",
            "POSIX.1-2017 rename",
            "while files are renamed over a name, who opens it always gets one of them, whole",
            atomic_rename,
        )
        .ranks(2),
    ]
}

/// Names that the ranks race for.
const ROUNDS: u32 = 25;

/// Lets all ranks make the same name at once. `as_problem` describes an error other than losing the race.
fn race(
    cx: &CaseContext<'_>,
    make: impl Fn(&Path) -> io::Result<()>,
    as_problem: fn(io::Error) -> CaseProblem,
) -> CaseResult {
    for round in 0..ROUNDS {
        let path = cx.path(&format!("name.{round}"));
        cx.comm.barrier()?;
        let won = match make(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(as_problem(error).context(path.display())),
        };
        let won = cx.agree("race", won)?;
        let winners = cx.comm.reduce_one(u64::from(won), Reduce::Sum)?;
        cx.all("count winners", || {
            let what = format!("ranks that made {}", path.display());
            check_equal(&what, &1, &winners)
        })?;
    }
    Ok(())
}

/// Bytes of a version: more than a page, so that an incomplete one is detected.
const VERSION: usize = 6000;

/// Versions that rank 0 writes, and reads of every other rank.
const VERSIONS: u32 = 150;

fn atomic_rename(cx: &mut CaseContext<'_>) -> CaseResult {
    let (path, fresh) = (cx.path("name"), cx.path("fresh"));
    cx.on_rank_0("make", || fs::write(&path, version(0)).context("write"))?;
    cx.comm.barrier()?;
    let done = if cx.rank() == 0 {
        (1..=VERSIONS).try_for_each(|number| {
            fs::write(&fresh, version(number)).context("write fresh")?;
            fs::rename(&fresh, &path).context("rename")
        })
    } else {
        let mut latest = 0;
        (0..VERSIONS).try_for_each(|_| check_version(&path, &mut latest))
    };
    cx.agree("rename and read", done)
}

fn version(number: u32) -> Vec<u8> {
    let mut bytes = test_data::bytes(0, number, VERSION);
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn check_version(path: &Path, latest: &mut u32) -> Result<(), CaseProblem> {
    let found = system_file::read_all(path).context("a name that is always there")?;
    let number = found.get(..4).and_then(|word| word.try_into().ok()).map_or(u32::MAX, u32::from_le_bytes);
    check_bytes("one version, whole", path, 0, &version(number), &found)?;
    check_equal("whether a later look finds a version not older", &true, &(number >= *latest))?;
    *latest = number;
    Ok(())
}
