//! The pages of a history: all series, and one of them.
//!
//! Invariant: a page is made only from what is read of the store at one call.
//! Never here: when a page is made.

use anyhow::Result;
use jiff::Timestamp;
use report::document::{Cell, ServedDocument, Table};
use report::sentences;
use results::history::SeriesId;
use results::reason::Datum;
use track::store::{SeriesSummary, Store, StoredPoint};
use units::several;

use super::pages::navigation;

/// The most series of the overview, and the most points of the page of a series.
const ROWS_MAX: usize = 2000;

/// The page of all series.
pub(super) fn overview(store: &Store) -> Result<String> {
    let all = store.series()?;
    let mut table = Table::new("Series", "Series | >Points | First | Last");
    for one in all.iter().take(ROWS_MAX) {
        table.row([
            Cell::new(name(&one.series)).linked(address(one.id)),
            Cell::new(one.points.to_string()),
            Cell::new(day(one.first_s)),
            Cell::new(day(one.last_s)),
        ]);
    }
    if let Some(more) = all.len().checked_sub(ROWS_MAX).filter(|more| *more > 0) {
        table.note = format!("Not shown: {more} more series. List them with: assay track list");
    }
    page("History", several(all.len() as u64, "series"), table)
}

/// The page of the series with this id; `None` if there is none.
pub(super) fn series(store: &Store, id: i64) -> Result<Option<String>> {
    let Some(one) = store.series()?.into_iter().find(|one| one.id == id) else { return Ok(None) };
    let points = store.points(id)?;
    let mut table = Table::new("Points, the latest first", "Time | >Mean | >Repetitions | Verdict");
    points.iter().rev().take(ROWS_MAX).for_each(|point| table.row(row(&one, point)));
    if let Some(more) = points.len().checked_sub(ROWS_MAX).filter(|more| *more > 0) {
        table.note = format!("Not shown: {more} earlier points. Write all with: assay track export");
    }
    page(&name(&one.series), several(points.len() as u64, "point"), table).map(Some)
}

/// The address of the page of a series.
pub(super) fn address(id: i64) -> String {
    format!("/series/{:016x}", id.cast_unsigned())
}

/// The id of the series with the page `name`.
pub(super) fn id_of(name: &str) -> Option<i64> {
    let is_digits = name.len() == 16 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let number = u64::from_str_radix(name, 16).ok().filter(|_| is_digits);
    number.map(u64::cast_signed)
}

fn page(title: &str, state: String, table: Table) -> Result<String> {
    Ok(report::served_html(&ServedDocument {
        title: title.to_owned(),
        kind: "assay: history".to_owned(),
        navigation: navigation(),
        state: Some(Cell::new(state)),
        tables: vec![table],
        footer: "Made by assay serve from the history as it is now.".to_owned(),
        ..ServedDocument::default()
    })?)
}

fn row(one: &SeriesSummary, point: &StoredPoint) -> [Cell; 4] {
    let unit = &one.series.unit;
    let mean = point.mean.map(|value| sentences::datum(&Datum::Quantity { value, unit: unit.clone() }));
    [
        Cell::new(day(point.time_s)),
        Cell::new(mean.unwrap_or_else(|| "–".to_owned())),
        Cell::new(point.values.len().to_string()),
        Cell::new(point.outcome.map_or_else(|| "–".to_owned(), |outcome| outcome.to_string())),
    ]
}

/// The parts of a name that are not empty.
fn name(series: &SeriesId) -> String {
    let SeriesId { system, place, plan, scale, test, metric, unit: _ } = series;
    let parts = [system, place, plan, scale, test, metric];
    parts.into_iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" / ")
}

/// The date, by UTC.
fn day(time_s: f64) -> String {
    let moment = Timestamp::from_second(time_s as i64);
    moment.map_or_else(|_| "?".to_owned(), |moment| moment.strftime("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::{address, id_of};

    #[test]
    fn the_address_of_a_series_has_its_id_and_no_other_spelling_has_it() {
        for id in [0, 1, -1, i64::MIN, i64::MAX] {
            assert_eq!(id_of(address(id).strip_prefix("/series/").unwrap()), Some(id));
        }
        for name in ["", "0", "+00000000000000f", "00000000000000FF", "0000000000000000 ", "../../etc/passwd"]
        {
            assert_eq!(id_of(name), None, "{name}");
        }
    }
}
