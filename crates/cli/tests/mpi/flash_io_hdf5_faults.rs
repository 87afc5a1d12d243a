//! flash-io by HDF5 where something is wrong: one line, on all ranks together, and an end.

use std::fs;
use std::path::Path;

use crate::common::hdf5::{able, limited};
use crate::common::{Mpi, Ran, assay, run};

const SHAPE: &str = "--size 2 --blocks 6";

fn flash(mpi: Mpi, dir: &Path, words: &str) -> Option<Ran> {
    Some(run(&mut mpi.command(dir, 2, &format!("flash-io -f ./f_ --hdf5 {words}"))?))
}

/// Fails in one line that has this in it.
fn rejected(ran: &Ran, status: i32, why: &str) {
    let lines: Vec<_> = ran.err.lines().filter(|line| line.starts_with("flash-io: ")).collect();
    assert_eq!((lines.len(), ran.status), (1, Some(status)), "{ran:#?}");
    assert!(lines[0].contains(why), "{why}: {ran:#?}");
}

#[test]
fn lines_that_cannot_be_meant_are_rejected_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    for (words, why) in [
        ("--hdf5 -b", "-b does not go with --hdf5: HDF5 has blocking calls only; leave -b out"),
        ("--hdf5 --alignment 0", "--alignment 0: has to be 1 or more"),
        ("--alignment 4096", "--alignment is of --hdf5"),
        ("--hint striping_factor", "--hint striping_factor: KEY=VALUE is wanted"),
    ] {
        rejected(&run(&mut assay(dir.path(), &format!("flash-io -f f_ {words}"))), 2, why);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing was made");
    for mpi in able() {
        let other = if mpi == Mpi::Open { "mpich" } else { "openmpi" };
        let kept = dir.path().join("f_hdf5_chk_0000");
        fs::write(&kept, "mine").unwrap();
        let Some(mut command) = mpi.command(dir.path(), 2, "flash-io -f f_ --hdf5") else { continue };
        let library = format!("/usr/lib/x86_64-linux-gnu/libhdf5_{other}.so.103");
        let ran = run(command.env("ASSAY_HDF5_LIBRARY", library));
        rejected(&ran, 2, "ASSAY_HDF5_LIBRARY may name a HDF5 built on");
        assert_eq!(fs::read(&kept).unwrap(), b"mine");
    }
}

#[test]
fn a_file_of_another_shape_is_told_apart() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = flash(mpi, dir.path(), SHAPE) else { continue };
        ran.ok();
        let again = |words: &str| flash(mpi, dir.path(), &format!("{words} --verify-only")).unwrap();
        let [chk, cnt] = ["chk", "plt_cnt"].map(|name| dir.path().join(format!("f_hdf5_{name}_0000")));
        let whole = fs::read(&chk).unwrap();
        let lengths = "f_hdf5_chk_0000: its variable dens is [9, 2, 2, 2] long, not [9, 3, 3, 3]";
        rejected(&again("--size 3 --blocks 6"), 4, lengths);
        fs::copy(&cnt, &chk).unwrap();
        rejected(&again(SHAPE), 4, "f_hdf5_chk_0000: its variable coordinates is not of Double");
        fs::write(&chk, &whole[..whole.len() - 40]).unwrap();
        rejected(&again(SHAPE), 4, "f_hdf5_chk_0000: HDF5: truncated file: eof = ");
        fs::write(&chk, "no HDF5 file, but long enough to be looked at").unwrap();
        rejected(&again(SHAPE), 4, "f_hdf5_chk_0000: it is no HDF5 file");
        fs::remove_file(&chk).unwrap();
        rejected(&again(SHAPE), 4, "./f_hdf5_chk_0000: No such file or directory");
        rejected(&flash(mpi, dir.path(), "-f nowhere/f_").unwrap(), 4, "nowhere: No such file or directory");
    }
}

/// HDF5 could neither close the file nor end with MPI. Of collective calls one rank may not come out: half
/// of the limit passes then, which is enough under one MPI.
#[test]
fn a_write_that_fails_ends_all_ranks_with_its_reason() {
    for mpi in able() {
        for mode in ["", "-i"].into_iter().filter(|mode| mpi == Mpi::Open || !mode.is_empty()) {
            let dir = tempfile::tempdir().unwrap();
            let words = format!("flash-io -f ./f_ --hdf5 --size 16 --guards 1 {mode} --record r");
            let Some(mut command) = mpi.command(dir.path(), 2, &words) else { continue };
            command.env("ASSAY_CALL_LIMIT", "10");
            let ran = run(&mut limited(&command, dir.path(), 80 << 10));
            rejected(&ran, 4, ": HDF5: ");
            let told =
                ran.err.contains("flash-io: checkpoint: rank ") && ran.err.contains(": ./f_hdf5_chk_0000: ");
            assert!(told || mode.is_empty(), "{ran:#?}");
            let records = fs::read_to_string(dir.path().join("r")).unwrap_or_default();
            assert!(!records.contains("\"phase\":\"checkpoint\""), "no numbers of what failed: {records}");
        }
    }
}
