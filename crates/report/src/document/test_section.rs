//! The section of one test: verdicts, plots, tables of its phases, and its jobs; with the tables of stretches
//! and of states.
//!
//! Invariant: a phase is named the same in every plot and table of its section; the numbers of stretches are
//! those of the verdicts, never computed again.
//! Never here: the plots, and the tables of phases.

use results::folder::Job;
use results::record::{self, Notice, Phase, ReachedState, StateExtents};
use results::{Record, Stretch, StretchKind, Verdict};

use super::build::Test;
use super::words::{NONE, count_cell, quantity_cell, share};
use super::{
    Block, Cell, Clause, Remark, RemarkKind, Section, Table, cases, clauses, jobs, phases, plots, stragglers,
};

/// The kind of state that is one of the whole file system.
const AGE: &str = "age";

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
    blocks.extend(stretches(&test.verdicts).map(Block::Table));
    let mut plots = plots::of(&measured, &test.verdicts);
    plots.extend(stragglers::plots(&measured));
    if !plots.is_empty() {
        blocks.push(Block::Plots(plots));
    }
    blocks.extend(states(&test.jobs).map(Block::Table));
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

/// All phases of all jobs. A job that repeats by itself counts its own repetitions.
fn measured<'a>(jobs: &[&'a Job]) -> Vec<RepetitionPhase<'a>> {
    let mut all = vec![];
    for job in jobs {
        let repeats = record::phases(&job.records).any(|phase| phase.repetition > 0);
        let again = jobs.iter().filter(|other| other.info.repetition == job.info.repetition).count() > 1;
        for phase in record::phases(&job.records) {
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

/// Each stretch of each repetition once; `None` where no verdict looked at any.
fn stretches(verdicts: &[&Verdict]) -> Option<Table> {
    let headings = "Phase | >Repetition | Stretch | >From | >Length | >Rate | >Times the mean";
    let mut table = Table::new("Stretches looked at besides whole phases", headings);
    table.note = "From the common start of the phase, in whole intervals of its timeline. Worst: no other \
                  stretch of that length was slower. Steady: measured after the rate had become steady. \
                  Common: all parts of the group were at work."
        .into();
    for stretch in verdicts.iter().flat_map(|verdict| &verdict.stretches) {
        let row = stretch_row(stretch);
        if !table.rows.contains(&row) {
            table.row(row);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

fn stretch_row(stretch: &Stretch) -> Vec<Cell> {
    let kind = match stretch.kind {
        StretchKind::Worst => "worst",
        StretchKind::Steady => "steady",
        StretchKind::Common => "common",
    };
    vec![
        Cell::literal(&stretch.phase),
        Cell::new(stretch.repetition.to_string()),
        Cell::new(kind),
        Cell::new(units::duration(stretch.from_s)),
        Cell::new(units::duration(stretch.seconds)),
        quantity_cell(stretch.rate, &stretch.unit),
        Cell::new(format!("{:.2}", stretch.share)),
    ]
}

/// What was asked for and what was reached, for each state that the jobs recorded.
fn states(jobs: &[&Job]) -> Option<Table> {
    let headings = "State | >Repetition | What | >Asked | >Before | >Reached";
    let mut table = Table::new("State reached", headings);
    let mut aged = false;
    for job in jobs {
        for record in &job.records {
            let Record::State(state) = record else { continue };
            aged |= state.kind == AGE;
            for (what, numbers) in state_rows(state) {
                let name = [Cell::new(&state.kind), Cell::new(job.info.repetition.to_string())];
                table.row(name.into_iter().chain([Cell::new(what)]).chain(numbers));
            }
        }
    }
    if aged {
        table.note =
            "Shares are of the whole file system, with what others hold there. Files in several pieces \
                      before are those after the first fill."
                .into();
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Each with what was asked, before and reached.
fn state_rows(state: &ReachedState) -> Vec<(&'static str, [Cell; 3])> {
    let none = || Cell::new(NONE);
    let of = |fraction: f64| Cell::new(share(fraction));
    let inodes = |fraction: f64| if state.fs_inodes > 0 { of(fraction) } else { none() };
    let asked = |fraction: Option<f64>| fraction.map_or_else(none, of);
    let left = |number: u64| [none(), none(), count_cell(number)];
    let mut rows = vec![("Files", left(state.files)), ("Directories", left(state.directories))];
    if state.kind != AGE {
        return rows;
    }
    let cycles = |number: f64| Cell::new(format!("{number:.2}"));
    let pieces = |extents: &Option<StateExtents>| {
        let counted = extents.as_ref().filter(|extents| extents.files > 0);
        counted.map_or_else(none, |extents| of(extents.share_fragmented()))
    };
    rows.extend([
        ("Blocks in use", [asked(state.blocks_target), of(state.blocks_before), of(state.blocks)]),
        ("Inodes in use", [asked(state.inodes_target), inodes(state.inodes_before), inodes(state.inodes)]),
        ("Turnovers", [cycles(state.cycles_target), none(), cycles(state.cycles)]),
        ("Files in several pieces", [none(), pieces(&state.extents_first), pieces(&state.extents)]),
    ]);
    rows
}
