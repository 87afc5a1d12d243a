//! What a store has.

use std::collections::BTreeMap;

use results::Outcome;
use results::comparison::MetricDirection;
use results::history::{EntryFact, EntrySource, SeriesId};
use results::reason::Code;
use rusqlite::{Row, params};

use super::{Store, StoreError, failed};

/// A series and its extent.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesSummary {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub series: SeriesId,
    /// Which values are better.
    pub direction: MetricDirection,
    /// How many points it has.
    pub points: u64,
    /// The time of its first point, seconds since 1970.
    pub first_s: f64,
    /// The time of its last point.
    pub last_s: f64,
}

/// A point as the store has it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPoint {
    /// Seconds since 1970.
    pub time_s: f64,
    /// The entry that it is from.
    pub entry: i64,
    /// What must be the same for two points to be compared: equal ids have equal parts.
    pub setup: i64,
    /// The mean of its values; absent if they cannot be used.
    pub mean: Option<f64>,
    /// One value for each repetition.
    pub values: Vec<f64>,
    /// Why there are none.
    pub why: Option<Code>,
    /// The outcome of the clause.
    pub outcome: Option<Outcome>,
    /// The threshold of the clause.
    pub threshold: Option<f64>,
    /// The used share of the file system.
    pub fill: Option<f64>,
    /// How many other jobs ran at the same time.
    pub concurrency: Option<f64>,
}

/// An entry without its points.
#[derive(Clone, Debug, PartialEq)]
pub struct EntrySummary {
    /// Its id.
    pub id: i64,
    /// The evidence hash, or that of the imported file.
    pub hash: String,
    /// Where it comes from.
    pub source: EntrySource,
    /// The folder, archive or file when it was added.
    pub location: String,
    /// The id of the plan.
    pub plan: String,
    /// Program and version.
    pub tool: String,
    /// Its start, seconds since 1970.
    pub started_s: f64,
    /// The worst outcome of its clauses.
    pub overall: Option<Outcome>,
    /// Facts that may explain a change.
    pub facts: Vec<EntryFact>,
}

impl Store {
    /// All series, by their names.
    pub fn series(&self) -> Result<Vec<SeriesSummary>, StoreError> {
        let sql = "SELECT series.id, system, place, series.plan, scale, test, metric, unit, direction, \
                   count(*), min(time_s), max(time_s) FROM series JOIN points ON series.id = points.series \
                   JOIN entries ON entries.id = points.entry WHERE is_current = 1 \
                   GROUP BY series.id, system, place, series.plan, scale, test, metric, unit, direction \
                   ORDER BY system, place, series.plan, scale, test, metric, unit";
        self.rows(sql, &[], summary_of_series)
    }

    /// The points of a series, by time.
    pub fn points(&self, series: i64) -> Result<Vec<StoredPoint>, StoreError> {
        let sql = "SELECT time_s, entry, setup, mean, readings, why, outcome, threshold, fill, concurrency \
                   FROM points JOIN entries ON entries.id = points.entry \
                   WHERE series = $1 AND is_current = 1 ORDER BY time_s, entry, number";
        self.rows(sql, &[&series], stored_point)
    }

    /// All entries, by their start. Of a campaign that was extended, the last.
    pub fn entries(&self) -> Result<Vec<EntrySummary>, StoreError> {
        let sql = "SELECT id, hash, source, location, plan, tool, started_s, overall, facts FROM entries \
                   WHERE is_current = 1 ORDER BY started_s, id";
        self.rows(sql, &[], summary_of_entry)
    }

    /// The parts of a setup, by name.
    pub fn setup(&self, setup: i64) -> Result<BTreeMap<String, String>, StoreError> {
        let text =
            self.connection.query_row("SELECT parts FROM setups WHERE id = $1", params![setup], |row| {
                row.get::<_, String>(0)
            });
        let text = text.map_err(|error| failed(&self.path, &error))?;
        serde_json::from_str(&text).map_err(|error| self.unreadable("setups", &error))
    }

    pub(super) fn rows<T>(
        &self,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let found = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map(values, read)?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        found().map_err(|error| failed(&self.path, &error))
    }

    fn unreadable(&self, table: &str, error: &serde_json::Error) -> StoreError {
        StoreError::Failed(self.path.clone(), format!("a row of {table} cannot be read: {error}"))
    }
}

fn summary_of_series(row: &Row<'_>) -> rusqlite::Result<SeriesSummary> {
    let series = SeriesId {
        system: row.get(1)?,
        place: row.get(2)?,
        plan: row.get(3)?,
        scale: row.get(4)?,
        test: row.get(5)?,
        metric: row.get(6)?,
        unit: row.get(7)?,
    };
    let word: String = row.get(8)?;
    let direction = MetricDirection::ALL.into_iter().find(|one| one.word() == word).unwrap_or_default();
    Ok(SeriesSummary {
        id: row.get(0)?,
        series,
        direction,
        points: row.get::<_, i64>(9)?.unsigned_abs(),
        first_s: row.get(10)?,
        last_s: row.get(11)?,
    })
}

fn stored_point(row: &Row<'_>) -> rusqlite::Result<StoredPoint> {
    let (values, why): (String, Option<String>) = (row.get(4)?, row.get(5)?);
    Ok(StoredPoint {
        time_s: row.get(0)?,
        entry: row.get(1)?,
        setup: row.get(2)?,
        mean: row.get(3)?,
        values: json(4, &values)?,
        why: why.as_deref().and_then(Code::named),
        outcome: outcome(row.get(6)?),
        threshold: row.get(7)?,
        fill: row.get(8)?,
        concurrency: row.get(9)?,
    })
}

fn summary_of_entry(row: &Row<'_>) -> rusqlite::Result<EntrySummary> {
    let (source, facts): (String, String) = (row.get(2)?, row.get(8)?);
    Ok(EntrySummary {
        id: row.get(0)?,
        hash: row.get(1)?,
        source: EntrySource::ALL.into_iter().find(|one| one.word() == source).unwrap_or_default(),
        location: row.get(3)?,
        plan: row.get(4)?,
        tool: row.get(5)?,
        started_s: row.get(6)?,
        overall: outcome(row.get(7)?),
        facts: json(8, &facts)?,
    })
}

/// A column with JSON.
pub(super) fn json<T: serde::de::DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}

fn outcome(word: Option<String>) -> Option<Outcome> {
    use Outcome::{Fail, Inconclusive, Invalid, NotRun, Pass};
    let word = word?;
    [Pass, Fail, Inconclusive, Invalid, NotRun].into_iter().find(|one| one.to_string() == word)
}
