//! The safe wrapper of MPI files under every installed MPI, with both MPI-IO libraries of Open MPI. The
//! program under test is the example `mpi_file_scenario`.

use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::complete::by_set;

/// Time limit of a job in seconds, on a machine with other load.
const JOB_MAX: &str = "300";

/// Name, launcher with its arguments, and the MPI library if it is not the launcher's own.
fn launchers() -> Vec<(&'static str, PathBuf, Vec<&'static str>, Option<PathBuf>)> {
    let venv = std::env::var("ASSAY_TEST_MPICH_VENV").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mpich-venv"),
        PathBuf::from,
    );
    let open: PathBuf = "/usr/bin/mpirun.openmpi".into();
    let romio = vec!["--oversubscribe", "--mca", "io", "romio321"];
    let all = [
        ("ompio", open.clone(), vec!["--oversubscribe"], None),
        ("romio of Open MPI", open, romio, None),
        ("MPICH 4", "/usr/bin/mpirun.mpich".into(), vec![], None),
        ("MPICH 5", venv.join("bin/mpiexec"), vec![], None),
        ("MPI 5", venv.join("bin/mpiexec"), vec![], Some(venv.join("lib/libmpi_abi.so.1"))),
    ];
    let (here, missing): (Vec<_>, Vec<_>) = all.into_iter().partition(|launcher| launcher.1.exists());
    missing.iter().for_each(|launcher| println!("SKIPPED: {} is not installed", launcher.1.display()));
    here
}

/// The path of the example program, relative to the directory of this test program.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test program is known");
    let folder = test.parent().and_then(Path::parent).expect("target/debug/deps");
    let example = folder.join("examples/mpi_file_scenario");
    assert!(example.exists(), "no {}: run `cargo build -p storage --examples`", example.display());
    example
}

#[test]
fn every_call_exists_and_moves_the_right_data() {
    for (name, launcher, words, library) in launchers() {
        for ranks in by_set(&["4"][..], &["1", "2", "4"]) {
            let dir = tempfile::tempdir().unwrap();
            let mut command = Command::new("timeout");
            command.args(["-k", "5", JOB_MAX]).arg(&launcher).args(&words).args(["-n", ranks]);
            command.arg(example()).arg(dir.path().join("f")).current_dir(dir.path());
            // ROMIO 3.2.1 of Open MPI 4.1 jumps to address 0 in `MPI_File_iwrite_at_all`.
            command.args((name == "romio of Open MPI").then_some("crashes"));
            command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            if let Some(library) = &library {
                command.env("ASSAY_MPI_LIBRARY", library);
            }
            let done = command.output().expect("timeout is installed");
            let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            println!("{name}, {ranks} ranks: {out}");
            assert!(done.status.success() && out.contains("ok\n"), "{name}, {ranks} ranks: {out}{err}");
        }
    }
}
