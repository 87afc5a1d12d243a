//! What a store has.

use std::collections::BTreeMap;

use results::Outcome;
use results::comparison::MetricDirection;
use results::history::{EntryFact, EntrySource, SeriesId};
use results::reason::Code;

use super::database::{DatabaseError, SqlRow, SqlValue};
use super::{Store, StoreError, failed, schema};

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
        let mut all = self.rows(schema::SERIES, &[], summary_of_series)?;
        // Databases compare texts in different ways.
        all.sort_by(|one, other| one.series.cmp(&other.series));
        Ok(all)
    }

    /// The points of a series, by time.
    pub fn points(&self, series: i64) -> Result<Vec<StoredPoint>, StoreError> {
        self.rows(schema::POINTS, &[series.into()], stored_point)
    }

    /// The means of the points of a series, by time; absent where the values cannot be used.
    pub fn means(&self, series: i64) -> Result<Vec<Option<f64>>, StoreError> {
        self.rows(schema::MEANS, &[series.into()], |row| row.known_real(0))
    }

    /// All entries, by their start. Of a campaign that was extended, the last.
    pub fn entries(&self) -> Result<Vec<EntrySummary>, StoreError> {
        self.rows(schema::ENTRIES, &[], summary_of_entry)
    }

    /// The parts of a setup, by name.
    pub fn setup(&self, setup: i64) -> Result<BTreeMap<String, String>, StoreError> {
        let found = self.rows(schema::SETUP, &[setup.into()], |cells| json(cells.text(0)?))?;
        let missing = || DatabaseError::Failed(format!("the setup {setup} is missing"));
        found.into_iter().next().ok_or_else(|| failed(&self.location, missing()))
    }

    pub(super) fn rows<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: fn(&SqlRow) -> Result<T, DatabaseError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut all = Vec::new();
        let done = self.database.each(sql, values, &mut |cells| {
            all.push(read(cells)?);
            Ok(())
        });
        done.map_err(|error| failed(&self.location, error))?;
        Ok(all)
    }
}

fn summary_of_series(row: &SqlRow) -> Result<SeriesSummary, DatabaseError> {
    let name = |column| row.text(column).map(str::to_owned);
    let series = SeriesId {
        system: name(1)?,
        place: name(2)?,
        plan: name(3)?,
        scale: name(4)?,
        test: name(5)?,
        metric: name(6)?,
        unit: name(7)?,
    };
    let word = row.text(8)?;
    let direction = MetricDirection::named(word).unwrap_or_default();
    Ok(SeriesSummary {
        id: row.integer(0)?,
        series,
        direction,
        points: row.integer(9)?.unsigned_abs(),
        first_s: row.real(10)?,
        last_s: row.real(11)?,
    })
}

fn stored_point(row: &SqlRow) -> Result<StoredPoint, DatabaseError> {
    Ok(StoredPoint {
        time_s: row.real(0)?,
        entry: row.integer(1)?,
        setup: row.integer(2)?,
        mean: row.known_real(3)?,
        values: json(row.text(4)?)?,
        why: row.known_text(5)?.and_then(Code::named),
        outcome: outcome(row.known_text(6)?),
        threshold: row.known_real(7)?,
        fill: row.known_real(8)?,
        concurrency: row.known_real(9)?,
    })
}

fn summary_of_entry(row: &SqlRow) -> Result<EntrySummary, DatabaseError> {
    let source = row.text(2)?;
    Ok(EntrySummary {
        id: row.integer(0)?,
        hash: row.text(1)?.to_owned(),
        source: EntrySource::named(source).unwrap_or_default(),
        location: row.text(3)?.to_owned(),
        plan: row.text(4)?.to_owned(),
        tool: row.text(5)?.to_owned(),
        started_s: row.real(6)?,
        overall: outcome(row.known_text(7)?),
        facts: json(row.text(8)?)?,
    })
}

/// A column with JSON.
pub(super) fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, DatabaseError> {
    serde_json::from_str(text)
        .map_err(|error| DatabaseError::Failed(format!("a row cannot be read: {error}")))
}

fn outcome(word: Option<&str>) -> Option<Outcome> {
    use Outcome::{Fail, Inconclusive, Invalid, NotRun, Pass};
    let word = word?;
    [Pass, Fail, Inconclusive, Invalid, NotRun].into_iter().find(|one| one.to_string() == word)
}
