//! From a checked plan to the facts that the checks look at.
//!
//! Never here: checks.

use std::collections::BTreeSet;

use results::summary;
use toml::Table;
use units::Dimension;

use super::checks::names;
use super::ior_facts::IorFacts;
use super::launcher::{Launched, Workload};
use super::subject::{
    CriterionFacts, FsFacts, LineFacts, LineSubject, PlanSubject, Role, Series, Source, Step,
};
use plan::launcher::LaunchKind;
use plan::line::Line;
use plan::{self, Criterion, Goal, Group, Placement, Plan, Stat, StateKind, Stripes, Test, Uses, Waiver};

/// Types that make data smaller before they store it.
const REDUCING: &[&str] = &["zfs", "vdo", "bcachefs"];

/// The facts of a plan.
pub fn subjects(plan: &Plan) -> PlanSubject {
    let written = Written::of(plan);
    let datasets = plan.datasets.iter().map(|dataset| LineSubject {
        id: dataset.job(),
        at: Some(dataset.at),
        line: facts(&dataset.line),
        stated: ranks(plan, &dataset.placement),
        ram_bytes: plan.clients.memory_bytes,
        role: Some(Role::Dataset),
        fs: fs(plan, &dataset.fs, &dataset.setup, dataset.stripes),
        ..LineSubject::default()
    });
    let tests = plan.tests.iter().map(|test| of_test(plan, test, &written));
    let groups = plan.groups.iter().map(|group| of_group(plan, group));
    let only_filled = plan.states.iter().filter_map(|state| match &state.kind {
        StateKind::Age(words) => {
            let words = words.join(" ");
            let none = ["--turnovers 0", "--turnovers=0"].iter().any(|none| {
                words.split(none).nth(1).is_some_and(|rest| !rest.starts_with(['.', '1', '2', '5']))
            });
            none.then(|| (state.job(), words))
        }
        StateKind::Preload(_) | StateKind::Degrade { .. } => None,
    });
    let clauses = plan.tests.iter().map(|test| (test.id.clone(), test.clause.clone()));
    let own = [("title", &plan.title), ("source", &plan.source)];
    PlanSubject {
        lines: datasets.chain(tests).chain(groups).collect(),
        verified: verified(plan),
        only_filled: only_filled.collect(),
        series: series(plan),
        texts: own.into_iter().map(|(whose, text)| (whose.to_owned(), text.clone())).chain(clauses).collect(),
        tables: if plan.layout == summary::PROCUREMENT { &summary::TABLES } else { &[] },
    }
}

fn criterion(asked: &Criterion, stat: Option<Stat>) -> CriterionFacts {
    CriterionFacts {
        metric: asked.metric.clone(),
        stat,
        op: asked.op,
        value: match asked.goal {
            Goal::Value(value) => Some(value),
            Goal::Share { .. } => None,
        },
        counts: asked.goal.dimension() == Dimension::Count,
        written: asked.written.clone(),
    }
}

fn of_test(plan: &Plan, test: &Test, written: &Written) -> LineSubject {
    let named = |asked: &Criterion| written.names_statistic(test, &asked.metric).then_some(asked.stat);
    let criteria: Vec<_> = test.criteria.iter().map(|asked| criterion(asked, named(asked))).collect();
    let line = facts(&test.line);
    let target = criteria.iter().find(|criterion| {
        use plan::Op::{Above, AtLeast};
        let names = [".bw", ".iops", ".sustained", ".steady"];
        let rate = names.iter().any(|name| criterion.metric.ends_with(name));
        rate && matches!(criterion.op, AtLeast | Above)
    });
    LineSubject {
        id: test.id.clone(),
        at: Some(test.at),
        stated: ranks(plan, &test.placement),
        ram_bytes: plan.clients.memory_bytes,
        cores: plan.clients.cores.map(u64::from),
        sustained_s: test.sustained_s,
        fs: FsFacts {
            targets: all_targets(plan, test).map(u64::from),
            ..fs(plan, &test.fs, &test.setup, test.stripes)
        },
        role: role(test, &line, &criteria),
        reported: criteria.is_empty(),
        target: target.and_then(|criterion| criterion.value),
        criteria,
        // What only looks for a number of nodes is not what the clause is about.
        clause: if is_probe(plan, test) { String::new() } else { test.clause.clone() },
        repetitions: Some(test.repetitions),
        source: source(plan, test),
        hints: plan.launch.env.keys().any(|key| key.contains("HINT")),
        cache_warm: test.cache_warm,
        has_steps: test.step.is_some() || written.has_steps(test),
        has_state: has_state(plan, test),
        line,
        ..LineSubject::default()
    }
}

/// What parts do not show: the sum that their group asks for, whose statistic is its own.
fn of_group(plan: &Plan, group: &Group) -> LineSubject {
    // One part on whatever is there makes the sum such a rate.
    let unstated =
        plan.parts(group).find(|part| !has_state(plan, part) && names::are_made(&facts(&part.line)));
    LineSubject {
        id: group.id.clone(),
        clause: group.clause.clone(),
        criteria: group.criteria.iter().map(|asked| criterion(asked, Some(asked.stat))).collect(),
        repetitions: Some(group.repetitions),
        stated: Launched {
            nodes: plan.parts(group).find_map(|part| part.placement.nodes).map(u64::from),
            ..Launched::default()
        },
        has_state: unstated.is_none(),
        ..LineSubject::default()
    }
}

/// Whether names of the test are not on whatever is there: on a state of names, or on those of others.
fn has_state(plan: &Plan, test: &Test) -> bool {
    test.uses.is_some() || test.states.iter().any(|state| !plan.states[*state].is_degraded())
}

/// Whether the test is a step of a search for the number of nodes of another.
fn is_probe(plan: &Plan, test: &Test) -> bool {
    let searches = plan.tests.iter().filter_map(|other| other.search.as_ref());
    searches.flat_map(|search| &search.steps).any(|step| plan.tests[*step].id == test.id)
}

/// What the test is for: by its criteria, and where it has none by its clause.
fn role(test: &Test, line: &LineFacts, criteria: &[CriterionFacts]) -> Option<Role> {
    if let plan::Role::Hero(_) = test.role {
        return Some(Role::Hero);
    }
    if !matches!(line, LineFacts::Ior(_)) {
        return None;
    }
    let all = |phase: &str| criteria.iter().all(|criterion| criterion.metric.starts_with(phase));
    if !criteria.is_empty() {
        return all("write.").then_some(Role::Write).or(all("read.").then_some(Role::Read));
    }
    let clause = test.clause.to_lowercase();
    let says = |stem: &str| {
        clause.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(stem) && word != "ready")
    };
    match (says("writ"), says("read")) {
        (true, false) => Some(Role::Write),
        (false, true) => Some(Role::Read),
        _ => None,
    }
}

fn facts(line: &Line) -> LineFacts {
    let workload = match line.workload() {
        "ior" => Workload::Ior,
        "mdtest" => Workload::Mdtest,
        "fdtree" => Workload::Fdtree,
        "ls-lr" => Workload::LsLr,
        "flash-io" => Workload::FlashIo,
        _ => Workload::MpiIo,
    };
    LineFacts::read(workload, line.words())
}

/// Ranks as the plan states them; local ones are all on one node.
fn ranks(plan: &Plan, placement: &Placement) -> Launched {
    let ranks = u64::from(placement.ranks);
    match plan.launch.kind {
        LaunchKind::Local => Launched { ranks: Some(ranks), nodes: Some(1), ppn: Some(ranks) },
        _ => Launched {
            ranks: Some(ranks),
            nodes: placement.nodes.map(u64::from),
            ppn: placement.ppn.map(u64::from),
        },
    }
}

/// The waivers of a plan; not those of a lint that does not know here what it would have to, and so finds
/// nothing.
pub fn waivers(plan: &Plan) -> Vec<Waiver> {
    let looks = |waiver: &&Waiver| plan.clients.cores.is_some() || waiver.lint != "not-packed";
    let all = plan.waivers.iter().chain(plan.tests.iter().flat_map(|test| &test.waivers));
    all.filter(looks).cloned().collect()
}

/// The file system, with what is done to the directory before a launch.
fn fs(plan: &Plan, name: &str, setup: &[String], stripes: Option<Stripes>) -> FsFacts {
    let found = plan.file_systems.get(name);
    let kind = found.and_then(|fs| fs.kind.clone());
    let reduces = kind.as_deref().is_some_and(|kind| REDUCING.contains(&kind));
    let lays_out = |command: &String| ["setstripe", "--setpattern"].iter().any(|word| command.contains(word));
    let stripes = stripes.map(|stripes| match stripes {
        Stripes::Count(count) => count as i64,
        Stripes::All => -1,
    });
    FsFacts { kind, reduces, layout: setup.iter().any(lays_out), stripes, ..FsFacts::default() }
}

/// How many targets hold data where the test runs, by the plan; `None` where it takes servers off.
pub(super) fn all_targets(plan: &Plan, test: &Test) -> Option<u32> {
    let whole = test.step.as_ref().is_none_or(|step| step.servers.is_none());
    plan.file_systems.get(&test.fs).filter(|_| whole)?.targets
}

/// The series over servers, each step with the nodes of its first test.
fn series(plan: &Plan) -> Vec<Series> {
    let of = |(index, series): (usize, &plan::Series)| {
        let mut tests =
            plan.tests.iter().filter(|test| test.step.as_ref().is_some_and(|step| step.series == index));
        let first = tests.clone().next()?;
        let fs = plan.file_systems.get(&first.fs)?;
        let steps = series.steps.iter().map(|step| {
            let test = tests.find(|test| test.step.as_ref().is_some_and(|own| own.label == step.label));
            Step {
                label: step.word.clone(),
                servers: step.servers.map(u64::from),
                nodes: test.and_then(|test| test.placement.nodes).map(u64::from),
            }
        });
        Some(Series {
            id: series.id.clone(),
            at: Some(first.at),
            servers: fs.servers.map(u64::from),
            counted: fs.count_servers.is_some(),
            steps: steps.collect(),
        })
    };
    let over_servers = plan.series.iter().enumerate().filter(|(_, series)| series.over == "servers");
    over_servers.filter_map(of).collect()
}

/// Who made the files of a line of IOR, over those who only read them in between.
fn source(plan: &Plan, test: &Test) -> Option<Source> {
    let (name, line, placement) = match test.uses.as_ref()? {
        Uses::Dataset(index) => {
            let dataset = &plan.datasets[*index];
            (dataset.job(), &dataset.line, &dataset.placement)
        }
        Uses::Test(index) => {
            let made = &plan.tests[*index];
            if made.line.only_reads() {
                return source(plan, made);
            }
            (format!("test {}", made.id), &made.line, &made.placement)
        }
    };
    let line = IorFacts::read(line.as_ior()?.words.as_slice());
    Some(Source { name, line, ranks: Some(placement.ranks.into()) })
}

/// What wrote data that some line reads again and compares: itself, or a test that uses its files.
fn verified(plan: &Plan) -> Vec<String> {
    let mut all = BTreeSet::new();
    let checked = |dataset: &&plan::Dataset| dataset.line.as_ior().is_some_and(|line| line.write_check);
    all.extend(plan.datasets.iter().filter(checked).map(plan::Dataset::job));
    for test in &plan.tests {
        let Some(line) = test.line.as_ior().filter(|line| line.read_check || line.write_check) else {
            continue;
        };
        if line.write {
            all.insert(test.id.clone());
        }
        let mut test = test;
        while let Some(uses) = test.uses.as_ref().filter(|_| line.read_check) {
            all.insert(uses.maker(plan));
            match uses {
                Uses::Test(index) => test = &plan.tests[*index],
                Uses::Dataset(_) => break,
            }
        }
    }
    all.into_iter().collect()
}

/// The plan's file as it is written, for what the checked plan does not keep.
struct Written(Table);

impl Written {
    fn of(plan: &Plan) -> Self {
        Self(plan.text.parse().unwrap_or_default())
    }

    /// The test as it is written: for itself, as a phase of a series or as a part of a group.
    fn test(&self, test: &Test) -> Option<&toml::Value> {
        match (&test.step, test.part) {
            (Some(_), _) => named(named(self.0.get("series")?, &test.family)?.get("phases")?, &test.name),
            (_, Some(_)) => named(named(self.0.get("group")?, &test.family)?.get("parts")?, &test.name),
            _ => named(self.0.get("test")?, &test.family),
        }
    }

    /// Whether the test runs on a series of numbers of nodes.
    fn has_steps(&self, test: &Test) -> bool {
        self.test(test).and_then(|test| test.get("nodes")?.get("steps")).is_some()
    }

    /// Whether the statistic of this criterion is named: by itself, by its test or by the defaults.
    fn names_statistic(&self, test: &Test, metric: &str) -> bool {
        let rule =
            |table: Option<&toml::Value>| table.and_then(|table| table.get("decide")?.get("rule")).is_some();
        if rule(self.0.get("defaults")) {
            return true;
        }
        // An id in which a parameter stands is not found.
        let Some(test) = self.test(test) else { return true };
        let criteria = match test.get("criterion") {
            Some(toml::Value::Array(all)) => all.clone(),
            Some(one) => vec![one.clone()],
            None => Vec::new(),
        };
        let its = |one: &&toml::Value| one.get("metric").and_then(toml::Value::as_str) == Some(metric);
        rule(Some(test)) || criteria.iter().find(its).is_none_or(|one| one.get("stat").is_some())
    }
}

/// The table with this id, of several.
fn named<'a>(several: &'a toml::Value, id: &str) -> Option<&'a toml::Value> {
    several.as_array()?.iter().find(|one| one.get("id").and_then(toml::Value::as_str) == Some(id))
}
