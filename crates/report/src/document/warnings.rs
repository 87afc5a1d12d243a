//! The most severe warnings of a campaign, each kind once.
//!
//! Invariant: the rank follows from severity and code, never from a text. A warning that is waived is listed
//! with the waivers instead.
//! Never here: the list of all warnings and notes, which the appendix has.

use std::collections::BTreeSet;

use results::Verdict;
use results::finding::{Finding, Severity};
use results::folder::Campaign;
use results::reason::Code;
use serde::Serialize;
use units::several;

use super::anchors::TestAnchors;
use super::{Cell, Tone};
use crate::sentences;

/// The number of warnings in the signed part.
const SHOWN: usize = 5;
/// The most places of a warning that are listed.
const PLACES: usize = 6;

/// The most severe warnings, in their order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedWarnings {
    /// The most severe ones.
    pub shown: Vec<RankedWarning>,
    /// A sentence about the others; empty if there are none.
    pub more: String,
}

/// A kind of warning, once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedWarning {
    /// Its severity in words: whether it needs a waiver.
    pub label: String,
    /// The tone of the label.
    pub tone: Tone,
    /// Its code.
    pub code: String,
    /// What was found, and what to do.
    pub text: String,
    /// How often it occurred, and in how many tests.
    pub often: String,
    /// The tests, each with a link to its section.
    pub places: Vec<Cell>,
}

/// Codes of warnings that question whether the storage was measured at all.
const NOT_THE_STORAGE: &[Code] = &[
    Code::CachedRead,
    Code::CasesFailed,
    Code::FitsMemory,
    Code::CallNeverReturned,
    Code::EntriesWrong,
    Code::FileCallFailed,
    Code::KernelReadLess,
    Code::KernelWroteLess,
    Code::MemoryFileSystem,
    Code::NamesCached,
    Code::NamesMaybeDropped,
    Code::NamesOriginUnknown,
    Code::NotFlushed,
    Code::ReportedCached,
    Code::ReportedShort,
    Code::SampledWrong,
    Code::SimulatedNodes,
    Code::WrongData,
];

/// Codes of warnings that question whether the number would be measured again.
const NOT_REPEATABLE: &[Code] = &[
    Code::AttemptsOpen,
    Code::AttemptsRepeated,
    Code::ClientLimitUnclear,
    Code::ClientLimitUnknown,
    Code::ClientLimited,
    Code::CovHigh,
    Code::CovMissing,
    Code::DependentRepetitions,
    Code::FirstDiffers,
    Code::Harmonic,
    Code::MovedOtherAmount,
    Code::OutOfData,
    Code::SingleClient,
    Code::SlowGroup,
    Code::SlowRank,
    Code::SlowRanks,
    Code::StalledRepetition,
    Code::Straggler,
    Code::Trend,
    Code::UnevenPlacement,
];

/// The rank of a warning: the first is the most severe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gravity {
    /// It cannot be waived.
    Error,
    /// It needs a waiver and has none.
    NeedsWaiver,
    /// It questions whether the storage was measured.
    Storage,
    /// It questions whether the number would be measured again.
    Repeatability,
    /// Another warning about a number.
    Number,
    /// It is about the plan or the evidence, not about a number.
    Procedure,
}

/// All occurrences of one kind of warning.
struct WarningKind<'c> {
    gravity: Gravity,
    /// The finding that is shown: the first of the most severe.
    finding: &'c Finding,
    /// Each occurrence: the test, and the sentence.
    seen: Vec<(&'c str, String)>,
}

/// The most severe warnings about the measurements and the evidence.
pub(super) fn ranked(campaign: &Campaign, verdicts: &[Verdict], anchors: &TestAnchors) -> RankedWarnings {
    let mut kinds = kinds(campaign, verdicts);
    // The sort is stable: equals stay in the order of the clauses.
    kinds.sort_by_key(|kind| (kind.gravity, std::cmp::Reverse(kind.seen.len())));
    let more = sentences::campaign::more_warnings(kinds.len().saturating_sub(SHOWN));
    RankedWarnings { shown: kinds.iter().take(SHOWN).map(|kind| shown(kind, anchors)).collect(), more }
}

fn kinds<'c>(campaign: &'c Campaign, verdicts: &'c [Verdict]) -> Vec<WarningKind<'c>> {
    let findings = &campaign.summary.findings;
    // A warning of a verdict repeats a finding. A finding that is open is always listed.
    let subjects = |is_meant: fn(&Finding) -> bool| -> BTreeSet<(&str, &str)> {
        let meant = findings.iter().filter(|finding| is_meant(finding));
        meant.map(|finding| (finding.code().id(), finding.about.as_str())).collect()
    };
    let (waived, open) = (subjects(|finding| finding.waived.is_some()), subjects(Finding::is_open));
    let is_waived = |code: Code, about: &str| {
        let subject = (code.id(), about);
        waived.contains(&subject) && !open.contains(&subject)
    };
    let of_verdicts = verdicts.iter().flat_map(|verdict| {
        let about = |finding: &'c Finding| match finding.about.as_str() {
            "" => verdict.test.as_str(),
            part => part,
        };
        verdict.warnings.iter().map(move |finding| (about(finding), finding, gravity(finding, true)))
    });
    let of_campaign =
        findings.iter().map(|finding| (finding.about.as_str(), finding, gravity(finding, false)));
    let mut kinds: Vec<WarningKind<'c>> = Vec::new();
    for (about, finding, gravity) in of_verdicts.chain(of_campaign) {
        if finding.waived.is_some() || is_waived(finding.code(), about) {
            continue;
        }
        let seen = (about, sentences::finding(finding));
        match kinds.iter_mut().find(|kind| kind.finding.code() == finding.code()) {
            Some(kind) => {
                if gravity < kind.gravity {
                    (kind.gravity, kind.finding) = (gravity, finding);
                }
                if !kind.seen.contains(&seen) {
                    kind.seen.push(seen);
                }
            }
            None => kinds.push(WarningKind { gravity, finding, seen: vec![seen] }),
        }
    }
    kinds
}

fn gravity(finding: &Finding, is_of_verdict: bool) -> Gravity {
    match finding.severity {
        Severity::Error => Gravity::Error,
        Severity::NeedsWaiver => Gravity::NeedsWaiver,
        Severity::Info if NOT_THE_STORAGE.contains(&finding.code()) => Gravity::Storage,
        Severity::Info if NOT_REPEATABLE.contains(&finding.code()) => Gravity::Repeatability,
        Severity::Info if is_of_verdict => Gravity::Number,
        Severity::Info => Gravity::Procedure,
    }
}

fn shown(kind: &WarningKind<'_>, anchors: &TestAnchors) -> RankedWarning {
    let (label, tone) = match kind.gravity {
        Gravity::Error => ("error (cannot be waived)", Tone::Fail),
        Gravity::NeedsWaiver => ("needs-waiver, not waived", Tone::Inconclusive),
        Gravity::Storage | Gravity::Repeatability | Gravity::Number => ("warning", Tone::Plain),
        Gravity::Procedure => ("info", Tone::Plain),
    };
    let mut tests: Vec<&str> = Vec::new();
    for (about, _) in kind.seen.iter().filter(|(about, _)| !about.is_empty()) {
        if !tests.contains(about) {
            tests.push(about);
        }
    }
    let place = |id: &&str| match anchors.link(id) {
        Some(link) => Cell::literal(*id).linked(link),
        None => Cell::literal(*id),
    };
    let mut places: Vec<Cell> = tests.iter().take(PLACES).map(place).collect();
    if let Some(more) = tests.len().checked_sub(PLACES).filter(|more| *more > 0) {
        places.push(Cell::new(format!("and {more} more")));
    }
    RankedWarning {
        label: label.to_owned(),
        tone,
        code: kind.finding.code().id().to_owned(),
        text: sentences::finding(kind.finding),
        often: often(kind, tests.len()),
        places,
    }
}

/// How often a kind of warning occurred. If the occurrences differ, the shown one is an example.
fn often(kind: &WarningKind<'_>, tests: usize) -> String {
    let text = match (kind.seen.len(), tests) {
        (_, 0) => return "for the whole campaign".to_owned(),
        (1, _) => return "once".to_owned(),
        (times, tests) if times == tests => format!("in {}", several(tests as u64, "test")),
        (times, tests) => format!("{times} times in {}", several(tests as u64, "test")),
    };
    let is_same = kind.seen.iter().all(|(_, sentence)| *sentence == kind.seen[0].1);
    if is_same { text } else { format!("{text}, one of them shown") }
}
