//! The options of a classic program by their effect: a row for each, run in every form that the help lists.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::listed::{Listed, listed};
use super::{Ran, assay, by_set, program, run};

/// An option, a command line with it, and the check of the result.
pub struct Row {
    /// Its first name in the help.
    pub option: &'static str,
    /// A command line that is run before; empty for none.
    pub before: &'static str,
    /// Changes the files in the working directory after that.
    pub between: fn(&Path),
    /// The command line. `{}` is the place of a flag, `{VALUE}` that of an option with this value.
    pub words: &'static str,
    /// The exit status.
    pub status: i32,
    /// Whether the system calls are traced.
    pub traced: bool,
    /// The check of the result.
    pub sees: fn(&Seen),
}

/// The directory of the tests is not on Lustre, and the program reports this.
pub fn not_on_lustre(seen: &Seen) {
    seen.err("not on Lustre");
}

/// The note about an option of BeeGFS.
pub fn no_beegfs(seen: &Seen) {
    seen.err("has no effect: files get the layout of their directory");
}

/// The note about a hint to GPFS. The tests of hints have a library (`pure::gpfs_hints`).
pub fn no_gpfs(seen: &Seen) {
    seen.err("has no effect: no GPFS library was found");
}

/// The note about the hint to GPFS that the program does not give.
pub fn no_create_sharing(seen: &Seen) {
    seen.err("has no effect: this program gives GPFS no hint on directories");
}

/// The options for CephFS where none is. `--all` starts one, and shows their effect (`timed::file_systems`).
pub const CEPHFS: &[Row] = &[
    fails("--cephfs.conf", "-a CEPHFS {/no/conf}", 2, no_cephfs),
    fails("--cephfs.olazy", "-a CEPHFS --cephfs.conf=/no/conf {}", 2, no_cephfs),
    fails("--cephfs.prefix", "-a CEPHFS --cephfs.conf=/no/conf {/mnt}", 2, no_cephfs),
    fails("--cephfs.remote_prefix", "-a CEPHFS --cephfs.conf=/no/conf {/sub}", 2, no_cephfs),
    fails("--cephfs.user", "-a CEPHFS --cephfs.conf=/no/conf {me}", 2, no_cephfs),
];

/// The message of the first thing that CephFS lacks: its library, else its configuration.
fn no_cephfs(seen: &Seen) {
    let lacks = ["no libcephfs library was found", "cannot read the configuration /no/conf: No such file"];
    assert!(lacks.iter().any(|lack| seen.ran.err.contains(lack)), "{:#?}", seen.ran);
}

/// A command line that succeeds.
pub const fn works(option: &'static str, words: &'static str, sees: fn(&Seen)) -> Row {
    Row { option, before: "", between: |_| {}, words, status: 0, traced: false, sees }
}

/// A command line that succeeds after another one.
pub const fn follows(
    option: &'static str,
    before: &'static str,
    words: &'static str,
    sees: fn(&Seen),
) -> Row {
    Row { option, before, between: |_| {}, words, status: 0, traced: false, sees }
}

/// A command line that succeeds and is checked by its system calls.
pub const fn calls(option: &'static str, words: &'static str, sees: fn(&Seen)) -> Row {
    Row { option, before: "", between: |_| {}, words, status: 0, traced: true, sees }
}

/// A command line that ends with this status.
pub const fn fails(option: &'static str, words: &'static str, status: i32, sees: fn(&Seen)) -> Row {
    Row { option, before: "", between: |_| {}, words, status, traced: false, sees }
}

/// Writes a key that only its owner can read.
pub fn secret(path: &Path) {
    std::fs::write(path, [b'k'; 32]).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// The result of a run.
pub struct Seen {
    /// Its working directory.
    pub dir: PathBuf,
    /// Its output and exit status.
    pub ran: Ran,
    /// Its records.
    pub records: Vec<Value>,
    /// The lines of strace.
    pub trace: String,
}

impl Seen {
    pub fn out(&self, text: &str) {
        assert!(self.ran.out.contains(text), "{text}: {:#?}", self.ran);
    }

    pub fn no_out(&self, text: &str) {
        assert!(!self.ran.out.contains(text), "{text}: {:#?}", self.ran);
    }

    pub fn err(&self, text: &str) {
        assert!(self.ran.err.contains(text), "{text}: {:#?}", self.ran);
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}: {:#?}", self.ran))
    }

    /// Size of a file; `None` if it is missing.
    pub fn size(&self, name: &str) -> Option<u64> {
        self.dir.join(name).metadata().ok().map(|found| found.len())
    }

    /// The word of 8 bytes with this number.
    pub fn word(&self, name: &str, number: usize) -> u64 {
        u64::from_le_bytes(self.bytes(name)[number * 8..][..8].try_into().unwrap())
    }

    /// The record of the first phase of this name.
    pub fn phase(&self, name: &str) -> &Value {
        let found = self.of_phases().find(|record| record["phase"] == name);
        found.unwrap_or_else(|| panic!("no {name}: {:#?}", self.ran))
    }

    pub fn number(&self, phase: &str, path: &str) -> f64 {
        let value = path.split('.').fold(self.phase(phase), |value, key| &value[key]);
        value.as_f64().unwrap_or_else(|| panic!("{path} is {value}"))
    }

    /// Requires that the record of a phase has a text at this path.
    pub fn record_has(&self, phase: &str, path: &str) {
        let value = path.split('.').fold(self.phase(phase), |value, key| &value[key]);
        assert!(value.as_str().is_some_and(|text| !text.is_empty()), "{path} is {value}");
    }

    /// Requires that files with this part in their names were opened for direct transfers, and that the
    /// record of the phase says so.
    pub fn direct(&self, phase: &str, name: &str) {
        assert!(self.called(&["open", name, "O_DIRECT"]) > 0, "{}", self.trace);
        assert_eq!(self.phase(phase)["direct"], true);
    }

    /// Requires that each operation of a phase slept for 100 ms. Sleeps are never shorter than requested.
    pub fn slept(&self, phase: &str) {
        let shortest = self.phase(phase)["latency"]["min_ns"].as_u64();
        assert!(shortest >= Some(100_000_000), "{:#?}", self.ran);
    }

    pub fn of_phases(&self) -> impl Iterator<Item = &Value> {
        self.records.iter().filter(|record| record["record"] == "phase")
    }

    pub fn phases(&self) -> Vec<&str> {
        self.of_phases().filter_map(|record| record["phase"].as_str()).collect()
    }

    /// The number of traced calls whose line contains all of these texts.
    pub fn called(&self, parts: &[&str]) -> usize {
        self.trace.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
    }
}

/// A program with options.
pub struct Classic {
    /// Its name.
    pub name: &'static str,
    /// The number of ranks for a command line.
    pub ranks: fn(&str) -> &'static str,
    /// Creates the files for the command lines in an empty directory.
    pub prepare: fn(&Path),
    /// Adds what the command needs for these arguments.
    pub equip: fn(&mut Command, &str),
}

impl Classic {
    fn help(&self) -> Vec<Listed> {
        let dir = tempfile::tempdir().unwrap();
        let mut command = assay(dir.path(), &format!("-n 1 {} -h", self.name));
        run(&mut command).out.lines().filter_map(listed).collect()
    }

    /// Runs the row's command line in one form and checks the result.
    fn sees(&self, row: &Row, words: &str) {
        // System calls for direct transfers need a file system that is not in memory.
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        (self.prepare)(dir.path());
        if !row.before.is_empty() {
            run(&mut assay(dir.path(), &format!("-n 2 {} {}", self.name, row.before))).ok();
        }
        (row.between)(dir.path());
        let mut command = match row.traced {
            false => Command::new(program()),
            true => {
                let mut command = Command::new("strace");
                command.args(["-f", "-y", "-s", "0", "-o", "trace"]).arg(program());
                command
            }
        };
        command.current_dir(dir.path()).args(["-n", (self.ranks)(words), self.name]);
        command.args(words.split_whitespace());
        if !words.contains("--record") {
            command.args(["--record", "record"]);
        }
        (self.equip)(&mut command, words);
        let ran = run(&mut command);
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap_or_default();
        let records = read("record").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let seen = Seen { ran, records, trace: read("trace"), dir: dir.path().to_owned() };
        assert_eq!(seen.ran.status, Some(row.status), "{words}: {:#?}", seen.ran);
        (row.sees)(&seen);
    }

    /// Runs every row in every form of its option; in the default set in one form, by the place of the row.
    pub fn walk<'r>(&self, rows: impl IntoIterator<Item = &'r Row>) {
        let help = self.help();
        let strace = Command::new("strace").arg("-V").output().is_ok();
        if !strace {
            println!(
                "SKIPPED: strace is not installed, so system calls are not checked; `cargo xtask setup` \
                 installs it"
            );
        }
        for (at, row) in rows.into_iter().filter(|row| strace || !row.traced).enumerate() {
            let listed = help.iter().find(|listed| listed.key() == row.option);
            let listed = listed.unwrap_or_else(|| panic!("{} is not in the help", row.option));
            let (before, rest) = row.words.split_once('{').expect(row.words);
            let (value, after) = rest.split_once('}').expect(row.words);
            let forms = listed.forms(value);
            assert!(!forms.is_empty(), "{} has no form", row.option);
            let default = at % forms.len();
            for form in &forms[by_set(default..=default, 0..=forms.len() - 1)] {
                let words = format!("{before}{form}{after}");
                println!("{words}");
                self.sees(row, &words);
            }
        }
    }

    /// Fails if an option of the help has no row, or if a row has no option.
    pub fn has_a_row_for_every_option(&self, rows: &[&[Row]]) {
        let listed: BTreeSet<String> = self.help().iter().map(Listed::key).collect();
        let all: BTreeSet<String> =
            rows.iter().flat_map(|rows| rows.iter().map(|row| row.option.to_owned())).collect();
        let missing: Vec<_> = listed.difference(&all).collect();
        assert!(missing.is_empty(), "no row shows the effect of {missing:?}");
        let strange: Vec<_> = all.difference(&listed).collect();
        assert!(strange.is_empty(), "not in the help: {strange:?}");
    }
}
