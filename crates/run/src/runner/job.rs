//! One job as a subprocess. It is started in a process group of its own, watched, and ended with all its
//! children.
//!
//! Invariant: a job has ended when no process of its group is alive. A process that hangs in the kernel
//! cannot be killed. The campaign waits for it until the campaign must stop.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use results::folder::{self, JobEnd, names};
use results::record::APP;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::CampaignRequest;
use super::hosts::{Connection, JOB, JobProcesses, MPI_LIBRARY, campaign_identity};
use super::session::SessionDirectory;
use crate::bounded::has_ended;
use crate::machine::{placed, recorded};
use plan::launcher::{Launch, LaunchKind, LauncherJob, Nodes};
use plan::line::{has_stamped_data, shows_progress};
use plan::schedule::PlannedJob;

/// The time between the request to end a job and its kill.
const GRACE: Duration = Duration::from_secs(3);
/// How often a running job is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// A job that is ready to start.
pub(super) struct Prepared {
    /// Its complete command line.
    pub(super) argv: Vec<String>,
    /// The part of it after the launcher, if it is an external program.
    pub(super) external: Vec<String>,
    /// The recorded part of its environment.
    pub(super) env_recorded: BTreeMap<String, String>,
    env: BTreeMap<String, String>,
    /// Its launcher, if another one runs at the same time.
    launcher: Option<LaunchKind>,
    /// Its processes on other hosts, if it starts them by ssh.
    elsewhere: Option<JobProcesses>,
    dir: PathBuf,
    stdout: String,
    stderr: String,
    timeout: Duration,
}

impl Prepared {
    /// `files` is the directory of the job's files. The job runs and records in `dir`.
    pub(super) fn new(
        asked: &CampaignRequest,
        job: &PlannedJob,
        nodes: &Nodes,
        files: &Path,
        dir: &Path,
    ) -> Self {
        let launch = asked.plan.launch_for(job);
        let shown = files.to_string_lossy();
        let own = nodes.program.clone().unwrap_or_else(|| asked.program.to_string_lossy().into_owned());
        // A job does not find its files if CephFS was unmounted since the beginning.
        let here = |word: &String| placed(word, files).unwrap_or_else(|| word.replace("{dir}", &shown));
        let mut words: Vec<String> = job.words.iter().map(here).collect();
        let external = job.workload == APP;
        let program = match external {
            true => {
                words.iter_mut().for_each(|word| *word = word.replace("{assay}", &own));
                absolute(&words.remove(0))
            }
            false => own,
        };
        if !external {
            words.insert(0, job.workload.to_owned());
            words.extend(data_words(asked, job, files));
            if shows_progress(job.workload) {
                words.extend(["--progress".to_owned(), names::PROGRESS.to_owned()]);
            }
            words.extend(["--record".to_owned(), names::RECORDS.to_owned()]);
        }
        let mut env = environment(asked, launch);
        let nodes = nodes.of(job.number);
        let elsewhere = elsewhere(asked, job, &nodes, dir);
        if let Some(elsewhere) = &elsewhere {
            for (name, value) in elsewhere.connection.variables() {
                env.entry(name).or_insert(value);
            }
        }
        if nodes.program.is_some() {
            env.remove(MPI_LIBRARY);
        }
        let env_recorded = recorded(&env, &launch.env);
        let quarter = (job.timeout_s / 4.0).clamp(1.0, 60.0) as u64;
        env.insert(WAIT_REPORT.to_owned(), quarter.to_string());
        env.extend(elsewhere.as_ref().map(|elsewhere| (JOB.to_owned(), elsewhere.job.clone())));
        let own = if external { [std::slice::from_ref(&program), &words[..]].concat() } else { Vec::new() };
        Self {
            external: own,
            argv: launch.kind.command(&LauncherJob {
                program,
                placement: job.placement.clone(),
                nodes,
                words,
                starts_ranks: job.starts_ranks,
                external,
            }),
            env_recorded,
            env,
            launcher: job.at_once.is_some().then(|| launch.kind.clone()),
            elsewhere,
            dir: dir.to_owned(),
            stdout: names::STDOUT.to_owned(),
            stderr: names::STDERR.to_owned(),
            timeout: limit(job.timeout_s),
        }
    }

    /// A shell command that runs in `dir`. Files that start with `name` keep its output.
    pub(super) fn shell(
        asked: &CampaignRequest,
        command: &str,
        dir: &Path,
        name: &str,
        timeout_s: f64,
    ) -> Self {
        Self {
            argv: ["sh", "-c", command].map(str::to_owned).to_vec(),
            external: Vec::new(),
            env_recorded: BTreeMap::new(),
            env: environment(asked, &asked.plan.launch),
            launcher: None,
            elsewhere: None,
            dir: dir.to_owned(),
            stdout: format!("{name}.stdout.txt"),
            stderr: format!("{name}.stderr.txt"),
            timeout: limit(timeout_s),
        }
    }

    /// The value of the variable PATH of the job.
    pub(super) fn path(&self) -> &str {
        self.env.get("PATH").map_or("", String::as_str)
    }

    /// Runs the job until it ends or exceeds its time limit. Returns how it ended and its wall time in
    /// seconds; `None` if `stop` became true and the job was ended for that.
    ///
    /// `stuck` receives the id of a process that was killed but still exists. It returns whether to wait for
    /// this process until `stop`. If the process is not waited for, the result is `None`, too.
    pub(super) fn run(
        &self,
        stop: &AtomicBool,
        stuck: &dyn Fn(u32) -> bool,
    ) -> io::Result<Option<(JobEnd, f64)>> {
        // It differs from job to job, so it is not part of the recorded environment.
        let session =
            self.launcher.as_ref().and_then(|kind| SessionDirectory::for_job(kind, &self.argv, &self.env));
        let began = Instant::now();
        let (program, arguments) = self.argv.split_first().expect("a launcher names a program");
        let spawned = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(&self.env)
            .envs(session.as_ref().map(SessionDirectory::variable))
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .stdout(File::create(self.dir.join(&self.stdout))?)
            .stderr(File::create(self.dir.join(&self.stderr))?)
            .process_group(0)
            .spawn();
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => {
                std::fs::write(self.dir.join(&self.stderr), format!("cannot start `{program}`: {error}\n"))?;
                return Ok(Some((JobEnd::NotStarted, began.elapsed().as_secs_f64())));
            }
        };
        let watched = self.watch(&child, began, stop);
        let seconds = began.elapsed().as_secs_f64();
        let ended = end_all(&mut child, stop, stuck)?;
        if ended != Some(JobEnd::Exit(0)) {
            self.end_elsewhere()?;
        }
        let Some(end) = ended else { return Ok(None) };
        Ok(match watched? {
            WatchEnd::Ended if self.ended_with_the_campaign(&end, stop) => None,
            WatchEnd::Ended => Some((end, seconds)),
            WatchEnd::TooLate => Some((JobEnd::TimedOut, seconds)),
            WatchEnd::Stopped => None,
        })
    }

    /// Ends what is left of it on other hosts. Its error output reports what may remain there.
    fn end_elsewhere(&self) -> io::Result<()> {
        let Some(elsewhere) = &self.elsewhere else { return Ok(()) };
        let remain = elsewhere.end();
        let mut errors = File::options().append(true).open(self.dir.join(&self.stderr))?;
        remain.iter().try_for_each(|line| writeln!(errors, "assay: {line}"))
    }

    /// Whether the job ended together with its campaign. A batch system that ends an allocation ends its
    /// ranks at the same moment as it asks this process to end. Such a job must run again.
    fn ended_with_the_campaign(&self, end: &JobEnd, stop: &AtomicBool) -> bool {
        let error_lines = folder::error_lines(&self.dir.join(&self.stderr)).unwrap_or_default();
        if *end == JobEnd::Exit(0) || folder::cause_of_death(error_lines.iter().map(String::as_str)).is_none()
        {
            return false;
        }
        let began = Instant::now();
        while began.elapsed() < GRACE && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(CHECK_INTERVAL);
        }
        stop.load(Ordering::Relaxed)
    }

    fn watch(&self, child: &Child, began: Instant, stop: &AtomicBool) -> io::Result<WatchEnd> {
        while !has_ended(child)? {
            if stop.load(Ordering::Relaxed) {
                ask_to_end(child)?;
                return Ok(WatchEnd::Stopped);
            }
            if began.elapsed() >= self.timeout {
                ask_to_end(child)?;
                return Ok(WatchEnd::TooLate);
            }
            std::thread::sleep(CHECK_INTERVAL);
        }
        Ok(WatchEnd::Ended)
    }
}

/// The processes of a job whose ranks are started by ssh. No other job has its identity.
fn elsewhere(asked: &CampaignRequest, job: &PlannedJob, nodes: &Nodes, dir: &Path) -> Option<JobProcesses> {
    if !asked.plan.launch_for(job).kind.is_over_ssh() {
        return None;
    }
    // The campaign did not begin if there is no such program.
    let connection = Connection::new(asked).ok()??;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let own = folder::sha256(format!("{} {}", dir.display(), now.as_nanos()).as_bytes());
    let hosts = nodes.first(job.placement.nodes).to_vec();
    Some(JobProcesses { connection, hosts, job: format!("{}.{own}", campaign_identity(asked)) })
}

/// Variables for workloads whose command line is fixed. In a campaign the plan decides: an older version of
/// mdtest has fewer phases.
const TEXT_OF_WORKLOADS: [&str; 2] = ["ASSAY_COMPAT", "ASSAY_PLAIN"];

/// The time after which a rank reports a call that lasts, seconds. So a job with a short time limit knows how
/// long a call has lasted when it is asked to end. A value of the environment would change verdicts.
const WAIT_REPORT: &str = "ASSAY_WAIT_REPORT";

/// The environment of jobs: that of this process and the variables of the plan. It lacks the variables that
/// an outer launcher set for its ranks, and those for the text of workloads.
fn environment(asked: &CampaignRequest, launch: &Launch) -> BTreeMap<String, String> {
    let foreign = launch.kind.foreign_env();
    let is_foreign =
        |key: &str| foreign.iter().any(|prefix| key.starts_with(prefix)) || TEXT_OF_WORKLOADS.contains(&key);
    let inherited = asked.environment.iter().filter(|(key, _)| !is_foreign(key));
    inherited.cloned().chain(launch.env.clone()).collect()
}

/// The options for the stamped data of a job whose files are in this directory.
///
/// These are the key of the campaign, and a text that makes the data of each job different. Datasets have no
/// text, because other campaigns may read them.
fn data_words(asked: &CampaignRequest, job: &PlannedJob, files: &Path) -> Vec<String> {
    if !has_stamped_data(job.workload, &job.words) {
        return Vec::new();
    }
    let of_dataset = asked.plan.datasets.iter().any(|dataset| dataset.files() == job.files);
    // The campaign's directory for files, and that of the job in it. A reader has those of its maker.
    let depth = Path::new(&job.files).components().count() + 1;
    let own: PathBuf = files.iter().skip(files.iter().count().saturating_sub(depth)).collect();
    let text = if of_dataset { String::new() } else { own.to_string_lossy().into_owned() };
    let key = asked.data_key.as_ref().map(|key| (key.file.clone(), key.facts.nonce.clone()));
    let (file, nonce) = key.unwrap_or_default();
    let options = [("--data-of", text), ("--data-key", file), ("--nonce", nonce)];
    let given = options.into_iter().filter(|(_, value)| !value.is_empty());
    given.map(|(name, value)| format!("{name}={value}")).collect()
}

/// A program path that also works from another directory.
fn absolute(program: &str) -> String {
    let relative = program.contains('/') && !program.starts_with('/');
    match std::env::current_dir() {
        Ok(dir) if relative => dir.join(program).to_string_lossy().into_owned(),
        _ => program.to_owned(),
    }
}

fn limit(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

enum WatchEnd {
    Ended,
    TooLate,
    Stopped,
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// Asks the whole group to end and waits. A launcher forwards the request to other nodes.
fn ask_to_end(child: &Child) -> io::Result<()> {
    let _ = kill_process_group(pid(child), Signal::TERM);
    let asked = Instant::now();
    while asked.elapsed() < GRACE && !has_ended(child)? {
        std::thread::sleep(CHECK_INTERVAL);
    }
    Ok(())
}

/// Kills the rest of the group, reaps the job, and returns how it ended; `None` if one of its processes is
/// still alive and is not waited for.
fn end_all(child: &mut Child, stop: &AtomicBool, stuck: &dyn Fn(u32) -> bool) -> io::Result<Option<JobEnd>> {
    let group = pid(child);
    let _ = kill_process_group(group, Signal::KILL);
    let killed = Instant::now();
    let mut is_reported = false;
    let mut status = None;
    loop {
        if status.is_none() && has_ended(child)? {
            status = Some(child.wait()?);
        }
        let living = match &status {
            None => Some(child.id()),
            Some(_) => living_in(group),
        };
        let Some(living) = living else { break };
        if !is_reported && killed.elapsed() >= GRACE {
            is_reported = true;
            if !stuck(living) {
                return Ok(None);
            }
        }
        if is_reported && stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        std::thread::sleep(CHECK_INTERVAL);
    }
    Ok(status.map(|status| match (status.code(), status.signal()) {
        (Some(code), _) => JobEnd::Exit(code),
        (None, signal) => JobEnd::Signal(signal.unwrap_or_default()),
    }))
}

/// A living process of the group, by its id. A process that only waits to be reaped does not count.
fn living_in(group: Pid) -> Option<u32> {
    test_kill_process_group(group).ok()?;
    let number = group.as_raw_pid().to_string();
    std::fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // After the name in brackets, which may contain any character, follow: state, parent, group.
        let mut facts = stat.rsplit_once(") ")?.1.split(' ');
        let (state, its) = (facts.next()?, facts.nth(1)?);
        (its == number && !matches!(state, "Z" | "X")).then_some(process)
    })
}
