//! `assay verify`: whether a campaign's folder is still what the campaign left.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Result;
use campaign::plan::Choice;
use campaign::{Plan, schedule};
use results::folder::{self, Campaign, JobEnd, names};

use super::judge;
use crate::speech::say;

/// Check a campaign's folder: every file as recorded, every job there, every verdict supported.
///
/// Prints one sentence for each file that was changed or is missing; of a folder that is whole, its
/// fingerprint, which is the same for every true copy. Exit status: 0 the folder is whole; 1 it is
/// not; 2 there is no campaign.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The campaign's folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Runs the command and gives the exit status.
pub(crate) fn run(args: Args) -> Result<u8> {
    let folder = &args.folder;
    let at = folder.display();
    let (faults, campaign) = match faults(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::InvalidData => (vec![error.to_string()], None),
        Err(error) => return Err(judge::no_campaign(folder, &error).into()),
    };
    if let (true, Some(campaign)) = (faults.is_empty(), campaign) {
        let jobs = campaign.jobs.len();
        let jobs = if jobs == 1 { "1 job".to_owned() } else { format!("{jobs} jobs") };
        let ended = if campaign.after.is_some() { "" } else { "; the campaign has not ended" };
        let fingerprint = fingerprint(folder, &campaign)?;
        say(&format!("{at} is whole: {jobs}{ended}\nFingerprint {fingerprint}\n"))?;
        return Ok(0);
    }
    let mut text: String = faults.iter().map(|fault| format!("{fault}\n")).collect();
    text.push_str(&format!("{at} is not what the campaign left: {} found\n", count(faults.len())));
    say(&text)?;
    Ok(1)
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

fn count(faults: usize) -> String {
    if faults == 1 { "1 change".to_owned() } else { format!("{faults} changes") }
}

/// What is wrong with the folder, and the campaign in it.
fn faults(folder: &Path) -> std::io::Result<(Vec<String>, Option<Campaign>)> {
    let mut faults = folder::verify(folder)?;
    let campaign = match folder::load(folder) {
        Ok(campaign) => campaign,
        Err(error) => {
            if faults.is_empty() {
                faults.push(error.to_string());
            }
            return Ok((faults, None));
        }
    };
    // A plan that was changed is named by its hash; what it would ask for is then of no interest.
    if folder::sha256(campaign.plan.as_bytes()) == campaign.info.plan_sha256
        && let Ok(plan) = Plan::parse_with(&campaign.plan, names::PLAN, &Choice::of(&campaign.info))
    {
        faults.extend(jobs(&plan, &campaign));
        if campaign.after.is_some() && folder.join(names::VERDICTS).exists() {
            faults.extend(judge::differences(&campaign.verdicts, &campaign::judge(&plan, &campaign)));
        } else if campaign.after.is_some() {
            faults.push(format!("{} is missing; `assay judge` makes it again", names::VERDICTS));
        }
    }
    if faults.is_empty() && altered_report(folder, &campaign)? {
        faults.push(format!("{} is not what the records give; `assay report` makes it again", names::REPORT));
    }
    Ok((faults, Some(campaign)))
}

/// Whether the report is another than this program makes of the folder; of a report that another version
/// made nothing can be said.
fn altered_report(folder: &Path, campaign: &Campaign) -> std::io::Result<bool> {
    let path = folder.join(names::REPORT);
    let ours = campaign.info.tool_sha256 == folder::sha256_of(&std::env::current_exe()?)?;
    if !ours || campaign.verdicts.is_empty() || !path.exists() {
        return Ok(false);
    }
    let mut made = Vec::new();
    report::write_html(campaign, &mut made)?;
    Ok(std::fs::read(path)? != made)
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
        (None, Some(last)) => last.info.number,
        (None, None) => 0,
    };
    let missing = planned.iter().filter(|job| {
        let left_out = job.needs.iter().any(|(test, repetition)| !ended(test, *repetition));
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
