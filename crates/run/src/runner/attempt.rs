//! One attempt of a job, from its first directory to its folder in the evidence package.
//!
//! Never here: which job comes next.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use results::folder::{self, DeadProcess, Fill, Job, JobEnd, JobInfo, Program, StagedJob, names};
use results::reason::Reason;
use results::record::{self, Failure, Record, Run};
use results::records::{self, RecordFile, Sink};

use super::ask::{self, FileSystemAnswers};
use super::dataset::{self, DatasetTask};
use super::full_disk::{self, JobFailure};
use super::job::Prepared;
use super::setup::Setup;
use super::site::CampaignSite;
use super::{CampaignRequest, Trouble};
use crate::machine::device::{self, DeviceCount};
use crate::machine::{self, now};
use plan::app::PrintedText;
use plan::schedule::{PlannedJob, Purpose};

/// An attempt that is ready to run.
pub(super) struct Attempt<'a> {
    job: &'a PlannedJob,
    files: PathBuf,
    staged: StagedJob,
    prepared: Prepared,
    /// The files of its external program.
    programs: Vec<Program>,
    /// Its task, if it is the job of a dataset.
    turn: Option<DatasetTask>,
    /// Why it is not started, if so.
    rejected: Option<StartRejection>,
    load_before: f64,
    fill_before: Option<Fill>,
    device: Option<DeviceCount>,
    /// The campaigns in the same directories before it.
    beside: BTreeSet<String>,
    /// The answers of its file system before and after it, and why it could not be asked afterwards.
    before: FileSystemAnswers,
    after: FileSystemAnswers,
    unasked: Option<String>,
}

/// Why a job is not started.
enum StartRejection {
    /// A fact of the campaign.
    Fact(Reason),
    /// The text that a command or the system printed.
    Trouble(String),
    /// Why the directory for its files cannot be used.
    Place(String),
}

impl fmt::Display for StartRejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fact(reason) => reason.fmt(out),
            Self::Trouble(text) | Self::Place(text) => out.write_str(text),
        }
    }
}

/// The end of an attempt that ended by itself or by its time limit.
pub(super) struct AttemptEnd {
    /// How it ended.
    pub(super) end: JobEnd,
    /// Its start, RFC 3339.
    started: String,
    /// Its wall time, seconds.
    seconds: f64,
}

impl<'a> Attempt<'a> {
    /// Creates the directories and runs the preparations of the plan; `None` if the campaign was stopped
    /// meanwhile.
    pub(super) fn begin(
        asked: &CampaignRequest,
        site: &CampaignSite,
        job: &'a PlannedJob,
        setup: &mut Setup,
    ) -> Result<Option<Self>, Trouble> {
        let turn = DatasetTask::of(site, job)?;
        let staged = folder::stage_job(&asked.folder, &job.folder, &site.process)?;
        site.receiver.hand_out(&asked.folder)?;
        site.beside.release();
        let mut rejected = setup.before(asked, job, &staged.dir())?.map(StartRejection::Trouble);
        let files = site.files_path(job);
        match site.make_files(job) {
            Ok(()) => {}
            // A file system that lost a part of itself costs this attempt only. Jobs elsewhere continue.
            Err(Trouble::Io(error)) if !full_disk::takes_no_writes(&error) => {
                rejected.get_or_insert(StartRejection::Place(format!("fs.{}: {error}", job.fs)));
            }
            Err(trouble) => return Err(trouble),
        }
        let (fill_before, load_before, beside) =
            (machine::fill(&files), machine::load(), site.beside.now(&site.dirs, &site.info));
        let prepared = Prepared::new(asked, job, &site.nodes, &files, &staged.dir());
        let programs = site.hashes.programs(&prepared.external, prepared.path());
        let rejected = rejected.or_else(|| match &turn {
            Some(DatasetTask::Rejected(why)) => Some(StartRejection::Trouble(why.clone())),
            _ => dataset::changed(asked, job, &files).map(StartRejection::Fact),
        });
        let rejected = match (rejected, &turn) {
            (None, None | Some(DatasetTask::Makes(_))) => {
                Setup::commands(asked, job, &files, &staged.dir())?.map(StartRejection::Trouble)
            }
            (rejected, _) => rejected,
        };
        if asked.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if let Some(DatasetTask::Finds(_)) = turn {
            DatasetTask::bring(site, job, &staged.dir())?;
        }
        site.beside.lock(&site.info);
        let (before, after, unasked) = Default::default();
        Ok(Some(Self {
            job,
            device: device::written(&files),
            files,
            staged,
            prepared,
            programs,
            turn,
            rejected,
            load_before,
            fill_before,
            beside,
            before,
            after,
            unasked,
        }))
    }

    /// Asks its file system, if the job will start; false if the campaign was stopped meanwhile.
    ///
    /// All jobs of a group ask at the same time, so that preparations of one do not count for another.
    pub(super) fn ask_before(&mut self, asked: &CampaignRequest) -> Result<bool, Trouble> {
        if self.starts() {
            match ask::before(asked, self.job, &self.staged.dir())? {
                Ok(answers) => self.before = answers,
                Err(why) => self.rejected = Some(StartRejection::Trouble(why)),
            }
        }
        Ok(!asked.stop.load(Ordering::Relaxed))
    }

    /// Asks its file system again, if the job was started.
    pub(super) fn ask_after(&mut self, asked: &CampaignRequest) -> Result<(), Trouble> {
        if self.starts() {
            (self.after, self.unasked) = ask::after(asked, self.job, &self.staged.dir())?;
        }
        Ok(())
    }

    /// What prevented its start, if other jobs may share the reason.
    pub(super) fn common_reason(&self, ran: &AttemptEnd) -> Option<String> {
        match &self.rejected {
            _ if ran.end != JobEnd::NotStarted => None,
            Some(StartRejection::Fact(_) | StartRejection::Trouble(_)) => None,
            Some(StartRejection::Place(why)) => Some(why.clone()),
            None => std::fs::read_to_string(self.staged.dir().join(names::STDERR)).ok(),
        }
    }

    /// The process whose end the launcher reports first. Hydra reports it on its standard output.
    fn dead_process(&self, end: &JobEnd) -> Option<DeadProcess> {
        if matches!(end, JobEnd::Exit(0) | JobEnd::NotStarted) {
            return None;
        }
        let streams = [names::STDOUT, names::STDERR];
        streams.into_iter().find_map(|name| {
            let lines = folder::error_lines(&self.staged.dir().join(name)).ok()?;
            DeadProcess::in_output(lines.iter().map(String::as_str))
        })
    }

    /// Whether a process is started.
    fn starts(&self) -> bool {
        self.rejected.is_none() && !matches!(self.turn, Some(DatasetTask::Finds(_)))
    }

    /// Runs it; `None` if the campaign was stopped before it ended. `stuck` receives the id of a process that
    /// was killed but still exists.
    pub(super) fn run(
        &self,
        asked: &CampaignRequest,
        stuck: &dyn Fn(u32),
    ) -> Result<Option<AttemptEnd>, Trouble> {
        let started = now();
        let ended = match &self.rejected {
            None if matches!(self.turn, Some(DatasetTask::Finds(_))) => Some((JobEnd::Exit(0), 0.0)),
            None => self.prepared.run(&asked.stop, &|process| {
                stuck(process);
                true
            })?,
            Some(why) => {
                for (name, text) in [(names::STDOUT, String::new()), (names::STDERR, format!("{why}\n"))] {
                    std::fs::write(self.staged.dir().join(name), text)?;
                }
                Some((JobEnd::NotStarted, 0.0))
            }
        };
        Ok(ended.map(|(end, seconds)| AttemptEnd { end, started, seconds }))
    }

    /// Whether it counts or runs again, if it failed.
    pub(super) fn failure(&self, ran: &AttemptEnd) -> JobFailure {
        full_disk::failure_of(self.job, &self.files, &self.staged.dir(), &ran.end)
    }

    /// Gives its folder the final name.
    pub(super) fn finish(
        self,
        asked: &CampaignRequest,
        site: &CampaignSite,
        ran: AttemptEnd,
    ) -> Result<Job, Trouble> {
        self.record_app(asked, &ran.end)?;
        // Records that cannot be read are rejected later, by the evaluation.
        let records = records::load(&self.staged.dir().join(names::RECORDS)).unwrap_or_default();
        let dead_process = self.dead_process(&ran.end);
        let device_writes = self.device.as_ref().and_then(DeviceCount::since);
        let mut info = JobInfo {
            number: self.job.number,
            test: self.job.test.clone(),
            repetition: self.job.repetition,
            argv: self.prepared.argv,
            env: self.prepared.env_recorded,
            cwd: format!("{}/{}", names::JOBS, self.job.folder),
            started: ran.started,
            seconds: ran.seconds,
            timeout_s: self.job.timeout_s,
            end: ran.end,
            rejection: match self.rejected {
                Some(StartRejection::Fact(reason)) => Some(reason),
                _ => None,
            },
            sha256: BTreeMap::new(),
            load_before: self.load_before,
            fill_before: self.fill_before,
            fill_after: machine::fill(&self.files),
            device_writes,
            down_before: self.before.down,
            down_after: self.after.down,
            traffic_bytes: traffic(self.before.moved, self.after.moved),
            unasked: self.unasked,
            beside: self.beside.union(&site.beside.now(&site.dirs, &site.info)).cloned().collect(),
            dead_process,
            layout: machine::layout(&self.files),
            libraries: site.hashes.libraries(&libraries(&records)),
            programs: self.programs,
        };
        let dataset = match self.turn {
            Some(turn) => turn.conclude(asked, site, (self.job, &self.files), &self.staged, &mut info)?,
            None => None,
        };
        let info = full_disk::finish(&self.staged, &info, site, self.job)?;
        site.receiver.hand_out(&asked.folder)?;
        let relative = format!("{}/{}", names::JOBS, self.job.folder);
        Ok(Job { dataset: dataset.map(Box::new), ..Job::read(&asked.folder, relative, info) })
    }

    /// Writes the records of an external program from its output.
    fn record_app(&self, asked: &CampaignRequest, end: &JobEnd) -> Result<(), Trouble> {
        let Purpose::Test(index) = self.job.purpose else { return Ok(()) };
        let Some(app) = asked.plan.tests[index].line.as_app() else { return Ok(()) };
        for name in [names::RECORDS, names::JOB, names::DATASET, names::PROGRESS] {
            self.set_aside(name)?;
        }
        if *end != JobEnd::Exit(0) {
            return Ok(());
        }
        let ranks = self.job.placement.ranks;
        let found = match (self.printed(names::STDOUT), self.printed(names::STDERR)) {
            (Ok(out), Ok(err)) => {
                let printed = PrintedText { out: &out, err: &err };
                app.records(&self.prepared.argv, ranks, &self.files.to_string_lossy(), printed)
            }
            (Err(why), _) | (_, Err(why)) => Err(why),
        };
        let mut file = RecordFile::create(&self.staged.dir().join(names::RECORDS))?;
        let failure = |why| Failure { step: "read the output".to_owned(), why, ..Failure::default() };
        let run = || Record::Run(Run { workload: "app".to_owned(), ..Run::default() });
        for record in found.unwrap_or_else(|why| vec![run(), Record::Failure(failure(why))]) {
            file.put(&record)?;
        }
        Ok(())
    }

    /// The standard output or the standard error. The program may have replaced the file by something else.
    fn printed(&self, name: &str) -> Result<String, String> {
        let path = self.staged.dir().join(name);
        let read = || match path.symlink_metadata()?.is_file() {
            true => Ok(String::from_utf8_lossy(&std::fs::read(&path)?).into_owned()),
            false => Err(io::Error::other("the program replaced this file by something else")),
        };
        read().map_err(|error| format!("{name}: {error}"))
    }

    /// Renames a file of an external program that has the name of one of the files of assay.
    fn set_aside(&self, name: &str) -> io::Result<()> {
        let path = self.staged.dir().join(name);
        if path.symlink_metadata().is_err() {
            return Ok(());
        }
        let names = (1..).map(|number| match number {
            1 => format!("{name}.left"),
            _ => format!("{name}.left-{number}"),
        });
        let mut free =
            names.map(|name| path.with_file_name(name)).filter(|to| to.symlink_metadata().is_err());
        free.next().map_or(Ok(()), |to| std::fs::rename(&path, to))
    }
}

/// The bytes that servers moved between two counts.
fn traffic(before: Option<u64>, after: Option<u64>) -> Option<i64> {
    let moved = i128::from(after?) - i128::from(before?);
    i64::try_from(moved).ok()
}

/// The libraries that a job reports as loaded.
fn libraries(records: &[Record]) -> Vec<String> {
    record::ends(records).next().map(|end| end.libraries.clone()).unwrap_or_default()
}
