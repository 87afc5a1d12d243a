//! MPI-IO under every installed MPI. The program under test is the example `mpiio_scenario`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::complete::only_in_all;

/// Time limit of a job in seconds, on a machine with other load.
const JOB_MAX: &str = "300";

/// The launchers, with the arguments that each needs, and the MPI library if it is not the launcher's own.
fn launchers() -> Vec<(PathBuf, &'static [&'static str], Option<PathBuf>)> {
    let venv = std::env::var("ASSAY_TEST_MPICH_VENV").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mpich-venv"),
        PathBuf::from,
    );
    let standard = venv.join("lib/libmpi_abi.so.1");
    let all: [(PathBuf, &'static [&'static str], _); 4] = [
        ("/usr/bin/mpirun.openmpi".into(), &["--oversubscribe"], None),
        ("/usr/bin/mpirun.mpich".into(), &[], None),
        (venv.join("bin/mpiexec"), &[], None),
        (venv.join("bin/mpiexec"), &[], Some(standard)),
    ];
    let (here, missing): (Vec<_>, Vec<_>) = all.into_iter().partition(|(launcher, _, _)| launcher.exists());
    missing.iter().for_each(|(launcher, _, _)| println!("SKIPPED: {} is not installed", launcher.display()));
    here
}

/// The path of an example program, relative to the directory of this test program.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test program is known");
    let folder = test.parent().and_then(Path::parent).expect("target/debug/deps");
    let example = folder.join("examples").join(name);
    assert!(example.exists(), "no {}: run `cargo build -p storage --examples`", example.display());
    example
}

fn run(launcher: &(PathBuf, &'static [&'static str], Option<PathBuf>), file: &Path, hints: &Path) -> Output {
    let mut command = Command::new("timeout");
    command.args(["-k", "5", JOB_MAX]).arg(&launcher.0).args(launcher.1).args(["-n", "2"]);
    command.arg(example("mpiio_scenario")).arg(file).arg(hints);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    if let Some(library) = &launcher.2 {
        command.env("ASSAY_MPI_LIBRARY", library);
    }
    command.output().expect("timeout is installed")
}

#[test]
fn hints_reach_the_library_and_the_hints_in_effect_are_returned() {
    for launcher in launchers() {
        let dir = tempfile::tempdir().unwrap();
        let hints = dir.path().join("hints");
        fs::write(&hints, "# of this test\nIOR_HINT__MPI__cb_nodes=1\n").unwrap();
        let done = run(&launcher, &dir.path().join("f"), &hints);
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        let name = launcher.0.display();
        assert!(done.status.success() && out.contains("\nok\n"), "{name}: {out}{err}");
        let passed = "\nhints passed to MPI_File_open() {\n\tcb_buffer_size = 65536\n\tcb_nodes = 1\n}\n";
        assert!(out.contains(passed) || out.contains(&swapped(passed)), "{name}: {out}");
        let returned = out.split_once("\nhints returned from opened file {\n").expect("both are shown").1;
        let returned = returned.split_once("}\n").expect("it ends").0;
        assert!(returned.lines().all(|line| line.starts_with('\t') && line.contains(" = ")), "{name}: {out}");
        if !name.to_string().contains("openmpi") {
            // ROMIO reports the hints in effect; Open MPI's own library may report others.
            assert!(returned.contains("\tcb_nodes = 1\n"), "{name}: {out}");
        }
    }
}

/// The same text with its two hints in the other order: a library may keep them in any order.
fn swapped(passed: &str) -> String {
    let mut lines: Vec<&str> = passed.lines().collect();
    lines.swap(2, 3);
    lines.join("\n") + "\n"
}

#[test]
fn a_missing_hints_file_ends_the_run_with_one_reason_per_rank() {
    for launcher in launchers().into_iter().take(1) {
        let dir = tempfile::tempdir().unwrap();
        let done = run(&launcher, &dir.path().join("f"), &dir.path().join("no-hints"));
        let err = String::from_utf8_lossy(&done.stderr);
        assert!(!done.status.success());
        let ours = err.lines().filter(|line| line.starts_with("--mpiio.hintsFileName=")).count();
        assert!((1..=2).contains(&ours), "{err}");
        assert!(!dir.path().join("f").exists(), "no file was created");
    }
}

/// A directory in memory with free space for a file of 2 GiB and a buffer of the same size; `None` without
/// that space.
fn large_directory() -> Option<tempfile::TempDir> {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:")?.split_whitespace().next());
    let large_directory = free.and_then(|kib| kib.parse::<u64>().ok()).is_some_and(|kib| kib > 8 << 20);
    large_directory.then(|| tempfile::tempdir_in("/dev/shm").ok()).flatten()
}

#[test]
fn a_transfer_of_more_than_2_gib_is_moved_completely() {
    if !only_in_all("it moves 4 GiB") {
        return;
    }
    for (launcher, words, _) in launchers().into_iter().take(2) {
        let Some(dir) = large_directory() else {
            println!("SKIPPED: 8 GiB of memory are not free for a transfer of 2 GiB");
            return;
        };
        let mut command = Command::new("timeout");
        command.args(["-k", "5", JOB_MAX]).arg(&launcher).args(words).args(["-n", "1"]);
        command.arg(example("mpiio_huge")).arg(dir.path().join("f"));
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        let done = command.output().expect("timeout is installed");
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success() && out == "ok\n", "{}: {out}{err}", launcher.display());
    }
}
