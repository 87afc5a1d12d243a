//! What a campaign has to do with the history: the accepted values that it is compared with, and its own
//! entry at its end.
//!
//! Never here: how values are compared.

use std::path::Path;

use ::plan::Plan;
use anyhow::Result;
use judge::{EntryNames, series_place};
use results::folder::AcceptedValues;
use results::folder::Machine;
use results::history::{HistoryEntry, SeriesId};
use run::Trouble;
use track::note::baseline_s;
use track::store::{EntrySummary, Store, StoredPoint};
use units::Usage;

use super::super::track::{self as tracking, StorePlace};
use crate::speech::complain;

/// The values that the plan's criteria compare with: those of the campaign `given`, or of the accepted
/// campaign of the history. Each criterion must have some.
pub(super) fn accepted(plan: &Plan, dir: Option<&Path>, given: Option<&Path>) -> Result<Vec<AcceptedValues>> {
    let wanted = plan.accepted();
    match given {
        Some(given) if wanted.is_empty() => {
            let at = given.display();
            Err(Usage(format!("--accepted {at}: no criterion of the plan compares with `accepted`")).into())
        }
        _ if wanted.is_empty() => Ok(Vec::new()),
        Some(given) => {
            let entry = tracking::entry_of_campaign(given, EntryNames::default())
                .map_err(|why| Usage(format!("--accepted {}: {why}", given.display())))?;
            let of = |(test, metric): &(&str, &str)| of_entry(&entry, plan, test, metric);
            Ok(wanted.iter().map(of).collect::<Result<_, Usage>>()?)
        }
        None => {
            let machine = match run::examine(plan, dir) {
                Ok(machine) => machine,
                Err(Trouble::Usage(usage)) => return Err(usage.into()),
                Err(Trouble::Io(error)) => return Err(error.into()),
                Err(trouble @ Trouble::NoWrites(_)) => return Err(trouble.into()),
            };
            let known = AcceptedHistory { plan, machine, store: StorePlace::default().open()? };
            wanted.iter().map(|(test, metric)| known.values(test, metric)).collect()
        }
    }
}

fn of_entry(entry: &HistoryEntry, plan: &Plan, test: &str, metric: &str) -> Result<AcceptedValues, Usage> {
    let scale = plan.choice.scale.as_deref().unwrap_or_default();
    let of = |series: &SeriesId| series.test == test && series.metric == metric && series.scale == scale;
    let point = entry.points.iter().find(|point| of(&point.series) && point.series.plan == plan.id);
    let location = &entry.location;
    let Some(point) = point.filter(|point| !point.values.is_empty()) else {
        return Err(Usage(format!("the accepted campaign {location} has no usable {metric} of {test}")));
    };
    Ok(AcceptedValues {
        test: test.to_owned(),
        metric: metric.to_owned(),
        values: point.values.clone(),
        unit: point.series.unit.clone(),
        setup: point.setup.clone(),
        hash: entry.hash.clone(),
        location: location.clone(),
        started_s: entry.started_s,
    })
}

/// The history with the accepted campaigns of a plan.
struct AcceptedHistory<'p> {
    plan: &'p Plan,
    machine: Machine,
    store: Store,
}

impl AcceptedHistory<'_> {
    /// The values of the first campaign at or after the last accepted note.
    fn values(&self, test: &str, metric: &str) -> Result<AcceptedValues> {
        let scale = self.plan.choice.scale.clone().unwrap_or_default();
        let SeriesId { system, place, .. } = series_place(self.plan, &self.machine, test);
        let own = |one: &SeriesId| {
            (&one.system, &one.place, &one.plan, &one.scale) == (&system, &place, &self.plan.id, &scale)
                && one.test == test
                && one.metric == metric
        };
        let found = self.store.series()?.into_iter().find(|one| own(&one.series));
        let rejected = |why: String| {
            let store = self.store.location();
            Usage(format!("{test}: {metric} of `accepted`: {why} (history: {store})"))
        };
        let Some(series) = found else {
            let place = [&system, &place].map(String::as_str).join(" ");
            let what = format!("the history has no campaign of plan {} on {}", self.plan.id, place.trim());
            return Err(rejected(format!("{what}. Add one, or give --accepted FOLDER")).into());
        };
        let Some(since_s) = baseline_s(&self.store.notes()?, &series.series) else {
            let what = "no level is accepted. Accept one: assay track note DATE NOTE --accept";
            return Err(rejected(what.to_owned()).into());
        };
        let points = self.store.points(series.id)?;
        let point = points.iter().find(|point| point.time_s >= since_s);
        let Some(point) = point.filter(|point| !point.values.is_empty()) else {
            let what = "the first campaign since the accepted note is missing or has no usable value";
            return Err(rejected(what.to_owned()).into());
        };
        let entry = self.store.entries()?.into_iter().find(|entry| entry.id == point.entry);
        let entry = entry.ok_or_else(|| rejected("its campaign is missing".to_owned()))?;
        self.recorded(&series.series, point, entry)
    }

    fn recorded(&self, of: &SeriesId, point: &StoredPoint, entry: EntrySummary) -> Result<AcceptedValues> {
        Ok(AcceptedValues {
            test: of.test.clone(),
            metric: of.metric.clone(),
            values: point.values.clone(),
            unit: of.unit.clone(),
            setup: self.store.setup(point.setup)?,
            hash: entry.hash,
            location: entry.location,
            started_s: entry.started_s,
        })
    }
}

/// Adds the ended campaign to the history if its plan wants it. Reports why it cannot: the verdicts stand
/// without it.
pub(super) fn track(plan: &Plan, folder: &Path) {
    if !plan.track {
        return;
    }
    let added = || -> Result<String> {
        let location = folder.canonicalize()?;
        let entry = tracking::entry_of_campaign(&location, EntryNames::default());
        let entry = entry.map_err(anyhow::Error::msg)?;
        let mut store = StorePlace::default().open_or_create()?;
        store.add(&[entry], measure::unix_seconds())?;
        Ok(store.location().to_string())
    };
    match added() {
        Ok(store) => complain(&format!("Added to the history: {store}")),
        Err(why) => complain(&format!(
            "assay: the campaign is not in the history: {why:#}. Add it with: assay track add {}",
            folder.display()
        )),
    }
}
