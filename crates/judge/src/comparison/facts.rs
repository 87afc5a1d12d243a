//! The facts in which campaigns differ: plan, program, machine, file systems.
//!
//! Facts that always differ, such as times and free memory, are not among them.
//!
//! Never here: when two values differ, which `results` decides; whether a difference matters.

use std::collections::{BTreeMap, BTreeSet};

use plan::Test;
use results::comparison::{CampaignFacts, ComparedFact, FactDifference, differing_facts};
use results::folder::{Campaign, FileSystemFacts, Fill, Job, Layout, Machine};
use results::reason::Datum;
use results::record::Run;

use super::values::CampaignValues;
use crate::index;
use crate::parameters::{TestParameters, joined, state_text};

/// The most names that a fact lists.
const NAMES_MAX: usize = 16;

/// All facts in which the campaigns differ, by fact and subject.
pub(super) fn differences(values: &[CampaignValues<'_>]) -> Vec<FactDifference> {
    differing_facts(&values.iter().map(facts).collect::<Vec<_>>())
}

/// All known facts of a campaign.
pub(super) fn facts(one: &CampaignValues<'_>) -> CampaignFacts {
    let mut facts = CampaignFacts::new();
    of_campaign(&mut facts, one);
    for test in &one.plan.tests {
        of_test(&mut facts, one, test);
    }
    if let Some(machine) = &one.campaign.before {
        of_machine(&mut facts, machine);
        machine.file_systems.iter().for_each(|fs| of_file_system(&mut facts, fs));
    }
    fills(&mut facts, one);
    facts
}

/// Adds a fact, unless it is not known.
fn add(facts: &mut CampaignFacts, fact: ComparedFact, about: &str, value: impl Into<Datum>) {
    let value = value.into();
    let is_unknown = matches!(&value, Datum::Text(text) if text.is_empty());
    if !is_unknown {
        facts.insert((fact, about.to_owned()), value);
    }
}

fn of_campaign(facts: &mut CampaignFacts, one: &CampaignValues<'_>) {
    use ComparedFact as F;
    let Campaign { info, .. } = one.campaign;
    add(facts, F::PlanId, "", &info.plan);
    add(facts, F::PlanHash, "", &info.plan_sha256);
    add(facts, F::Scale, "", info.scale.as_deref().unwrap_or_default());
    add(facts, F::Selected, "", info.only.join(" "));
    add(facts, F::Nonce, "", info.nonce());
    add(facts, F::ProgramVersion, "", &info.tool);
    add(facts, F::ProgramHash, "", &info.tool_sha256);
    add(facts, F::ProgramCommit, "", &info.build.commit);
    add(facts, F::ProgramProfile, "", &info.build.profile);
    add(facts, F::Directory, "", &info.dir);
    if let Some(launcher) = &info.launcher {
        add(facts, F::Launcher, "", format!("{} {}", launcher.path, launcher.version).trim());
    }
    for (name, value) in &one.plan.parameters {
        add(facts, F::Parameter, name, value);
    }
    let waivers = one.plan.all_waivers().filter(|waiver| !waiver.approved_by.is_empty());
    let waivers: BTreeSet<String> = waivers.map(|one| format!("{} {}", one.about, one.lint)).collect();
    add(facts, F::Waived, "", listed(waivers));
    let runs = runs(&one.campaign.jobs);
    add(facts, F::Mpi, "", listed(runs.iter().filter_map(|run| run.mpi.clone()).collect()));
    let libraries = one.campaign.jobs.iter().flat_map(|job| &job.info.libraries);
    let file = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    add(facts, F::Libraries, "", listed(libraries.map(|library| file(&library.path)).collect()));
    add(facts, F::NodeNames, "", listed(runs.iter().flat_map(|run| node_names(run)).collect()));
}

/// The first of several names, and how many there are.
fn listed(names: BTreeSet<String>) -> Datum {
    let count = names.len();
    let mut shown: Vec<String> = names.into_iter().take(NAMES_MAX).collect();
    if count > NAMES_MAX {
        shown.push(format!("+{}", count - NAMES_MAX));
    }
    match shown.len() {
        0 => Datum::Text(String::new()),
        _ => shown.into(),
    }
}

fn runs(jobs: &[Job]) -> Vec<&Run> {
    let jobs: Vec<&Job> = jobs.iter().collect();
    index::runs(&jobs).collect()
}

/// The nodes of a run that its record names.
fn node_names(run: &Run) -> Vec<String> {
    let known = run.clients.iter().flat_map(|clients| &clients.nodes).map(|node| node.name.clone());
    known.chain([run.host.clone()]).filter(|name| !name.is_empty()).collect()
}

fn of_test(facts: &mut CampaignFacts, one: &CampaignValues<'_>, test: &Test) {
    use ComparedFact as F;
    let id = &test.id;
    add(facts, F::TestPlanned, id, true);
    let criteria: Vec<String> = test.criteria.iter().map(|one| format!("{} {one}", one.metric)).collect();
    add(facts, F::Criteria, id, criteria);
    add(facts, F::Repetitions, id, test.repetitions);
    let parameters = TestParameters::of(&one.index, &[test], &first_metric(one, id));
    add(facts, F::Command, id, joined(&parameters.command));
    add(facts, F::Setup, id, joined(&parameters.setup));
    add(facts, F::Source, id, joined(&parameters.source));
    let states = test.states.iter().map(|state| &one.plan.states[*state]);
    let states = states.map(|state| format!("{}: {}", state.name, state_text(&state.kind)));
    add(facts, F::State, id, states.collect::<Vec<_>>().join("; "));
    add(facts, F::Course, id, parameters.course.join("; "));
    add(facts, F::Ranks, id, distinct(&parameters.ranks));
    add(facts, F::Nodes, id, distinct(&parameters.nodes));
    for (name, value) in parameters.parameters.into_iter().filter(|(name, _)| *name != "ranks") {
        add(facts, F::Parameters, &format!("{id} {name}"), value);
    }
    let layout = one.index.jobs(id).iter().find_map(|job| job.info.layout.as_ref());
    layout.into_iter().for_each(|layout| of_layout(facts, id, layout));
}

fn first_metric(one: &CampaignValues<'_>, id: &str) -> String {
    let own = one.metrics.iter().find(|(test, _, _)| test == id);
    own.map(|(_, metric, _)| metric.clone()).unwrap_or_default()
}

fn distinct(numbers: &[u32]) -> Datum {
    let distinct: BTreeSet<u32> = numbers.iter().copied().collect();
    match distinct.len() {
        0 => Datum::Text(String::new()),
        _ => distinct.into_iter().collect::<Vec<_>>().into(),
    }
}

fn of_layout(facts: &mut CampaignFacts, about: &str, layout: &Layout) {
    add(facts, ComparedFact::StripeCount, about, layout.stripe_count);
    add(facts, ComparedFact::StripeBytes, about, Datum::bytes(layout.stripe_bytes as f64));
    add(facts, ComparedFact::Pool, about, &layout.pool);
}

fn of_machine(facts: &mut CampaignFacts, machine: &Machine) {
    use ComparedFact as F;
    add(facts, F::Host, "", &machine.host);
    add(facts, F::Kernel, "", &machine.kernel);
    add(facts, F::Os, "", &machine.os);
    add(facts, F::Cpu, "", &machine.cpu);
    add(facts, F::Cores, "", machine.cores);
    add(facts, F::Memory, "", Datum::bytes(machine.memory_bytes as f64));
    add(facts, F::Governor, "", &machine.governor);
}

fn of_file_system(facts: &mut CampaignFacts, fs: &FileSystemFacts) {
    use ComparedFact as F;
    add(facts, F::FsKind, &fs.name, &fs.kind);
    add(facts, F::FsDevice, &fs.name, &fs.device);
    add(facts, F::FsOptions, &fs.name, &fs.options);
    add(facts, F::FsBytes, &fs.name, Datum::bytes(fs.bytes as f64));
    add(facts, F::FsTargets, &fs.name, fs.targets.len());
    let backing = fs.backing.iter().map(|layer| layer.words()).collect();
    add(facts, F::FsBacking, &fs.name, listed(backing));
}

/// The lowest and the highest utilization of each file system before the jobs on it.
fn fills(facts: &mut CampaignFacts, one: &CampaignValues<'_>) {
    let mut shares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for test in &one.plan.tests {
        let fills = one.index.jobs(&test.id).iter().filter_map(|job| job.info.fill_before.as_ref());
        shares.entry(&test.fs).or_default().extend(fills.filter_map(used_share));
    }
    for (fs, shares) in shares {
        let ends = [shares.iter().copied().reduce(f64::min), shares.iter().copied().reduce(f64::max)];
        if let [Some(low), Some(high)] = ends {
            add(facts, ComparedFact::Fill, fs, vec![Datum::share(low), Datum::share(high)]);
        }
    }
}

/// The used share of the blocks.
pub(super) fn used_share(fill: &Fill) -> Option<f64> {
    let (used, free) = (fill.bytes_used as f64, fill.bytes_free as f64);
    (used + free > 0.0).then(|| used / (used + free))
}
