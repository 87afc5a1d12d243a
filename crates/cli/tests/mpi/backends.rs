//! `assay backends`: each library with its properties, even if it fails when it is loaded.

use std::path::Path;
use std::process::Command;

use crate::common::{Mpi, assay, run};

/// The lines after `Libraries`.
fn libraries(out: &str) -> Vec<&str> {
    let (_, list) = out.split_once("\nLibraries\n").expect("a list of libraries");
    list.lines().map(str::trim).collect()
}

#[test]
fn each_hdf5_library_is_listed_with_its_version_and_the_mpi_it_is_usable_with() {
    for (mpi, usable, other, name) in
        [(Mpi::Open, "openmpi", "mpich", "libmpi.so.40"), (Mpi::Mpich, "mpich", "openmpi", "libmpich.so.12")]
    {
        let path = |built: &str| format!("/lib/x86_64-linux-gnu/libhdf5_{built}.so.103");
        if ![usable, other].iter().all(|built| Path::new(&path(built)).exists()) {
            println!("SKIPPED: a build of HDF5 is missing; `cargo xtask setup` installs both");
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let Some(mut command) = mpi.command(dir.path(), 1, "backends") else { continue };
        let out = run(&mut command).ok();
        let list = libraries(&out);
        let below = |built: &str| {
            let at = list.iter().position(|line| line.starts_with("HDF5") && line.ends_with(&path(built)));
            list[at.unwrap_or_else(|| panic!("{out}")) + 1]
        };
        assert_eq!(below(usable), format!("1.10.8 (Parallel); built on {name}: usable"));
        assert!(
            below(other).starts_with("1.10.8 (Parallel); built on ")
                && below(other).contains(": not usable with")
        );
        assert!(list[0].starts_with("MPI ") && list[1].contains(&format!("({name})")), "{out}");
    }
}

#[test]
fn a_library_that_aborts_or_is_not_hdf5_is_listed_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <stdlib.h>\n__attribute__((constructor)) void begin(void) { abort(); }\n";
    std::fs::write(dir.path().join("bad.c"), source).unwrap();
    let mut compile = Command::new("cc");
    compile.current_dir(dir.path()).args(["-shared", "-fPIC", "-o", "libhdf5.so.103", "bad.c"]);
    assert!(compile.status().expect("the compiler that linked the program").success());
    let listed = |hdf5: &str| {
        let mut command = assay(dir.path(), "backends");
        run(command.env("ASSAY_HDF5_LIBRARY", hdf5).env("ASSAY_PNETCDF_LIBRARY", "/nowhere")).ok()
    };
    let out = listed(dir.path().to_str().unwrap());
    assert!(out.contains("/libhdf5.so.103\n"), "{out}");
    assert!(out.contains("version unknown: the query ended with signal: 6"), "{out}");
    assert!(
        out.contains("ASSAY_PNETCDF_LIBRARY names /nowhere, which has none"),
        "the list continues: {out}"
    );
    let out = listed("/lib/x86_64-linux-gnu/libc.so.6");
    assert!(out.contains("has no symbol H5get_libversion; built without MPI: not usable"), "{out}");
}

#[test]
fn a_missing_mpi_is_reported_and_the_list_continues() {
    let dir = tempfile::tempdir().unwrap();
    let out = run(assay(dir.path(), "backends").env("ASSAY_MPI_LIBRARY", "/nowhere/libmpi.so")).ok();
    let list = libraries(&out);
    assert!(
        list[0].starts_with("MPI        not found: no MPI library was found: /nowhere/libmpi.so"),
        "{out}"
    );
    assert!(list.iter().any(|line| line.starts_with("HDF5 ")), "{out}");
}

#[test]
fn under_a_launcher_the_list_is_printed_once_and_help_lists_the_variables() {
    let dir = tempfile::tempdir().unwrap();
    for mpi in [Mpi::Open, Mpi::Mpich] {
        let Some(mut command) = mpi.command(dir.path(), 2, "backends") else { continue };
        let out = run(&mut command).ok();
        assert_eq!(out.matches("Backends\n").count(), 1, "{out}");
        assert!(libraries(&out)[0].starts_with("MPI "), "{out}");
    }
    let help = run(&mut assay(dir.path(), "backends --help")).ok();
    let names =
        ["ASSAY_MPI_LIBRARY", "ASSAY_HDF5_LIBRARY", "ASSAY_PNETCDF_LIBRARY", "MPI_HOME", "PNETCDF_DIR"];
    names.iter().for_each(|name| assert!(help.contains(name), "{name}: {help}"));
}
