//! `fdtree` under launchers of MPI: the same trees and lines. If one rank fails, all ranks end.

use std::process::Command;

use crate::common::fdtree::{THREE, assert_three_trees, complaint, fdtree, trees, under};
use crate::common::tmpfs::Tmpfs;
use crate::common::{mpis, program, run};

#[test]
fn trees_and_text_are_the_same_under_a_launcher() {
    for &mpi in mpis() {
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
fn a_wrong_plain_value_counts_on_rank_0_only() {
    let dir = tempfile::tempdir().unwrap();
    // The variable of Open MPI or of MPICH has the rank.
    let on = |rank: u32| {
        format!(
            "if [ \"$OMPI_COMM_WORLD_RANK$PMI_RANK\" = {rank} ]; then export ASSAY_PLAIN=x; fi; exec \"$@\""
        )
    };
    for &mpi in mpis() {
        let run_with = |rank: u32| {
            let command = mpi.command(dir.path(), 2, &format!("fdtree --dryRun {THREE}"))?;
            let mut wrapped = Command::new(command.get_program());
            for word in command.get_args() {
                if word == program() {
                    wrapped.args(["sh", "-c", &on(rank), "sh"]);
                }
                wrapped.arg(word);
            }
            wrapped.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
            Some(run(wrapped.current_dir(dir.path())))
        };
        let Some(ran) = run_with(1) else { continue };
        ran.ok();
        let rejected = run_with(0).unwrap();
        let lines = rejected.err.lines().filter(|line| line.starts_with("fdtree: ASSAY_PLAIN=x in the "));
        assert_eq!((rejected.status == Some(0), lines.count()), (false, 1), "{mpi:?}: {rejected:#?}");
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
    for &mpi in mpis() {
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
