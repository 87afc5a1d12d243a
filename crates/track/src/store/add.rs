//! Entries as rows.

use std::collections::{BTreeMap, HashMap};

use results::history::{HistoryEntry, MeasuredPoint, SeriesId};

use super::database::{Database, DatabaseError, SqlValue, insert};
use super::{Added, id_of, schema, series_id};

/// Adds entries in the transaction of the caller.
pub(super) fn add(
    database: &dyn Database,
    entries: &[HistoryEntry],
    added_s: f64,
) -> Result<Vec<Added>, DatabaseError> {
    let mut rows = NewPoints::default();
    let mut done = Vec::with_capacity(entries.len());
    for entry in entries {
        check(entry)?;
        done.push(match add_entry(database, entry, added_s)? {
            None => Added::Known,
            Some(id) => {
                entry.points.iter().enumerate().for_each(|(number, point)| rows.push(id, number, point));
                Added::New(entry.points.len())
            }
        });
    }
    rows.insert(database)?;
    Ok(done)
}

/// Rejects a number that is not finite: as JSON or in SQL it could not be read again.
fn check(entry: &HistoryEntry) -> Result<(), DatabaseError> {
    let is_finite = |point: &&MeasuredPoint| {
        let optional = [point.threshold, point.fill, point.concurrency];
        let numbers = point.values.iter().copied().chain(optional.into_iter().flatten());
        numbers.chain([point.time_s]).all(f64::is_finite)
    };
    entry.points.iter().find(|point| !is_finite(point)).map_or(Ok(()), |point| {
        let (location, series) = (&entry.location, &point.series);
        Err(DatabaseError::Failed(format!("{location}: a number of {series} is not finite")))
    })
}

/// The id of the entry, if it was not there.
fn add_entry(
    database: &dyn Database,
    entry: &HistoryEntry,
    added_s: f64,
) -> Result<Option<i64>, DatabaseError> {
    let id = id_of(&entry.hash);
    let facts = serde_json::to_string(&entry.facts).expect("facts are JSON");
    let rows = database.execute(
        schema::ADD_ENTRY,
        &[
            id.into(),
            (&entry.hash).into(),
            (&entry.campaign).into(),
            (entry.extent as i64).into(),
            entry.source.word().into(),
            (&entry.location).into(),
            (&entry.plan).into(),
            (&entry.title).into(),
            (&entry.tool).into(),
            entry.started_s.into(),
            entry.overall.map(|outcome| outcome.to_string()).into(),
            facts.into(),
            added_s.into(),
        ],
    )?;
    let is_known = rows == 0;
    if is_known && database.execute(schema::RENEW, &[added_s.into(), id.into()])? == 0 {
        return Ok(None);
    }
    database.execute(schema::CHOOSE_CURRENT, &[(&entry.campaign).into()])?;
    Ok(Some(id).filter(|_| !is_known))
}

/// The points of new entries, with the ids of their series and setups.
#[derive(Default)]
struct NewPoints<'e> {
    points: Vec<NewPoint<'e>>,
    series: HashMap<&'e SeriesId, (i64, &'static str)>,
    setups: HashMap<&'e BTreeMap<String, String>, i64>,
}

struct NewPoint<'e> {
    series: i64,
    entry: i64,
    number: i64,
    setup: i64,
    point: &'e MeasuredPoint,
}

impl<'e> NewPoints<'e> {
    fn push(&mut self, entry: i64, number: usize, point: &'e MeasuredPoint) {
        let direction = point.direction.word();
        let series = self.series.entry(&point.series);
        let (series, _) = *series.or_insert_with_key(|series| (series_id(series), direction));
        let setup = *self.setups.entry(&point.setup).or_insert_with_key(|parts| id_of(&setup_text(parts)));
        self.points.push(NewPoint { series, entry, number: number as i64, setup, point });
    }

    /// In the order of the index of points. In any other order, each point would be in another page.
    fn insert(mut self, database: &dyn Database) -> Result<(), DatabaseError> {
        self.points.sort_unstable_by(|one, other| {
            let times = one.point.time_s.total_cmp(&other.point.time_s);
            one.series.cmp(&other.series).then(times).then(one.number.cmp(&other.number))
        });
        let series = self.series.iter().map(|(series, (id, direction))| series_row(*id, series, direction));
        insert(database, "series", 9, schema::UNLESS_THERE, series)?;
        let setups = self.setups.iter().map(|(parts, id)| vec![(*id).into(), setup_text(parts).into()]);
        insert(database, "setups", 2, schema::UNLESS_THERE, setups)?;
        insert(database, "points", 12, "", self.points.iter().map(NewPoint::row))
    }
}

impl NewPoint<'_> {
    fn row(&self) -> Vec<SqlValue<'static>> {
        let point = self.point;
        vec![
            self.series.into(),
            point.time_s.into(),
            self.entry.into(),
            self.number.into(),
            self.setup.into(),
            results::statistics::mean(&point.values).into(),
            serde_json::to_string(&point.values).expect("numbers are JSON").into(),
            point.why.map(|code| code.id()).into(),
            point.outcome.map(|outcome| outcome.to_string()).into(),
            point.threshold.into(),
            point.fill.into(),
            point.concurrency.into(),
        ]
    }
}

fn series_row(id: i64, series: &SeriesId, direction: &'static str) -> Vec<SqlValue<'static>> {
    let SeriesId { system, place, plan, scale, test, metric, unit } = series;
    let names = [system, place, plan, scale, test, metric, unit].map(|name| name.clone().into());
    [SqlValue::from(id)].into_iter().chain(names).chain([direction.into()]).collect()
}

fn setup_text(parts: &BTreeMap<String, String>) -> String {
    serde_json::to_string(parts).expect("texts are JSON")
}
