//! Ranks and launchers of `assay mpi-io --launch` that die in a case: a crash of a rank fails the case. The
//! end of a rank or launcher by SIGKILL shows no broken promise, so the case is undecided. The others run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use results::Record;
use results::record::CaseOutcome::{self, Fail, Pass, Undecided};

use crate::common::campaign::{names, signal, there, until};
use crate::common::{OPEN_MPI_AS_ROOT, PATIENCE, Ran, Running, assay, processes, shim};
use crate::mpi_io_stopped::walk;

const OPEN: &str = "mpirun.openmpi";
const MPICH: &str = "mpirun.mpich";
/// The case whose first write meets the fault, and its neighbours, which write nothing or later.
const CASES: [&str; 3] = ["posix.create.exclusive", "posix.visible.after_write", "posix.directory.entries"];

/// `assay mpi-io` with these cases on two ranks in `dir/d`, with a fault of the shim on rank 1.
fn command(dir: &Path, launcher: &str, fault: &str) -> Command {
    fs::create_dir(dir.join("d")).unwrap();
    let only: String = CASES.iter().map(|case| format!(" --only {case}")).collect();
    let mut command = assay(dir, &format!("mpi-io --record r{only} d"));
    let oversubscribe = if launcher == OPEN { " --oversubscribe" } else { "" };
    command.args(["--launch", &format!("{launcher}{oversubscribe} -n 2")]).envs(OPEN_MPI_AS_ROOT);
    command.env("LD_PRELOAD", shim()).env("ASSAY_SHIM_FAULT", fault).env("ASSAY_SHIM_RANK", "1");
    command.env("ASSAY_SHIM_UNDER", dir.join("d/").canonicalize().unwrap());
    command
}

/// Asserts that the second case has this outcome and the others pass, and that no files remain.
fn assert_outcome(dir: &Path, ran: &Ran, outcome: CaseOutcome, what: &str) {
    let records = results::records::load(&dir.join("r")).unwrap();
    let cases = records.into_iter().filter_map(|record| match record {
        Record::Case(case) => Some((case.name.clone(), *case)),
        _ => None,
    });
    let cases: BTreeMap<_, _> = cases.collect();
    let outcomes = CASES.map(|case| cases[case].outcome);
    assert_eq!(outcomes, [Pass, outcome, Pass], "{what}: {ran:#?}");
    let step = cases[CASES[1]].evidence.as_ref().map(|seen| seen.step.as_str());
    assert_eq!(step, (outcome == Fail).then_some("the end of the job"), "{what}: {ran:#?}");
    let why = &cases[CASES[1]].why;
    assert_eq!(why.starts_with("the job ended with "), outcome == Undecided, "{what}: {why}");
    assert_eq!(ran.status, Some(if outcome == Fail { 1 } else { 3 }), "{what}: {ran:#?}");
    assert_eq!(names(&dir.join("d")), Vec::<String>::new(), "{what}: {ran:#?}");
}

#[test]
fn a_rank_that_crashes_fails_its_case_and_one_that_is_killed_leaves_it_undecided() {
    let [kill, term, abort, segv] = [9, 15, 6, 11].map(|signal| format!("die:{signal}"));
    for (launcher, fault, outcome) in [
        (OPEN, &segv, Fail),
        (OPEN, &abort, Fail),
        (OPEN, &kill, Undecided),
        (OPEN, &term, Undecided),
        (MPICH, &segv, Fail),
        (MPICH, &kill, Undecided),
        (MPICH, &term, Undecided),
    ] {
        if !there(launcher) {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let ran = crate::common::run(&mut command(dir.path(), launcher, fault));
        assert_outcome(dir.path(), &ran, outcome, &format!("{launcher} {fault}"));
    }
}

#[test]
fn a_launcher_that_is_killed_leaves_its_case_undecided_and_the_others_run() {
    for launcher in [OPEN, MPICH] {
        if !there(launcher) {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let driver = Running::piped(&mut command(dir.path(), launcher, "block:1"));
        let begun = || walk(&dir.path().join("d")).iter().any(|path| path.ends_with(CASES[1]));
        until("the case that hangs", begun);
        // The launcher passes on what the ranks report. If it is killed before that, the driver knows only an
        // earlier case.
        let is_ended = |line: &str| line.contains(CASES[0]) && line.contains("\"outcome\"");
        let records = || fs::read_to_string(dir.path().join("r")).unwrap_or_default();
        until("the end of the case before it", || records().lines().any(is_ended));
        thread::sleep(Duration::from_millis(500));
        let child = processes::children(&driver.id().to_string()).remove(0);
        signal("-KILL", child.parse().unwrap());
        let ran = driver.end(PATIENCE);
        assert_outcome(dir.path(), &ran, Undecided, launcher);
    }
}
