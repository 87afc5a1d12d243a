//! Turns a checked plan into the facts that the checks read, and finds the tests of a finding.
//!
//! Never here: checks.

use std::collections::BTreeSet;

use command::{LaunchedRanks, WorkloadLine, WorkloadName, ior};
use plan::launcher::LaunchKind;
use plan::line::Line;
use plan::{Criterion, Decide, Goal, Group, Placement, Plan, Score, Stat, StateKind, Stripes, Test, Uses};
use results::summary;
use units::Dimension;

use crate::checks::names::is_of_names;
use crate::subject::{
    CriterionFacts, FsFacts, LineRole, LineSubject, MakerFacts, PlanSubject, SeriesFacts, StepFacts,
};

/// Types of file systems that reduce data before they store it.
const REDUCING: &[&str] = &["zfs", "vdo", "bcachefs"];

/// The facts of a plan.
pub(crate) fn subjects(plan: &Plan) -> PlanSubject {
    let datasets = plan.datasets.iter().map(|dataset| LineSubject {
        id: dataset.job(),
        at: Some(dataset.at),
        line: facts(&dataset.line),
        stated: ranks(plan, &dataset.placement),
        ram_bytes: plan.clients.memory_bytes,
        role: Some(LineRole::Dataset),
        fs: fs(plan, &dataset.fs, &dataset.setup, dataset.stripes),
        ..LineSubject::default()
    });
    let tests = plan.tests.iter().map(|test| of_test(plan, test));
    let groups = plan.groups.iter().map(|group| of_group(plan, group));
    let scores = plan.scores.iter().map(|score| of_score(plan, score));
    let only_filled = plan.states.iter().filter_map(|state| match &state.kind {
        StateKind::Age(words) => {
            let WorkloadLine::Age(age) = WorkloadLine::read(WorkloadName::Age, words) else { return None };
            age.cycles.is_some_and(|cycles| cycles <= 0.0).then(|| (state.job(), words.join(" ")))
        }
        StateKind::Preload(_) | StateKind::Degrade { .. } => None,
    });
    let clauses = plan.tests.iter().map(|test| (test.id.clone(), test.clause.clone()));
    let own = [("title", &plan.title), ("source", &plan.source)];
    PlanSubject {
        lines: datasets.chain(tests).chain(groups).chain(scores).collect(),
        verified: verified(plan),
        only_filled: only_filled.collect(),
        series: series(plan),
        texts: own.into_iter().map(|(whose, text)| (whose.to_owned(), text.clone())).chain(clauses).collect(),
        untested: untested(plan),
        tables: if plan.layout == summary::PROCUREMENT { &summary::TABLES } else { &[] },
    }
}

/// The facts of a criterion whose test or group has this clause.
fn criterion(asked: &Criterion, stat: Option<Stat>, clause: &str) -> CriterionFacts {
    let requirement = &asked.terms.requirement;
    CriterionFacts {
        metric: asked.metric.clone(),
        stat,
        op: asked.op,
        value: match asked.goal {
            Goal::Value(value) => Some(value),
            Goal::Share { .. } | Goal::Accepted { .. } => None,
        },
        counts: asked.goal.dimension() == Dimension::Count,
        written: asked.written.clone(),
        clause: (requirement != clause).then(|| requirement.clone()),
        as_written: asked.terms.as_written,
    }
}

/// The clauses of the contract to which no criterion belongs.
fn untested(plan: &Plan) -> Vec<String> {
    let tested: BTreeSet<usize> = plan.criteria().filter_map(|criterion| criterion.terms.clause).collect();
    let untested = plan.clauses.iter().enumerate().filter(|(place, _)| !tested.contains(place));
    untested.map(|(_, clause)| clause.id.clone()).collect()
}

/// The least confidence level of the criteria that have one.
fn confidence<'c>(criteria: impl IntoIterator<Item = &'c Criterion>, decide: &Decide) -> Option<f64> {
    let own = criteria.into_iter().filter(|criterion| !criterion.terms.as_written);
    own.map(|criterion| decide.confidence_of(criterion)).min_by(f64::total_cmp)
}

fn of_test(plan: &Plan, test: &Test) -> LineSubject {
    let criteria = test
        .criteria
        .iter()
        .map(|asked| criterion(asked, asked.stat_named.then_some(asked.stat), &test.clause));
    let criteria: Vec<_> = criteria.collect();
    let line = facts(&test.line);
    let clause = own_clause(plan, test);
    let target = criteria.iter().find(|criterion| {
        use plan::Comparison::{Above, AtLeast};
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
        required: test.required.clone(),
        fs: FsFacts {
            targets: all_targets(plan, test).map(u64::from),
            ..fs(plan, &test.fs, &test.setup, test.stripes)
        },
        role: role(plan, test, &line),
        reported: compared(plan, test).next().is_none(),
        target: target.and_then(|criterion| criterion.value),
        criteria,
        worded_role: test.criteria.is_empty().then(|| worded_role(&clause)).flatten(),
        clause,
        confidence: confidence(&test.criteria, &test.decide),
        cov_max: test
            .criteria
            .iter()
            .filter_map(|criterion| criterion.terms.cov_max)
            .chain(test.cov_max)
            .max_by(f64::total_cmp),
        repetitions: Some(test.repetitions),
        source: source(plan, test),
        hints: plan.launch_of(test).env.keys().any(|key| key.contains("HINT")),
        cache_warm: test.cache_warm,
        has_steps: has_steps(plan, test),
        has_state: has_state(plan, test),
        line,
        ..LineSubject::default()
    }
}

/// The facts that only the group has: the sum that it requires, with its own statistic.
fn of_group(plan: &Plan, group: &Group) -> LineSubject {
    // One part without a declared state is enough to leave the sum without one.
    let unstated = plan.parts(group).find(|part| !has_state(plan, part) && is_of_names(&facts(&part.line)));
    LineSubject {
        id: group.id.clone(),
        clause: group.clause.clone(),
        criteria: group
            .criteria
            .iter()
            .map(|asked| criterion(asked, Some(asked.stat), &group.clause))
            .collect(),
        repetitions: Some(group.repetitions),
        stated: LaunchedRanks {
            nodes: plan.parts(group).find_map(|part| part.placement.nodes).map(u64::from),
            ..LaunchedRanks::default()
        },
        has_state: unstated.is_none(),
        ..LineSubject::default()
    }
}

/// The facts of a score. Its repetitions and its rule are those of its first part.
fn of_score(plan: &Plan, score: &Score) -> LineSubject {
    let asked = score.criterion.iter();
    let first = &plan.tests[score.parts[0].test];
    LineSubject {
        id: score.id.clone(),
        at: Some(score.at),
        clause: score.clause.clone(),
        criteria: asked
            .map(|asked| criterion(asked, asked.stat_named.then_some(asked.stat), &score.clause))
            .collect(),
        reported: score.criterion.is_none(),
        confidence: confidence(&score.criterion, &first.decide),
        repetitions: Some(first.repetitions),
        stated: LaunchedRanks {
            nodes: score.parts.iter().find_map(|part| plan.tests[part.test].placement.nodes).map(u64::from),
            ..LaunchedRanks::default()
        },
        has_state: true,
        ..LineSubject::default()
    }
}

/// Whether the test's metadata operations run on a declared state, or on the items of another test.
fn has_state(plan: &Plan, test: &Test) -> bool {
    test.uses.is_some() || test.states.iter().any(|state| !plan.states[*state].is_degraded())
}

/// Whether the test is a step of another test's search for a number of nodes.
fn is_probe(plan: &Plan, test: &Test) -> bool {
    let searches = plan.tests.iter().filter_map(|other| other.search.as_ref());
    searches.flat_map(|search| &search.steps).any(|step| plan.tests[*step].id == test.id)
}

/// The metrics of the test that its criteria, or those of scores, compare.
fn compared<'p>(plan: &'p Plan, test: &'p Test) -> impl Iterator<Item = &'p str> {
    let scored = plan.scores.iter().filter(|score| score.criterion.is_some());
    let parts = scored.flat_map(|score| &score.parts).filter(|part| plan.tests[part.test].id == test.id);
    let own = test.criteria.iter().map(|criterion| &criterion.metric);
    own.chain(parts.map(|part| &part.metric)).map(String::as_str)
}

/// The purpose of the test, from what is compared.
fn role(plan: &Plan, test: &Test, line: &Option<WorkloadLine>) -> Option<LineRole> {
    if let plan::Role::Hero(_) = test.role {
        return Some(LineRole::Hero);
    }
    if !matches!(line, Some(WorkloadLine::Ior(_))) || compared(plan, test).next().is_none() {
        return None;
    }
    let all = |phase: &str| compared(plan, test).all(|metric| metric.starts_with(phase));
    all("write.").then_some(LineRole::Write).or(all("read.").then_some(LineRole::Read))
}

/// The purpose of the test that the verbs of a clause suggest.
fn worded_role(clause: &str) -> Option<LineRole> {
    let clause = clause.to_lowercase();
    let mentions = |stem: &str| {
        clause.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(stem) && word != "ready")
    };
    match (mentions("writ"), mentions("read")) {
        (true, false) => Some(LineRole::Write),
        (false, true) => Some(LineRole::Read),
        _ => None,
    }
}

/// The clause text about the test itself. Empty for a part whose group has the clause, and for a test that
/// only searches for a number of nodes.
fn own_clause(plan: &Plan, test: &Test) -> String {
    let group = test.part.map(|part| &plan.groups[part]);
    let of_sum = group.is_some_and(|group| !group.criteria.is_empty() && group.clause == test.clause);
    if of_sum || is_probe(plan, test) { String::new() } else { test.clause.clone() }
}

fn facts(line: &Line) -> Option<WorkloadLine> {
    Some(WorkloadLine::read(WorkloadName::named(line.workload())?, line.words()))
}

/// Ranks as the plan states them. Local ranks are all on one node.
fn ranks(plan: &Plan, placement: &Placement) -> LaunchedRanks {
    let ranks = u64::from(placement.ranks);
    match plan.launch.kind {
        LaunchKind::Local => LaunchedRanks { ranks: Some(ranks), nodes: Some(1), ppn: Some(ranks) },
        _ => LaunchedRanks {
            ranks: Some(ranks),
            nodes: placement.nodes.map(u64::from),
            ppn: placement.ppn.map(u64::from),
        },
    }
}

/// The file system, with the layout commands that run before a job.
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

/// Number of storage targets that hold data where the test runs; `None` where servers are taken offline.
fn all_targets(plan: &Plan, test: &Test) -> Option<u32> {
    let whole = test.step.as_ref().is_none_or(|step| step.servers.is_none());
    plan.file_systems.get(&test.fs).filter(|_| whole)?.targets
}

/// The series over servers. Each step has the nodes of its first test.
fn series(plan: &Plan) -> Vec<SeriesFacts> {
    let of = |(index, series): (usize, &plan::Series)| {
        let mut tests =
            plan.tests.iter().filter(|test| test.step.as_ref().is_some_and(|step| step.series == index));
        let first = tests.clone().next()?;
        let fs = plan.file_systems.get(&first.fs)?;
        let steps = series.steps.iter().map(|step| {
            let test = tests.find(|test| test.step.as_ref().is_some_and(|own| own.label == step.label));
            StepFacts {
                label: step.word.clone(),
                servers: step.servers.map(u64::from),
                nodes: test.and_then(|test| test.placement.nodes).map(u64::from),
            }
        });
        Some(SeriesFacts {
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

/// The maker of the files of an IOR command line, past tests that only read them.
fn source(plan: &Plan, test: &Test) -> Option<MakerFacts> {
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
    let line = ior::Line::read(&line.as_ior()?.words);
    Some(MakerFacts { name, line, ranks: Some(placement.ranks.into()) })
}

/// The tests whose written data is read back and compared, by themselves or by a test that uses their files.
fn verified(plan: &Plan) -> Vec<String> {
    let mut all = BTreeSet::new();
    let checked = |dataset: &&plan::Dataset| dataset.line.as_ior().is_some_and(|line| line.write_check);
    all.extend(plan.datasets.iter().filter(checked).map(plan::Dataset::job));
    for test in &plan.tests {
        let Some(line) = test.line.as_ior().filter(|line| line.read_check || line.write_check) else {
            continue;
        };
        if line.write || (line.mixes() && line.read_check) {
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

/// Whether the test is one step over numbers of nodes, and not a step of a search for one.
fn has_steps(plan: &Plan, test: &Test) -> bool {
    test.step.is_some() || test.part.is_none() && test.family != test.id && !is_probe(plan, test)
}
