//! `cargo xtask screenshot`: the pictures of reports in the documents, from real runs.
//!
//! It needs Chromium on the PATH, and pdftoppm and pdfinfo for the printed page. The plan of ten clauses also
//! needs Open MPI, and root for a small file system of its own. This is not part of the tests, because a
//! picture differs from run to run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::step::{Outcome, cargo, logged, step};

/// The folder of the pictures, below the root.
const PICTURES: &str = "docs/images";
/// Where the campaigns run: on a disk on most systems, and pictures show no path of the source tree.
const PLACE: &str = "/var/tmp";
/// The largest size of a picture, bytes.
const MOST_BYTES: u64 = 200_000;
/// The size of the file system that the plan of ten clauses fills, bytes.
const SMALL_BYTES: u64 = 128 << 20;
/// Names of Chromium on Linux systems.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A campaign whose report is shown.
struct ShownCampaign {
    /// The name of its first picture. The others have an ending.
    name: &'static str,
    /// The arguments of `assay`. `DIR` is replaced by the directory under test.
    words: &'static str,
    /// Whether the directory under test is a small file system of its own.
    is_alone: bool,
    /// Its pictures in a window.
    shots: &'static [ReportShot],
    /// Whether its first printed page is shown too.
    is_printed: bool,
}

/// A picture of the page in a window.
struct ReportShot {
    ending: &'static str,
    /// Width and height of the window, pixels.
    window: &'static str,
    options: &'static [&'static str],
}

const LIGHT: ReportShot = ReportShot { ending: "", window: "1000,860", options: &[] };
const DARK: ReportShot = ReportShot { ending: "-dark", window: "1000,860", options: &["--force-dark-mode"] };
const NARROW: ReportShot = ReportShot { ending: "-narrow", window: "400,1500", options: &[] };

const CAMPAIGNS: &[ShownCampaign] = &[
    ShownCampaign { name: "report", words: "try DIR", is_alone: false, shots: &[LIGHT], is_printed: false },
    ShownCampaign {
        name: "ten-clauses",
        words: "run docs/tutorial/ten-clauses.toml --scale laptop --dir DIR --set program=mpirun.openmpi",
        is_alone: true,
        shots: &[LIGHT, DARK, NARROW],
        is_printed: true,
    },
    ShownCampaign {
        name: "bluewaters",
        words: "run bluewaters-io2017 --scale small --dir DIR",
        is_alone: false,
        shots: &[LIGHT],
        is_printed: true,
    },
];

/// Runs each campaign on a disk, and takes the pictures of its report. With `only`, that of this name alone.
pub(crate) fn run(root: &Path, only: Option<&str>) -> Result<bool> {
    let known: Vec<&str> = CAMPAIGNS.iter().map(|campaign| campaign.name).collect();
    if let Some(name) = only {
        ensure!(known.contains(&name), "no report `{name}`. Known: {}.", known.join(", "));
    }
    let browser =
        browser().context("no Chromium on the PATH. Install it, for example: apt install chromium")?;
    let build = || logged(root, "screenshot", vec![cargo(root, &["build", "--release", "--package", "cli"])]);
    let mut is_good = step("build", build);
    for campaign in CAMPAIGNS.iter().filter(|campaign| only.is_none_or(|name| name == campaign.name)) {
        is_good = is_good && step(campaign.name, || take(root, browser, campaign));
    }
    Ok(is_good)
}

/// Runs the campaign and takes its pictures. The note has their sizes and the number of printed pages.
fn take(root: &Path, browser: &str, campaign: &ShownCampaign) -> Result<Outcome> {
    let place = tempfile::Builder::new().prefix("acceptance-").tempdir_in(PLACE)?;
    let report = report_of(root, place.path(), campaign)?;
    let pictures = root.join(PICTURES);
    fs::create_dir_all(&pictures)?;
    let picture = |ending: &str| pictures.join(format!("{}{ending}.png", campaign.name));
    let (pdf, all) = (place.path().join("report.pdf"), place.path().join("all.pdf"));
    let mut commands: Vec<Command> =
        campaign.shots.iter().map(|shot| shot_of(browser, shot, &report, &picture(shot.ending))).collect();
    let page = format!("file://{}", report.display());
    commands.push(print(browser, &page, &pdf));
    commands.push(print(browser, &format!("{page}#all"), &all));
    let printed = campaign.is_printed.then_some("-print");
    commands.extend(printed.map(|ending| first_page(&pdf, &picture(ending).with_extension(""))));
    if let Outcome::Failed(output) = logged(root, "screenshot", commands)? {
        return Ok(Outcome::Failed(output));
    }
    let mut notes = vec![format!("{} pages, {} with the appendix", pages_in(&pdf)?, pages_in(&all)?)];
    for ending in campaign.shots.iter().map(|shot| shot.ending).chain(printed) {
        let path = picture(ending);
        let bytes = fs::metadata(&path).with_context(|| format!("no {}", path.display()))?.len();
        ensure!(bytes <= MOST_BYTES, "{} has {bytes} bytes (at most {MOST_BYTES})", path.display());
        notes.push(format!("{}{ending} {bytes} bytes", campaign.name));
    }
    Ok(Outcome::Done(notes.join(", ")))
}

/// Runs the campaign in `place`. Gives its report.
fn report_of(root: &Path, place: &Path, campaign: &ShownCampaign) -> Result<PathBuf> {
    let dir = place.join("scratch");
    fs::create_dir(&dir)?;
    let _mounted = campaign.is_alone.then(|| LoopMount::new(&place.join("image"), &dir)).transpose()?;
    let mut assay = Command::new(root.join("target/release/assay"));
    let words = campaign.words.replace("DIR", &dir.display().to_string());
    assay.current_dir(root).args(words.split(' '));
    // `try` has its evidence in the directory under test.
    let campaigns = if campaign.words.starts_with("run ") { place } else { &dir };
    if campaigns == place {
        assay.arg("--campaigns").arg(place);
    }
    assay.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    let ran = assay.output()?;
    if !matches!(ran.status.code(), Some(0 | 1 | 3)) {
        bail!("assay {words}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    let folders = fs::read_dir(campaigns)?.filter_map(Result::ok).map(|entry| entry.path());
    let mut reports = folders.map(|folder| folder.join("report.html")).filter(|report| report.exists());
    reports.next().context("the run has no report")
}

/// A small ext4 in a file, mounted until dropped.
struct LoopMount(PathBuf);

impl LoopMount {
    fn new(image: &Path, dir: &Path) -> Result<Self> {
        File::create_new(image)?.set_len(SMALL_BYTES)?;
        let mut mkfs = Command::new("mkfs.ext4");
        mkfs.args(["-q", "-F"]).arg(image);
        let mut mount = Command::new("mount");
        mount.args(["-o", "loop"]).arg(image).arg(dir);
        for mut command in [mkfs, mount] {
            let done = command.status().with_context(|| format!("{command:?}"))?;
            ensure!(done.success(), "{command:?}: {done}. Be root, which may mount a file system.");
        }
        Ok(Self(dir.to_owned()))
    }
}

impl Drop for LoopMount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// The browser without a window.
fn headless(browser: &str) -> Command {
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]);
    command
}

fn shot_of(browser: &str, shot: &ReportShot, report: &Path, picture: &Path) -> Command {
    let mut command = headless(browser);
    command.args(shot.options).arg(format!("--window-size={}", shot.window));
    command.arg(format!("--screenshot={}", picture.display()));
    command.arg(format!("file://{}", report.display()));
    command
}

/// Prints a page to a PDF file.
fn print(browser: &str, page: &str, pdf: &Path) -> Command {
    let mut command = headless(browser);
    command.arg("--no-pdf-header-footer").arg(format!("--print-to-pdf={}", pdf.display())).arg(page);
    command
}

/// Takes a picture of the first page. The program adds the ending of the picture.
fn first_page(pdf: &Path, picture: &Path) -> Command {
    let mut command = Command::new("pdftoppm");
    command.args(["-r", "80", "-f", "1", "-l", "1", "-singlefile", "-png"]).arg(pdf).arg(picture);
    command
}

/// The number of pages of a PDF file.
fn pages_in(pdf: &Path) -> Result<u32> {
    let printed = Command::new("pdfinfo").arg(pdf).output().context("pdfinfo (apt install poppler-utils)")?;
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    pages(&text).with_context(|| format!("pdfinfo prints no number of pages: {text}"))
}

/// The number of pages in the output of `pdfinfo`.
fn pages(text: &str) -> Option<u32> {
    text.lines().find_map(|line| line.strip_prefix("Pages:"))?.trim().parse().ok()
}

/// The first browser on the PATH.
fn browser() -> Option<&'static str> {
    let path = std::env::var_os("PATH")?;
    let is_there = |name: &&&str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    BROWSERS.iter().find(is_there).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_pages_is_read_from_the_output_of_pdfinfo() {
        let text =
            "Title:           Page 3\nPages:           12\nPage size:       594.96 x 841.92 pts (A4)\n";
        assert_eq!(pages(text), Some(12));
        assert_eq!(pages("Page size: A4\n"), None);
    }

    #[test]
    fn each_picture_has_a_name_of_its_own() {
        let of = |one: &ShownCampaign| {
            one.shots.iter().map(|shot| format!("{}{}", one.name, shot.ending)).collect()
        };
        let mut names: Vec<String> = CAMPAIGNS.iter().flat_map::<Vec<String>, _>(of).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
