//! The section of one test: verdicts, plots, tables of its phases, states and time windows, and its jobs.
//!
//! Invariant: a phase has the same name in every plot and table of its section. The numbers of time windows
//! are those of the verdicts, never computed again.
//! Never here: the plots, and the tables of phases.

use results::folder::Job;
use results::record::{self, Notice, ReachedState, StateExtents};
use results::{Record, TimeWindow, TimeWindowKind, Verdict};

use super::jobs::JobAnchors;
use super::phases::RepetitionPhase;
use super::plots::TestParts;
use super::words::{NONE, count_cell, quantity_cell, share, tone_of};
use super::{
    Block, Cell, Clause, Remark, RemarkKind, Section, Table, cases, clauses, phases, plots, stragglers,
};
use crate::sentences;

/// The kind of a state of the whole file system.
const AGE: &str = "age";

pub(super) fn section(test: &TestParts, anchors: &JobAnchors) -> Section {
    let measured = measured(&test.jobs);
    let (mut blocks, mut known) = (vec![], vec![]);
    if !test.verdicts.is_empty() {
        let mut own: Vec<Clause> =
            test.verdicts.iter().map(|verdict| clauses::clause(verdict, None)).collect();
        known = clauses::remarks(&mut own).into_iter().map(|remark| remark.text).collect();
        blocks.push(Block::Clauses(own));
    }
    let notices = notices(&test.jobs, known);
    if !notices.is_empty() {
        let remark = |text| Remark::new(RemarkKind::Warning, text);
        blocks.push(Block::Remarks(notices.into_iter().map(remark).collect()));
    }
    blocks.extend(clauses::values(&test.verdicts).map(Block::Table));
    blocks.extend(time_windows(&test.verdicts).map(Block::Table));
    let ranks = stragglers::attributed(&measured);
    let mut plots = plots::of_test(test, &measured);
    plots.extend(stragglers::plots(&ranks, test.detail));
    if !plots.is_empty() {
        blocks.push(Block::Plots(plots));
    }
    blocks.extend(states(&test.jobs).map(Block::Table));
    blocks.extend(cases::tables(&test.jobs).into_iter().map(Block::Table));
    blocks.extend(phases::tables(&measured).into_iter().map(Block::Table));
    blocks.extend(stragglers::tables(&measured, &ranks, test.detail).into_iter().map(Block::Table));
    match test.jobs.is_empty() {
        true => blocks.push(Block::Paragraph("No job of this test ran.".into())),
        false => {
            blocks.push(Block::References(test.jobs.iter().map(|job| anchors.reference(job)).collect()));
        }
    }
    Section { id: test.anchor.to_owned(), title: title(test.id), outcomes: outcomes(test), blocks }
}

/// The distinct outcomes of the test, in the order of its clauses.
fn outcomes(test: &TestParts) -> Vec<Cell> {
    let mut all: Vec<Cell> = Vec::new();
    for verdict in &test.verdicts {
        let cell = Cell::new(verdict.outcome.to_string()).toned(tone_of(verdict.outcome));
        if !all.contains(&cell) {
            all.push(cell);
        }
    }
    all
}

pub(super) fn title(id: &str) -> String {
    match id.split_once('.') {
        Some(("dataset", name)) => format!("Dataset {name}"),
        Some(("state", name)) => format!("State {name}"),
        _ => match id.strip_suffix("+warm-up") {
            Some(id) => format!("Warm-up of test {id} (excluded)"),
            None => format!("Test {id}"),
        },
    }
}

/// All phases of all jobs. If a job repeats its phases, its own repetitions are counted.
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

/// The notices of all jobs, each sentence once, without those in `known`.
fn notices(jobs: &[&Job], known: Vec<String>) -> Vec<String> {
    let first = known.len();
    let mut all = known;
    for job in jobs {
        for record in &job.records {
            let Record::Notice(Notice { phase, reason, .. }) = record else { continue };
            let text = sentences::sentence(reason);
            let sentence = if phase.is_empty() { text } else { format!("{phase}: {text}") };
            if !all.contains(&sentence) {
                all.push(sentence);
            }
        }
    }
    all.split_off(first)
}

/// Each time window of each repetition, once; `None` if no verdict used any.
fn time_windows(verdicts: &[&Verdict]) -> Option<Table> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for window in verdicts.iter().flat_map(|verdict| &verdict.time_windows) {
        let row = time_window_row(window);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let headings = "Phase | >Repetition | Time window | >From | >Length | >Rate | >Rate / mean rate";
    Table::with_rows("Time windows within phases", headings, rows)
        .noted(
            "Times start at the common start of the phase, in whole intervals of its timeline. Worst: no \
             other window of that length was slower. Steady: the rate was steady before the window began. \
             Common: all parts of the group were active.",
        )
        .unless_empty()
}

fn time_window_row(window: &TimeWindow) -> Vec<Cell> {
    let kind = match window.kind {
        TimeWindowKind::Worst => "worst",
        TimeWindowKind::Steady => "steady",
        TimeWindowKind::Common => "common",
    };
    vec![
        Cell::literal(&window.phase),
        Cell::new(window.repetition.to_string()),
        Cell::new(kind),
        Cell::new(units::duration(window.from_s)),
        Cell::new(units::duration(window.seconds)),
        quantity_cell(window.rate, &window.unit),
        Cell::new(format!("{:.2}", window.share)),
    ]
}

/// What was required and what was reached, for each recorded state.
fn states(jobs: &[&Job]) -> Option<Table> {
    let states = jobs.iter().flat_map(|job| record::states(&job.records).map(move |state| (job, state)));
    let is_aged = states.clone().any(|(_, state)| state.kind == AGE);
    let rows = states.flat_map(|(job, state)| {
        state_rows(state).into_iter().map(move |(what, numbers)| {
            let name = [&state.kind, &job.info.repetition.to_string(), what].map(Cell::new);
            name.into_iter().chain(numbers)
        })
    });
    let headings = "State | >Repetition | Quantity | >Required | >Before | >Reached";
    let table = Table::with_rows("State reached", headings, rows);
    let note = "Shares are of the whole file system, including the data of others. The share of fragmented \
                files in the column Before is that after the first fill.";
    table.noted(if is_aged { note } else { "" }).unless_empty()
}

/// The rows of a state: required, before, reached.
fn state_rows(state: &ReachedState) -> Vec<(&'static str, [Cell; 3])> {
    let none = || Cell::new(NONE);
    let cell = |fraction: f64| Cell::new(share(fraction));
    let inodes = |fraction: f64| if state.fs_inodes > 0 { cell(fraction) } else { none() };
    let target = |fraction: Option<f64>| fraction.map_or_else(none, cell);
    let left = |number: u64| [none(), none(), count_cell(number)];
    let mut rows = vec![("Files", left(state.files)), ("Directories", left(state.directories))];
    if state.kind != AGE {
        return rows;
    }
    let cycles = |number: f64| Cell::new(format!("{number:.2}"));
    let fragmented = |extents: &Option<StateExtents>| {
        let counted = extents.as_ref().filter(|extents| extents.files > 0);
        counted.map_or_else(none, |extents| cell(extents.share_fragmented()))
    };
    rows.extend([
        ("Blocks in use", [target(state.blocks_target), cell(state.blocks_before), cell(state.blocks)]),
        ("Inodes in use", [target(state.inodes_target), inodes(state.inodes_before), inodes(state.inodes)]),
        ("Overwrite cycles", [cycles(state.cycles_target), none(), cycles(state.cycles)]),
        ("Fragmented files", [none(), fragmented(&state.extents_first), fragmented(&state.extents)]),
    ]);
    rows
}
