//! Batch systems: the script with the requirements of a plan, and the commands that submit it and ask for its
//! state.
//!
//! Invariant: pure. A row has the options and the output of one batch system.
//! Never here: submitting, files.

use units::{Usage, several, shell_line, shell_quoted, visible};

use super::{at_once, most_nodes};
use plan::Plan;
use plan::launcher::LaunchKind;
use plan::schedule::PlannedJob;

/// The time before its end at which a job is asked to stop, seconds. The campaign can then resume in another.
pub const NOTICE_S: u64 = 120;
/// The time that a campaign takes in addition to its jobs, seconds.
const OVERHEAD_S: u64 = 180;

/// The resources that a plan requests from a batch system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The job's name.
    pub name: String,
    /// Whole nodes; `None` if the plan only gives ranks.
    pub nodes: Option<u32>,
    /// The largest number of ranks on a node. Without nodes, the largest total number.
    pub ranks: u32,
    /// Nodes that must not be used.
    pub exclude: Vec<String>,
    /// The time limit with the notice, seconds.
    pub seconds: u64,
    /// The file for its output.
    pub out: String,
    /// The directory in which it starts.
    pub cwd: String,
    /// The command line that it runs.
    pub command: Vec<String>,
}

impl Request {
    /// The needs of `jobs` of `plan`. The caller adds the file, the directory and the command line.
    pub fn of(plan: &Plan, jobs: &[PlannedJob]) -> Self {
        let local = plan.launch.kind == LaunchKind::Local;
        let nodes = if local { Some(1) } else { most_nodes(jobs) };
        let ranks = at_once(jobs).map(|group| {
            let most = group.iter().filter_map(|job| job.placement.ppn).max().unwrap_or(0);
            let by_ranks = group.iter().map(|job| &job.placement).filter(|placed| placed.ppn.is_none());
            let sum: u32 = by_ranks.map(|placed| placed.ranks).fold(0, u32::saturating_add);
            match nodes {
                _ if local => 1,
                Some(nodes) => most.max(sum.div_ceil(nodes)),
                None => sum,
            }
        });
        let limits: f64 = jobs.iter().map(|job| job.timeout_s).sum();
        Self {
            name: format!("assay-{}", plan.id),
            nodes,
            ranks: ranks.max().unwrap_or(1),
            exclude: plan.clients.exclude.clone(),
            seconds: limits.ceil() as u64 + OVERHEAD_S + NOTICE_S,
            ..Self::default()
        }
    }

    /// The time limit in whole minutes, rounded up.
    fn minutes(&self) -> u64 {
        self.seconds.div_ceil(60)
    }

    /// The requested resources, for readers.
    pub fn description(&self) -> String {
        let most = match self.nodes {
            Some(nodes) => several(nodes.into(), "node"),
            None => several(self.ranks.into(), "rank"),
        };
        let without = if self.exclude.is_empty() {
            String::new()
        } else {
            format!(" (not {})", self.exclude.join(", "))
        };
        format!("{most}{without} for at most {} min", self.minutes())
    }
}

/// The state of a batch job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchJobState {
    /// It waits in the queue.
    Waits,
    /// It runs.
    Runs,
    /// It has ended, successfully or not.
    Ended,
}

/// A batch system.
#[derive(Debug)]
pub struct BatchSystem {
    /// Its name for people.
    pub name: &'static str,
    /// Its name on the command line.
    pub word: &'static str,
    /// The command that submits a script and prints the job's number.
    pub submit: &'static [&'static str],
    /// Commands that print the state of the job with the number `{job}`. The first one that knows the job
    /// counts.
    pub ask: &'static [&'static [&'static str]],
    /// The text before the state on its line.
    key: &'static str,
    /// States of a waiting job.
    waits: &'static [&'static str],
    /// States of a running job.
    runs: &'static [&'static str],
    /// The prefix of its lines in a script.
    prefix: &'static str,
    /// Its lines in a script.
    lines: fn(&Request) -> Vec<String>,
}

/// In order of name.
pub const SYSTEMS: &[BatchSystem] = &[
    BatchSystem {
        name: "Flux",
        word: "flux",
        submit: &["flux", "batch"],
        ask: &[&["flux", "jobs", "-n", "-o", "{state}", "{job}"]],
        key: "",
        waits: &["DEPEND", "PRIORITY", "SCHED"],
        runs: &["RUN", "CLEANUP"],
        prefix: "#flux: ",
        lines: flux,
    },
    BatchSystem {
        name: "PBS",
        word: "pbs",
        submit: &["qsub"],
        ask: &[&["qstat", "-x", "-f", "{job}"]],
        key: "job_state =",
        waits: &["H", "Q", "S", "T", "U", "W"],
        runs: &["B", "E", "R"],
        prefix: "#PBS ",
        lines: pbs,
    },
    BatchSystem {
        name: "Slurm",
        word: "slurm",
        submit: &["sbatch", "--parsable"],
        ask: &[
            &["squeue", "-h", "-t", "all", "-j", "{job}", "-o", "%T"],
            &["sacct", "-n", "-X", "-P", "-j", "{job}", "-o", "State"],
        ],
        key: "",
        waits: &[
            "CONFIGURING",
            "PENDING",
            "REQUEUED",
            "REQUEUE_FED",
            "REQUEUE_HOLD",
            "RESV_DEL_HOLD",
            "SUSPENDED",
        ],
        runs: &["COMPLETING", "RESIZING", "RUNNING", "SIGNALING", "STAGE_OUT", "STOPPED"],
        prefix: "#SBATCH ",
        lines: slurm,
    },
];

impl BatchSystem {
    /// The batch system of that name on the command line.
    pub fn of(word: &str) -> Result<&'static Self, Usage> {
        SYSTEMS.iter().find(|system| system.word == word).ok_or_else(|| {
            let known: Vec<&str> = SYSTEMS.iter().map(|system| system.word).collect();
            Usage(format!("unknown batch system `{word}`. Known: {}.", known.join(", ")))
        })
    }

    /// The batch system that this launcher belongs to, if it is clear.
    pub fn of_launcher(kind: &LaunchKind) -> Option<&'static Self> {
        let word = match kind.name() {
            "srun" => "slurm",
            "flux" => "flux",
            "pals" | "aprun" => "pbs",
            _ => return None,
        };
        Self::of(word).ok()
    }

    /// The script for the request. A text with a control character is rejected: a line end in a name would
    /// begin a command of the shell.
    pub fn script(&self, request: &Request) -> Result<String, Usage> {
        let lines = (self.lines)(request);
        let texts = lines.iter().chain([&request.cwd]).chain(&request.command);
        if let Some(text) = texts.into_iter().find(|text| text.contains(char::is_control)) {
            let text = visible(text);
            return Err(Usage(format!("a batch script cannot have the control character in `{text}`")));
        }
        let mut text = "#!/bin/sh\n".to_owned();
        for line in lines {
            text += &format!("{}{line}\n", self.prefix);
        }
        // The program replaces the shell, so that signals of the batch system reach it.
        let (cwd, command) = (shell_quoted(&request.cwd), shell_line(&request.command));
        Ok(text
            + &format!(
                "cd {cwd} || exit 2
exec {command}
"
            ))
    }

    /// The command line that submits the script at `path`, with the options of the user.
    pub fn submitting(&self, words: &[String], path: &str) -> Vec<String> {
        let own = self.submit.iter().map(|word| (*word).to_owned());
        own.chain(words.iter().cloned()).chain([path.to_owned()]).collect()
    }

    /// The job's number, from the output of the command that submitted it.
    pub fn submitted(&self, printed: &str) -> Option<String> {
        let line = printed.lines().map(str::trim).rfind(|line| !line.is_empty())?;
        // `123;cluster` if Slurm has several clusters.
        line.split(';').next().filter(|job| !job.contains(char::is_whitespace)).map(str::to_owned)
    }

    /// The commands that print the state of `job`.
    pub fn asking(&self, job: &str) -> Vec<Vec<String>> {
        let words = |words: &&[&str]| words.iter().map(|word| word.replace("{job}", job)).collect();
        self.ask.iter().map(words).collect()
    }

    /// Whether the output of a command that asks for the state of a job says that the job is unknown. A batch
    /// system that is busy or not reachable prints another error, or nothing.
    pub fn is_unknown_job(succeeded: bool, output: &str, errors: &str) -> bool {
        let errors = errors.to_lowercase();
        let named = errors.lines().any(|line| line.contains("jobid") && line.contains("unknown"));
        let unknown = named || ["invalid job id", "unknown job"].iter().any(|words| errors.contains(words));
        unknown || succeeded && output.trim().is_empty() && errors.trim().is_empty()
    }

    /// The state of a job, and the batch system's name for it, from the output of such a command; `None` if
    /// the command does not know the job.
    pub fn state(&self, answer: &str) -> Option<(BatchJobState, String)> {
        let line = answer.lines().find_map(|line| line.trim().strip_prefix(self.key))?;
        let word = line.split_whitespace().next()?;
        let state = match word {
            word if self.waits.contains(&word) => BatchJobState::Waits,
            word if self.runs.contains(&word) => BatchJobState::Runs,
            _ => BatchJobState::Ended,
        };
        Some((state, word.to_owned()))
    }
}

fn slurm(request: &Request) -> Vec<String> {
    let Request { name, ranks, exclude, out, .. } = request;
    let mut lines =
        vec![format!("--job-name={name}"), format!("--output={out}"), "--open-mode=append".to_owned()];
    match request.nodes {
        Some(nodes) => lines.extend([
            format!("--nodes={nodes}"),
            format!("--ntasks-per-node={ranks}"),
            "--exclusive".to_owned(),
        ]),
        None => lines.push(format!("--ntasks={ranks}")),
    }
    if !exclude.is_empty() {
        lines.push(format!("--exclude={}", exclude.join(",")));
    }
    lines.extend([
        format!("--time={}", request.minutes()),
        format!("--signal=B:TERM@{NOTICE_S}"),
        // A failed node ends its attempt but not the campaign. If the first node fails, the campaign is
        // requeued.
        "--no-kill".to_owned(),
        "--requeue".to_owned(),
    ]);
    lines
}

fn pbs(request: &Request) -> Vec<String> {
    let Request { name, ranks, exclude, out, .. } = request;
    // PBS cannot exclude nodes by name. So one more node is requested for each excluded one.
    let select = match request.nodes {
        Some(nodes) => format!("select={}:mpiprocs={ranks}", nodes + exclude.len() as u32),
        None => format!("select={ranks}:mpiprocs=1"),
    };
    let place = if request.nodes.is_some() { "place=scatter:excl" } else { "place=free" };
    let (hours, minutes) = (request.minutes() / 60, request.minutes() % 60);
    vec![
        format!("-N {}", name.chars().take(15).collect::<String>()),
        format!("-o {out}"),
        "-j oe".to_owned(),
        format!("-l {select}"),
        format!("-l {place}"),
        format!("-l walltime={hours:02}:{minutes:02}:00"),
        "-r y".to_owned(),
        "-V".to_owned(),
    ]
}

fn flux(request: &Request) -> Vec<String> {
    let Request { name, ranks, exclude, out, .. } = request;
    let mut lines = vec![format!("--job-name={name}"), format!("--output={out}")];
    match request.nodes {
        Some(nodes) => lines.extend([format!("--nodes={nodes}"), "--exclusive".to_owned()]),
        None => lines.push(format!("--nslots={ranks}")),
    }
    if !exclude.is_empty() {
        lines.push(format!("--requires=-host:{}", exclude.join(",")));
    }
    lines.extend([format!("--time-limit={}m", request.minutes()), format!("--signal=TERM@{NOTICE_S}")]);
    lines
}

#[cfg(test)]
mod tests;
