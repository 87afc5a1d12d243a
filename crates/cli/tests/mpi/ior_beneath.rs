//! Problems of the file system that parallel libraries do not report, but assay does: short files, full or
//! exchanged file systems, ignored hints.

use std::fs::{File, read, write};
use std::path::Path;
use std::process::Command;

use crate::common::campaign::{SmallFs, until};
use crate::common::{Mpi, Ran, assay, by_set, ior, run};
use serde_json::Value;

/// A library for MPI-IO: its name, its MPI, and its name in Open MPI.
const LIBRARIES: [(&str, Mpi, &str); 3] = [
    ("ompio", Mpi::Open, "ompio"),
    ("ROMIO of Open MPI", Mpi::Open, "romio321"),
    ("ROMIO of MPICH", Mpi::Mpich, ""),
];

/// Modes of reads: independent or collective, with or without file views.
const WAYS: [&str; 6] = ["", "-c", "-V", "-c -V", "-S -V", "-c -S -V"];

/// Each library with each mode; in the default set with two modes, other ones for each library.
fn ways() -> impl Iterator<Item = ((&'static str, Mpi, &'static str), &'static str)> {
    let modes = |library: usize| &WAYS[by_set(2 * library..2 * library + 2, 0..WAYS.len())];
    (0..LIBRARIES.len())
        .flat_map(move |library| modes(library).iter().map(move |way| (LIBRARIES[library], *way)))
}

fn command(library: (&str, Mpi, &str), dir: &Path, words: &str) -> Option<Command> {
    let mut command = library.1.command(dir, 2, &format!("ior {words}"))?;
    command.env("OMPI_MCA_io", library.2);
    Some(command)
}

/// Runs `ior WORDS` on two ranks under a library; `None` without its MPI.
fn under(library: (&str, Mpi, &str), dir: &Path, words: &str) -> Option<Ran> {
    Some(run(&mut command(library, dir, words)?))
}

/// The records of one kind in `r`.
fn records(dir: &Path, kind: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join("r")).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["record"] == kind).collect()
}

/// Writes a file with two segments of 1 MB for each of two ranks, and truncates it to `bytes`.
fn cut(dir: &Path, bytes: u64) {
    ior(dir, 2, "-w -k -G 7 -b 1m -t 256k -s 2 -o cut").ok();
    File::options().write(true).open(dir.join("cut")).unwrap().set_len(bytes).unwrap();
}

#[test]
fn a_read_of_a_short_file_has_no_bandwidth_in_any_mode() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for ((library, way), bytes) in ways().zip([1000, 2_000_000, 3_145_728].into_iter().cycle()) {
        cut(dir, bytes);
        let words = format!("-a MPIIO {way} -r -k -b 1m -t 256k -s 2 -o cut");
        let Some(ran) = under(library, dir, &words) else { continue };
        let context = format!("{} {way}, {bytes} bytes: {ran:#?}", library.0);
        assert_eq!(ran.status, Some(4), "{context}");
        assert!(ran.err.contains("end of file: moved "), "{context}");
    }
}

#[test]
fn the_existing_part_of_a_short_file_is_compared_and_the_rest_is_truncated() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for ((library, way), bytes) in ways().zip([2_000_000, 3_245_728].into_iter().cycle()) {
        cut(dir, bytes);
        let words = format!("-a MPIIO {way} -R -k -G 7 -b 1m -t 256k -s 2 -o cut --record r");
        let Some(ran) = under(library, dir, &words) else { continue };
        let context = format!("{} {way}, {bytes} bytes: {ran:#?}", library.0);
        assert_eq!(ran.status, Some(4), "{context}");
        let phase = &records(dir, "phase")[0];
        assert_eq!(phase["bytes"].as_u64(), Some(bytes), "{context} {phase}");
        let bad = phase["check"]["bad"].as_array().unwrap();
        assert!(bad.iter().all(|range| range["kind"] == "truncated"), "{context} {phase}");
        std::fs::remove_file(dir.join("r")).unwrap();
    }
}

#[test]
fn a_complete_part_of_a_short_file_is_read_without_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // The first transfer of the first block of each rank exists.
    cut(dir, (1 << 20) + (256 << 10));
    for way in ["-c -V", "-V"] {
        let words =
            format!("-a MPIIO {way} -r -k -b 1m -t 256k -s 2 -o cut -O stoneWallingWearOutIterations=1");
        let Some(ran) = under(LIBRARIES[2], dir, &words) else { continue };
        ran.ok();
    }
}

#[test]
fn with_u_each_rank_has_a_directory_with_parallel_libraries_too() {
    for (library, backend) in [(LIBRARIES[0], "MPIIO"), (LIBRARIES[2], "MPIIO"), (LIBRARIES[0], "HDF5")] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        std::fs::create_dir(dir.join("u")).unwrap();
        let words = format!("-a {backend} -F -u -w -r -k -b 64k -t 16k -o u/f");
        let Some(ran) = under(library, dir, &words) else { continue };
        ran.ok();
        for name in ["u/0/f.00000000", "u/1/f.00000001"] {
            assert!(read(dir.join(name)).unwrap().len() >= 65536, "{backend}: {name}");
        }
    }
}

#[test]
fn a_file_system_unmounted_between_repetitions_fails_the_run_and_foreign_files_remain() {
    for backend in ["POSIX", "MPIIO"] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let below = dir.join("m");
        std::fs::create_dir(&below).unwrap();
        write(below.join("f"), "of another user").unwrap();
        let Some(mounted) = SmallFs::mount(&below, "8m") else { return };
        let words = format!("-a {backend} -w -k -d 3 -i 3 -b 64k -t 16k -o m/f --record r");
        let command = match backend {
            "POSIX" => Some(assay(dir, &format!("-n 2 ior {words}"))),
            _ => command(LIBRARIES[2], dir, &words),
        };
        let Some(mut command) = command else { continue };
        let ran = std::thread::scope(|scope| {
            let ran = scope.spawn(|| run(&mut command));
            let written =
                || std::fs::read_to_string(dir.join("r")).is_ok_and(|text| text.contains("\"write\""));
            until("a phase's record", written);
            drop(mounted);
            ran.join().unwrap()
        });
        assert_eq!(ran.status, Some(4), "{backend}: {ran:#?}");
        assert!(ran.err.contains("is not on the same file system as at the start"), "{backend}: {ran:#?}");
        assert_eq!(read(below.join("f")).unwrap(), b"of another user", "{backend}");
    }
}

#[test]
fn a_full_file_system_that_the_library_does_not_report_fails_the_write() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let below = dir.join("m");
    std::fs::create_dir(&below).unwrap();
    let Some(_mounted) = SmallFs::mount(&below, "8m") else { return };
    write(below.join("fill"), vec![0; 2_300_000]).unwrap();
    for (backend, more) in [("MPIIO", "-c -S -V"), ("MPIIO", "-c -V"), ("MPIIO", ""), ("NCMPI", "-c")] {
        for _ in 0..by_set(1, 3) {
            let words = format!("-a {backend} {more} -b 1m -t 1m -s 4 -G 5 -w -k -o m/x");
            let Some(ran) = under(LIBRARIES[0], dir, &words) else { continue };
            assert_eq!(ran.status, Some(4), "{backend} {more}: {ran:#?}");
            let _ = std::fs::remove_file(below.join("x"));
        }
    }
}

#[test]
fn a_file_with_holes_has_lost_data_only_on_a_full_file_system() {
    let dir = tempfile::tempdir().unwrap();
    let Some(_mounted) = SmallFs::mount(dir.path(), "8m") else { return };
    let path = dir.path().join("holes");
    let mut bytes = vec![1; 1 << 20];
    write(&path, &bytes).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(4 << 20).unwrap();
    assert_eq!(
        storage::stored_before_full(&path, 4 << 20).unwrap(),
        None,
        "with free space the data may be written later"
    );
    bytes.resize(6 << 20, 1);
    write(dir.path().join("fill"), &bytes).unwrap();
    assert_eq!(storage::stored_before_full(&path, 4 << 20).unwrap(), Some(1 << 20));
    assert_eq!(storage::stored_before_full(&path, 1 << 20).unwrap(), None, "all written data exists");
}

#[test]
fn hints_that_the_library_ignored_are_reported_once() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for backend in ["MPIIO", "HDF5"] {
        let words = format!("-a {backend} -w -r -k -i 2 -b 64k -t 16k -o f");
        let Some(mut command) = command(LIBRARIES[2], dir, &words) else { continue };
        command.env("IOR_HINT__MPI__nonsense", "7").env("IOR_HINT__MPI__cb_nodes", "2");
        let text = run(&mut command).ok();
        let wanted = "warning: the library ignored nonsense; cb_nodes is 1 instead of 2 (iter 0)\n";
        assert_eq!(text.matches(wanted).count(), 1, "{backend}: {text}");
        assert!(!text.contains("hints passed to"), "{backend}: hints are shown only on request: {text}");
    }
}

#[test]
fn an_error_of_the_system_is_reported_instead_of_that_of_the_library() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir.join("empty"), "").unwrap();
    std::fs::create_dir(dir.join("full")).unwrap();
    std::fs::create_dir(dir.join("d")).unwrap();
    let Some(_mounted) = SmallFs::mount(&dir.join("full"), "1m") else { return };
    std::fs::create_dir(dir.join("sealed")).unwrap();
    let Some(_sealed) = SmallFs::mount(&dir.join("sealed"), "1m,ro") else { return };
    let shape = "-k -b 1m -t 1m";
    for (library, backend) in
        [(0, "MPIIO"), (1, "MPIIO"), (2, "MPIIO"), (0, "HDF5"), (2, "HDF5"), (0, "NCMPI")]
    {
        let per_process = if backend == "NCMPI" { "" } else { "-F" };
        for (words, why) in [
            (format!("-w {per_process} -o no/such/f"), "No such file or directory"),
            (format!("-w {per_process} -o sealed/f"), "Read-only file system"),
            ("-w -E -o d".to_owned(), "Is a directory"),
        ] {
            let Some(ran) = under(LIBRARIES[library], dir, &format!("-a {backend} {shape} {words}")) else {
                continue;
            };
            let complaints = ran.complaints();
            assert!(
                ran.status == Some(4) && complaints.len() == 1 && complaints[0].ends_with(why),
                "{backend} {words}: {ran:#?}"
            );
        }
        if backend == "MPIIO" {
            let words = format!("-a MPIIO -w {shape} -t 512k -o full/f");
            let Some(ran) = under(LIBRARIES[library], dir, &words) else { continue };
            let complaints = ran.complaints();
            assert!(
                ran.status == Some(4) && complaints[0].to_lowercase().contains("no space left"),
                "{ran:#?}"
            );
            let _ = std::fs::remove_file(dir.join("full/f"));
        }
    }
    let Some(ran) = under(LIBRARIES[0], dir, &format!("-a NCMPI -r {shape} -o empty")) else { return };
    // Rank 0 finds it, and any rank may be the first to fail by that.
    let line = ran.complaints()[0].trim_end_matches(" (rank 0)");
    assert!(line.ends_with("cannot open empty: it is empty and therefore not a PnetCDF file"), "{ran:#?}");
}

#[test]
fn no_deletion_is_announced_for_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    let posix = Some(ior(dir.path(), 2, "-w -o d"));
    for ran in [posix, under(LIBRARIES[2], dir.path(), "-a MPIIO -w -o d")].into_iter().flatten() {
        assert_eq!(ran.status, Some(4), "{ran:#?}");
        assert!(!ran.out.contains("will be deleted"), "{ran:#?}");
        assert!(ran.complaints()[0].contains("is a directory and is not removed"), "{ran:#?}");
    }
}

#[test]
fn strides_without_a_view_give_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a MPIIO -w -b 64k -t 16k -o f --mpiio.useStridedDatatype";
    let note = "--mpiio.useStridedDatatype has no effect without --mpiio.useFileView";
    let Some(ran) = under(LIBRARIES[2], dir.path(), words) else { return };
    assert!(ran.status == Some(0) && ran.err.contains(note), "{ran:#?}");
    let Some(ran) = under(LIBRARIES[2], dir.path(), &format!("{words} --mpiio.useFileView")) else { return };
    assert!(ran.status == Some(0) && !ran.err.contains(note), "{ran:#?}");
}
