//! What an external program printed, or did not, that a person must explain.
//!
//! Never here: contradictions, which make a measurement INVALID.

use plan::app::{App, KnownProgram};
use results::finding::{Finding, Severity};
use results::folder::{Job, Program};
use results::reason::{Reason, any, reason};

use crate::index::Index;
use crate::validity::reported::reported;

/// A program that accounts for a smaller share of its job needs an explanation.
const ACCOUNTED: f64 = 0.1;
/// In a shorter job the start of processes takes most of the time, seconds.
const SHORT_S: f64 = 1.0;

/// The findings about tests with external programs.
pub(super) fn all(index: &Index<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for test in &index.plan.tests {
        let Some(app) = test.line.as_app() else { continue };
        let jobs = index.jobs(&test.id);
        let first = |check: &dyn Fn(&Job) -> Option<Reason>| {
            let mut all = jobs.iter().filter_map(|job| Some((job, check(job)?)));
            all.next().map(|(job, reason)| reason.with(any::repetition, job.info.repetition))
        };
        let cached = |job: &Job| (!test.cache_warm).then(|| cached(job, app)).flatten();
        let checks = [first(&short), first(&cached), first(&found_less), changed(jobs)];
        let found = checks.into_iter().flatten();
        findings.extend(found.map(|reason| Finding::new(Severity::NeedsWaiver, reason).about(&test.id)));
    }
    findings
}

/// Measured seconds that are a small part of the job.
fn short(job: &Job) -> Option<Reason> {
    let (claimed, wall) = (reported(job)?.seconds?, job.info.seconds);
    (wall >= SHORT_S && claimed < ACCOUNTED * wall).then(|| reason!(ReportedShort { claimed, wall, .. }))
}

/// Reads by processes of a node that wrote the data, without anything that keeps them from its cache.
fn cached(job: &Job, app: &App) -> Option<Reason> {
    let facts = reported(job)?;
    let phase = facts.phases.iter().find(|one| ["read", "file_stat", "file_read"].contains(&&*one.phase))?;
    let line = app.ior_line(facts);
    let bypasses = line.is_some_and(|line| line.is_direct() || line.drop_caches);
    let other_nodes = match app.parse {
        Some(KnownProgram::Ior) => facts.shifted == Some(true),
        Some(KnownProgram::Mdtest | KnownProgram::FlashIo) | None => {
            app.mdtest_line(facts).is_some_and(|line| line.rank_shift() != Some(0))
        }
    };
    let moved = other_nodes && facts.nodes.is_some_and(|nodes| nodes > 1);
    (!bypasses && !moved).then(|| reason!(ReportedCached { phase: &phase.phase, .. }))
}

/// Files that were smaller than the program expected.
fn found_less(job: &Job) -> Option<Reason> {
    let (expected, found) = reported(job)?.found_less?;
    Some(reason!(ReportedLess { expected, found, .. }))
}

/// A program that is not the same in all jobs of a test.
fn changed(jobs: &[&Job]) -> Option<Reason> {
    let mut known: Vec<&Program> = Vec::new();
    for job in jobs {
        for program in job.info.programs.iter().filter(|program| !program.sha256.is_empty()) {
            match known.iter().find(|other| other.path == program.path) {
                Some(other) if other.sha256 != program.sha256 => {
                    let repetition = job.info.repetition;
                    return Some(reason!(ProgramChanged { path: &program.path, repetition }));
                }
                Some(_) => {}
                None => known.push(program),
            }
        }
    }
    None
}
