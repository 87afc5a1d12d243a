//! The part of the report that is signed, after the clauses: warnings, waivers, how the campaign ran,
//! and what proves its evidence.
//!
//! Invariant: each kind of warning is listed once. What did not happen is stated, too: no waiver, no resume.
//! Never here: clauses, and the appendix.

use results::Verdict;
use results::folder::{AcceptedValues, Campaign, EarlierCampaign, Extension, JobEnd};
use results::summary::{CampaignCourse, RepeatedAttempt, WitnessCourse};
use serde::Serialize;
use units::several;

use super::anchors::TestAnchors;
use super::history::words::day;
use super::summary::{ApprovedWaiver, waivers};
use super::warnings::{RankedWarnings, ranked};
use super::words::{grouped, link_to, or_none, time};
use super::{Cell, Fact};

/// The most folders of one kind that are listed: the last ones of earlier campaigns, else the first ones.
const LISTED: usize = 10;
/// The label of the fact with the signers.
const SIGNERS: &str = "Signed with keys by";
/// The text of a fact that did not occur.
const NEVER: &str = "none";

/// The part of the report that is signed, after the clauses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SignedPart {
    /// The most severe warnings.
    pub warnings: RankedWarnings,
    /// The waivers with their approvers.
    pub waivers: Vec<ApprovedWaiver>,
    /// How the campaign ran: resumes, killed and repeated attempts, extensions, earlier campaigns.
    pub course: Vec<Fact>,
    /// What proves the evidence: hash, nonce, witness, signers.
    pub proof: Vec<Fact>,
    /// The evidence hash before this report, for the margin of each printed page.
    pub hash: String,
}

pub(super) fn part(campaign: &Campaign, verdicts: &[Verdict], anchors: &TestAnchors) -> SignedPart {
    SignedPart {
        warnings: ranked(campaign, verdicts, anchors),
        waivers: waivers(&campaign.summary),
        course: course(campaign),
        proof: proof(campaign),
        hash: match &campaign.head {
            Some(head) => format!("Evidence hash before this report: {}", head.hash),
            None => "Evidence hash: none".to_owned(),
        },
    }
}

impl SignedPart {
    /// States who signed the archive, one text each. Without any the part stays as it is.
    pub(crate) fn signed_by(&mut self, signers: &[String]) {
        if signers.is_empty() {
            return;
        }
        self.proof.retain(|fact| fact.label != SIGNERS);
        self.proof.extend(signers.iter().map(|signer| Fact::of(SIGNERS, Cell::literal(signer))));
    }
}

fn course(campaign: &Campaign) -> Vec<Fact> {
    let CampaignCourse { resumed, killed, repeated, died, asked, .. } = &campaign.summary.course;
    let failed = campaign.jobs.iter().filter(|job| job.info.end != JobEnd::Exit(0)).count();
    let of_failed = if failed == 0 { String::new() } else { format!(", {failed} failed") };
    let mut facts = vec![Fact::new("Jobs", format!("{}{of_failed}", campaign.jobs.len()))];
    if !campaign.info.only.is_empty() {
        facts.push(Fact::of("Selected tests", Cell::literal(campaign.info.only.join(", "))));
    }
    let resumed = if *resumed == 0 { "never".to_owned() } else { several((*resumed).into(), "time") };
    facts.push(Fact::new("Resumed", resumed));
    // Attempts that were not chained yet are only in the folder.
    let unchained = campaign.killed.iter().filter(|folder| !killed.contains(folder));
    let killed: Vec<String> = killed.iter().chain(unchained).cloned().collect();
    facts.extend(folders("Killed attempts", &killed));
    facts.extend(attempts("Died attempt", died));
    facts.extend(attempts("Repeated on request", asked));
    facts.extend(folders("Repeated jobs", repeated));
    facts.extend(campaign.extensions.iter().map(extended));
    facts.extend(earlier(&campaign.info.earlier));
    facts.extend(accepted(&campaign.info.accepted));
    facts
}

/// The campaigns that criteria compare with.
fn accepted(all: &[AcceptedValues]) -> Vec<Fact> {
    let campaigns = grouped(all.iter().map(|values| (&values.hash, values)));
    let cell = |(hash, all): (&String, Vec<&AcceptedValues>)| {
        let metrics: Vec<String> = all.iter().map(|one| format!("{} {}", one.test, one.metric)).collect();
        let (metrics, started, location) = (metrics.join(", "), day(all[0].started_s), &all[0].location);
        Cell::literal(format!("{metrics}: campaign of {started}, evidence hash {hash}, {location}"))
    };
    first("Accepted campaign", campaigns.into_iter().map(cell))
}

/// The folders of attempts, each with a link.
fn folders(label: &str, all: &[String]) -> Vec<Fact> {
    if all.is_empty() {
        return vec![Fact::new(label, NEVER)];
    }
    first(label, all.iter().map(|folder| Cell::literal(folder).linked(link_to(folder))))
}

/// The attempts that do not count, each with the reason for its repetition.
fn attempts(label: &str, all: &[RepeatedAttempt]) -> Vec<Fact> {
    let one = |attempt: &RepeatedAttempt| {
        Cell::literal(format!("{}: {}", attempt.folder, attempt.why)).linked(link_to(&attempt.folder))
    };
    first(label, all.iter().map(one))
}

/// A fact for each of the first values, and the number of the others.
fn first(label: &str, values: impl ExactSizeIterator<Item = Cell>) -> Vec<Fact> {
    let more = values.len().saturating_sub(LISTED);
    let rest = (more > 0).then(|| Fact::new(label, format!("and {more} more")));
    values.take(LISTED).map(|value| Fact::of(label, value)).chain(rest).collect()
}

fn extended(extension: &Extension) -> Fact {
    let when = time(&extension.time);
    if !extension.repeat.is_empty() {
        let by = if extension.user.is_empty() { String::new() } else { format!(" by {}", extension.user) };
        let (count, tests) = (several(extension.jobs.len() as u64, "job"), extension.repeat.join(", "));
        let what = format!("{when}: {count} of {tests}, asked{by}. Reason: {}", extension.reason);
        return Fact::new("Repeated", what);
    }
    let tests = match &extension.only[..] {
        [] => "all tests".to_owned(),
        only => only.join(", "),
    };
    let more = several(extension.repetitions.into(), "repetition");
    Fact::new("Extended", format!("{when}: {more} more of {tests}. Reason: {}", extension.reason))
}

/// Earlier campaigns of the same plan: each of them could have passed by chance.
fn earlier(all: &[EarlierCampaign]) -> Vec<Fact> {
    const LABEL: &str = "Earlier campaigns";
    if all.is_empty() {
        return vec![Fact::new(LABEL, "none found of this plan on this file system")];
    }
    let one = |campaign: &EarlierCampaign| {
        let EarlierCampaign { folder, started, outcome, evidence_hash } = campaign;
        let outcome = outcome.map_or("not ended".to_owned(), |outcome| outcome.to_string());
        let hash = or_none(evidence_hash);
        Cell::new(format!("{folder}: {outcome}, started {}, evidence hash {hash}", time(started)))
    };
    first(LABEL, all.iter().rev().map(one))
}

fn proof(campaign: &Campaign) -> Vec<Fact> {
    let info = &campaign.info;
    let mut facts = Vec::new();
    facts.push(match &campaign.head {
        Some(head) => {
            let label = format!("Evidence hash before this report (entry {})", head.entry);
            Fact::of(&label, Cell::literal(&head.hash))
        }
        None => Fact::new("Evidence hash", "none: the campaign has no hash chain"),
    });
    let nonce = match info.nonce() {
        "" => Cell::new(NEVER),
        nonce => Cell::literal(nonce),
    };
    facts.push(Fact::of("Nonce of the buyer", nonce));
    facts.push(Fact::of("Witness", witness(campaign)));
    facts.push(Fact::new(SIGNERS, "none recorded in this folder (a signature belongs to an archive)"));
    facts.push(Fact::of("Plan SHA-256", Cell::literal(or_none(&info.plan_sha256))));
    facts.push(Fact::new("Program", or_none(&info.tool)));
    facts.push(Fact::of("Program SHA-256", Cell::literal(or_none(&info.tool_sha256))));
    facts
}

fn witness(campaign: &Campaign) -> Cell {
    let place = &campaign.info.witness;
    match &campaign.summary.course.witness {
        Some(WitnessCourse { place, taken, missed: 0, .. }) => {
            Cell::literal(format!("{place} (took all {taken} hashes)"))
        }
        Some(WitnessCourse { place, taken, missed, why }) => {
            let of = taken + missed;
            Cell::literal(format!("{place} (took {taken} of {of} hashes: {why})"))
        }
        None if place.is_empty() => Cell::new(NEVER),
        None => Cell::literal(format!("{place} (no answer is recorded)")),
    }
}
