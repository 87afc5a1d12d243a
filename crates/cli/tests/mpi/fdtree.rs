//! `fdtree` under launchers of MPI: the same trees and lines. If one rank fails, all ranks end.

use crate::common::ALL_MPI;
use crate::common::fdtree::{THREE, assert_three_trees, complaint, fdtree, trees, under};
use crate::common::tmpfs::Tmpfs;

#[test]
fn trees_and_text_are_the_same_under_a_launcher() {
    for mpi in ALL_MPI {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = under(mpi, dir.path(), 3, &format!("-C {THREE}")) else { continue };
        assert_three_trees(dir.path(), &ran.ok());
        let rejected = under(mpi, dir.path(), 2, &format!("-R {THREE}")).unwrap();
        assert_ne!(rejected.status, Some(0), "{mpi:?}");
        let lines = rejected.err.lines().filter(|line| line.starts_with("fdtree: -R: ")).count();
        assert_eq!(lines, 1, "{mpi:?}: {rejected:#?}");
        under(mpi, dir.path(), 3, &format!("-R {THREE}")).unwrap().ok();
        assert!(trees(dir.path()).is_empty(), "{mpi:?}");
        let wrong = under(mpi, dir.path(), 3, "-l").unwrap();
        let lines = wrong
            .err
            .lines()
            .filter(|line| *line == "fdtree: -l takes a value: levels of directories below the base");
        assert_eq!((wrong.status == Some(0), lines.count()), (false, 1), "{mpi:?}: {wrong:#?}");
    }
}

#[test]
fn a_failure_on_one_rank_ends_all_ranks_with_one_line() {
    let Some(small) = Tmpfs::new("size=400k") else { return };
    let words = "-l 1 -d 2 -f 10 -s 10";
    let line = complaint(&fdtree(small.path(), 3, words), 4);
    assert!(
        line.starts_with("fdtree: file creation: rank ") && line.ends_with("No space left on device"),
        "{line}"
    );
    assert_eq!(trees(small.path()).len(), 3, "all trees remain");
    for mpi in ALL_MPI {
        trees(small.path()).iter().for_each(|tree| std::fs::remove_dir_all(tree).unwrap());
        let Some(ran) = under(mpi, small.path(), 3, words) else { continue };
        let lines: Vec<_> = ran.err.lines().filter(|line| line.starts_with("fdtree: ")).collect();
        assert!(ran.status.is_some_and(|status| status != 0), "{mpi:?}: {ran:#?}");
        assert!(
            lines.len() == 1 && lines[0].ends_with("write: No space left on device"),
            "{mpi:?}: {ran:#?}"
        );
    }
}
