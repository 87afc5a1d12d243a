//! `assay mpi-io --launch` that gets a signal to end: its ranks end too, and no files remain.

use std::fs;
use std::process::Stdio;

use crate::common::campaign::{alive, signal, there, until};
use crate::common::{OPEN_MPI_AS_ROOT, assay, processes};

#[test]
fn a_driver_that_gets_a_signal_ends_its_ranks_and_removes_their_files() {
    for mpirun in ["mpirun.openmpi --oversubscribe", "mpirun.mpich"] {
        if !there(mpirun.split(' ').next().unwrap()) {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let shim = std::env::current_exe().unwrap().with_file_name("libassay_shim.so");
        fs::create_dir(dir.path().join("d")).unwrap();
        let words = "mpi-io --record r --only posix.visible.* d";
        let mut command = assay(dir.path(), words);
        command.args(["--launch", &format!("{mpirun} -n 2")]);
        command.envs(OPEN_MPI_AS_ROOT);
        command.env("LD_PRELOAD", shim).env("ASSAY_SHIM_FAULT", "block:1").env("ASSAY_SHIM_RANK", "1");
        command.env("ASSAY_SHIM_UNDER", dir.path().join("d").canonicalize().unwrap());
        let out = fs::File::create(dir.path().join("out")).unwrap();
        let err = fs::File::create(dir.path().join("err")).unwrap();
        let mut driver = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().unwrap();
        let begun =
            || walk(&dir.path().join("d")).iter().any(|path| path.ends_with("posix.visible.after_write"));
        until("the case that hangs", begun);
        let launcher = processes::children(&driver.id().to_string()).remove(0);
        signal("-TERM", driver.id());
        assert_eq!(driver.wait().unwrap().code(), Some(4), "{mpirun}");
        let [out, err] = ["out", "err"].map(|name| fs::read_to_string(dir.path().join(name)).unwrap());
        assert!(!alive(&launcher), "{mpirun}: {err}");
        assert!(err.contains("mpi-io: stopped on request"), "{mpirun}: {err}");
        assert!(out.contains("not run: 5 cases, from posix.visible.after_write on"), "{mpirun}: {out}");
        assert_eq!(walk(&dir.path().join("d")), Vec::<String>::new(), "{mpirun}: {out}");
        assert!(
            fs::read_to_string(dir.path().join("r")).unwrap().contains("\"record\":\"failure\""),
            "{mpirun}"
        );
    }
}

/// The directories in the two levels below `dir`.
pub(crate) fn walk(dir: &std::path::Path) -> Vec<String> {
    let below = |dir: &std::path::Path| {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    let first = below(dir);
    let second: Vec<_> = first.iter().flat_map(|inside| below(inside)).collect();
    first.iter().chain(&second).map(|path| path.display().to_string()).collect()
}
