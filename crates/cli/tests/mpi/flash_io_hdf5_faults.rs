//! Failures of flash-io with HDF5: one line of error, and the end of all ranks together.

use std::fs;
use std::path::Path;

use crate::common::hdf5::{able, is_status_of_failure, limited};
use crate::common::{Mpi, Ran, assay, run};

const SHAPE: &str = "--size 2 --blocks 6";

fn flash(mpi: Mpi, dir: &Path, words: &str) -> Option<Ran> {
    Some(run(&mut mpi.command(dir, 2, &format!("flash-io -f ./f_ --hdf5 {words}"))?))
}

/// Asserts that the run failed with one line that contains `why`.
fn rejected(ran: &Ran, status: i32, why: &str) {
    let lines: Vec<_> = ran.err.lines().filter(|line| line.starts_with("flash-io: ")).collect();
    assert_eq!((lines.len(), ran.status), (1, Some(status)), "{ran:#?}");
    assert!(lines[0].contains(why), "{why}: {ran:#?}");
}

#[test]
fn contradictory_options_are_rejected_before_the_start() {
    let dir = tempfile::tempdir().unwrap();
    for (words, why) in [
        ("--hdf5 -b", "-b does not go with --hdf5: HDF5 has blocking calls only. Leave -b out."),
        ("--hdf5 --alignment 0", "--alignment 0: must be 1 or more"),
        ("--alignment 4096", "--alignment needs --hdf5"),
        ("--hint striping_factor", "--hint striping_factor: not of the form KEY=VALUE"),
    ] {
        rejected(&run(&mut assay(dir.path(), &format!("flash-io -f f_ {words}"))), 2, why);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "no file was created");
    for mpi in able() {
        let other = if mpi == Mpi::Open { "mpich" } else { "openmpi" };
        let kept = dir.path().join("f_hdf5_chk_0000");
        fs::write(&kept, "mine").unwrap();
        let Some(mut command) = mpi.command(dir.path(), 2, "flash-io -f f_ --hdf5") else { continue };
        let library = format!("/usr/lib/x86_64-linux-gnu/libhdf5_{other}.so.103");
        let ran = run(command.env("ASSAY_HDF5_LIBRARY", library));
        rejected(&ran, 2, "set ASSAY_HDF5_LIBRARY to a HDF5 library built on");
        assert_eq!(fs::read(&kept).unwrap(), b"mine");
    }
}

#[test]
fn a_file_of_another_shape_is_rejected() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = flash(mpi, dir.path(), SHAPE) else { continue };
        ran.ok();
        let again = |words: &str| flash(mpi, dir.path(), &format!("{words} --verify-only")).unwrap();
        let [chk, cnt] = ["chk", "plt_cnt"].map(|name| dir.path().join(format!("f_hdf5_{name}_0000")));
        let whole = fs::read(&chk).unwrap();
        let lengths = "f_hdf5_chk_0000: its variable dens has lengths [9, 2, 2, 2], not [9, 3, 3, 3]";
        rejected(&again("--size 3 --blocks 6"), 4, lengths);
        fs::copy(&cnt, &chk).unwrap();
        rejected(&again(SHAPE), 4, "f_hdf5_chk_0000: its variable coordinates is not of type Double");
        fs::write(&chk, &whole[..whole.len() - 40]).unwrap();
        rejected(&again(SHAPE), 4, "f_hdf5_chk_0000: HDF5: truncated file: eof = ");
        fs::write(&chk, "not an HDF5 file, but long enough for the check").unwrap();
        rejected(&again(SHAPE), 4, "f_hdf5_chk_0000: it is not an HDF5 file");
        fs::remove_file(&chk).unwrap();
        rejected(&again(SHAPE), 4, "./f_hdf5_chk_0000: No such file or directory");
        rejected(&flash(mpi, dir.path(), "-f nowhere/f_").unwrap(), 4, "nowhere: No such file or directory");
    }
}

/// HDF5 could neither close the file nor end with MPI. A rank may hang in a collective call. Half of the
/// limit passes then, so the test runs under one MPI only.
#[test]
fn a_failed_write_ends_all_ranks_with_its_reason() {
    for mpi in able() {
        for mode in ["", "-i"].into_iter().filter(|mode| mpi == Mpi::Open || !mode.is_empty()) {
            let dir = tempfile::tempdir().unwrap();
            let words = format!("flash-io -f ./f_ --hdf5 --size 16 --guards 1 {mode} --record r");
            let Some(mut command) = mpi.command(dir.path(), 2, &words) else { continue };
            command.env("ASSAY_CALL_LIMIT", "10");
            let ran = run(&mut limited(&command, dir.path(), 80 << 10));
            assert!(is_status_of_failure(mpi, ran.status), "{ran:#?}");
            rejected(&ran, ran.status.unwrap(), ": HDF5: ");
            let is_reported =
                ran.err.contains("flash-io: checkpoint: rank ") && ran.err.contains(": ./f_hdf5_chk_0000: ");
            assert!(is_reported || mode.is_empty(), "{ran:#?}");
            let records = fs::read_to_string(dir.path().join("r")).unwrap_or_default();
            assert!(
                !records.contains("\"phase\":\"checkpoint\""),
                "a failed phase has no numbers: {records}"
            );
        }
    }
}
