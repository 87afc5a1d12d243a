//! `cargo xtask test`: sets up, checks and tests everything, and counts.
//!
//! All steps run, also after one has failed: one run tells everything that is wrong. The last line
//! is `N passed, N failed, N skipped`.
//!
//! Invariant: true only if every step and every test passed; a test program that dies without a
//! result counts as a failed test.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::setup::{self, Setup};
use crate::step::{Outcome, cargo, log_path, logged, step};
use crate::tally::Tally;
use crate::tidy;
use crate::wheel::VENV_VARIABLE;

/// Runs all steps; `filter` goes to the test programs.
pub(crate) fn run(root: &Path, filter: &[&str]) -> Result<bool> {
    let setup = setup::run(root)?;
    let format = ["fmt", "--all", "--check", "--", "--color", "never"];
    let lints = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let checks = [
        setup.sound,
        step("format", || logged(root, "format", vec![cargo(root, &format)])),
        step("clippy", || logged(root, "clippy", vec![cargo(root, &lints)])),
        step("tidy", || check_tidy(root)),
    ];
    let mut tally = Tally::default();
    let tested = step("tests", || run_tests(root, &setup, filter, &mut tally));
    print!("{}", tally.skipped_text());
    let failed = checks.iter().filter(|sound| !**sound).count();
    if failed > 0 {
        println!("{failed} of the steps before the tests failed: see above");
    }
    println!("{}", tally.total());
    Ok(failed == 0 && tested)
}

fn check_tidy(root: &Path) -> Result<Outcome> {
    let findings = tidy::check(root)?;
    Ok(match findings.len() {
        0 => Outcome::Done(String::new()),
        count => Outcome::Failed(format!("{}\n{count} findings", findings.join("\n"))),
    })
}

/// A folder for the sessions of Open MPI, in which that of this host always is: where two of its launchers
/// make and remove that at the same moment, one of them fails ("A call to mkdir was unable to create the
/// desired directory: File exists").
fn sessions() -> io::Result<TempDir> {
    let base = tempfile::Builder::new().prefix("ompi-").tempdir()?;
    let host = fs::read_to_string("/proc/sys/kernel/hostname")?;
    let host = host.trim().split('.').next().unwrap_or_default();
    let session = format!("ompi.{host}.{}", fs::metadata(base.path())?.uid());
    fs::create_dir_all(base.path().join(session).join("stays/here"))?;
    Ok(base)
}

fn run_tests(root: &Path, setup: &Setup, filter: &[&str], tally: &mut Tally) -> Result<Outcome> {
    let path = log_path(root, "test")?;
    let mut log = File::create(&path)?;
    let mut tests = cargo(root, &["test", "--workspace", "--no-fail-fast", "--", "--show-output"]);
    tests.args(filter).stdout(Stdio::piped());
    tests.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let sessions = sessions().context("no folder for the sessions of Open MPI")?;
    tests.env("OMPI_MCA_orte_tmpdir_base", sessions.path());
    if let Some(venv) = &setup.mpich {
        tests.env(VENV_VARIABLE, venv);
    }
    println!("to {}", path.display());
    let mut child = tests.spawn().context("cannot start cargo")?;
    for line in BufReader::new(child.stdout.take().context("no pipe")?).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        writeln!(log, "{line}")?;
        if tally.hear(&line) {
            println!("{line}");
        }
    }
    let sound = child.wait()?.success();
    tally.finish(sound);
    print!("{:<18} ", "tests");
    Ok(if sound { Outcome::Done(String::new()) } else { Outcome::Failed(String::new()) })
}
