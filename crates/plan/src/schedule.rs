//! The jobs of a plan, their order, and the free space that they need.
//!
//! A dataset is made just before the first test that reads it. A test's repetitions are separate jobs, in the
//! order that `order` gives. Files are removed when their last reader has ended.
//!
//! Invariant: pure. A job's number and folder depend on the plan alone. They do not depend on the selected
//! tests or on jobs that have already run, so a campaign can be resumed.
//! Never here: directories, processes.

mod order;
mod space;

use std::collections::BTreeMap;

use command::WorkloadName;
use units::Usage;

use crate::launcher::Launch;
use crate::model::{Goal, Plan, Test, Uses};
use crate::placement::Placement;
use space::JobBytes;

/// The purpose of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Makes the dataset at this place in [`Plan::datasets`].
    Dataset(usize),
    /// Brings the file system into the state at this place in [`Plan::states`].
    State(usize),
    /// Is a repetition of the test at this place in [`Plan::tests`].
    Test(usize),
}

/// One job that is planned.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedJob {
    /// Number in the campaign, from 1.
    pub number: u32,
    /// Its purpose.
    pub purpose: Purpose,
    /// The test's id, `dataset.NAME` or `state.NAME`.
    pub test: String,
    /// Repetition, from 1.
    pub repetition: u32,
    /// Name of its folder, such as `0001-write-r1`.
    pub folder: String,
    /// Directory of its files, relative to the campaign's directory for files.
    pub files: String,
    /// Whether the job creates that directory, or finds it.
    pub makes_files: bool,
    /// The jobs that it depends on, as (test, repetition): those whose files it reads, and states.
    pub needs: Vec<(String, u32)>,
    /// Directories of the states that it needs, relative to the campaign's directory for files.
    pub states: Vec<String>,
    /// The directories that are removed after this job: its own or a state's.
    pub removes: Vec<String>,
    /// The file system.
    pub fs: String,
    /// Its ranks and nodes.
    pub placement: Placement,
    /// The number of servers that must be online; `None` if it does not matter.
    pub servers: Option<u32>,
    /// The state at this place in [`Plan::states`], in which a part of the file system must be offline.
    pub down: Option<usize>,
    /// Shell commands that run before it, with `{dir}` still in them.
    pub setup: Vec<String>,
    /// The command of the workload.
    pub workload: &'static str,
    /// The arguments after the command, with `{dir}` still in them.
    pub words: Vec<String>,
    /// Whether the workload starts its ranks itself.
    pub starts_ranks: bool,
    /// The common name of jobs that run at the same time, such as `LOAD-r1`.
    pub at_once: Option<String>,
    /// Seconds after which it is killed.
    pub timeout_s: f64,
    /// The largest number of bytes that it writes.
    pub writes_bytes: u64,
    /// The largest number of bytes of its files that exist at the same time.
    pub holds_bytes: u64,
    /// The largest number of its files and directories that exist at the same time.
    pub holds_names: u64,
    /// The largest number of bytes that it reads.
    pub reads_bytes: u64,
    /// Seconds after which its phases stop; 0 for never.
    pub deadline_s: u64,
}

impl PlannedJob {
    /// The repetition of the job `maker` that this job depends on; 1 if it depends on none.
    pub fn repetition_of(&self, maker: &str) -> u32 {
        self.needs.iter().find(|(name, _)| name == maker).map_or(1, |(_, repetition)| *repetition)
    }
}

impl Plan {
    /// How a job is started.
    pub fn launch_for(&self, job: &PlannedJob) -> &Launch {
        match job.purpose {
            Purpose::Test(index) => self.launch_of(&self.tests[index]),
            Purpose::Dataset(_) | Purpose::State(_) => &self.launch,
        }
    }
}

/// The needs of the jobs on one file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// The largest total number of bytes that they write.
    pub written_bytes: u64,
    /// The largest number of bytes that exist at the same time.
    pub peak_bytes: u64,
    /// The largest number of files and directories that exist at the same time.
    pub peak_names: u64,
    /// The place in the jobs of the first one with these bytes, and of the first one with these files and
    /// directories.
    pub peak_jobs: [usize; 2],
}

/// All jobs of `plan`, or only those that the tests, series, groups and scores `only` need.
pub fn jobs(plan: &Plan, only: &[String]) -> Result<Vec<PlannedJob>, Usage> {
    let wanted = wanted(plan, only)?;
    let mut all = every_job(plan);
    all.retain(|job| match job.purpose {
        Purpose::Test(index) => wanted.tests[index],
        Purpose::Dataset(index) => wanted.datasets[index],
        Purpose::State(index) => wanted.states[index],
    });
    let mut last = BTreeMap::new();
    for (index, job) in all.iter().enumerate() {
        for files in std::iter::once(&job.files).chain(&job.states) {
            last.insert(files.clone(), index);
        }
    }
    for (files, index) in last {
        all[index].removes.push(files);
    }
    Ok(all)
}

/// The needs of `jobs` on each file system.
pub fn needs(jobs: &[PlannedJob]) -> BTreeMap<String, Need> {
    let mut needs: BTreeMap<String, Need> = BTreeMap::new();
    let mut lying: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for (at, job) in jobs.iter().enumerate() {
        let need = needs.entry(job.fs.clone()).or_default();
        need.written_bytes = need.written_bytes.saturating_add(job.writes_bytes);
        let (bytes, names) = lying.entry((&job.fs, &job.files)).or_default();
        (*bytes, *names) = (job.holds_bytes.max(*bytes), job.holds_names.max(*names));
        let now = lying.iter().filter(|((fs, _), _)| *fs == job.fs).map(|(_, held)| held);
        let sum = |a: (u64, u64), b: &(u64, u64)| (a.0.saturating_add(b.0), a.1.saturating_add(b.1));
        let (bytes, names) = now.fold((0, 0), sum);
        if bytes > need.peak_bytes {
            (need.peak_bytes, need.peak_jobs[0]) = (bytes, at);
        }
        if names > need.peak_names {
            (need.peak_names, need.peak_jobs[1]) = (names, at);
        }
        // The files of simultaneous jobs are removed together, when all of these jobs have ended.
        if jobs.get(at + 1).is_some_and(|next| next.at_once.is_some() && next.at_once == job.at_once) {
            continue;
        }
        let ended = jobs[..=at].iter().rev().enumerate();
        let ended = ended.take_while(|(back, other)| {
            *back == 0 || (other.at_once.is_some() && other.at_once == job.at_once)
        });
        for (_, job) in ended {
            lying.retain(|(fs, files), _| *fs != job.fs || !job.removes.iter().any(|gone| gone == files));
        }
    }
    needs
}

/// The needs of the jobs during each `age` state. The values are its place in [`Plan::states`], the largest
/// number of bytes that exist at the same time, and the test that has them.
pub fn beside_states(jobs: &[PlannedJob]) -> Vec<(usize, u64, &str)> {
    let beside = |(at, job): (usize, &PlannedJob)| {
        let Purpose::State(state) = job.purpose else { return None };
        let later = &jobs[at + 1..];
        let last = later.iter().rposition(|user| user.removes.contains(&job.files))?;
        let need = needs(&later[..=last]).get(&job.fs).copied().unwrap_or_default();
        Some((state, need.peak_bytes, later[need.peak_jobs[0]].test.as_str()))
    };
    jobs.iter().enumerate().filter_map(beside).collect()
}

/// The approximate duration of `jobs` in seconds, on storage that moves `rate` bytes per second each way. A
/// phase with a deadline ends at the deadline at the latest.
pub fn seconds(jobs: &[PlannedJob], rate: f64) -> f64 {
    let phase = |bytes: u64, deadline_s: u64| {
        let seconds = bytes as f64 / rate;
        if deadline_s > 0 { seconds.min(deadline_s as f64) } else { seconds }
    };
    jobs.iter()
        .map(|job| 0.1 + phase(job.writes_bytes, job.deadline_s) + phase(job.reads_bytes, job.deadline_s))
        .sum()
}

struct SelectedJobs {
    datasets: Vec<bool>,
    states: Vec<bool>,
    tests: Vec<bool>,
}

/// Whether each test is one of `only`, or one that these need. All are, if `only` is empty.
pub(crate) fn wanted_tests(plan: &Plan, only: &[String]) -> Result<Vec<bool>, Usage> {
    wanted(plan, only).map(|wanted| wanted.tests)
}

fn wanted(plan: &Plan, only: &[String]) -> Result<SelectedJobs, Usage> {
    let mut tests = vec![only.is_empty(); plan.tests.len()];
    for id in only {
        let mut named: Vec<usize> =
            (0..plan.tests.len()).filter(|index| plan.tests[*index].id == *id).collect();
        if named.is_empty() {
            named = (0..plan.tests.len()).filter(|index| plan.tests[*index].family == *id).collect();
        }
        if named.is_empty() {
            let scores = plan.scores.iter().filter(|score| score.id == *id);
            named = scores.flat_map(|score| &score.parts).map(|part| part.test).collect();
        }
        if named.is_empty() {
            let tests = plan.tests.iter().map(|test| test.id.as_str());
            let known: Vec<&str> = tests.chain(plan.scores.iter().map(|score| score.id.as_str())).collect();
            let known = known.join(", ");
            return Err(Usage(format!("plan {} has no test `{id}`. Known: {known}.", plan.id)));
        }
        named.into_iter().for_each(|index| tests[index] = true);
    }
    // A dependency may have dependencies itself.
    let mut open: Vec<usize> = (0..tests.len()).filter(|index| tests[*index]).collect();
    while let Some(index) = open.pop() {
        for other in dependencies(plan, index) {
            if !std::mem::replace(&mut tests[other], true) {
                open.push(other);
            }
        }
    }
    let (mut datasets, mut states) = (vec![false; plan.datasets.len()], vec![false; plan.states.len()]);
    for (test, _) in plan.tests.iter().zip(&tests).filter(|(_, wanted)| **wanted) {
        if let Some(Uses::Dataset(used)) = test.uses {
            datasets[used] = true;
        }
        test.states.iter().for_each(|state| states[*state] = true);
    }
    Ok(SelectedJobs { datasets, states, tests })
}

/// The tests without which this one cannot run or cannot be evaluated.
///
/// These are the maker of its files, the steps of its search, and the tests on more clients. Further, the
/// tests that its criteria compare it with, and all parts of its group.
fn dependencies(plan: &Plan, index: usize) -> Vec<usize> {
    let test = &plan.tests[index];
    let group = test.part.map(|group| &plan.groups[group]);
    let criteria = test.criteria.iter().chain(group.iter().flat_map(|group| &group.criteria));
    let compared = criteria.filter_map(|criterion| match criterion.goal {
        Goal::Share { test, .. } => Some(test),
        Goal::Value(_) | Goal::Accepted { .. } => None,
    });
    let used = test.uses.iter().filter_map(|uses| match uses {
        Uses::Test(used) => Some(*used),
        Uses::Dataset(_) => None,
    });
    let searched = test.search.iter().flat_map(|search| search.steps.iter().copied());
    let more = test.course.client_limit.iter().flat_map(|limit| limit.probes.iter().copied());
    let beside = group.iter().flat_map(|group| group.tests.iter().copied());
    compared.chain(used).chain(searched).chain(more).chain(beside).collect()
}

fn every_job(plan: &Plan) -> Vec<PlannedJob> {
    let mut jobs = Vec::new();
    for look in 0..=plan.choice.extensions.len() {
        jobs.extend(jobs_of_look(plan, look, jobs.len()));
    }
    jobs
}

/// The jobs of the repetitions that a look adds. Datasets and states are made again for each look, because
/// the files of the look before are gone.
fn jobs_of_look(plan: &Plan, look: usize, before: usize) -> Vec<PlannedJob> {
    let mut jobs: Vec<PlannedJob> = Vec::new();
    for (index, test) in plan.tests.iter().enumerate().filter(|(_, test)| !test.of_look(look).is_empty()) {
        let used = match test.uses {
            Some(Uses::Dataset(used)) => Some(used),
            _ => None,
        };
        let mut new = used.filter(|used| !jobs.iter().any(|job| job.purpose == Purpose::Dataset(*used)));
        // A dataset without a state is written before the state is made.
        if let Some(used) = new.take_if(|used| plan.datasets[*used].state.is_none()) {
            jobs.push(dataset_job(plan, used, look, before + jobs.len()));
        }
        for state in &test.states {
            if !jobs.iter().any(|job| job.purpose == Purpose::State(*state)) && plan.states[*state].is_made()
            {
                jobs.push(state_job(plan, *state, look, before + jobs.len()));
            }
        }
        if let Some(used) = new {
            jobs.push(dataset_job(plan, used, look, before + jobs.len()));
        }
        let Some(group) = test.part.map(|group| &plan.groups[group]) else {
            jobs.extend(order::launches(plan, index, look, before + jobs.len()));
            continue;
        };
        // When all dependencies of its parts exist, the parts run at the same time.
        if group.tests.last() == Some(&index) {
            for repetition in test.of_look(look) {
                for part in &group.tests {
                    jobs.push(test_job(plan, *part, repetition, before + jobs.len()));
                }
            }
        }
    }
    jobs
}

/// The repetition of a job that makes what all tests of a look use.
fn made_for(look: usize) -> u32 {
    look as u32 + 1
}

fn dataset_job(plan: &Plan, index: usize, look: usize, before: usize) -> PlannedJob {
    let dataset = &plan.datasets[index];
    let state = dataset.state.map(|state| &plan.states[state]);
    let number = before as u32 + 1;
    let bytes = JobBytes::of(plan, &dataset.fs, &dataset.line, dataset.placement.ranks);
    PlannedJob {
        number,
        purpose: Purpose::Dataset(index),
        test: dataset.job(),
        repetition: made_for(look),
        folder: format!("{number:04}-{}-r{}", dataset.job(), made_for(look)),
        files: dataset.files(),
        makes_files: true,
        needs: state.iter().map(|state| (state.job(), made_for(look))).collect(),
        states: state.iter().map(|state| format!("states/{}", state.name)).collect(),
        removes: Vec::new(),
        fs: dataset.fs.clone(),
        placement: dataset.placement.clone(),
        servers: None,
        down: None,
        setup: dataset.setup.clone(),
        workload: dataset.line.workload(),
        words: dataset.line.placed(&[]),
        starts_ranks: false,
        at_once: None,
        timeout_s: dataset.timeout_s,
        writes_bytes: bytes.writes_bytes,
        holds_bytes: bytes.holds_bytes,
        holds_names: dataset.line.holds_names(dataset.placement.ranks, 0),
        reads_bytes: bytes.reads_bytes,
        deadline_s: dataset.line.deadline_s(),
    }
}

/// The job that brings a file system into an `age` state.
fn state_job(plan: &Plan, index: usize, look: usize, before: usize) -> PlannedJob {
    let state = &plan.states[index];
    let number = before as u32 + 1;
    PlannedJob {
        number,
        purpose: Purpose::State(index),
        test: state.job(),
        repetition: made_for(look),
        folder: format!("{number:04}-{}-r{}", state.job(), made_for(look)),
        files: format!("states/{}", state.name),
        makes_files: true,
        needs: Vec::new(),
        states: Vec::new(),
        removes: Vec::new(),
        fs: state.fs.clone(),
        placement: state.placement.clone(),
        servers: None,
        down: None,
        setup: Vec::new(),
        workload: WorkloadName::Age.command(),
        words: [&["{dir}".to_owned()], state.words()].concat(),
        starts_ranks: false,
        at_once: None,
        timeout_s: state.timeout_s,
        writes_bytes: 0,
        holds_bytes: 0,
        holds_names: 0,
        reads_bytes: 0,
        deadline_s: 0,
    }
}

fn test_job(plan: &Plan, index: usize, repetition: u32, before: usize) -> PlannedJob {
    let test = &plan.tests[index];
    let number = before as u32 + 1;
    let files = files(plan, test, repetition);
    let bytes = JobBytes::of(plan, &test.fs, &test.line, test.placement.ranks);
    let made = test.states.iter().map(|state| &plan.states[*state]).filter(|state| state.is_made());
    let look = test.look_of(repetition);
    let of_states = made.clone().map(|state| (state.job(), made_for(look)));
    // The number of files that a metadata test finds in each of its directories.
    let preload = test.states.iter().find_map(|state| plan.states[*state].preload());
    let filled: Vec<String> =
        preload.iter().flat_map(|files| ["--preload".to_owned(), files.to_string()]).collect();
    PlannedJob {
        number,
        purpose: Purpose::Test(index),
        test: test.id.clone(),
        repetition,
        folder: format!("{number:04}-{}-r{repetition}", test.id),
        files,
        makes_files: test.uses.is_none(),
        needs: reads(plan, test, repetition).into_iter().chain(of_states).collect(),
        states: made.map(|state| format!("states/{}", state.name)).collect(),
        removes: Vec::new(),
        fs: test.fs.clone(),
        placement: test.placement.clone(),
        servers: test.step.as_ref().and_then(|step| step.servers),
        down: test.states.iter().copied().find(|state| plan.states[*state].is_degraded()),
        setup: test.setup.clone(),
        workload: test.line.workload(),
        words: test.line.placed(&filled),
        starts_ranks: test.line.starts_ranks(),
        at_once: test.part.map(|group| format!("{}-r{repetition}", plan.groups[group].id)),
        timeout_s: test.timeout_s,
        writes_bytes: bytes.writes_bytes,
        holds_bytes: bytes.holds_bytes,
        holds_names: test.line.holds_names(test.placement.ranks, preload.unwrap_or(0)),
        reads_bytes: bytes.reads_bytes,
        deadline_s: test.line.deadline_s(),
    }
}

/// The files that a reader's repetition finds: those of the same repetition, or of the nearest one.
fn reads(plan: &Plan, test: &Test, repetition: u32) -> Option<(String, u32)> {
    let uses = test.uses.as_ref()?;
    let there = match uses {
        Uses::Dataset(_) => made_for(test.look_of(repetition)),
        Uses::Test(index) => plan.maker_repetition(test, repetition, &plan.tests[*index]),
    };
    Some((uses.maker(plan), there))
}

/// The directory of a repetition's files, relative to the campaign's directory for files.
pub fn files(plan: &Plan, test: &Test, repetition: u32) -> String {
    match &test.uses {
        None => format!("tests/{}-r{repetition}", test.id),
        Some(Uses::Dataset(index)) => plan.datasets[*index].files(),
        Some(Uses::Test(index)) => {
            let made = &plan.tests[*index];
            files(plan, made, plan.maker_repetition(test, repetition, made))
        }
    }
}

#[cfg(test)]
mod tests;
