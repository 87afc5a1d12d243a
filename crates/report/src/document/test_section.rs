//! The section of one test: verdicts, plots, tables of its phases, and its jobs.
//!
//! Invariant: a phase is named the same in every plot and table of its section.
//! Never here: the tables and plots themselves.

use results::Record;
use results::folder::Job;
use results::record::{Notice, Phase};

use super::build::Test;
use super::{
    Block, Clause, Remark, RemarkKind, Section, cases, clauses, jobs, phases, plots, states, stragglers,
    stretches,
};

/// One phase with the name of its repetition.
pub(super) struct RepetitionPhase<'a> {
    /// The phase.
    pub(super) phase: &'a Phase,
    /// Its repetition, such as `2`, or `2, job 7` where a test was attempted again.
    pub(super) repetition: String,
}

/// The section of a test.
pub(super) fn of(test: &Test) -> Section {
    let measured = measured(&test.jobs);
    let (mut blocks, mut told) = (vec![], vec![]);
    if !test.verdicts.is_empty() {
        let mut own: Vec<Clause> =
            test.verdicts.iter().map(|verdict| clauses::clause(verdict, &test.anchor)).collect();
        told = clauses::remarks(&mut own).into_iter().map(|remark| remark.text).collect();
        blocks.push(Block::Clauses(own));
    }
    let notices = notices(&test.jobs, told);
    if !notices.is_empty() {
        let remark = |text| Remark::new(RemarkKind::Warning, text);
        blocks.push(Block::Remarks(notices.into_iter().map(remark).collect()));
    }
    blocks.extend(clauses::values(&test.verdicts).map(Block::Table));
    blocks.extend(stretches::table(&test.verdicts).map(Block::Table));
    let mut plots = plots::of(&measured, &test.verdicts);
    plots.extend(stragglers::plots(&measured));
    if !plots.is_empty() {
        blocks.push(Block::Plots(plots));
    }
    blocks.extend(states::table(&test.jobs).map(Block::Table));
    blocks.extend(cases::tables(&test.jobs).into_iter().map(Block::Table));
    blocks.extend(phases::tables(&measured).into_iter().map(Block::Table));
    blocks.extend(stragglers::tables(&measured).into_iter().map(Block::Table));
    blocks.extend(test.jobs.iter().map(|job| jobs::block(job)));
    if test.jobs.is_empty() {
        blocks.push(Block::Paragraph("No job of this test ran.".into()));
    }
    Section { id: test.anchor.clone(), title: title(test), blocks }
}

fn title(test: &Test) -> String {
    match test.id.split_once('.') {
        Some(("dataset", name)) => format!("Dataset {name}"),
        Some(("state", name)) => format!("State {name}"),
        _ => match test.id.strip_suffix("+warm-up") {
            Some(id) => format!("Warm-up of test {id}, which counts for nothing"),
            None => format!("Test {}", test.id),
        },
    }
}

fn phases_of(job: &Job) -> impl Iterator<Item = &Phase> {
    job.records.iter().filter_map(|record| match record {
        Record::Phase(phase) => Some(&**phase),
        _ => None,
    })
}

/// All phases of all jobs. A job that repeats by itself counts its own repetitions.
fn measured<'a>(jobs: &[&'a Job]) -> Vec<RepetitionPhase<'a>> {
    let mut all = vec![];
    for job in jobs {
        let repeats = phases_of(job).any(|phase| phase.repetition > 0);
        let again = jobs.iter().filter(|other| other.info.repetition == job.info.repetition).count() > 1;
        for phase in phases_of(job) {
            let own = phase.repetition + 1;
            let mut repetition = match (repeats, jobs.len()) {
                (false, _) => job.info.repetition.to_string(),
                (true, 1) => own.to_string(),
                (true, _) => format!("{}.{own}", job.info.repetition),
            };
            if again {
                repetition.push_str(&format!(", job {}", job.info.number));
            }
            all.push(RepetitionPhase { phase, repetition });
        }
    }
    all
}

/// The notices of all jobs, the same sentence once, and none of those that are told.
fn notices(jobs: &[&Job], told: Vec<String>) -> Vec<String> {
    let known = told.len();
    let mut all = told;
    for job in jobs {
        for record in &job.records {
            let Record::Notice(Notice { phase, text, .. }) = record else { continue };
            let sentence = if phase.is_empty() { text.clone() } else { format!("{phase}: {text}") };
            if !all.contains(&sentence) {
                all.push(sentence);
            }
        }
    }
    all.split_off(known)
}
