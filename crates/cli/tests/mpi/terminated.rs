//! Ranks of a launcher that is terminated while a rank does not return from a call on a file.

use std::process::Command;

use crate::common::campaign::{signal, until};
use crate::common::{Mpi, PATIENCE, Running, mpis};

#[test]
fn a_launcher_that_is_terminated_shows_the_call_that_its_rank_is_in() {
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        let [stuck, free] =
            [1, 0].map(|rank| dir.path().canonicalize().unwrap().join(format!("f.0000000{rank}")));
        std::fs::write(free, [0; 4096]).unwrap();
        // The opening of a pipe lasts until another process opens its other end.
        assert!(Command::new("mkfifo").arg(&stuck).status().unwrap().success());
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap_or_default();
        let Some(mut command) = mpi.command(dir.path(), 2, "ior -r -k -F -b 4k -t 4k -o f") else { continue };
        // By default Open MPI kills after a second, which a loaded machine may need for the line.
        command.env("ASSAY_WAIT_REPORT", "2").env("OMPI_MCA_odls_base_sigkill_timeout", "5");
        let stream = |name: &str| std::fs::File::create(dir.path().join(name)).unwrap();
        let launcher = Running::start(command.stdout(stream("out")).stderr(stream("err")));
        let place = format!("in open of {}", stuck.display());
        until("a report", || read("err").contains(&format!("assay: rank 1 has been {place} for ")));
        signal("-TERM", launcher.id());
        let status = launcher.end(PATIENCE).status;
        let err = read("err");
        // Debian's Hydra 4.0 ends with 0 in some of these cases, also around other programs.
        assert!(status != Some(0) || matches!(mpi, Mpi::Mpich), "{mpi:?}: {status:?}: {err}");
        // Before the phase, the rank opens the file to see what is in the page cache.
        let lines: Vec<&str> = err.lines().filter(|line| line.contains(" was in ")).collect();
        assert_eq!(lines, [format!("assay: rank 1 was {place}")], "{mpi:?}: {err}");
    }
}
