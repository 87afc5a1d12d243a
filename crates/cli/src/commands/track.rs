//! `assay track`: the history of systems.

mod add;
mod check;
mod export;
mod files;
mod list;
mod note;
mod prune;
mod report;
mod show;
pub(super) mod view;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ::judge::EntryNames;
use ::report::history::{DrawingCharacters, FallRule};
use anyhow::{Context, Result};
use clap::Subcommand;
use results::history::HistoryEntry;
use track::import::seconds;
use track::store::{Store, StoreError, StoreLocation};
use units::Usage;

use super::compare::share;

/// The variable with the store of a site.
const VARIABLE: &str = "ASSAY_STORE";

/// Keep a history of systems over years, from campaigns and old logs
///
/// The history is one SQLite file, or in a database of PostgreSQL. Without --store it is the place in the
/// variable ASSAY_STORE, or the file assay/history.sqlite in XDG_DATA_HOME or ~/.local/share. A password for
/// PostgreSQL may be in the variable PGPASSWORD. Each point leads back to its campaign folder or file.
#[derive(clap::Args)]
pub(crate) struct TrackArgs {
    #[command(subcommand)]
    command: TrackCommand,
}

#[derive(Subcommand)]
enum TrackCommand {
    Add(add::AddArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Report(report::HistoryReportArgs),
    Check(check::CheckArgs),
    Note(note::NoteArgs),
    Prune(prune::PruneArgs),
    Export(export::ExportArgs),
}

/// The entry of the ended campaign in this folder or archive, or why it has none.
pub(super) fn entry_of_campaign(path: &Path, names: EntryNames<'_>) -> Result<HistoryEntry, String> {
    let location = path.canonicalize().map_err(|error| error.to_string())?;
    add::of_campaign(path, &location.display().to_string(), names)
}

/// Which history.
#[derive(clap::Args, Default)]
pub(super) struct StorePlace {
    /// The history: a file, or postgres://USER@HOST/DATABASE [default: as by `assay track --help`]
    #[arg(long, value_name = "PLACE")]
    pub(super) store: Option<OsString>,
}

/// When a series has fallen.
#[derive(clap::Args)]
struct FallArgs {
    /// A series fell if it lost more than this share of its speed
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    fall: f64,
    /// The baseline is the first point since this date, and not since an accepted note: RFC 3339, a local
    /// date, or seconds since 1970
    #[arg(long, value_name = "DATE", value_parser = date)]
    since: Option<f64>,
}

impl FallArgs {
    fn rule(&self) -> FallRule {
        FallRule { fall: self.fall, since_s: self.since }
    }
}

impl StorePlace {
    /// Whether the user named it.
    pub(super) fn is_named(&self) -> bool {
        self.store.is_some() || variable(VARIABLE).is_some()
    }

    /// The place, with the password of the environment.
    pub(super) fn location(&self) -> Result<StoreLocation> {
        // Not parsed by clap, because its errors would show a password.
        let place = match self.store.clone().or_else(|| variable(VARIABLE)) {
            Some(text) => location(text)?,
            None => StoreLocation::File(default_file()?),
        };
        let password = std::env::var("PGPASSWORD").ok().filter(|password| !password.is_empty());
        Ok(match password {
            Some(password) => place.or_password(&password),
            None => place,
        })
    }

    /// The history, to read it.
    pub(super) fn open(&self) -> Result<Store> {
        Store::open(&self.location()?).map_err(usage)
    }

    /// The history, to change it.
    fn open_to_write(&self) -> Result<Store> {
        Store::open_to_write(&self.location()?).map_err(usage)
    }

    /// The history, to add to it.
    pub(super) fn open_or_create(&self) -> Result<Store> {
        let place = self.location()?;
        if let (None, StoreLocation::File(path)) = (&self.store, &place)
            && let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty())
        {
            std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        }
        Store::open_or_create(&place).map_err(usage)
    }
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The history of a user who names none.
fn default_file() -> Result<PathBuf, Usage> {
    let home = || Some(PathBuf::from(variable("HOME")?).join(".local/share"));
    let data = variable("XDG_DATA_HOME").map(PathBuf::from).or_else(home);
    let missing = || Usage("HOME is not set. Give the file of the history with --store.".to_owned());
    Ok(data.ok_or_else(missing)?.join("assay/history.sqlite"))
}

/// The place of a history. The name of a file may have any bytes.
fn location(text: OsString) -> Result<StoreLocation, Usage> {
    match text.into_string() {
        Ok(text) => text.parse(),
        Err(bytes) => Ok(StoreLocation::File(bytes.into())),
    }
}

fn date(text: &str) -> Result<f64, String> {
    seconds(text).ok_or_else(|| "write a date such as 2026-11-25".to_owned())
}

/// A store that cannot be used is a mistake of the user; a failed or a waiting database is none.
pub(super) fn usage(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Busy(_) | StoreError::Interrupted(_) | StoreError::Failed(..) => error.into(),
        _ => Usage(error.to_string()).into(),
    }
}

/// The characters of charts: ASCII if a variable of the locale names another encoding than UTF-8.
fn characters() -> DrawingCharacters {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.iter().filter_map(std::env::var_os).find(|value| !value.is_empty());
    of_locale(&locale.unwrap_or_default().to_string_lossy())
}

fn of_locale(locale: &str) -> DrawingCharacters {
    let locale = locale.to_ascii_lowercase();
    match locale.is_empty() || locale.contains("utf-8") || locale.contains("utf8") {
        true => DrawingCharacters::Unicode,
        false => DrawingCharacters::Ascii,
    }
}

pub(crate) fn run(args: TrackArgs) -> Result<u8> {
    match args.command {
        TrackCommand::Add(args) => add::run(args),
        TrackCommand::List(args) => list::run(&args),
        TrackCommand::Show(args) => show::run(&args),
        TrackCommand::Report(args) => report::run(&args),
        TrackCommand::Check(args) => check::run(&args),
        TrackCommand::Note(args) => note::run(&args),
        TrackCommand::Prune(args) => prune::run(&args),
        TrackCommand::Export(args) => export::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_without_utf_8_has_ascii_charts() {
        for (locale, wanted) in [
            ("", DrawingCharacters::Unicode),
            ("en_US.UTF-8", DrawingCharacters::Unicode),
            ("C.utf8", DrawingCharacters::Unicode),
            ("C", DrawingCharacters::Ascii),
            ("de_DE.ISO-8859-1", DrawingCharacters::Ascii),
        ] {
            assert_eq!(of_locale(locale), wanted, "{locale}");
        }
    }
}
