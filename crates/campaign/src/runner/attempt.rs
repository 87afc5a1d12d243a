//! One launch from its first directory to its folder of evidence.
//!
//! Never here: which job comes next.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use results::folder::{self, Fill, Job, JobEnd, JobInfo, StagedJob, names};
use results::record::Record;
use results::records;

use super::job::Prepared;
use super::place::Place;
use super::setup::Setup;
use super::{Campaigning, Trouble, full};
use crate::machine::{self, now};
use crate::schedule::PlannedJob;

/// A launch that is ready to run.
pub(super) struct Attempt<'a> {
    job: &'a PlannedJob,
    files: PathBuf,
    staged: StagedJob,
    prepared: Prepared,
    /// Why it is not to be started after all.
    refused: Option<String>,
    started: String,
    load_before: f64,
    fill_before: Option<Fill>,
}

/// How a launch ended and its wall time, seconds; `None` when the campaign was stopped before.
pub(super) type Ended = Option<(JobEnd, f64)>;

impl<'a> Attempt<'a> {
    /// Makes the directories and does what the plan wants done before; `None` when the campaign was stopped
    /// meanwhile.
    pub(super) fn begin(
        asked: &Campaigning,
        place: &Place,
        job: &'a PlannedJob,
        setup: &mut Setup,
    ) -> Result<Option<Self>, Trouble> {
        let files = place.files(job)?;
        let (fill_before, load_before) = (machine::fill(&files), machine::load());
        let staged = folder::stage_job(&asked.folder, &job.folder)?;
        let prepared = Prepared::new(asked, job, &files, &staged.dir());
        let refused = setup.before(asked, job, &files, &staged.dir())?;
        if asked.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(Some(Self { job, files, staged, prepared, refused, started: now(), load_before, fill_before }))
    }

    /// Runs it.
    pub(super) fn run(&self, asked: &Campaigning, tick: &mut dyn FnMut(f64)) -> Result<Ended, Trouble> {
        match &self.refused {
            None => Ok(self.prepared.run(&asked.stop, tick)?),
            Some(why) => {
                for (name, text) in [(names::STDOUT, String::new()), (names::STDERR, format!("{why}\n"))] {
                    std::fs::write(self.staged.dir().join(name), text)?;
                }
                Ok(Some((JobEnd::NotStarted, 0.0)))
            }
        }
    }

    /// Gives its folder the name under which it counts.
    pub(super) fn finish(
        self,
        asked: &Campaigning,
        place: &Place,
        (end, seconds): (JobEnd, f64),
    ) -> Result<Job, Trouble> {
        // Records that cannot be read are for the judge to refuse, at the end.
        let records = records::load(&self.staged.dir().join(names::RECORDS)).unwrap_or_default();
        let info = JobInfo {
            number: self.job.number,
            test: self.job.test.clone(),
            repetition: self.job.repetition,
            argv: self.prepared.argv,
            env: self.prepared.env_recorded,
            cwd: format!("{}/{}", names::JOBS, self.job.folder),
            started: self.started,
            seconds,
            timeout_s: self.job.timeout_s,
            end,
            sha256: BTreeMap::new(),
            load_before: self.load_before,
            fill_before: self.fill_before,
            fill_after: machine::fill(&self.files),
            layout: machine::layout(&self.files),
            libraries: place.hashes.libraries(&libraries(&records)),
        };
        let info = full::finish(&self.staged, &info, place, self.job)?;
        let relative = format!("{}/{}", names::JOBS, self.job.folder);
        Ok(Job::read(&asked.folder, relative, info, records))
    }
}

/// The libraries that a job says it had loaded.
fn libraries(records: &[Record]) -> Vec<String> {
    let loaded = |record: &Record| match record {
        Record::End(end) => Some(end.libraries.clone()),
        _ => None,
    };
    records.iter().find_map(loaded).unwrap_or_default()
}
