//! PostgreSQL: the tables are in a schema of their own, so that a database can have other tables too.
//!
//! A table with the format takes the place of the marks in a file of SQLite. Writers wait for each other with
//! an advisory lock. Nothing waits for ever: connections, statements and locks have time limits.
//!
//! Invariant: only the schema of this program is changed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error as _;
use std::time::Duration;

use ::postgres::error::SqlState;
use ::postgres::fallible_iterator::FallibleIterator;
use ::postgres::types::private::BytesMut;
use ::postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use ::postgres::{Client, Error, NoTls, Row, Statement};

use super::database::{Database, DatabaseError, SqlRow, SqlValue, StoreAccess, StoreState};
use super::location::PostgresAddress;

/// What the table of the format says.
const APPLICATION: &str = "assay history";
/// The advisory lock of writers, which is one for each database: `assy`.
const WRITERS: i64 = 0x6173_7379;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the server may not acknowledge what was sent.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a statement may take.
const STATEMENT: Duration = Duration::from_secs(600);

const RELATIONS: &str = "
    SELECT count(*), count(*) FILTER (WHERE relname = 'format' AND relkind = 'r') FROM pg_catalog.pg_class
    JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = 'assay'";
const FORMAT: &str = "SELECT application, version FROM assay.format";
const SCHEMAS: &str = "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = 'assay'";
/// Each transaction that writes has a number, and a snapshot names the ones that have ended. Other databases
/// of the server share the numbers, so the value can change without a write to this store.
const SNAPSHOT: &str = "SELECT pg_current_snapshot()::text, pg_postmaster_start_time()::text";
const FORMAT_TABLE: &str = "CREATE TABLE format (application TEXT NOT NULL, version BIGINT NOT NULL)";

/// An open connection.
pub(super) struct PostgresDatabase {
    client: RefCell<Client>,
    statements: RefCell<HashMap<String, Statement>>,
}

impl PostgresDatabase {
    /// Connects. Each call waits for another writer at most this long.
    pub(super) fn open(
        address: &PostgresAddress,
        access: StoreAccess,
        patience: Duration,
    ) -> Result<Self, DatabaseError> {
        let mut config = address.config().clone();
        config.application_name("assay").connect_timeout(CONNECT);
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE);
        let mut client = config.connect(NoTls)?;
        client.batch_execute(&format!(
            "SET search_path = assay; SET client_min_messages = error; SET lock_timeout = {}; \
             SET statement_timeout = {}; SET default_transaction_read_only = {}",
            patience.as_millis(),
            STATEMENT.as_millis(),
            if access == StoreAccess::Read { "on" } else { "off" },
        ))?;
        Ok(Self { client: RefCell::new(client), statements: RefCell::default() })
    }

    /// A value that changes when any transaction of the server wrote.
    pub(super) fn stamp(&self) -> Result<String, DatabaseError> {
        let row = self.client.borrow_mut().query_one(SNAPSHOT, &[])?;
        Ok(format!("{} {}", row.try_get::<_, &str>(0)?, row.try_get::<_, &str>(1)?))
    }

    fn statement(&self, sql: &str) -> Result<Statement, DatabaseError> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.borrow_mut().prepare(sql)?;
        self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn batch(&self, sql: &str) -> Result<(), DatabaseError> {
        Ok(self.client.borrow_mut().batch_execute(sql)?)
    }
}

impl Database for PostgresDatabase {
    fn state(&self) -> Result<StoreState, DatabaseError> {
        let mut client = self.client.borrow_mut();
        let relations = client.query_one(RELATIONS, &[])?;
        match (relations.get::<_, i64>(0), relations.get::<_, i64>(1)) {
            (0, _) => return Ok(StoreState::Empty),
            (_, 0) => return Ok(StoreState::Foreign),
            _ => {}
        }
        let found = match client.query(FORMAT, &[]) {
            Err(error) if error.code() == Some(&SqlState::UNDEFINED_COLUMN) => {
                return Ok(StoreState::Foreign);
            }
            other => other?,
        };
        let [row] = found.as_slice() else { return Ok(StoreState::Foreign) };
        let is_own = row.try_get::<_, &str>(0).is_ok_and(|application| application == APPLICATION);
        let version = row.try_get::<_, i64>(1).ok().and_then(|version| u32::try_from(version).ok());
        Ok(version.filter(|_| is_own).map_or(StoreState::Foreign, StoreState::Version))
    }

    fn begin(&self) -> Result<(), DatabaseError> {
        self.batch("BEGIN")?;
        let locked = self.batch(&format!("SELECT pg_advisory_xact_lock({WRITERS})"));
        locked.inspect_err(|_| self.roll_back())
    }

    fn create(&self, tables: &str, version: u32) -> Result<(), DatabaseError> {
        let schemas: i64 = self.client.borrow_mut().query_one(SCHEMAS, &[])?.get(0);
        if schemas == 0 {
            self.batch("CREATE SCHEMA assay")?;
        }
        self.batch(&format!(
            "{tables}; {FORMAT_TABLE}; INSERT INTO format VALUES ('{APPLICATION}', {version})"
        ))
    }

    fn commit(&self) -> Result<(), DatabaseError> {
        self.batch("COMMIT")
    }

    fn roll_back(&self) {
        // A lost connection has ended the transaction already.
        let _ = self.batch("ROLLBACK");
    }

    fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, DatabaseError> {
        let statement = self.statement(sql)?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
        Ok(self.client.borrow_mut().execute(&statement, &values)?)
    }

    fn each(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: &mut dyn FnMut(&SqlRow) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let statement = self.statement(sql)?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
        let mut client = self.client.borrow_mut();
        let mut rows = client.query_raw(&statement, values)?;
        let mut cells = SqlRow::default();
        while let Some(row) = rows.next()? {
            cells.0.clear();
            for column in 0..row.len() {
                cells.0.push(cell(&row, column)?);
            }
            read(&cells)?;
        }
        Ok(())
    }
}

fn cell(row: &Row, column: usize) -> Result<SqlValue<'static>, DatabaseError> {
    let kind = row.columns()[column].type_();
    Ok(match *kind {
        Type::INT8 => row.try_get::<_, Option<i64>>(column)?.into(),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(column)?.into(),
        Type::TEXT => row.try_get::<_, Option<String>>(column)?.into(),
        _ => return Err(DatabaseError::Failed(format!("column {column} of an answer has the type {kind}"))),
    })
}

impl ToSql for SqlValue<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(value) => value.to_sql_checked(kind, out),
            Self::Real(value) => value.to_sql_checked(kind, out),
            Self::Text(text) => text.to_sql_checked(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::FLOAT8 | Type::TEXT)
    }

    to_sql_checked!();
}

impl From<Error> for DatabaseError {
    fn from(error: Error) -> Self {
        if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) {
            return Self::Busy;
        }
        let why = match error.as_db_error() {
            Some(error) => error.message().to_owned(),
            None => error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}")),
        };
        Self::Failed(why)
    }
}
