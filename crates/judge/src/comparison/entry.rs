//! One campaign as the entry of a history.
//!
//! Its values are those of a comparison. A point has the command lines, ranks and nodes of its test. Points
//! with others are not compared with it, even if their test has the same name.
//!
//! Never here: other entries, where they are stored.

use std::collections::BTreeSet;
use std::sync::Arc;

use plan::{Plan, Test};
use results::Verdict;
use results::folder::{FileSystemFacts, Job, Machine};
use results::history::{EntryFact, EntrySource, HistoryEntry, MeasuredPoint, SeriesId};
use results::reason::{Datum, any};
use results::record::is_local;

use super::values::CampaignValues;
use super::{CampaignToCompare, direction, facts};
use crate::parameters::{self, setup};

/// The fact of what was offline or being rebuilt.
const DEGRADED: &str = "degraded";
/// The most lines of such a fact.
const DEGRADED_MAX: usize = 16;

/// Names that the user gives instead of those of the campaign.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntryNames<'a> {
    /// The system.
    pub system: Option<&'a str>,
    /// The file system.
    pub place: Option<&'a str>,
}

/// The entry of a campaign that started at `started_s`, seconds since 1970. Its evidence must be usable and
/// have a hash: without one there is no entry.
pub fn history_entry(
    one: &CampaignToCompare<'_>,
    started_s: f64,
    names: EntryNames<'_>,
) -> Option<HistoryEntry> {
    let head = one.head.filter(|_| one.is_usable)?;
    let values = CampaignValues::of(one);
    let info = &one.campaign.info;
    let points =
        values.metrics.iter().map(|(test, metric, _)| point(&values, names, started_s, test, metric));
    Some(HistoryEntry {
        hash: head.hash.clone(),
        campaign: format!("{} {} {}", info.plan_sha256, info.started, info.nonce()),
        extent: head.entry,
        source: EntrySource::Campaign,
        location: one.name.to_owned(),
        plan: info.plan.clone(),
        title: info.title.clone(),
        tool: info.tool.clone(),
        started_s,
        overall: Some(Verdict::worst(&one.campaign.verdicts)),
        facts: entry_facts(&values),
        points: points.collect(),
    })
}

fn point(
    values: &CampaignValues<'_>,
    names: EntryNames<'_>,
    started_s: f64,
    test: &str,
    metric: &str,
) -> MeasuredPoint {
    let sample = values.sample(String::new(), test, metric);
    let tests = parameters::tests(values.plan, test);
    let machine = values.campaign.before.as_ref();
    let SeriesId { system, place, .. } =
        machine.map_or_else(SeriesId::default, |machine| series_place(values.plan, machine, test));
    let verdict = values.campaign.verdicts.iter().find(|one| one.test == test && one.metric == metric);
    let cause = |why: &results::Reason| why.get(any::cause).map_or(why.code, |cause| cause.code);
    MeasuredPoint {
        series: Arc::new(SeriesId {
            system: names.system.map_or(system, str::to_owned),
            place: names.place.map_or(place, str::to_owned),
            plan: values.campaign.info.plan.clone(),
            scale: values.campaign.info.scale.clone().unwrap_or_default(),
            test: test.to_owned(),
            metric: metric.to_owned(),
            unit: sample.unit.clone(),
        }),
        direction: direction(metric, &sample.unit),
        why: sample.why.as_ref().map(cause),
        values: sample.values,
        time_s: started_s,
        outcome: verdict.map(|one| one.outcome),
        threshold: verdict.and_then(|one| one.threshold),
        setup: setup(&values.index, test, metric),
        fill: mean(jobs(values, &tests).filter_map(|job| facts::used_share(job.info.fill_before.as_ref()?))),
        concurrency: None,
    }
}

/// The names of system and file system of the series of a test, group or score. The other names are empty.
pub fn series_place(plan: &Plan, machine: &Machine, id: &str) -> SeriesId {
    let tests = parameters::tests(plan, id);
    let fs = tests.first().and_then(|test| machine.file_system(&test.fs));
    let system = if fs.is_none_or(|fs| is_local(&fs.kind)) { machine.host.clone() } else { String::new() };
    SeriesId { system, place: fs.map_or(String::new(), place), ..SeriesId::default() }
}

fn jobs<'v>(values: &'v CampaignValues<'_>, tests: &'v [&Test]) -> impl Iterator<Item = &'v Job> {
    tests.iter().flat_map(|test| values.index.jobs(&test.id)).copied()
}

fn mean(shares: impl Iterator<Item = f64>) -> Option<f64> {
    results::statistics::mean(&shares.collect::<Vec<_>>())
}

/// The file system in words that a new mount does not change. The number of a loop device does, so its file
/// is named.
fn place(fs: &FileSystemFacts) -> String {
    let device = fs.backing.first().map_or(fs.device.as_str(), |layer| layer.place.as_str());
    format!("{} {device}", fs.kind).trim().to_owned()
}

/// The facts of a comparison, and what was offline or being rebuilt.
fn entry_facts(values: &CampaignValues<'_>) -> Vec<EntryFact> {
    let known = facts::facts(values).into_iter();
    let known = known.map(|((fact, about), value)| EntryFact { fact: fact.word().to_owned(), about, value });
    let down = values.campaign.jobs.iter().filter_map(|job| job.info.down_before.as_ref()).flatten();
    let down: BTreeSet<&String> = down.collect();
    let degraded = (!down.is_empty()).then(|| EntryFact {
        fact: DEGRADED.to_owned(),
        about: String::new(),
        value: Datum::list(down.into_iter().take(DEGRADED_MAX)),
    });
    known.chain(degraded).collect()
}
