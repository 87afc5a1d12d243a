//! What decides the rate of a test apart from the system: command lines, states, ranks, nodes, and the
//! recorded parameters of its phases. The commands that write what it reads belong to it.
//!
//! Never here: facts that may differ between systems, such as kernels and layouts.

use plan::{StateKind, Test};
use results::reason::Datum;
use results::record::{Phase, Record};

use super::values::CampaignValues;

/// The parameters of a test, or of all parts of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TestParameters {
    /// The workload with its arguments.
    pub(super) command: Vec<Vec<String>>,
    /// Shell commands before each job.
    pub(super) setup: Vec<Vec<String>>,
    /// The commands that write what it reads.
    pub(super) source: Vec<Vec<String>>,
    /// Its states.
    pub(super) state: Vec<String>,
    /// Its other requirements.
    pub(super) course: Vec<String>,
    /// The ranks of its jobs.
    pub(super) ranks: Vec<u32>,
    /// The nodes of its jobs.
    pub(super) nodes: Vec<u32>,
    /// The parameters of the phase in the records, by name.
    pub(super) parameters: Vec<(&'static str, Datum)>,
}

impl TestParameters {
    /// Those of a test, or of all parts of a group or score; `None` if the plan has none of them.
    pub(super) fn of_row(values: &CampaignValues<'_>, id: &str, metric: &str) -> Option<Self> {
        let tests = values.tests(id);
        if !tests.is_empty() {
            return Some(Self::of(values, &tests, metric));
        }
        let mut all = Self::default();
        for part in &values.score(id)?.parts {
            all.add(values, &values.plan.tests[part.test], &part.metric);
            // Two scores of the same tests differ by their units or weights.
            all.course.push(format!("{} {} {}", part.metric, part.unit, part.weight));
        }
        Some(all)
    }

    /// Those of `tests`, for the phase of `metric`.
    pub(super) fn of(values: &CampaignValues<'_>, tests: &[&Test], metric: &str) -> Self {
        let mut all = Self::default();
        for test in tests {
            all.add(values, test, metric);
        }
        all
    }

    fn add(&mut self, values: &CampaignValues<'_>, test: &Test, metric: &str) {
        let line = |id: &str| {
            let job = values.planned.get(id);
            job.map(|job| std::iter::once(job.workload.to_owned()).chain(job.words.iter().cloned()).collect())
        };
        self.command.extend(line(&test.id));
        self.setup.push(test.setup.clone());
        self.source.extend(values.plan.sources(test).filter_map(|uses| line(&uses.maker(values.plan))));
        self.state.extend(test.states.iter().map(|state| state_text(&values.plan.states[*state].kind)));
        self.course.push(format!(
            "{:?} {:?} {} {} {:?}",
            test.sustained_s, test.course, test.cache_warm, test.degraded, test.stripes
        ));
        for record in values.jobs(&test.id).iter().take(1).flat_map(|job| &job.records) {
            if let Record::Run(run) = record {
                self.ranks.push(run.ranks);
                self.nodes.push(run.nodes);
            }
        }
        let wanted = metric.split_once('.').map_or("", |(phase, _)| phase);
        let mut phases = values.jobs(&test.id).iter().flat_map(|job| results::record::phases(&job.records));
        self.parameters.extend(phases.find(|phase| phase.phase == wanted).into_iter().flat_map(recorded));
    }

    /// The names of the parts that differ, as `report` knows them.
    pub(super) fn differing(&self, other: &Self) -> Vec<&'static str> {
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

/// The recorded parameters of a phase.
fn recorded(phase: &Phase) -> Vec<(&'static str, Datum)> {
    vec![
        ("backend", phase.backend.clone().into()),
        ("transfer", Datum::bytes(phase.transfer_bytes as f64)),
        ("block", Datum::bytes(phase.block_bytes as f64)),
        ("segments", phase.segments.into()),
        ("file_per_rank", phase.file_per_rank.into()),
        ("ranks", phase.ranks.into()),
        ("depth", phase.depth.into()),
        ("direct", phase.direct.into()),
        ("persisted", phase.persisted.into()),
        ("persisted_each", phase.persisted_each.into()),
        ("rate_limit", phase.rate_limit.unwrap_or(0.0).into()),
    ]
}

/// A state without its name.
pub(super) fn state_text(kind: &StateKind) -> String {
    match kind {
        StateKind::Age(words) => words.join(" "),
        StateKind::Preload(files) => files.to_string(),
        StateKind::Degrade { degrade, restore } => format!("{degrade}; {restore}"),
    }
}
