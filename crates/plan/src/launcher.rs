//! How a job is started: a pure function from the job to a command line.
//!
//! Invariant: the same job on the same nodes gives the same words; nothing is looked up, nothing is started.
//! Never here: subprocesses, the environment of this process.

pub mod allocation;
mod named;

use std::collections::BTreeMap;

use units::Usage;

use crate::placement::Placement;

pub use allocation::Allocation;
pub use named::{NAMED, Named};

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

/// The nodes that jobs may run on, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// Their names, without those left out; empty where the launcher chooses.
    pub hosts: Vec<String>,
    /// Names that no job is to run on, as far as the launcher has to be told.
    pub exclude: Vec<String>,
    /// Whether they are those of an allocation, so that none can be waited for.
    pub inside: bool,
    /// How many of the names are taken by others that run at the same time, by the number of a job.
    pub taken: BTreeMap<u32, usize>,
}

impl Nodes {
    /// Those for the job of this number: without the names taken by jobs that run at the same time.
    pub fn of(&self, job: u32) -> Self {
        let taken = self.taken.get(&job).copied().unwrap_or_default();
        Self {
            hosts: self.hosts.iter().skip(taken).cloned().collect(),
            taken: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// The first `number` nodes, or all; none where the launcher chooses them.
    pub fn first(&self, number: Option<u32>) -> &[String] {
        let number = number.map_or(self.hosts.len(), |number| number as usize);
        &self.hosts[..number.min(self.hosts.len())]
    }
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
/// What a word of a launch line may hold, beside `{cmd}`, which is a word of its own.
const MARKS: [&str; 4] = ["{ranks}", "{nodes}", "{ppn}", "{hosts}"];

impl LaunchKind {
    /// Checks the words of a launch template: `{cmd}` once and alone, `{ranks}` (or `{nodes}` and `{ppn}`)
    /// somewhere, nothing unknown in braces.
    pub fn mpirun(template: Vec<String>) -> Result<Self, Usage> {
        if template.iter().filter(|word| *word == "{cmd}").count() != 1
            || template.first().is_none_or(|w| w == "{cmd}")
        {
            return Err(Usage::new(
                "a launch line needs a program first and `{cmd}` once, as a word of its own",
            ));
        }
        if !(says(&template, "{ranks}") || says(&template, "{nodes}") && says(&template, "{ppn}")) {
            return Err(Usage::new(
                "a launch line needs `{ranks}`, else every job has the same number of ranks",
            ));
        }
        for word in template.iter().filter(|word| *word != "{cmd}") {
            if MARKS.iter().fold(word.clone(), |word, mark| word.replace(mark, "")).contains(['{', '}']) {
                let known = MARKS.join("`, `");
                return Err(Usage(format!(
                    "unknown placeholder in `{word}`; known are `{known}` and `{{cmd}}`"
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

    /// Whether it can be told which nodes to run on, or need not be.
    pub fn takes_hosts(&self) -> bool {
        match self {
            Self::Local => true,
            Self::Mpirun(words) => says(words, "{hosts}"),
            Self::Named { by, .. } => by.takes_hosts(),
        }
    }

    /// Whether nodes can be left out, by their names or by naming the others.
    pub(crate) fn takes_exclude(&self) -> bool {
        self.takes_hosts() || matches!(self, Self::Named { by, .. } if by.takes_exclude())
    }

    /// Why a job so placed cannot be started by these words, if so.
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

    /// Why an external program cannot be started so, if so.
    pub(crate) fn rejects_app(&self, placement: &Placement) -> Option<String> {
        let threads = *self == Self::Local && placement.ranks > 1;
        threads
            .then(|| "launch.kind `local` starts one process of an external program; give `ranks = 1`".into())
    }

    /// Why a workload cannot start its ranks itself by these words, if so.
    pub fn rejects_workloads(&self) -> Option<String> {
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
            Self::Mpirun(words) => around(words, job),
            Self::Named { by, program, options } => {
                let program = program.as_deref().unwrap_or(by.program);
                (by.words(program, options, &job.placement, &job.nodes), Vec::new())
            }
        }
    }

    /// The words of the command line that starts `job`, the program first.
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

/// Whether a word of the line holds `mark`.
pub fn says(template: &[String], mark: &str) -> bool {
    template.iter().any(|word| word.contains(mark))
}

/// Why a job so placed cannot be started by these words, if so.
fn rejects_placement(template: &[String], placement: &Placement) -> Option<String> {
    for mark in ["{nodes}", "{hosts}"] {
        if placement.nodes.is_none() && says(template, mark) {
            return Some(format!("launch.argv says {mark}; give `nodes`, or `ppn` beside `ranks`"));
        }
    }
    let lacks = placement.ppn.is_none() && says(template, "{ppn}");
    lacks.then(|| "launch.argv says {ppn}; give `ppn`".to_owned())
}

/// The words before and behind `{cmd}` for one job.
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
