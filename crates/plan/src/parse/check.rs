//! The rules between the keys of a plan: from the file's words to a [`Plan`] that can work.

use std::collections::BTreeMap;

use toml::Spanned;
use units::{Dimension, Quantity, Usage};

use super::fs::file_systems;
use super::goal::{Known, known};
use super::place::{Place, nearest};
use super::placement::{clients, whole};
use super::projection::systems;
use super::wire::Count;
use super::{Choice, Clients, FileSystem, Plan, launch, several, waiver, wire};
use crate::launcher::LaunchKind;

/// Seconds a job may take where the plan says nothing.
const TIMEOUT_S: f64 = 3600.0;

/// The most launches of one test.
const LAUNCHES_MAX: u64 = 100_000;

pub(super) type Checked<T> = Result<T, Usage>;

/// Checks the whole file.
pub(super) fn plan(file: wire::PlanFile, place: &Place<'_>) -> Checked<Plan> {
    if *file.schema.get_ref() != 1 {
        return Err(place.error(&file.schema, "this program reads plans of `schema = 1`"));
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
    let datasets =
        file.dataset.iter().map(|(key, dataset)| defaults.dataset(key, dataset)).collect::<Checked<_>>()?;
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
        return Err(place.at(0..0, "a plan needs at least one [[test]], [[series]] or [[group]]"));
    }
    plan.projections =
        file.projection.iter().map(|asked| defaults.projection(asked, &plan)).collect::<Checked<_>>()?;
    plan.file_systems = file_systems;
    Ok(plan)
}

/// Adds all that runs.
fn entries(file: &wire::PlanFile, defaults: &Defaults<'_>, plan: &mut Plan) -> Checked<()> {
    for entry in in_order(file) {
        let (who, id) = entry.named();
        if let Some(other) = several::holder(plan, id.get_ref(), None) {
            return Err(defaults.place.error(id, format!("{who}: {other} has this id already")));
        }
        match entry {
            Entry::Test(test) => defaults.tests(test, plan)?,
            Entry::Series(series) => defaults.series(series, plan)?,
            Entry::Group(group) => defaults.group(group, plan)?,
        }
    }
    Ok(())
}

/// What runs, as it stands in the file.
enum Entry<'w> {
    Test(&'w wire::TestKeys),
    Series(&'w wire::SeriesKeys),
    Group(&'w wire::GroupKeys),
}

impl<'w> Entry<'w> {
    /// What to call it, and its id.
    fn named(&self) -> (String, &'w Spanned<String>) {
        let (kind, id) = match self {
            Self::Test(test) => ("test", &test.id),
            Self::Series(series) => ("series", &series.id),
            Self::Group(group) => ("group", &group.id),
        };
        (format!("{kind} {}", id.get_ref()), id)
    }
}

/// All that runs, in the order of the file, whatever it is.
fn in_order(file: &wire::PlanFile) -> Vec<Entry<'_>> {
    let tests = file.test.iter().map(|test| (test.span().start, Entry::Test(test.get_ref())));
    let series = file.series.iter().map(|series| (series.span().start, Entry::Series(series.get_ref())));
    let groups = file.group.iter().map(|group| (group.span().start, Entry::Group(group.get_ref())));
    let mut all: Vec<(usize, Entry<'_>)> = tests.chain(series).chain(groups).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, entry)| entry).collect()
}

/// A word that becomes part of file names.
pub(super) fn name(word: &Spanned<String>, what: &str, place: &Place<'_>) -> Checked<()> {
    let text = word.get_ref();
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() || !text.chars().all(fit) || text.starts_with('.') || text.contains(".killed-") {
        let rule = "names files, so it consists of letters, digits, `-`, `_` and `.`";
        return Err(place.error(word, format!("`{text}`: {what} {rule}")));
    }
    Ok(())
}

/// What holds where a test or dataset says nothing itself.
pub(super) struct Defaults<'a> {
    pub(super) file: &'a wire::DefaultsKeys,
    pub(super) file_systems: &'a BTreeMap<String, FileSystem>,
    pub(super) clients: Clients,
    pub(super) launch: &'a LaunchKind,
    pub(super) known: Vec<Known>,
    pub(super) place: &'a Place<'a>,
}

impl Defaults<'_> {
    pub(super) fn count(
        &self,
        who: &str,
        key: &str,
        own: Option<&Spanned<Count>>,
        default: Option<&Spanned<Count>>,
        otherwise: u32,
    ) -> Checked<u32> {
        match own.or(default) {
            Some(count) if count.get_ref().0 == 0 => {
                Err(self.place.error(count, format!("{who}: {key} is 0; it must be at least 1")))
            }
            // Each is a job, and jobs are held in memory.
            Some(count) if ["repetitions", "warm_up"].contains(&key) && count.get_ref().0 > LAUNCHES_MAX => {
                let what = format!("{who}: {key} is {}; {LAUNCHES_MAX} at most", count.get_ref().0);
                Err(self.place.error(count, what))
            }
            count => Ok(whole(count, &format!("{who}: {key}"), self.place)?.unwrap_or(otherwise)),
        }
    }

    pub(super) fn timeout(&self, who: &str, own: Option<&Spanned<String>>) -> Checked<f64> {
        match own.or(self.file.timeout.as_ref()) {
            Some(text) => self.quantity(who, "timeout", text, Dimension::Seconds),
            None => Ok(TIMEOUT_S),
        }
    }

    pub(super) fn quantity(
        &self,
        who: &str,
        key: &str,
        text: &Spanned<String>,
        wanted: Dimension,
    ) -> Checked<f64> {
        quantity(who, key, text, wanted, self.place)
    }

    pub(super) fn fs<T>(&self, who: &str, own: Option<&Spanned<String>>, at: &Spanned<T>) -> Checked<String> {
        let known: Vec<&str> = self.file_systems.keys().map(String::as_str).collect();
        match own.or(self.file.fs.as_ref()) {
            Some(word) if known.contains(&word.get_ref().as_str()) => Ok(word.get_ref().clone()),
            Some(word) => {
                let wanted = word.get_ref();
                Err(self.place.error(word, format!("{who}: no [fs.{wanted}]{}", among(wanted, &known))))
            }
            None => match known[..] {
                [only] => Ok(only.to_owned()),
                [] => Err(self.place.at(0..0, "a plan needs an [fs.NAME] with a `dir`")),
                _ => Err(self.place.error(at, format!("{who}: say `fs = …`, one of {}", known.join(", ")))),
            },
        }
    }
}

/// A number with a unit of this dimension, above 0.
pub(super) fn quantity(
    who: &str,
    key: &str,
    text: &Spanned<String>,
    wanted: Dimension,
    place: &Place<'_>,
) -> Checked<f64> {
    let refused = |what: &str| place.error(text, format!("{who}: {key}: {what}"));
    let bare = text.get_ref().trim().parse::<f64>().is_ok();
    if bare {
        let example = wanted.example();
        return Err(refused(&format!("`{}` has no unit; write it as in `{example}`", text.get_ref())));
    }
    let quantity: Quantity = text.get_ref().parse().map_err(|error: Usage| refused(&error.0))?;
    if quantity.dimension != wanted || quantity.value <= 0.0 {
        return Err(refused(&format!(
            "`{}` does not fit; write for example `{}`",
            text.get_ref(),
            wanted.example()
        )));
    }
    Ok(quantity.value)
}

/// `; did you mean …` or the words there are.
pub fn among(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => "; there is none".to_owned(),
        None => format!("; there is {}", known.join(", ")),
    }
}
