//! `assay track check`: whether series fell since their baseline, for cron and continuous tests.

use anyhow::Result;
use report::history::HistoryView;
use report::history::words::{self, local_day, local_minute};
use track::change::LevelShift;
use track::course::SeriesCourse;
use track::event::{EventChange, HistoryEvent};
use track::note::notes_of;
use track::standing::{POINTS_MIN, SlowPoint, Standing, UNUSABLE_MAX};
use track::store::HistoryNote;
use units::several;

use super::super::aligned::aligned;
use super::list::selected;
use super::{FallArgs, StorePlace, view};
use crate::speech::say;
use crate::status::{DONE, FAIL, UNDECIDED};

/// The most facts of an event that are printed.
const FACTS_MAX: usize = 12;

/// Check whether series of the history fell since their baseline
///
/// The level of the last points is compared with that of the baseline. A fall counts only if a shift or a
/// drift was found between them. The baseline is the first point, or the first one since the last accepted
/// note (assay track note --accept). Points with another command line or program are not compared with those
/// before. The status is 1 if a series fell, and with --last also if its newest point is slow. Dates are
/// local.
#[derive(clap::Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    store: StorePlace,
    #[command(flatten)]
    fall: FallArgs,
    /// Check the newest point of each series too
    ///
    /// A fall counts after five points at the earliest. This reports a single slow one: an outlier that is
    /// slower than its level by more than the share of --fall.
    #[arg(long)]
    last: bool,
    /// Only series with all of these texts in their names
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
}

pub(super) fn run(args: &CheckArgs) -> Result<u8> {
    let store = args.store.open()?;
    let view = view::view(&store, selected(&store, &args.texts)?, args.fall.rule())?;
    let HistoryView { courses, standings, .. } = &view;
    let fallen = (0..courses.len()).filter(|at| view.has_fallen(*at)).count();
    let slow: Vec<Option<SlowPoint>> =
        (0..courses.len()).map(|at| view.slow_newest(at).filter(|_| args.last)).collect();
    let few = standings.iter().filter(|one| matches!(one, Standing::TooFew(_))).count();
    let unusable = standings.iter().filter(|one| matches!(one, Standing::Unusable(_))).count();
    if !courses.is_empty() {
        let header = ["Series", "Points", "First", "Last", "Speed now", "Standing"].map(str::to_owned);
        let rows = (0..courses.len()).map(|at| row(&view, at, slow[at].as_ref()));
        say(&aligned(&std::iter::once(header).chain(rows).collect::<Vec<_>>()))?;
    }
    let of_fallen = |change: &EventChange| view.has_fallen(change.series);
    for event in view.events.iter().filter(|event| event.changes.iter().any(of_fallen)) {
        say(&(described(event, courses) + &explained(&notes_of(event, courses, &view.notes))))?;
    }
    let mut all = format!("{}: {fallen} fell", several(courses.len() as u64, "series"));
    let slow = slow.iter().flatten().count();
    if slow > 0 {
        all += &format!(", {slow} with a slow newest point");
    }
    if few > 0 {
        all += &format!(", {few} with fewer than {POINTS_MIN} usable points");
    }
    if unusable > 0 {
        all += &format!(", {unusable} without usable values in the last {UNUSABLE_MAX} points or more");
    }
    say(&format!("{all}. History: {}\n", store.location()))?;
    Ok(match fallen + slow {
        0 if unusable > 0 || few == standings.len() => UNDECIDED,
        0 => DONE,
        _ => FAIL,
    })
}

fn row(view: &HistoryView, series: usize, slow: Option<&SlowPoint>) -> [String; 6] {
    let (summary, standing) = (&view.courses[series].summary, &view.standings[series]);
    let slow = slow.map(|point| format!("; {}", words::slow(point, local_day)));
    let now = match standing {
        Standing::Changed(change) => words::limits(change),
        _ => String::new(),
    };
    [
        summary.series.to_string(),
        summary.points.to_string(),
        local_day(summary.first_s),
        local_day(summary.last_s),
        now,
        words::standing(view, series, local_day) + &slow.unwrap_or_default(),
    ]
}

/// An event with its series, and the facts that changed.
fn described(event: &HistoryEvent, courses: &[SeriesCourse]) -> String {
    let mut text = format!("Between {} and {}:\n", local_minute(event.from_s), local_minute(event.to_s));
    for change in &event.changes {
        let LevelShift { ratio, time_s, .. } = change.shift;
        let name = &courses[change.series].summary.series;
        text += &format!("  {name}  x{ratio:.2} on {}\n", local_minute(time_s));
    }
    if event.facts.is_empty() {
        return text + "  No recorded fact differs before and after.\n";
    }
    text += "  These facts differ before and after:\n";
    for fact in event.facts.iter().take(FACTS_MAX) {
        text += &format!("    {}\n", words::fact(fact));
    }
    match event.facts.len().saturating_sub(FACTS_MAX) {
        0 => {}
        rest => text += &format!("    and {}\n", several(rest as u64, "more fact")),
    }
    text
}

/// The notes about the time of an event.
fn explained(notes: &[&HistoryNote]) -> String {
    notes.iter().map(|note| format!("  note {}\n", words::note_on(&local_day(note.time_s), note))).collect()
}
