//! `assay run --submit`, `--wait` and `--resume` of a campaign that runs in a batch job.
//!
//! The directory `FOLDER.batch` is next to the campaign folder. It has the submitted plan, the script, the
//! output of the batch job, and the list of submitted batch jobs. The last of them is the current one.
//!
//! Never here: the contents of a script, which the campaign crate decides.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ::run::bounded;
use ::run::launch::batch::{BatchJobState, BatchSystem, Request};
use anyhow::{Context, Result};
use plan::launcher::Allocation;
use plan::{Choice, Plan, schedule};
use results::folder::{self, names, write_whole};
use serde_json::{Value, json};
use units::Usage;

use super::run::{self, RunArgs};
use crate::speech::{complain, say};
use crate::status::{DONE, UNDECIDED};

/// The file with the list of submitted batch jobs.
const JOBS: &str = "jobs.json";
/// The file with the batch script.
const SCRIPT: &str = "script.sh";
/// The time limit of a submission. A busy scheduler may take minutes.
const SUBMISSION_LIMIT: Duration = Duration::from_secs(300);
/// The time limit of a query.
const QUERY_LIMIT: Duration = Duration::from_secs(60);
/// The longest interval between two queries of a batch job, seconds.
const QUERY_INTERVAL_S: u64 = 20;

/// The batch directory of a campaign folder.
fn batch_directory(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".batch");
    PathBuf::from(name)
}

/// The script of a campaign's batch job, if it has one.
pub(super) fn script_of(folder: &Path) -> Option<String> {
    fs::read_to_string(batch_directory(folder).join(SCRIPT)).ok()
}

/// Writes the script of a campaign of `plan`, submits it, and returns the exit status. The batch job creates
/// the folder, unless it exists. A folder that the user chose keeps its name.
pub(super) fn submit(args: &RunArgs, plan: &Plan, folder: &Path, is_chosen: bool) -> Result<u8> {
    let system = system(args, plan)?;
    let folder = absolute(folder)?;
    not_ended(&folder)?;
    let folder = unique_name(folder, is_chosen)?;
    let submitted = submit_first(args, plan, system, &folder);
    let (job, description) = submitted.inspect_err(|_| remove_script(&folder))?;
    job.record(&folder, &format!(": {description}"))
}

/// What is handed over to the batch system for a new campaign.
struct BatchScript {
    text: String,
    /// The command that submits it.
    argv: Vec<String>,
    /// The requested resources, for readers.
    description: String,
}

impl BatchScript {
    /// The script for the campaign of `plan` in `folder`. Nothing is written.
    fn new(args: &RunArgs, plan: &Plan, system: &BatchSystem, folder: &Path) -> Result<Self> {
        let batch = batch_directory(folder);
        let jobs = schedule::jobs(plan, &args.only)?;
        let request = Request {
            out: batch.join("out.txt").display().to_string(),
            cwd: std::env::current_dir()?.display().to_string(),
            command: command(args, plan, folder)?,
            ..Request::of(plan, &jobs)
        };
        let at = batch.join(SCRIPT).display().to_string();
        Ok(Self {
            text: system.script(&request)?,
            argv: system.submitting(&batch_options(args.batch.as_deref()), &at),
            description: request.description(),
        })
    }
}

/// Prints the script that [`submit`] would hand over, and returns the exit status. Nothing is changed.
pub(super) fn print(args: &RunArgs, plan: &Plan, folder: &Path) -> Result<u8> {
    let script = BatchScript::new(args, plan, system(args, plan)?, &absolute(folder)?)?;
    say(&script.text)?;
    let words: Vec<String> = script.argv.iter().map(|word| units::visible(word)).collect();
    complain(&format!("# {}, submitted with: {}", script.description, words.join(" ")));
    Ok(DONE)
}

/// Submits a campaign for the first time. Returns the batch job and a description of the request.
fn submit_first(
    args: &RunArgs,
    plan: &Plan,
    system: &'static BatchSystem,
    folder: &Path,
) -> Result<(SubmittedJob, String)> {
    let BatchScript { text, argv, description } = BatchScript::new(args, plan, system, folder)?;
    let batch = batch_directory(folder);
    write_whole(&batch.join(names::PLAN), plan.text.as_bytes())?;
    write_whole(&batch.join(SCRIPT), text.as_bytes())?;
    Ok((SubmittedJob { system, job: submitted(system, &argv)?, argv }, description))
}

/// Removes the files of a rejected submission, so that the name can be used again.
fn remove_script(folder: &Path) {
    let batch = batch_directory(folder);
    if !batch.join(JOBS).exists() {
        for name in [names::PLAN, SCRIPT] {
            let _ = fs::remove_file(batch.join(name));
        }
        let _ = fs::remove_dir(batch);
    }
}

/// The options given with `--batch`.
fn batch_options(batch: Option<&str>) -> Vec<String> {
    batch.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Submits the script of a campaign again, with other `--batch` options if they are given. `job` is its last
/// batch job.
pub(super) fn resubmit(args: &RunArgs, job: &SubmittedJob, folder: &Path) -> Result<u8> {
    let (folder, system) = (absolute(folder)?, job.system);
    not_ended(&folder)?;
    match job.query()? {
        QueryResult::Ended(_) => {}
        QueryResult::Failed(why) => return Err(job.query_failed(&why).into()),
        QueryResult::Exists(_, word) => {
            let (name, at) = (job.name(), folder.display());
            let what = format!("{at} is already in {name} ({word}). Wait for it with: assay run --wait {at}");
            return Err(Usage(what).into());
        }
    }
    let script = batch_directory(&folder).join(SCRIPT).display().to_string();
    let other = args.batch.as_deref().map(|text| system.submitting(&batch_options(Some(text)), &script));
    let argv = other.unwrap_or_else(|| job.argv.clone());
    let job = SubmittedJob { system, job: submitted(system, &argv)?, argv };
    job.record(&folder, " again")
}

fn not_ended(folder: &Path) -> Result<(), Usage> {
    let at = folder.display();
    match folder.join(names::REPORT).exists() {
        true => Err(Usage(format!(
            "{at} has ended, so it cannot be resumed. Show its verdicts with: assay judge {at}"
        ))),
        false => Ok(()),
    }
}

/// The batch system: the given one, that of the launcher, or the only one on this machine.
fn system(args: &RunArgs, plan: &Plan) -> Result<&'static BatchSystem, Usage> {
    if let Some(word) = args.submit.as_ref().filter(|system| !system.is_empty()) {
        return BatchSystem::of(word);
    }
    if let Some(system) = BatchSystem::of_launcher(&plan.launch.kind) {
        return Ok(system);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_installed = |word: &str| std::env::split_paths(&path).any(|dir| dir.join(word).is_file());
    let mut here = ::run::launch::batch::SYSTEMS.iter().filter(|system| is_installed(system.submit[0]));
    match (here.next(), here.next()) {
        (Some(system), None) => Ok(system),
        _ => {
            let kind = plan.launch.kind.name();
            Err(Usage(format!(
                "launch.kind `{kind}` does not decide the batch system. Give --submit=slurm, --submit=pbs or \
                 --submit=flux."
            )))
        }
    }
}

/// The command of the batch job: this program with a copy of the plan. It can run several times.
fn command(args: &RunArgs, plan: &Plan, folder: &Path) -> Result<Vec<String>> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let copy = batch_directory(folder).join(names::PLAN);
    let mut command = vec![program.display().to_string(), "run".to_owned(), copy.display().to_string()];
    let mut option = |name: &str, value: String| command.extend([name.to_owned(), value]);
    option("--folder", folder.display().to_string());
    if let Some(dir) = &args.dir {
        option("--dir", absolute(dir)?.display().to_string());
    }
    if let Some(accepted) = &args.accepted {
        option("--accepted", absolute(accepted)?.display().to_string());
    }
    let Choice { scale, set, .. } = &plan.choice;
    scale.iter().for_each(|scale| option("--scale", scale.clone()));
    set.iter().for_each(|(name, value)| option("--set", format!("{name}={value}")));
    args.only.iter().for_each(|test| option("--only", test.clone()));
    args.witness.iter().for_each(|witness| option("--witness", witness.text().to_owned()));
    args.notify.iter().for_each(|notify| option("--notify", notify.text().to_owned()));
    args.key.words()?.into_iter().for_each(|(name, value)| option(name, value));
    let flags = [("--allow-lint-errors", args.allow_lint_errors), ("--no-probe", args.no_probe)];
    command.extend(flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned()));
    Ok(command)
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("{}: not a valid path", path.display()))
}

/// Creates the batch directory under the first unused name, because several campaigns may be submitted at
/// once. An existing folder and a chosen folder keep their names.
fn unique_name(wanted: PathBuf, is_chosen: bool) -> Result<PathBuf, Usage> {
    if is_chosen && !wanted.exists() && batch_directory(&wanted).join(JOBS).exists() {
        let at = wanted.display();
        return Err(Usage(format!(
            "{at} was already submitted. Wait for it with `assay run --wait {at}`, or give another folder."
        )));
    }
    for number in 1.. {
        let mut folder = wanted.clone().into_os_string();
        if number > 1 {
            folder.push(format!("-{number}"));
        }
        let folder = PathBuf::from(folder);
        let batch = batch_directory(&folder);
        match fs::create_dir(&batch) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && !is_chosen && !wanted.exists() => {}
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                let at = batch.display();
                return Err(Usage(format!(
                    "cannot create {at}: {error}. Choose a directory that you may write to."
                )));
            }
            _ => return Ok(folder),
        }
    }
    unreachable!("there are always more numbers")
}

/// Submits a script. Returns the number of the batch job.
fn submitted(system: &BatchSystem, argv: &[String]) -> Result<String> {
    let program = &argv[0];
    let ran = bounded::ended(Command::new(program).args(&argv[1..]), "", SUBMISSION_LIMIT);
    let ran = ran.map_err(|error| {
        if error.kind() == ErrorKind::TimedOut {
            return Usage(format!(
                "{program}: {error}. Look in the queue of {}: it may have taken the batch job.",
                system.name
            ));
        }
        Usage(format!(
            "{program}: {error}. Submit on a node with {}, or choose another with --submit=…",
            system.name
        ))
    })?;
    let job = system.submitted(&ran.out).filter(|_| ran.status.success());
    job.ok_or_else(|| {
        let lines: Vec<&str> = ran.err.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let reason = match lines.is_empty() {
            true => "it printed no job number".to_owned(),
            false => lines.join(" / "),
        };
        Usage(format!("{program} rejected the batch job: {reason}. Give other options with --batch.")).into()
    })
}

/// A submitted batch job.
pub(super) struct SubmittedJob {
    system: &'static BatchSystem,
    job: String,
    /// The command that submitted it.
    argv: Vec<String>,
}

/// The result of a query of a batch job.
enum QueryResult {
    /// The batch job waits or runs; with the word of the batch system.
    Exists(BatchJobState, String),
    /// It has ended, or the batch system does not know it any more; with the word of the batch system.
    Ended(String),
    /// The query failed, for this reason.
    Failed(String),
}

impl SubmittedJob {
    /// The last batch job of a campaign; `None` if it was not submitted.
    pub(super) fn last(folder: &Path) -> Result<Option<Self>> {
        let path = batch_directory(folder).join(JOBS);
        let Ok(text) = fs::read(&path) else { return Ok(None) };
        let damaged = || Usage(format!("{} is damaged: it has no batch job", path.display()));
        let all: Value = serde_json::from_slice(&text).map_err(|_| damaged())?;
        let last = all.as_array().and_then(|jobs| jobs.last()).ok_or_else(damaged)?;
        let word = |key: &str| last[key].as_str().map(str::to_owned).ok_or_else(damaged);
        let argv = serde_json::from_value(last["argv"].clone()).map_err(|_| damaged())?;
        Ok(Some(Self { system: BatchSystem::of(&word("system")?)?, job: word("job")?, argv }))
    }

    /// Adds it to the list of its campaign, prints the next steps, and returns the exit status.
    fn record(&self, folder: &Path, what: &str) -> Result<u8> {
        let path = batch_directory(folder).join(JOBS);
        let before = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let mut all: Vec<Value> = before.unwrap_or_default();
        let at = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        all.push(json!({ "system": self.system.word, "job": self.job, "submitted": at, "argv": self.argv }));
        write_whole(&path, &serde_json::to_vec_pretty(&all)?)?;
        let (batch, at) = (batch_directory(folder), folder.display());
        say(&format!(
            "Submitted as {}{what}\nScript: {}\nOutput: {}\nResult: assay run --wait {at} (or --resume, \
             which does not wait)\n",
            self.name(),
            batch.join(SCRIPT).display(),
            batch.join("out.txt").display()
        ))?;
        Ok(DONE)
    }

    /// Whether this process runs in it.
    pub(super) fn is(&self, allocation: Option<&Allocation>) -> bool {
        allocation.is_some_and(|here| here.system == self.system.name && here.job == self.job)
    }

    fn name(&self) -> String {
        format!("{} job {}", self.system.name, self.job)
    }

    /// Queries the batch system. The first command queries its scheduler, the others its accounting. The
    /// batch job counts as ended only if the scheduler answers that it does not know it.
    fn query(&self) -> Result<QueryResult, Usage> {
        let (mut unknown, mut errors) = (false, Vec::new());
        for (at, argv) in self.system.asking(&self.job).iter().enumerate() {
            let ran = match bounded::ended(Command::new(&argv[0]).args(&argv[1..]), "", QUERY_LIMIT) {
                Ok(ran) => ran,
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    errors.push(format!("{}: {error}", argv[0]));
                    continue;
                }
                Err(_) if at == 0 => {
                    return Err(self.query_failed(&format!("{} is not installed here", argv[0])));
                }
                Err(_) => continue,
            };
            if let Some((state, word)) = self.system.state(&ran.out) {
                return Ok(match state {
                    BatchJobState::Ended => QueryResult::Ended(word),
                    state => QueryResult::Exists(state, word),
                });
            }
            unknown |= at == 0 && BatchSystem::is_unknown_job(ran.status.success(), &ran.out, &ran.err);
            errors.extend(ran.err.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
        }
        Ok(match unknown {
            true => QueryResult::Ended(format!("{} does not know it any more", self.system.name)),
            false => QueryResult::Failed(errors.join(" / ")),
        })
    }

    /// The error for a failed query.
    fn query_failed(&self, why: &str) -> Usage {
        Usage(format!("{}: {why}. Try again on a node with the batch system.", self.name()))
    }
}

/// Reports the state of a campaign in a batch job, with `wait` after the batch job has ended. Returns the
/// exit status; `None` if the batch job has died and the campaign may resume here.
pub(super) fn follow(job: &SubmittedJob, folder: &Path, wait: bool, may_resume: bool) -> Result<Option<u8>> {
    let (mut pause, mut is_reported) = (1, false);
    let ended = loop {
        match job.query()? {
            QueryResult::Exists(..) | QueryResult::Failed(_) if folder.join(names::REPORT).exists() => {
                break String::new();
            }
            QueryResult::Failed(why) if !wait => return Err(job.query_failed(&why).into()),
            QueryResult::Exists(state, word) if !wait => {
                let still = if state == BatchJobState::Waits { "queued" } else { "running" };
                complain(&format!("assay: still {still} as {} ({word}){}", job.name(), progress(folder)));
                return Ok(Some(UNDECIDED));
            }
            found @ (QueryResult::Exists(..) | QueryResult::Failed(_)) => {
                if let (QueryResult::Failed(why), false) = (found, is_reported) {
                    is_reported = true;
                    complain(&format!("assay: the query of {} failed, and is repeated: {why}", job.name()));
                }
                std::thread::sleep(Duration::from_secs(pause));
                pause = (pause * 2).min(QUERY_INTERVAL_S);
            }
            QueryResult::Ended(word) => break word,
        }
    };
    if folder.join(names::REPORT).exists() {
        return run::show(folder, folder::load(folder)?).map(Some);
    }
    if may_resume && folder.join(names::CAMPAIGN).exists() {
        return Ok(None);
    }
    let (name, at) = (job.name(), folder.display());
    let out = batch_directory(folder).join("out.txt");
    let last = folder::error_lines(&out).unwrap_or_default();
    let last = last.last().map(|line| format!(": {line}")).unwrap_or_default();
    complain(&format!(
        "assay: {name} ended ({ended}) before the campaign{}{last}. Its output is in {}. Resume with: assay \
         run --submit --resume {at}",
        progress(folder),
        out.display()
    ));
    Ok(Some(UNDECIDED))
}

/// `, 3 jobs done`; empty without jobs.
fn progress(folder: &Path) -> String {
    let done = folder::load(folder).map_or(0, |campaign| campaign.jobs.len());
    if done == 0 { String::new() } else { format!(", {} done", units::several(done as u64, "job")) }
}
