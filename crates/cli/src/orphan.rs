//! Ends a rank when the process that started it has ended.
//!
//! A launcher has a process on each node. It starts the ranks there, and ends them with the job. If it is
//! killed, its ranks stay: they write while the next job measures, and wait for ranks that were ended. The
//! launcher counts them as dead. When they end, it ends the ranks on the other nodes too.
//!
//! Never here: local ranks, which may outlive the shell that started them.

use std::thread;
use std::time::Duration;

use rustix::process::{Pid, getppid};

use crate::speech::complain;
use crate::status::ERROR;

/// How often the parent is checked.
const EVERY: Duration = Duration::from_secs(1);

/// Watches the parent of this process until the process ends. `rank` is one of several that a launcher
/// started.
pub(crate) fn watch(rank: u32) {
    // Without a parent in this PID namespace, its end is not visible.
    let Some(parent) = getppid() else { return };
    // Without a thread the rank is not watched, and may stay.
    let _ = thread::Builder::new().name("orphan".to_owned()).spawn(move || wait_for_end_of(parent, rank));
}

fn wait_for_end_of(parent: Pid, rank: u32) -> ! {
    while getppid() == Some(parent) {
        thread::sleep(EVERY);
    }
    complain(&format!(
        "assay: rank {rank}: process {parent} of the launcher, which started this rank, has ended. The rank \
         ends too, and its files remain."
    ));
    ffi::end::at_once(ERROR)
}
