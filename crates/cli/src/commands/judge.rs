//! `assay judge`: evaluates a campaign again from its own plan and records.

use std::path::{Path, PathBuf};

use anyhow::Result;
use evidence::differences::differences;
use evidence::examination;
use evidence::folder::{EvaluatedAgain, EvidenceFolder};
use plan::schedule;
use results::Verdict;
use results::folder::{self, Verification, names};

use super::notes::{note, note_faults, status, unwritable};
use super::terminal::table;
use crate::personalities::drifted;
use crate::speech::say_rendered;
use crate::status::{DONE, UNDECIDED};

/// Evaluate a campaign again from its plan and its records
///
/// Nothing is measured, and the folder is not changed. Only a missing verdicts.json is written again. For a
/// campaign that has not ended, the verdicts so far are printed.
#[derive(clap::Args)]
pub(crate) struct JudgeArgs {
    /// The campaign folder, or an archive of it
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(crate) fn run(args: JudgeArgs) -> Result<u8> {
    let evidence = EvidenceFolder::open(&args.folder)?;
    let (folder, at) = (&evidence.folder, &evidence.name);
    let EvaluatedAgain { plan, campaign, kept, checked, contradictions } = evidence.evaluated(drifted)?;
    say_rendered(&table(&campaign))?;
    if folder::has(folder, names::VERDICTS) {
        differences(&kept, &campaign.verdicts).into_iter().for_each(|one| note(one.text));
    } else if campaign.after.is_none() || checked.faults.is_empty() {
        let done = campaign.jobs.len();
        let of = schedule::jobs(&plan, &campaign.info.only).map_or(done, |jobs| jobs.len());
        let remedy = match evidence.is_archive() {
            true => String::new(),
            false => format!(" Resume it with: assay run --resume {at}"),
        };
        note(format!("this campaign has not ended: {done} of {of} jobs have.{remedy}"));
    } else if evidence.is_archive() {
        note(format!("{at} has no {}", names::VERDICTS));
    } else {
        restore_verdicts(folder, &checked, &campaign.verdicts).into_iter().for_each(note);
    }
    note_faults(at, &checked);
    let inconsistencies = examination::inconsistencies(&plan, &campaign, &contradictions);
    for fault in &inconsistencies {
        note(format!("this folder does not verify: {}", fault.said));
    }
    match status(campaign.exit_code(), &checked) {
        DONE if !inconsistencies.is_empty() => Ok(UNDECIDED),
        status => Ok(status),
    }
}

/// Writes missing verdicts into the folder again. Returns the reason if that is not possible.
fn restore_verdicts(folder: &Path, checked: &Verification, verdicts: &[Verdict]) -> Option<String> {
    let (at, name) = (folder.display(), names::VERDICTS);
    if let Some(why) = unwritable(checked) {
        return Some(format!("{at}/{name} is missing, but {why}."));
    }
    let bytes = folder::verdicts_bytes(verdicts);
    match bytes.and_then(|bytes| folder::restore(folder, name, &bytes)) {
        Ok(true) => None,
        Ok(false) => {
            Some(format!("{at}/{name} is missing, and had other contents. It is not written again."))
        }
        Err(error) => Some(format!("{name} is missing and cannot be written: {error}")),
    }
}
