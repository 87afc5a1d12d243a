//! Where jobs are started: the nodes, and the batch script that starts a whole campaign.
//!
//! The nodes of jobs are derived from the plan and the allocation, before anything runs.
//!
//! Invariant: pure. What is not known is left to the launcher, and what is impossible is rejected here.
//! Never here: the arguments of a launcher, which `plan::launcher` has.

pub mod batch;

use std::collections::BTreeMap;

use units::{Usage, several};

use plan::ClientNodes;
use plan::launcher::{Allocation, Launch, LaunchKind, Nodes, says};
use plan::schedule::PlannedJob;

/// The environment in which a campaign runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The name of this node.
    pub here: String,
    /// The allocation of the batch system, if there is one.
    pub allocation: Option<Allocation>,
    /// The hosts that the plan names or that are in its hostfile, if it has either.
    pub hostfile: Option<Vec<String>>,
    /// The most ranks of those hosts that have a limit.
    pub slots: BTreeMap<String, u32>,
    /// The text of the batch script that started this process, if one did.
    pub batch_script: Option<String>,
}

/// The jobs in groups that run at the same time.
fn at_once(jobs: &[PlannedJob]) -> impl Iterator<Item = &[PlannedJob]> {
    jobs.chunk_by(|one, next| one.at_once.is_some() && one.at_once == next.at_once)
}

/// For each job, the number of nodes that earlier jobs of its group take. For each group with counted nodes,
/// the number that it needs, with its last job. In such a group a job without a number of nodes takes one.
fn needed(jobs: &[PlannedJob]) -> (BTreeMap<u32, usize>, Vec<(u32, &str)>) {
    let (mut taken, mut needs): (BTreeMap<u32, usize>, Vec<(u32, &str)>) = Default::default();
    for group in at_once(jobs) {
        let mut nodes = 0;
        for job in group {
            taken.insert(job.number, nodes as usize);
            nodes = job.placement.nodes.unwrap_or(1).saturating_add(nodes);
        }
        let counted = group.iter().any(|job| job.placement.nodes.is_some());
        needs.extend(group.last().filter(|_| counted).map(|job| (nodes, job.test.as_str())));
    }
    (taken, needs)
}

/// The largest number of nodes that are needed at the same time.
fn most_nodes(jobs: &[PlannedJob]) -> Option<u32> {
    needed(jobs).1.into_iter().map(|(nodes, _)| nodes).max()
}

/// The nodes for `jobs` of a plan with these clients. Rejects too few nodes in one line.
pub fn for_jobs(
    launch: &Launch,
    clients: &ClientNodes,
    around: &Surroundings,
    jobs: &[PlannedJob],
) -> Result<Nodes, Usage> {
    let inside = around.allocation.is_some();
    let (taken, needs) = needed(jobs);
    let nodes = match launch.kind {
        LaunchKind::Local => here(clients, around)?,
        _ => Nodes { inside, taken, ..known(launch, clients, around)? },
    };
    // The first of the groups that need most nodes.
    let most = needs.into_iter().reduce(|most, job| if job.0 > most.0 { job } else { most });
    let Some((most, test)) = most.filter(|_| launch.kind != LaunchKind::Local) else { return Ok(nodes) };
    check_slots(around, &nodes, jobs)?;
    let (has, what) = match (source_of_hosts(launch, clients), &around.allocation) {
        (Some(source), _) => (Some(nodes.hosts.len() as u32), source),
        (None, Some(allocation)) => (allocation.usable(&clients.exclude), allocation.to_string()),
        (None, None) => (None, String::new()),
    };
    let Some(has) = has.filter(|has| *has < most) else { return Ok(nodes) };
    let left_out = match clients.exclude.len() as u64 {
        0 => String::new(),
        number => format!(" (without the {} in clients.exclude)", several(number, "node")),
    };
    Err(Usage(format!(
        "{test} needs {}, but {what} has {has}{left_out}. Request more nodes, or select other tests with \
         --only.",
        several(most.into(), "node")
    )))
}

/// The key of the plan that names the nodes, with its file.
fn source_of_hosts(launch: &Launch, clients: &ClientNodes) -> Option<String> {
    match &clients.hostfile {
        _ if launch.kind.is_over_ssh() => Some("launch.hosts".to_owned()),
        file => file.as_ref().map(|file| format!("clients.hostfile {file}")),
    }
}

/// Rejects more ranks on a host than it may have.
fn check_slots(around: &Surroundings, nodes: &Nodes, jobs: &[PlannedJob]) -> Result<(), Usage> {
    for job in jobs {
        let (of_job, ppn) = (nodes.of(job.number), job.placement.ppn.unwrap_or(1));
        let mut hosts = of_job.first(job.placement.nodes).iter();
        if let Some(host) = hosts.find(|host| around.slots.get(*host).is_some_and(|slots| *slots < ppn)) {
            let (test, slots) = (&job.test, around.slots[host]);
            let ranks = several(ppn.into(), "rank");
            return Err(Usage(format!(
                "{test} starts {ranks} on each node, but launch.hosts gives {host} {slots}. Lower `ppn`, or \
                 raise the number after `{host}:`."
            )));
        }
    }
    Ok(())
}

/// How jobs are started and on which nodes, for readers.
pub fn description(launch: &Launch, clients: &ClientNodes, jobs: &[PlannedJob]) -> String {
    if launch.kind == LaunchKind::Local {
        return "as threads of one process on this node".to_owned();
    }
    let most = jobs.iter().filter_map(|job| job.placement.nodes).max();
    let most = most.map_or_else(String::new, |most| format!(" on at most {}", several(most.into(), "node")));
    let source = clients.hostfile.as_deref().or(launch.kind.is_over_ssh().then_some("launch.hosts"));
    let of = source.map_or_else(String::new, |source| format!(" of those in {source}"));
    let without = match clients.exclude.is_empty() {
        true => String::new(),
        false => format!(", without {}", clients.exclude.join(", ")),
    };
    format!("by {}{most}{of}{without}", program_name(launch))
}

/// Its kind, and its program if that has another name.
fn program_name(launch: &Launch) -> String {
    match (launch.kind.name(), launch.kind.program()) {
        (name, Some(program)) if name != program => format!("{name} ({program})"),
        (name, _) => name.to_owned(),
    }
}

/// Only this node.
fn here(clients: &ClientNodes, around: &Surroundings) -> Result<Nodes, Usage> {
    let here = &around.here;
    if clients.exclude.contains(here) {
        return Err(Usage(format!(
            "clients.exclude contains this node, {here}, but launch.kind `local` runs jobs on this node. \
             Start the campaign on another node."
        )));
    }
    Ok(Nodes::default())
}

/// The nodes by name, if the launcher needs names.
fn known(launch: &Launch, clients: &ClientNodes, around: &Surroundings) -> Result<Nodes, Usage> {
    let allocated = around.allocation.as_ref().map(|allocation| &allocation.hosts[..]).unwrap_or_default();
    let others = |hosts: &[String]| -> Vec<String> {
        hosts.iter().filter(|host| !clients.exclude.contains(host)).cloned().collect()
    };
    if let Some(source) = source_of_hosts(launch, clients) {
        let hosts = others(around.hostfile.as_deref().unwrap_or_default());
        return match hosts.is_empty() {
            true => Err(Usage(format!("{source} has no usable node. Write one node per line."))),
            false => Ok(Nodes { hosts, ..Nodes::default() }),
        };
    }
    // A node outside the allocation need not be excluded.
    let in_it = |host: &&String| allocated.is_empty() || allocated.contains(host);
    let exclude: Vec<String> = clients.exclude.iter().filter(in_it).cloned().collect();
    let by_name = match &launch.kind {
        LaunchKind::Named { by, .. } if by.takes_exclude() => {
            return Ok(Nodes { exclude, ..Nodes::default() });
        }
        LaunchKind::Mpirun(words) => says(words, "{hosts}"),
        _ => !exclude.is_empty(),
    };
    let hosts = if by_name { others(allocated) } else { Vec::new() };
    if by_name && hosts.is_empty() {
        return Err(Usage(format!(
            "launch.kind `{}` needs the names of the nodes, but they are not known here. Set \
             clients.hostfile, or run inside an allocation.",
            launch.kind.name()
        )));
    }
    Ok(Nodes { hosts, ..Nodes::default() })
}

#[cfg(test)]
mod tests;
