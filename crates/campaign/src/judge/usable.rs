//! Whether what was measured may be judged at all, and the values if so.
//!
//! Never here: the threshold.

use results::Outcome;
use results::folder::{Job, JobEnd};
use results::record::{Failed, Record};

use super::{
    Case, cases, cold, dataset, group, lints, phases, placed, state, steady, sustained, warnings, wrong,
};
use plan::late;
use plan::schedule::{self, PlannedJob};

/// The value of each repetition in base units, or why there is none to rest anything on: also an error of the
/// linter.
pub(super) fn values(case: &Case<'_>, jobs: &[&Job]) -> Result<Vec<f64>, (Outcome, String)> {
    let values = measured(case, jobs)?;
    match lints::grave(case).first() {
        None => Ok(values),
        Some(finding) => Err((Outcome::Invalid, lints::said(finding))),
    }
}

/// The value of each repetition in base units, or why there is none to judge by.
pub(super) fn measured(case: &Case<'_>, jobs: &[&Job]) -> Result<Vec<f64>, (Outcome, String)> {
    dataset::fit(case).map_err(|why| (Outcome::Invalid, why))?;
    if jobs.is_empty() {
        return Err((Outcome::NotRun, why_not_run(case)));
    }
    run_once(jobs).map_err(|why| (Outcome::Invalid, why))?;
    for job in jobs {
        ended_well(case, job).map_err(|why| (Outcome::Invalid, why))?;
    }
    placed::as_planned(case, jobs).map_err(|why| (Outcome::Invalid, why))?;
    state::reached(case, jobs).map_err(|why| (Outcome::Invalid, why))?;
    let planned = case.test.repetitions as usize;
    if jobs.len() < planned {
        let why = why_not_run(case);
        // Of a campaign that goes on, those to come may still decide.
        let outcome = if case.campaign.after.is_some() { Outcome::Invalid } else { Outcome::Inconclusive };
        return Err((outcome, format!("{} of {planned} repetitions were run: {why}", jobs.len())));
    }
    group::overlapped(case, jobs).map_err(|why| (Outcome::Invalid, why))?;
    if !case.counts_errors() {
        let spoiled = wrong_data(case).or_else(|| operations_failed(jobs));
        spoiled.map_or(Ok(()), |why| Err((Outcome::Invalid, why)))?;
        cold::read(case, jobs).map_err(|why| (Outcome::Invalid, why))?;
        sustained::held(case, jobs).map_err(|why| (Outcome::Invalid, why))?;
        steady::reached(case, jobs).map_err(|why| (Outcome::Invalid, why))?;
    }
    jobs.iter().map(|job| value(case, job).map_err(|why| (Outcome::Invalid, why))).collect()
}

/// Whether every repetition is there once: one of several is never chosen.
fn run_once(jobs: &[&Job]) -> Result<(), String> {
    let again = jobs.iter().enumerate().find_map(|(at, job)| {
        let before = jobs[..at].iter().find(|before| before.info.repetition == job.info.repetition)?;
        Some((job, before))
    });
    again.map_or(Ok(()), |(job, before)| {
        let (repetition, folder, other) = (job.info.repetition, &job.folder, &before.folder);
        Err(format!("repetition {repetition} is there twice ({other}, {folder}), and none of them is chosen"))
    })
}

/// One job's value: with several repetitions inside the launch the mean, of errors the sum.
fn value(case: &Case<'_>, job: &Job) -> Result<f64, String> {
    let name = case.metric().1;
    if let Some(outcome) = case.counts_cases() {
        return cases::value(case, job, outcome);
    }
    if case.test.line.as_app().is_some() {
        let named = job.records.iter().find_map(|record| match record {
            Record::Value(value) if value.name == case.criterion.metric => Some(value.value),
            _ => None,
        });
        let (repetition, metric) = (job.info.repetition, &case.criterion.metric);
        return named.ok_or_else(|| format!("repetition {repetition} printed no {metric}"));
    }
    match name {
        "sustained" => return sustained::value(case, job),
        "steady" => return steady::value(case, job),
        _ => {}
    }
    if let Some(rate) = group::rate(case, job)? {
        return Ok(rate);
    }
    let values: Vec<f64> = case.phases(job).filter_map(|phase| phase.metric(name)).map(|m| m.value).collect();
    if values.is_empty() {
        return Err(format!("repetition {} recorded no {}", job.info.repetition, case.criterion.metric));
    }
    let sum: f64 = values.iter().sum();
    Ok(if case.counts_errors() { sum } else { sum / values.len() as f64 })
}

fn why_not_run(case: &Case<'_>) -> String {
    let only = &case.campaign.info.only;
    let Case { plan, campaign, test, .. } = case;
    let made = test.uses.as_ref().map(|uses| (uses.maker(plan), "whose files it reads"));
    let states = test.states.iter().map(|state| (plan.states[*state].job(), "which it needs"));
    for (maker, what) in made.into_iter().chain(states) {
        let failed = |job: &&Job| job.info.test == maker && job.info.end != JobEnd::Exit(0);
        if let Some(job) = campaign.jobs.iter().find(failed) {
            return format!("{maker}, {what}, {}{}", job.info.end.words(), why_failed(job));
        }
    }
    let mut unbound = jobs_of(case).filter_map(|mut job| {
        let records = |test: &str, repetition| late::records_of(campaign, test, repetition);
        late::bind(plan, &mut job, &records).err()
    });
    if let Some(why) = unbound.next().filter(|_| campaign.after.is_some()) {
        return why;
    }
    if !only.is_empty() && !only.contains(&test.id) {
        return format!("left out: only {} was asked for", only.join(", "));
    }
    if campaign.after.is_some() {
        return "the campaign ended before its turn".to_owned();
    }
    match &warnings::attempts(case)[..] {
        [] => "the campaign has not come to it yet".to_owned(),
        [.., last] => format!("the campaign has not ended; an attempt ended with it or still runs ({last})"),
    }
}

/// What a job that failed said last, in brackets.
pub(super) fn why_failed(job: &Job) -> String {
    why_it_ended(job).map(|why| format!(" ({why})")).unwrap_or_default()
}

/// The jobs that the test is to have.
fn jobs_of(case: &Case<'_>) -> impl Iterator<Item = PlannedJob> {
    let id = case.test.id.clone();
    let all = schedule::jobs(case.plan, &[]).unwrap_or_default();
    all.into_iter().filter(move |job| job.test == id)
}

fn ended_well(case: &Case<'_>, job: &Job) -> Result<(), String> {
    let repetition = job.info.repetition;
    let whole = job.records.iter().any(|record| matches!(record, Record::End(_)));
    if let Some(why) = &job.unreadable {
        return Err(format!("repetition {repetition}: its records cannot be read: {why}"));
    }
    match &job.info.end {
        JobEnd::Exit(0) if whole && case.phases(job).any(|phase| phase.backend == "dummy") => {
            Err("the DUMMY backend moves nothing, so there is nothing to judge".to_owned())
        }
        JobEnd::Exit(0) if whole => Ok(()),
        JobEnd::Exit(0) if job.records.is_empty() => Err(format!("repetition {repetition} recorded nothing")),
        JobEnd::Exit(0) => Err(match failure(job) {
            Some(why) => format!("repetition {repetition}: {why}"),
            None => format!("repetition {repetition} has no end in its records"),
        }),
        JobEnd::Exit(_)
            if whole
                && failure(job).is_none()
                && (wrong::bad(job).is_some()
                    || failed_operations(job).is_some()
                    || cases::failed(job).is_some()) =>
        {
            // An answer to a criterion that counts such; to others `wrong_data` refuses it.
            debug_assert!(case.test.id == job.info.test);
            Ok(())
        }
        end => {
            let limit = match end {
                JobEnd::TimedOut => format!(" after {}", units::duration(job.info.timeout_s)),
                _ => String::new(),
            };
            let cause = job.cause().map(|(cause, _)| format!(" ({cause})")).unwrap_or_default();
            let why = why_it_ended(job).map(|why| format!(": {why}")).unwrap_or_default();
            Err(format!("repetition {repetition} {}{limit}{cause}{why}", end.words()))
        }
    }
}

/// Why a job ended, in one line: what it recorded, else what its launcher said of it and the end of its error
/// stream.
fn why_it_ended(job: &Job) -> Option<String> {
    failure(job).or_else(|| job.last_said())
}

/// The failure that a job recorded, in one line.
fn failure(job: &Job) -> Option<String> {
    job.records.iter().find_map(|record| match record {
        Record::Failure(failure) if is_app(job) => Some(format!("{}: {}", failure.step, failure.why)),
        Record::Failure(failure) => {
            Some(format!("{}: rank {} (node {}): {}", failure.step, failure.rank, failure.node, failure.why))
        }
        _ => None,
    })
}

/// Whether it was an external program, which has no ranks to name.
fn is_app(job: &Job) -> bool {
    job.records.iter().any(|record| matches!(record, Record::Run(run) if run.workload == "app"))
}

fn failed_operations(job: &Job) -> Option<&Failed> {
    phases(job).find_map(|phase| phase.failed.as_ref())
}

/// Operations that failed in a job of the test: those that did not would not have been alone.
fn operations_failed(jobs: &[&Job]) -> Option<String> {
    jobs.iter().find_map(|job| {
        let failed = failed_operations(job)?;
        let first = failed.first.first();
        let at = first.map(|first| format!(", first {} {}: {}", first.operation, first.path, first.why));
        let (count, folder) = (failed.operations, &job.folder);
        Some(format!("{count} operations failed ({folder}{})", at.unwrap_or_default()))
    })
}

/// Wrong data in a job of the test, or in one that read the test's files: its speed means nothing.
fn wrong_data(case: &Case<'_>) -> Option<String> {
    let Case { plan, campaign, test, .. } = case;
    let reads_it = |id: &str| {
        plan.tests.iter().any(|other| {
            other.id == id && other.uses.as_ref().is_some_and(|uses| uses.maker(plan) == test.id)
        })
    };
    campaign
        .jobs
        .iter()
        .filter(|job| job.info.test == test.id || reads_it(&job.info.test))
        .find_map(|job| wrong::bad(job).map(|check| wrong::said(job, check)))
}
