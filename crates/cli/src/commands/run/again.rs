//! Campaigns that began earlier: resumed, extended, or followed in their batch job.
//!
//! Never here: new campaigns.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use ::plan::{Choice, Plan};
use anyhow::Result;
use evidence::folder::unreadable;
use results::folder::{self, Extension, names};
use run::CampaignRequest;
use run::submission::SubmittedJob;
use run::witness::Witness;
use units::Usage;

use super::{RunArgs, around, campaign, request, submit};
use crate::commands::plan;
use crate::commands::user::user;

/// Rejects arguments that differ from those with which the campaign in `folder` started.
pub(super) fn check_same_campaign(args: &RunArgs, folder: &Path) -> Result<()> {
    // The campaign itself reports a folder that is missing or cannot be read.
    let Ok(campaign) = folder::load(folder) else { return Ok(()) };
    let (choice, recorded) = (args.values.choice(), Choice::of(&campaign));
    let info = campaign.info;
    let another_plan = || -> Result<bool> {
        let Some(path) = &args.plan else { return Ok(false) };
        Ok(folder::sha256(plan::load(path, &choice)?.text.as_bytes()) != info.plan_sha256)
    };
    let absolute = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let another_dir = |dir: &PathBuf| absolute(dir) != absolute(Path::new(&info.dir));
    let sorted = |tests: &[String]| BTreeSet::from_iter(tests.to_vec());
    let other = if another_plan()? {
        "another plan"
    } else if !args.values.is_empty() && (choice.scale, choice.set) != (recorded.scale, recorded.set) {
        "other values of the plan's parameters"
    } else if !args.only.is_empty() && sorted(&args.only) != sorted(&info.only) {
        "other tests"
    } else if args.dir.as_ref().is_some_and(another_dir) {
        "another --dir"
    } else {
        return Ok(());
    };
    let at = folder.display();
    Err(Usage(format!(
        "the campaign in {at} was started with {other}. Resume it with `assay run --resume {at}`, or give \
         another folder."
    ))
    .into())
}

/// Resumes a campaign here or in a batch job, or follows the batch job in which it runs.
pub(super) fn resume(args: RunArgs, folder: PathBuf, argv: &[String]) -> Result<u8> {
    let allocation = around::allocation();
    let job = SubmittedJob::last(&folder)?;
    if let (Some(_), None) = (&args.wait, &job) {
        let at = folder.display();
        return Err(Usage(format!("{at} was not submitted, so it has no batch job to wait for")).into());
    }
    if let Some(job) = job.filter(|job| args.submit.is_none() && !job.is(allocation.as_ref())) {
        let may_resume = allocation.is_some() && args.wait.is_none();
        if let Some(status) = submit::follow(&job, &folder, args.wait.is_some(), may_resume)? {
            return Ok(status);
        }
    }
    if let (Some(_), Some(job)) = (&args.submit, SubmittedJob::last(&folder)?) {
        return submit::resubmit(&args, &job, &folder);
    }
    if !folder.join(names::PLAN).exists() {
        return Err(no_plan(&folder).into());
    }
    let plan = plan::load_recorded(&folder.join(names::PLAN), &recorded_choice(&folder))?;
    if args.submit.is_some() {
        let args = RunArgs { only: vec![], ..args };
        return submit::submit(&args, &plan, &folder, true);
    }
    campaign(resumed(&args, plan, folder, argv)?, &args.display())
}

/// The request for the campaign in `folder`, with the key of its data and with its witness.
fn resumed(args: &RunArgs, plan: Plan, folder: PathBuf, argv: &[String]) -> Result<CampaignRequest> {
    let data_key = args.key.of_resumed(&folder)?;
    let witness =
        args.witness.clone().map_or_else(|| recorded_witness(&folder), |witness| Ok(Some(witness)))?;
    witness.as_ref().map_or(Ok(()), Witness::check)?;
    let probe = !args.no_probe;
    Ok(CampaignRequest { data_key, witness, probe, ..request(plan, None, folder, true, vec![], argv)? })
}

/// Adds repetitions to an ended campaign, and runs them.
pub(super) fn extend(args: RunArgs, folder: PathBuf, argv: &[String]) -> Result<u8> {
    let reason = args.reason.clone().unwrap_or_default();
    if reason.trim().is_empty() {
        return Err(Usage("--reason is empty. Say why the campaign is extended.".to_owned()).into());
    }
    if args.repetitions.is_none() && args.repeat.is_empty() {
        let what = "--extend needs --repetitions N for more repetitions, or --repeat TEST for jobs that died";
        return Err(Usage(what.to_owned()).into());
    }
    if !folder.join(names::PLAN).exists() {
        return Err(no_plan(&folder).into());
    }
    let extension = Extension {
        repetitions: args.repetitions.unwrap_or_default(),
        repeat: args.repeat.clone(),
        jobs: Vec::new(),
        user: user(),
        only: args.only.clone(),
        reason,
        argv: argv.to_vec(),
        time: folder::now(),
    };
    let mut choice = recorded_choice(&folder);
    choice.extensions.push(extension.clone());
    let plan = plan::load_recorded(&folder.join(names::PLAN), &choice)?;
    let request = CampaignRequest { extend: Some(extension), ..resumed(&args, plan, folder, argv)? };
    campaign(request, &args.display())
}

/// The error for a folder without a plan. It names the last campaign inside the folder, if there is one.
fn no_plan(folder: &Path) -> Usage {
    if is_denied(folder) {
        return unreadable(folder);
    }
    if folder.join(names::CAMPAIGN).exists() {
        return Usage(format!(
            "{}/{} is missing. A campaign resumes only with its unmodified plan. Restore this file, or start \
             a new campaign.",
            folder.display(),
            names::PLAN
        ));
    }
    let within = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let campaigns = within.filter(|path| path.join(names::CAMPAIGN).exists());
    let hint = match campaigns.max() {
        Some(last) => format!("It contains {}.", last.display()),
        None => "`assay run` prints the folder of a campaign at its end.".to_owned(),
    };
    Usage(format!("{} is not a campaign folder, so it cannot be resumed. {hint}", folder.display()))
}

/// Whether this user may not look into `folder`.
pub(super) fn is_denied(folder: &Path) -> bool {
    let found = folder.join(names::CAMPAIGN).metadata();
    found.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// The parameter values with which the campaign in `folder` started. They are the plan's own values if the
/// folder cannot be read, which the campaign itself reports.
fn recorded_choice(folder: &Path) -> Choice {
    folder::load(folder).map(|campaign| Choice::of(&campaign)).unwrap_or_default()
}

/// The witness with which the campaign in `folder` started.
fn recorded_witness(folder: &Path) -> Result<Option<Witness>> {
    let witness = folder::load(folder).map(|campaign| campaign.info.witness).unwrap_or_default();
    Ok((!witness.is_empty()).then(|| Witness::parse(&witness)).transpose()?)
}
