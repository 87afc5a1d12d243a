//! Verdicts as clauses: the requirement text, the measured value, the statistics, the reason.
//!
//! Invariant: the numbers of a verdict are shown as evaluated, never computed again. They are never rounded
//! to the threshold. The interval of the median is an addition: no verdict is based on it.
//! Never here: a second evaluation.

use results::reason::row;
use std::collections::BTreeMap;

use results::folder::{folder_name, names};
use results::statistics::{bootstrap_interval, median};
use results::{Finding, Statistics, Verdict};

use super::anchors::TestAnchors;
use super::words::{NONE, confidence, distinguished_cell, link_to, share, tone_of};
use crate::sentences;

use super::unit::unit_of;
use super::{Cell, Clause, ContractHead, Fact, Remark, RemarkKind, Table, margin, unit};

/// All clauses, in the order of the verdicts. A clause of the contract begins with its first criterion.
pub(super) fn all(anchors: &TestAnchors, verdicts: &[Verdict]) -> Vec<Clause> {
    let mut heads: BTreeMap<String, ContractHead> =
        Verdict::of_clauses(verdicts).iter().filter_map(head).map(|head| (head.id.clone(), head)).collect();
    let one = |verdict: &Verdict| {
        let clause = clause(verdict, anchors.link(&verdict.test));
        let Some(contract) = &verdict.contract_clause else { return clause };
        Clause { contract: heads.remove(&contract.id), words: verdict.label.clone(), ..clause }
    };
    verdicts.iter().map(one).collect()
}

/// The clause of the contract, from the verdict over all of its criteria.
fn head(verdict: &Verdict) -> Option<ContractHead> {
    let contract = verdict.contract_clause.as_ref()?;
    Some(ContractHead {
        id: contract.id.clone(),
        words: verdict.clause.clone(),
        source: contract.source.clone(),
        verdict: verdict.outcome.to_string(),
        tone: tone_of(verdict.outcome),
        reason: if verdict.has_criterion() { String::new() } else { sentences::explained(&verdict.reason) },
    })
}

/// The requirement text with the id of the clause of the contract, and the name of the criterion.
fn words(verdict: &Verdict) -> String {
    let id = verdict.contract_clause.as_ref().map(|contract| format!("{}: ", contract.id));
    let label = if verdict.label.is_empty() { String::new() } else { format!(" ({})", verdict.label) };
    format!("{}{}{label}", id.unwrap_or_default(), verdict.clause)
}

/// The distinct remarks, warnings first, each with its tests. A clause keeps the remarks that no earlier
/// clause has, with the names of the other tests. A sum does not repeat a remark of one of its parts.
pub(super) fn remarks(clauses: &mut [Clause]) -> Vec<Remark> {
    let mut all: Vec<(usize, Remark)> = vec![];
    for (at, clause) in clauses.iter_mut().enumerate() {
        for Remark { kind, text, .. } in std::mem::take(&mut clause.remarks) {
            let is_known = |(_, known): &&mut (usize, Remark)| {
                let of_part =
                    |test: &Cell| text.strip_prefix(&format!("{}: ", test.text)) == Some(&known.text);
                known.text == text || known.tests.iter().any(of_part)
            };
            match all.iter_mut().find(is_known) {
                Some((_, known)) if known.tests.contains(&clause.test) => {}
                Some((_, known)) => known.tests.push(clause.test.clone()),
                None => all.push((at, Remark { kind, text, tests: vec![clause.test.clone()] })),
            }
        }
    }
    for (at, Remark { kind, text, tests }) in &all {
        let others: Vec<&str> = tests[1..].iter().map(|test| test.text.as_str()).collect();
        let others = if others.is_empty() { String::new() } else { format!(" (also {})", others.join(", ")) };
        clauses[*at].remarks.push(Remark::new(*kind, format!("{text}{others}")));
    }
    all.sort_by_key(|(_, remark)| remark.kind);
    all.into_iter().map(|(_, remark)| remark).collect()
}

/// One clause, with the link to the section of its test.
pub(super) fn clause(verdict: &Verdict, link: Option<String>) -> Clause {
    let statistics = verdict.statistics.as_ref();
    Clause {
        contract: None,
        has_criterion: verdict.has_criterion(),
        test: Cell { link, ..Cell::literal(&verdict.test) },
        words: words(verdict),
        metric: verdict.metric.clone(),
        criterion: criterion(verdict),
        value: value(verdict),
        basis: basis(verdict),
        threshold: margin::threshold(verdict),
        margin: margin::cell(verdict),
        cov: statistics.and_then(|s| s.cov).map_or(NONE.into(), share),
        verdict: verdict.outcome.to_string(),
        tone: tone_of(verdict.outcome),
        reason: sentences::explained(&verdict.reason),
        statistics: statistics.map_or(vec![], |statistics| facts(statistics, verdict)),
        remarks: remarks_of(verdict),
        jobs: verdict
            .jobs
            .iter()
            .map(|job| Cell::literal(folder_name(job)).linked(link_to(&format!("{job}/{}", names::JOB))))
            .collect(),
    }
}

/// The criterion, with the origin of the value if this program did not measure it.
pub(super) fn criterion(verdict: &Verdict) -> String {
    let criterion = &verdict.criterion;
    if verdict.as_reported { format!("{criterion} (as reported by the program)") } else { criterion.clone() }
}

fn remarks_of(verdict: &Verdict) -> Vec<Remark> {
    // A remark about a part of a group has the name of the part.
    let is_part = |about: &str| about.strip_prefix(&verdict.test).is_some_and(|rest| rest.starts_with('.'));
    let warnings = verdict.warnings.iter().map(|warning| (RemarkKind::Warning, warning));
    let notes = verdict.notes.iter().map(|note| (RemarkKind::Note, note));
    let remark = |(kind, finding): (RemarkKind, &Finding)| {
        let text = sentences::finding(finding);
        let text = if is_part(&finding.about) { format!("{}: {text}", finding.about) } else { text };
        Remark::new(kind, text)
    };
    warnings.chain(notes).map(remark).collect()
}

pub(crate) fn value(verdict: &Verdict) -> Cell {
    verdict.value.map_or_else(|| Cell::new(NONE), |value| unit::cell(verdict, value))
}

/// How the measured value was obtained; empty if nothing was measured.
fn basis(verdict: &Verdict) -> String {
    let Some(statistics) = &verdict.statistics else { return String::new() };
    let name = if verdict.statistic == "cov" { "COV" } else { &verdict.statistic };
    let mut parts = vec![format!("{name} of {}", statistics.values.len())];
    parts.extend(
        statistics.cov.filter(|_| verdict.statistic != "cov").map(|cov| format!("COV {}", share(cov))),
    );
    // The limit is that of the mean. Next to another statistic it would say nothing.
    parts.extend(limit(statistics, verdict).filter(|_| verdict.statistic == "mean").map(|limit| {
        let limit = of_values(statistics, verdict, limit).text;
        format!("{} limit {limit}", confidence(statistics.confidence))
    }));
    if verdict.as_reported {
        parts.push("as reported by the program".to_owned());
    }
    if verdict.as_written {
        parts.push("as written, without confidence".to_owned());
    }
    parts.join(", ")
}

/// The confidence limit of the mean: that of the reason, so that a clause shows one limit. A FAIL is decided
/// by the limit on the other side. The quantity cannot be negative, so a limit below zero is shown as zero.
pub(super) fn limit(statistics: &Statistics, verdict: &Verdict) -> Option<f64> {
    let of_reason = verdict.reason.get(row::ThresholdMet::limit).filter(|_| verdict.statistic == "mean");
    of_reason.or(statistics.bound).map(|limit| limit.max(0.0))
}

fn facts(statistics: &Statistics, verdict: &Verdict) -> Vec<Fact> {
    let fact = |label: &str, value| Fact::of(label, of_values(statistics, verdict, value));
    let level = confidence(statistics.confidence);
    let mut facts = vec![
        fact("mean", statistics.mean),
        fact("median", statistics.median),
        fact("min", statistics.min),
        fact("max", statistics.max),
    ];
    // Counts of errors have no confidence limit, and so no interval.
    if statistics.bound.is_some()
        && let Some(lies) = bootstrap_interval(&statistics.values, statistics.confidence, median)
    {
        let [low, high] = [lies.low, lies.high].map(|value| of_values(statistics, verdict, value).text);
        facts.push(Fact::new(&format!("{level} interval of the median"), format!("{low} to {high}")));
    }
    facts.extend(statistics.cov.map(|cov| Fact::new("COV", share(cov))));
    facts.extend(limit(statistics, verdict).map(|limit| fact(&format!("{level} limit"), limit)));
    facts.push(Fact::new("n", statistics.values.len().to_string()));
    facts
}

/// The value of each repetition of each evaluated metric; `None` if nothing was measured.
pub(super) fn values(verdicts: &[&Verdict]) -> Option<Table> {
    let evaluated =
        || verdicts.iter().filter_map(|v| v.statistics.as_ref().map(|statistics| (v, statistics)));
    let repetitions = evaluated().map(|(_, statistics)| statistics.values.len()).max().filter(|n| *n > 0)?;
    let numbers: String = (1..=repetitions).map(|number| format!(" | >{number}")).collect();
    let headings = format!("Metric | Criterion{numbers}");
    let mut table = Table::new("Evaluated values of each repetition, in the order of the runs", &headings);
    for (verdict, statistics) in evaluated() {
        let mut row = vec![Cell::literal(&verdict.metric), Cell::new(&verdict.criterion)];
        row.extend(statistics.values.iter().map(|value| of_values(statistics, verdict, *value)));
        row.resize(repetitions + 2, Cell::new(NONE));
        if !table.rows.contains(&row) {
            table.row(row);
        }
    }
    Some(table)
}

/// A value of the repetitions.
fn of_values(statistics: &Statistics, verdict: &Verdict, value: f64) -> Cell {
    if statistics.unit.is_empty() {
        return unit::cell(verdict, value);
    }
    let (threshold, unit) = values_of(statistics, verdict);
    distinguished_cell(value, threshold, unit)
}

/// The threshold and the unit of the values of the repetitions. They have no threshold if the verdict is
/// about their variability.
pub(super) fn values_of<'v>(statistics: &'v Statistics, verdict: &'v Verdict) -> (Option<f64>, &'v str) {
    match statistics.unit.as_str() {
        "" => (verdict.threshold, unit_of(verdict)),
        unit => (None, unit),
    }
}
