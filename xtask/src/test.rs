//! `cargo xtask test`: sets up, checks and tests everything, and counts.
//!
//! All steps run, also after one has failed: one run tells everything that is wrong. The last line
//! is `N passed, N failed, N skipped`.
//!
//! Invariant: true only if every step and every test passed; a test program that dies without a
//! result counts as a failed test.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;
use std::{fs, io};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::programs;
use crate::setup::{self, Setup};
use crate::step::{Outcome, cargo, logged, step};
use crate::tally::Tally;
use crate::tidy;
use crate::wheel::VENV_VARIABLE;

/// What is asked of the tests.
pub(crate) struct Asked<'a> {
    /// Whether those that are slow run, too.
    pub(crate) all: bool,
    /// Words for each test program.
    pub(crate) filter: &'a [&'a str],
}

/// Runs all steps.
pub(crate) fn run(root: &Path, asked: &Asked<'_>) -> Result<bool> {
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
    let tested = step("tests", || run_tests(root, &setup, asked, &mut tally));
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

/// Builds and runs all test programs; with `all` also those tests that are slow.
fn run_tests(root: &Path, setup: &Setup, asked: &Asked<'_>, tally: &mut Tally) -> Result<Outcome> {
    let built = Instant::now();
    let programs = programs::build(root)?;
    println!("{} programs, built in {:.1} s", programs.len(), built.elapsed().as_secs_f64());
    let sessions = sessions().context("no folder for the sessions of Open MPI")?;
    let one = OsStr::new("1");
    let mut variables = vec![
        ("OMPI_ALLOW_RUN_AS_ROOT", one),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", one),
        ("OMPI_MCA_orte_tmpdir_base", sessions.path().as_os_str()),
    ];
    if let Some(venv) = &setup.mpich {
        variables.push((VENV_VARIABLE, venv.as_os_str()));
    }
    if asked.all {
        variables.push((programs::COMPLETE, one));
    }
    let sound = programs::run(root, &programs, &variables, asked.filter, tally)?;
    tally.finish(sound);
    print!("{:<18} ", "tests");
    Ok(if sound { Outcome::Done(String::new()) } else { Outcome::Failed(String::new()) })
}
