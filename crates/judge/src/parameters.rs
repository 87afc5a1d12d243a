//! What decides the rate of a test apart from the system: command lines, states, ranks, nodes, and the
//! recorded parameters of its phases. The commands that write what it reads belong to it.
//!
//! Never here: facts that may differ between systems, such as kernels and layouts.

use std::collections::{BTreeMap, BTreeSet};

use plan::{Plan, Score, ScoreFormula, StateKind, Stripes, Test};
use results::folder::JobInfo;
use results::reason::Datum;
use results::record::{self, Phase};

use crate::index::Index;

/// The parameters of a test, or of all parts of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TestParameters {
    /// The workload with its arguments.
    pub(crate) command: Vec<Vec<String>>,
    /// Shell commands before each job.
    pub(crate) setup: Vec<Vec<String>>,
    /// The commands that write what it reads.
    pub(crate) source: Vec<Vec<String>>,
    /// Its states.
    pub(crate) state: Vec<String>,
    /// Its other requirements, a text for each test.
    pub(crate) course: Vec<String>,
    /// The ranks of its jobs.
    pub(crate) ranks: Vec<u32>,
    /// The nodes of its jobs.
    pub(crate) nodes: Vec<u32>,
    /// The parameters of the phase in the records, by name.
    pub(crate) parameters: Vec<(&'static str, Datum)>,
}

impl TestParameters {
    /// Those of a test, or of all parts of a group or score; `None` if the plan has none of them.
    pub(crate) fn of_row(index: &Index<'_>, id: &str, metric: &str) -> Option<Self> {
        let Some(score) = score(index.plan, id) else {
            let tests = tests(index.plan, id);
            return (!tests.is_empty()).then(|| Self::of(index, &tests, metric));
        };
        let mut all = Self::default();
        for part in &score.parts {
            all.add(index, &index.plan.tests[part.test], &part.metric);
            // Two scores of the same tests differ by their units, weights or formula.
            all.course.push(format!("{} {} {}", part.metric, part.unit, part.weight));
        }
        if score.formula == ScoreFormula::Sum {
            all.course.push("sum".to_owned());
        }
        Some(all)
    }

    /// Those of `tests`, for the phase of `metric`.
    pub(crate) fn of(index: &Index<'_>, tests: &[&Test], metric: &str) -> Self {
        let mut all = Self::default();
        for test in tests {
            all.add(index, test, metric);
        }
        all
    }

    fn add(&mut self, index: &Index<'_>, test: &Test, metric: &str) {
        let line = |id: &str| {
            let job = index.planned(id).next();
            job.map(|job| std::iter::once(job.workload.to_owned()).chain(job.words.iter().cloned()).collect())
        };
        self.command.extend(line(&test.id));
        self.setup.push(test.setup.clone());
        self.source.extend(index.plan.sources(test).filter_map(|uses| line(&uses.maker(index.plan))));
        self.state.extend(test.states.iter().map(|state| state_text(&index.plan.states[*state].kind)));
        self.course.push(course(index.plan, test));
        for run in index.jobs(&test.id).iter().take(1).flat_map(|job| record::runs(&job.records)) {
            self.ranks.push(run.ranks);
            self.nodes.push(run.nodes);
        }
        let wanted = metric.split_once('.').map_or("", |(phase, _)| phase);
        let mut phases = index.jobs(&test.id).iter().flat_map(|job| record::phases(&job.records));
        self.parameters
            .extend(phases.find(|phase| phase.phase == wanted).into_iter().flat_map(Phase::parameters));
    }

    /// The names of the parts that differ, as `report` knows them.
    pub(crate) fn differing(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("command", self.command == other.command),
            ("setup", self.setup == other.setup),
            ("source", self.source == other.source),
            ("state", self.state == other.state),
            ("course", self.course == other.course),
            ("ranks", self.ranks == other.ranks),
            ("nodes", self.nodes == other.nodes),
            ("parameters", self.parameters == other.parameters),
        ];
        let mut differing: Vec<&str> =
            parts.into_iter().filter(|(_, is_same)| !is_same).map(|(name, _)| name).collect();
        // Parameters follow from the command line, so they are named only if nothing else explains them.
        if differing.len() > 1 {
            differing.retain(|name| *name != "parameters");
        }
        differing
    }
}

/// What must be the same for two values of a test, a group or a score to be compared, by name. Empty parts
/// are left out.
pub(crate) fn setup(index: &Index<'_>, id: &str, metric: &str) -> BTreeMap<String, String> {
    let of = TestParameters::of_row(index, id, metric).unwrap_or_default();
    let numbers = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    // An empty text keeps its place among those of several tests.
    let texts = |texts: Vec<String>| match texts.iter().all(String::is_empty) {
        true => String::new(),
        false => texts.join("; "),
    };
    let setup_lines = of.setup.iter().map(|line| line.join(" ")).collect();
    let recorded = of.parameters.iter().map(|(name, value)| format!("{name} {value}"));
    let jobs = tests(index.plan, id).into_iter().flat_map(|test| index.jobs(&test.id));
    let parts = [
        ("command", joined(&of.command)),
        ("setup", texts(setup_lines)),
        ("source", joined(&of.source)),
        ("state", texts(of.state)),
        ("course", texts(of.course)),
        ("ranks", numbers(&of.ranks)),
        ("nodes", numbers(&of.nodes)),
        ("parameters", recorded.collect::<Vec<_>>().join(", ")),
        ("program", programs(jobs.map(|job| &job.info))),
    ];
    let known = parts.into_iter().filter(|(_, text)| !text.is_empty());
    known.map(|(name, text)| (name.to_owned(), text)).collect()
}

/// The files of external programs with their hashes.
fn programs<'j>(jobs: impl Iterator<Item = &'j JobInfo>) -> String {
    let all = jobs.flat_map(|job| &job.programs).map(|one| format!("{} {}", one.path, one.sha256));
    all.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("; ")
}

/// The score with this id.
pub(crate) fn score<'p>(plan: &'p Plan, id: &str) -> Option<&'p Score> {
    plan.scores.iter().find(|score| score.id == id)
}

/// The test with this id, or the parts of the group or score.
pub(crate) fn tests<'p>(plan: &'p Plan, id: &str) -> Vec<&'p Test> {
    let group = || plan.groups.iter().find(|group| group.id == id);
    match (plan.test(id), group()) {
        (Some(test), _) => vec![test],
        (None, Some(group)) => plan.parts(group).collect(),
        (None, None) => {
            let parts = score(plan, id).into_iter().flat_map(|score| &score.parts);
            parts.map(|part| &plan.tests[part.test]).collect()
        }
    }
}

/// Command lines as one text.
pub(crate) fn joined(lines: &[Vec<String>]) -> String {
    lines.iter().map(|line| line.join(" ")).collect::<Vec<_>>().join("; ")
}

/// The requirements on the course of a test, with the keys of plans; empty if it has none. Other tests are
/// named by their ids, because their places change with a revision of the plan.
fn course(plan: &Plan, test: &Test) -> String {
    let id = |place: usize| plan.tests[place].id.as_str();
    let steady = test.course.steady.as_ref().map(|rule| {
        let within = rule.within.map_or(String::new(), |within| format!(", within {within} s"));
        let (window, slope, range, measured) = (rule.window, rule.slope, rule.range, rule.measured);
        format!("steady = {window} s, slope {slope}, range {range}{within}, measured {measured} s")
    });
    let turns = test.course.turns.map(|turns| {
        let order = if turns.randomized { ", randomized" } else { "" };
        format!("alternates from {}{order}", id(turns.first))
    });
    let client_limit = test.course.client_limit.as_ref().map(|limit| {
        let probes: Vec<&str> = limit.probes.iter().map(|place| id(*place)).collect();
        format!("client_limit = {}, gain {}", probes.join(" "), limit.gain)
    });
    let stripes = test.stripes.map(|stripes| match stripes {
        Stripes::Count(count) => format!("stripes = {count}"),
        Stripes::All => "stripes = all".to_owned(),
    });
    let parts = [
        test.cache_warm.then(|| "cache = warm".to_owned()),
        test.sustained_s.map(|seconds| format!("sustained = {seconds} s")),
        steady,
        (test.course.warm_up > 0).then(|| format!("warm_up = {}", test.course.warm_up)),
        turns,
        test.best_of.as_ref().map(|best| format!("best_of = {}.{}", id(best.test), best.metric)),
        client_limit,
        test.degraded.then(|| "degraded = true".to_owned()),
        stripes,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A state without its name.
pub(crate) fn state_text(kind: &StateKind) -> String {
    match kind {
        StateKind::Age(words) => words.join(" "),
        StateKind::Preload(files) => files.to_string(),
        StateKind::Degrade { degrade, restore } => format!("{degrade}; {restore}"),
    }
}
