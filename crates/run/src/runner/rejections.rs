//! Why a campaign cannot begin, resume or be extended.
//!
//! Invariant: nothing is changed.
//! Never here: free space.

use results::folder::{self, CampaignInfo, CampaignKey, Extension, FileSystemFacts, Verification};
use units::Usage;

use super::{CampaignRequest, Trouble, hosts, rejected};
use crate::machine::found;
use plan::Choice;
use plan::schedule::PlannedJob;

/// Rejects a degraded state if nothing would report that the file system is degraded.
pub(super) fn check_health_is_reported(
    asked: &CampaignRequest,
    jobs: &[PlannedJob],
    fs: &FileSystemFacts,
) -> Result<(), Usage> {
    if !fs.targets.is_empty() || asked.plan.file_systems[&fs.name].health.is_some() {
        return Ok(());
    }
    match jobs.iter().find_map(|job| job.down.filter(|_| job.fs == fs.name)) {
        None => Ok(()),
        Some(state) => Err(Usage(format!(
            "{}: fs.{} does not report what is offline. Add a `health` command to the file system.",
            asked.plan.states[state].job(),
            fs.name
        ))),
    }
}

/// Rejects a campaign of another plan, of other values, or of another build.
pub(super) fn check_same(
    asked: &CampaignRequest,
    info: &CampaignInfo,
    choice: &Choice,
) -> Result<(), Trouble> {
    let at = asked.folder.display();
    if info.plan_sha256 != folder::sha256(asked.plan.text.as_bytes()) {
        return rejected(format!(
            "{at} was started with another plan text. Resume it with its own plan, {at}/plan.toml."
        ));
    }
    if *choice != asked.plan.choice {
        return rejected(format!(
            "{at} was started with other parameter values. Resume it without --scale and --set."
        ));
    }
    let facts = |key: &Option<CampaignKey>| key.as_ref().map(|key| key.facts.clone());
    if facts(&info.data_key) != facts(&asked.data_key) {
        return rejected(format!(
            "{at} was started with another key of the data. Resume it with its own --data-key and --nonce."
        ));
    }
    if info.tool_sha256 != folder::sha256_of(&asked.program)? {
        return rejected(format!(
            "{at} was started by another build of {}. Resume it with that build.",
            info.tool
        ));
    }
    Ok(())
}

/// Rejects an extension of a campaign that has not ended, or did not run the chosen tests.
pub(super) fn check_extension(
    asked: &CampaignRequest,
    info: &CampaignInfo,
    checked: &Verification,
    extension: &Extension,
) -> Result<(), Trouble> {
    let at = asked.folder.display();
    if let Some(fault) = checked.faults.first() {
        return rejected(format!("{at} is not intact, so it cannot be extended: {}.", fault.said));
    }
    if !checked.ended {
        return rejected(format!("{at} has not ended. Resume it with `assay run --resume {at}` first."));
    }
    if let Some(test) = extension.only.iter().find(|test| !info.only.is_empty() && !info.only.contains(test))
    {
        return rejected(format!(
            "the campaign in {at} did not run the test {test}, so it cannot be extended."
        ));
    }
    Ok(())
}

/// Rejects a missing launcher, because every job would fail.
pub(super) fn check_launcher(asked: &CampaignRequest) -> Result<(), Usage> {
    let kind = &asked.plan.launch.kind;
    if kind.is_over_ssh() {
        return hosts::launcher(asked).map(drop).ok_or_else(|| hosts::no_launcher(asked));
    }
    let own = |name: &str| asked.environment.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let path = asked.plan.launch.env.get("PATH").or_else(|| own("PATH")).map_or("", String::as_str);
    // A relative path is resolved in the folder of the job.
    let program = kind.program().filter(|word| !word.contains('/') || word.starts_with('/'));
    match program.filter(|word| found(word, path).is_none()) {
        None => Ok(()),
        Some(word) => Err(Usage(format!(
            "launch.kind `{}` starts jobs with `{word}`, but there is no such program{}. Load its module, \
             or give its path in the plan.",
            kind.name(),
            if word.contains('/') { "" } else { " on the PATH" }
        ))),
    }
}
