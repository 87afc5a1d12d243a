//! Ranks that hang in a collective call of a library: the run ends and reports the call.

use std::path::Path;

use crate::common::{self, Mpi, Ran, mpis, run};

/// Runs `ior WORDS` on a file `f` with a fault for rank 1. The time limit of a call is two seconds.
fn broken(mpi: Mpi, dir: &Path, fault: &str, words: &str) -> Option<Ran> {
    let file = dir.canonicalize().unwrap().join("f");
    let mut command = mpi.command(dir, 2, &format!("ior -k -o {} {words}", file.display()))?;
    command.env("LD_PRELOAD", common::shim()).env("ASSAY_SHIM_RANK", "1").env("ASSAY_CALL_LIMIT", "2");
    Some(run(command.env("ASSAY_SHIM_UNDER", &file).env("ASSAY_SHIM_FAULT", fault)))
}

/// Rank 1 leaves collective calls of HDF5 when its metadata cannot be written, or the open. The ranks of Open
/// MPI then wait for it; those of MPICH leave some of these calls, too.
#[test]
fn a_collective_call_that_hangs_ends_the_run_and_is_reported() {
    for (fault, words, call) in [
        ("full:17", "-a HDF5 -w -b 1m -t 64k", "close"),
        ("full:17", "-a HDF5 -w -e -b 1m -t 64k", "sync"),
        ("open", "-a MPIIO -w -b 1m -t 64k", "open"),
    ] {
        for mpi in [Mpi::Open, Mpi::Mpich] {
            let dir = tempfile::tempdir().unwrap();
            let Some(ran) = broken(mpi, dir.path(), fault, words) else { continue };
            assert_ne!(ran.status, Some(0), "{ran:#?}");
            let (named, lines) =
                (format!("({call}) has not ended in 2 s (ASSAY_CALL_LIMIT)"), ran.complaints());
            assert!(mpi != Mpi::Open || lines.iter().any(|line| line.contains(&named)), "{named}: {ran:#?}");
        }
    }
}

#[test]
fn flash_io_ends_too_if_its_ranks_hang_in_a_call() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path().canonicalize().unwrap();
    let Some(mut command) = Mpi::Open.command(dir.path(), 2, "flash-io -q -f ./f_ --size 4 --blocks 5")
    else {
        return;
    };
    command.env("LD_PRELOAD", common::shim()).env("ASSAY_SHIM_RANK", "1").env("ASSAY_CALL_LIMIT", "2");
    let ran = run(command.env("ASSAY_SHIM_UNDER", &here).env("ASSAY_SHIM_FAULT", "open"));
    assert_ne!(ran.status, Some(0), "{ran:#?}");
    let named = "(open, transfer or close) has not ended in 2 s (ASSAY_CALL_LIMIT)";
    assert!(ran.err.contains(named), "{ran:#?}");
}

#[test]
fn a_limit_that_is_not_a_number_is_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = common::assay(dir.path(), "ior -o f");
    let ran = run(command.env("ASSAY_CALL_LIMIT", "1h"));
    assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{ran:#?}");
    assert!(
        ran.complaints()[0].contains("ASSAY_CALL_LIMIT=1h in the environment is not a number"),
        "{ran:#?}"
    );
}

/// If only one rank failed to open the file, the others would hang in the collective open.
#[test]
fn a_file_that_one_rank_cannot_open_is_not_read_by_any() {
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = mpi.ior(dir.path(), 2, "-a MPIIO -w -k -b 64k -t 16k -o f") else { continue };
        ran.ok();
        let ran = broken(mpi, dir.path(), "open", "-a MPIIO -r -b 64k -t 16k").unwrap();
        // Beside the note on the preloaded library.
        let errors: Vec<&str> =
            ran.complaints().into_iter().filter(|line| line.starts_with("ior: ")).collect();
        assert_eq!((ran.status, errors.len()), (Some(4), 1), "{mpi:?}: {ran:#?}");
        let line = errors[0];
        let why = ["ior: read: rank 1", "cannot open ", "Too many open files"];
        assert!(why.iter().all(|words| line.contains(words)), "{mpi:?}: {ran:#?}");
    }
}
