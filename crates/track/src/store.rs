//! The store: one SQLite file with all entries, series and points.
//!
//! Ids are the first 8 bytes of SHA-256 hashes. So two stores give the same thing the same id, and an entry
//! that is added twice is there once. Each call of [`Store::add`] is one transaction, so a killed program
//! leaves a store as it was before the call. The rollback journal, and not the write-ahead log, is used: it
//! also works on a file system that several machines mount.
//!
//! A campaign that was extended has a new hash. Its earlier entry stays, but its points are not read.
//!
//! Invariant: a row of `points` is never changed.
//! Never here: decisions about points.

mod notes;
mod read;
mod schema;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use results::history::{HistoryEntry, MeasuredPoint, SeriesId};
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};
use sha2::{Digest, Sha256};

pub use notes::HistoryNote;
pub use read::{EntrySummary, SeriesSummary, StoredPoint};

/// How long a call waits for another writer.
const PATIENCE: Duration = Duration::from_secs(60);

/// An open store.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// Why a store cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// There is no file.
    Missing(PathBuf),
    /// The file is not a store.
    Foreign(PathBuf),
    /// A later version of this program made it; the version of its schema.
    Newer(PathBuf, u32),
    /// Another program writes for longer than this one waits.
    Busy(PathBuf),
    /// A killed program left it within a change, and this one may not undo that.
    Interrupted(PathBuf),
    /// A failed call of the database, in its words.
    Failed(PathBuf, String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => {
                write!(out, "there is no history at {}. Make one with assay track add.", path.display())
            }
            Self::Foreign(path) => write!(
                out,
                "{} is not a history of assay, and is left as it is. Give another file with --store.",
                path.display()
            ),
            Self::Newer(path, found) => write!(
                out,
                "{} has format {found}, and this program reads up to {}. Use a newer assay.",
                path.display(),
                schema::VERSION
            ),
            Self::Busy(path) => write!(
                out,
                "{} is in use: another program writes to it for more than {} s. Try again later.",
                path.display(),
                PATIENCE.as_secs()
            ),
            Self::Interrupted(path) => write!(
                out,
                "a program that added to {} was killed, and its change cannot be undone without the right to \
                 write. Run assay track list once as a user who may write to this file and its directory.",
                path.display()
            ),
            Self::Failed(path, why) => write!(out, "{}: {why}", path.display()),
        }
    }
}

impl std::error::Error for StoreError {}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is in the store now, with this number of points.
    New(usize),
    /// It was there already.
    Known,
}

impl Store {
    /// Opens the store at `path` to read it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        // Only a connection that may write can undo what a killed writer left.
        let flags = match has_journal(path) {
            true => OpenFlags::SQLITE_OPEN_READ_WRITE,
            false => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        Self::connect(path, flags)?.checked()
    }

    /// Opens the store at `path` to change it.
    pub fn open_to_write(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?.checked()
    }

    /// Opens the store at `path` to add to it. Makes it if there is no file, or an empty one.
    pub fn open_or_create(path: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut store = Self::connect(path, flags)?;
        let is_empty = std::fs::metadata(path).is_ok_and(|file| file.len() == 0);
        if is_empty {
            store.writing(schema::create)?;
        }
        store.checked()
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let named = |error| failed(path, &error);
        let connection = Connection::open_with_flags(path, flags).map_err(named)?;
        connection.busy_timeout(PATIENCE).map_err(named)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// The same store, if it is one of this program.
    fn checked(self) -> Result<Self, StoreError> {
        match schema::version(&self.connection) {
            Ok(Some(version)) if version > schema::VERSION => Err(StoreError::Newer(self.path, version)),
            Ok(Some(_)) => Ok(self),
            Ok(None) => Err(StoreError::Foreign(self.path)),
            Err(error) => Err(failed(&self.path, &error)),
        }
    }

    /// The path of its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds entries in one transaction; all of them or, after an error, none.
    pub fn add(&mut self, entries: &[HistoryEntry], added_s: f64) -> Result<Vec<Added>, StoreError> {
        self.writing(|all| entries.iter().map(|entry| add(all, entry, added_s)).collect())
    }

    /// Does `work` in a transaction that begins as the only writer.
    fn writing<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let path = &self.path;
        let named = |error| failed(path, &error);
        let all = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(named)?;
        let done = work(&all).map_err(named)?;
        all.commit().map_err(named)?;
        Ok(done)
    }
}

/// Whether there is a rollback journal: another program writes now, or was killed.
fn has_journal(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    std::fs::metadata(name).is_ok_and(|journal| journal.len() > 0)
}

fn failed(path: &Path, error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy) => StoreError::Busy(path.to_owned()),
        Some(ErrorCode::ReadOnly) if has_journal(path) => StoreError::Interrupted(path.to_owned()),
        Some(ErrorCode::NotADatabase) => StoreError::Foreign(path.to_owned()),
        _ => StoreError::Failed(path.to_owned(), error.to_string()),
    }
}

fn add(all: &Transaction<'_>, entry: &HistoryEntry, added_s: f64) -> rusqlite::Result<Added> {
    let id = id_of(&entry.hash);
    let facts = serde_json::to_string(&entry.facts).expect("facts are JSON");
    let rows = all.prepare_cached(schema::ADD_ENTRY)?.execute(params![
        id,
        entry.hash,
        entry.campaign,
        entry.extent as i64,
        entry.source.word(),
        entry.location,
        entry.plan,
        entry.title,
        entry.tool,
        entry.started_s,
        entry.overall.map(|outcome| outcome.to_string()),
        facts,
        added_s,
    ])?;
    if rows == 0 {
        return Ok(Added::Known);
    }
    all.prepare_cached(schema::CHOOSE_CURRENT)?.execute(params![entry.campaign])?;
    for (number, point) in entry.points.iter().enumerate() {
        add_point(all, id, number, point)?;
    }
    Ok(Added::New(entry.points.len()))
}

fn add_point(
    all: &Transaction<'_>,
    entry: i64,
    number: usize,
    point: &MeasuredPoint,
) -> rusqlite::Result<()> {
    let setup_text = serde_json::to_string(&point.setup).expect("texts are JSON");
    let (series, setup) = (series_id(&point.series), id_of(&setup_text));
    let SeriesId { system, place, plan, scale, test, metric, unit } = &point.series;
    all.prepare_cached(schema::ADD_SERIES)?.execute(params![
        series,
        system,
        place,
        plan,
        scale,
        test,
        metric,
        unit,
        point.direction.word()
    ])?;
    all.prepare_cached(schema::ADD_SETUP)?.execute(params![setup, setup_text])?;
    let values = serde_json::to_string(&point.values).expect("numbers are JSON");
    all.prepare_cached(schema::ADD_POINT)?.execute(params![
        series,
        point.time_s,
        entry,
        number as i64,
        setup,
        results::statistics::mean(&point.values),
        values,
        point.why.map(|code| code.id()),
        point.outcome.map(|outcome| outcome.to_string()),
        point.threshold,
        point.fill,
        point.concurrency,
    ])?;
    Ok(())
}

/// The id of a series in every store.
pub fn series_id(series: &SeriesId) -> i64 {
    id_of(&serde_json::to_string(series).expect("texts are JSON"))
}

fn id_of(text: &str) -> i64 {
    let hash = Sha256::digest(text.as_bytes());
    i64::from_be_bytes(std::array::from_fn(|at| hash[at]))
}
