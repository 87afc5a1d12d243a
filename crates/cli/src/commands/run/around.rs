//! What is around a campaign: this node, the batch system's job, the nodes of a hostfile.

use std::fs;

use anyhow::Result;
use campaign::Plan;
use campaign::launch::{Allocation, Surroundings, hosts_in};
use campaign::machine::machine;
use units::Usage;

/// The surroundings of a new campaign of `plan`, or of one that goes on: that has kept the names of its hostfile.
pub(super) fn around(plan: &Plan, resume: bool) -> Result<Surroundings> {
    let hostfile = match &plan.clients.hostfile {
        Some(file) if !resume => {
            let text = fs::read_to_string(file).map_err(|error| {
                Usage(format!("clients.hostfile {file}: {error}; it is looked for from where you stand"))
            })?;
            Some(hosts_in(&text))
        }
        _ => None,
    };
    Ok(Surroundings { here: machine(&[]).host, allocation: allocation(), hostfile, batch_script: None })
}

/// The batch system's job that this process is a part of, if it is.
pub(super) fn allocation() -> Option<Allocation> {
    Allocation::of(&|name| std::env::var(name).ok(), &|file| fs::read_to_string(file).ok())
}
