//! In which order the launches of tests follow on each other: warm-ups first, then repetition by repetition.
//!
//! Tests that take turns share each round, so that what changes with time changes all of them alike.
//!
//! Invariant: pure; every repetition of every test is there once.
//! Never here: what a launch does.

use super::{PlannedJob, test_job};
use crate::plan::{Plan, Test, Uses};

/// The launches of the tests that come with the one at `index`: its own, or where others take turns with it
/// those of all of them when it is the last.
pub(super) fn launches(plan: &Plan, index: usize, before: usize) -> Vec<PlannedJob> {
    let test = &plan.tests[index];
    let Some(first) = test.course.turns else { return rounds(plan, &[index], before) };
    let next = plan.tests.get(index + 1);
    if next.is_some_and(|next| next.course.turns == Some(first)) {
        return Vec::new();
    }
    rounds(plan, &(first..=index).collect::<Vec<_>>(), before)
}

fn rounds(plan: &Plan, tests: &[usize], before: usize) -> Vec<PlannedJob> {
    let mut jobs = Vec::new();
    let of_all = |number: fn(&Test) -> u32| {
        let most = tests.iter().map(|test| number(&plan.tests[*test])).max().unwrap_or(0);
        (1..=most).flat_map(move |round| {
            tests
                .iter()
                .filter(move |test| round <= number(&plan.tests[**test]))
                .map(move |test| (*test, round))
        })
    };
    for (test, round) in of_all(|test| test.course.warm_up) {
        jobs.push(warm_up_job(plan, test, round, before + jobs.len()));
    }
    for (test, round) in of_all(|test| test.repetitions) {
        jobs.push(test_job(plan, test, round, before + jobs.len()));
    }
    jobs
}

/// A launch like a repetition of the test, with a name and files of its own, so that it counts for nothing.
fn warm_up_job(plan: &Plan, index: usize, round: u32, before: usize) -> PlannedJob {
    let test = &plan.tests[index];
    let mut job = test_job(plan, index, 1, before);
    job.test = test.warm_up_job();
    job.repetition = round;
    job.folder = format!("{:04}-{}-r{round}", job.number, job.test);
    if !matches!(test.uses, Some(Uses::Dataset(_))) {
        job.files = format!("tests/{}-r{round}", job.test);
    }
    job
}
