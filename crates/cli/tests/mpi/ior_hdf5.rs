//! The HDF5 backend under real MPIs, with Debian's libraries. `h5dump` reads the written data, which must
//! equal the data that the same command line writes with POSIX.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::hdf5::{able, is_here};
use crate::common::{Mpi, Ran, assay, ior, only_in_all, run};

/// Each rank has two blocks of 64 KiB, in transfers of 16 KiB.
const SHAPE: &str = "-k -G 77 -b 64k -t 16k -s 2";
const SEGMENTS: usize = 2;
const BLOCK: usize = 64 << 10;

fn hdf5(mpi: Mpi, dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
    mpi.ior(dir, ranks, &format!("-a HDF5 {words}"))
}

/// The data of an HDF5 file, dataset after dataset, as `h5dump` reads it. Each segment has `sets` datasets.
fn dumped(dir: &Path, file: &str, sets: u32) -> Vec<u8> {
    let mut all = Vec::new();
    let names =
        (0..SEGMENTS).flat_map(|segment| (0..sets).map(move |rank| format!("{rank:04}.{segment:04}")));
    for name in names {
        let mut command = Command::new("h5dump");
        let set = format!("Dataset-{name}");
        command.current_dir(dir).args(["-d", &set, "-b", "LE", "-o", "raw", file]).stdout(Stdio::null());
        assert!(command.status().unwrap().success(), "{file}: {set}");
        all.extend(fs::read(dir.join("raw")).unwrap());
        fs::remove_file(dir.join("raw")).unwrap();
    }
    all
}

/// The names of the files of a run.
fn files(ranks: u32, per_rank: bool) -> Vec<String> {
    if per_rank { (0..ranks).map(|rank| format!("f.{rank:08}")).collect() } else { vec!["f".to_owned()] }
}

/// Asserts that `h5dump` reads the same data from HDF5 as the command line writes with POSIX.
fn same_as_posix(mpi: Mpi, ranks: u32, words: &str) {
    let (dir, posix) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let shared = if words.contains("-F") { "-F" } else { "" };
    ior(posix.path(), ranks, &format!("-w {SHAPE} {shared} -o f")).ok();
    let Some(ran) = hdf5(mpi, dir.path(), ranks, &format!("-w -W -r -R {SHAPE} {words} -o f")) else {
        return;
    };
    let what = format!("{mpi:?}, {ranks} ranks, {words}");
    assert_eq!(ran.status, Some(0), "{what}: {ran:#?}");
    assert_eq!(ran.out.matches(", all as written").count(), 2, "{what}: {ran:#?}");
    assert!(!ran.out.contains("WARNING") && !ran.out.contains("not collective"), "{what}: {ran:#?}");
    let sets = if words.contains("individual") && shared.is_empty() { ranks } else { 1 };
    for file in files(ranks, !shared.is_empty()) {
        let written = fs::read(posix.path().join(&file)).unwrap();
        assert!(dumped(dir.path(), &file, sets) == written, "{what}: {file} has other data than with POSIX");
    }
}

const SHAPES: [&str; 11] = [
    "",
    "-c",
    "-F",
    "-c -F",
    "--hdf5.chunkSize=1024",
    "-c --hdf5.chunkSize 8192 --hdf5.collectiveMetadata",
    "-F --hdf5.chunkSize=4096 --hdf5.noFill",
    "-c -F --hdf5.chunkSize=1024 -e",
    "--hdf5.individualDataSets -Z",
    "--hdf5.individualDataSets --hdf5.chunkSize=1024 --hdf5.noFill -e",
    "-c -F --hdf5.individualDataSets",
];

#[test]
fn the_data_under_open_mpi_equals_that_of_posix() {
    if !only_in_all("the default set has it under MPICH") {
        return;
    }
    for mpi in able().filter(|mpi| *mpi == Mpi::Open) {
        for ranks in [1, 2, 4] {
            SHAPES.iter().for_each(|words| same_as_posix(mpi, ranks, words));
        }
    }
}

#[test]
fn the_data_under_mpich_equals_that_of_posix() {
    for mpi in able().filter(|mpi| *mpi == Mpi::Mpich) {
        for ranks in [1, 2] {
            SHAPES.iter().for_each(|words| same_as_posix(mpi, ranks, words));
        }
        for words in ["", "-c --hdf5.chunkSize=1024 -g", "--hdf5.individualDataSets -Z"] {
            same_as_posix(mpi, 4, words);
        }
    }
}

#[test]
fn a_file_with_datasets_of_single_ranks_is_written_again_in_place_and_read_only_as_such() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let line = |words: &str| hdf5(mpi, dir.path(), 2, &format!("{SHAPE} -o f {words}"));
        let Some(ran) = line("-w --hdf5.individualDataSets") else { continue };
        ran.ok();
        line("-w -E -W --hdf5.individualDataSets").unwrap().ok();
        assert!(line("-r -R --hdf5.individualDataSets").unwrap().ok().contains("all as written"));
        let whole = line("-r").unwrap();
        assert_eq!(whole.status, Some(4), "{whole:#?}");
        assert!(whole.err.contains("Dataset-0000.0000: it has 65536 bytes instead of 131072"), "{whole:#?}");
        line("-w").unwrap().ok();
        let parts = line("-r --hdf5.individualDataSets").unwrap();
        assert_eq!(parts.status, Some(4), "{parts:#?}");
        assert!(parts.err.contains("Dataset-000"), "{parts:#?}");
    }
}

#[test]
fn options_reach_the_file() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let words =
            "-w -k -b 64k -t 16k -e -Y --hdf5.setAlignment=4k --hdf5.noFill --hdf5.chunkSize=1024 -o f";
        let Some(ran) = hdf5(mpi, dir.path(), 2, words) else { continue };
        let out = ran.ok();
        assert!(out.contains("apiVersion          : 1.10.8 (Parallel)\n"), "{out}");
        let said = Command::new("h5dump").current_dir(dir.path()).args(["-pH", "f"]).output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout);
        assert!(
            said.contains("CHUNKED ( 1024 )") && said.contains("FILL_TIME H5D_FILL_TIME_NEVER"),
            "{said}"
        );
        hdf5(mpi, dir.path(), 2, "-w -k -b 64k -t 16k --hdf5.setAlignment=4k -o g").unwrap().ok();
        let said = Command::new("h5dump").current_dir(dir.path()).args(["-pH", "g"]).output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout);
        assert!(said.contains("CONTIGUOUS") && said.contains("H5D_FILL_TIME_IFSET"), "{said}");
        let at = said.split("OFFSET ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
        assert!(at.trim().parse::<u64>().unwrap().is_multiple_of(4096), "{said}");
    }
}

#[test]
fn hints_are_passed_and_returned() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("hints"), "IOR_HINT__MPI__cb_nodes=1\n").unwrap();
        let words = "-w -b 64k -t 64k -o f --hdf5.hintsFileName=hints --hdf5.showHints";
        let Some(ran) = hdf5(mpi, dir.path(), 2, words) else { continue };
        let out = ran.ok();
        assert!(out.contains("\nhints passed to access property list {\n\tcb_nodes = 1\n}\n"), "{out}");
        let returned =
            out.split_once("\nhints returned from opened file {\n").expect("both lists are shown").1;
        let returned = returned.split_once("}\n").expect("the end of the list").0;
        // ROMIO returns the hints in effect; OMPIO returns other ones.
        assert!(mpi == Mpi::Open || returned.contains("\tcb_nodes = 1\n"), "{out}");
    }
}

/// The same data with POSIX shows its place in the file without this program.
#[test]
fn a_flipped_bit_is_reported_with_its_place_in_data_and_file() {
    for mpi in able() {
        let (dir, posix) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let shape = format!("{SHAPE} -l stamped -o f");
        ior(posix.path(), 2, &format!("-w {shape}")).ok();
        let Some(ran) = hdf5(mpi, dir.path(), 2, &format!("-w {shape}")) else { continue };
        ran.ok();
        let data = fs::read(posix.path().join("f")).unwrap();
        let mut file = fs::read(dir.path().join("f")).unwrap();
        // In the second segment, in the block of rank 1.
        let offset = 3 * BLOCK + 5000;
        let piece = &data[offset..offset + 64];
        let places: Vec<usize> = (0..file.len()).filter(|at| file[*at..].starts_with(piece)).collect();
        assert_eq!(places.len(), 1, "stamped data is unique");
        let at = places[0];
        file[at] ^= 4;
        fs::write(dir.path().join("f"), &file).unwrap();
        let ran = hdf5(mpi, dir.path(), 2, &format!("-r -R {shape}")).unwrap();
        assert_eq!(ran.status, Some(4), "{ran:#?}");
        let element = (BLOCK + 5000) / 8;
        let place = format!("element {element} of Dataset-0000.0001 at {at} of the file");
        let line = ran.out.lines().find(|line| line.starts_with("assay: rank ")).expect("a warning");
        assert!(line.starts_with(&format!("assay: rank 1: f at {offset}: 8 bytes flipped")), "{line}");
        assert!(line.contains(&place), "{line}, and {place}");
    }
}

#[test]
fn a_library_on_another_mpi_is_rejected_by_all_ranks_before_a_file_is_created() {
    for (mpi, mpi_library, other, needed) in [
        (Mpi::Mpich, "libmpich.so.12", "libhdf5_openmpi.so.103", "libmpi.so.40"),
        (Mpi::Open, "libmpi.so.40", "libhdf5_mpich.so.103", "libmpich.so.12"),
    ] {
        if !is_here(other) {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), "precious").unwrap();
        let Some(mut command) = mpi.command(dir.path(), 2, "ior -a HDF5 -w -o f --record r") else {
            continue;
        };
        let library = format!("/usr/lib/x86_64-linux-gnu/{other}");
        let ran = run(command.env("ASSAY_HDF5_LIBRARY", &library));
        assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{ran:#?}");
        let line = format!(
            "ior: the ranks run on {mpi_library}, but {library} is built on {needed}. Start them with the \
             mpirun of that MPI, or set ASSAY_HDF5_LIBRARY"
        );
        assert!(ran.complaints()[0].starts_with(&line), "{ran:#?}");
        assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "precious");
        assert!(!dir.path().join("r").exists(), "no results are written either");
        let mut command = mpi.command(dir.path(), 2, "ior -a HDF5 -w -o f").unwrap();
        let ran = run(command.env("ASSAY_HDF5_LIBRARY", "/nowhere/libhdf5.so"));
        assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{ran:#?}");
        assert!(ran.complaints()[0].contains("names /nowhere/libhdf5.so, which has none"), "{ran:#?}");
        assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "precious");
    }
}

/// A single rank needs no launcher. It finds MPI first, then the library.
#[test]
fn a_single_rank_writes_and_reads() {
    if !able().any(|mpi| mpi == Mpi::Mpich) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 1, &format!("-w {SHAPE} -o p")).ok();
    let out = run(&mut assay(dir.path(), &format!("ior -a HDF5 -w -r -R {SHAPE} -o f"))).ok();
    assert!(out.contains("all as written"), "{out}");
    assert!(dumped(dir.path(), "f", 1) == fs::read(dir.path().join("p")).unwrap());
}
