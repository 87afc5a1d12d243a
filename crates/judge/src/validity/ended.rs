//! Whether the jobs of a test were run, once each, and ended successfully.
//!
//! Never here: what they measured.

use command::discards_data;
use plan::{Plan, StateKind, deferred};
use results::folder::{DeathCause, Job, JobEnd, LaunchRejection};
use results::reason::{Reason, any, reason, row};
use results::record::{self, Record};

use super::errors;
use crate::case::TestCriterion;

/// Whether every repetition exists only once. If there are several jobs, none is chosen.
pub(super) fn once(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let jobs = case.jobs();
    let again = jobs.iter().enumerate().find_map(|(at, job)| {
        let before = jobs[..at].iter().find(|before| before.info.repetition == job.info.repetition)?;
        Some((job, before))
    });
    again.map_or(Ok(()), |(job, before)| {
        Err(reason!(RepetitionTwice {
            repetition: job.info.repetition,
            folders: vec![&before.folder, &job.folder]
        }))
    })
}

/// Whether a job ended successfully.
pub(super) fn well(case: &TestCriterion<'_>, job: &Job) -> Result<(), Reason> {
    let is_complete = record::is_complete(&job.records);
    let of = |reason: Reason| Err(reason.with(any::repetition, job.info.repetition));
    if let Some(error) = &job.unreadable {
        return of(reason!(RecordsUnreadable { error, .. }));
    }
    match &job.info.end {
        JobEnd::Exit(0) if is_complete && case.phases(job).any(|phase| discards_data(&phase.backend)) => {
            Err(reason!(DummyBackend))
        }
        JobEnd::Exit(0) if is_complete => Ok(()),
        JobEnd::Exit(0) if job.records.is_empty() => of(reason!(NothingRecorded { .. })),
        JobEnd::Exit(0) => of(job.failure().unwrap_or_else(|| reason!(NoEndRecord { .. }))),
        // These results decide criteria that count errors. Other rules reject the job for other criteria.
        JobEnd::Exit(_)
            if is_complete
                && job.failure().is_none()
                && (errors::wrong_data(job).is_some()
                    || errors::failed_operations(job).is_some()
                    || errors::failed_case(job).is_some()
                    || errors::broken_quota(job)) =>
        {
            Ok(())
        }
        _ => of(why_failed(job)),
    }
}

/// How a failed job ended: its recorded failure, or else its error stream.
pub(crate) fn why_failed(job: &Job) -> Reason {
    if let Some(rejection) = &job.info.rejection {
        return reason!(JobNotStarted { rejection, ..job.info.end.reason() });
    }
    let cause = job.death().map(|cause| match cause {
        DeathCause::Killed => "killed",
        DeathCause::Cancelled => "cancelled",
        DeathCause::Time => "allocation-time",
        DeathCause::Node => "node-died",
    });
    let of_launcher =
        |reason: Reason| with_dead_process(reason!(JobFailed { launcher: cause, ..reason }), job);
    // The program itself may also reject an option or miss a program, so only a probe shows these mistakes.
    let is_certain = |rejection: &LaunchRejection| {
        !matches!(rejection, LaunchRejection::Option | LaunchRejection::Program)
    };
    let launch_rejected = job.launch_rejection().filter(is_certain).filter(|_| job.records.is_empty());
    if let Some(rejection) = launch_rejected {
        let reason = of_launcher(job.info.end.reason());
        return reason!(JobFailed { launch_rejected: rejection.word(), ..reason });
    }
    let reason = of_launcher(job.how_it_failed());
    let says_why = reason.has(row::JobFailed::failure) || reason.has(row::JobFailed::output);
    let reported = job.records.iter().find_map(|record| match record {
        Record::Notice(notice) if !says_why => Some(&notice.reason),
        _ => None,
    });
    reason!(JobFailed { reported, ..reason })
}

/// The reason with the process whose end the launcher reports first.
fn with_dead_process(reason: Reason, job: &Job) -> Reason {
    let Some(dead) = &job.info.dead_process else { return reason };
    reason!(JobFailed {
        dead_process: dead.pid,
        dead_node: &dead.node,
        dead_rank: dead.rank,
        dead_signal: dead.signal,
        dead_status: dead.status,
        ..reason
    })
}

/// Why a test, or some of its repetitions, were not run.
pub(super) fn why_not_run(case: &TestCriterion<'_>) -> Reason {
    let TestCriterion { index, test, .. } = case;
    let (plan, only) = (index.plan, &index.campaign.info.only);
    if let Some(reason) = needed_failed(case, plan) {
        return reason;
    }
    let records = |test: &str, repetition| index.records(test, repetition);
    let mut unbound =
        index.planned(&test.id).filter_map(|job| deferred::bind(plan, &mut job.clone(), &records).err());
    if let Some(reason) = unbound.next().filter(|_| index.has_ended()) {
        return reason;
    }
    if !only.is_empty() && !only.contains(&test.id) {
        return reason!(NotChosen { chosen: only.iter().collect::<Vec<_>>() });
    }
    if index.has_ended() {
        return reason!(NoneRan);
    }
    match &index.attempts(test)[..] {
        [] => reason!(NotYetRun),
        [.., last] => reason!(AttemptOpen { folder: *last }),
    }
}

/// A job that the test needs, and that failed.
fn needed_failed(case: &TestCriterion<'_>, plan: &Plan) -> Option<Reason> {
    let TestCriterion { index, test, .. } = case;
    let source = test.uses.as_ref().map(|uses| uses.maker(plan));
    let states = test.states.iter().map(|state| &plan.states[*state]);
    let states = states.filter(|state| matches!(state.kind, StateKind::Age(_))).map(plan::State::job);
    source.into_iter().chain(states).find_map(|needed| {
        let job = index.jobs(&needed).iter().find(|job| job.info.end != JobEnd::Exit(0))?;
        Some(why_failed(job).with(any::job, needed))
    })
}
