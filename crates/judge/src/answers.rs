//! The answer sheets of a plan, filled with the values of a campaign.
//!
//! Each value is that of a verdict on a criterion that every value meets. So a value that no verdict would
//! use is not in a sheet.
//!
//! Never here: units of the document, rounding, layout.

use std::collections::BTreeSet;

use plan::{Answer, AnswerCell, AnswerFact, AnswerRow, AnswerRuns, AnswerSource, AnswerValue, Plan, Test};
use results::answers::{AnswerLine, AnswerSheet, AnsweredCell, AnsweredValue};
use results::reason::{Code, row};
use results::summary::SystemProjection;
use results::{Outcome, Verdict, record};
use units::Dimension;

use crate::case::TestCriterion;
use crate::findings::Findings;
use crate::index::Index;
use crate::summary;
use crate::verdicts::{self, score};

/// A value cell with its verdict or projection.
enum Found {
    Verdict(Box<Verdict>),
    Projection(Box<SystemProjection>),
}

/// The sheets, in the order of the plan.
pub(crate) fn all(index: &Index<'_>, findings: &Findings) -> Vec<AnswerSheet> {
    index.plan.answers.iter().map(|answer| sheet(index, findings, answer)).collect()
}

fn sheet(index: &Index<'_>, findings: &Findings, answer: &Answer) -> AnswerSheet {
    AnswerSheet {
        id: answer.id.clone(),
        title: answer.title.clone(),
        source: answer.source.clone(),
        labels: answer.labels.clone(),
        columns: answer.columns.iter().map(|one| (one.title.clone(), one.unit.clone())).collect(),
        lines: answer.rows.iter().flat_map(|row| lines(index, findings, answer, row)).collect(),
    }
}

fn lines(index: &Index<'_>, findings: &Findings, answer: &Answer, row: &AnswerRow) -> Vec<AnswerLine> {
    let found: Vec<Option<Found>> = row.cells.iter().map(|cell| find(index, findings, cell)).collect();
    let line = |run: Option<usize>| {
        let cells = row.cells.iter().zip(&found);
        AnswerLine {
            labels: row.labels.clone(),
            sources: row.sources.iter().map(|source| id(index.plan, *source).to_owned()).collect(),
            cells: cells.map(|(cell, found)| answered(index, row, cell, found.as_ref(), run)).collect(),
        }
    };
    let runs = runs(answer.runs, row, &found);
    if runs.is_empty() { vec![line(None)] } else { runs.into_iter().map(|run| line(Some(run))).collect() }
}

/// The repetitions that have a line, from 0; empty for one line about all. Without a usable value in each
/// cell no repetition has a line, because their values do not belong together.
fn runs(runs: AnswerRuns, row: &AnswerRow, found: &[Option<Found>]) -> BTreeSet<usize> {
    let mut columns: Vec<(Dimension, &[f64])> = Vec::new();
    for (cell, found) in row.cells.iter().zip(found) {
        let (AnswerCell::Value(value), Some(Found::Verdict(verdict))) = (cell, found) else { continue };
        let values = verdict.statistics.as_ref().map(|statistics| &statistics.values[..]);
        match values.filter(|_| verdict.outcome == Outcome::Pass) {
            Some(values) => columns.push((value.criterion.dimension, values)),
            None => return BTreeSet::new(),
        }
    }
    match runs {
        AnswerRuns::Reported => BTreeSet::new(),
        AnswerRuns::All => (0..columns.iter().map(|(_, values)| values.len()).min().unwrap_or(0)).collect(),
        AnswerRuns::Maxima => {
            let is_rate = |dimension| matches!(dimension, Dimension::BytesPerSecond | Dimension::PerSecond);
            let rates = columns.iter().filter(|(dimension, _)| is_rate(*dimension));
            rates.filter_map(|(_, values)| highest(values)).collect()
        }
    }
}

/// The place of the highest value, the first of equal ones.
fn highest(values: &[f64]) -> Option<usize> {
    values.iter().enumerate().rev().max_by(|one, other| one.1.total_cmp(other.1)).map(|(at, _)| at)
}

fn find(index: &Index<'_>, findings: &Findings, cell: &AnswerCell) -> Option<Found> {
    let AnswerCell::Value(value) = cell else { return None };
    let plan = index.plan;
    if let Some(projection) = value.projection {
        let projected = summary::projection(index, findings, &plan.projections[projection]);
        return Some(Found::Projection(Box::new(projected)));
    }
    let criterion = &value.criterion;
    Some(Found::Verdict(Box::new(match value.source {
        AnswerSource::Test(at) => {
            verdicts::of_case(&TestCriterion { index, test: &plan.tests[at], criterion }, findings)
        }
        AnswerSource::Group(at) => verdicts::of_group(index, findings, &plan.groups[at], criterion),
        AnswerSource::Score(at) => score::on(index, findings, &plan.scores[at], criterion),
    })))
}

/// The content of a cell, in the line of repetition `run` or of all.
fn answered(
    index: &Index<'_>,
    row: &AnswerRow,
    cell: &AnswerCell,
    found: Option<&Found>,
    run: Option<usize>,
) -> AnsweredCell {
    let value = match (cell, found) {
        (AnswerCell::Fact(wanted), _) => return AnsweredCell::Fact(fact(index, row, *wanted, run)),
        (AnswerCell::Value(value), Some(Found::Projection(projection))) => {
            projected(index, value, projection)
        }
        (AnswerCell::Value(value), Some(Found::Verdict(verdict))) => measured(index, value, verdict, run),
        (AnswerCell::Value(_), None) => unreachable!("every value was looked for"),
    };
    AnsweredCell::Value(Box::new(value))
}

fn unanswered(index: &Index<'_>, value: &AnswerValue) -> AnsweredValue {
    AnsweredValue {
        test: id(index.plan, value.source).to_owned(),
        metric: value.criterion.metric.clone(),
        base_unit: value.criterion.dimension.unit().to_owned(),
        unit: value.unit.clone(),
        unit_value: value.unit_value,
        ..AnsweredValue::default()
    }
}

fn measured(index: &Index<'_>, value: &AnswerValue, verdict: &Verdict, run: Option<usize>) -> AnsweredValue {
    let values = verdict.statistics.as_ref().map_or(&[][..], |statistics| &statistics.values);
    let best = verdict.notes.iter().find(|note| note.code() == Code::BestRepetition);
    let best = best.and_then(|note| note.reason.get(row::BestRepetition::repetition)).map(|at| at as usize);
    let repetition = run.map(|run| run + 1).or(best);
    // A count of errors is a result, also if it is a failure.
    let is_shown = verdict.outcome == Outcome::Pass || value.criterion.dimension == Dimension::Count;
    let of_run = |run: usize| values.get(run).copied();
    let job = |repetition: usize| {
        let job = index.job(&verdict.test, u32::try_from(repetition).ok()?)?;
        Some(vec![job.folder.clone()])
    };
    AnsweredValue {
        value: run.map_or(verdict.value, of_run).filter(|_| is_shown),
        outcome: verdict.outcome,
        reason: (verdict.outcome != Outcome::Pass).then(|| verdict.reason.clone()),
        statistic: verdict.statistic.clone(),
        repetitions: values.len(),
        repetition,
        is_maximum: run.is_some() && run == highest(values),
        as_reported: verdict.as_reported,
        jobs: repetition.and_then(job).unwrap_or_else(|| verdict.jobs.clone()),
        ..unanswered(index, value)
    }
}

fn projected(index: &Index<'_>, value: &AnswerValue, projection: &SystemProjection) -> AnsweredValue {
    let plan = index.plan;
    let steps = value.projection.map_or(&[][..], |at| &plan.projections[at].steps);
    let jobs = steps.iter().flat_map(|step| index.jobs(&plan.tests[*step].id));
    let accepted = projection.rate.filter(|_| projection.rejection.is_none());
    AnsweredValue {
        value: accepted,
        outcome: if accepted.is_some() { Outcome::Pass } else { Outcome::Invalid },
        reason: projection.rejection.clone(),
        jobs: jobs.map(|job| job.folder.clone()).collect(),
        projection: Some(projection.clone()),
        ..unanswered(index, value)
    }
}

/// A fact of the first test of the row, in repetition `run` or in all; empty if it is not known. The ranks of
/// a projected row are not known.
fn fact(index: &Index<'_>, row: &AnswerRow, wanted: AnswerFact, run: Option<usize>) -> String {
    let values = row.cells.iter().filter_map(|cell| match cell {
        AnswerCell::Value(value) => Some(value),
        AnswerCell::Fact(_) => None,
    });
    if wanted == AnswerFact::Unit {
        return distinct(values.map(|value| value.unit.clone()));
    }
    let projection = values.filter_map(|value| value.projection).next();
    if let Some(projection) = projection.map(|at| &index.plan.projections[at]) {
        let is_known = wanted == AnswerFact::Nodes && projection.over == "nodes";
        return if is_known { projection.question.to.to_string() } else { String::new() };
    }
    let Some(AnswerSource::Test(at)) = row.sources.first() else { return String::new() };
    let test = &index.plan.tests[*at];
    if wanted == AnswerFact::Command {
        return distinct(index.planned(&test.id).take(1).map(|job| units::shell_line(&job.words)));
    }
    distinct(placements(index, test, run).into_iter().map(|(nodes, ranks)| match wanted {
        AnswerFact::Nodes => nodes.to_string(),
        AnswerFact::RanksPerNode if ranks.is_multiple_of(nodes.max(1)) => (ranks / nodes.max(1)).to_string(),
        AnswerFact::RanksPerNode => String::new(),
        AnswerFact::Ranks | AnswerFact::Unit | AnswerFact::Command => ranks.to_string(),
    }))
}

/// The nodes and ranks of the jobs of a test. External programs do not record theirs, so they have those of
/// the plan.
fn placements(index: &Index<'_>, test: &Test, run: Option<usize>) -> Vec<(u32, u32)> {
    let jobs = index.jobs(&test.id).iter().enumerate().filter(|(at, _)| run.is_none_or(|run| run == *at));
    let jobs: Vec<_> = jobs.map(|(_, job)| *job).collect();
    if test.line.as_app().is_some() {
        let placed = index.placed(test);
        return jobs.iter().filter_map(|_| Some((placed.nodes?, placed.ranks))).collect();
    }
    jobs.iter().flat_map(|job| record::runs(&job.records)).map(|run| (run.nodes, run.ranks)).collect()
}

/// The different texts, in the order in which they come first.
fn distinct(texts: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    texts.for_each(|text| {
        if !all.contains(&text) {
            all.push(text);
        }
    });
    all.join(", ")
}

fn id(plan: &Plan, source: AnswerSource) -> &str {
    match source {
        AnswerSource::Test(at) => &plan.tests[at].id,
        AnswerSource::Group(at) => &plan.groups[at].id,
        AnswerSource::Score(at) => &plan.scores[at].id,
    }
}
