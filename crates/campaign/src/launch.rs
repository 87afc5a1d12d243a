//! How a job is started: a pure function from the job to a command line.
//!
//! Invariant: the same job gives the same words; nothing is looked up, nothing is started.
//! Never here: subprocesses, the environment of this process.

use std::collections::BTreeMap;

use units::Usage;

use crate::plan::Placement;

/// What a launcher has to know of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launching {
    /// The program that does the work.
    pub program: String,
    /// Its ranks and nodes.
    pub placement: Placement,
    /// The workload's name and its options.
    pub words: Vec<String>,
    /// Whether the workload starts its ranks itself, as often as it takes, by the launcher's words.
    pub starts_ranks: bool,
    /// Whether the program is an external one, which knows nothing of ranks as threads.
    pub external: bool,
}

/// Turns a job into a command line.
pub trait Launcher: Sync {
    /// The words of the command line, the program first.
    fn command(&self, job: &Launching) -> Vec<String>;
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
    /// Ranks are MPI's, started by these words, in which `{ranks}`, `{nodes}`, `{ppn}` and `{cmd}` are
    /// replaced.
    Mpirun(Vec<String>),
}

/// The words used for `mpirun` where the plan gives none.
pub const MPIRUN: &[&str] = &["mpirun", "-n", "{ranks}", "{cmd}"];

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
        let says = |mark: &str| template.iter().any(|word| word.contains(mark));
        if !(says("{ranks}") || says("{nodes}") && says("{ppn}")) {
            return Err(Usage::new(
                "a launch line needs `{ranks}`, else every job has the same number of ranks",
            ));
        }
        for word in template.iter().filter(|word| *word != "{cmd}") {
            let known = ["{ranks}", "{nodes}", "{ppn}"];
            if known.iter().fold(word.clone(), |word, mark| word.replace(mark, "")).contains(['{', '}']) {
                return Err(Usage(format!(
                    "unknown placeholder in `{word}`; known are `{{ranks}}`, `{{nodes}}`, `{{ppn}}` and \
                     `{{cmd}}`"
                )));
            }
        }
        Ok(Self::Mpirun(template))
    }

    /// Why a job so placed cannot be started by these words, if so.
    pub(crate) fn refuses_placement(&self, placement: &Placement) -> Option<String> {
        let Self::Mpirun(template) = self else { return None };
        let says = |mark: &str| template.iter().any(|word| word.contains(mark));
        if placement.nodes.is_none() && says("{nodes}") {
            return Some("launch.argv says {nodes}; give `nodes`, or `ppn` beside `ranks`".to_owned());
        }
        let lacks = placement.ppn.is_none() && says("{ppn}");
        lacks.then(|| "launch.argv says {ppn}; give `ppn`".to_owned())
    }

    /// The program that starts ranks, if there is one.
    pub fn program(&self) -> Option<&str> {
        match self {
            Self::Local => None,
            Self::Mpirun(template) => template.first().map(String::as_str),
        }
    }

    /// Why an external program cannot be started so, if so.
    pub(crate) fn refuses_app(&self, placement: &Placement) -> Option<String> {
        let threads = *self == Self::Local && placement.ranks > 1;
        threads
            .then(|| "launch.kind `local` starts one process of an external program; give `ranks = 1`".into())
    }

    /// Why a workload cannot start its ranks itself by these words, if so.
    pub(crate) fn refuses_workloads(&self) -> Option<String> {
        let Self::Mpirun(template) = self else { return None };
        if template.last().is_none_or(|word| word != "{cmd}") {
            return Some(
                "it starts ranks again where a case took them along; let launch.argv end with `{cmd}`".into(),
            );
        }
        let spaced = template.iter().find(|word| word.contains(char::is_whitespace))?;
        Some(format!(
            "it starts its ranks by the words of launch.argv, which `{spaced}` is not: it holds a space"
        ))
    }

    /// Prefixes of variables of an outer launcher, which would make a job believe that it is part of
    /// the outer one. `mpirun` itself needs the allocation's (`SLURM_*`), so only a rank's are dropped.
    pub fn foreign_env(&self) -> &'static [&'static str] {
        match self {
            Self::Local => &["OMPI_", "PMI_", "PMIX_", "PRTE_", "MPI_LOCAL", "MPIR_", "HYDI_", "SLURM_"],
            Self::Mpirun(_) => {
                &["OMPI_COMM_", "OMPI_UNIVERSE_", "PMI_", "PMIX_", "PRTE_", "MPI_LOCAL", "HYDI_"]
            }
        }
    }
}

impl Launcher for LaunchKind {
    fn command(&self, job: &Launching) -> Vec<String> {
        let Placement { ranks, nodes, ppn, .. } = &job.placement;
        let ranks = ranks.to_string();
        let number = |number: &Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        let (nodes, ppn) = (number(nodes), number(ppn));
        let filled =
            |word: &str| word.replace("{ranks}", &ranks).replace("{nodes}", &nodes).replace("{ppn}", &ppn);
        match self {
            Self::Local if job.external => [std::slice::from_ref(&job.program), &job.words].concat(),
            Self::Local => {
                let mut argv = vec![job.program.clone(), "-n".to_owned(), ranks];
                argv.extend(job.words.iter().cloned());
                argv
            }
            Self::Mpirun(template) if job.starts_ranks => {
                let words = template.iter().filter(|word| *word != "{cmd}");
                let launch: Vec<String> = words.map(|word| filled(word)).collect();
                let mut argv = vec![job.program.clone()];
                argv.extend(job.words.iter().cloned());
                argv.extend(["--launch".to_owned(), launch.join(" ")]);
                argv
            }
            Self::Mpirun(template) => template
                .iter()
                .flat_map(|word| match word.as_str() {
                    "{cmd}" => [std::slice::from_ref(&job.program), &job.words].concat(),
                    word => vec![filled(word)],
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_job_becomes_these_words() {
        let job = Launching {
            program: "/bin/assay".into(),
            placement: Placement { ranks: 4, nodes: Some(2), ppn: Some(2), rule: None },
            words: words("ior -w -o /d/f --record r"),
            starts_ranks: false,
            external: false,
        };
        for (kind, argv) in [
            (LaunchKind::Local, "/bin/assay -n 4 ior -w -o /d/f --record r"),
            (
                LaunchKind::Mpirun(words("mpirun -n {ranks} {cmd}")),
                "mpirun -n 4 /bin/assay ior -w -o /d/f --record r",
            ),
            (
                LaunchKind::Mpirun(words("srun --ntasks={ranks} --mpi=pmix {cmd}")),
                "srun --ntasks=4 --mpi=pmix /bin/assay ior -w -o /d/f --record r",
            ),
            (
                LaunchKind::Mpirun(words("srun -N {nodes} --ntasks-per-node={ppn} {cmd}")),
                "srun -N 2 --ntasks-per-node=2 /bin/assay ior -w -o /d/f --record r",
            ),
            (
                LaunchKind::Mpirun(words("sh -c {cmd} --tail {ranks}")),
                "sh -c /bin/assay ior -w -o /d/f --record r --tail 4",
            ),
        ] {
            assert_eq!(kind.command(&job).join(" "), argv);
        }
    }

    #[test]
    fn a_workload_that_starts_its_ranks_itself_gets_the_launcher_as_a_word() {
        let job = Launching {
            program: "/bin/assay".into(),
            placement: Placement { ranks: 4, nodes: Some(2), ppn: Some(2), rule: None },
            words: words("mpi-io /d --record r"),
            starts_ranks: true,
            external: false,
        };
        let kind = LaunchKind::Mpirun(words("mpirun --oversubscribe -n {ranks} {cmd}"));
        assert_eq!(kind.refuses_workloads(), None);
        let argv = ["/bin/assay", "mpi-io", "/d", "--record", "r", "--launch", "mpirun --oversubscribe -n 4"];
        assert_eq!(kind.command(&job), argv);
        assert_eq!(LaunchKind::Local.command(&job).join(" "), "/bin/assay -n 4 mpi-io /d --record r");
        for (line, why) in [
            (vec!["sh", "-c", "{cmd}", "{ranks}"], "let launch.argv end with `{cmd}`"),
            (vec!["mpirun", "-n {ranks}", "{cmd}"], "which `-n {ranks}` is not: it holds a space"),
        ] {
            let kind = LaunchKind::Mpirun(line.into_iter().map(str::to_owned).collect());
            assert!(kind.refuses_workloads().unwrap().contains(why), "{why}");
        }
    }

    #[test]
    fn a_launch_line_that_cannot_start_the_job_is_refused() {
        assert!(LaunchKind::mpirun(words("mpirun -n {ranks} {cmd}")).is_ok());
        for (line, error) in [
            (
                "mpirun -n {ranks}",
                "a launch line needs a program first and `{cmd}` once, as a word of its own",
            ),
            (
                "{cmd} -n {ranks}",
                "a launch line needs a program first and `{cmd}` once, as a word of its own",
            ),
            ("mpirun {cmd}", "a launch line needs `{ranks}`, else every job has the same number of ranks"),
            (
                "srun -N {node} -n {ranks} {cmd}",
                "unknown placeholder in `{node}`; known are `{ranks}`, `{nodes}`, `{ppn}` and `{cmd}`",
            ),
        ] {
            assert_eq!(LaunchKind::mpirun(words(line)).unwrap_err().0, error);
        }
    }
}
