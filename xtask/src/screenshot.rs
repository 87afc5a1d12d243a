//! `cargo xtask screenshot`: the pictures of a report in the documents, from a real run of `assay try`.
//!
//! It needs Chromium on the PATH, and pdftoppm for the printed page. It is not part of the tests, because a
//! picture differs from run to run.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::step::{Outcome, cargo, logged, step};

/// The folder of the pictures, below the root.
const PICTURES: &str = "docs/images";
/// The pictures of the page: the name, the size of the window, and further options of the browser.
const SHOTS: &[(&str, &str, &[&str])] = &[
    ("report", "1000,860", &[]),
    ("report-dark", "1000,860", &["--force-dark-mode"]),
    ("report-narrow", "400,860", &[]),
];
/// The picture of the first printed page.
const PRINTED: &str = "report-print";
/// The largest size of a picture, bytes.
const MOST_BYTES: u64 = 200_000;
/// Names of Chromium on Linux systems.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Runs `assay try` on the disk of `target`, and takes the pictures of its report.
pub(crate) fn run(root: &Path) -> Result<bool> {
    Ok(step("screenshot", || take(root)))
}

fn take(root: &Path) -> Result<Outcome> {
    let browser =
        browser().context("no Chromium on the PATH. Install it, for example: apt install chromium")?;
    let build = vec![cargo(root, &["build", "--release", "--package", "cli"])];
    if let Outcome::Failed(output) = logged(root, "screenshot", build)? {
        return Ok(Outcome::Failed(output));
    }
    let place = tempfile::tempdir_in(root.join("target"))?;
    let tried = Command::new(root.join("target/release/assay")).arg("try").arg(place.path()).output()?;
    if tried.status.code().is_none_or(|status| status > 3 || status == 2) {
        bail!("assay try: {}", String::from_utf8_lossy(&tried.stderr));
    }
    let campaigns = std::fs::read_dir(place.path())?.filter_map(Result::ok).map(|entry| entry.path());
    let mut reports = campaigns.map(|folder| folder.join("report.html")).filter(|report| report.exists());
    let report = reports.next().context("the run has no report")?;
    let pictures = root.join(PICTURES);
    std::fs::create_dir_all(&pictures)?;
    let mut commands: Vec<Command> =
        SHOTS.iter().map(|shot| shot_of(browser, shot, &report, &pictures)).collect();
    commands.extend(printed(browser, &report, place.path(), &pictures));
    if let Outcome::Failed(output) = logged(root, "screenshot", commands)? {
        return Ok(Outcome::Failed(output));
    }
    let mut sizes = Vec::new();
    for name in SHOTS.iter().map(|(name, ..)| *name).chain([PRINTED]) {
        let picture = pictures.join(format!("{name}.png"));
        let bytes = std::fs::metadata(&picture).with_context(|| format!("no picture {name}"))?.len();
        ensure!(bytes <= MOST_BYTES, "{name} has {bytes} bytes (at most {MOST_BYTES})");
        sizes.push(format!("{name} {bytes} bytes"));
    }
    Ok(Outcome::Done(sizes.join(", ")))
}

/// The browser without a window.
fn headless(browser: &str) -> Command {
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]);
    command
}

fn shot_of(browser: &str, shot: &(&str, &str, &[&str]), report: &Path, pictures: &Path) -> Command {
    let (name, size, options) = shot;
    let mut command = headless(browser);
    command.args(*options).arg(format!("--window-size={size}"));
    command.arg(format!("--screenshot={}", pictures.join(format!("{name}.png")).display()));
    command.arg(format!("file://{}", report.display()));
    command
}

/// Prints the report, and takes a picture of the first page.
fn printed(browser: &str, report: &Path, place: &Path, pictures: &Path) -> [Command; 2] {
    let pdf = place.join("report.pdf");
    let mut print = headless(browser);
    print.arg("--no-pdf-header-footer").arg(format!("--print-to-pdf={}", pdf.display()));
    print.arg(format!("file://{}", report.display()));
    let mut picture = Command::new("pdftoppm");
    picture.args(["-r", "80", "-f", "1", "-l", "1", "-singlefile", "-png"]);
    picture.arg(pdf).arg(pictures.join(PRINTED));
    [print, picture]
}

/// The first browser on the PATH.
fn browser() -> Option<&'static str> {
    let path = std::env::var_os("PATH")?;
    let is_there = |name: &&&str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    BROWSERS.iter().find(is_there).copied()
}
