//! How a job is started: a pure function from the job to a command line.
//!
//! Invariant: the same job on the same nodes gives the same command line. Nothing is looked up or started.
//! Never here: subprocesses, the environment of this process.

pub mod allocation;
mod named;
mod ssh;

use std::collections::BTreeMap;

use units::Usage;

use crate::placement::Placement;

pub use allocation::Allocation;
pub use named::{NAMED, Named};
pub use ssh::{Host, HostList, Ssh};

/// The facts of a job that a launcher needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LauncherJob {
    /// The program that runs the workload.
    pub program: String,
    /// Its ranks and nodes.
    pub placement: Placement,
    /// The nodes that it may use.
    pub nodes: Nodes,
    /// The workload's name and its options.
    pub words: Vec<String>,
    /// Whether the workload itself starts its ranks by the launcher, several times if needed.
    pub starts_ranks: bool,
    /// Whether the program is an external one, which does not know ranks as threads.
    pub external: bool,
}

/// The nodes that jobs may use, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// Their names, without excluded ones; empty if the launcher chooses.
    pub hosts: Vec<String>,
    /// Names that no job may use, as far as the launcher needs them.
    pub exclude: Vec<String>,
    /// Whether they belong to an allocation, so that a job cannot wait for a free node.
    pub inside: bool,
    /// The launcher's program, if it is not that of the plan.
    pub launcher: Option<String>,
    /// The program that runs the workloads, if it is not this one.
    pub program: Option<String>,
    /// By job number: how many of the names are taken by other jobs that run at the same time.
    pub taken: BTreeMap<u32, usize>,
}

impl Nodes {
    /// The nodes for the job of this number, without the names that simultaneous jobs use.
    pub fn of(&self, job: u32) -> Self {
        let taken = self.taken.get(&job).copied().unwrap_or_default();
        Self {
            hosts: self.hosts.iter().skip(taken).cloned().collect(),
            taken: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// The first `number` nodes, or all; none if the launcher chooses them.
    pub fn first(&self, number: Option<u32>) -> &[String] {
        let number = number.map_or(self.hosts.len(), |number| number as usize);
        &self.hosts[..number.min(self.hosts.len())]
    }
}

/// How jobs of a plan are started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The launcher.
    pub kind: LaunchKind,
    /// Environment variables of every job.
    pub env: BTreeMap<String, String>,
    /// How often a job runs again that died without a result.
    pub attempts: u32,
    /// Whether a probe of each way to start ranks runs before the first job.
    pub probe: bool,
    /// The hosts of a plan with `launch.kind = "ssh"`, and how they are reached.
    pub ssh: Option<Ssh>,
}

/// The launchers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchKind {
    /// Ranks are threads of one process on this machine.
    Local,
    /// Ranks are MPI ranks, started by this command line. The placeholders `{ranks}`, `{nodes}`, `{ppn}`,
    /// `{hosts}` and `{cmd}` are replaced.
    Mpirun(Vec<String>),
    /// Ranks are MPI ranks, started by a launcher whose command line is known.
    Named {
        /// The launcher.
        by: &'static Named,
        /// Its program, if it is not the usual one.
        program: Option<String>,
        /// Options from the plan, which come before the command.
        options: Vec<String>,
    },
}

/// The default command line of `mpirun`.
pub const MPIRUN: &[&str] = &["mpirun", "-n", "{ranks}", "{cmd}"];
/// The placeholders within arguments of a launch command line. `{cmd}` is an argument of its own.
const MARKS: [&str; 4] = ["{ranks}", "{nodes}", "{ppn}", "{hosts}"];

impl LaunchKind {
    /// Checks a template: `{cmd}` occurs once and alone, `{ranks}` (or `{nodes}` and `{ppn}`) occurs, and no
    /// unknown placeholder occurs.
    pub fn mpirun(template: Vec<String>) -> Result<Self, Usage> {
        if template.iter().filter(|word| *word == "{cmd}").count() != 1
            || template.first().is_none_or(|w| w == "{cmd}")
        {
            return Err(Usage::new(
                "the launch command line needs a program first and `{cmd}` once, as an argument of its own",
            ));
        }
        if !(says(&template, "{ranks}") || says(&template, "{nodes}") && says(&template, "{ppn}")) {
            return Err(Usage::new(
                "the launch command line has no `{ranks}`, so all jobs would start the same number of ranks. \
                 Add it.",
            ));
        }
        for word in template.iter().filter(|word| *word != "{cmd}") {
            if MARKS.iter().fold(word.clone(), |word, mark| word.replace(mark, "")).contains(['{', '}']) {
                let known = MARKS.join("`, `");
                return Err(Usage(format!(
                    "unknown placeholder in `{word}`. Known: `{known}` and `{{cmd}}`."
                )));
            }
        }
        Ok(Self::Mpirun(template))
    }

    /// Its name in a plan.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Mpirun(_) => "mpirun",
            Self::Named { by, .. } => by.name,
        }
    }

    /// Whether it accepts names of nodes, or does not need them.
    pub fn takes_hosts(&self) -> bool {
        match self {
            Self::Local => true,
            Self::Mpirun(words) => says(words, "{hosts}"),
            Self::Named { by, .. } => by.takes_hosts(),
        }
    }

    /// Whether it reaches the nodes of `launch.hosts` by ssh.
    pub fn is_over_ssh(&self) -> bool {
        matches!(self, Self::Named { by, .. } if by.is_over_ssh())
    }

    /// Whether nodes can be excluded, by their names or by naming the others.
    pub(crate) fn takes_exclude(&self) -> bool {
        self.takes_hosts() || matches!(self, Self::Named { by, .. } if by.takes_exclude())
    }

    /// The reason why a job with this placement cannot be started, if there is one.
    pub fn rejects_placement(&self, placement: &Placement) -> Option<String> {
        match self {
            Self::Local => None,
            Self::Mpirun(words) => rejects_placement(words, placement),
            Self::Named { by, .. } => by.rejects_placement(placement),
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

    /// The reason why an external program cannot be started with this placement, if there is one.
    pub(crate) fn rejects_app(&self, placement: &Placement) -> Option<String> {
        let threads = *self == Self::Local && placement.ranks > 1;
        threads
            .then(|| "launch.kind `local` starts external programs as one process. Give `ranks = 1`.".into())
    }

    /// The reason why a workload cannot start its ranks itself with this launcher, if there is one.
    pub fn rejects_workloads(&self) -> Option<String> {
        let (words, key) = match self {
            Self::Local => return None,
            Self::Mpirun(words) if words.last().is_none_or(|word| word != "{cmd}") => {
                let what = "it starts its ranks again after a failed case";
                return Some(format!("{what}. Let launch.argv end with `{{cmd}}`."));
            }
            Self::Mpirun(words) => (words, "launch.argv"),
            Self::Named { options, .. } => (options, "launch.options"),
        };
        let spaced = words.iter().find(|word| word.contains(char::is_whitespace))?;
        Some(format!(
            "it starts its ranks by {key}, but the argument `{spaced}` contains a space. Remove the space."
        ))
    }

    /// Prefixes of variables of an outer launcher, with which a job would seem part of it. `mpirun` needs
    /// those of the allocation (`SLURM_*`), so only those of a rank are dropped.
    pub fn foreign_env(&self) -> &'static [&'static str] {
        match self {
            Self::Local => &["OMPI_", "PMI_", "PMIX_", "PRTE_", "MPI_LOCAL", "MPIR_", "HYDI_", "SLURM_"],
            Self::Mpirun(_) | Self::Named { .. } => {
                &["OMPI_COMM_", "OMPI_UNIVERSE_", "PMI_", "PMIX_", "PRTE_", "MPI_LOCAL", "HYDI_"]
            }
        }
    }

    /// The launcher's arguments for a job, before and after its command.
    fn around(&self, job: &LauncherJob) -> (Vec<String>, Vec<String>) {
        match self {
            Self::Local => (Vec::new(), Vec::new()),
            Self::Mpirun(words) => around(words, job),
            Self::Named { by, program, options } => {
                let found = job.nodes.launcher.as_deref().or(program.as_deref());
                let program = found.unwrap_or(by.program);
                (by.words(program, options, &job.placement, &job.nodes), Vec::new())
            }
        }
    }

    /// The command line that starts `job`, the program first.
    pub fn command(&self, job: &LauncherJob) -> Vec<String> {
        let command = [std::slice::from_ref(&job.program), &job.words].concat();
        let (before, after) = self.around(job);
        match self {
            Self::Local if job.external => command,
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

/// Whether an argument contains `mark`.
pub fn says(template: &[String], mark: &str) -> bool {
    template.iter().any(|word| word.contains(mark))
}

/// The reason why a job with this placement cannot be started by `template`, if there is one.
fn rejects_placement(template: &[String], placement: &Placement) -> Option<String> {
    for mark in ["{nodes}", "{hosts}"] {
        if placement.nodes.is_none() && says(template, mark) {
            return Some(format!("launch.argv uses {mark}. Give `nodes`, or `ppn` with `ranks`."));
        }
    }
    let lacks = placement.ppn.is_none() && says(template, "{ppn}");
    lacks.then(|| "launch.argv uses {ppn}. Give `ppn`.".to_owned())
}

/// The arguments before and after `{cmd}` for one job.
fn around(template: &[String], job: &LauncherJob) -> (Vec<String>, Vec<String>) {
    let Placement { ranks, nodes, ppn, .. } = &job.placement;
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    let values = [number(Some(*ranks)), number(*nodes), number(*ppn), job.nodes.first(*nodes).join(",")];
    let filled = |word: &String| {
        MARKS.iter().zip(&values).fold(word.clone(), |word, (mark, value)| word.replace(mark, value))
    };
    let mut parts = template.split(|word| word == "{cmd}").map(|part| part.iter().map(filled).collect());
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}
