//! `assay verify`: whether a campaign's folder is still what the campaign left.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Result;
use plan::schedule::{self, PlannedJob};
use plan::{Choice, Plan};
use results::folder::{self, Campaign, Head, Job, JobEnd, Verification, names};
use units::Usage;

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
    if faults.is_empty() && !folder.join(names::CAMPAIGN).exists() {
        let what = format!("{at}: its campaign was killed before it began; remove it and begin again");
        return Err(Usage(what).into());
    }
    if let (true, Some(campaign)) = (faults.is_empty(), campaign) {
        let notes: String =
            checked.notes.iter().chain(&notes).map(|note| format!("note: {note}\n")).collect();
        let killed = match campaign.killed.iter().filter(|folder| folder.contains(".killed-")).count() {
            0 => String::new(),
            1 => ", 1 attempt that was killed".to_owned(),
            many => format!(", {many} attempts that were killed"),
        };
        let jobs = units::several(campaign.jobs.len() as u64, "job");
        let ended = if checked.ended { "" } else { "; the campaign has not ended" };
        let (found, sign) = match checked.head {
            Some(_) => (" is whole: ", head(&checked) + &report_line(&campaign, checked.ended)),
            None => (UNCHAINED, format!("Fingerprint {}\n", fingerprint(folder, &campaign)?)),
        };
        say(&format!("{notes}{at}{found}{jobs}{killed}{ended}\n{sign}"))?;
        return Ok(if checked.head.is_some() { DONE } else { UNDECIDED });
    }
    let mut text: String = faults.iter().map(|fault| format!("{fault}\n")).collect();
    text.push_str(&format!(
        "{at} is not what the campaign left: {} found\n",
        units::several(faults.len() as u64, "change")
    ));
    say(&text)?;
    Ok(UNDECIDED)
}

/// What is said of a folder without a chain in which nothing wrong was found.
const UNCHAINED: &str = ": made by schema 1, without a chain: only the plan and what each job left are \
                         checked, against hashes in the same folder; ";

/// The line with the hash that the report shows.
fn report_line(campaign: &Campaign, ended: bool) -> String {
    let line = |head: &Head| format!("Report   {}   (shown in it: entry {})\n", head.hash, head.entry);
    campaign.head.as_ref().filter(|_| ended).map(line).unwrap_or_default()
}

/// The line with the head of the chain.
pub(super) fn head(checked: &Verification) -> String {
    let line = |head: &Head| format!("Head     {}   (entry {} of {})\n", head.hash, head.entry, names::CHAIN);
    checked.head.as_ref().map(line).unwrap_or_default()
}

/// One hash of all evidence: of the files that hold the hashes of all others, as `sha256sum` lists
/// them. Whoever noted it finds out also about somebody who changed a file and its hash.
fn fingerprint(folder: &Path, campaign: &Campaign) -> std::io::Result<String> {
    let machines = [names::BEFORE, names::AFTER].map(str::to_owned);
    let jobs = campaign.jobs.iter().map(|job| format!("{}/{}", job.folder, names::JOB));
    let mut list = String::new();
    for file in std::iter::once(names::CAMPAIGN.to_owned()).chain(machines).chain(jobs) {
        if folder.join(&file).exists() {
            list.push_str(&format!("{}  {file}\n", folder::sha256_of(&folder.join(&file))?));
        }
    }
    Ok(folder::sha256(list.as_bytes()))
}

/// What looking at a folder came to.
#[derive(Default)]
pub(super) struct FolderExamination {
    /// What is wrong with it, a sentence each.
    pub(super) faults: Vec<String>,
    /// What is to be known and shows nothing about its files.
    notes: Vec<String>,
    campaign: Option<Campaign>,
}

/// Looks at the folder: its files, and where these are as they were, what they say to each other.
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
        Err(error) if found.faults.is_empty() && folder.join(names::CAMPAIGN).exists() => {
            found.faults.push(error.to_string());
        }
        Err(_) => {}
    }
    found
}

/// Where plan, jobs, verdicts and report do not fit each other.
fn contradictions(
    folder: &Path,
    campaign: &Campaign,
    ended: bool,
    found: &mut FolderExamination,
) -> std::io::Result<()> {
    let ours = campaign.info.tool_sha256 == folder::sha256_of(&std::env::current_exe()?)?;
    let mut faults = Vec::new();
    // A plan that was changed is named by its hash; what it would ask for is then of no interest.
    if folder::sha256(campaign.plan.as_bytes()) == campaign.info.plan_sha256
        && let Ok(plan) = Plan::parse_with(&campaign.plan, names::PLAN, &Choice::of(&campaign.info))
    {
        faults.extend(jobs(&plan, campaign));
        let there = folder.join(names::VERDICTS).exists();
        if there && campaign.after.is_some() {
            let differences =
                judge::differences(&campaign.verdicts, &::judge::evaluate(&plan, campaign).verdicts);
            match ours {
                true => faults.extend(differences.into_iter().map(|one| one.told)),
                false => found.notes.extend(of_another_build(&campaign.info.tool, differences)),
            }
        } else if ended || campaign.info.schema < folder::SCHEMA && campaign.after.is_some() {
            faults.push(format!("{} is missing; `assay judge` makes it again", names::VERDICTS));
        }
    }
    // Of a report that another build made nothing can be said.
    if ours && faults.is_empty() && altered_report(folder, campaign)? {
        faults.push(format!("{} is not what the records give; `assay report` makes it again", names::REPORT));
    }
    found.faults.extend(faults);
    Ok(())
}

/// What is to be known where another build came to other reasons, or to other outcomes or values.
fn of_another_build(tool: &str, differences: Vec<Difference>) -> Vec<String> {
    let (of_reasons, grave): (Vec<_>, Vec<_>) = differences.into_iter().partition(|one| one.is_of_reason);
    let verdicts = names::VERDICTS;
    let mut notes: Vec<String> = grave.into_iter().map(|one| one.told).collect();
    if !notes.is_empty() {
        notes.push(format!(
            "{verdicts} was made by another build of {tool}, and this one does not come to the same outcomes \
             or values: let nothing rest on either before it is known why; `assay verify` of that build says \
             whether the file is what it made"
        ));
    } else if !of_reasons.is_empty() {
        let reasons = units::several(of_reasons.len() as u64, "reason");
        notes.push(format!(
            "{verdicts} was made by another build of {tool}, which gives {reasons} otherwise; outcomes and \
             values are the same"
        ));
    }
    notes
}

/// Whether the report is another than this program makes of the folder.
fn altered_report(folder: &Path, campaign: &Campaign) -> std::io::Result<bool> {
    let path = folder.join(names::REPORT);
    if campaign.verdicts.is_empty() || !path.exists() {
        return Ok(false);
    }
    let mut made = Vec::new();
    report::write_html(campaign, &mut made)?;
    Ok(std::fs::read(path)? != made)
}

fn folder_name(job: &Job) -> &str {
    job.folder.rsplit('/').next().unwrap_or_default()
}

/// Jobs that the plan has and the folder has not, though nothing kept them from running, and jobs
/// that the plan does not have.
fn jobs(plan: &Plan, campaign: &Campaign) -> Vec<String> {
    let planned = schedule::jobs(plan, &campaign.info.only).unwrap_or_default();
    let ended = |test: &str, repetition: u32| {
        campaign.jobs.iter().any(|job| {
            (job.info.test.as_str(), job.info.repetition, &job.info.end)
                == (test, repetition, &JobEnd::Exit(0))
        })
    };
    let there = |name: &str| campaign.jobs.iter().any(|job| job.folder == format!("{}/{name}", names::JOBS));
    // Jobs run in their order: in a campaign that has not ended, only those before the last are due.
    let due = match (&campaign.after, campaign.jobs.last()) {
        (Some(_), _) => u32::MAX,
        // Those that run at once with the last may have been set aside, to run again with it.
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
    let foreign = foreign.map(|job| format!("{} is no job of the plan", job.folder));
    missing.chain(foreign).collect()
}
