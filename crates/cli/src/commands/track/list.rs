//! `assay track list`: the series of the history, with their course in a few characters.

use anyhow::Result;
use jiff::Timestamp;
use results::reason::Datum;
use track::store::{SeriesSummary, Store, StoredPoint};
use units::several;

use super::super::aligned::aligned;
use super::StorePlace;
use crate::speech::say;
use crate::status::DONE;

/// The most points whose course is shown.
const COURSE_MAX: usize = 24;
/// From the lowest to the highest value.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A point whose values cannot be used.
const UNUSABLE: char = '×';

/// List the series of the history
///
/// A series is a metric of a test on a file system of a system. The course has the last 24 points, from the
/// lowest of them to the highest; × is a point without usable values.
#[derive(clap::Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    store: StorePlace,
    /// Only series with all of these texts in their names
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
}

pub(super) fn run(args: &ListArgs) -> Result<u8> {
    let store = args.store.open()?;
    let series = selected(&store, &args.texts)?;
    if series.is_empty() {
        say(&format!("no series in {}\n", store.path().display()))?;
        return Ok(DONE);
    }
    let header = ["Series", "Points", "First", "Last", "Last value", "Course"].map(str::to_owned);
    let mut rows = vec![header];
    for one in &series {
        rows.push(row(one, &store.points(one.id)?));
    }
    say(&aligned(&rows))?;
    say(&format!("{}. History: {}\n", several(series.len() as u64, "series"), store.path().display()))?;
    Ok(DONE)
}

/// The series whose names have all the texts.
pub(super) fn selected(store: &Store, texts: &[String]) -> Result<Vec<SeriesSummary>> {
    let mut all = store.series()?;
    all.retain(|one| texts.iter().all(|text| one.series.to_string().contains(text.as_str())));
    Ok(all)
}

fn row(one: &SeriesSummary, points: &[StoredPoint]) -> [String; 6] {
    let unit = &one.series.unit;
    let last = points.last().and_then(|point| point.mean);
    let last = last.map_or_else(
        || "-".to_owned(),
        |value| report::sentences::datum(&Datum::Quantity { value, unit: unit.clone() }),
    );
    [one.series.to_string(), one.points.to_string(), day(one.first_s), day(one.last_s), last, course(points)]
}

/// The date, by UTC.
pub(super) fn day(time_s: f64) -> String {
    let moment = Timestamp::from_second(time_s as i64);
    moment.map_or_else(|_| "?".to_owned(), |moment| moment.strftime("%Y-%m-%d").to_string())
}

fn course(points: &[StoredPoint]) -> String {
    let last = &points[points.len().saturating_sub(COURSE_MAX)..];
    let known = || last.iter().filter_map(|point| point.mean);
    let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    let level = |mean: f64| {
        let share = if high > low { (mean - low) / (high - low) } else { 0.5 };
        LEVELS[((share * LEVELS.len() as f64) as usize).min(LEVELS.len() - 1)]
    };
    last.iter().map(|point| point.mean.map_or(UNUSABLE, level)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(mean: Option<f64>) -> StoredPoint {
        StoredPoint {
            time_s: 0.0,
            entry: 0,
            setup: 0,
            mean,
            values: vec![],
            why: None,
            outcome: None,
            threshold: None,
            fill: None,
            concurrency: None,
        }
    }

    #[test]
    fn the_course_goes_from_the_lowest_to_the_highest_of_the_last_points() {
        let means = [Some(0.0), None, Some(7.0), Some(8.0), Some(4.0)];
        assert_eq!(course(&means.map(point)), "▁×██▅");
        assert_eq!(course(&[point(Some(3.0))]), "▅", "one value is in the middle");
        let mut many = vec![point(Some(1e9)); 10];
        many.extend(vec![point(Some(1.0)); 23]);
        many.push(point(Some(2.0)));
        assert_eq!(course(&many), "▁".repeat(23) + "█", "earlier points do not count");
        assert_eq!(course(&[]), "");
    }
}
