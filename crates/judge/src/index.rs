//! The jobs of a campaign by test and repetition, built once.
//!
//! Invariant: only this module searches the jobs of a campaign for those of a test.
//! Never here: whether a job can be used.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use plan::app::{App, AppMetric, PrintedText, Stream};
use plan::schedule::{self, PlannedJob};
use plan::{Placement, Plan, Test, Uses, deferred};
use results::folder::{self, Campaign, FileSystemFacts, Job};
use results::reason::Reason;
use results::record::{self, Phase, Record, Run};

use crate::crosscheck::{self, Contradiction};

/// The largest difference of a number that was written and read again, as a share.
const SAME_VALUE: f64 = 1e-12;

/// A plan and its campaign.
pub(crate) struct Index<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) campaign: &'a Campaign,
    by_test: BTreeMap<&'a str, Vec<&'a Job>>,
    by_repetition: BTreeMap<(&'a str, u32), &'a Job>,
    places: BTreeMap<&'a str, usize>,
    /// The tests by the names of their jobs, including warm-ups.
    by_job: BTreeMap<String, &'a Test>,
    readers: BTreeMap<&'a str, Vec<&'a Test>>,
    /// The test and repetition of each job, as in the names of its attempts.
    ended: BTreeSet<&'a str>,
    planned: BTreeMap<String, Vec<PlannedJob>>,
    contradictions: BTreeMap<String, Reason>,
    /// The warnings about slow ranks, by test and phase.
    slow_ranks: RefCell<BTreeMap<(String, String), Vec<Reason>>>,
}

impl<'a> Index<'a> {
    /// Builds the index in one pass over the jobs.
    pub(crate) fn of(plan: &'a Plan, campaign: &'a Campaign) -> Self {
        let mut by_test: BTreeMap<&str, Vec<&Job>> = BTreeMap::new();
        let (mut by_repetition, mut places) = (BTreeMap::new(), BTreeMap::new());
        for (at, job) in campaign.jobs.iter().enumerate() {
            by_test.entry(&job.info.test).or_default().push(job);
            by_repetition.entry((job.info.test.as_str(), job.info.repetition)).or_insert(job);
            places.entry(job.folder.as_str()).or_insert(at);
        }
        let mut planned: BTreeMap<String, Vec<PlannedJob>> = BTreeMap::new();
        for job in schedule::jobs(plan, &[]).unwrap_or_default() {
            planned.entry(job.test.clone()).or_default().push(job);
        }
        let (mut by_job, mut readers) = (BTreeMap::new(), BTreeMap::<&str, Vec<&Test>>::new());
        for test in &plan.tests {
            by_job.extend([(test.id.clone(), test), (test.warm_up_job(), test)]);
            if let Some(Uses::Test(at)) = test.uses {
                readers.entry(&plan.tests[at].id).or_default().push(test);
            }
        }
        let ended = campaign.jobs.iter().map(|job| folder::job_of(&job.folder)).collect();
        let contradictions = contradictions(plan, campaign).into_iter();
        let contradictions = contradictions.map(|one| (one.folder, one.reason)).collect();
        let slow_ranks = RefCell::default();
        Self {
            plan,
            campaign,
            by_test,
            by_repetition,
            places,
            by_job,
            readers,
            ended,
            planned,
            contradictions,
            slow_ranks,
        }
    }

    /// The jobs of this test, in the order of the runs.
    pub(crate) fn jobs(&self, test: &str) -> &[&'a Job] {
        self.by_test.get(test).map_or(&[], Vec::as_slice)
    }

    /// The first job of a repetition.
    pub(crate) fn job(&self, test: &str, repetition: u32) -> Option<&'a Job> {
        self.by_repetition.get(&(test, repetition)).copied()
    }

    /// The names of all jobs, with the jobs.
    pub(crate) fn tests(&self) -> impl Iterator<Item = (&'a str, &[&'a Job])> {
        self.by_test.iter().map(|(test, jobs)| (*test, jobs.as_slice()))
    }

    /// The jobs that began after `job`.
    pub(crate) fn after(&self, job: &Job) -> &'a [Job] {
        match self.places.get(job.folder.as_str()) {
            Some(at) => &self.campaign.jobs[at + 1..],
            None => &[],
        }
    }

    /// Whether `job` began before `other`.
    pub(crate) fn is_before(&self, job: &Job, other: &Job) -> bool {
        self.places.get(job.folder.as_str()) < self.places.get(other.folder.as_str())
    }

    /// The jobs whose facts contradict each other, or those of another job.
    pub(crate) fn contradictions(mut self) -> Vec<Contradiction> {
        let folders = self.campaign.jobs.iter().map(|job| &job.folder);
        let found = folders.filter_map(|folder| {
            let reason = self.contradictions.remove(folder)?;
            Some(Contradiction { folder: folder.clone(), reason })
        });
        found.collect()
    }

    /// Facts of a job that contradict each other, or those of another job.
    pub(crate) fn contradiction(&self, job: &Job) -> Option<&Reason> {
        self.contradictions.get(&job.folder)
    }

    /// The job whose files a repetition of a test worked on; `None` if they were its own, or if it did not
    /// run.
    pub(crate) fn maker(&self, test: &Test, repetition: u32) -> Option<&'a Job> {
        let maker = test.uses.as_ref()?.maker(self.plan);
        let planned = self.planned(&test.id).find(|planned| planned.repetition == repetition)?;
        self.job(&maker, planned.repetition_of(&maker))
    }

    /// The planned jobs of a test.
    pub(crate) fn planned(&self, test: &str) -> impl Iterator<Item = &PlannedJob> {
        self.planned.get(test).into_iter().flatten()
    }

    /// The warnings about slow ranks in a phase of a test. They are found once, because large jobs take
    /// seconds for them, and all criteria of the phase have the same.
    pub(crate) fn slow_ranks(
        &self,
        test: &Test,
        phase: &str,
        find: impl FnOnce() -> Vec<Reason>,
    ) -> Vec<Reason> {
        let key = (test.id.clone(), phase.to_owned());
        if let Some(known) = self.slow_ranks.borrow().get(&key) {
            return known.clone();
        }
        let found = find();
        self.slow_ranks.borrow_mut().insert(key, found.clone());
        found
    }

    /// The records of a repetition of a test.
    pub(crate) fn records(&self, test: &str, repetition: u32) -> Cow<'a, [Record]> {
        let found = self.job(test, repetition);
        found.map(|job| deferred::recorded(Some(&job.info.end), &job.records)).unwrap_or_default()
    }

    /// The placement of a test. If its nodes are searched, it is the result of the search.
    pub(crate) fn placed(&self, test: &'a Test) -> &'a Placement {
        deferred::placed(self.plan, test, &|test, repetition| self.records(test, repetition))
    }

    /// The test of the job with this name, including warm-ups.
    pub(crate) fn test_of_job(&self, name: &str) -> Option<&'a Test> {
        self.by_job.get(name).copied()
    }

    /// The tests that read what `test` writes.
    pub(crate) fn readers(&self, test: &Test) -> impl Iterator<Item = &'a Test> {
        self.readers.get(test.id.as_str()).into_iter().flatten().copied()
    }

    /// The facts of this file system before the first job.
    pub(crate) fn file_system(&self, name: &str) -> Option<&'a FileSystemFacts> {
        self.campaign.before.as_ref()?.file_system(name)
    }

    /// Folders of attempts at a test that were stopped with the campaign.
    pub(crate) fn attempts(&self, test: &Test) -> Vec<&'a str> {
        let own = |folder: &&str| {
            folder::job_of(folder)
                .rsplit_once("-r")
                .is_some_and(|(name, _)| name == test.id || *name == test.warm_up_job())
        };
        self.campaign.killed.iter().map(String::as_str).filter(own).collect()
    }

    /// Whether the job of an attempt was run again.
    pub(crate) fn was_repeated(&self, attempt: &str) -> bool {
        self.ended.contains(folder::job_of(attempt))
    }

    /// Whether the plan was run at a smaller scale than that of the contract.
    pub(crate) fn is_scaled(&self) -> bool {
        self.campaign.info.scale.is_some()
    }

    /// Whether the campaign has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.campaign.after.is_some()
    }
}

/// The jobs whose facts contradict each other, or those of another job.
fn contradictions(plan: &Plan, campaign: &Campaign) -> Vec<Contradiction> {
    let apps = plan.tests.iter().filter_map(|test| Some((test.id.as_str(), test.line.as_app()?)));
    let apps: BTreeMap<&str, &App> = apps.collect();
    let mut found = crosscheck::of_campaign(campaign);
    let known: BTreeSet<String> = found.iter().map(|one| one.folder.clone()).collect();
    for job in campaign.jobs.iter().filter(|job| !known.contains(&job.folder)) {
        let reason = apps.get(job.info.test.as_str()).and_then(|app| printed_otherwise(app, job));
        found.extend(reason.map(|reason| Contradiction { folder: job.folder.clone(), reason }));
    }
    found
}

/// A recorded value of an external program that is not the one in its output.
fn printed_otherwise(app: &App, job: &Job) -> Option<Reason> {
    // Only values are compared, and they do not depend on ranks and directory.
    let (out, err) = (job.printed.as_deref(), job.printed_errors.as_deref());
    // An output that is too long to be read is not compared.
    let reads = |stream| app.metrics.iter().any(|metric| metric.stream == stream);
    if reads(Stream::Out) && out.is_none() || reads(Stream::Err) && err.is_none() {
        return None;
    }
    let printed = PrintedText { out: out.unwrap_or_default(), err: err.unwrap_or_default() };
    let printed = app.records(&job.info.argv, 1, "", printed);
    let file = |name: &str| match app.metrics.iter().find(|metric| metric.name == name) {
        Some(AppMetric { stream: Stream::Err, .. }) => "its value in stderr.txt",
        _ => "its value in stdout.txt",
    };
    let mut recorded = record::values(&job.records);
    recorded.find_map(|value| {
        let found = printed.as_ref().map_err(Clone::clone);
        let found = found.map(|records| record::values(records).find(|one| one.name == value.name));
        let shown = match found {
            Ok(Some(found)) if (found.value - value.value).abs() <= SAME_VALUE * value.value.abs() => {
                return None;
            }
            Ok(found) => found.map_or_else(String::new, |found| found.value.to_string()),
            Err(why) => why,
        };
        let stated = (value.name.as_str(), value.value.to_string());
        Some(crosscheck::contradiction(job, stated, (file(&value.name), shown)))
    })
}

/// All phases of a job.
pub(crate) fn phases(job: &Job) -> impl Iterator<Item = &Phase> {
    record::phases(&job.records)
}

/// The run records of jobs.
pub(crate) fn runs<'j>(jobs: &[&'j Job]) -> impl Iterator<Item = &'j Run> {
    jobs.iter().flat_map(|job| record::runs(&job.records))
}
