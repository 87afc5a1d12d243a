//! The surroundings of a campaign: this node, the batch job, and the nodes that the plan or its hostfile
//! names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use plan::Plan;
use plan::launcher::Allocation;
use plan::launcher::allocation::hosts_in;
use run::launch::Surroundings;
use run::machine::machine;
use run::submission::script_of;
use units::Usage;

/// The surroundings of a campaign of `plan`. A campaign that resumes has its own copy of the hostfile.
pub(super) fn around(plan: &Plan, resume: bool, folder: &Path) -> Result<Surroundings> {
    let (allocation, mut slots) = (allocation(), BTreeMap::new());
    let hostfile = match (&plan.clients.hostfile, &plan.launch.ssh) {
        (_, Some(ssh)) if !resume => {
            let hosts = ssh.hosts.hosts(allocation.as_ref(), &|file| fs::read_to_string(file))?;
            slots.extend(hosts.iter().filter_map(|host| Some((host.name.clone(), host.slots?))));
            Some(hosts.into_iter().map(|host| host.name).collect())
        }
        (Some(file), _) if !resume => {
            let text = fs::read_to_string(file).map_err(|error| {
                Usage(format!(
                    "clients.hostfile {file}: {error}. The path is relative to the working directory."
                ))
            })?;
            Some(hosts_in(&text))
        }
        _ => None,
    };
    let batch_script = script_of(folder);
    Ok(Surroundings { here: machine(&[]).host, allocation, hostfile, slots, batch_script })
}

/// The batch job in which this process runs, if any.
pub(super) fn allocation() -> Option<Allocation> {
    Allocation::of(&|name| std::env::var(name).ok(), &|file| fs::read_to_string(file).ok())
}
