//! Splits a typed command into launcher, workload and options, and reads the ranks from launcher options.
//!
//! Invariant: the workload is found by its name, at any place. An unknown option of a launcher is ignored.
//! Never here: starting anything.

use units::Usage;

use crate::workload::{WORKLOADS, Workload, WorkloadName};

/// The meaning of a launcher's option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LauncherOption {
    Ranks,
    Nodes,
    Ppn,
    /// It does not set ranks. Its value may look like a program.
    Other,
    /// `--map-by ppr:N:node`
    Mapping,
    /// Names of nodes, separated by commas.
    Hosts,
    /// Resource sets of jsrun.
    Sets,
    /// Ranks of a resource set.
    RanksOfSet,
    /// Resource sets of a node.
    SetsOfNode,
}

use LauncherOption::*;

/// A launcher: its names, and its options by meaning.
struct LauncherSyntax {
    names: &'static [&'static str],
    options: &'static [(LauncherOption, &'static [&'static str])],
}

const LAUNCHERS: &[LauncherSyntax] = &[
    LauncherSyntax {
        names: &["srun"],
        options: &[
            (Ranks, &["-n", "--ntasks"]),
            (Nodes, &["-N", "--nodes"]),
            (Ppn, &["--ntasks-per-node"]),
            (Other, &["-w", "-J", "--job-name", "-p", "-c", "-A", "-q", "-C", "-t", "-o", "-e"]),
        ],
    },
    LauncherSyntax {
        names: &["mpirun", "mpiexec", "orterun", "prun", "mpiexec.hydra"],
        options: &[
            (Ranks, &["-n", "-np", "--np", "-c"]),
            (Ppn, &["-N", "-npernode", "--npernode", "-ppn", "--ppn", "-perhost"]),
            (Mapping, &["--map-by"]),
            (Hosts, &["-host", "--host", "-hosts", "-H"]),
            (Other, &["-x", "-f", "--hostfile", "-hostfile", "-wdir"]),
        ],
    },
    LauncherSyntax {
        names: &["aprun"],
        options: &[(Ranks, &["-n"]), (Ppn, &["-N"]), (Other, &["-d", "-S", "-L", "-e"])],
    },
    LauncherSyntax {
        names: &["jsrun"],
        options: &[
            (Sets, &["-n", "--nrs"]),
            (Ranks, &["-p", "--np"]),
            (RanksOfSet, &["-a", "--tasks_per_rs"]),
            (SetsOfNode, &["-r", "--rs_per_host"]),
        ],
    },
    LauncherSyntax {
        names: &["flux"],
        options: &[
            (Ranks, &["-n", "--ntasks"]),
            (Nodes, &["-N", "--nodes"]),
            (Ppn, &["--tasks-per-node"]),
            (Other, &["--job-name"]),
        ],
    },
];

/// Programs that a launcher starts and that start the workload. The arguments after their names are theirs.
const WRAPPERS: &[&str] = &[
    "apptainer",
    "bash",
    "ch-run",
    "chrt",
    "dash",
    "docker",
    "env",
    "gdb",
    "hwloc-bind",
    "ionice",
    "likwid-pin",
    "ltrace",
    "nice",
    "nsys",
    "numactl",
    "perf",
    "podman",
    "prlimit",
    "sarus",
    "sh",
    "shifter",
    "singularity",
    "stdbuf",
    "strace",
    "sudo",
    "taskset",
    "time",
    "timeout",
    "valgrind",
];

/// Ranks from the launcher's options; `None` where the options do not give them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchedRanks {
    /// Ranks in all.
    pub ranks: Option<u64>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Ranks of each node.
    pub ppn: Option<u64>,
}

/// A typed command, split into launcher and workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedCommand {
    /// The workload that it starts.
    pub workload: WorkloadName,
    /// The arguments after the workload's name.
    pub words: Vec<String>,
    /// The number of words before these arguments.
    pub offset: usize,
    /// Ranks from the launcher's options, or local ranks without a launcher.
    pub launched: LaunchedRanks,
    /// Whether a launcher starts the workload.
    pub has_launcher: bool,
    /// Local ranks: `assay -n RANKS`.
    pub local: Option<u32>,
    /// Whether the command sets MPI-IO hints in the environment.
    pub hints: bool,
}

impl TypedCommand {
    /// Splits a command, and fails if it starts no known workload.
    pub fn read(words: &[String]) -> Result<Self, Usage> {
        let launcher = words.iter().enumerate().find_map(|(at, word)| {
            let name = name(word);
            Some((at, LAUNCHERS.iter().find(|launcher| launcher.names.contains(&name.as_str()))?))
        });
        let is_value = |at: usize| {
            let Some((_, launcher)) = launcher.filter(|_| at > 0) else { return false };
            launcher.options.iter().any(|(_, names)| names.contains(&words[at - 1].as_str()))
        };
        let found = words.iter().enumerate().find_map(|(at, word)| {
            let base = name(word);
            let workload = WorkloadName::named(&base)?;
            (!is_value(at)).then_some((at, workload))
        });
        let Some((at, workload)) = found else {
            let known: Vec<&str> = WORKLOADS.iter().flat_map(Workload::known).collect();
            let known = known.join(", ");
            return Err(Usage(format!("the command does not start a known workload. Known: {known}")));
        };
        let before = &words[..at];
        let assay = before.iter().rposition(|word| name(word) == "assay").filter(|at| !is_value(*at));
        let local = assay.map_or(Ok(None), |assay| local_ranks(&before[assay + 1..]))?;
        let launcher = launcher.filter(|(place, _)| *place < at);
        let launched = match (launcher, local.map(u64::from)) {
            (Some((place, launcher)), _) => launcher.ranks(&before[place + 1..assay.unwrap_or(at)])?,
            (None, Some(local @ 1..)) => {
                LaunchedRanks { ranks: Some(local), nodes: Some(1), ppn: Some(local) }
            }
            (None, _) => LaunchedRanks::default(),
        };
        let hints = |word: &String| {
            ["IOR_HINT__MPI__", "ROMIO_HINTS=", "MPICH_MPIIO_HINTS="]
                .iter()
                .any(|hint| word.starts_with(hint))
        };
        Ok(Self {
            workload,
            words: words[at + 1..].to_vec(),
            offset: at + 1,
            launched,
            has_launcher: launcher.is_some(),
            local,
            hints: before.iter().any(hints),
        })
    }
}

/// The value of `-n` among the options of `assay` itself.
fn local_ranks(options: &[String]) -> Result<Option<u32>, Usage> {
    let given = options.iter().enumerate().find_map(|(at, word)| {
        let glued = word.strip_prefix("-n")?;
        Some(if glued.is_empty() { options.get(at + 1)?.as_str() } else { glued.trim_start_matches('=') })
    });
    let number = |text: &str| {
        text.parse().map_err(|_| Usage(format!("`assay -n {text}`: not a number of ranks. Write -n 4.")))
    };
    given.map(number).transpose()
}

/// The name of a program in lower case, without its directory.
fn name(word: &str) -> String {
    word.rsplit('/').next().unwrap_or(word).to_lowercase()
}

impl LauncherSyntax {
    /// Ranks from these words, which end at a wrapper of the workload.
    fn ranks(&self, words: &[String]) -> Result<LaunchedRanks, Usage> {
        let (mut launched, mut sets, mut of_set, mut of_node) = (LaunchedRanks::default(), None, None, None);
        let mut rest = words.iter().peekable();
        while let Some(word) = rest.next() {
            let Some((meaning, glued)) = self.option(word) else {
                match WRAPPERS.contains(&name(word).as_str()) {
                    true => break,
                    false => continue,
                }
            };
            let Some(value) = glued.or_else(|| rest.next().cloned()) else {
                return Err(Usage(format!("`{word}` is a launcher option without a value")));
            };
            let number = || count(word, &value);
            match meaning {
                Ranks => launched.ranks = number()?,
                Nodes => launched.nodes = number()?,
                Ppn => launched.ppn = number()?,
                Sets => sets = number()?,
                RanksOfSet => of_set = number()?,
                SetsOfNode => of_node = number()?,
                Hosts => launched.nodes = Some(value.split(',').count() as u64),
                Mapping => {
                    let parts: Vec<&str> = value.split(':').collect();
                    if let ["ppr", ranks, "node", ..] = parts[..] {
                        launched.ppn = count(word, ranks)?;
                    }
                }
                Other => {}
            }
        }
        if let Some(sets) = sets {
            let of_set = of_set.unwrap_or(1);
            launched.ranks = launched.ranks.or(Some(sets.saturating_mul(of_set)));
            launched.ppn = of_node.map(|sets: u64| sets.saturating_mul(of_set));
            launched.nodes = of_node.filter(|of_node| *of_node > 0).map(|of_node| sets.div_ceil(of_node));
        }
        Ok(launched)
    }

    /// The meaning of `word`, and its value if that is glued to it.
    fn option(&self, word: &str) -> Option<(LauncherOption, Option<String>)> {
        let all =
            || self.options.iter().flat_map(|(meaning, names)| names.iter().map(|name| (*meaning, *name)));
        if let Some((meaning, _)) = all().find(|(_, option)| *option == word) {
            return Some((meaning, None));
        }
        all().find_map(|(meaning, option)| {
            let rest = word.strip_prefix(option)?;
            let glued = match rest.strip_prefix('=') {
                Some(value) => value,
                // `-n184`. A long option has `=`, and so has an option of several letters.
                None if option.len() == 2 && rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
                None => return None,
            };
            Some((meaning, Some(glued.to_owned())))
        })
    }
}

/// A number of ranks or nodes. `None` for a word such as `ALL_HOSTS`, for a range such as `2-4`, and for a
/// variable of the shell.
fn count(option: &str, value: &str) -> Result<Option<u64>, Usage> {
    match value.parse::<u64>() {
        Ok(0) => Err(Usage(format!("the launcher option `{option} {value}` starts no rank"))),
        Ok(number) => Ok(Some(number)),
        Err(_) if value.contains(['-', '$', '{']) => Ok(None),
        Err(_) if !value.contains(|c: char| c.is_ascii_digit()) => Ok(None),
        Err(_) => Err(Usage(format!("the launcher option `{option} {value}` is not a number"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> TypedCommand {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        TypedCommand::read(&words).expect(line)
    }

    #[test]
    fn the_ranks_of_every_launcher_are_read() {
        for (line, ranks, nodes, ppn) in [
            ("srun -N 230 --ntasks-per-node=32 ./ior -w", None, Some(230), Some(32)),
            ("srun -n5528 -N1382 ./ior -w", Some(5528), Some(1382), None),
            ("srun --nodes 2-4 -J ior --ntasks=8 ior", Some(8), None, None),
            ("mpirun -n 184 --map-by node ./ior -w", Some(184), None, None),
            ("mpirun --map-by ppr:8:node -np 16 ior", Some(16), None, Some(8)),
            ("mpiexec -ppn 4 -n 8 -hosts a,b ior", Some(8), Some(2), Some(4)),
            ("aprun -n 64 -N 32 -d 2 ./flash_benchmark_io F", Some(64), None, Some(32)),
            ("jsrun -n 12 -a 7 -r 6 ior -w", Some(84), Some(2), Some(42)),
            ("flux run -N 4 -n 16 mdtest -n 5", Some(16), Some(4), None),
            ("jsrun -n ALL_HOSTS -a 7 ior -w", None, None, None),
            ("env A=1 ./IOR -w", None, None, None),
            ("mpirun -n 8 numactl -N 0 ior -w", Some(8), None, None),
            ("mpirun -n 8 /usr/bin/taskset -c 3 ior -w", Some(8), None, None),
            ("mpirun -n 8 singularity exec -H /home/x img ior -r -C", Some(8), None, None),
            ("env A=1 mpirun -n 8 -host a,b env B=1 ior -w", Some(8), Some(2), None),
            ("srun -n 8 -J bash -N 2 ior -w", Some(8), Some(2), None),
        ] {
            let found = read(line).launched;
            assert_eq!((found.ranks, found.nodes, found.ppn), (ranks, nodes, ppn), "{line}");
        }
    }

    #[test]
    fn the_workload_is_found_by_its_name_and_its_arguments_follow() {
        let command = read("srun -J ior -N 2 /opt/bin/IOR -w -o f");
        assert_eq!((command.workload, command.offset), (WorkloadName::Ior, 6));
        assert_eq!(command.words, ["-w", "-o", "f"]);
        assert_eq!(read("assay -n 4 ls-lr --cold d").workload, WorkloadName::LsLr);
        assert!(read("ROMIO_HINTS=h mpirun ior").hints);
    }

    #[test]
    fn local_ranks_are_no_ranks_of_the_launcher() {
        for (line, local, has_launcher, ranks) in [
            ("assay -n 4 ior -w", Some(4), false, Some(4)),
            ("assay -n4 ls-lr d", Some(4), false, Some(4)),
            ("assay -n 0 ior -w", Some(0), false, None),
            ("assay age --blocks 80% d", None, false, None),
            ("ior -w", None, false, None),
            ("mpirun -n 8 assay -n 2 ior -w", Some(2), true, Some(8)),
            ("mpirun -n 8 /opt/assay ior -w", None, true, Some(8)),
            ("srun -J assay -N 2 ior -n 4", None, true, None),
        ] {
            let command = read(line);
            let found = (command.local, command.has_launcher, command.launched.ranks);
            assert_eq!(found, (local, has_launcher, ranks), "{line}");
        }
        let words = ["assay", "-n", "x", "ior"].map(str::to_owned);
        assert!(TypedCommand::read(&words).unwrap_err().0.contains("`assay -n x`"));
    }

    #[test]
    fn a_command_without_a_known_workload_is_rejected() {
        let words = ["srun", "./a.out"].map(str::to_owned);
        let why = TypedCommand::read(&words).unwrap_err().0;
        assert!(why.starts_with("the command does not start a known workload"), "{why}");
        let words = ["srun", "-n", "8x", "ior"].map(str::to_owned);
        assert_eq!(TypedCommand::read(&words).unwrap_err().0, "the launcher option `-n 8x` is not a number");
        let words = ["srun", "-n", "0", "ior"].map(str::to_owned);
        assert_eq!(TypedCommand::read(&words).unwrap_err().0, "the launcher option `-n 0` starts no rank");
    }
}
