//! The surroundings of a campaign: this node, the batch job, and the nodes of a hostfile.

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
    let hostfile = match &plan.clients.hostfile {
        Some(file) if !resume => {
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
    Ok(Surroundings { here: machine(&[]).host, allocation: allocation(), hostfile, batch_script })
}

/// The batch job in which this process runs, if any.
pub(super) fn allocation() -> Option<Allocation> {
    Allocation::of(&|name| std::env::var(name).ok(), &|file| fs::read_to_string(file).ok())
}
