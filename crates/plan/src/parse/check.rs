//! The rules between the keys of a plan. They turn the keys of the file into a [`Plan`] that can work.

use std::collections::BTreeMap;

use toml::Spanned;

use super::defaults::{Defaults, ParseResult, holder, name};
use super::fs::file_systems;
use super::goal::known;
use super::placement::clients;
use super::plan_text::PlanText;
use super::projection::systems;
use super::{Choice, Plan, launch, waiver, wire};

/// Checks the whole file.
pub(super) fn plan(file: wire::PlanFile, place: &PlanText<'_>) -> ParseResult<Plan> {
    if *file.schema.get_ref() != 1 {
        return Err(place.error(&file.schema, "this program reads only plans of `schema = 1`"));
    }
    name(&file.plan.id, "a plan's id", place)?;
    let file_systems = file_systems(&file, place)?;
    let clients = clients(file.clients.as_ref(), place)?;
    let launch = launch::launch(file.launch.as_ref(), file.clients.as_ref(), place)?;
    let defaults = Defaults {
        file: &file.defaults,
        file_systems: &file_systems,
        clients,
        launch: &launch.kind,
        known: known(&file, place)?,
        place,
    };
    let datasets = file
        .dataset
        .iter()
        .map(|(key, dataset)| defaults.dataset(key, dataset))
        .collect::<ParseResult<_>>()?;
    let (systems, measured_on) = systems(&file, place)?;
    let mut plan = Plan {
        layout: match file.plan.report {
            Some(wire::LayoutWord::Procurement) => results::summary::PROCUREMENT.to_owned(),
            Some(wire::LayoutWord::Usual) | None => String::new(),
        },
        systems,
        measured_on,
        projections: Vec::new(),
        id: file.plan.id.get_ref().clone(),
        title: file.plan.title.clone(),
        source: file.plan.source.clone(),
        clients: defaults.clients.clone(),
        launch: launch.clone(),
        datasets,
        states: Vec::new(),
        tests: Vec::new(),
        groups: Vec::new(),
        scores: Vec::new(),
        series: Vec::new(),
        waivers: waiver::of_others(&file, place)?,
        text: place.text.to_owned(),
        scales: file.scale.keys().cloned().collect(),
        parameters: BTreeMap::new(),
        choice: Choice::default(),
        file_systems: BTreeMap::new(),
    };
    for (key, state) in &file.state {
        plan.states.push(defaults.state(key, state)?);
    }
    entries(&file, &defaults, &mut plan)?;
    if plan.tests.is_empty() {
        return Err(place.at(0..0, "the plan has no [[test]], [[series]] or [[group]]. Add at least one."));
    }
    scores(&file, &defaults, &mut plan)?;
    plan.projections =
        file.projection.iter().map(|asked| defaults.projection(asked, &plan)).collect::<ParseResult<_>>()?;
    plan.file_systems = file_systems;
    Ok(plan)
}

/// Adds all tests, series and groups.
fn entries(file: &wire::PlanFile, defaults: &Defaults<'_>, plan: &mut Plan) -> ParseResult<()> {
    for entry in in_order(file) {
        let (who, id) = entry.named();
        if let Some(other) = holder(plan, id.get_ref(), None) {
            return Err(defaults.place.error(id, format!("{who}: {other} already has this id. Change one.")));
        }
        match entry {
            PlanEntry::Test(test) => defaults.tests(test, plan)?,
            PlanEntry::Series(series) => defaults.series(series, plan)?,
            PlanEntry::Group(group) => defaults.group(group, plan)?,
        }
    }
    Ok(())
}

/// Adds all scores. One may use those before it.
fn scores(file: &wire::PlanFile, defaults: &Defaults<'_>, plan: &mut Plan) -> ParseResult<()> {
    for score in &file.score {
        let score = defaults.score(score.get_ref(), plan)?;
        plan.scores.push(score);
    }
    Ok(())
}

/// A test, series or group of the file.
enum PlanEntry<'w> {
    Test(&'w wire::TestKeys),
    Series(&'w wire::SeriesKeys),
    Group(&'w wire::GroupKeys),
}

impl<'w> PlanEntry<'w> {
    /// Its name for messages, and its id.
    fn named(&self) -> (String, &'w Spanned<String>) {
        let (kind, id) = match self {
            Self::Test(test) => ("test", &test.id),
            Self::Series(series) => ("series", &series.id),
            Self::Group(group) => ("group", &group.id),
        };
        (format!("{kind} {}", id.get_ref()), id)
    }
}

/// All tests, series and groups in the order of the file.
fn in_order(file: &wire::PlanFile) -> Vec<PlanEntry<'_>> {
    let tests = file.test.iter().map(|test| (test.span().start, PlanEntry::Test(test.get_ref())));
    let series = file.series.iter().map(|series| (series.span().start, PlanEntry::Series(series.get_ref())));
    let groups = file.group.iter().map(|group| (group.span().start, PlanEntry::Group(group.get_ref())));
    let mut all: Vec<(usize, PlanEntry<'_>)> = tests.chain(series).chain(groups).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, entry)| entry).collect()
}
