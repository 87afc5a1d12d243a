//! `assay track check`: whether series fell since their baseline, for cron and continuous tests.

use std::collections::BTreeMap;

use anyhow::Result;
use report::history::words::{self, day};
use track::course::SeriesCourse;
use track::event::{EventChange, HistoryEvent, events};
use track::note::{baseline_s, notes_of};
use track::standing::{POINTS_MIN, Standing, standing};
use track::store::{EntrySummary, HistoryNote};
use units::several;

use super::super::aligned::aligned;
use super::note::note_line;
use super::view::courses;
use super::{StorePlace, date, share};
use crate::speech::say;
use crate::status::{DONE, FAIL, UNDECIDED};

/// The most facts of an event that are printed.
const FACTS_MAX: usize = 12;

/// Check whether series of the history fell since their baseline
///
/// The level of the last points is compared with that of the baseline. A fall counts only if a shift or a
/// drift was found between them. The baseline is the first point, or the first one since the last accepted
/// note (assay track note --accept). Points with another command line or program are not compared with those
/// before.
#[derive(clap::Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    store: StorePlace,
    /// A fall by more than this share ends with status 1
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    fall: f64,
    /// The baseline is the first point since this date, and not since an accepted note: RFC 3339, a local
    /// date, or seconds since 1970
    #[arg(long, value_name = "DATE", value_parser = date)]
    since: Option<f64>,
    /// Only series with all of these texts in their names
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
}

pub(super) fn run(args: &CheckArgs) -> Result<u8> {
    let store = args.store.open()?;
    let courses = courses(&store, &args.texts)?;
    let notes = store.notes()?;
    let baseline = |course: &SeriesCourse| args.since.or_else(|| baseline_s(&notes, &course.summary.series));
    let standings: Vec<Standing> = courses.iter().map(|course| standing(course, baseline(course))).collect();
    let has_fallen = |standing: &Standing| match standing {
        Standing::Changed(change) => change.is_shown_below(1.0 - args.fall),
        _ => false,
    };
    let fallen = standings.iter().filter(|one| has_fallen(one)).count();
    let undecided = standings.iter().filter(|one| matches!(one, Standing::TooFew(_))).count();
    let decided = standings.len() - undecided;
    if !courses.is_empty() {
        let header = ["Series", "Points", "First", "Last", "Speed now", "Standing"].map(str::to_owned);
        let rows = courses.iter().zip(&standings).map(|(course, one)| row(course, one, has_fallen(one)));
        say(&aligned(&std::iter::once(header).chain(rows).collect::<Vec<_>>()))?;
    }
    if fallen > 0 {
        let entries: BTreeMap<i64, EntrySummary> =
            store.entries()?.into_iter().map(|entry| (entry.id, entry)).collect();
        let of_fallen = |change: &EventChange| has_fallen(&standings[change.series]);
        let events = events(&courses, &entries);
        for event in events.iter().filter(|event| event.changes.iter().any(of_fallen)) {
            say(&(described(event, &courses) + &explained(&notes_of(event, &courses, &notes))))?;
        }
    }
    let few = match undecided {
        0 => String::new(),
        _ => format!(", {undecided} with fewer than {POINTS_MIN} usable points"),
    };
    let all = several(courses.len() as u64, "series");
    say(&format!("{all}: {fallen} fell{few}. History: {}\n", store.path().display()))?;
    Ok(match (fallen, decided) {
        (0, 0) => UNDECIDED,
        (0, _) => DONE,
        _ => FAIL,
    })
}

fn row(course: &SeriesCourse, standing: &Standing, has_fallen: bool) -> [String; 6] {
    let summary = &course.summary;
    let now = match standing {
        Standing::Changed(change) => words::limits(change),
        _ => String::new(),
    };
    [
        summary.series.to_string(),
        summary.points.to_string(),
        day(summary.first_s),
        day(summary.last_s),
        now,
        words::standing(standing, has_fallen),
    ]
}

/// An event with its series, and the facts that changed.
fn described(event: &HistoryEvent, courses: &[SeriesCourse]) -> String {
    let mut text = format!("Between {} and {}:\n", day(event.from_s), day(event.to_s));
    for change in &event.changes {
        let ratio = format!("{:.2}", change.shift.ratio);
        text += &format!("  {}  x{ratio}\n", courses[change.series].summary.series);
    }
    for fact in event.facts.iter().take(FACTS_MAX) {
        text += &format!("  {}\n", words::fact(fact));
    }
    match event.facts.len().saturating_sub(FACTS_MAX) {
        0 if event.facts.is_empty() => text += "  no fact that is known changed\n",
        0 => {}
        rest => text += &format!("  and {}\n", several(rest as u64, "more fact")),
    }
    text
}

/// The notes about the time of an event.
fn explained(notes: &[&HistoryNote]) -> String {
    notes.iter().map(|note| format!("  note {}\n", note_line(note))).collect()
}
