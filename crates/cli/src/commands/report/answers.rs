//! `assay report --answers`: the tables of a document, filled from campaigns.
//!
//! Never here: values, and how they are marked.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueEnum;
use evidence::TOOL;
use evidence::state::ExaminedCampaign;
use jiff::Zoned;
use report::document::{self, AnswerDocument, AnsweredCampaign, CampaignLimits};
use units::{Usage, visible};

use crate::commands::index::{indexed, report_from};
use crate::commands::output_file::rejected_inside;
use crate::personalities::drifted;
use crate::speech::say_rendered;
use crate::status::{DONE, UNDECIDED};

/// The most campaigns of an answer sheet.
const CAMPAIGNS_MAX: usize = 64;

/// The format of answer sheets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AnswerFormat {
    Csv,
    Markdown,
    Html,
}

pub(super) fn run(
    format: AnswerFormat,
    sheet: Option<&str>,
    folders: &[PathBuf],
    out: Option<&Path>,
) -> Result<u8> {
    if folders.len() > CAMPAIGNS_MAX {
        let what = format!("{} folders are given. Give at most {CAMPAIGNS_MAX}.", folders.len());
        return Err(Usage(what).into());
    }
    out.map_or(Ok(()), |file| rejected_inside("--out", file, folders))?;
    // Links of printed sheets begin in this directory.
    let links_from = out.unwrap_or(Path::new("answers"));
    let examined = folders.iter().map(|path| Ok((path, ExaminedCampaign::open(path, drifted)?)));
    let examined = examined.collect::<Result<Vec<_>, Usage>>()?;
    let mut campaigns: Vec<AnsweredCampaign> = Vec::new();
    for (path, one) in examined {
        let mut answered = answered(one, path, links_from);
        let number = campaigns.iter().filter(|other| is_named(other, &answered.name)).count();
        if number > 0 {
            answered.name = format!("{} ({})", answered.name, number + 1);
        }
        campaigns.push(answered);
    }
    let made = format!("Made by {TOOL} on {}", Zoned::now().strftime("%Y-%m-%d %H:%M:%S %:z"));
    let document = document::answers(&campaigns, sheet, &made);
    chosen(&document, &campaigns, sheet, format)?;
    let text = match format {
        AnswerFormat::Csv => document::answers_csv(&document, &campaigns),
        AnswerFormat::Markdown => report::answers_markdown(&document),
        AnswerFormat::Html => report::answers_html(&document)?,
    };
    match out {
        None => say_rendered(&text)?,
        Some(file) => fs::write(file, text)
            .map_err(|error| Usage(format!("--out {}: {error}. Give another file.", file.display())))?,
    }
    Ok(if campaigns.iter().all(|one| one.facts.is_usable) { DONE } else { UNDECIDED })
}

/// Whether a campaign has this name, or has it with a number.
fn is_named(campaign: &AnsweredCampaign, name: &str) -> bool {
    let rest = campaign.name.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}

/// Rejects a document without sheets, and several sheets in one file of comma-separated values.
fn chosen(
    document: &AnswerDocument,
    campaigns: &[AnsweredCampaign],
    sheet: Option<&str>,
    format: AnswerFormat,
) -> Result<(), Usage> {
    let mut ids: Vec<&str> = Vec::new();
    for one in campaigns.iter().flat_map(|campaign| &campaign.sheets) {
        if !ids.contains(&one.id.as_str()) {
            ids.push(&one.id);
        }
    }
    let ids = ids.join(", ");
    match (document.sheet_count(), sheet) {
        _ if ids.is_empty() => Err(Usage::new(
            "The plans of these campaigns have no answer sheets. Add [[answer]] tables to the plan before \
             the next campaign.",
        )),
        (0, sheet) => {
            let id = visible(sheet.unwrap_or_default());
            Err(Usage(format!("--sheet {id}: no plan has this answer sheet. Choose one of: {ids}.")))
        }
        (2.., None) if format == AnswerFormat::Csv => {
            Err(Usage(format!("A csv file has one sheet. Choose one with --sheet ID: {ids}.")))
        }
        (2.., Some(id)) if format == AnswerFormat::Csv => Err(Usage(format!(
            "--sheet {id}: the plans declare it with different columns. Give their folders one at a time."
        ))),
        _ => Ok(()),
    }
}

/// The campaign at `path` with its filled sheets.
fn answered(one: ExaminedCampaign, path: &Path, links_from: &Path) -> AnsweredCampaign {
    let folder = path.display().to_string();
    let name = match one.plan.tier.as_str() {
        "" => {
            path.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        }
        tier => Some(tier.to_owned()),
    };
    AnsweredCampaign {
        name: name.unwrap_or_else(|| folder.clone()),
        report: report_from(path, links_from),
        folder,
        source: one.plan.source.clone(),
        limits: CampaignLimits::from_campaign(&one.campaign, one.plan.clients.simulated),
        places: document::places_of_tests(&one.campaign),
        sheets: judge::answers(&one.plan, &one.campaign),
        facts: indexed(one),
    }
}
