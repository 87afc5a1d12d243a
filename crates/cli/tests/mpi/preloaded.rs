//! A preloaded library that wraps functions of MPI sees the calls of `ior`, under every MPI, and finds the
//! functions that it wraps.

use std::path::Path;

use crate::common::witness::{WitnessedCalls, recorded_ops};
use crate::common::{Mpi, mpis, only_in_all};

/// The calls of `ior WORDS` on two ranks, and the transfers in its records; `None` without this MPI.
fn witnessed(mpi: Mpi, dir: &Path, words: &str) -> Option<(WitnessedCalls, [u64; 2])> {
    let line = format!("ior -w -r -t 4k -b 64k -s 2 -i 2 -e --record r {words}");
    let (ran, calls) =
        WitnessedCalls::from_run(&mut mpi.command(dir, 2, &line)?, &dir.canonicalize().unwrap().join("d"));
    ran.ok();
    Some((calls, ["write", "read"].map(|phase| recorded_ops(&dir.join("r"), phase))))
}

#[test]
fn each_open_transfer_sync_and_close_of_mpi_io_is_seen() {
    for &mpi in mpis() {
        for (words, write, read) in [
            ("", "MPI_File_write_at", "MPI_File_read_at"),
            ("-c", "MPI_File_write_at_all", "MPI_File_read_at_all"),
            ("-c --mpiio.useFileView", "MPI_File_write_all", "MPI_File_read_all"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir(dir.path().join("d")).unwrap();
            let words = format!("-a MPIIO -o d/f {words}");
            let Some((calls, ops)) = witnessed(mpi, dir.path(), &words) else { continue };
            assert_eq!(ops, [128, 128], "{mpi:?} {words}");
            assert_eq!([write, read].map(|name| calls.count(&[name])), ops, "{mpi:?} {words}: {calls:?}");
            let rest = ["MPI_Init_thread", "MPI_File_open", "MPI_File_close", "MPI_File_sync"];
            // Two ranks, two repetitions and two phases; only the writes are synced.
            assert_eq!(rest.map(|name| calls.count(&[name])), [2, 8, 8, 4], "{mpi:?} {words}: {calls:?}");
        }
    }
}

#[test]
fn transfers_of_ranks_under_mpi_without_mpi_io_are_seen_as_calls_of_the_c_library() {
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("d")).unwrap();
        let Some((calls, ops)) = witnessed(mpi, dir.path(), "-o d/f") else { continue };
        assert_eq!(["pwrite64", "pread64"].map(|name| calls.count(&[name])), ops, "{mpi:?}: {calls:?}");
        assert_eq!(calls.count(&["open64"]), 8, "{mpi:?}: {calls:?}");
    }
}

#[test]
fn each_open_transfer_and_close_of_hdf5_and_pnetcdf_is_seen() {
    if !only_in_all("the default set has MPI-IO") {
        return;
    }
    let hdf5 = ["H5Fcreate", "H5Fopen", "H5Fclose", "H5Dwrite", "H5Dread"];
    let pnetcdf =
        ["ncmpi_create", "ncmpi_open", "ncmpi_close", "ncmpi_put_vara_schar_all", "ncmpi_get_vara_schar_all"];
    // Debian has PnetCDF on Open MPI only.
    for (mpi, api, names) in
        [(Mpi::Open, "HDF5", hdf5), (Mpi::Mpich, "HDF5", hdf5), (Mpi::Open, "NCMPI", pnetcdf)]
    {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("d")).unwrap();
        let Some((calls, [writes, reads])) = witnessed(mpi, dir.path(), &format!("-a {api} -c -o d/f"))
        else {
            continue;
        };
        let counts = names.map(|name| calls.count(&[name]));
        assert_eq!(counts, [4, 4, 8, writes, reads], "{mpi:?} {api}: {calls:?}");
    }
}
