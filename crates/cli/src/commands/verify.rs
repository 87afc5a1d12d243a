//! `assay verify`: checks that a campaign folder is complete and unmodified.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Result;
use plan::schedule::{self, PlannedJob};
use plan::{Choice, Plan};
use results::folder::{self, Campaign, Head, Job, JobEnd, Verification, names};
use units::{Usage, visible};

use super::judge::{self, Difference, EvidenceFolder};
use crate::speech::say;
use crate::status::{DONE, UNDECIDED};

/// Check that an evidence package is complete and unmodified
///
/// Checks every file against the hash chain, every job against the plan and every verdict against the
/// records. Each fault is one line that names the file. For an intact folder the evidence hash is printed.
/// Compare it with the one that was written down when the campaign ended. If another build of assay
/// evaluates a clause otherwise, that is a note, because the build may be the reason.
#[derive(clap::Args)]
pub(crate) struct VerifyArgs {
    /// The campaign folder, or an archive of it
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(crate) fn run(args: VerifyArgs) -> Result<u8> {
    let EvidenceFolder { folder, name: at, .. } = &EvidenceFolder::open(&args.folder)?;
    let (checked, FolderExamination { faults, notes, campaign }) = match folder::check(folder) {
        Ok(checked) => {
            let examined = examine(folder, &checked);
            (checked, examined)
        }
        Err(error) if error.kind() == ErrorKind::InvalidData => (
            Verification::default(),
            FolderExamination { faults: vec![error.to_string()], ..FolderExamination::default() },
        ),
        Err(error) => return Err(judge::no_campaign(folder, &error).into()),
    };
    if faults.is_empty() && !folder::has(folder, names::CAMPAIGN) {
        let what =
            format!("{at}: the campaign was killed before its first job. Remove the folder and start again.");
        return Err(Usage(what).into());
    }
    if let (true, Some(campaign)) = (faults.is_empty(), campaign) {
        let notes: String =
            checked.notes.iter().chain(&notes).map(|note| format!("note: {}\n", visible(note))).collect();
        let killed = match campaign.killed.iter().filter(|folder| folder.contains(".killed-")).count() {
            0 => String::new(),
            1 => ", 1 killed attempt".to_owned(),
            many => format!(", {many} killed attempts"),
        };
        let jobs = units::several(campaign.jobs.len() as u64, "job");
        let ended = if checked.ended { "" } else { "; the campaign has not ended" };
        let (found, sign) = match checked.head {
            Some(_) => (" is unmodified: ", evidence_hash(&checked) + &report_line(&campaign, checked.ended)),
            None => (UNCHAINED, format!("Fingerprint {}\n", fingerprint(folder, &campaign)?)),
        };
        say(&format!("{notes}{at}{found}{jobs}{killed}{ended}\n{sign}"))?;
        return Ok(if checked.head.is_some() { DONE } else { UNDECIDED });
    }
    let mut text: String = faults.iter().map(|fault| format!("{}\n", visible(fault))).collect();
    text.push_str(&format!("{at} was modified: {} found\n", units::several(faults.len() as u64, "change")));
    say(&text)?;
    Ok(UNDECIDED)
}

/// The result for a folder without a hash chain in which no fault was found.
const UNCHAINED: &str = " has schema 1, without a hash chain. Only the plan and the files of each job are \
                         checked, against hashes in the same folder: ";

/// The line with the evidence hash in the report.
fn report_line(campaign: &Campaign, ended: bool) -> String {
    let line = |head: &Head| format!("In the report: {} (entry {})\n", head.hash, head.entry);
    campaign.head.as_ref().filter(|_| ended).map(line).unwrap_or_default()
}

/// The line with the evidence hash: the last entry of the hash chain.
pub(super) fn evidence_hash(checked: &Verification) -> String {
    let line =
        |head: &Head| format!("Evidence hash: {} (entry {} of {})\n", head.hash, head.entry, names::CHAIN);
    checked.head.as_ref().map(line).unwrap_or_default()
}

/// One hash of all evidence: the hash of the files that contain the hashes of all others, as listed by
/// `sha256sum`. If it was written down before, it also shows a change of a file together with its hash.
fn fingerprint(folder: &Path, campaign: &Campaign) -> std::io::Result<String> {
    let machines = [names::BEFORE, names::AFTER].map(str::to_owned);
    let jobs = campaign.jobs.iter().map(|job| format!("{}/{}", job.folder, names::JOB));
    let mut list = String::new();
    for file in std::iter::once(names::CAMPAIGN.to_owned()).chain(machines).chain(jobs) {
        if folder::has(folder, &file) {
            list.push_str(&format!("{}  {file}\n", folder::sha256(&folder::read_file(folder, &file)?)));
        }
    }
    Ok(folder::sha256(list.as_bytes()))
}

/// The result of examining a folder.
#[derive(Default)]
pub(super) struct FolderExamination {
    /// Its faults, a sentence each.
    pub(super) faults: Vec<String>,
    /// Notes that are not faults.
    notes: Vec<String>,
    campaign: Option<Campaign>,
}

/// Checks the files of the folder. If they are unmodified, it also checks that they agree with each other.
pub(super) fn examine(folder: &Path, checked: &Verification) -> FolderExamination {
    let mut found = FolderExamination { faults: checked.said(), ..FolderExamination::default() };
    let chained = checked.head.is_some();
    match folder::load(folder) {
        Ok(campaign) => {
            if (found.faults.is_empty() || !chained)
                && let Err(error) = contradictions(folder, &campaign, checked.ended, &mut found)
            {
                found.faults.push(error.to_string());
            }
            found.campaign = Some(campaign);
        }
        Err(error) if found.faults.is_empty() && folder::has(folder, names::CAMPAIGN) => {
            found.faults.push(error.to_string());
        }
        Err(_) => {}
    }
    found
}

/// Finds contradictions between plan, jobs, verdicts and report.
fn contradictions(
    folder: &Path,
    campaign: &Campaign,
    ended: bool,
    found: &mut FolderExamination,
) -> std::io::Result<()> {
    let ours = campaign.info.tool_sha256 == folder::sha256_of(&std::env::current_exe()?)?;
    let mut faults = Vec::new();
    // A modified plan is reported by its hash. Its jobs are then not compared.
    if folder::sha256(campaign.plan.as_bytes()) == campaign.info.plan_sha256
        && let Ok(plan) = Plan::parse_with(&campaign.plan, names::PLAN, &Choice::of(&campaign.info))
    {
        faults.extend(jobs(&plan, campaign));
        if folder::has(folder, names::VERDICTS) && campaign.after.is_some() {
            let differences =
                judge::differences(&campaign.verdicts, &::judge::evaluate(&plan, campaign).verdicts);
            match ours {
                true => faults.extend(differences.into_iter().map(|one| one.text)),
                false => found.notes.extend(of_another_build(&campaign.info.tool, differences)),
            }
        } else if ended || campaign.info.schema < folder::SCHEMA && campaign.after.is_some() {
            faults.push(format!("{} is missing. Write it again with: assay judge", names::VERDICTS));
        }
    }
    // A report from another build cannot be compared.
    if ours && faults.is_empty() && altered_report(folder, campaign)? {
        faults.push(format!(
            "{} does not match the records. Write another with: assay report --out",
            names::REPORT
        ));
    }
    found.faults.extend(faults);
    Ok(())
}

/// Notes for a folder of another build that has other outcomes, values or reasons.
fn of_another_build(tool: &str, differences: Vec<Difference>) -> Vec<String> {
    let (of_reasons, grave): (Vec<_>, Vec<_>) = differences.into_iter().partition(|one| one.is_of_reason);
    let verdicts = names::VERDICTS;
    let mut notes: Vec<String> = grave.into_iter().map(|one| one.text).collect();
    if !notes.is_empty() {
        notes.push(format!(
            "{verdicts} is from another build of {tool}, and this build has other outcomes or values. Use \
             neither before you know why. `assay verify` of that build shows whether the file is unmodified."
        ));
    } else if !of_reasons.is_empty() {
        let reasons = units::several(of_reasons.len() as u64, "reason");
        notes.push(format!(
            "{verdicts} is from another build of {tool}, which has {reasons} with other contents. Outcomes \
             and values are the same."
        ));
    }
    notes
}

/// Whether the report differs from the one that this program writes for the folder.
fn altered_report(folder: &Path, campaign: &Campaign) -> std::io::Result<bool> {
    if campaign.verdicts.is_empty() || !folder::has(folder, names::REPORT) {
        return Ok(false);
    }
    let mut made = Vec::new();
    report::write_html(campaign, &mut made)?;
    Ok(folder::read_file(folder, names::REPORT)? != made)
}

fn folder_name(job: &Job) -> &str {
    job.folder.rsplit('/').next().unwrap_or_default()
}

/// Jobs of the plan that are missing in the folder without a reason, and jobs that the plan does not have.
fn jobs(plan: &Plan, campaign: &Campaign) -> Vec<String> {
    let planned = schedule::jobs(plan, &campaign.info.only).unwrap_or_default();
    let ended = |test: &str, repetition: u32| {
        campaign.jobs.iter().any(|job| {
            (job.info.test.as_str(), job.info.repetition, &job.info.end)
                == (test, repetition, &JobEnd::Exit(0))
        })
    };
    let there = |name: &str| campaign.jobs.iter().any(|job| job.folder == format!("{}/{name}", names::JOBS));
    // Jobs run in order: in a campaign that has not ended, only those before the last must exist.
    let due = match (&campaign.after, campaign.jobs.last()) {
        (Some(_), _) => u32::MAX,
        // Jobs of the same group as the last may have been moved, to run again with it.
        (None, Some(last)) => {
            let group = |job: &&PlannedJob| job.folder == folder_name(last);
            let group = planned.iter().find(group).and_then(|job| job.at_once.as_ref());
            let beside = planned.iter().filter(|job| group.is_some() && job.at_once.as_ref() == group);
            beside.map(|job| job.number).min().unwrap_or(last.info.number)
        }
        (None, None) => 0,
    };
    let missing = planned.iter().filter(|job| {
        let left_out = job.needs.iter().any(|(test, repetition)| !ended(test, *repetition))
            || plan::left_out(plan, campaign, job).is_some();
        job.number < due && !left_out && !there(&job.folder)
    });
    let missing = missing.map(|job| format!("{}/{} is missing", names::JOBS, job.folder));
    let foreign = campaign
        .jobs
        .iter()
        .filter(|job| !planned.iter().any(|known| job.folder == format!("{}/{}", names::JOBS, known.folder)));
    let foreign = foreign.map(|job| format!("{} is not a job of the plan", job.folder));
    missing.chain(foreign).collect()
}
