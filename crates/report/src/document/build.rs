//! Builds the document of a campaign: the header, and the order of the sections.
//!
//! Invariant: it never fails. The document of a campaign without jobs, verdicts or machine facts says so.
//! Never here: the contents of sections.

use std::borrow::Cow;

use results::finding::Severity;
use results::folder::{Campaign, Job};
use results::reason::{Code, Reason};
use results::{Outcome, Verdict};

use crate::sentences::{self, campaign as of_campaign};

use super::anchors::{Anchors, TestAnchors};
use super::jobs::JobAnchors;
use super::plots::PlotDetail;
use super::words::{or_none, seconds_of, time};
use super::{
    Cell, Document, Fact, OverallResult, Tone, clauses, constants, jobs, machine, method, plots, signed,
    summary, test_section,
};

/// Builds the document of a campaign.
pub fn of(campaign: &Campaign) -> Document {
    let verdicts = shown_verdicts(campaign);
    let detail = PlotDetail::of(campaign);
    let (tests, anchors, jobs) = parts_of(campaign, &verdicts, detail);
    let mut clauses = clauses::all(&anchors, &verdicts);
    let remarks = clauses::remarks(&mut clauses);
    let mut sections: Vec<_> = tests.iter().map(|test| test_section::of(test, &jobs)).collect();
    sections.extend(summary::sections(campaign));
    sections.push(jobs::section(campaign, &jobs));
    sections.push(machine::section(campaign));
    plots::add_to(&mut sections, campaign);
    sections.push(method::numbers());
    sections.push(method::evidence(campaign));
    constants::fold(&mut sections);
    if !detail.usual_texts {
        constants::share_notes(&mut sections);
    }
    Document {
        picture: plots::picture(&verdicts, &clauses),
        title: title(campaign),
        overall: overall_result(campaign),
        facts: facts(campaign),
        summary_lines: summary::lines(campaign),
        signed: signed::of(campaign, &verdicts, &anchors),
        remarks,
        clauses,
        machine: machine::line(campaign),
        sections,
    }
}

/// The verdicts that the report shows. If evidence files are not intact, all verdicts are INVALID.
pub(super) fn shown_verdicts(campaign: &Campaign) -> Cow<'_, [Verdict]> {
    if campaign.faults.is_empty() {
        return Cow::Borrowed(&campaign.verdicts);
    }
    let invalid = |verdict: &Verdict| Verdict {
        outcome: Outcome::Invalid,
        reason: Reason::new(Code::EvidenceModified).with("measured", verdict.reason.clone()),
        ..verdict.clone()
    };
    let mut verdicts: Vec<Verdict> = campaign.verdicts.iter().map(invalid).collect();
    Verdict::settle_clauses(&mut verdicts);
    Cow::Owned(verdicts)
}

/// Everything that belongs to one test of the plan.
pub(super) struct Test<'a> {
    /// Its id in the plan.
    pub(super) id: &'a str,
    /// The link name of its section.
    pub(super) anchor: String,
    /// Its jobs, in order.
    pub(super) jobs: Vec<&'a Job>,
    /// Its verdicts.
    pub(super) verdicts: Vec<&'a Verdict>,
    /// How fine its plots are.
    pub(super) detail: PlotDetail,
}

/// The tests in the order of the verdicts, then tests that only have jobs. Tests take their link names before
/// jobs do, so that the link name of a test is its id.
fn parts_of<'a>(
    campaign: &'a Campaign,
    verdicts: &'a [Verdict],
    detail: PlotDetail,
) -> (Vec<Test<'a>>, TestAnchors, JobAnchors) {
    let mut ids: Vec<&str> = Vec::new();
    // A clause of the contract without a criterion has no test.
    let of_tests = verdicts.iter().filter(|verdict| verdict.has_criterion());
    let of_verdicts = of_tests.map(|verdict| verdict.test.as_str());
    for id in of_verdicts.chain(campaign.jobs.iter().map(|job| job.info.test.as_str())) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let mut taken = Anchors::new();
    let anchors = TestAnchors::of(ids.iter().copied(), &mut taken);
    let test = |id: &&'a str| Test {
        id,
        anchor: anchors.name(id).to_owned(),
        jobs: campaign.jobs.iter().filter(|job| job.info.test == *id).collect(),
        verdicts: verdicts.iter().filter(|verdict| verdict.test == *id).collect(),
        detail,
    };
    let tests = ids.iter().map(test).collect();
    (tests, anchors, JobAnchors::of(&campaign.jobs, &mut taken))
}

fn title(campaign: &Campaign) -> String {
    let info = &campaign.info;
    let named = [&info.title, &info.plan].into_iter().find(|name| !name.is_empty());
    named.cloned().unwrap_or_else(|| "Unnamed campaign".into())
}

/// A sentence about nodes that were simulated on shared kernels.
fn simulated_nodes(campaign: &Campaign) -> Option<String> {
    let mut all = campaign.summary.findings.iter();
    all.find(|finding| finding.code() == Code::SimulatedNodes).map(sentences::finding)
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
    let restrictions = [
        of_campaign::selected(&info.only),
        of_campaign::other_values(info.scale.as_deref(), &info.set),
        simulated_nodes(campaign),
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
