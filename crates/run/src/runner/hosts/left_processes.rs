//! The processes of a job that are left on its hosts after its launcher was killed.
//!
//! Hydra ends the ranks of a host when its connection ends. A process that left their session remains, such
//! as a daemon that an external program started.
//!
//! Invariant: a process is only ended if its environment has the identity of this job.

use std::time::Duration;

use super::{Connection, Script};

/// The variable with the identity of a job.
pub(crate) const JOB: &str = "ASSAY_SSH_JOB";
/// The time limit for a host.
const LIMIT: Duration = Duration::from_secs(20);

/// The processes of one job, or of all jobs of a campaign.
#[derive(Debug)]
pub(crate) struct JobProcesses {
    pub(crate) connection: Connection,
    /// The hosts of the job.
    pub(crate) hosts: Vec<String>,
    /// Its identity, or that of the campaign, with which those of its jobs begin.
    pub(crate) job: String,
}

impl JobProcesses {
    /// Ends them. Gives a line for each host on which some may remain.
    pub(crate) fn end(&self) -> Vec<String> {
        // `grep` itself has the identity in its arguments, but not in its environment.
        let text = format!(
            "for attempt in 1 2 3 4 5; do \
             left=$(grep -lsF '{JOB}={}' /proc/[0-9]*/environ | cut -d/ -f3); \
             [ -z \"$left\" ] && exit 0; kill -9 $left 2>/dev/null; sleep 1; done; \
             echo \"processes\" $left \"were killed but are still there\" >&2; exit 1",
            self.job
        );
        let script = Script { text: &text, input: None, limit: LIMIT, advice: "Restart the host." };
        let end = |host: &str| self.connection.run(host, &script).err();
        let ends = self.connection.each(&self.hosts, |host| Some(format!("{host}: {}", end(host)?)));
        ends.into_iter().flatten().collect()
    }
}
