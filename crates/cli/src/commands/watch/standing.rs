//! The standing of a campaign that runs: its clauses, evaluated on the jobs that have ended, and the time
//! that is left.
//!
//! Invariant: nothing is written. The same jobs give the same verdicts as `assay judge`.
//! Never here: reading a folder, and drawing.

use std::collections::BTreeSet;

use ::plan::schedule::{self, PlannedJob};
use ::plan::{Choice, Plan};
use results::finding::{Finding, Severity};
use results::folder::{Campaign, Job, folder_name};
use results::reason::Code;
use results::{Outcome, Verdict};
use units::{Usage, several, visible};

use super::estimate::{JobTime, JobTimeState, job_left, time_left};
use super::shown::{CampaignShown, ClauseShown, ClauseStanding, RunningShown};

/// The most warnings that are kept.
const WARNINGS_KEPT: usize = 50;

/// The jobs of a clause, as places in the schedule.
#[derive(Clone, Debug, Default)]
struct ClauseJobs {
    /// Its own repetitions.
    own: Vec<usize>,
    /// The jobs without which it is not decided, its own included.
    needed: Vec<usize>,
}

/// The standing of a campaign.
pub(crate) struct CampaignStanding {
    plan: Plan,
    /// The campaign with the jobs that have ended, and with the verdicts on them.
    pub(crate) campaign: Campaign,
    jobs: Vec<PlannedJob>,
    /// The state of each job.
    over: Vec<JobTimeState>,
    /// Whether each job was over at the last evaluation.
    evaluated: Vec<bool>,
    clauses: Vec<ClauseJobs>,
    warnings: Vec<String>,
    known: BTreeSet<String>,
}

impl CampaignStanding {
    /// The standing of `campaign` by its own plan.
    pub(crate) fn new(campaign: Campaign) -> Result<Self, Usage> {
        let plan = Plan::parse_with(&campaign.plan, results::folder::names::PLAN, &Choice::of(&campaign))?;
        let jobs = schedule::jobs(&plan, &campaign.info.only)?;
        let over = vec![JobTimeState::Waiting; jobs.len()];
        let (evaluated, clauses, warnings, known) = Default::default();
        let mut standing = Self { plan, campaign, jobs, over, evaluated, clauses, warnings, known };
        standing.mark_ended();
        standing.evaluate();
        let tests: Vec<String> = standing.campaign.verdicts.iter().map(|one| one.test.clone()).collect();
        standing.clauses = tests.iter().map(|test| standing.jobs_of(test)).collect();
        Ok(standing)
    }

    /// Replaces the campaign by a later reading of its folder.
    pub(crate) fn update(&mut self, campaign: Campaign) -> Result<(), Usage> {
        if campaign.extensions != self.campaign.extensions {
            *self = Self::new(campaign)?;
            return Ok(());
        }
        self.campaign = campaign;
        self.mark_ended();
        self.evaluate();
        Ok(())
    }

    /// A job has ended.
    pub(crate) fn ended(&mut self, job: &Job) {
        let same = |other: &Job| other.folder == job.folder;
        self.campaign.jobs.retain(|other| !same(other));
        self.campaign.jobs.push(job.clone());
        self.campaign.jobs.sort_by_key(|job| job.info.number);
        self.mark_ended();
    }

    /// A job that ended runs again. Its attempt is set aside.
    pub(crate) fn repeats(&mut self, job: &PlannedJob) {
        self.campaign.jobs.retain(|ended| folder_name(&ended.folder) != job.folder);
        let at = self.jobs.iter().position(|other| other.folder == job.folder);
        at.into_iter().for_each(|at| self.over[at] = JobTimeState::Waiting);
    }

    /// A job is left out.
    pub(crate) fn left_out(&mut self, job: &PlannedJob) {
        let at = self.jobs.iter().position(|other| other.folder == job.folder);
        at.into_iter().for_each(|at| self.over[at] = JobTimeState::LeftOut);
    }

    fn mark_ended(&mut self) {
        for job in &self.campaign.jobs {
            let name = folder_name(&job.folder);
            let at = self.jobs.iter().position(|planned| planned.folder == name);
            at.into_iter().for_each(|at| self.over[at] = JobTimeState::Ended(job.info.seconds));
        }
        // Jobs run in their order. One without a folder before one that ended was left out.
        let last = self.over.iter().rposition(|state| matches!(state, JobTimeState::Ended(_))).unwrap_or(0);
        let before = self.over[..last].iter_mut();
        before
            .filter(|state| **state == JobTimeState::Waiting)
            .for_each(|state| *state = JobTimeState::LeftOut);
    }

    /// Evaluates the jobs that have ended, and keeps the warnings about them.
    pub(crate) fn evaluate(&mut self) {
        let evaluated = ::judge::evaluate(&self.plan, &self.campaign);
        (self.campaign.verdicts, self.campaign.summary) = (evaluated.verdicts, evaluated.summary);
        self.evaluated = (0..self.jobs.len()).map(|at| self.is_over(at)).collect();
        let of_clauses = self.campaign.verdicts.iter().flat_map(|verdict| {
            verdict.warnings.iter().map(|finding| warning(&verdict.test, finding)).collect::<Vec<_>>()
        });
        let errors = self.campaign.summary.findings.iter().filter(|one| one.severity == Severity::Error);
        let all: Vec<String> = of_clauses.chain(errors.map(|finding| warning("", finding))).collect();
        all.into_iter().for_each(|text| self.warn(text));
    }

    /// Adds a warning, once.
    pub(crate) fn warn(&mut self, text: String) {
        if self.known.insert(text.clone()) {
            self.warnings.push(text);
            let surplus = self.warnings.len().saturating_sub(WARNINGS_KEPT);
            self.warnings.drain(..surplus);
        }
    }

    /// The jobs of the clause of `test`, which is a test or a group.
    fn jobs_of(&self, test: &str) -> ClauseJobs {
        let places = |wanted: &dyn Fn(&PlannedJob) -> bool| -> Vec<usize> {
            self.jobs.iter().enumerate().filter(|(_, job)| wanted(job)).map(|(at, _)| at).collect()
        };
        let of_group =
            |job: &PlannedJob| self.plan.tests.iter().any(|one| one.id == job.test && one.family == test);
        let mut own = places(&|job| job.test == test);
        if own.is_empty() {
            own = places(&of_group);
        }
        let needed = schedule::jobs(&self.plan, &[test.to_owned()]).unwrap_or_default();
        let needed: BTreeSet<String> = needed.into_iter().map(|job| job.folder).collect();
        ClauseJobs { own, needed: places(&|job| needed.contains(&job.folder)) }
    }

    fn is_over(&self, at: usize) -> bool {
        matches!(self.over[at], JobTimeState::Ended(_) | JobTimeState::LeftOut)
    }

    /// The number of jobs that have ended or were left out, and that of all.
    pub(crate) fn done(&self) -> (usize, usize) {
        ((0..self.jobs.len()).filter(|at| self.is_over(*at)).count(), self.jobs.len())
    }

    /// The clauses whose jobs had all ended at the last evaluation, by their place among the verdicts.
    /// Clauses of tests that were not selected are not among them.
    pub(crate) fn decided(&self) -> Vec<usize> {
        let is_decided = |at: &usize| {
            let jobs = &self.clauses[*at];
            !jobs.own.is_empty() && jobs.needed.iter().all(|job| self.evaluated[*job])
        };
        (0..self.clauses.len()).filter(is_decided).collect()
    }

    /// The verdicts so far.
    pub(crate) fn verdicts(&self) -> &[Verdict] {
        &self.campaign.verdicts
    }

    /// The job with this folder name.
    pub(crate) fn job(&self, name: &str) -> Option<&PlannedJob> {
        self.jobs.iter().find(|job| job.folder == name)
    }

    /// The view of the campaign in `folder` while `running` run.
    pub(crate) fn shown(&self, folder: &str, mut running: Vec<RunningShown>) -> CampaignShown {
        let times = self.times(&running);
        for job in &mut running {
            let same =
                |planned: &&PlannedJob| (&planned.test, planned.repetition) == (&job.test, job.repetition);
            let at = self.jobs.iter().position(|planned| same(&planned));
            job.left_s = at.and_then(|at| job_left(&times, &times[at]));
        }
        let decided: BTreeSet<usize> = self.decided().into_iter().collect();
        let tests: BTreeSet<&str> = running.iter().map(|job| job.test.as_str()).collect();
        let clause = |(at, verdict): (usize, &Verdict)| {
            let runs = self.clauses.get(at)?.own.iter().any(|job| tests.contains(&*self.jobs[*job].test));
            self.clause(at, verdict, decided.contains(&at), runs)
        };
        let criteria: Vec<(&Verdict, ClauseShown)> = self
            .campaign
            .verdicts
            .iter()
            .enumerate()
            .filter_map(|(at, verdict)| Some((verdict, clause((at, verdict))?)))
            .collect();
        let clauses = in_clauses(criteria);
        CampaignShown {
            title: visible(&format!("{}: {}", self.plan.id, self.plan.title)),
            folder: visible(folder),
            jobs: self.done(),
            left: time_left(&times),
            clauses,
            running,
            warnings: self.warnings.clone(),
            ..CampaignShown::default()
        }
    }

    fn clause(&self, at: usize, verdict: &Verdict, is_decided: bool, runs: bool) -> Option<ClauseShown> {
        let jobs = self.clauses.get(at)?;
        let ended = jobs.own.iter().filter(|job| self.is_over(**job)).count();
        let is_open = matches!(verdict.reason.code, Code::RepetitionsMissing | Code::NoneRan);
        let standing = match verdict.outcome {
            _ if jobs.own.is_empty() => ClauseStanding::Decided(Outcome::NotRun),
            outcome if is_decided => ClauseStanding::Decided(outcome),
            _ if ended == 0 && runs => ClauseStanding::Open,
            _ if ended == 0 => ClauseStanding::Waiting,
            _ if is_open => ClauseStanding::Open,
            outcome => ClauseStanding::SoFar(outcome),
        };
        let has_value = verdict.value.is_some() && standing.outcome().is_some();
        Some(ClauseShown {
            tests: Vec::new(),
            test: visible(&verdict.test),
            criterion: visible(&format!("{} {}", verdict.metric, verdict.criterion)),
            value: if has_value { visible(&report::value(verdict)) } else { String::new() },
            standing,
            repetitions: (ended, jobs.own.len()),
        })
    }

    /// What is known of the time of each job.
    fn times(&self, running: &[RunningShown]) -> Vec<JobTime> {
        let time = |(at, job): (usize, &PlannedJob)| {
            let runs = running.iter().find(|one| one.test == job.test && one.repetition == job.repetition);
            let phase = runs.and_then(|one| one.progress.as_ref()).and_then(|shown| shown.seconds_left);
            let state = match (self.over[at], runs) {
                (JobTimeState::Waiting, Some(runs)) => JobTimeState::Running(runs.seconds, phase),
                (state, _) => state,
            };
            let bytes = job.writes_bytes.saturating_add(job.reads_bytes);
            JobTime { test: job.test.clone(), bytes, at_once: job.at_once.clone(), state }
        };
        self.jobs.iter().enumerate().map(time).collect()
    }
}

/// The criteria of each clause of the contract as one, in the order of the first of them.
fn in_clauses(criteria: Vec<(&Verdict, ClauseShown)>) -> Vec<ClauseShown> {
    let id = |verdict: &Verdict| verdict.contract_clause.as_ref().map(|contract| contract.id.clone());
    let mut clauses: Vec<(Option<String>, Vec<ClauseShown>)> = Vec::new();
    for (verdict, criterion) in criteria {
        let id = id(verdict);
        match clauses.iter_mut().find(|(known, _)| id.is_some() && *known == id) {
            Some((_, own)) => own.push(criterion),
            None => clauses.push((id, vec![criterion])),
        }
    }
    let one = |(id, mut own): (Option<String>, Vec<ClauseShown>)| {
        let Some(id) = id else { return own.remove(0) };
        let standings: Vec<ClauseStanding> = own.iter().map(|one| one.standing).collect();
        let sum = |part: fn(&ClauseShown) -> usize| own.iter().map(part).sum();
        let repetitions = (sum(|one| one.repetitions.0), sum(|one| one.repetitions.1));
        let tests = own.iter().map(|one| one.test.clone()).collect();
        let standing = ClauseStanding::of_criteria(&standings);
        let (criterion, value) = match &own[..] {
            [only] => (only.criterion.clone(), only.value.clone()),
            all => (several(all.len() as u64, "criterion"), String::new()),
        };
        ClauseShown { test: visible(&id), tests, criterion, value, standing, repetitions }
    };
    clauses.into_iter().map(one).collect()
}

/// The sentence of a finding with its subject.
fn warning(test: &str, finding: &Finding) -> String {
    let about = if finding.about.is_empty() { test } else { &finding.about };
    let text = report::sentences::finding(finding);
    visible(&if about.is_empty() { text } else { format!("{about}: {text}") })
}

#[cfg(test)]
mod tests {
    use results::folder::{JobEnd, JobInfo};

    use super::*;

    const PLAN: &str = r#"schema = 1
plan = { id = "p", title = "A plan" }
fs.s = { dir = "{dir}" }
clients = { delivered = 1 }
defaults = { ranks = 2, timeout = "90 s", repetitions = 2 }
[[test]]
id = "A"
ior = "-w -F -e -t 64k -b 256k"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[test]]
id = "B"
ior = "-w -F -e -t 64k -b 256k"
criterion = { metric = "write.bw", op = ">=", value = "50 % of A.write.bw" }
"#;

    fn standing() -> CampaignStanding {
        CampaignStanding::new(Campaign { plan: PLAN.into(), ..Campaign::default() }).unwrap()
    }

    /// A job that failed, so that its clause is INVALID.
    fn failed(number: u32, name: &str) -> Job {
        let (test, repetition) = (name[5..6].to_owned(), number);
        let info =
            JobInfo { number, test, repetition, seconds: 3.0, end: JobEnd::Exit(1), ..JobInfo::default() };
        Job { folder: format!("jobs/{name}"), info, ..Job::default() }
    }

    fn standings(standing: &CampaignStanding, running: &[&str]) -> Vec<String> {
        let running = running.iter().map(|test| RunningShown {
            test: (*test).to_owned(),
            repetition: 1,
            ..RunningShown::default()
        });
        let shown = standing.shown("f", running.collect());
        shown.clauses.iter().map(|clause| clause.standing.words()).collect()
    }

    #[test]
    fn a_clause_waits_is_open_and_is_decided_only_by_an_evaluation_of_all_its_jobs() {
        let mut standing = standing();
        assert_eq!(standings(&standing, &[]), ["waiting", "waiting"]);
        assert_eq!(standings(&standing, &["A"]), ["open", "waiting"]);
        standing.ended(&failed(1, "0001-A-r1"));
        standing.evaluate();
        assert_eq!(standings(&standing, &[]), ["INVALID so far", "waiting"]);
        standing.ended(&failed(2, "0002-A-r2"));
        assert_eq!(standing.decided(), [0; 0], "the second job is not evaluated yet");
        standing.evaluate();
        assert_eq!((standing.decided(), standing.done()), (vec![0], (2, 4)));
        assert_eq!(standings(&standing, &[]), ["INVALID", "waiting"]);
    }

    #[test]
    fn a_clause_of_the_contract_is_one_line_over_all_of_its_criteria() {
        let clauses =
            "[[clause]]\nid = \"4.2\"\ntext = \"t\"\n[[clause]]\nid = \"5\"\ntext = \"u\"\n[[test]]\n";
        let plan =
            PLAN.replacen("[[test]]\n", clauses, 1).replace("id = \"A\"", "id = \"A\"\nclause = \"4.2\"");
        let plan = plan.replace("id = \"B\"", "id = \"B\"\nclause = \"4.2\"");
        let mut standing = CampaignStanding::new(Campaign { plan, ..Campaign::default() }).unwrap();
        assert_eq!(standings(&standing, &[]), ["waiting", "NOT RUN"]);
        for (number, name) in [(1, "0001-A-r1"), (2, "0002-A-r2")] {
            standing.ended(&failed(number, name));
        }
        standing.evaluate();
        assert_eq!(standings(&standing, &["B"]), ["INVALID so far", "NOT RUN"]);
        let running = RunningShown { test: "B".into(), ..RunningShown::default() };
        let shown = standing.shown("f", vec![running]);
        assert_eq!((shown.clauses[0].test.as_str(), shown.clauses[0].repetitions), ("4.2", (2, 4)));
        assert!(shown.runs(&shown.clauses[0]) && !shown.runs(&shown.clauses[1]));
    }

    #[test]
    fn a_clause_that_is_compared_with_another_needs_the_jobs_of_both_and_warnings_come_once() {
        let mut standing = standing();
        for (number, name) in [(3, "0003-B-r1"), (4, "0004-B-r2")] {
            standing.ended(&failed(number, name));
        }
        standing.evaluate();
        // Jobs before one that ended were left out, so nothing of A is still to come.
        assert_eq!((standing.decided(), standing.done()), (vec![0, 1], (4, 4)));
        standing.warn("once".to_owned());
        standing.warn("once".to_owned());
        let shown = standing.shown("f", Vec::new());
        assert_eq!(shown.warnings.iter().filter(|text| *text == "once").count(), 1);
        assert_eq!(shown.time_left(), "");
    }
}
