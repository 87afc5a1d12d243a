//! Every option and directive in the help has a row in `ior_options/` that checks its effect: in the files,
//! the system calls, the records, the output, or the exit status.
//!
//! A row runs once for each form of its option: letter, word and directives.

mod backends;
mod flags;
mod retired;
mod values;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::common::listed::listed;
use crate::common::options::{CEPHFS, Classic, Row, secret};
use crate::common::{assay, program, run};

/// A directory holds the file `old` (1 MiB of zeros), the file `short` (500 KiB), a script, a file of hints,
/// a key, and directories `d0` to `d3`.
const IOR: Classic = Classic {
    name: "ior",
    // MPI without a launcher has one rank.
    ranks: |words| if needs_mpi(words).is_some() { "1" } else { "2" },
    prepare: |dir| {
        std::fs::write(dir.join("old"), vec![0; 1 << 20]).unwrap();
        secret(&dir.join("secret"));
        std::fs::write(dir.join("short"), vec![0; 512_000]).unwrap();
        std::fs::write(dir.join("hints"), "IOR_HINT__MPI__cb_nodes=1\n").unwrap();
        std::fs::write(dir.join("script"), "IOR START\nRUN\nRUN\nIOR STOP\n").unwrap();
        (0..4).for_each(|socket| std::fs::create_dir(dir.join(format!("d{socket}"))).unwrap());
    },
    equip: |command, words| choose_mpi(command, needs_mpi(words).unwrap_or_default()),
};

/// The backend of a command line, if it needs MPI ranks.
fn needs_mpi(words: &str) -> Option<&'static str> {
    ["MPIIO", "HDF5", "NCMPI"].into_iter().find(|name| words.contains(&format!("-a {name}")))
}

/// Whether the libraries of this backend are installed. If not, prints that its rows are skipped.
fn is_here(backend: &str) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let mut command = assay(dir.path(), &format!("-n 1 ior -a {backend} -w -b 64k -t 64k -o f"));
    choose_mpi(&mut command, backend);
    let here = run(&mut command).status == Some(0);
    if !here {
        println!(
            "SKIPPED: no library for {backend}, so no test of its options; `cargo xtask setup` installs one"
        );
    }
    here
}

/// Debian has PnetCDF for one MPI only, and this is not the first MPI that is found.
fn choose_mpi(command: &mut Command, backend: &str) {
    if backend == "NCMPI" {
        command.env("ASSAY_MPI_LIBRARY", "libmpi.so.40");
    }
}

/// Runs every row in every form of its option.
fn walk(rows: &[Row]) {
    // A rejected command line needs no library.
    let needed = rows.iter().filter(|row| row.status == 0).filter_map(|row| needs_mpi(row.words));
    let missing: BTreeSet<_> =
        BTreeSet::from_iter(needed).into_iter().filter(|name| !is_here(name)).collect();
    let lacks =
        |row: &Row| row.status == 0 && needs_mpi(row.words).is_some_and(|name| missing.contains(name));
    IOR.walk(rows.iter().filter(|row| !lacks(row)));
}

#[test]
fn options_of_the_help_and_rows_agree() {
    IOR.has_a_row_for_every_option(&[flags::ROWS, values::ROWS, backends::ROWS, CEPHFS, retired::ROWS]);
}

#[test]
fn every_flag_has_its_effect() {
    walk(flags::ROWS);
}

#[test]
fn every_option_with_a_value_has_its_effect() {
    walk(values::ROWS);
}

#[test]
fn every_option_of_a_backend_has_its_effect() {
    walk(backends::ROWS);
    walk(CEPHFS);
}

#[test]
fn every_retired_option_is_translated_and_reported() {
    walk(retired::ROWS);
}

#[test]
fn a_line_of_the_help_is_read_with_all_its_names() {
    let names = |line: &str| listed(line).map(|seen| (seen.names, seen.directives, seen.takes_value));
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        names("  -l, --dataPacketType=timestamp data: so [dataPacketType]"),
        Some((words(&["-l", "--dataPacketType"]), words(&["dataPacketType"]), true))
    );
    assert_eq!(names("  -O numNodes=-1       number"), Some((words(&[]), words(&["numNodes"]), true)));
    assert_eq!(names("  -B, -O useO_DIRECT   is"), Some((words(&["-B"]), words(&["useO_DIRECT"]), false)));
    assert_eq!(names("Flags"), None);
    assert!(Path::new(&program()).exists());
}
