//! Scripts of `ior` under each MPI.

use std::fs::write;
use std::path::Path;
use std::process::Command;

use crate::common::scripts::{THREE, phases, records};
use crate::common::{Ran, ior, mpis, program, run};

/// Checks a run of `THREE` on three ranks.
fn check_three(ran: Ran, dir: &Path, context: &str) {
    let text = ran.ok();
    for test in ["TestID              : 0\n", "TestID              : 1\n", "TestID              : 2\n"] {
        assert_eq!(text.matches(test).count(), 1, "{context}: {text}");
    }
    assert_eq!(text.matches("Summary of all tests:").count(), 1, "{context}: {text}");
    let summary = text.split("Summary of all tests:\n").nth(1).unwrap();
    let numbers: Vec<&str> = summary
        .lines()
        .filter(|line| line.starts_with("write "))
        .map(|line| line.split_whitespace().nth(12).unwrap())
        .collect();
    assert_eq!(numbers, ["0", "1", "2"], "{context}: {summary}");
    let records = records(&dir.join("r"));
    assert_eq!(records.iter().filter(|record| record["record"] == "run").count(), 1, "{context}");
    assert_eq!(records.last().unwrap()["record"], "end", "{context}");
    let wanted = [(0, 3, 16384), (1, 2, 32768), (2, 2, 32768)];
    let wanted: Vec<_> = wanted
        .into_iter()
        .flat_map(|(test, ranks, bytes)| [(test, "write", ranks, bytes), (test, "read", ranks, bytes)])
        .collect();
    assert_eq!(phases(&records), wanted, "{context}");
}

#[test]
fn a_script_runs_its_tests_in_one_job_with_different_numbers_of_ranks() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("s"), THREE).unwrap();
    check_three(ior(dir.path(), 3, "-f s --record r"), dir.path(), "local ranks");
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path().join("s"), THREE).unwrap();
        let Some(ran) = mpi.ior(dir.path(), 3, "-f s --record r") else { continue };
        check_three(ran, dir.path(), &format!("{mpi:?}"));
    }
}

#[test]
fn a_missing_script_is_reported_by_one_rank_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let check = |ran: Ran, context: &str| {
        assert_eq!(ran.status, Some(2), "{context}: {ran:#?}");
        let wanted = "ior: -f nowhere: cannot read the script: No such file or directory (os error 2)";
        assert_eq!(ran.complaints(), [wanted], "{context}: {ran:#?}");
    };
    check(ior(dir.path(), 3, "-f nowhere"), "local ranks");
    for &mpi in mpis() {
        let Some(ran) = mpi.ior(dir.path(), 3, "-f nowhere") else { continue };
        check(ran, &format!("{mpi:?}"));
    }
}

#[test]
fn a_slow_rank_0_still_reports_the_reason_before_the_launcher_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    // The variable of Open MPI or of MPICH has the rank. Only rank 0 is slow.
    let slow = "#!/bin/sh\nif [ \"$OMPI_COMM_WORLD_RANK$PMI_RANK\" != 0 ]; then exec \"$@\"; fi\n\
                exec strace -f -o /dev/null -e trace=write -e inject=write:delay_enter=40000 \"$@\"\n";
    write(dir.path().join("slow"), slow).unwrap();
    for &mpi in mpis() {
        let Some(command) = mpi.command(dir.path(), 2, "ior -f nowhere") else { continue };
        let mut slowed = Command::new(command.get_program());
        for word in command.get_args() {
            if word == program() {
                slowed.args(["sh", "./slow"]);
            }
            slowed.arg(word);
        }
        slowed.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let ran = run(slowed.current_dir(dir.path()));
        assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{mpi:?}: {ran:#?}");
    }
}
