//! The store: all entries, series and points, in one SQLite file or in a database of PostgreSQL.
//!
//! Ids are the first 8 bytes of SHA-256 hashes. So two stores give the same thing the same id, and an entry
//! that is added twice is there once. Each call of [`Store::add`] is one transaction, so a killed program
//! leaves a store as it was before the call.
//!
//! A campaign that was extended has a new hash. Its earlier entry stays, but its points are not read.
//!
//! Invariant: a row of `points` is never changed.
//! Never here: decisions about points.

mod add;
mod database;
mod location;
mod notes;
mod postgres;
mod prune;
mod read;
mod schema;
mod sqlite;
mod stamp;
#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use results::history::{HistoryEntry, SeriesId};
use sha2::{Digest, Sha256};

use database::{Database, DatabaseError, StoreAccess, StoreState};
use postgres::PostgresDatabase;
use sqlite::SqliteFile;

pub use location::{PostgresAddress, StoreLocation};
pub use notes::HistoryNote;
pub use prune::RemovablePoints;
pub use read::{EntrySummary, SeriesSummary, StoredPoint};

/// How long a call waits for another writer.
const PATIENCE: Duration = Duration::from_secs(60);

/// An open store.
pub struct Store {
    database: Box<dyn Database>,
    location: StoreLocation,
}

/// Why a store cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// There is no store.
    Missing(StoreLocation),
    /// Something else is at its place.
    Foreign(StoreLocation),
    /// A later version of this program made it; the version of its schema.
    Newer(StoreLocation, u32),
    /// Another program writes for longer than this one waits.
    Busy(StoreLocation),
    /// A killed program left it within a change, and this one may not undo that.
    Interrupted(StoreLocation),
    /// A failed call of the database, in its words.
    Failed(StoreLocation, String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(place) => {
                write!(out, "there is no history at {place}. Make one with assay track add.")
            }
            Self::Foreign(place) => write!(
                out,
                "{place} is not a history of assay, and is left as it is. Name another place for the history."
            ),
            Self::Newer(place, found) => write!(
                out,
                "{place} has format {found}, and this program reads up to {}. Use a newer assay.",
                schema::VERSION
            ),
            Self::Busy(place) => write!(
                out,
                "{place} is in use: another program writes to it for more than {} s. Try again later.",
                PATIENCE.as_secs()
            ),
            Self::Interrupted(place) => write!(
                out,
                "a program that added to {place} was killed, and its change cannot be undone without the \
                 right to write. Run assay track list once as a user who may write to this file and its \
                 directory."
            ),
            Self::Failed(place, why) => write!(out, "{place}: {why}"),
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
    /// Opens the store at `place` to read it.
    pub fn open(place: impl Into<StoreLocation>) -> Result<Self, StoreError> {
        Self::connect(place.into(), StoreAccess::Read)?.checked()
    }

    /// Opens the store at `place` to change it.
    pub fn open_to_write(place: impl Into<StoreLocation>) -> Result<Self, StoreError> {
        Self::connect(place.into(), StoreAccess::Write)?.checked()
    }

    /// Opens the store at `place` to add to it. Makes it if nothing is there, or an empty file.
    pub fn open_or_create(place: impl Into<StoreLocation>) -> Result<Self, StoreError> {
        let mut store = Self::connect(place.into(), StoreAccess::Create)?;
        if store.state()? == StoreState::Empty {
            store.writing(|database| match database.state()? {
                StoreState::Empty => database.create(schema::TABLES, schema::VERSION),
                // Another program just made them.
                _ => Ok(()),
            })?;
        }
        store.checked()
    }

    fn connect(location: StoreLocation, access: StoreAccess) -> Result<Self, StoreError> {
        let opened: Result<Box<dyn Database>, DatabaseError> = match &location {
            StoreLocation::File(path) if access != StoreAccess::Create && !path.exists() => {
                return Err(StoreError::Missing(location));
            }
            StoreLocation::File(path) => {
                SqliteFile::open(path, access, PATIENCE).map(|one| Box::new(one) as _)
            }
            StoreLocation::Postgres(address) => {
                PostgresDatabase::open(address, access, PATIENCE).map(|one| Box::new(one) as _)
            }
        };
        match opened {
            Ok(database) => Ok(Self { database, location }),
            Err(error) => Err(failed(&location, error)),
        }
    }

    fn state(&self) -> Result<StoreState, StoreError> {
        self.database.state().map_err(|error| failed(&self.location, error))
    }

    /// The same store, if it is one of this program.
    fn checked(self) -> Result<Self, StoreError> {
        match self.state()? {
            StoreState::Version(version) if version > schema::VERSION => {
                Err(StoreError::Newer(self.location, version))
            }
            StoreState::Version(_) => Ok(self),
            StoreState::Empty => Err(StoreError::Missing(self.location)),
            StoreState::Foreign => Err(StoreError::Foreign(self.location)),
        }
    }

    /// Its place.
    pub fn location(&self) -> &StoreLocation {
        &self.location
    }

    /// Adds entries in one transaction; all of them or, after an error, none.
    pub fn add(&mut self, entries: &[HistoryEntry], added_s: f64) -> Result<Vec<Added>, StoreError> {
        self.writing(|database| add::add(database, entries, added_s))
    }

    /// Does `work` in a transaction that begins as the only writer.
    fn writing<T>(
        &mut self,
        work: impl FnOnce(&dyn Database) -> Result<T, DatabaseError>,
    ) -> Result<T, StoreError> {
        let database = &*self.database;
        let done = database.begin().and_then(|()| {
            let done = work(database).and_then(|done| database.commit().map(|()| done));
            done.inspect_err(|_| database.roll_back())
        });
        done.map_err(|error| failed(&self.location, error))
    }
}

fn failed(location: &StoreLocation, error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::Busy => StoreError::Busy(location.clone()),
        DatabaseError::Interrupted => StoreError::Interrupted(location.clone()),
        DatabaseError::Foreign => StoreError::Foreign(location.clone()),
        DatabaseError::Failed(why) => StoreError::Failed(location.clone(), why),
    }
}

/// The id of a series in every store.
pub fn series_id(series: &SeriesId) -> i64 {
    id_of(&serde_json::to_string(series).expect("texts are JSON"))
}

fn id_of(text: &str) -> i64 {
    let hash = Sha256::digest(text.as_bytes());
    i64::from_be_bytes(std::array::from_fn(|at| hash[at]))
}
