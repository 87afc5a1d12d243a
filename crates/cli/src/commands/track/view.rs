//! A history as its pages and its terminal views show it.
//!
//! Never here: output.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use report::history::{FallRule, HistoryView};
use track::change::ChangeSettings;
use track::course::SeriesCourse;
use track::store::{SeriesSummary, Store};

use crate::speech::living_line;

/// These series with their changes.
fn analysed(store: &Store, all: Vec<SeriesSummary>) -> Result<Vec<SeriesCourse>> {
    let settings = ChangeSettings::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let line = living_line("{pos} of {len} series {wide_msg}", Some(all.len() as u64));
    let courses = SeriesCourse::all(store, all, &settings, threads, &|| line.inc(1))?;
    line.finish_and_clear();
    Ok(courses)
}

/// The view of these series.
pub(in crate::commands) fn view(
    store: &Store,
    series: Vec<SeriesSummary>,
    rule: FallRule,
) -> Result<HistoryView> {
    let courses = analysed(store, series)?;
    let entries = store.entries()?.into_iter().map(|entry| (entry.id, entry)).collect();
    let used: BTreeSet<i64> =
        courses.iter().flat_map(|course| course.points.iter().map(|point| point.setup)).collect();
    let setups: BTreeMap<i64, BTreeMap<String, String>> =
        used.into_iter().map(|setup| Ok((setup, store.setup(setup)?))).collect::<Result<_>>()?;
    let name = store.location().to_string();
    Ok(HistoryView::of(name, courses, entries, setups, store.notes()?, rule))
}
