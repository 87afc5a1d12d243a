//! `ls-lr` under each MPI.

use std::fs;

use crate::common::ls_lr::{SMALL, phases, place};
use crate::common::{mpis, run};

#[test]
fn ranks_of_each_mpi_walk_at_the_same_time() {
    for &mpi in mpis() {
        let dir = place();
        let Some(mut command) =
            mpi.command(dir.path(), 3, &format!("ls-lr --walk --remove --record r {SMALL}"))
        else {
            continue;
        };
        let out = run(&mut command).ok();
        assert!(
            out.contains("ls-lr: 3 walkers on 1 node, ") && out.contains("while all 3 were at work"),
            "{out}"
        );
        assert_eq!(out.matches("ls-lr: ").count(), 1, "only one rank prints: {out}");
        assert_eq!(phases(&dir.path().join("r"))[1].ops, 1800, "{mpi:?}");
        assert_eq!(fs::read_dir(dir.path().join("t")).unwrap().count(), 0);
        let rejected = run(&mut mpi.command(dir.path(), 3, "ls-lr t").unwrap());
        let lines: Vec<_> = rejected.err.lines().filter(|line| line.starts_with("ls-lr: ")).collect();
        assert_eq!(
            lines,
            ["ls-lr: 1 tree for 3 walkers: give one directory for each, or one directory with \
                           trees of --make"]
        );
        assert_eq!(rejected.status, Some(2), "{mpi:?}");
    }
}
