//! How a job is started: a pure function from the job to a command line.
//!
//! Invariant: the same job on the same nodes gives the same words; nothing is looked up, nothing is started.
//! Never here: subprocesses, the environment of this process.

pub mod allocation;
mod named;
mod nodes;
mod template;

use std::collections::BTreeMap;

use crate::placement::Placement;

pub use allocation::Allocation;
pub use named::{NAMED, Named};
pub use nodes::Nodes;
pub use template::says;

/// What a launcher has to know of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LauncherJob {
    /// The program that does the work.
    pub program: String,
    /// Its ranks and nodes.
    pub placement: Placement,
    /// The nodes it may run on.
    pub nodes: Nodes,
    /// The workload's name and its options.
    pub words: Vec<String>,
    /// Whether the workload starts its ranks itself, as often as it takes, by the launcher's words.
    pub starts_ranks: bool,
    /// Whether the program is an external one, which knows nothing of ranks as threads.
    pub external: bool,
}

/// How jobs of a plan are started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// By what.
    pub kind: LaunchKind,
    /// Variables given to every job.
    pub env: BTreeMap<String, String>,
}

/// The launchers there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchKind {
    /// Ranks are threads of one process on this machine.
    Local,
    /// Ranks are MPI's, started by these words, in which `{ranks}`, `{nodes}`, `{ppn}`, `{hosts}` and `{cmd}`
    /// are replaced.
    Mpirun(Vec<String>),
    /// Ranks are MPI's, started by a launcher whose words are known.
    Named {
        /// Which.
        by: &'static Named,
        /// Its program, where that is not the usual one.
        program: Option<String>,
        /// The plan's own words for it, which stand before the command.
        options: Vec<String>,
    },
}

/// The words used for `mpirun` where the plan gives none.
pub const MPIRUN: &[&str] = &["mpirun", "-n", "{ranks}", "{cmd}"];

impl LaunchKind {
    /// Its name in a plan.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Mpirun(_) => "mpirun",
            Self::Named { by, .. } => by.name,
        }
    }

    /// Whether it can be told which nodes to run on, or need not be.
    pub fn takes_hosts(&self) -> bool {
        match self {
            Self::Local => true,
            Self::Mpirun(words) => template::says(words, "{hosts}"),
            Self::Named { by, .. } => by.takes_hosts(),
        }
    }

    /// Whether nodes can be left out, by their names or by naming the others.
    pub(crate) fn takes_exclude(&self) -> bool {
        self.takes_hosts() || matches!(self, Self::Named { by, .. } if by.takes_exclude())
    }

    /// Why a job so placed cannot be started by these words, if so.
    pub fn refuses_placement(&self, placement: &Placement) -> Option<String> {
        match self {
            Self::Local => None,
            Self::Mpirun(words) => template::refuses_placement(words, placement),
            Self::Named { by, .. } => by.refuses_placement(placement),
        }
    }

    /// The program that starts ranks, if there is one.
    pub fn program(&self) -> Option<&str> {
        match self {
            Self::Local => None,
            Self::Mpirun(template) => template.first().map(String::as_str),
            Self::Named { by, program, .. } => Some(program.as_deref().unwrap_or(by.program)),
        }
    }

    /// Why an external program cannot be started so, if so.
    pub(crate) fn refuses_app(&self, placement: &Placement) -> Option<String> {
        let threads = *self == Self::Local && placement.ranks > 1;
        threads
            .then(|| "launch.kind `local` starts one process of an external program; give `ranks = 1`".into())
    }

    /// Why a workload cannot start its ranks itself by these words, if so.
    pub fn refuses_workloads(&self) -> Option<String> {
        let (words, key) = match self {
            Self::Local => return None,
            Self::Mpirun(words) if words.last().is_none_or(|word| word != "{cmd}") => {
                let what = "it starts ranks again where a case took them along; let launch.argv end with";
                return Some(format!("{what} `{{cmd}}`"));
            }
            Self::Mpirun(words) => (words, "launch.argv"),
            Self::Named { options, .. } => (options, "launch.options"),
        };
        let spaced = words.iter().find(|word| word.contains(char::is_whitespace))?;
        Some(format!("it starts its ranks by the words of {key}, which `{spaced}` is not: it holds a space"))
    }

    /// Prefixes of variables of an outer launcher, which would make a job believe that it is part of
    /// the outer one. `mpirun` itself needs the allocation's (`SLURM_*`), so only a rank's are dropped.
    pub fn foreign_env(&self) -> &'static [&'static str] {
        match self {
            Self::Local => &["OMPI_", "PMI_", "PMIX_", "PRTE_", "MPI_LOCAL", "MPIR_", "HYDI_", "SLURM_"],
            Self::Mpirun(_) | Self::Named { .. } => {
                &["OMPI_COMM_", "OMPI_UNIVERSE_", "PMI_", "PMIX_", "PRTE_", "MPI_LOCAL", "HYDI_"]
            }
        }
    }

    /// The launcher's words for a job, up to its command; what follows the command, too.
    fn around(&self, job: &LauncherJob) -> (Vec<String>, Vec<String>) {
        match self {
            Self::Local => (Vec::new(), Vec::new()),
            Self::Mpirun(words) => template::around(words, job),
            Self::Named { by, program, options } => {
                let program = program.as_deref().unwrap_or(by.program);
                (by.words(program, options, &job.placement, &job.nodes), Vec::new())
            }
        }
    }
}

impl LaunchKind {
    /// The words of the command line that starts `job`, the program first.
    pub fn command(&self, job: &LauncherJob) -> Vec<String> {
        let command = [std::slice::from_ref(&job.program), &job.words].concat();
        let (before, after) = self.around(job);
        match self {
            Self::Local if job.external => [std::slice::from_ref(&job.program), &job.words].concat(),
            Self::Local => {
                let ranks = job.placement.ranks.to_string();
                [&[job.program.clone(), "-n".to_owned(), ranks], &job.words[..]].concat()
            }
            _ if job.starts_ranks => {
                let launch = [before, after].concat().join(" ");
                [command, vec!["--launch".to_owned(), launch]].concat()
            }
            _ => [before, command, after].concat(),
        }
    }
}
