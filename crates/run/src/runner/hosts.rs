//! The hosts of `launch.kind = "ssh"`: what each reports before the first job, the copies on them, and the
//! processes that a job may leave there.
//!
//! Hydra starts the ranks. This module makes connections of its own, by the same `ssh`.
//!
//! Invariant: every connection has a time limit. On a host only the folder that the campaign made is changed,
//! and only processes of its job are ended.
//! Never here: starting jobs.

mod copies;
mod facts;
mod left_processes;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use results::folder::{HostFacts, sha256};
use units::{Usage, shell_quoted, visible};

use super::CampaignRequest;
use crate::bounded;
use crate::machine::found;
use crate::process::this_process;
use copies::Copies;
use plan::launcher::Nodes;

pub use copies::tree_sha256;
pub use facts::{ANSWER, proxy_of};
pub(crate) use left_processes::{JOB, JobProcesses};

/// The options of every connection. It never asks for a password, and a host that is gone is noticed.
const OPTIONS: [&str; 9] = [
    "-x",
    "-o",
    "BatchMode=yes",
    "-o",
    "ConnectTimeout=10",
    "-o",
    "ServerAliveInterval=5",
    "-o",
    "ServerAliveCountMax=3",
];
/// The most connections at the same time.
const CONNECTIONS: usize = 64;
/// The exit status of `ssh` if it could not connect.
const NOT_CONNECTED: i32 = 255;
/// The program that Hydra starts ranks with, and that this module connects with.
const SSH: &str = "ssh";

/// The variable that names the MPI library. The copied one is found beside its launcher.
pub(super) const MPI_LIBRARY: &str = "ASSAY_MPI_LIBRARY";

/// The hosts of a campaign.
pub(crate) struct Hosts {
    names: Vec<String>,
    connection: Connection,
    /// The identity of the campaign.
    campaign: String,
    copies: Option<Copies>,
    /// What each reported, in the order of the plan.
    pub(crate) facts: Vec<HostFacts>,
}

impl Hosts {
    /// Asks all hosts of a plan that has some, and makes the copies that it wants. `nodes` then names the
    /// copied programs. Hosts that do not answer or differ are rejected, with a line for each.
    pub(crate) fn reach(
        asked: &CampaignRequest,
        nodes: &mut Nodes,
        dirs: &[(String, PathBuf)],
    ) -> Result<Option<Self>, Usage> {
        let (Some(connection), Some(ssh)) = (Connection::new(asked)?, &asked.plan.launch.ssh) else {
            return Ok(None);
        };
        let launcher = launcher(asked).ok_or_else(|| no_launcher(asked))?;
        let names = nodes.hosts.clone();
        let campaign = campaign_identity(asked);
        let mut hosts = Self { names, connection, campaign, copies: None, facts: Vec::new() };
        let mut query = facts::Query::new(asked, &launcher, dirs);
        let mut here = query.here()?;
        if let Some(dir) = &ssh.copy {
            let copies = Copies::make(asked, Path::new(dir), &launcher, &here)?;
            let made = hosts.copies.insert(copies);
            made.send(&hosts.connection, &hosts.names)?;
            query.use_copy(&made.folder());
            here = query.here()?;
            nodes.launcher = Some(query.launcher.clone());
            nodes.program = Some(query.program.clone());
        }
        let asked_all =
            hosts.connection.each(&hosts.names, |host| query.host(&hosts.connection, host, &here));
        hosts.facts = all(asked_all)?;
        Ok(Some(hosts))
    }

    /// Ends what is left of all jobs, and removes the copies. Gives a line for each host on which something
    /// remains.
    pub(crate) fn leave(&mut self) -> Vec<String> {
        let (hosts, job) = (std::mem::take(&mut self.names), self.campaign.clone());
        if hosts.is_empty() {
            return Vec::new();
        }
        let processes = JobProcesses { connection: self.connection.clone(), hosts, job };
        let mut remain = processes.end();
        if let Some(copies) = self.copies.take() {
            remain.extend(copies.remove(&processes.connection, &processes.hosts));
        }
        remain
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        // A campaign that ends regularly has done it, and reported what remains.
        self.leave();
    }
}

/// What is done on a host.
#[derive(Clone, Copy)]
struct Script<'a> {
    /// The text for a shell.
    text: &'a str,
    /// The file that it reads.
    input: Option<&'a Path>,
    limit: Duration,
    /// What to do if it fails.
    advice: &'a str,
}

/// How hosts are reached.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// The path of `ssh`.
    ssh: String,
}

impl Connection {
    /// That of a plan with hosts. Fails if there is no such program.
    pub(crate) fn new(asked: &CampaignRequest) -> Result<Option<Self>, Usage> {
        let Some(ssh) = &asked.plan.launch.ssh else { return Ok(None) };
        let program = ssh.program.as_deref().unwrap_or(SSH);
        let found = found(program, path(asked)).and_then(|file| std::path::absolute(file).ok());
        match found {
            Some(file) => Ok(Some(Self { ssh: file.to_string_lossy().into_owned() })),
            None if program == SSH => Err(Usage::new(
                "launch.kind `ssh` needs the program `ssh`, which is not on the PATH. Install it, such as \
                 the package openssh-client.",
            )),
            None => {
                let what = "there is no such program";
                Err(Usage(format!("launch.ssh `{program}`: {what}. Give its path, or remove the key.")))
            }
        }
    }

    /// The variables by which Hydra makes the same connections.
    pub(crate) fn variables(&self) -> [(String, String); 2] {
        // Hydra gives the first option itself.
        let options = OPTIONS[1..].join(" ");
        [
            ("HYDRA_LAUNCHER_EXEC".to_owned(), self.ssh.clone()),
            ("HYDRA_LAUNCHER_EXTRA_ARGS".to_owned(), options),
        ]
    }

    /// Runs a script on a host. Gives its output, or why there is none and what to do: `advice` if the script
    /// failed.
    fn run(&self, host: &str, script: &Script<'_>) -> Result<String, String> {
        let Script { text, input, limit, advice: of_script } = *script;
        let mut command = Command::new(&self.ssh);
        command.args(OPTIONS).arg(host).arg(format!("sh -c {}", shell_quoted(text)));
        let advice =
            || format!("Let `ssh {host} true` work without a question, or exclude it by clients.exclude.");
        let ended = match input.map(File::open) {
            None => bounded::ended(&mut command, "", limit),
            Some(file) => file.and_then(|file| bounded::ended_with(&mut command, file, limit)),
        };
        let ended = ended.map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => format!("{error}. {}", advice()),
            _ => format!("{} cannot start: {error}. Correct launch.ssh.", self.ssh),
        })?;
        let last = ended.err.lines().rev().find(|line| !line.trim().is_empty());
        let last = last.map(|line| visible(line.trim_end_matches(['.', '\r']))).unwrap_or_default();
        match ended.status.code() {
            Some(0) => Ok(ended.out),
            Some(NOT_CONNECTED) => Err(format!("ssh does not connect: {last}. {}", advice())),
            _ if last.is_empty() => Err(format!("the command ended with {}. {of_script}", ended.status)),
            _ => Err(format!("{last}. {of_script}")),
        }
    }

    /// Does the same for all hosts, many at the same time.
    fn each<T: Send>(&self, hosts: &[String], ask: impl Fn(&str) -> T + Sync) -> Vec<T> {
        let ask = &ask;
        let at_once = |hosts: &[String]| {
            std::thread::scope(|scope| {
                let threads: Vec<_> = hosts.iter().map(|host| scope.spawn(move || ask(host))).collect();
                let join = |thread: std::thread::ScopedJoinHandle<'_, T>| {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                threads.into_iter().map(join).collect::<Vec<_>>()
            })
        };
        hosts.chunks(CONNECTIONS).flat_map(at_once).collect()
    }
}

/// The answers of all hosts, or the lines of those that have none.
fn all<T>(answers: Vec<Result<T, String>>) -> Result<Vec<T>, Usage> {
    let (mut good, mut lines) = (Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            Ok(answer) => good.push(answer),
            Err(line) => lines.push(line),
        }
    }
    // The first line gets the name of the program when it is printed.
    if lines.is_empty() { Ok(good) } else { Err(Usage(lines.join("\nassay: "))) }
}

/// The value of the variable PATH of jobs.
fn path(asked: &CampaignRequest) -> &str {
    let own = asked.environment.iter().find(|(key, _)| key == "PATH").map(|(_, value)| value);
    asked.plan.launch.env.get("PATH").or(own).map_or("", String::as_str)
}

/// The file of the launcher: on the PATH, or beside this program, where `pip` installs both.
pub(crate) fn launcher(asked: &CampaignRequest) -> Option<PathBuf> {
    let program = asked.plan.launch.kind.program()?;
    let beside = || asked.program.parent().map(|dir| dir.join(program)).filter(|file| file.is_file());
    found(program, path(asked)).or_else(beside)
}

/// The rejection of a plan whose launcher is missing.
pub(crate) fn no_launcher(asked: &CampaignRequest) -> Usage {
    let program = asked.plan.launch.kind.program().unwrap_or_default();
    Usage(format!(
        "launch.kind `ssh` starts jobs with `{program}`, Hydra of MPICH, but there is no such program on the \
         PATH or beside assay. Run `pip install mpich`, install the package mpich, or set \
         launch.program."
    ))
}

/// The identity of a campaign on its hosts.
pub(crate) fn campaign_identity(asked: &CampaignRequest) -> String {
    let folder = std::path::absolute(&asked.folder).unwrap_or_default();
    sha256(format!("{} {}", this_process().host, folder.display()).as_bytes())
}

/// The variables of jobs that decide which libraries a host loads.
fn library_variables(asked: &CampaignRequest) -> BTreeMap<String, String> {
    let all = asked.environment.iter().cloned().chain(asked.plan.launch.env.clone());
    all.filter(|(name, _)| [MPI_LIBRARY, "LD_LIBRARY_PATH"].contains(&name.as_str())).collect()
}
