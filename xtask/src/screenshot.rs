//! `cargo xtask screenshot`: the picture of a report in the README, from a real run of `assay try`.
//!
//! It needs Chromium on the PATH. It is not part of the tests, because a picture differs from run to run.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::step::{Outcome, cargo, logged, step};

/// The picture, below the root.
const PICTURE: &str = "docs/images/report.png";
/// The largest size of the picture, bytes.
const MOST_BYTES: u64 = 200_000;
/// Names of Chromium on Linux systems.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Runs `assay try` on the disk of `target`, and takes the picture of its report.
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
    let picture = root.join(PICTURE);
    std::fs::create_dir_all(picture.parent().context("the picture has a folder")?)?;
    let mut shot = Command::new(browser);
    shot.args(["--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu", "--window-size=1000,860"]);
    shot.arg(format!("--screenshot={}", picture.display())).arg(format!("file://{}", report.display()));
    if let Outcome::Failed(output) = logged(root, "screenshot", vec![shot])? {
        return Ok(Outcome::Failed(output));
    }
    let bytes = std::fs::metadata(&picture).context("Chromium wrote no picture")?.len();
    ensure!(bytes <= MOST_BYTES, "{PICTURE} has {bytes} bytes (at most {MOST_BYTES})");
    Ok(Outcome::Done(format!("{PICTURE}, {bytes} bytes")))
}

/// The first browser on the PATH.
fn browser() -> Option<&'static str> {
    let path = std::env::var_os("PATH")?;
    let is_there = |name: &&&str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    BROWSERS.iter().find(is_there).copied()
}
