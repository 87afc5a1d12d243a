//! Failures of the HDF5 backend: one line of error, and the end of all ranks together.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::hdf5::{able, is_status_of_failure, limited};
use crate::common::{Mpi, Ran, run};

const SHAPE: &str = "-k -G 77 -b 64k -t 16k -s 2";

fn hdf5(mpi: Mpi, dir: &Path, words: &str) -> Option<Ran> {
    mpi.ior(dir, 2, &format!("-a HDF5 {words}"))
}

/// Asserts that the run failed with one line that ends with `why`.
fn rejected(ran: &Ran, status: i32, why: &str) {
    assert_eq!((ran.status, ran.complaints().len()), (Some(status), 1), "{ran:#?}");
    assert!(ran.complaints()[0].contains(why), "{why}: {ran:#?}");
}

/// Asserts the same of a run that one rank ended for all.
fn ended(mpi: Mpi, ran: &Ran, why: &str) {
    assert!(is_status_of_failure(mpi, ran.status), "{ran:#?}");
    rejected(ran, ran.status.unwrap(), why);
}

#[test]
fn a_file_of_another_shape_is_rejected() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = hdf5(mpi, dir.path(), &format!("-w {SHAPE} -o f")) else { continue };
        ran.ok();
        let read = |words: &str| hdf5(mpi, dir.path(), &format!("-r -k {words}")).unwrap();
        let extent =
            "Dataset-0000.0000: it has 131072 bytes instead of 65536; give the -b and the number of ranks";
        rejected(&read("-b 32k -t 16k -o f"), 4, extent);
        // The rank that comes first reports it.
        let missing = ": Dataset-0000.0002: the file has no such dataset";
        rejected(&read("-b 64k -t 16k -s 3 -o f"), 4, missing);
        rejected(&read("-c -b 64k -t 16k -s 3 -o f"), 4, missing);
        rejected(&read("-b 64k -t 16k -o nothing"), 4, "cannot open nothing: No such file");

        fs::write(dir.path().join("text"), "not an HDF5 file, but long enough for the check").unwrap();
        rejected(&read("-b 64k -t 16k -o text"), 4, "cannot open text: it is not an HDF5 file");
        let ran = hdf5(mpi, dir.path(), "-w -E -k -b 64k -t 16k -o text").unwrap();
        rejected(&ran, 4, "cannot create text: it is not an HDF5 file");
        assert!(
            fs::read_to_string(dir.path().join("text")).unwrap().starts_with("not an HDF5"),
            "the file is unchanged"
        );

        let whole = fs::read(dir.path().join("f")).unwrap();
        fs::write(dir.path().join("cut"), &whole[..150_000]).unwrap();
        rejected(
            &read("-b 64k -t 16k -s 2 -o cut"),
            4,
            "cannot open cut: HDF5: truncated file: eof = 150000",
        );
    }
}

#[test]
fn elements_of_another_type_are_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let shape = "PATH Dataset-0000.0000\nINPUT-CLASS TEXTIN\nINPUT-SIZE 32\nRANK 1\nDIMENSION-SIZES 4\n\
                 OUTPUT-CLASS IN\nOUTPUT-SIZE 32\n";
    fs::write(dir.path().join("shape"), shape).unwrap();
    fs::write(dir.path().join("numbers"), "1 2 3 4\n").unwrap();
    let mut import = Command::new("h5import");
    let Ok(done) = import.current_dir(dir.path()).args(["numbers", "-c", "shape", "-o", "f"]).status() else {
        println!("SKIPPED: h5import is missing; `cargo xtask setup` installs it");
        return;
    };
    assert!(done.success());
    for mpi in able() {
        let Some(ran) = hdf5(mpi, dir.path(), "-r -k -b 16 -t 8 -o f") else { continue };
        rejected(&ran, 4, "Dataset-0000.0000: its elements are not 64-bit integers");
    }
}

#[test]
fn contradictory_options_are_rejected_before_the_start() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        for (words, why) in [
            ("-z -b 64k -t 16k", "-z does not work with HDF5"),
            ("-b 20 -t 20", "must be a multiple of 8"),
            ("--hdf5.individualDataSets -c", "--hdf5.individualDataSets: no call on the dataset of one rank"),
            ("--hdf5.setAlignment=0", "--hdf5.setAlignment=0: give 1 or more"),
            ("--hdf5.chunkSize=16385 -b 64k -t 64k", "must fit into a dataset"),
            ("--hdf5.hintsFileName=nothing", "--hdf5.hintsFileName=nothing: No such file"),
        ] {
            let Some(ran) = hdf5(mpi, dir.path(), &format!("-w -o f {words}")) else { continue };
            rejected(&ran, 2, why);
            assert!(!dir.path().join("f").exists(), "{words}");
        }
    }
}

#[test]
fn an_existing_file_is_overwritten_in_place_with_e() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), "").unwrap();
        let line = |words: &str| hdf5(mpi, dir.path(), &format!("{SHAPE} -o f {words}"));
        let Some(ran) = line("-w -E") else { continue };
        ran.ok();
        let before = fs::metadata(dir.path().join("f")).unwrap().len();
        line("-w -E -s 3").unwrap().ok();
        line("-w -E").unwrap().ok();
        let after = fs::metadata(dir.path().join("f")).unwrap().len();
        assert!(after > before, "the third segment remains: {before} and {after} bytes");
        assert!(line("-r -R -s 3").unwrap().ok().contains("all as written"));
    }
}

/// Independent ranks stop at different transfers, collective ones after the same transfer.
#[test]
fn a_deadline_ends_all_ranks() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let line = |words: &str| hdf5(mpi, dir.path(), &format!("-w -D 1 --hdf5.noFill -o f {words}"));
        let Some(ran) = line("-b 64m -t 64k -s 4") else { continue };
        assert!(ran.ok().contains("stonewallingTime    : 1"));
        line("-c -b 64m -t 8k -s 2 -O savePerOpDataCSV=log").unwrap().ok();
        let rows = [0, 1].map(|rank| {
            let log = fs::read_to_string(dir.path().join(format!("log-0-{rank:05}.csv"))).unwrap();
            log.lines().count()
        });
        assert!(rows[0] == rows[1] && rows[0] > 1, "both ranks made the same number of transfers: {rows:?}");
    }
}

#[test]
fn transfers_that_the_library_made_independently_are_reported_with_the_numbers() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let words = format!("ior -a HDF5 -c -w {SHAPE} -o f");
        let Some(mut command) = mpi.command(dir.path(), 2, &words) else { continue };
        // A switch of HDF5 that makes it distrust the derived types of MPI.
        let out = run(command.env("HDF5_MPI_OPT_TYPES", "0")).ok();
        let warning = "assay: warning: wr: 16 of 16 transfers were not collective, although -c was given";
        assert!(out.contains(warning), "{out}");
        assert!(!run(&mut mpi.command(dir.path(), 2, &words).unwrap()).ok().contains("not collective"));
    }
}

/// Most of the data, and all data of rank 1, is beyond the largest allowed file size. HDF5 could then neither
/// flush nor close the file, and would try again at the end of MPI.
#[test]
fn a_failed_write_on_one_rank_ends_all_ranks_with_its_reason() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let line = |words: &str| {
            let line = format!("ior -a HDF5 -w --hdf5.noFill -b 300m -t 1m -o f {words}");
            let mut command = mpi.command(dir.path(), 2, &line)?;
            command.env("ASSAY_CALL_LIMIT", "10");
            Some(run(&mut limited(&command, dir.path(), 512 << 10)))
        };
        let Some(ran) = line("") else { continue };
        ended(mpi, &ran, "ior: write: rank ");
        assert!(
            ran.complaints()[0].contains("): f at ") && ran.complaints()[0].contains(": HDF5: "),
            "{ran:#?}"
        );
        assert!(!dir.path().join("f").exists(), "the file of the failed write is removed");
        ended(mpi, &line("-e").unwrap(), ": HDF5: ");
        let ran = line("-c").unwrap();
        ended(mpi, &ran, ": HDF5: ");
        let waited = "Other ranks were still inside the library after 5 s";
        assert!(mpi != Mpi::Mpich || ran.err.contains(waited), "rank 0 stays in the library: {ran:#?}");
    }
}
