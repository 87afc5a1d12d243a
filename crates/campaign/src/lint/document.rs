//! The stage of the report: whether a number is told as what it is.
//!
//! Never here: rendering.

use super::table::{Check, LINTS};
use super::{Finding, Found, Level};

/// Extrapolation beyond which a projection is refused.
const FACTOR: f64 = 3.0;

/// One result as it is reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultRow {
    /// Its name.
    pub name: String,
    /// The letter of the system on which it was measured.
    pub system: Option<String>,
    /// Of a projection: how.
    pub projection: Option<ProjectionFacts>,
    /// The campaign or run that it is from.
    pub run: String,
    /// The run of its other half: of a read its write.
    pub pair: Option<String>,
    /// Attempts that were planned, made, and are listed.
    pub attempts: Option<(u32, u32, u32)>,
    /// Versions of the tool in its series, in their order, and whether the metric changed between them.
    pub versions: Vec<(String, bool)>,
}

/// How a projected number came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProjectionFacts {
    /// Whether the row says that it is projected.
    pub marked: bool,
    /// The model, in words.
    pub method: Option<String>,
    /// Whether its interval is told.
    pub interval: bool,
    /// The scale projected to over the largest that was measured.
    pub factor: f64,
}

/// What a report rests on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSubject {
    /// Its results.
    pub rows: Vec<ResultRow>,
    /// What an auditor asks for, each with whether it is there: hash of the tool, difference to upstream,
    /// logs of the build, output of the runs, environment, hash of the plan.
    pub audit: Vec<(String, bool)>,
}

/// The findings of this stage, in the order of the table.
pub fn findings(subject: &ReportSubject) -> Vec<Finding> {
    let all = LINTS.iter().flat_map(|lint| lint.checks.iter().map(move |check| (lint, check)));
    let found = all.flat_map(|(lint, check)| match check {
        Check::Report(check) => check(subject).into_iter().map(|found| found.of(lint)).collect(),
        _ => Vec::new(),
    });
    found.collect()
}

/// projected-as-measured
pub(super) fn projected(subject: &ReportSubject) -> Vec<Found> {
    let mut found = Vec::new();
    for row in &subject.rows {
        let Some(projection) = &row.projection else { continue };
        let lacks: Vec<&str> = [
            (!projection.marked, "the mark that it is projected"),
            (row.system.is_none(), "the letter of the system it was measured on"),
            (projection.method.is_none(), "the method"),
            (!projection.interval, "the interval"),
        ]
        .into_iter()
        .filter_map(|(lacks, what)| lacks.then_some(what))
        .collect();
        if !lacks.is_empty() {
            let what = format!("{} has not {}", row.name, lacks.join(", nor "));
            found.push(Found::new(what, "tell all four beside the number").about(&row.name));
        }
        if projection.factor > FACTOR {
            let what =
                format!("{} is projected to {:.1} times what was measured", row.name, projection.factor);
            found.push(Found::new(what, "measure at a third of the scale at least").about(&row.name));
        }
    }
    found
}

/// audit-gap
pub(super) fn audit(subject: &ReportSubject) -> Vec<Found> {
    let missing: Vec<&str> =
        subject.audit.iter().filter(|(_, there)| !there).map(|(what, _)| what.as_str()).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    vec![Found::new(format!("missing: {}", missing.join(", ")), "add it to the folder of evidence")]
}

/// optional-stopping
pub(super) fn stopping(subject: &ReportSubject) -> Vec<Found> {
    let found = subject.rows.iter().filter_map(|row| {
        let (planned, made, listed) = row.attempts?;
        if listed < made {
            let what = format!("{}: {made} attempts were made and {listed} are listed", row.name);
            return Some(Found::new(what, "list every attempt").about(&row.name));
        }
        (made > planned).then(|| {
            let what = format!("{}: {planned} repetitions were planned and {made} were made", row.name);
            Found::new(what, "judge all of them, or none").level(Level::Waiver).about(&row.name)
        })
    });
    found.collect()
}

/// cherry-pair
pub(super) fn pair(subject: &ReportSubject) -> Vec<Found> {
    let found = subject.rows.iter().filter_map(|row| {
        let pair = row.pair.as_ref().filter(|pair| **pair != row.run)?;
        let what = format!("{} is from {}, and its other half from {pair}", row.name, row.run);
        Some(Found::new(what, "take both from one run").about(&row.name))
    });
    found.collect()
}

/// cross-version
pub(super) fn versions(subject: &ReportSubject) -> Vec<Found> {
    let found = subject.rows.iter().filter_map(|row| {
        let (version, _) = row.versions.iter().skip(1).find(|(_, changed)| *changed)?;
        let what = format!("{}: with {version} its metric became another", row.name);
        Some(Found::new(what, "start a new series there").about(&row.name))
    });
    found.collect()
}
