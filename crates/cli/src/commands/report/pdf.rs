//! `assay report --pdf`: prints the page of the report with a program that is on the PATH.
//!
//! Invariant: the printing program reads only the page, in a temporary directory that is also its home and
//! profile. It needs no network, and it ends in a limited time. A file that exists is never replaced.
//! Never here: the contents of the page.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ::run::bounded;
use anyhow::{Context, Result, anyhow, bail};
use rustix::process::geteuid;
use units::{Usage, visible};

use crate::commands::output_file::directory;

/// The longest time that the printing program may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// What else makes a PDF file.
const INSTEAD: &str = "Print report.html in a browser instead.";
/// The first bytes of every PDF file.
const MAGIC: &[u8] = b"%PDF-";

/// How a program is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PrinterKind {
    Chromium,
    WeasyPrint,
}

/// The programs that can print a page, in the order in which they are tried.
const PRINTERS: &[(&str, PrinterKind)] = &[
    ("chromium", PrinterKind::Chromium),
    ("chromium-browser", PrinterKind::Chromium),
    ("google-chrome", PrinterKind::Chromium),
    ("google-chrome-stable", PrinterKind::Chromium),
    ("chrome", PrinterKind::Chromium),
    ("chrome-headless-shell", PrinterKind::Chromium),
    ("headless_shell", PrinterKind::Chromium),
    ("weasyprint", PrinterKind::WeasyPrint),
];

/// A program that prints pages.
#[derive(Debug)]
pub(super) struct Printer {
    program: PathBuf,
    kind: PrinterKind,
    /// The longest time that it may take.
    patience: Duration,
}

impl Printer {
    /// The first printing program on the PATH.
    pub(super) fn on_path() -> Result<Self, Usage> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::among(&path).ok_or_else(|| {
            Usage::new(
                "--pdf: no program that prints pages is on the PATH. Install Chromium or WeasyPrint, or \
                 print report.html in a browser.",
            )
        })
    }

    /// The first printing program in these directories.
    fn among(path: &OsStr) -> Option<Self> {
        let is_program = |file: &PathBuf| {
            file.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
        };
        let mut programs = PRINTERS.iter().flat_map(|(name, kind)| {
            // A relative directory would mean another one in the directory of the child.
            let absolute = std::env::split_paths(path).filter(|dir| dir.is_absolute());
            absolute.map(move |dir| Self { program: dir.join(name), kind: *kind, patience: PATIENCE })
        });
        programs.find(|printer| is_program(&printer.program))
    }

    /// Prints `page` to the new file `to`.
    pub(super) fn print(&self, page: &[u8], to: &Path) -> Result<()> {
        let place = tempfile::Builder::new().prefix("assay-pdf-").tempdir();
        let place = place.context("cannot print. Set TMPDIR to a directory with free space.")?;
        let (html, pdf) = (place.path().join("report.html"), place.path().join("report.pdf"));
        fs::write(&html, page).context("cannot print. Set TMPDIR to a directory with free space.")?;
        let mut command = Command::new(&self.program);
        command.args(self.arguments(place.path(), &html, &pdf)).current_dir(place.path());
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"] {
            command.env(name, place.path());
        }
        let at = self.program.display();
        let ran = match bounded::ended(&mut command, "", self.patience) {
            Ok(ran) => ran,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let limit = self.patience.as_secs();
                bail!("{at} did not end in {limit} s, and was killed. {INSTEAD}");
            }
            Err(error) => return Err(Usage(format!("--pdf: cannot start {at}: {error}")).into()),
        };
        let failed = |why: &str| {
            let last = last_line(ran.err.as_bytes());
            let reason = if last.is_empty() { last } else { format!(": {last}") };
            anyhow!("{at} {why}{reason}. {INSTEAD}")
        };
        if !ran.status.success() {
            return Err(failed("failed"));
        }
        if is_pdf(&pdf) { placed(&pdf, to) } else { Err(failed("wrote no PDF file")) }
    }

    fn arguments(&self, place: &Path, html: &Path, pdf: &Path) -> Vec<String> {
        let [place, html, pdf] = [place, html, pdf].map(|path| path.display().to_string());
        if self.kind == PrinterKind::WeasyPrint {
            return vec![html, pdf];
        }
        let fixed = [
            "--headless",
            "--disable-gpu",
            "--disable-extensions",
            "--disable-background-networking",
            "--disable-sync",
            "--no-first-run",
            "--no-default-browser-check",
            "--no-pdf-header-footer",
            "--print-to-pdf-no-header",
            // The page has no scripts and needs no network, and the browser shall not use it for itself.
            "--host-resolver-rules=MAP * ~NOTFOUND",
        ];
        let mut all: Vec<String> = fixed.map(str::to_owned).to_vec();
        // The browser does not start as root with its sandbox.
        if geteuid().is_root() {
            all.push("--no-sandbox".to_owned());
        }
        all.push(format!("--user-data-dir={place}/profile"));
        all.push(format!("--print-to-pdf={pdf}"));
        all.push(format!("file://{html}"));
        all
    }
}

/// Rejects a file that exists, and one that has no directory.
pub(super) fn check_free(to: &Path) -> Result<(), Usage> {
    if to.symlink_metadata().is_ok() {
        return Err(exists(to));
    }
    match directory(to) {
        dir if dir.is_dir() => Ok(()),
        dir => Err(Usage(format!(
            "--pdf {}: {} is not a directory. Create it, or give another file.",
            to.display(),
            dir.display()
        ))),
    }
}

fn exists(to: &Path) -> Usage {
    Usage(format!("--pdf {}: the file exists. Remove it, or give another file.", to.display()))
}

/// Copies the PDF to the new file `to`, which appears only when it is complete.
fn placed(pdf: &Path, to: &Path) -> Result<()> {
    let failed = |error: io::Error| Usage(format!("--pdf {}: {error}. Give another file.", to.display()));
    let mut whole =
        tempfile::Builder::new().prefix(".assay-pdf-").tempfile_in(directory(to)).map_err(failed)?;
    io::copy(&mut File::open(pdf)?, whole.as_file_mut()).map_err(failed)?;
    // A temporary file is private, and a report is made to be handed on.
    whole.as_file().set_permissions(fs::Permissions::from_mode(0o644)).map_err(failed)?;
    whole.persist_noclobber(to).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => exists(to),
        _ => failed(error.error),
    })?;
    Ok(())
}

fn is_pdf(file: &Path) -> bool {
    fs::read(file).is_ok_and(|bytes| bytes.starts_with(MAGIC))
}

/// The last line with text, made visible and at most 200 characters long.
fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    visible(&line.trim().chars().take(200).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// A program in a new directory, as a shell script.
    fn script(name: &str, text: &str) -> (tempfile::TempDir, Option<Printer>) {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(name);
        fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let found = Printer::among(dir.path().as_os_str());
        (dir, found)
    }

    #[test]
    fn the_first_program_of_the_list_is_found_and_only_executable_files_count() {
        let (dir, found) = script("weasyprint", "");
        assert_eq!(found.unwrap().kind, PrinterKind::WeasyPrint);
        fs::write(dir.path().join("chromium"), "").unwrap();
        assert_eq!(Printer::among(dir.path().as_os_str()).unwrap().kind, PrinterKind::WeasyPrint);
        fs::set_permissions(dir.path().join("chromium"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(Printer::among(dir.path().as_os_str()).unwrap().kind, PrinterKind::Chromium);
        assert!(Printer::among(OsStr::new("")).is_none());
    }

    #[test]
    fn a_program_that_fails_or_prints_nothing_leaves_no_file() {
        for (text, why) in [
            ("echo first >&2; echo no display >&2; exit 3", "failed: no display"),
            ("exit 0", "wrote no PDF file"),
            ("echo text > \"$2\"", "wrote no PDF file"),
        ] {
            let (dir, found) = script("weasyprint", text);
            let to = dir.path().join("out.pdf");
            let error = found.unwrap().print(b"page", &to).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
            assert!(!to.exists());
        }
    }

    #[test]
    fn a_program_that_does_not_end_is_killed_with_its_children() {
        let (dir, found) = script("weasyprint", "sleep 600 & echo $! > \"${0%/*}/child\"; wait");
        let printer = Printer { patience: Duration::from_secs(1), ..found.unwrap() };
        let error = printer.print(b"page", &dir.path().join("out.pdf")).unwrap_err().to_string();
        assert!(error.contains("did not end in 1 s, and was killed"), "{error}");
        let child = fs::read_to_string(dir.path().join("child")).unwrap();
        let proc = PathBuf::from(format!("/proc/{}/stat", child.trim()));
        let is_gone = || fs::read_to_string(&proc).map_or(true, |stat| stat.contains(") Z "));
        let begin = Instant::now();
        while !is_gone() && begin.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(is_gone(), "the child {child} still runs");
    }

    #[test]
    fn a_printed_file_appears_whole_and_replaces_no_other() {
        let (dir, found) = script("weasyprint", "{ printf '%%PDF-'; cat \"$1\"; } > \"$2\"");
        let (to, printer) = (dir.path().join("out.pdf"), found.unwrap());
        printer.print(b"page", &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"%PDF-page");
        assert!(check_free(&to).is_err() && check_free(&dir.path().join("new.pdf")).is_ok());
        let error = check_free(&dir.path().join("none/new.pdf")).unwrap_err().to_string();
        assert!(error.contains("none is not a directory. Create it"), "{error}");
        let error = printer.print(b"other", &to).unwrap_err().to_string();
        assert!(error.contains("the file exists"), "{error}");
        assert_eq!(fs::read(&to).unwrap(), b"%PDF-page");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing else remains");
    }

    #[test]
    fn the_browser_has_a_temporary_profile_and_no_network() {
        let kind = PrinterKind::Chromium;
        let printer = Printer { program: "chromium".into(), kind, patience: PATIENCE };
        let arguments = printer.arguments(Path::new("/t"), Path::new("/t/a.html"), Path::new("/t/a.pdf"));
        for wanted in ["--user-data-dir=/t/profile", "--print-to-pdf=/t/a.pdf", "file:///t/a.html"] {
            assert!(arguments.iter().any(|own| own == wanted), "{wanted}");
        }
        assert!(arguments.iter().any(|own| own.starts_with("--host-resolver-rules=")));
        assert_eq!(arguments.iter().any(|own| own == "--no-sandbox"), geteuid().is_root());
    }
}
