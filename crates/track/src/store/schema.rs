//! The tables of a store, and the statements that fill them.
//!
//! Only types and clauses that SQLite and PostgreSQL share are used.
//!
//! Invariant: a released version of the schema is never changed. A new version has a conversion.
//! Never here: rows.

use rusqlite::{Connection, Transaction};

/// The version of the tables.
pub(super) const VERSION: u32 = 1;
/// Marks the file as one of this program: `assy`.
const APPLICATION: i64 = 0x6173_7379;

const TABLES: &str = "
    CREATE TABLE entries (
        id BIGINT PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        campaign TEXT NOT NULL,
        extent BIGINT NOT NULL,
        is_current BIGINT NOT NULL,
        source TEXT NOT NULL,
        location TEXT NOT NULL,
        plan TEXT NOT NULL,
        title TEXT NOT NULL,
        tool TEXT NOT NULL,
        started_s DOUBLE PRECISION NOT NULL,
        overall TEXT,
        facts TEXT NOT NULL,
        added_s DOUBLE PRECISION NOT NULL
    );
    CREATE INDEX entries_of_campaign ON entries (campaign);
    CREATE TABLE series (
        id BIGINT PRIMARY KEY,
        system TEXT NOT NULL,
        place TEXT NOT NULL,
        plan TEXT NOT NULL,
        scale TEXT NOT NULL,
        test TEXT NOT NULL,
        metric TEXT NOT NULL,
        unit TEXT NOT NULL,
        direction TEXT NOT NULL
    );
    CREATE TABLE setups (
        id BIGINT PRIMARY KEY,
        parts TEXT NOT NULL
    );
    CREATE TABLE points (
        series BIGINT NOT NULL,
        time_s DOUBLE PRECISION NOT NULL,
        entry BIGINT NOT NULL,
        number BIGINT NOT NULL,
        setup BIGINT NOT NULL,
        mean DOUBLE PRECISION,
        readings TEXT NOT NULL,
        why TEXT,
        outcome TEXT,
        threshold DOUBLE PRECISION,
        fill DOUBLE PRECISION,
        concurrency DOUBLE PRECISION,
        PRIMARY KEY (series, time_s, entry, number)
    );
    CREATE TABLE notes (
        id BIGINT PRIMARY KEY,
        time_s DOUBLE PRECISION NOT NULL,
        scope TEXT NOT NULL,
        words TEXT NOT NULL,
        author TEXT NOT NULL,
        made_s DOUBLE PRECISION NOT NULL,
        is_accepted BIGINT NOT NULL,
        withdrawn_s DOUBLE PRECISION
    );
";

pub(super) const ADD_ENTRY: &str = "INSERT INTO entries VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8, $9, \
     $10, $11, $12, $13) ON CONFLICT DO NOTHING";
/// Of the entries of a campaign, the one whose chain reaches furthest is current.
pub(super) const CHOOSE_CURRENT: &str = "
    UPDATE entries SET is_current = CASE WHEN id = (
        SELECT id FROM entries AS best WHERE best.campaign = $1 ORDER BY extent DESC, id LIMIT 1
    ) THEN 1 ELSE 0 END WHERE campaign = $1";
pub(super) const ADD_SERIES: &str =
    "INSERT INTO series VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING";
pub(super) const ADD_SETUP: &str = "INSERT INTO setups VALUES ($1, $2) ON CONFLICT DO NOTHING";
pub(super) const ADD_POINT: &str =
    "INSERT INTO points VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";

/// Makes the tables, unless another program just made them.
pub(super) fn create(all: &Transaction<'_>) -> rusqlite::Result<()> {
    if version(all)?.is_some() {
        return Ok(());
    }
    all.execute_batch(TABLES)?;
    all.pragma_update(None, "application_id", APPLICATION)?;
    all.pragma_update(None, "user_version", VERSION)
}

/// The version of the tables; `None` if the file is not a store.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<Option<u32>> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let is_own = number("application_id")? == APPLICATION;
    Ok(u32::try_from(number("user_version")?).ok().filter(|_| is_own))
}
