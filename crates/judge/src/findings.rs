//! What is wrong with, or to be known of, the records of a campaign: each with its severity and what it is
//! about.
//!
//! An error makes the clauses that it is about INVALID. So does an error of the linter that was found before
//! the run, in spite of which the campaign was started; those are in `campaign.json`.
//!
//! Never here: thresholds, and looking at command lines and plans for advice.

mod campaign;
mod file_system;
mod nodes;
pub(crate) mod rates;

use results::Outcome;
use results::finding::{Finding, Severity};
use results::reason::{Code, Reason};
use units::Dimension;

use crate::case::{TestCriterion, measuring};
use crate::index::Index;
use crate::validity::{self, Unusable};

pub(crate) use file_system::losses;

/// What was found before the run and in its records.
pub(crate) struct Findings {
    /// By the linter, in spite of which the campaign was started.
    pub(crate) before: Vec<Finding>,
    /// In the records.
    pub(crate) records: Vec<Finding>,
    /// In the records, about values on which nothing rests.
    pub(crate) idle: Vec<Finding>,
}

/// All findings; waivers are not looked at.
pub(crate) fn all(index: &Index<'_>) -> Findings {
    let mut records = campaign::same_file_systems(index);
    for test in &index.plan.tests {
        records.extend(file_system::during(index, test));
        records.extend(rates::of(index, test));
    }
    records.extend(nodes::all(index));
    records.extend(campaign::groups(index));
    records.extend(campaign::audit(index));
    let all = Findings { before: index.campaign.info.findings.clone(), records, idle: Vec::new() };
    let (records, idle) = all.records.iter().cloned().partition(|one| rests(index, &all, one));
    Findings { records, idle, ..all }
}

/// Whether anything rests on the values that a finding asks to explain.
fn rests(index: &Index<'_>, findings: &Findings, of: &Finding) -> bool {
    if !matches!(of.code(), Code::CovHigh | Code::Harmonic) {
        return true;
    }
    let phase = of.phase.as_deref().unwrap_or_default();
    let criterion = measuring(&format!("{phase}.bw"), Dimension::BytesPerSecond);
    let test = index.plan.test(&of.about);
    test.is_none_or(|test| findings.grave(&TestCriterion { index, test, criterion: &criterion }).is_empty())
}

impl Findings {
    /// The findings that make what `case` measured INVALID; those of before the run as reasons that say so.
    pub(crate) fn grave(&self, case: &TestCriterion<'_>) -> Vec<Finding> {
        let (plan, test) = (case.index.plan, case.test);
        let group = test.part.map(|part| plan.groups[part].id.as_str());
        let counts = |finding: &&Finding| {
            let about = finding.about.as_str();
            let is_of_fs = about != test.id && about.strip_prefix("fs.") == Some(&test.fs);
            let is_about_others = match finding.code() {
                // What a count of errors is does not depend on how full the file system was.
                _ if is_of_fs => case.counts_errors(),
                // A finding about a group that is as much about each of its parts.
                Code::OneFsTwice => false,
                _ => group == Some(about),
            };
            let is_meant = plan.concerns(test, about) && !is_about_others && is_of(case, finding);
            finding.severity == Severity::Error && is_meant
        };
        let before = self.before.iter().filter(counts).map(in_spite_of);
        before.chain(self.records.iter().filter(counts).cloned()).collect()
    }

    /// Errors about a group as a whole. Its parts have those about the whole campaign.
    pub(crate) fn about_group(&self, group: &str) -> Vec<Finding> {
        let counts = |finding: &&Finding| finding.severity == Severity::Error && finding.about == group;
        let before = self.before.iter().filter(counts).map(in_spite_of);
        before.chain(self.records.iter().filter(counts).cloned()).collect()
    }

    /// The value of each repetition in base units, or why there is none to rest anything on.
    pub(crate) fn usable(&self, case: &TestCriterion<'_>) -> Result<Vec<f64>, Unusable> {
        let values = validity::measured(case)?;
        match self.grave(case).into_iter().next() {
            None => Ok(values),
            Some(finding) => Err((Outcome::Invalid, finding.reason)),
        }
    }
}

/// An error in spite of which the campaign was started.
fn in_spite_of(finding: &Finding) -> Finding {
    let reason = Reason::new(Code::LintError).with("cause", finding.reason.clone());
    Finding { reason, ..finding.clone() }
}

/// Whether a finding about a test is about this criterion of it: one on another phase, or on another metric,
/// is not.
fn is_of(case: &TestCriterion<'_>, finding: &Finding) -> bool {
    let (own, phase) = (finding.about == case.test.id, case.phase());
    if finding.phase.as_ref().is_some_and(|of| own && phase != of && !phase.ends_with(&format!("_{of}"))) {
        return false;
    }
    finding.reason.text("metric").is_none_or(|metric| metric == case.criterion.metric)
}
