//! `assay run --submit`, `--wait` and `--resume` of a campaign that runs in a batch job.
//!
//! Never here: the contents of a script, and what is kept of a submission.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::run::launch::batch::{BatchJobState, BatchSystem, Request};
use ::run::submission::{
    QueryResult, SCRIPT, SubmittedJob, batch_directory, not_ended, remove_script, unique_name,
};
use anyhow::{Context, Result};
use plan::{Choice, Plan, schedule};
use results::folder::{self, names, write_whole};
use units::Usage;

use super::{RunArgs, show};
use crate::speech::{complain, say};
use crate::status::{DONE, UNDECIDED};

/// The longest interval between two queries of a batch job, seconds.
const QUERY_INTERVAL_S: u64 = 20;

/// Writes the script of a campaign of `plan`, submits it, and returns the exit status. The batch job creates
/// the folder, unless it exists. A folder that the user chose keeps its name.
pub(super) fn submit(args: &RunArgs, plan: &Plan, folder: &Path, is_chosen: bool) -> Result<u8> {
    let system = system(args, plan)?;
    let folder = absolute(folder)?;
    not_ended(&folder)?;
    let folder = unique_name(folder, is_chosen)?;
    let submitted = submit_first(args, plan, system, &folder);
    let (job, description) = submitted.inspect_err(|_| remove_script(&folder))?;
    job.record(&folder)?;
    say_submitted(&job, &folder, &format!(": {description}"))
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
    Ok((SubmittedJob::submit(system, argv)?, description))
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
    let job = SubmittedJob::submit(system, argv)?;
    job.record(&folder)?;
    say_submitted(&job, &folder, " again")
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

/// Prints the next steps, and returns the exit status.
fn say_submitted(job: &SubmittedJob, folder: &Path, what: &str) -> Result<u8> {
    let (batch, at) = (batch_directory(folder), folder.display());
    say(&format!(
        "Submitted as {}{what}\nScript: {}\nOutput: {}\nResult: assay run --wait {at} (or --resume, which \
         does not wait)\n",
        job.name(),
        batch.join(SCRIPT).display(),
        batch.join("out.txt").display()
    ))?;
    Ok(DONE)
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
        return show(folder, folder::load(folder)?).map(Some);
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
