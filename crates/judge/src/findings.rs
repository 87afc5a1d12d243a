//! Findings in the records of a campaign, each with its severity and subject.
//!
//! An error makes the clauses that it is about INVALID. The same applies to an error of the linter before the
//! run, despite which the campaign was started. `campaign.json` has those.
//!
//! Never here: thresholds, and advice about command lines and plans.

mod campaign;
mod file_system;
mod files;
mod nodes;
pub(crate) mod rates;
mod reported;

use results::Outcome;
use results::finding::{Finding, Severity};
use results::reason::{Code, any, reason};
use units::Dimension;

use crate::case::{TestCriterion, measuring};
use crate::index::Index;
use crate::validity::{self, Unusable};

pub(crate) use file_system::losses;

/// The findings before the run and in its records.
pub(crate) struct Findings {
    /// Findings of the linter, despite which the campaign was started.
    pub(crate) before: Vec<Finding>,
    /// In the records.
    pub(crate) records: Vec<Finding>,
    /// Findings in the records about values that nothing uses.
    pub(crate) unused: Vec<Finding>,
}

/// All findings, without waivers.
pub(crate) fn all(index: &Index<'_>) -> Findings {
    let mut records = campaign::same_file_systems(index);
    records.extend(campaign::backing(index));
    for test in &index.plan.tests {
        records.extend(file_system::during(index, test));
        records.extend(rates::of(index, test));
    }
    records.extend(nodes::all(index));
    records.extend(files::all(index));
    records.extend(reported::all(index));
    records.extend(campaign::groups(index));
    records.extend(campaign::audit(index));
    records.extend(campaign::looks(index));
    records.extend(campaign::repeats(index));
    records.extend(campaign::stopped_attempts(index));
    records.extend(campaign::unexplained_time(index));
    records.extend(campaign::witness(index));
    let all = Findings { before: index.campaign.info.findings.clone(), records, unused: Vec::new() };
    let (records, unused) = all.records.iter().cloned().partition(|one| is_used(index, &all, one));
    Findings { records, unused, ..all }
}

/// Whether a verdict or rate uses the values that a finding is about.
fn is_used(index: &Index<'_>, findings: &Findings, of: &Finding) -> bool {
    if !matches!(of.code(), Code::CovHigh | Code::Harmonic) {
        return true;
    }
    let phase = of.phase.as_deref().unwrap_or_default();
    let criterion = measuring(&format!("{phase}.bw"), Dimension::BytesPerSecond);
    let test = index.plan.test(&of.about);
    test.is_none_or(|test| {
        findings.errors_for(&TestCriterion { index, test, criterion: &criterion }).is_empty()
    })
}

impl Findings {
    /// The errors that make the measurement of `case` INVALID. Errors before the run have a reason that
    /// states this.
    pub(crate) fn errors_for(&self, case: &TestCriterion<'_>) -> Vec<Finding> {
        let (plan, test) = (case.index.plan, case.test);
        let group = test.part.map(|part| plan.groups[part].id.as_str());
        let counts = |finding: &&Finding| {
            if finding.severity != Severity::Error {
                return false;
            }
            let about = finding.about.as_str();
            let is_of_fs = about != test.id && about.strip_prefix("fs.") == Some(&test.fs);
            let is_about_others = match finding.code() {
                // A count of errors does not depend on the utilization of the file system.
                _ if is_of_fs => case.counts_errors(),
                // This finding about a group is equally about each of its parts.
                Code::OneFsTwice => false,
                _ => group == Some(about),
            };
            plan.concerns(test, about) && !is_about_others && is_about_criterion(case, finding)
        };
        let before = self.before.iter().filter(counts).map(despite_lint_error);
        before.chain(self.records.iter().filter(counts).cloned()).collect()
    }

    /// Errors about a group or a score as a whole. Errors about the whole campaign belong to its parts.
    pub(crate) fn about_whole(&self, id: &str) -> Vec<Finding> {
        let counts = |finding: &&Finding| finding.severity == Severity::Error && finding.about == id;
        let before = self.before.iter().filter(counts).map(despite_lint_error);
        before.chain(self.records.iter().filter(counts).cloned()).collect()
    }

    /// The value of each repetition in base units, or why they cannot be used.
    pub(crate) fn usable(&self, case: &TestCriterion<'_>) -> Result<Vec<f64>, Unusable> {
        let values = validity::measured(case)?;
        match self.errors_for(case).into_iter().next() {
            None => Ok(values),
            Some(finding) => Err((Outcome::Invalid, finding.reason)),
        }
    }
}

/// A lint error, despite which the campaign was started.
fn despite_lint_error(finding: &Finding) -> Finding {
    Finding { reason: reason!(LintError { cause: finding.reason.clone() }), ..finding.clone() }
}

/// Whether a finding about a test is about this criterion, not about another phase or another metric.
fn is_about_criterion(case: &TestCriterion<'_>, finding: &Finding) -> bool {
    let (own, phase) = (finding.about == case.test.id, case.phase());
    if finding.phase.as_ref().is_some_and(|of| own && phase != of && !phase.ends_with(&format!("_{of}"))) {
        return false;
    }
    finding.reason.get(any::metric).is_none_or(|metric| metric == case.criterion.metric)
}
