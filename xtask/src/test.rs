//! `cargo xtask test`: set-up, checks, tests and their counts.
//!
//! All steps run, also after a failure, so that one run reports all problems. The last line is
//! `N passed, N failed, N skipped`.
//!
//! Invariant: the result is true only if every step and every test passed. A test program that ends without a
//! result counts as one failed test.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;
use std::{fs, io};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::docs;
use crate::programs;
use crate::setup::{self, Setup};
use crate::step::{Outcome, cargo, logged, step};
use crate::tally::Tally;
use crate::tidy;
use crate::wheel::VENV_VARIABLE;

/// Lines of failed tests that are repeated at the end.
const FAILURE_LINES: usize = 60;

/// The options of `cargo xtask test`.
pub(crate) struct TestRequest<'a> {
    /// Whether the slow tests run and the book is built, too.
    pub(crate) all: bool,
    /// Arguments for each test program.
    pub(crate) filter: &'a [&'a str],
}

/// Runs all steps.
pub(crate) fn run(root: &Path, request: &TestRequest<'_>) -> Result<bool> {
    let setup = setup::run(root, request.all)?;
    let format = ["fmt", "--all", "--check", "--", "--color", "never"];
    let lints = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let checks = [
        setup.sound,
        step("format", || logged(root, "format", vec![cargo(root, &format)])),
        step("clippy", || logged(root, "clippy", vec![cargo(root, &lints)])),
        step("tidy", || check_tidy(root)),
    ];
    let mut tally = Tally::default();
    let tested = step("tests", || run_tests(root, &setup, request, &mut tally));
    let documented = !request.all || docs::run(root)?;
    print!("{}{}", tally.skipped_text(), tally.failures_text(FAILURE_LINES));
    let failed = checks.iter().filter(|sound| !**sound).count();
    if failed > 0 {
        println!("{failed} of the steps before the tests failed. See above.");
    }
    println!("{}", tally.total());
    Ok(failed == 0 && tested && documented)
}

fn check_tidy(root: &Path) -> Result<Outcome> {
    let findings = tidy::check(root)?;
    Ok(match findings.len() {
        0 => Outcome::Done(String::new()),
        count => Outcome::Failed(format!("{}\n{count} findings", findings.join("\n"))),
    })
}

/// A directory for the sessions of Open MPI that always contains the session directory of this host.
///
/// If two launchers create and remove that directory at the same moment, one of them fails ("A call to mkdir
/// was unable to create the desired directory: File exists").
fn sessions() -> io::Result<TempDir> {
    let base = tempfile::Builder::new().prefix("ompi-").tempdir()?;
    let host = fs::read_to_string("/proc/sys/kernel/hostname")?;
    let host = host.trim().split('.').next().unwrap_or_default();
    let session = format!("ompi.{host}.{}", fs::metadata(base.path())?.uid());
    fs::create_dir_all(base.path().join(session).join("kept/open"))?;
    Ok(base)
}

/// Builds and runs all test programs; with `all` also the slow tests.
fn run_tests(root: &Path, setup: &Setup, request: &TestRequest<'_>, tally: &mut Tally) -> Result<Outcome> {
    let built = Instant::now();
    let programs = programs::build(root)?;
    println!("{} programs, built in {:.1} s", programs.len(), built.elapsed().as_secs_f64());
    let sessions = sessions().context("cannot create a directory for the sessions of Open MPI")?;
    let one = OsStr::new("1");
    let mut variables = vec![
        ("OMPI_ALLOW_RUN_AS_ROOT", one),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", one),
        ("OMPI_MCA_orte_tmpdir_base", sessions.path().as_os_str()),
    ];
    if let Some(venv) = &setup.mpich {
        variables.push((VENV_VARIABLE, venv.as_os_str()));
    }
    if request.all {
        variables.push((programs::COMPLETE, one));
    }
    let sound = programs::run(root, &programs, &variables, request.filter, tally)?;
    tally.finish(sound);
    print!("{:<18} ", "tests");
    Ok(if sound { Outcome::Done(String::new()) } else { Outcome::Failed(String::new()) })
}
