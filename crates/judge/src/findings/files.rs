//! Files that were not where their names are: a link leads elsewhere, or something is mounted on them.
//!
//! Never here: the directories of files, and other nodes.

use results::finding::{Finding, Severity};
use results::folder::Job;
use results::reason::{Code, Reason, reason};
use results::record::{OpenedFiles, Phase};

use crate::index::{Index, phases, runs};

/// The findings about tests and datasets.
pub(super) fn all(index: &Index<'_>) -> Vec<Finding> {
    let plan = index.plan;
    let tests = plan.tests.iter().map(|test| (test.id.clone(), &test.fs));
    let datasets = plan.datasets.iter().map(|dataset| (dataset.job(), &dataset.fs));
    let of = |(name, fs): (String, &String)| {
        let jobs = index.jobs(&name);
        let checks = [jobs.iter().find_map(|job| stray(job)), other_than_campaign(index, jobs, fs)];
        let linked = jobs.iter().find_map(|job| linked(job));
        let errors = checks.into_iter().flatten().take(1).map(|reason| Finding::new(Severity::Error, reason));
        let links = linked.map(|reason| Finding::new(Severity::NeedsWaiver, reason));
        errors.chain(links).map(|one| one.about(&name)).collect::<Vec<_>>()
    };
    tests.chain(datasets).flat_map(of).collect()
}

/// The phases of a job with their files.
fn opened(job: &Job) -> impl Iterator<Item = (&Phase, &OpenedFiles)> {
    phases(job).filter_map(|phase| Some((phase, phase.opened.as_ref()?)))
}

/// Files on another file system than their directory.
fn stray(job: &Job) -> Option<Reason> {
    let (phase, opened) = opened(job).find(|(_, opened)| opened.stray > 0)?;
    Some(first(Code::StrayFile, job, phase, opened.stray, opened))
}

/// Files that are links to other files of their file system.
fn linked(job: &Job) -> Option<Reason> {
    let (phase, opened) = opened(job).find(|(_, opened)| opened.linked > 0)?;
    Some(first(Code::LinkedFile, job, phase, opened.linked, opened))
}

fn first(code: Code, job: &Job, phase: &Phase, ranks: u32, opened: &OpenedFiles) -> Reason {
    let reason = reason!(LinkedFile {
        repetition: job.info.repetition,
        ranks,
        phase: &phase.phase,
        ..Reason::new(code)
    });
    let Some(first) = opened.first.first() else { return reason };
    reason!(StrayFile {
        found: &first.found,
        expected: &first.expected,
        ..reason!(LinkedFile { path: &first.path, place: &first.place, ..reason })
    })
}

/// Files on another file system than the one that the campaign found at its start, on the same machine.
fn other_than_campaign(index: &Index<'_>, jobs: &[&Job], fs: &str) -> Option<Reason> {
    let (facts, host) = (index.file_system(fs)?, &index.campaign.before.as_ref()?.host);
    let differs = |opened: &OpenedFiles| {
        let known = !facts.kind.is_empty() && !opened.kind.is_empty();
        known && (&opened.kind, &opened.device) != (&facts.kind, &facts.device)
    };
    let here = jobs.iter().filter(|job| runs(&[**job]).any(|run| run.host == *host));
    here.into_iter().find_map(|job| {
        let (phase, found) = opened(job).find(|(_, found)| differs(found))?;
        Some(reason!(StrayFile {
            repetition: job.info.repetition,
            phase: &phase.phase,
            path: &phase.path,
            found: format!("{} {}", found.kind, found.device),
            expected: format!("{} {}", facts.kind, facts.device)
        }))
    })
}
