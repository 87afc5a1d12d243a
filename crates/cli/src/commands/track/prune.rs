//! `assay track prune`: removes old imported points that no check rests on.

use anyhow::Result;
use report::history::FallRule;
use track::retention::removable;
use track::store::RemovablePoints;
use units::several;

use super::super::aligned::aligned;
use super::list::selected;
use super::{StorePlace, date, view};
use crate::speech::say;
use crate::status::DONE;

/// Remove old points of imported logs and tables
///
/// Points of campaigns stay, because verdicts rest on them. Of imported points, those of the first level of
/// each series stay, and those of each accepted level, because checks compare with them. A file whose points
/// were removed is not added again. The file of the history keeps its size, and uses the space for new
/// points. Without --yes nothing is removed.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    assay track prune --before 2024-01-01\n  \
    assay track prune --before 2024-01-01 scratch1 --yes")]
pub(super) struct PruneArgs {
    #[command(flatten)]
    store: StorePlace,
    /// Only points before this date: RFC 3339, a local date, or seconds since 1970
    #[arg(long, value_name = "DATE", value_parser = date)]
    before: f64,
    /// Remove the points. Without this option they are only counted
    #[arg(long)]
    yes: bool,
    /// Only series with all of these texts in their names
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
}

pub(super) fn run(args: &PruneArgs) -> Result<u8> {
    let mut store = if args.yes { args.store.open_to_write()? } else { args.store.open()? };
    let view = view::view(&store, selected(&store, &args.texts)?, FallRule::default())?;
    let of_series = |course: &track::course::SeriesCourse| {
        (course.summary.id, removable(course, &view.notes, &view.entries, args.before))
    };
    let all: Vec<(i64, RemovablePoints)> = view.courses.iter().map(of_series).collect();
    let mut rows = vec![["Series", "Points", "Removable"].map(str::to_owned)];
    for (course, (_, points)) in view.courses.iter().zip(&all).filter(|(_, (_, one))| one.points > 0) {
        let summary = &course.summary;
        rows.push([summary.series.to_string(), summary.points.to_string(), points.points.to_string()]);
    }
    let series = several(rows.len() as u64 - 1, "series");
    if rows.len() > 1 {
        say(&aligned(&rows))?;
    }
    let found: usize = all.iter().map(|(_, one)| one.points).sum();
    let place = store.location().clone();
    let ended = match (args.yes, found) {
        (_, 0) => "No point can be removed.".to_owned(),
        (false, _) => {
            let points = several(found as u64, "point");
            format!("{points} of {series} can be removed. To remove them, add --yes.")
        }
        (true, _) => format!("Removed: {} of {series}.", several(store.prune(&all)?, "point")),
    };
    say(&format!("{ended} History: {place}\n"))?;
    Ok(DONE)
}
