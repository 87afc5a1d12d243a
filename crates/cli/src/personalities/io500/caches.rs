//! Drops the caches of each node before a phase, by the command of the configuration.

use std::process::Command;
use std::time::Duration;

use ranks::{Comm, Halt, Reduce};
use run::bounded;

/// How long the command may take.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Runs the shell command on one rank of each node. Gives the number of nodes on which it failed. Collective.
pub(super) fn drop_by(command: &str, comm: &dyn Comm, node: &dyn Comm) -> Result<u64, Halt> {
    let is_done = node.rank() != 0 || {
        let done = bounded::ended(Command::new("sh").args(["-c", command]), "", LIMIT);
        done.is_ok_and(|ended| ended.status.success())
    };
    comm.reduce_one(u64::from(!is_done), Reduce::Sum)
}
