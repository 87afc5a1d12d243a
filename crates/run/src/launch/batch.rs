//! Batch systems: the script that asks for what a plan needs, the words that submit it, and those that ask
//! after it.
//!
//! Invariant: pure; a row is what one batch system wants and says.
//! Never here: submitting, files.

use units::{Usage, several};

use super::{at_once, most_nodes};
use plan::Plan;
use plan::launcher::LaunchKind;
use plan::schedule::PlannedJob;

/// How long before its end a job is asked to stop, seconds: so that the campaign can go on in another.
pub const NOTICE_S: u64 = 120;
/// What a campaign takes beside its jobs, seconds.
const BESIDE_S: u64 = 180;

/// What a plan asks of a batch system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The job's name.
    pub name: String,
    /// Whole nodes; `None` where the plan gives ranks alone.
    pub nodes: Option<u32>,
    /// Most ranks on a node; without nodes, of all.
    pub ranks: u32,
    /// Nodes that are to be left out.
    pub exclude: Vec<String>,
    /// The longest that it takes, with the notice, seconds.
    pub seconds: u64,
    /// The file for what it prints.
    pub out: String,
    /// Where it starts.
    pub cwd: String,
    /// What it runs.
    pub command: Vec<String>,
}

impl Request {
    /// What `jobs` of `plan` need; where and what is for the caller to add.
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
            seconds: limits.ceil() as u64 + BESIDE_S + NOTICE_S,
            ..Self::default()
        }
    }

    /// Whole minutes that hold it.
    fn minutes(&self) -> u64 {
        self.seconds.div_ceil(60)
    }

    /// What is asked for, in words.
    pub fn told(&self) -> String {
        let most = match self.nodes {
            Some(nodes) => several(nodes.into(), "node"),
            None => several(self.ranks.into(), "rank"),
        };
        let without = if self.exclude.is_empty() {
            String::new()
        } else {
            format!(" (not {})", self.exclude.join(", "))
        };
        format!("{most}{without} for {} min at most", self.minutes())
    }
}

/// Whether a job is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchJobState {
    /// It waits for its turn.
    Waits,
    /// It runs.
    Runs,
    /// It has ended, in whatever way.
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
    /// Commands that tell how a job is, `{job}` its number; the first that knows it counts.
    pub ask: &'static [&'static [&'static str]],
    /// What stands before the answer on its line.
    key: &'static str,
    /// Answers of a job that waits.
    waits: &'static [&'static str],
    /// Answers of a job that runs.
    runs: &'static [&'static str],
    /// How lines for it begin in a script.
    prefix: &'static str,
    /// Those lines.
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
    /// The one of that name on the command line.
    pub fn of(word: &str) -> Result<&'static Self, Usage> {
        SYSTEMS.iter().find(|system| system.word == word).ok_or_else(|| {
            let known: Vec<&str> = SYSTEMS.iter().map(|system| system.word).collect();
            Usage(format!("unknown batch system `{word}`; known are {}", known.join(", ")))
        })
    }

    /// The one in which this launcher runs, where it says so.
    pub fn of_launcher(kind: &LaunchKind) -> Option<&'static Self> {
        let word = match kind.name() {
            "srun" => "slurm",
            "flux" => "flux",
            "pals" | "aprun" => "pbs",
            _ => return None,
        };
        Self::of(word).ok()
    }

    /// The script for what is asked.
    pub fn script(&self, request: &Request) -> String {
        let mut text = "#!/bin/sh\n".to_owned();
        for line in (self.lines)(request) {
            text += &format!("{}{line}\n", self.prefix);
        }
        let command: Vec<String> = request.command.iter().map(|word| quoted(word)).collect();
        // The program takes the shell's place, so that what the batch system tells the job reaches it.
        text + &format!("cd {} || exit 2\nexec {}\n", quoted(&request.cwd), command.join(" "))
    }

    /// The words that submit the script at `path`, with those of the user.
    pub fn submitting(&self, words: &[String], path: &str) -> Vec<String> {
        let own = self.submit.iter().map(|word| (*word).to_owned());
        own.chain(words.iter().cloned()).chain([path.to_owned()]).collect()
    }

    /// The job's number, from what the command that submits it printed.
    pub fn submitted(&self, printed: &str) -> Option<String> {
        let line = printed.lines().map(str::trim).rfind(|line| !line.is_empty())?;
        // `123;cluster` where Slurm has several clusters.
        line.split(';').next().filter(|job| !job.contains(char::is_whitespace)).map(str::to_owned)
    }

    /// The commands that tell how `job` is.
    pub fn asking(&self, job: &str) -> Vec<Vec<String>> {
        let words = |words: &&[&str]| words.iter().map(|word| word.replace("{job}", job)).collect();
        self.ask.iter().map(words).collect()
    }

    /// Whether a command that asks after a job, which told nothing of it, says that there is no such job.
    /// A batch system that is busy or out of reach says something else, or nothing.
    pub fn knows_not(succeeded: bool, printed: &str, complained: &str) -> bool {
        let said = complained.to_lowercase();
        let named = said.lines().any(|line| line.contains("jobid") && line.contains("unknown"));
        let unknown = named || ["invalid job id", "unknown job"].iter().any(|words| said.contains(words));
        unknown || succeeded && printed.trim().is_empty() && said.trim().is_empty()
    }

    /// How a job is, and the batch system's word for it, by the answer of such a command; `None` where that
    /// does not know the job.
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
        // A node that dies takes its attempt along, not the campaign; with the first node it begins again.
        "--no-kill".to_owned(),
        "--requeue".to_owned(),
    ]);
    lines
}

fn pbs(request: &Request) -> Vec<String> {
    let Request { name, ranks, exclude, out, .. } = request;
    // Nodes cannot be left out by name, so there is one more for each of those that jobs will not use.
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

/// A word as the shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=+:,%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests;
