//! What every job reports when it begins: the file systems of its files on each node, the wall clocks, and
//! the identity of the nodes.
//!
//! Never here: rates.

use command::{backend, discards_data};
use std::collections::BTreeSet;

use jiff::Timestamp;
use results::finding::{Finding, Severity};
use results::folder::Job;
use results::reason::{Code, Reason, any, reason};
use results::record::{Clients, DifferingNodes, KernelCount, Mounted, NodeIdentity, Phase, Run, SKEW_S};

use crate::index::{Index, phases, runs};
use crate::validity::kernel::is_on_device;
use crate::validity::window::{self, Span};

/// One job that ran on some nodes.
struct NodeFacts<'a> {
    job: &'a Job,
    run: &'a Run,
    /// The state that the job prepares; empty for a job of the test itself.
    state: String,
    /// The name of the file system in the plan, and its planned type, if the plan states it.
    planned: Option<(&'a str, &'a str)>,
    /// The name of the file system and its type, as the campaign found it on its own node.
    found: Option<(&'a str, &'a str)>,
    /// SHA-256 of the program of the campaign.
    program: &'a str,
    /// Whether the plan states that nodes may share a kernel.
    simulated: bool,
}

/// The findings about tests with their states, and about datasets.
pub(super) fn all(index: &Index<'_>) -> Vec<Finding> {
    let plan = index.plan;
    let mut findings = Vec::new();
    for test in &plan.tests {
        let mut facts = facts(index, &test.id, &test.fs, false);
        for state in test.states.iter().map(|state| &plan.states[*state]) {
            facts.extend(self::facts(index, &state.job(), &state.fs, true));
        }
        let found = of(&facts, test.part.is_some()).into_iter().chain(other_nodes(index, &facts));
        findings.extend(found.map(|one| one.about(&test.id)));
    }
    for dataset in &plan.datasets {
        let facts = facts(index, &dataset.job(), &dataset.fs, false);
        findings.extend(of(&facts, false).into_iter().map(|one| one.about(dataset.job())));
    }
    findings
}

fn facts<'a>(index: &Index<'a>, name: &str, fs: &str, is_state: bool) -> Vec<NodeFacts<'a>> {
    let planned = index.plan.file_systems.get_key_value(fs);
    let planned = planned.and_then(|(name, fs)| Some((name.as_str(), fs.kind.as_deref()?)));
    let found = index.file_system(fs).filter(|found| !found.kind.is_empty());
    let found = found.map(|found| (found.name.as_str(), found.kind.as_str()));
    let state = if is_state { name.to_owned() } else { String::new() };
    let of = |job: &&'a Job| {
        let run = runs(&[*job]).next()?;
        let simulated = index.plan.clients.simulated;
        let program = &index.campaign.info.tool_sha256;
        Some(NodeFacts { job, run, state: state.clone(), planned, found, program, simulated })
    };
    index.jobs(name).iter().filter_map(of).collect()
}

/// `at_once`: whether other tests run in parallel, so that their common time needs the wall clocks.
fn of(facts: &[NodeFacts<'_>], at_once: bool) -> Vec<Finding> {
    type NodeCheck = fn(&NodeFacts<'_>, &Clients) -> Option<Finding>;
    let checks: [NodeCheck; 10] = [
        shared_kernel,
        other_kind,
        unknown_place,
        elsewhere,
        other_server,
        mapped_object,
        other_program,
        traced,
        filtered,
        uncounted,
    ];
    let found = |check: &NodeCheck| {
        let checked = |one| Some((one, check(one, NodeFacts::clients(one)?)?));
        let mut all = facts.iter().filter_map(checked);
        let (first, finding) = all.next()?;
        let folders: Vec<&String> =
            std::iter::once(&first.job.folder).chain(all.map(|(one, _)| &one.job.folder)).collect();
        let reason = first.with_job(finding.reason).with(any::folders, folders);
        Some(Finding { reason, ..finding })
    };
    checks.iter().filter_map(found).chain(skew(facts, at_once)).collect()
}

impl NodeFacts<'_> {
    fn clients(&self) -> Option<&Clients> {
        self.run.clients.as_deref()
    }

    /// Adds the job's repetition, or the state that the job prepares.
    fn with_job(&self, reason: Reason) -> Reason {
        match self.state.as_str() {
            "" => reason.with(any::repetition, self.job.info.repetition),
            state => reason.with(any::job, state),
        }
    }
}

/// A directory on a file system of another type than planned.
fn other_kind(facts: &NodeFacts<'_>, clients: &Clients) -> Option<Finding> {
    let (fs, kind) = facts.planned?;
    let there = clients.mounted.iter().find(|there| there.kind != kind)?;
    let (host, dir, found) = (&facts.run.host, &there.dir, there.words());
    let reason = reason!(PathOnWrongFs { host, dir, found, fs, planned: kind });
    Some(Finding::new(Severity::Error, reason))
}

/// Files of which neither the directory nor the file itself has a known place. With `ior -y` only the file
/// has one, because the directories depend on the socket of each rank.
fn unknown_place(facts: &NodeFacts<'_>, clients: &Clients) -> Option<Finding> {
    let (fs, kind) = facts.planned.or(facts.found)?;
    let is_unknown = |phase: &&Phase| phase.opened.as_ref().is_none_or(|opened| opened.kind.is_empty());
    // A library without a mount finds the directory, which the campaign made, in the same file system only.
    let needs_none = |phase: &Phase| backend(&phase.backend).is_ok_and(|one| one.abilities.scheme.is_some());
    let mut measured = phases(facts.job).filter(|phase| !discards_data(&phase.backend) && !needs_none(phase));
    let phase = measured.find(is_unknown).filter(|_| clients.mounted.is_empty())?;
    let (host, dir, found) = (&facts.run.host, &phase.path, "an unknown file system");
    let reason = reason!(PathOnWrongFs { host, dir, found, fs, planned: kind });
    Some(Finding::new(Severity::NeedsWaiver, reason))
}

/// Nodes on which a directory is on another file system.
fn elsewhere(facts: &NodeFacts<'_>, clients: &Clients) -> Option<Finding> {
    let reason = others(facts, clients, &clients.elsewhere)?;
    Some(Finding::new(Severity::Error, reason!(PathOnWrongFs { elsewhere: true, ..reason })))
}

/// Nodes that mount what may be the same file system from another server.
fn other_server(facts: &NodeFacts<'_>, clients: &Clients) -> Option<Finding> {
    let reason = others(facts, clients, &clients.other_server)?;
    Some(Finding::new(Severity::NeedsWaiver, reason!(PathOnWrongFs { other_server: true, ..reason })))
}

/// Nodes with the same kernel, which are one node with several names.
fn shared_kernel(facts: &NodeFacts<'_>, clients: &Clients) -> Option<Finding> {
    let (kernels, nodes) = (clients.kernels()?, facts.run.nodes);
    let (code, severity) = match facts.simulated {
        true => (Code::SimulatedNodes, Severity::Info),
        false => (Code::SharedKernel, Severity::Error),
    };
    let reason = reason!(SharedKernel { nodes, kernels, ..Reason::new(code) });
    (kernels < nodes && nodes > 1).then(|| Finding::new(severity, reason))
}

/// A file with code in processes of some nodes, such as a preloaded library.
fn mapped_object(_: &NodeFacts<'_>, clients: &Clients) -> Option<Finding> {
    let (node, object) = clients.nodes.iter().find_map(|node| Some((node, node.objects.first()?)))?;
    let of = |other: &NodeIdentity| other.objects.contains(object);
    let hash = Some(&object.sha256).filter(|hash| !hash.is_empty());
    let all = clients.nodes.iter().flat_map(|node| &node.objects).map(|object| object.path.as_str());
    let others = all.filter(|path| *path != object.path).collect::<BTreeSet<_>>();
    let others = Some(others.into_iter().take(NodeIdentity::CAP).map(str::to_owned).collect::<Vec<_>>());
    let reason = reason!(MappedObject {
        path: &object.path,
        sha256: hash,
        others: others.filter(|others| !others.is_empty()),
        ..on_nodes(Code::MappedObject, clients, node, of)
    });
    Some(Finding::new(Severity::NeedsWaiver, reason))
}

/// Processes of another program than the campaign's.
fn other_program(facts: &NodeFacts<'_>, clients: &Clients) -> Option<Finding> {
    let (node, program) = clients.nodes.iter().find_map(|node| {
        let program = node.programs.iter().find(|program| **program != facts.program)?;
        Some((node, program))
    })?;
    let runs_it = |node: &NodeIdentity| node.programs.contains(program);
    let reason = reason!(OtherProgram {
        sha256: program,
        own: facts.program,
        ..on_nodes(Code::OtherProgram, clients, node, runs_it)
    });
    Some(Finding::new(Severity::NeedsWaiver, reason))
}

/// A process that traces ranks. It can change their memory and their system calls.
fn traced(facts: &NodeFacts<'_>, clients: &Clients) -> Option<Finding> {
    let is_traced = |node: &NodeIdentity| node.tracer_pid > 0;
    let Some(node) = clients.nodes.iter().find(|node| is_traced(node)) else {
        return after_start(facts, Code::TracedProcess, |kernel| kernel.traced);
    };
    let tracer = Some(&node.tracer).filter(|name| !name.is_empty());
    let reason = reason!(TracedProcess {
        pid: node.tracer_pid,
        tracer,
        ..on_nodes(Code::TracedProcess, clients, node, is_traced)
    });
    Some(Finding::new(Severity::NeedsWaiver, reason))
}

/// A filter of system calls. It can answer calls in place of the kernel.
fn filtered(facts: &NodeFacts<'_>, clients: &Clients) -> Option<Finding> {
    let is_filtered = |node: &NodeIdentity| node.seccomp > 0;
    let Some(node) = clients.nodes.iter().find(|node| is_filtered(node)) else {
        return after_start(facts, Code::SystemCallFilter, |kernel| kernel.seccomp);
    };
    let reason = reason!(SystemCallFilter {
        mode: node.seccomp,
        ..on_nodes(Code::SystemCallFilter, clients, node, is_filtered)
    });
    Some(Finding::new(Severity::NeedsWaiver, reason))
}

/// Processes whose bytes the kernel did not count, on a file system for which its count is compared.
fn uncounted(facts: &NodeFacts<'_>, _: &Clients) -> Option<Finding> {
    let (phase, processes) = phases(facts.job).find_map(|phase| {
        let processes = phase.kernel.as_ref()?.uncounted;
        (processes > 0 && is_on_device(phase)).then_some((phase, processes))
    })?;
    Some(Finding::new(Severity::NeedsWaiver, reason!(UncountedProcess { phase: &phase.phase, processes })))
}

/// What no process had at the start of the job, but when a phase was prepared or recorded.
fn after_start(facts: &NodeFacts<'_>, code: Code, watched: fn(&KernelCount) -> u32) -> Option<Finding> {
    let phase = phases(facts.job).find(|phase| phase.kernel.as_ref().is_some_and(|of| watched(of) > 0))?;
    Some(Finding::new(Severity::NeedsWaiver, Reason::new(code).with(any::phase, &phase.phase)))
}

/// The first node that something is true of, and on how many it is.
fn on_nodes(
    code: Code,
    clients: &Clients,
    first: &NodeIdentity,
    of: impl Fn(&NodeIdentity) -> bool,
) -> Reason {
    let count = clients.nodes.iter().filter(|node| of(node)).count();
    reason!(MappedObject { node: &first.name, nodes: count, of: clients.nodes.len(), ..Reason::new(code) })
}

fn others(facts: &NodeFacts<'_>, clients: &Clients, others: &DifferingNodes) -> Option<Reason> {
    let here: Vec<String> = clients.mounted.iter().map(Mounted::words).collect();
    let named = others.first.iter().map(|(node, mounted)| format!("{node} ({})", mounted.words()));
    (others.nodes > 0).then(|| {
        reason!(PathOnWrongFs {
            nodes: others.nodes,
            of: facts.run.nodes,
            host: &facts.run.host,
            here,
            there: named.collect::<Vec<_>>()
        })
    })
}

/// Nodes that a repetition used and the first one did not. After a resumption it needs a waiver, because the
/// user may have chosen faster ones.
fn other_nodes(index: &Index<'_>, facts: &[NodeFacts<'_>]) -> Option<Finding> {
    let own = facts.iter().filter(|one| one.state.is_empty()).map(|one| {
        let nodes = one.clients().map_or(&[][..], |clients| &clients.nodes);
        (one, nodes.iter().map(|node| node.name.as_str()).collect::<BTreeSet<&str>>())
    });
    let mut own = own.filter(|(_, names)| !names.is_empty());
    let (first, known) = own.next()?;
    let (other, new) = own.find_map(|(one, names)| {
        let new: Vec<&str> = names.difference(&known).copied().collect();
        (!new.is_empty()).then_some((one, new))
    })?;
    let severity = if index.campaign.course.resumed > 0 { Severity::NeedsWaiver } else { Severity::Info };
    let reason = reason!(OtherNodes {
        first: first.job.info.repetition,
        node: new[0],
        new: new.len(),
        ..other.with_job(reason!(OtherNodes { .. }))
    });
    Some(Finding::new(severity, reason))
}

fn skew(facts: &[NodeFacts<'_>], at_once: bool) -> Vec<Finding> {
    // The ranks of a single job compare their clocks. Its wall clock only gives the date.
    let severity = if at_once { Severity::Error } else { Severity::Info };
    let apart = facts.iter().filter_map(|one| Some((one, one.clients()?.farthest.as_ref()?)));
    let worst = apart.max_by(|a, b| a.1.least_s().total_cmp(&b.1.least_s()));
    let between = worst.filter(|(_, apart)| apart.least_s() > SKEW_S).map(|(one, apart)| {
        one.with_job(reason!(ClockSkew {
            node: &apart.node,
            host: &one.run.host,
            skew: apart.skew_ns as f64 * 1e-9,
            uncertainty: apart.uncertainty_ns as f64 * 1e-9
        }))
    });
    let found = between.into_iter().chain(facts.iter().find_map(outside));
    found.map(|reason| Finding::new(severity, reason)).collect()
}

/// Phases that were outside the time of the job, by the wall clocks of node and campaign.
fn outside(facts: &NodeFacts<'_>) -> Option<Reason> {
    let job = window::from_start_to_end(facts.job)?;
    let (mut span, mut uncertainty_s): (Option<Span>, f64) = (None, 0.0);
    for (one, moments) in phases(facts.job).filter_map(|phase| window::of_phase(phase).zip(phase.moments)) {
        let so_far = span.unwrap_or(one);
        span = Some(Span { from: one.from.min(so_far.from), to: one.to.max(so_far.to) });
        uncertainty_s = uncertainty_s.max(moments.uncertainty_ns as f64 * 1e-9);
    }
    let span = span?;
    let off = (job.from - span.from).max(span.to - job.to) - uncertainty_s;
    (off > SKEW_S).then(|| {
        facts.with_job(reason!(ClockSkew {
            host: &facts.run.host,
            phases_from: date(span.from),
            phases_to: date(span.to),
            job_from: date(job.from),
            job_to: date(job.to),
            off
        }))
    })
}

/// A time as text, as in job.json, to the millisecond.
fn date(unix_s: f64) -> String {
    let millis = Timestamp::from_millisecond((unix_s * 1e3).round() as i64);
    millis.map_or("?".to_owned(), |moment| moment.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}
