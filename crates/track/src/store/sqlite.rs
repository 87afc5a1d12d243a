//! SQLite: one file.
//!
//! The rollback journal, and not the write-ahead log, is used: it also works on a file system that several
//! machines mount.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, ToSql};

use super::database::{Database, DatabaseError, SqlRow, SqlValue, StoreAccess, StoreState};
use super::schema::{TABLES, VERSION};

/// Marks the file as one of this program: `assy`.
const APPLICATION: i64 = 0x6173_7379;
/// The memory for pages, KiB. Indexes of a million points have their upper levels in it.
const CACHE_KIB: i64 = 65_536;
/// The most statements that stay prepared.
const STATEMENTS_MAX: usize = 64;

/// An open file.
pub(super) struct SqliteFile(Connection);

impl SqliteFile {
    /// Opens a file. Each call waits for another writer at most this long.
    pub(super) fn open(path: &Path, access: StoreAccess, patience: Duration) -> Result<Self, DatabaseError> {
        let flags = match access {
            // Only a connection that may write can undo what a killed writer left.
            StoreAccess::Read if has_journal(path) => OpenFlags::SQLITE_OPEN_READ_WRITE,
            StoreAccess::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            StoreAccess::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
            StoreAccess::Create => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(patience)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        Ok(Self(connection))
    }

    /// Whether the tables are those of this program. A view in the place of a table can compute without end,
    /// and so can a trigger. Other tables and views are not read.
    fn has_own_tables(&self) -> Result<bool, DatabaseError> {
        let made = Connection::open_in_memory()?;
        made.execute_batch(TABLES)?;
        let found = definitions(&self.0)?;
        let is_trigger = |sql: &String| sql.to_ascii_uppercase().starts_with("CREATE TRIGGER");
        let has_all = definitions(&made)?.iter().all(|(name, sql)| found.get(name) == Some(sql));
        Ok(has_all && !found.values().any(is_trigger))
    }

    fn number(&self, pragma: &str) -> Result<i64, DatabaseError> {
        Ok(self.0.pragma_query_value(None, pragma, |row| row.get(0))?)
    }
}

impl Database for SqliteFile {
    fn state(&self) -> Result<StoreState, DatabaseError> {
        let (application, version) = (self.number("application_id")?, self.number("user_version")?);
        if application == APPLICATION && version == i64::from(VERSION) && !self.has_own_tables()? {
            return Ok(StoreState::Foreign);
        }
        if application == APPLICATION {
            return Ok(u32::try_from(version).map_or(StoreState::Foreign, StoreState::Version));
        }
        let tables: i64 = self.0.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        Ok(match (application, version, tables) {
            (0, 0, 0) => StoreState::Empty,
            _ => StoreState::Foreign,
        })
    }

    fn begin(&self) -> Result<(), DatabaseError> {
        Ok(self.0.execute_batch("BEGIN IMMEDIATE")?)
    }

    fn create(&self, tables: &str, version: u32) -> Result<(), DatabaseError> {
        self.0.execute_batch(tables)?;
        self.0.pragma_update(None, "application_id", APPLICATION)?;
        Ok(self.0.pragma_update(None, "user_version", version)?)
    }

    fn commit(&self) -> Result<(), DatabaseError> {
        Ok(self.0.execute_batch("COMMIT")?)
    }

    fn roll_back(&self) {
        // Some errors, such as a full disk, have ended the transaction already.
        let _ = self.0.execute_batch("ROLLBACK");
    }

    fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, DatabaseError> {
        let mut statement = self.0.prepare_cached(sql)?;
        Ok(statement.execute(rusqlite::params_from_iter(values))? as u64)
    }

    fn each(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: &mut dyn FnMut(&SqlRow) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let mut statement = self.0.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        let mut cells = SqlRow::default();
        while let Some(row) = rows.next()? {
            cells.0.clear();
            for column in 0..columns {
                cells.0.push(cell(row.get_ref(column)?, column)?);
            }
            read(&cells)?;
        }
        Ok(())
    }
}

/// The statements that made tables, indexes, views and triggers, by name. Their words have single blanks.
fn definitions(connection: &Connection) -> Result<BTreeMap<String, String>, DatabaseError> {
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let single = |sql: String| sql.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(rows.map(|row| row.map(|(name, sql)| (name, single(sql)))).collect::<Result<_, Error>>()?)
}

/// Whether there is a rollback journal: another program writes now, or was killed.
fn has_journal(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    std::fs::metadata(name).is_ok_and(|journal| journal.len() > 0)
}

fn cell(value: ValueRef<'_>, column: usize) -> Result<SqlValue<'static>, DatabaseError> {
    let unreadable = || DatabaseError::Failed(format!("column {column} of an answer is not UTF-8 text"));
    Ok(match value {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(value) => SqlValue::Integer(value),
        ValueRef::Real(value) => SqlValue::Real(value),
        ValueRef::Text(bytes) => {
            SqlValue::Text(Cow::Owned(std::str::from_utf8(bytes).map_err(|_| unreadable())?.to_owned()))
        }
        ValueRef::Blob(_) => return Err(unreadable()),
    })
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(value) => ToSqlOutput::Owned(Value::Integer(*value)),
            Self::Real(value) => ToSqlOutput::Owned(Value::Real(*value)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

impl From<Error> for DatabaseError {
    fn from(error: Error) -> Self {
        let extended = error.sqlite_error().map(|error| error.extended_code);
        match error.sqlite_error_code() {
            _ if extended == Some(rusqlite::ffi::SQLITE_READONLY_ROLLBACK) => Self::Interrupted,
            Some(ErrorCode::DatabaseBusy) => Self::Busy,
            Some(ErrorCode::NotADatabase) => Self::Foreign,
            _ => Self::Failed(error.to_string()),
        }
    }
}
