//! The rules between the keys of a plan. They turn the keys of the file into a [`Plan`] that can work.

use std::collections::BTreeMap;

use toml::Spanned;

use super::clause::clauses;
use super::defaults::{Defaults, ParseResult, holder, name};
use super::fs::file_systems;
use super::goal::known;
use super::placement::clients;
use super::plan_text::PlanText;
use super::projection::systems;
use super::{Choice, ClientNodes, Plan, launch, waiver, wire};
use crate::language::rejections::Rejections;
use crate::launcher::Launch;

/// The number of nodes while `[clients]` has an error, so that no rule about nodes is broken by it.
const ANY_NODES: u32 = 1_000_000;

/// Checks the whole file. Errors are added to `errors`. An error that prevents all further checks is
/// returned.
pub(super) fn plan(
    file: wire::PlanFile,
    place: &PlanText<'_>,
    errors: &Rejections,
    is_recorded: bool,
) -> ParseResult<Plan> {
    if *file.schema.get_ref() != 1 {
        return Err(place.error(&file.schema, "this program reads only plans of `schema = 1`"));
    }
    errors.kept(name(&file.plan.id, "a plan's id", place));
    let file_systems = file_systems(&file, place, errors);
    let (clients, launch) = nodes_and_launch(&file, place, errors);
    let clauses = clauses(&file, place, errors);
    let defaults = Defaults {
        file: &file.defaults,
        file_systems: &file_systems,
        clients,
        launch: &launch.kind,
        launch_env: &launch.env,
        launch_attempts: launch.attempts,
        numbers: known(&file, place, errors),
        clauses: &clauses,
        place,
        errors,
        is_recorded,
    };
    let (systems, measured_on) = errors.kept(systems(&file, place)).unwrap_or_else(|| {
        errors.spoil("system");
        Default::default()
    });
    let mut plan = Plan {
        layout: match file.plan.report {
            Some(wire::LayoutWord::Procurement) => results::summary::PROCUREMENT.to_owned(),
            Some(wire::LayoutWord::Usual) | None => String::new(),
        },
        systems,
        measured_on,
        projections: Vec::new(),
        answers: Vec::new(),
        id: file.plan.id.get_ref().clone(),
        title: file.plan.title.clone(),
        source: file.plan.source.clone(),
        tier: file.plan.tier.clone(),
        clauses: clauses.clone(),
        track: file.plan.track,
        clients: defaults.clients.clone(),
        launch: launch.clone(),
        datasets: Vec::new(),
        states: Vec::new(),
        tests: Vec::new(),
        groups: Vec::new(),
        scores: Vec::new(),
        series: Vec::new(),
        waivers: waiver::of_others(&file, place, errors),
        text: place.text.to_owned(),
        scales: file.scale.keys().cloned().collect(),
        parameters: BTreeMap::new(),
        choice: Choice::default(),
        file_systems: BTreeMap::new(),
    };
    needed_parts(&file, &defaults, &mut plan);
    entries(&file, &defaults, &mut plan);
    scores(&file, &defaults, &mut plan);
    tables(&file, &defaults, &mut plan);
    plan.file_systems = file_systems;
    Ok(plan)
}

/// The client nodes and the launcher. One with an error permits every test.
fn nodes_and_launch(
    file: &wire::PlanFile,
    place: &PlanText<'_>,
    errors: &Rejections,
) -> (ClientNodes, Launch) {
    let clients = match errors.is_spoiled("clients") {
        true => None,
        false => errors.kept(clients(file.clients.as_ref(), place)),
    };
    let launch = match errors.is_spoiled("launch") {
        true => None,
        false => errors.kept(launch::launch(file.launch.as_ref(), file.clients.as_ref(), place)),
    };
    let any = || ClientNodes { delivered: Some(ANY_NODES), ..ClientNodes::default() };
    let all = || Launch { kind: launch::any(), env: BTreeMap::new(), probe: false, attempts: 0, ssh: None };
    (clients.unwrap_or_else(any), launch.unwrap_or_else(all))
}

/// Adds all states and datasets. One with an error is left out, and its name is spoiled.
fn needed_parts(file: &wire::PlanFile, defaults: &Defaults<'_>, plan: &mut Plan) {
    let errors = defaults.errors;
    for (key, state) in &file.state {
        match errors.kept(defaults.state(key, state)) {
            Some(state) => plan.states.push(state),
            None => errors.spoil(format!("state.{key}")),
        }
    }
    for (key, dataset) in &file.dataset {
        match errors.kept(defaults.dataset(key, dataset, &plan.states)) {
            Some(dataset) => plan.datasets.push(dataset),
            None => errors.spoil(format!("dataset.{key}")),
        }
    }
}

/// Adds all tests, series and groups. One with an error is left out, and its id is spoiled.
fn entries(file: &wire::PlanFile, defaults: &Defaults<'_>, plan: &mut Plan) {
    for entry in in_order(file) {
        let (who, id) = entry.named();
        if let Some(other) = holder(plan, id.get_ref(), None) {
            let what = format!("{who}: {other} already has this id. Change one.");
            defaults.errors.add(defaults.place.error(id, what));
            continue;
        }
        let whole = (plan.tests.len(), plan.series.len(), plan.groups.len());
        let added = match entry {
            PlanEntry::Test(test) => defaults.tests(test, plan),
            PlanEntry::Series(series) => defaults.series(series, plan),
            PlanEntry::Group(group) => defaults.group(group, plan),
        };
        if defaults.errors.kept(added).is_none() {
            defaults.errors.spoil(id.get_ref());
            plan.tests.truncate(whole.0);
            plan.series.truncate(whole.1);
            plan.groups.truncate(whole.2);
        }
    }
    defaults.best_repetitions(plan);
    if plan.tests.is_empty() && defaults.errors.number() == 0 {
        let what = "the plan has no [[test]], [[series]] or [[group]]. Add at least one.";
        defaults.errors.add(defaults.place.at(0..0, what));
    }
}

/// Adds all scores. One may use those before it.
fn scores(file: &wire::PlanFile, defaults: &Defaults<'_>, plan: &mut Plan) {
    for score in &file.score {
        let read = defaults.score(score.get_ref(), plan);
        match defaults.errors.kept(read) {
            Some(score) => plan.scores.push(score),
            None => defaults.errors.spoil(score.get_ref().id.get_ref()),
        }
    }
}

/// Adds all projections, and the answer sheets, which may show them.
fn tables(file: &wire::PlanFile, defaults: &Defaults<'_>, plan: &mut Plan) {
    for asked in &file.projection {
        plan.projections.extend(defaults.errors.kept(defaults.projection(asked, plan)));
    }
    for answer in &file.answer {
        plan.answers.extend(defaults.errors.kept(defaults.answer(answer.get_ref(), plan)));
    }
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
