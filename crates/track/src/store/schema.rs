//! The tables of a store, and the statements that fill and read them.
//!
//! Only types and clauses that SQLite and PostgreSQL share are used.
//!
//! Invariant: a released version of the schema is never changed. A new version has a conversion.
//! Never here: rows.

/// The version of the tables.
pub(super) const VERSION: u32 = 1;

/// The tables.
pub(super) const TABLES: &str = "
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
/// An entry that is added again after it was replaced is the last one that was added.
pub(super) const RENEW: &str = "UPDATE entries SET added_s = $1 WHERE id = $2 AND is_current = 0";
/// Of the entries of a campaign, the one whose chain reaches furthest is current. Of several imports of an
/// output with other names, the last one is.
pub(super) const CHOOSE_CURRENT: &str = "
    UPDATE entries SET is_current = CASE WHEN id = (
        SELECT id FROM entries AS best WHERE best.campaign = $1 ORDER BY extent DESC, added_s DESC, id
        LIMIT 1
    ) THEN 1 ELSE 0 END WHERE campaign = $1";
/// The end of a statement that inserts what may be there.
pub(super) const UNLESS_THERE: &str = " ON CONFLICT DO NOTHING";

pub(super) const SERIES: &str = "
    SELECT id, system, place, plan, scale, test, metric, unit, direction, points, first_s, last_s
    FROM series JOIN (
        SELECT series, count(*) AS points, min(time_s) AS first_s, max(time_s) AS last_s
        FROM points JOIN entries ON entries.id = points.entry WHERE is_current = 1 GROUP BY series
    ) AS extents ON extents.series = series.id";
pub(super) const POINTS: &str = "
    SELECT time_s, entry, setup, mean, readings, why, outcome, threshold, fill, concurrency
    FROM points JOIN entries ON entries.id = points.entry
    WHERE series = $1 AND is_current = 1 ORDER BY time_s, entry, number";
pub(super) const MEANS: &str = "
    SELECT mean FROM points JOIN entries ON entries.id = points.entry
    WHERE series = $1 AND is_current = 1 ORDER BY time_s, entry, number";
pub(super) const ENTRIES: &str = "
    SELECT id, hash, source, location, plan, tool, started_s, overall, facts FROM entries
    WHERE is_current = 1 ORDER BY started_s, id";
pub(super) const SETUP: &str = "SELECT parts FROM setups WHERE id = $1";
