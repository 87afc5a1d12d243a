//! `assay track list`: the series of the history, with their course in a few characters.

use anyhow::Result;
use report::history::sparkline;
use report::history::words::{local_day, value};
use track::store::{SeriesSummary, Store};
use units::{Usage, several};

use super::super::aligned::aligned;
use super::{StorePlace, characters};
use crate::speech::say;
use crate::status::DONE;

/// The most characters of a course.
const COURSE_MAX: usize = 24;

/// List the series of the history
///
/// A series is a metric of a test on a file system of a system. The course has 24 characters from the first
/// point to the last. Each has the median of an equal share of the points, and × has no usable values. The
/// lowest median is the lowest character.
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
        say(&format!("no series in {}\n", store.location()))?;
        return Ok(DONE);
    }
    let header = ["Series", "Points", "First", "Last", "Last value", "Course"].map(str::to_owned);
    let mut rows = vec![header];
    for one in &series {
        rows.push(row(one, &store.means(one.id)?));
    }
    say(&aligned(&rows))?;
    say(&format!("{}. History: {}\n", several(series.len() as u64, "series"), store.location()))?;
    Ok(DONE)
}

/// The series whose names have all the texts.
pub(super) fn selected(store: &Store, texts: &[String]) -> Result<Vec<SeriesSummary>> {
    let mut all = store.series()?;
    all.retain(|one| texts.iter().all(|text| one.series.to_string().contains(text.as_str())));
    Ok(all)
}

/// The same, of which there must be one.
pub(super) fn one_or_more(store: &Store, texts: &[String]) -> Result<Vec<SeriesSummary>> {
    let series = selected(store, texts)?;
    if series.is_empty() {
        let what = format!("no series of {} has these texts in its name", store.location());
        return Err(Usage(format!("{what}. List the series with assay track list.")).into());
    }
    Ok(series)
}

fn row(one: &SeriesSummary, means: &[Option<f64>]) -> [String; 6] {
    let last = means.last().copied().flatten();
    let last = last.map_or_else(|| "-".to_owned(), |mean| value(mean, &one.series.unit));
    let course = sparkline(means, COURSE_MAX, characters());
    [
        one.series.to_string(),
        one.points.to_string(),
        local_day(one.first_s),
        local_day(one.last_s),
        last,
        course,
    ]
}
