//! Builds the document of a campaign: what is signed.
//!
//! Invariant: it never fails. The document of a campaign without jobs, verdicts or machine facts says so.
//! Never here: the appendix.

use std::borrow::Cow;
use std::collections::BTreeSet;

use results::finding::Severity;
use results::folder::Campaign;
use results::reason::{Code, any, reason};
use results::{Outcome, Verdict};

use crate::sentences::{self, campaign as of_campaign};

use super::anchors::{Anchors, TestAnchors};
use super::jobs::JobAnchors;
use super::words::{or_none, seconds_of, time};
use super::{Cell, Document, Fact, OverallResult, Tone, clauses, machine, plots, signed, summary};

/// Builds the document of a campaign.
pub fn of(campaign: &Campaign) -> Document {
    let verdicts = shown_verdicts(campaign);
    let (anchors, _) = anchors(campaign, &verdicts);
    let mut clauses = clauses::all(&anchors, &verdicts);
    let remarks = clauses::remarks(&mut clauses);
    Document {
        picture: plots::picture(&verdicts, &clauses),
        title: title(campaign),
        overall: overall_result(campaign),
        facts: facts(campaign),
        summary_lines: summary::lines(campaign),
        signed: signed::part(campaign, &verdicts, &anchors),
        remarks,
        clauses,
        machine: machine::line(campaign),
    }
}

/// The verdicts that the report shows. If evidence files are not intact, all verdicts are INVALID.
pub(super) fn shown_verdicts(campaign: &Campaign) -> Cow<'_, [Verdict]> {
    if campaign.faults.is_empty() {
        return Cow::Borrowed(&campaign.verdicts);
    }
    let invalid = |verdict: &Verdict| Verdict {
        outcome: Outcome::Invalid,
        reason: reason!(EvidenceModified).with(any::measured, verdict.reason.clone()),
        ..verdict.clone()
    };
    let mut verdicts: Vec<Verdict> = campaign.verdicts.iter().map(invalid).collect();
    Verdict::settle_clauses(&mut verdicts);
    Cow::Owned(verdicts)
}

/// The link names of tests and jobs. Tests take theirs before jobs do, so that the link name of a test is its
/// id.
pub(super) fn anchors(campaign: &Campaign, verdicts: &[Verdict]) -> (TestAnchors, JobAnchors) {
    let mut taken = Anchors::new();
    let tests = TestAnchors::for_tests(test_ids(campaign, verdicts).into_iter(), &mut taken);
    (tests, JobAnchors::for_jobs(&campaign.jobs, &mut taken))
}

/// The ids of the tests in the order of the verdicts, then of tests that only have jobs.
pub(super) fn test_ids<'c>(campaign: &'c Campaign, verdicts: &'c [Verdict]) -> Vec<&'c str> {
    // A clause of the contract without a criterion has no test.
    let of_tests = verdicts.iter().filter(|verdict| verdict.has_criterion());
    let of_verdicts = of_tests.map(|verdict| verdict.test.as_str());
    let all = of_verdicts.chain(campaign.jobs.iter().map(|job| job.info.test.as_str()));
    let mut known = BTreeSet::new();
    all.filter(|id| known.insert(*id)).collect()
}

fn title(campaign: &Campaign) -> String {
    let info = &campaign.info;
    let named = [&info.title, &info.plan].into_iter().find(|name| !name.is_empty());
    named.cloned().unwrap_or_else(|| "Unnamed campaign".into())
}

/// The overall result with its restrictions: not all tests were selected, parameters had other values, nodes
/// were simulated, or findings are not waived.
fn overall_result(campaign: &Campaign) -> OverallResult {
    let info = &campaign.info;
    if let Some(sentence) = of_campaign::not_intact(&campaign.faults) {
        return OverallResult { word: Outcome::Invalid.to_string(), tone: Tone::Invalid, sentence };
    }
    let outcome = Verdict::worst(&campaign.verdicts);
    let open = summary::open_findings(&campaign.summary);
    let word = sentences::overall(outcome, open.is_some(), !info.only.is_empty());
    let tone = super::words::overall_tone(outcome, open.is_some());
    let clauses = Verdict::of_clauses(&campaign.verdicts);
    let outcomes: Vec<Outcome> = clauses.iter().map(|clause| clause.outcome).collect();
    let errors = info.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let mut findings = campaign.summary.findings.iter();
    let simulated = findings.find(|finding| finding.code() == Code::SimulatedNodes);
    let restrictions = [
        of_campaign::selected(&info.only),
        of_campaign::other_values(info.scale.as_deref(), &info.set),
        simulated.map(sentences::finding),
        of_campaign::despite_errors(errors),
        open,
    ];
    let sentences = std::iter::once(of_campaign::result(&outcomes)).chain(restrictions.into_iter().flatten());
    OverallResult { word, tone, sentence: sentences.collect::<Vec<_>>().join(" ") }
}

fn facts(campaign: &Campaign) -> Vec<Fact> {
    let info = &campaign.info;
    let host = campaign.before.as_ref().or(campaign.after.as_ref()).map_or("", |machine| &machine.host);
    let mut facts = vec![
        Fact::of("Plan", Cell::literal(or_none(&info.plan))),
        Fact::new("Source", or_none(&info.source)),
        Fact::new("Started", time(&info.started)),
        Fact::new("Duration", duration(campaign)),
        Fact::new("Machine", or_none(host)),
        Fact::of("Directory under test", Cell::literal(or_none(&info.dir))),
    ];
    facts.extend(info.scale.as_deref().map(|scale| Fact::new("Scale", scale)));
    facts.extend(info.set.iter().map(|(name, value)| Fact::new(&format!("Value of {name}"), value)));
    for (system, data) in &info.data {
        facts.push(Fact::of(&format!("Files on {system}"), Cell::literal(data)));
    }
    for system in machine::file_systems(campaign) {
        let what = format!("{} ({} on {})", system.name, or_none(&system.kind), or_none(&system.mount));
        facts.push(Fact::new("File system", what));
    }
    facts
}

/// The duration from the start to the last known moment: the last facts of the machine, or the end of the
/// last job.
fn duration(campaign: &Campaign) -> String {
    let start = seconds_of(&campaign.info.started);
    let last_job =
        campaign.jobs.iter().filter_map(|job| seconds_of(&job.info.started).map(|at| at + job.info.seconds));
    let after = campaign.after.as_ref().and_then(|machine| seconds_of(&machine.taken));
    match (start, last_job.chain(after).max_by(f64::total_cmp)) {
        (Some(start), Some(end)) if end >= start => units::duration(end - start),
        _ => or_none(""),
    }
}
