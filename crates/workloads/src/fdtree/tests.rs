//! All names of small trees, their order and their totals.

use command::Settings;
use command::fdtree::FdtreeShape;
use proptest::prelude::*;

use super::names::{TreeName, holds};
use super::walk::{TreeWalk, Which};
use super::*;
use crate::kit::observer::Silent;
use crate::kit::rank::Rank;

fn shape(levels: u64, dirs: u64, files: u64) -> FdtreeShape {
    FdtreeShape { levels, dirs, files, blocks: 1 }
}

fn walked(shape: FdtreeShape, which: Which) -> Vec<String> {
    let mut walk = TreeWalk::new(shape, which, "b");
    let mut names = Vec::new();
    while walk.advance() {
        let name = walk.path().as_path().display().to_string();
        let level = name.matches('/').count() as u64 - 1;
        assert_eq!(walk.level(), shape.levels - level, "{name}");
        names.push(name);
    }
    names
}

/// The same names from a recursion that shares no code with the walk.
fn recursed(shape: FdtreeShape, which: Which) -> Vec<String> {
    fn within(shape: FdtreeShape, which: Which, level: u64, dir: &str, out: &mut Vec<String>) {
        let below: Vec<String> = match level {
            0 => Vec::new(),
            _ => (1..=shape.dirs).rev().map(|k| format!("{dir}L{level}D{k}/")).collect(),
        };
        match which {
            Which::DirectoriesDown => out.extend(below.clone()),
            Which::Files => out.extend((1..=shape.files).rev().map(|k| format!("{dir}L{level}F{k}"))),
            Which::DirectoriesUp => {}
        }
        below.iter().for_each(|dir| within(shape, which, level - 1, dir, out));
        if which == Which::DirectoriesUp {
            out.extend(below);
        }
    }
    let mut out = Vec::new();
    if which == Which::DirectoriesDown {
        out.push("b/".to_owned());
    }
    within(shape, which, shape.levels, "b/", &mut out);
    if which == Which::DirectoriesUp {
        out.push("b/".to_owned());
    }
    out
}

#[test]
fn the_walk_names_what_a_recursion_names_in_its_order() {
    for levels in 0..4 {
        for dirs in 0..4 {
            for files in 0..3 {
                let shape = shape(levels, dirs, files);
                for which in [Which::DirectoriesDown, Which::Files, Which::DirectoriesUp] {
                    let names = walked(shape, which);
                    assert_eq!(names, recursed(shape, which), "{shape:?} {which:?}");
                    let total = if which == Which::Files { shape.files_total() } else { shape.directories() };
                    assert_eq!(names.len() as u64, total, "{shape:?} {which:?}");
                    for name in names.iter().filter(|name| *name != "b/") {
                        let last = name.trim_end_matches('/').rsplit('/').next().unwrap();
                        let level = shape.levels + 1 - name.trim_end_matches('/').matches('/').count() as u64;
                        assert_eq!(holds(&shape, level, last), Some(which != Which::Files), "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_order_is_that_of_the_example() {
    assert_eq!(
        walked(shape(2, 2, 0), Which::DirectoriesDown),
        ["b/", "b/L2D2/", "b/L2D1/", "b/L2D2/L1D2/", "b/L2D2/L1D1/", "b/L2D1/L1D2/", "b/L2D1/L1D1/"]
    );
    assert_eq!(
        walked(shape(1, 2, 2), Which::Files),
        ["b/L1F2", "b/L1F1", "b/L1D2/L0F2", "b/L1D2/L0F1", "b/L1D1/L0F2", "b/L1D1/L0F1"]
    );
    assert_eq!(walked(shape(1, 2, 2), Which::DirectoriesUp), ["b/L1D2/", "b/L1D1/", "b/"]);
}

#[test]
fn totals_are_those_that_fdtree_prints() {
    for (levels, dirs, files, directories, all) in [
        (4, 10, 10, 11_111, 111_110),
        (3, 5, 10, 156, 1560),
        (4, 5, 3, 781, 2343),
        (1, 0, 1, 1, 1),
        (0, 2, 1, 1, 1),
        (3, 1, 0, 4, 0),
        (3, 1, 2, 4, 8),
    ] {
        let shape = shape(levels, dirs, files);
        assert_eq!((shape.directories(), shape.files_total()), (directories, all), "{shape:?}");
    }
    let upto: Vec<u64> = (0..4).map(|levels| shape(3, 2, 0).directories_above(levels)).collect();
    assert_eq!(upto, [1, 3, 7, 15]);
}

#[test]
fn what_cannot_be_counted_or_named_is_rejected_before_it_starts() {
    let parameters = |shape| FdtreeParameters {
        shape,
        base: "w/LEVEL0.h.1".into(),
        create: true,
        ..FdtreeParameters::default()
    };
    for (levels, dirs, files, blocks, word) in [
        (64, 2, 1, 1, "more than 2^63"),
        (u64::MAX, 10, 10, 10, "more than 2^63"),
        (1, 1, u64::MAX, 0, "more than 2^63"),
        (1, 1, 1, u64::MAX / 4096, "more than 2^63"),
        (1000, 1, 1, 1, "the deepest path would be longer"),
        (u64::MAX / 8, 1, 0, 0, "the deepest path would be longer"),
        (5000, 0, 0, 0, "the deepest path would be longer"),
    ] {
        let rejected = parameters(FdtreeShape { levels, dirs, files, blocks }).check(1).unwrap_err().0;
        assert!(rejected.contains(word) && !rejected.contains('\n'), "{rejected}");
    }
    let many = FdtreeShape { levels: 1, dirs: 1, files: 1, blocks: 1 << 49 };
    assert!(parameters(many).check(1).is_ok() && parameters(many).check(4).is_err(), "ranks count");
    assert!(parameters(shape(4000, 0, 1)).check(1).is_ok(), "without directories it is small");
}

proptest! {
    #[test]
    fn the_longest_path_is_the_longest_that_is_walked(
        levels in 0_u64..4, dirs in 0_u64..12, files in 0_u64..12,
    ) {
        let shape = shape(levels, dirs, files);
        let all = [Which::DirectoriesDown, Which::Files].into_iter().flat_map(|which| walked(shape, which));
        let longest = all.map(|name| name.len()).max().unwrap();
        // The longest base whose paths the kernel accepts, and a base with one more byte.
        prop_assert!(shape.check(1, 1 + 4095 - longest).is_ok());
        prop_assert!(shape.check(1, 2 + 4095 - longest).is_err());
    }
}

#[test]
fn only_names_as_fdtree_writes_them_are_its_own() {
    for (name, own) in [
        ("L2D1", Some((2, true, 1))),
        ("L0F12", Some((0, false, 12))),
        ("L2D0", None),
        ("L02D1", None),
        ("L2D01", None),
        ("L2X1", None),
        ("L2D", None),
        ("LD1", None),
        ("L2F1.bak", None),
        ("l2F1", None),
        ("L2é1", None),
        ("", None),
    ] {
        let parsed = TreeName::parse(name).map(|own| (own.level, own.directory, own.number));
        assert_eq!(parsed, own, "{name}");
    }
}

/// Creates the trees of a run.
fn make(parameters: &FdtreeParameters, ranks: u32) {
    let storage = posix();
    for rank in ranks::local::run(ranks, |comm| {
        let mut clock = measure::CycleClock::new();
        let mut records = results::records::Nowhere;
        let mut rank = Rank::begin(comm, &mut clock, &mut records, None, &[])?;
        run(parameters, &*storage, &mut rank, &mut Silent)
    }) {
        assert_eq!(rank.expect("no panic"), Ok(0));
    }
}

fn posix() -> Box<dyn storage::Storage> {
    (storage::driver("posix").unwrap().open)(&Settings::default()).unwrap()
}

#[test]
fn the_tree_of_an_earlier_run_is_found_by_its_shape_and_ranks() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().display().to_string();
    let storage = posix();
    let names = storage.names().unwrap();
    let find = |shape, ranks| find::find(names, &place, shape, ranks).map_err(|usage| usage.0);
    let base = |name: &str| format!("{place}/{name}");
    let made = |shape, name: &str, ranks| {
        make(
            &FdtreeParameters { shape, base: base(name), create: true, ..FdtreeParameters::default() },
            ranks,
        );
    };
    assert!(find(shape(1, 2, 3), 1).unwrap_err().contains("no tree of fdtree in"));
    made(shape(1, 2, 3), "LEVEL0.h.7", 1);
    made(shape(1, 2, 4), "LEVEL0.h.8", 1);
    made(shape(2, 1, 1), "LEVEL0.h-2.9", 3);
    std::fs::write(base("LEVEL0.h.7/notes"), "not of the tree").unwrap();
    std::fs::write(base("LEVEL0.h.11"), "a file").unwrap();
    std::fs::create_dir(base("LEVEL0.copy")).unwrap();
    assert_eq!(find(shape(1, 2, 3), 1), Ok(base("LEVEL0.h.7")));
    assert_eq!(find(shape(2, 1, 1), 3), Ok(base("LEVEL0.h-2.9")));
    let why = find(shape(2, 1, 1), 1).unwrap_err();
    assert!(why.contains("LEVEL0.h-2.9 belongs to 3 ranks"), "{why}");
    for other in [shape(1, 2, 2), shape(1, 3, 3), shape(1, 1, 3), shape(2, 2, 3), shape(0, 2, 3)] {
        let why = find(other, 1).unwrap_err();
        assert!(why.contains("LEVEL0.h.7 holds ") && !why.contains('\n'), "{other:?}: {why}");
    }
    made(shape(1, 2, 3), "LEVEL0", 1);
    let why = find(shape(1, 2, 3), 1).unwrap_err();
    assert!(why.contains("has 2 trees of -l 1 -d 2 -f 3") && why.contains("--base "), "{why}");
    assert!(find(shape(1, 2, 4), 2).unwrap_err().contains("LEVEL0.h.8 belongs to 1 rank"));
    std::fs::remove_dir_all(base("LEVEL0.h-2.9.1")).unwrap();
    assert!(find(shape(2, 1, 1), 3).unwrap_err().contains("has only 2 of its 3 trees"));
    std::fs::remove_dir_all(base("LEVEL0.h-2.9.2")).unwrap();
    assert!(
        find(shape(2, 1, 1), 1)
            .unwrap_err()
            .contains("LEVEL0.h-2.9.0 is a remaining tree of a run on several ranks")
    );
}

#[test]
fn a_base_that_is_there_already_is_never_gone_into() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("LEVEL0.h.7").display().to_string();
    let first = FdtreeParameters { shape: shape(1, 1, 1), base, create: true, ..FdtreeParameters::default() };
    make(&first, 1);
    let again = FdtreeParameters { remove: true, keep_going: true, ..first.clone() };
    let (storage, mut clock) = (posix(), measure::CycleClock::new());
    let (mut records, comm) = (results::records::Nowhere, ranks::local::alone());
    let mut rank = Rank::begin(&comm, &mut clock, &mut records, None, &[]).unwrap();
    let halt = run(&again, &*storage, &mut rank, &mut Silent).unwrap_err();
    assert_eq!(halt.step, "directory creation");
    assert!(halt.why.ends_with("/LEVEL0.h.7/: mkdir: File exists"), "{}", halt.why);
    assert!(dir.path().join("LEVEL0.h.7/L1D1/L0F1").exists(), "what was there is there");
}
