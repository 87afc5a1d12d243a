//! Every option and directive that the help lists has a row in `ior_options/`, whose effect is seen: in the
//! files, in the system calls, in the records, in a line, in the exit status.
//!
//! A row is run once for each form its option has: letter, word and directives.
#![allow(clippy::print_stdout)]

mod common;

#[path = "ior_options/backends.rs"]
mod backends;
#[path = "ior_options/flags.rs"]
mod flags;
#[path = "ior_options/retired.rs"]
mod retired;
#[path = "ior_options/values.rs"]
mod values;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::listed::{Listed, listed};
use common::{Ran, assay, ior, program, run};
use serde_json::Value;

/// One option, a line with it, and what is seen then.
struct Row {
    /// Its first name in the help.
    option: &'static str,
    /// The line, with `{}` where a flag stands, and `{VALUE}` where an option with that value stands.
    words: &'static str,
    status: i32,
    traced: bool,
    sees: fn(&Seen),
}

/// A line that succeeds.
const fn works(option: &'static str, words: &'static str, sees: fn(&Seen)) -> Row {
    Row { option, words, status: 0, traced: false, sees }
}

/// A line that succeeds, seen by its system calls.
const fn calls(option: &'static str, words: &'static str, sees: fn(&Seen)) -> Row {
    Row { option, words, status: 0, traced: true, sees }
}

/// A line that ends with this status.
const fn fails(option: &'static str, words: &'static str, status: i32, sees: fn(&Seen)) -> Row {
    Row { option, words, status, traced: false, sees }
}

/// What a run left, in a directory that held the file `old` (1 MiB of zeros), the file `short` (500 KiB), a
/// script, a file of hints, and directories `d0` to `d3`.
struct Seen {
    dir: PathBuf,
    ran: Ran,
    records: Vec<Value>,
    trace: String,
}

impl Seen {
    fn out(&self, text: &str) {
        assert!(self.ran.out.contains(text), "{text}: {:#?}", self.ran);
    }

    fn err(&self, text: &str) {
        assert!(self.ran.err.contains(text), "{text}: {:#?}", self.ran);
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}: {:#?}", self.ran))
    }

    /// Size of a file, `None` where it is not.
    fn size(&self, name: &str) -> Option<u64> {
        self.dir.join(name).metadata().ok().map(|found| found.len())
    }

    /// The word of 8 bytes with that number.
    fn word(&self, name: &str, number: usize) -> u64 {
        u64::from_ne_bytes(self.bytes(name)[number * 8..][..8].try_into().unwrap())
    }

    /// The record of the first phase of that name.
    fn phase(&self, name: &str) -> &Value {
        let found = self.of_phases().find(|record| record["phase"] == name);
        found.unwrap_or_else(|| panic!("no {name}: {:#?}", self.ran))
    }

    fn number(&self, phase: &str, path: &str) -> f64 {
        let value = path.split('.').fold(self.phase(phase), |value, key| &value[key]);
        value.as_f64().unwrap_or_else(|| panic!("{path} is {value}"))
    }

    fn of_phases(&self) -> impl Iterator<Item = &Value> {
        self.records.iter().filter(|record| record["record"] == "phase")
    }

    fn phases(&self) -> Vec<&str> {
        self.of_phases().filter_map(|record| record["phase"].as_str()).collect()
    }

    /// The traced calls whose line has all of these in it.
    fn called(&self, parts: &[&str]) -> usize {
        self.trace.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
    }
}

fn help() -> Vec<Listed> {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 1, "-h").out.lines().filter_map(listed).collect()
}

fn has_strace() -> bool {
    Command::new("strace").arg("-V").output().is_ok()
}

/// The backend of a line, if its ranks have to be MPI's.
fn needs_mpi(words: &str) -> Option<&'static str> {
    ["MPIIO", "HDF5", "NCMPI"].into_iter().find(|name| words.contains(&format!("-a {name}")))
}

/// Whether the libraries of that backend are here; told where not.
fn is_here(backend: &str) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let mut command = assay(dir.path(), &format!("-n 1 ior -a {backend} -w -b 64k -t 64k -o f"));
    choose_mpi(&mut command, backend);
    let here = run(&mut command).status == Some(0);
    if !here {
        println!(
            "SKIPPED: {backend} has no library here, so it is not seen; `cargo xtask setup` installs one"
        );
    }
    here
}

/// Debian's PnetCDF is there for one MPI only, which is not the first that is found.
fn choose_mpi(command: &mut Command, backend: &str) {
    if backend == "NCMPI" {
        command.env("ASSAY_MPI_LIBRARY", "libmpi.so.40");
    }
}

/// Runs `words` on two ranks and looks at what is left.
fn seen(words: &str, traced: bool, look: &dyn Fn(&Seen)) {
    // System calls for direct transfers need a file system that is not memory.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(dir.path().join("old"), vec![0; 1 << 20]).unwrap();
    std::fs::write(dir.path().join("short"), vec![0; 512_000]).unwrap();
    std::fs::write(dir.path().join("hints"), "IOR_HINT__MPI__cb_nodes=1\n").unwrap();
    std::fs::write(dir.path().join("script"), "IOR START\nRUN\nRUN\nIOR STOP\n").unwrap();
    (0..4).for_each(|socket| std::fs::create_dir(dir.path().join(format!("d{socket}"))).unwrap());
    let mut command = match traced {
        false => Command::new(program()),
        true => {
            let mut command = Command::new("strace");
            command.args(["-f", "-y", "-s", "0", "-o", "trace"]).arg(program());
            command
        }
    };
    // Without a launcher MPI has one rank.
    let ranks = if needs_mpi(words).is_some() { "1" } else { "2" };
    command.current_dir(dir.path()).args(["-n", ranks, "ior"]).args(words.split_whitespace());
    if !words.contains("--record") {
        command.args(["--record", "record"]);
    }
    choose_mpi(&mut command, needs_mpi(words).unwrap_or_default());
    let ran = run(&mut command);
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap_or_default();
    let records = read("record").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    look(&Seen { ran, records, trace: read("trace"), dir: dir.path().to_owned() });
}

/// Runs every row in every form of its option.
fn walk(rows: &[Row]) {
    let help = help();
    let strace = has_strace();
    if !strace {
        println!(
            "SKIPPED: strace is not installed, so system calls are not seen; `cargo xtask setup` installs it"
        );
    }
    // A line that is refused needs no library for that.
    let needed = rows.iter().filter(|row| row.status == 0).filter_map(|row| needs_mpi(row.words));
    let missing: BTreeSet<_> =
        BTreeSet::from_iter(needed).into_iter().filter(|name| !is_here(name)).collect();
    let lacks =
        |row: &Row| row.status == 0 && needs_mpi(row.words).is_some_and(|name| missing.contains(name));
    let can = |row: &&Row| (strace || !row.traced) && !lacks(row);
    for row in rows.iter().filter(can) {
        let listed = help.iter().find(|listed| listed.key() == row.option);
        let listed = listed.unwrap_or_else(|| panic!("{} is not in the help", row.option));
        let (before, rest) = row.words.split_once('{').expect(row.words);
        let (value, after) = rest.split_once('}').expect(row.words);
        for form in listed.forms(value) {
            let words = format!("{before}{form}{after}");
            println!("{words}");
            seen(&words, row.traced, &|seen| {
                assert_eq!(seen.ran.status, Some(row.status), "{words}: {:#?}", seen.ran);
                (row.sees)(seen);
            });
        }
    }
}

#[test]
fn every_option_of_the_help_has_a_row_and_every_row_an_option() {
    let listed: BTreeSet<String> = help().iter().map(Listed::key).collect();
    let all = [flags::ROWS, values::ROWS, backends::ROWS, retired::ROWS].concat_keys();
    let missing: Vec<_> = listed.difference(&all).collect();
    assert!(missing.is_empty(), "no row shows the effect of {missing:?}");
    let strange: Vec<_> = all.difference(&listed).collect();
    assert!(strange.is_empty(), "not in the help: {strange:?}");
}

trait Keys {
    fn concat_keys(&self) -> BTreeSet<String>;
}

impl Keys for [&[Row]; 4] {
    fn concat_keys(&self) -> BTreeSet<String> {
        self.iter().flat_map(|rows| rows.iter().map(|row| row.option.to_owned())).collect()
    }
}

#[test]
fn every_flag_does_what_it_says() {
    walk(flags::ROWS);
}

#[test]
fn every_option_with_a_value_does_what_it_says() {
    walk(values::ROWS);
}

#[test]
fn every_option_of_a_backend_does_what_it_says() {
    walk(backends::ROWS);
}

#[test]
fn every_retired_option_is_translated_and_told() {
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
