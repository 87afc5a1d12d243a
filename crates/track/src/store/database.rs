//! What the store needs of a database: statements with values, rows, and transactions.
//!
//! Statements are shared: they have parameters such as `$1`, and only types and clauses that SQLite and
//! PostgreSQL both have. A NaN is stored as NULL in both.
//!
//! Invariant: an error names no password.
//! Never here: the tables and their statements.

use std::borrow::Cow;

/// The most rows of one statement that inserts.
const ROWS_MAX: usize = 64;

/// A value of a parameter or of a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SqlValue<'c> {
    /// No value.
    Null,
    /// An integer.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(Cow<'c, str>),
}

impl From<i64> for SqlValue<'_> {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for SqlValue<'_> {
    fn from(value: f64) -> Self {
        if value.is_nan() { Self::Null } else { Self::Real(value) }
    }
}

impl<'c> From<&'c str> for SqlValue<'c> {
    fn from(text: &'c str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'c> From<&'c String> for SqlValue<'c> {
    fn from(text: &'c String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for SqlValue<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'c, T: Into<SqlValue<'c>>> From<Option<T>> for SqlValue<'c> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row of an answer.
#[derive(Debug, Default)]
pub(super) struct SqlRow(pub(super) Vec<SqlValue<'static>>);

impl SqlRow {
    /// An integer that is not NULL.
    pub(super) fn integer(&self, column: usize) -> Result<i64, DatabaseError> {
        match self.0.get(column) {
            Some(SqlValue::Integer(value)) => Ok(*value),
            other => Err(unreadable(column, "an integer", other)),
        }
    }

    /// A number that is not NULL.
    pub(super) fn real(&self, column: usize) -> Result<f64, DatabaseError> {
        self.known_real(column)?.ok_or_else(|| unreadable(column, "a number", None))
    }

    /// A number or NULL.
    pub(super) fn known_real(&self, column: usize) -> Result<Option<f64>, DatabaseError> {
        match self.0.get(column) {
            Some(SqlValue::Real(value)) => Ok(Some(*value)),
            Some(SqlValue::Null) => Ok(None),
            other => Err(unreadable(column, "a number", other)),
        }
    }

    /// A text that is not NULL.
    pub(super) fn text(&self, column: usize) -> Result<&str, DatabaseError> {
        self.known_text(column)?.ok_or_else(|| unreadable(column, "a text", None))
    }

    /// A text or NULL.
    pub(super) fn known_text(&self, column: usize) -> Result<Option<&str>, DatabaseError> {
        match self.0.get(column) {
            Some(SqlValue::Text(text)) => Ok(Some(text)),
            Some(SqlValue::Null) => Ok(None),
            other => Err(unreadable(column, "a text", other)),
        }
    }
}

fn unreadable(column: usize, wanted: &str, found: Option<&SqlValue<'_>>) -> DatabaseError {
    let found = match found {
        None | Some(SqlValue::Null) => "nothing",
        Some(SqlValue::Integer(_)) => "an integer",
        Some(SqlValue::Real(_)) => "a number",
        Some(SqlValue::Text(_)) => "a text",
    };
    DatabaseError::Failed(format!("column {column} of an answer has {found} in place of {wanted}"))
}

/// Why a statement failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DatabaseError {
    /// Another program writes for longer than this one waits.
    Busy,
    /// A killed program left it within a change, and this one may not undo that.
    Interrupted,
    /// The file is no database.
    Foreign,
    /// Any other reason, in the words of the database.
    Failed(String),
}

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreAccess {
    /// To read it.
    Read,
    /// To change it, if it is there.
    Write,
    /// To change it, or to make it.
    Create,
}

/// What is at the place of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreState {
    /// No table.
    Empty,
    /// A store, with the version of its tables.
    Version(u32),
    /// Something else.
    Foreign,
}

/// A connection.
pub(super) trait Database: Send {
    /// What is there.
    fn state(&self) -> Result<StoreState, DatabaseError>;

    /// Begins a transaction as the only writer. Waits for another one.
    fn begin(&self) -> Result<(), DatabaseError>;

    /// Makes these tables and marks them as a store of this version, in the transaction.
    fn create(&self, tables: &str, version: u32) -> Result<(), DatabaseError>;

    /// Ends the transaction, and keeps what it did.
    fn commit(&self) -> Result<(), DatabaseError>;

    /// Ends the transaction as if it had not begun. It is used after an error, so it reports none.
    fn roll_back(&self);

    /// Executes a statement. Returns how many rows it changed.
    fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, DatabaseError>;

    /// Calls `read` with each row of an answer.
    fn each(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: &mut dyn FnMut(&SqlRow) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError>;
}

/// Inserts rows of `columns` values each; `end` ends the statement. Few different statements are used.
pub(super) fn insert(
    database: &dyn Database,
    table: &str,
    columns: usize,
    end: &str,
    rows: impl Iterator<Item = Vec<SqlValue<'static>>>,
) -> Result<(), DatabaseError> {
    let mut waiting: Vec<SqlValue<'static>> = Vec::with_capacity(ROWS_MAX * columns);
    let all = insert_sql(table, columns, ROWS_MAX, end);
    for row in rows {
        debug_assert_eq!(row.len(), columns);
        waiting.extend(row);
        if waiting.len() == ROWS_MAX * columns {
            database.execute(&all, &waiting)?;
            waiting.clear();
        }
    }
    let mut rest = waiting.as_slice();
    while !rest.is_empty() {
        let rows = 1 << (rest.len() / columns).ilog2();
        let (now, later) = rest.split_at(rows * columns);
        database.execute(&insert_sql(table, columns, rows, end), now)?;
        rest = later;
    }
    Ok(())
}

fn insert_sql(table: &str, columns: usize, rows: usize, end: &str) -> String {
    let row = |row: usize| {
        let values: Vec<String> =
            (1..=columns).map(|column| format!("${}", row * columns + column)).collect();
        format!("({})", values.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!("INSERT INTO {table} VALUES {}{end}", rows.join(", "))
}
