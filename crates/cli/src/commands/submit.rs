//! `assay run --submit`, `--wait` and `--resume` of a campaign that runs in a batch job.
//!
//! Beside the campaign's folder lies `FOLDER.batch`: the plan as it was submitted, the script, what the job
//! printed, and the jobs that were submitted, the last of which counts.
//!
//! Never here: what a script says, which the campaign crate decides.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

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

/// The file beside a folder that names the jobs that were submitted.
const JOBS: &str = "jobs.json";
/// The longest between two questions after a job, seconds.
const ASK_S: u64 = 20;

/// The directory beside a campaign's folder.
fn beside(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".batch");
    PathBuf::from(name)
}

/// The script that a campaign's batch job runs, if it has one.
pub(super) fn script_of(folder: &Path) -> Option<String> {
    fs::read_to_string(beside(folder).join("script.sh")).ok()
}

/// Writes the script of a campaign of `plan`, submits it and says what now; gives the exit status. The folder
/// is made by the job, or there already; it gets no other name where somebody chose it.
pub(super) fn submit(args: &RunArgs, plan: &Plan, folder: &Path, is_chosen: bool) -> Result<u8> {
    let system = system(args, plan)?;
    let folder = absolute(folder)?;
    not_ended(&folder)?;
    let folder = named(folder, is_chosen)?;
    let submitted = first(args, plan, system, &folder);
    let (job, told) = submitted.inspect_err(|_| withdraw(&folder))?;
    job.kept(&folder, &format!(": {told}"))
}

/// Submits a campaign for the first time; gives the job and what was asked for.
fn first(
    args: &RunArgs,
    plan: &Plan,
    system: &'static BatchSystem,
    folder: &Path,
) -> Result<(SubmittedJob, String)> {
    let batch = beside(folder);
    let jobs = schedule::jobs(plan, &args.only)?;
    let request = Request {
        out: batch.join("out.txt").display().to_string(),
        cwd: std::env::current_dir()?.display().to_string(),
        command: command(args, plan, folder)?,
        ..Request::of(plan, &jobs)
    };
    let script = batch.join("script.sh");
    write_whole(&batch.join(names::PLAN), plan.text.as_bytes())?;
    write_whole(&script, system.script(&request).as_bytes())?;
    let argv = system.submitting(&words(args.batch.as_deref()), &script.display().to_string());
    Ok((SubmittedJob { system, job: submitted(system, &argv)?, argv }, request.told()))
}

/// Takes away what was written for a job that was not taken, so that the name is free again.
fn withdraw(folder: &Path) {
    let batch = beside(folder);
    if !batch.join(JOBS).exists() {
        for name in [names::PLAN, "script.sh"] {
            let _ = fs::remove_file(batch.join(name));
        }
        let _ = fs::remove_dir(batch);
    }
}

/// The words of `--batch`.
fn words(batch: Option<&str>) -> Vec<String> {
    batch.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Submits the script of a campaign again, whose last job was `job`; with other words if there are any.
pub(super) fn again(args: &RunArgs, job: &SubmittedJob, folder: &Path) -> Result<u8> {
    let (folder, system) = (absolute(folder)?, job.system);
    not_ended(&folder)?;
    match job.now()? {
        Now::Gone(_) => {}
        Now::Unasked(why) => return Err(job.unasked(&why).into()),
        Now::There(_, word) => {
            let (name, at) = (job.name(), folder.display());
            let what =
                format!("{at} is in {name} already ({word}); wait for it with `assay run --wait {at}`");
            return Err(Usage(what).into());
        }
    }
    let script = beside(&folder).join("script.sh").display().to_string();
    let other = args.batch.as_deref().map(|text| system.submitting(&words(Some(text)), &script));
    let argv = other.unwrap_or_else(|| job.argv.clone());
    let job = SubmittedJob { system, job: submitted(system, &argv)?, argv };
    job.kept(&folder, " again")
}

fn not_ended(folder: &Path) -> Result<(), Usage> {
    let at = folder.display();
    match folder.join(names::REPORT).exists() {
        true => Err(Usage(format!(
            "{at} has ended, nothing is left to resume; `assay judge {at}` shows its verdicts"
        ))),
        false => Ok(()),
    }
}

/// The batch system that is meant: the one named, that of the launcher, or the only one here.
fn system(args: &RunArgs, plan: &Plan) -> Result<&'static BatchSystem, Usage> {
    if let Some(word) = args.submit.as_ref().filter(|system| !system.is_empty()) {
        return BatchSystem::of(word);
    }
    if let Some(system) = BatchSystem::of_launcher(&plan.launch.kind) {
        return Ok(system);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |word: &str| std::env::split_paths(&path).any(|dir| dir.join(word).is_file());
    let mut here = ::run::launch::batch::SYSTEMS.iter().filter(|system| there(system.submit[0]));
    match (here.next(), here.next()) {
        (Some(system), None) => Ok(system),
        _ => {
            let kind = plan.launch.kind.name();
            Err(Usage(format!(
                "launch.kind `{kind}` does not say which batch system is meant; say --submit=slurm, \
                 --submit=pbs or --submit=flux"
            )))
        }
    }
}

/// What the job runs: this program, with the plan as it is now, once or as often as it takes.
fn command(args: &RunArgs, plan: &Plan, folder: &Path) -> Result<Vec<String>> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let copy = beside(folder).join(names::PLAN);
    let mut command = vec![program.display().to_string(), "run".to_owned(), copy.display().to_string()];
    let mut option = |name: &str, value: String| command.extend([name.to_owned(), value]);
    option("--folder", folder.display().to_string());
    if let Some(dir) = &args.dir {
        option("--dir", absolute(dir)?.display().to_string());
    }
    let Choice { scale, set } = &plan.choice;
    scale.iter().for_each(|scale| option("--scale", scale.clone()));
    set.iter().for_each(|(name, value)| option("--set", format!("{name}={value}")));
    args.only.iter().for_each(|test| option("--only", test.clone()));
    if args.allow_lint_errors {
        command.push("--allow-lint-errors".to_owned());
    }
    Ok(command)
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("{}: no path", path.display()))
}

/// Makes the directory beside the folder, under the first name that nobody has: several may be submitted at
/// once. A folder that is there keeps its name, and so does one whose name was chosen.
fn named(wanted: PathBuf, is_chosen: bool) -> Result<PathBuf, Usage> {
    if is_chosen && !wanted.exists() && beside(&wanted).join(JOBS).exists() {
        let at = wanted.display();
        return Err(Usage(format!(
            "{at} was submitted already; wait for it with `assay run --wait {at}`, or name another folder"
        )));
    }
    for number in 1.. {
        let mut folder = wanted.clone().into_os_string();
        if number > 1 {
            folder.push(format!("-{number}"));
        }
        let folder = PathBuf::from(folder);
        let batch = beside(&folder);
        match fs::create_dir(&batch) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && !is_chosen && !wanted.exists() => {}
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                let at = batch.display();
                return Err(Usage(format!(
                    "cannot make {at}: {error}; choose a directory that you may write to"
                )));
            }
            _ => return Ok(folder),
        }
    }
    unreachable!("there are always more numbers")
}

/// Submits, and gives the job's number.
fn submitted(system: &BatchSystem, argv: &[String]) -> Result<String> {
    let program = &argv[0];
    let ran = Command::new(program).args(&argv[1..]).stdin(Stdio::null()).output();
    let ran = ran.map_err(|error| {
        Usage(format!("{program}: {error}; submit where {} is, or name another by --submit=…", system.name))
    })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let job = system.submitted(&text(&ran.stdout)).filter(|_| ran.status.success());
    job.ok_or_else(|| {
        let err = text(&ran.stderr);
        let said: Vec<&str> = err.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let (said, script) = (said.join(" / "), argv.last().cloned().unwrap_or_default());
        Usage(format!("{program} did not take {script}: {said}; give it other words with --batch")).into()
    })
}

/// A job that was submitted.
pub(super) struct SubmittedJob {
    system: &'static BatchSystem,
    job: String,
    /// What submitted it.
    argv: Vec<String>,
}

/// How a campaign in a batch job is.
enum Now {
    /// The job is there, in the batch system's word.
    There(BatchJobState, String),
    /// It has ended, in such a word, or the batch system does not know it any more.
    Gone(String),
    /// The batch system could not be asked, for this reason.
    Unasked(String),
}

impl SubmittedJob {
    /// The last job of a campaign; `None` where it was not submitted.
    pub(super) fn last(folder: &Path) -> Result<Option<Self>> {
        let path = beside(folder).join(JOBS);
        let Ok(text) = fs::read(&path) else { return Ok(None) };
        let damaged = || Usage(format!("{} is damaged; it names no job", path.display()));
        let all: Value = serde_json::from_slice(&text).map_err(|_| damaged())?;
        let last = all.as_array().and_then(|jobs| jobs.last()).ok_or_else(damaged)?;
        let word = |key: &str| last[key].as_str().map(str::to_owned).ok_or_else(damaged);
        let argv = serde_json::from_value(last["argv"].clone()).map_err(|_| damaged())?;
        Ok(Some(Self { system: BatchSystem::of(&word("system")?)?, job: word("job")?, argv }))
    }

    /// Adds it to those of its campaign, says what now, and gives the exit status.
    fn kept(&self, folder: &Path, what: &str) -> Result<u8> {
        let path = beside(folder).join(JOBS);
        let before = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let mut all: Vec<Value> = before.unwrap_or_default();
        let at = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        all.push(json!({ "system": self.system.word, "job": self.job, "submitted": at, "argv": self.argv }));
        write_whole(&path, &serde_json::to_vec_pretty(&all)?)?;
        let (batch, at) = (beside(folder), folder.display());
        say(&format!(
            "Submitted as {}{what}\nScript  {}\nOutput  {}\nResult  assay run --wait {at}   (or --resume, \
             which does not wait)\n",
            self.name(),
            batch.join("script.sh").display(),
            batch.join("out.txt").display()
        ))?;
        Ok(DONE)
    }

    /// Whether this process is a part of it.
    pub(super) fn is(&self, allocation: Option<&Allocation>) -> bool {
        allocation.is_some_and(|here| here.system == self.system.name && here.job == self.job)
    }

    fn name(&self) -> String {
        format!("{} job {}", self.system.name, self.job)
    }

    /// Asks the batch system. Only its own word that it does not know the job is one that the job is gone:
    /// the first of the commands asks whoever runs jobs, others ask those who keep books.
    fn now(&self) -> Result<Now, Usage> {
        let (mut unknown, mut said) = (false, Vec::new());
        for (at, argv) in self.system.asking(&self.job).iter().enumerate() {
            let Ok(ran) = Command::new(&argv[0]).args(&argv[1..]).stdin(Stdio::null()).output() else {
                if at == 0 {
                    return Err(self.unasked(&format!("there is no {} here", argv[0])));
                }
                continue;
            };
            let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
            if let Some((state, word)) = self.system.state(&out) {
                return Ok(match state {
                    BatchJobState::Ended => Now::Gone(word),
                    state => Now::There(state, word),
                });
            }
            unknown |= at == 0 && BatchSystem::knows_not(ran.status.success(), &out, &err);
            said.extend(err.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
        }
        Ok(match unknown {
            true => Now::Gone(format!("{} does not know it any more", self.system.name)),
            false => Now::Unasked(said.join(" / ")),
        })
    }

    /// What to say of a batch system that could not be asked.
    fn unasked(&self, why: &str) -> Usage {
        Usage(format!("{}: {why}; ask again where the batch system is", self.name()))
    }
}

/// Says how a campaign in a batch job is, with `wait` once it is not there any more, and gives the exit
/// status; `None` where its job has died and it may go on here.
pub(super) fn follow(job: &SubmittedJob, folder: &Path, wait: bool, may_go_on: bool) -> Result<Option<u8>> {
    let (mut pause, mut told) = (1, false);
    let ended = loop {
        match job.now()? {
            Now::There(..) | Now::Unasked(_) if folder.join(names::REPORT).exists() => break String::new(),
            Now::Unasked(why) if !wait => return Err(job.unasked(&why).into()),
            Now::There(state, word) if !wait => {
                let still = if state == BatchJobState::Waits { "queued" } else { "running" };
                complain(&format!("assay: still {still} as {} ({word}){}", job.name(), progress(folder)));
                return Ok(Some(UNDECIDED));
            }
            now @ (Now::There(..) | Now::Unasked(_)) => {
                if let (Now::Unasked(why), false) = (now, told) {
                    told = true;
                    complain(&format!("assay: {} cannot be asked now, waiting on: {why}", job.name()));
                }
                std::thread::sleep(Duration::from_secs(pause));
                pause = (pause * 2).min(ASK_S);
            }
            Now::Gone(word) => break word,
        }
    };
    if folder.join(names::REPORT).exists() {
        return run::show(folder, folder::load(folder)?).map(Some);
    }
    if may_go_on && folder.join(names::CAMPAIGN).exists() {
        return Ok(None);
    }
    let (name, at) = (job.name(), folder.display());
    let out = beside(folder).join("out.txt");
    let last = folder::last_words(&out).unwrap_or_default();
    let last = last.last().map(|line| format!(": {line}")).unwrap_or_default();
    complain(&format!(
        "assay: {name} ended ({ended}) before the campaign had{}{last}; {} has all it said; go on with: \
         assay run --submit --resume {at}",
        progress(folder),
        out.display()
    ));
    Ok(Some(UNDECIDED))
}

/// `, 3 jobs done`, where there are any.
fn progress(folder: &Path) -> String {
    let done = folder::load(folder).map_or(0, |campaign| campaign.jobs.len());
    if done == 0 { String::new() } else { format!(", {} done", units::several(done as u64, "job")) }
}
