//! What `assay verify` finds in a folder whose files were compared with the hash chain. Plan and jobs must
//! agree, and verdicts and report are derived again.
//!
//! Never here: words for the whole folder, and exit statuses.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use judge::crosscheck::{self, Contradiction};
use lint::Drifted;
use plan::schedule::{self, PlannedJob};
use plan::{Choice, Plan};
use results::folder::{self, Campaign, FolderFault, Job, JobEnd, Verification, names};

use crate::TOOL;
use crate::differences::{Difference, DifferenceKind, differences};

/// The result of examining a folder.
#[derive(Default)]
pub struct FolderExamination {
    /// Its faults.
    pub faults: Vec<FolderFault>,
    /// Verdicts, and the report, that this program does not reproduce.
    pub unreproduced: Vec<Difference>,
    /// Whether another build of the program made verdicts and report.
    pub is_of_another_build: bool,
    /// The campaign, if it can be read.
    pub campaign: Option<Campaign>,
}

impl FolderExamination {
    /// Why the folder should not be packed, a sentence each. Another build may derive another reason or write
    /// another report, but not other outcomes.
    pub fn not_to_be_packed(&self) -> impl Iterator<Item = &str> {
        let differs = |one: &&Difference| !self.is_of_another_build || one.kind == DifferenceKind::Outcome;
        let differences = self.unreproduced.iter().filter(differs).map(|one| one.text.as_str());
        self.faults.iter().map(|fault| fault.said.as_str()).chain(differences)
    }
}

/// Checks the files of the folder. If they are unmodified, it also checks that they agree with each other.
pub fn examine(folder: &Path, checked: &Verification, drifted: Drifted) -> FolderExamination {
    let mut found = FolderExamination { faults: checked.faults.clone(), ..FolderExamination::default() };
    match folder::load(folder) {
        Ok(mut campaign) => {
            if found.faults.is_empty()
                && let Err(error) = agreement(folder, &mut campaign, (checked.ended, drifted), &mut found)
            {
                found.faults.push(FolderFault::new("", error.to_string()));
            }
            found.campaign = Some(campaign);
        }
        Err(error) if found.faults.is_empty() && folder::has(folder, names::CAMPAIGN) => {
            found.faults.push(FolderFault::new("", error.to_string()));
        }
        Err(_) => {}
    }
    found
}

/// Finds contradictions between plan, jobs, verdicts and report.
fn agreement(
    folder: &Path,
    campaign: &mut Campaign,
    (ended, drifted): (bool, Drifted),
    found: &mut FolderExamination,
) -> io::Result<()> {
    found.is_of_another_build = campaign.info.tool_sha256 != folder::sha256_of(&std::env::current_exe()?)?;
    // A modified plan is reported by its hash. Its jobs are then not compared.
    if folder::sha256(campaign.plan.as_bytes()) == campaign.info.plan_sha256 {
        match Plan::recorded(&campaign.plan, names::PLAN, &Choice::of(campaign)) {
            Ok(plan) => {
                findings(&plan, campaign, drifted, found);
                reproduced(&plan, folder, campaign, ended, found);
            }
            Err(error) => found.unreproduced.push(Difference {
                text: format!("this program cannot read the plan: {error}"),
                kind: DifferenceKind::Unreadable,
            }),
        }
    }
    // The report of a campaign that is being extended is one of an earlier evaluation.
    let is_whole = found.faults.is_empty() && found.unreproduced.is_empty();
    if is_whole && ended && altered_report(folder, campaign)? {
        found.unreproduced.push(Difference {
            text: format!(
                "{} does not match the records. Write another with: assay report --out",
                names::REPORT
            ),
            kind: DifferenceKind::Report,
        });
    }
    Ok(())
}

/// Adds the findings about the plan that the campaign does not record. Another build may find others.
fn findings(plan: &Plan, campaign: &mut Campaign, drifted: Drifted, found: &mut FolderExamination) {
    for finding in lint::complete(plan, campaign, drifted) {
        let about = if finding.about.is_empty() { "" } else { &format!(" about {}", finding.about) };
        let (severity, code) = (finding.severity, finding.code());
        let text = format!(
            "{} does not have the {severity} {code}{about}, which follows from the plan",
            names::CAMPAIGN
        );
        if found.is_of_another_build {
            found.unreproduced.push(Difference { text, kind: DifferenceKind::Reason });
        } else {
            found.faults.push(FolderFault::new(names::CAMPAIGN, text));
        }
    }
}

/// Compares the jobs with the plan, and the verdicts with those of this program.
fn reproduced(plan: &Plan, folder: &Path, campaign: &Campaign, ended: bool, found: &mut FolderExamination) {
    // Before the evaluation, because both need much memory.
    found.faults.extend(jobs(plan, campaign));
    let now = judge::evaluate(plan, campaign);
    found.faults.extend(facts(campaign, &now.contradictions));
    if folder::has(folder, names::VERDICTS) && campaign.after.is_some() {
        found.unreproduced.extend(differences(&campaign.verdicts, &now.verdicts));
    } else if ended {
        let what = format!("{} is missing. Write it again with: assay judge", names::VERDICTS);
        found.faults.push(FolderFault { is_missing: true, ..FolderFault::new(names::VERDICTS, what) });
    }
}

/// Jobs that are not those of the plan, contradict each other, or lack facts that would have to agree.
pub fn inconsistencies(
    plan: &Plan,
    campaign: &Campaign,
    contradictions: &[Contradiction],
) -> Vec<FolderFault> {
    let mut all = jobs(plan, campaign);
    all.extend(facts(campaign, contradictions));
    all
}

/// Facts of jobs that contradict each other, or are missing.
fn facts(campaign: &Campaign, contradictions: &[Contradiction]) -> Vec<FolderFault> {
    let fault = |one: &Contradiction| FolderFault::new(&one.folder, report::sentences::sentence(&one.reason));
    let mut all: Vec<FolderFault> = contradictions.iter().map(fault).collect();
    // Every build of a version records the same parts.
    if campaign.info.tool == TOOL {
        all.extend(incomplete(campaign));
    }
    all
}

/// Records without a part that this version of the program records always.
fn incomplete(campaign: &Campaign) -> impl Iterator<Item = FolderFault> {
    let of = |job: &Job| {
        let reason = crosscheck::lacks(job)?;
        Some(FolderFault::new(&job.folder, report::sentences::sentence(&reason)))
    };
    campaign.jobs.iter().filter_map(of)
}

/// Whether the report differs from the one that this program writes for the folder.
fn altered_report(folder: &Path, campaign: &Campaign) -> io::Result<bool> {
    if campaign.verdicts.is_empty() || !folder::has(folder, names::REPORT) {
        return Ok(false);
    }
    let mut page = folder::ComparedFile::open(folder, names::REPORT)?;
    report::write_html(campaign, &mut page)?;
    Ok(!page.is_same()?)
}

/// Jobs of the plan that are missing in the folder without a reason, and jobs that the plan does not have.
fn jobs(plan: &Plan, campaign: &Campaign) -> Vec<FolderFault> {
    let planned = schedule::jobs(plan, &campaign.info.only).unwrap_or_default();
    let well = campaign.jobs.iter().filter(|job| job.info.end == JobEnd::Exit(0));
    let ended: BTreeSet<(&str, u32)> =
        well.map(|job| (job.info.test.as_str(), job.info.repetition)).collect();
    let there: BTreeSet<&str> = campaign.jobs.iter().map(|job| folder::folder_name(&job.folder)).collect();
    // Jobs run in order: in a campaign that has not ended, only those before the last must exist.
    let due = match (&campaign.after, campaign.jobs.last()) {
        (Some(_), _) => u32::MAX,
        // Jobs of the same group as the last may have been moved, to run again with it.
        (None, Some(last)) => {
            let group = |job: &&PlannedJob| job.folder == folder::folder_name(&last.folder);
            let group = planned.iter().find(group).and_then(|job| job.at_once.as_ref());
            let beside = planned.iter().filter(|job| group.is_some() && job.at_once.as_ref() == group);
            beside.map(|job| job.number).min().unwrap_or(last.info.number)
        }
        (None, None) => 0,
    };
    let missing = planned.iter().filter(|job| {
        let left_out = || {
            job.needs.iter().any(|(test, repetition)| !ended.contains(&(test.as_str(), *repetition)))
                || plan::left_out(plan, campaign, job).is_some()
        };
        job.number < due && !there.contains(job.folder.as_str()) && !left_out()
    });
    let missing = missing.map(|job| format!("{}/{} is missing", names::JOBS, job.folder));
    let known: BTreeSet<&str> = planned.iter().map(|job| job.folder.as_str()).collect();
    let foreign = campaign.jobs.iter().filter(|job| !known.contains(folder::folder_name(&job.folder)));
    let foreign = foreign.map(|job| format!("{} is not a job of the plan", job.folder));
    missing.chain(foreign).map(|said| FolderFault::new(names::JOBS, said)).collect()
}
