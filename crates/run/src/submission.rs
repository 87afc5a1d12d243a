//! Batch jobs of campaigns: what is kept of a submission, and queries of the batch system.
//!
//! The directory `FOLDER.batch` is next to the campaign folder. It has the submitted plan, the script, the
//! output of the batch job, and the list of submitted batch jobs. The last of them is the current one.
//!
//! Never here: the contents of a script, and printing.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use plan::launcher::Allocation;
use results::folder::{names, write_whole};
use serde_json::{Value, json};
use units::Usage;

use crate::bounded;
use crate::launch::batch::{BatchJobState, BatchSystem};

/// The file with the list of submitted batch jobs.
const JOBS: &str = "jobs.json";
/// The file with the batch script.
pub const SCRIPT: &str = "script.sh";
/// The time limit of a submission. A busy scheduler may take minutes.
const SUBMISSION_LIMIT: Duration = Duration::from_secs(300);
/// The time limit of a query.
const QUERY_LIMIT: Duration = Duration::from_secs(60);

/// The batch directory of a campaign folder.
pub fn batch_directory(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".batch");
    PathBuf::from(name)
}

/// The script of a campaign's batch job, if it has one.
pub fn script_of(folder: &Path) -> Option<String> {
    fs::read_to_string(batch_directory(folder).join(SCRIPT)).ok()
}

/// Creates the batch directory under the first unused name, because several campaigns may be submitted at
/// once. An existing folder and a chosen folder keep their names.
pub fn unique_name(wanted: PathBuf, is_chosen: bool) -> Result<PathBuf, Usage> {
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

/// Rejects a campaign that has ended.
pub fn not_ended(folder: &Path) -> Result<(), Usage> {
    let at = folder.display();
    match folder.join(names::REPORT).exists() {
        true => Err(Usage(format!(
            "{at} has ended, so it cannot be resumed. Show its verdicts with: assay judge {at}"
        ))),
        false => Ok(()),
    }
}

/// Removes the files of a rejected submission, so that the name can be used again.
pub fn remove_script(folder: &Path) {
    let batch = batch_directory(folder);
    if !batch.join(JOBS).exists() {
        for name in [names::PLAN, SCRIPT] {
            let _ = fs::remove_file(batch.join(name));
        }
        let _ = fs::remove_dir(batch);
    }
}

/// A submitted batch job.
pub struct SubmittedJob {
    /// Its batch system.
    pub system: &'static BatchSystem,
    job: String,
    /// The command that submitted it.
    pub argv: Vec<String>,
}

/// The result of a query of a batch job.
pub enum QueryResult {
    /// The batch job waits or runs; with the word of the batch system.
    Exists(BatchJobState, String),
    /// It has ended, or the batch system does not know it any more; with the word of the batch system.
    Ended(String),
    /// The query failed, for this reason.
    Failed(String),
}

impl SubmittedJob {
    /// Submits a script with this command.
    pub fn submit(system: &'static BatchSystem, argv: Vec<String>) -> Result<Self, Usage> {
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
        let job = job.ok_or_else(|| {
            let lines: Vec<&str> = ran.err.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let reason = match lines.is_empty() {
                true => "it printed no job number".to_owned(),
                false => lines.join(" / "),
            };
            Usage(format!("{program} rejected the batch job: {reason}. Give other options with --batch."))
        })?;
        Ok(Self { system, job, argv })
    }

    /// The last batch job of a campaign; `None` if it was not submitted.
    pub fn last(folder: &Path) -> Result<Option<Self>, Usage> {
        let path = batch_directory(folder).join(JOBS);
        let Ok(text) = fs::read(&path) else { return Ok(None) };
        let damaged = || Usage(format!("{} is damaged: it has no batch job", path.display()));
        let all: Value = serde_json::from_slice(&text).map_err(|_| damaged())?;
        let last = all.as_array().and_then(|jobs| jobs.last()).ok_or_else(damaged)?;
        let word = |key: &str| last[key].as_str().map(str::to_owned).ok_or_else(damaged);
        let argv = serde_json::from_value(last["argv"].clone()).map_err(|_| damaged())?;
        Ok(Some(Self { system: BatchSystem::of(&word("system")?)?, job: word("job")?, argv }))
    }

    /// Adds it to the list of its campaign.
    pub fn record(&self, folder: &Path) -> io::Result<()> {
        let path = batch_directory(folder).join(JOBS);
        let before = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let mut all: Vec<Value> = before.unwrap_or_default();
        let at = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        all.push(json!({ "system": self.system.word, "job": self.job, "submitted": at, "argv": self.argv }));
        write_whole(&path, &serde_json::to_vec_pretty(&all)?)?;
        Ok(())
    }

    /// Whether this process runs in it.
    pub fn is(&self, allocation: Option<&Allocation>) -> bool {
        allocation.is_some_and(|here| here.system == self.system.name && here.job == self.job)
    }

    /// The batch system and the number of the job.
    pub fn name(&self) -> String {
        format!("{} job {}", self.system.name, self.job)
    }

    /// Queries the batch system. The first command queries its scheduler, the others its accounting. The
    /// batch job counts as ended only if the scheduler answers that it does not know it.
    pub fn query(&self) -> Result<QueryResult, Usage> {
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
    pub fn query_failed(&self, why: &str) -> Usage {
        Usage(format!("{}: {why}. Try again on a node with the batch system.", self.name()))
    }
}
