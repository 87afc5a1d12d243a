//! `assay compare`: two or more campaigns, row by row, with what differs between them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use evidence::state::ExaminedCampaign;
use judge::{CampaignToCompare, ComparisonRules};
use results::comparison::{CampaignComparison, Conclusion};
use units::{Dimension, Quantity, Usage};

use super::output_file::rejected_inside;
use super::terminal::{columns_of_terminal, emphasis};
use crate::personalities::drifted;
use crate::speech::{say, say_rendered};
use crate::status::{DONE, FAIL, UNDECIDED};

/// The most campaigns of a comparison.
const CAMPAIGNS_MAX: usize = 16;

/// Compare campaigns row by row: ratios, verdicts, and what differs
///
/// The first campaign is the baseline. Each metric of each test is a row. Its ratio has a confidence
/// interval, and all intervals hold together. The evidence of each campaign is checked first, as `assay
/// verify` does. Values of a campaign whose evidence is not intact are not used.
#[derive(clap::Args)]
pub(crate) struct CompareArgs {
    /// Campaign folders, or archives of them; the first is the baseline
    #[arg(value_name = "FOLDER", required = true, num_args = 2..)]
    folders: Vec<PathBuf>,
    /// Write the comparison as one HTML file too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the comparison as comma-separated values too; - prints them, and no text
    ///
    /// Values are in base units. `campaign` lines have the state of the evidence, `ratio` lines the
    /// conclusions, `verdict` lines the outcomes, `difference` lines the facts that differ.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Confidence of all intervals together, a share from 50 % to 99.9 %
    #[arg(long, value_name = "SHARE", default_value = "95%", value_parser = confidence)]
    confidence: f64,
    /// Compare tests although their command lines, ranks or nodes differ
    ///
    /// Each such row has a caution. Without this option these rows are not compared.
    #[arg(long)]
    other_parameters: bool,
    /// End with status 1 if a row is shown slower than this share of the baseline's speed
    ///
    /// For a time, the speed is its reciprocal. The status is 3 if a row of the baseline cannot be compared.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    fail_below: Option<f64>,
}

/// A share such as `95%` or `95 %`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let quantity = text.parse::<Quantity>().ok().filter(|one| one.dimension == Dimension::Fraction);
    // Parsing a percentage leaves an error in the last digits.
    let share =
        quantity.map(|one| (one.value * 1e9).round() / 1e9).filter(|share| *share > 0.0 && share.is_finite());
    share.ok_or_else(|| "write a share above 0, such as 95%".to_owned())
}

fn confidence(text: &str) -> Result<f64, String> {
    share(text)
        .ok()
        .filter(|share| (0.5..=0.999).contains(share))
        .ok_or_else(|| "write a share from 50% to 99.9%".to_owned())
}

pub(crate) fn run(args: CompareArgs) -> Result<u8> {
    let count = args.folders.len();
    if count > CAMPAIGNS_MAX {
        let what = format!("{count} campaigns are given. Compare at most {CAMPAIGNS_MAX} at once.");
        return Err(Usage(what).into());
    }
    let campaigns = args
        .folders
        .iter()
        .map(|path| ExaminedCampaign::open(path, drifted))
        .collect::<Result<Vec<_>, Usage>>()?;
    distinct(&campaigns)?;
    let rules = ComparisonRules { confidence: args.confidence, other_parameters: args.other_parameters };
    let compared: Vec<CampaignToCompare<'_>> = campaigns.iter().map(ExaminedCampaign::evaluated).collect();
    let comparison = judge::compare(&compared, rules);
    if let Some(file) = &args.html {
        write("--html", file, report::comparison_html(&comparison)?.as_bytes(), &args.folders)?;
    }
    let csv = || report::document::comparison_csv(&comparison);
    match &args.csv {
        Some(file) if file.as_os_str() == "-" => {
            say(&csv())?;
            return Ok(status(&comparison, args.fail_below));
        }
        Some(file) => write("--csv", file, csv().as_bytes(), &args.folders)?,
        None => {}
    }
    say_rendered(&report::comparison_text(&comparison, columns_of_terminal(), emphasis()))?;
    for file in args.html.iter().chain(&args.csv) {
        say(&format!("Written: {}\n", file.display()))?;
    }
    Ok(status(&comparison, args.fail_below))
}

/// Rejects a campaign that is given twice: a folder and its archive have the same evidence hash.
fn distinct(campaigns: &[ExaminedCampaign]) -> Result<(), Usage> {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for one in campaigns {
        let Some(head) = &one.head else { continue };
        if let Some(other) = seen.insert(&head.hash, &one.name) {
            let what = format!("{other} and {} are the same campaign. Give different ones.", one.name);
            return Err(Usage(what));
        }
    }
    Ok(())
}

/// Writes a file that is not inside a campaign folder.
fn write(option: &str, file: &Path, bytes: &[u8], folders: &[PathBuf]) -> Result<(), Usage> {
    let at = file.display();
    rejected_inside(option, file, folders)?;
    fs::write(file, bytes).map_err(|error| Usage(format!("{option} {at}: {error}. Give another file.")))
}

/// The exit status of a comparison.
fn status(comparison: &CampaignComparison, fail_below: Option<f64>) -> u8 {
    let is_rejected = comparison.campaigns.iter().any(|campaign| !campaign.is_usable);
    let Some(share) = fail_below else { return if is_rejected { UNDECIDED } else { DONE } };
    let rows = &comparison.rows;
    let is_open = || {
        let of_baseline = rows.iter().filter(|row| row.samples[0].why.is_none());
        let mut conclusions = of_baseline.flat_map(|row| &row.against);
        rows.is_empty() || conclusions.any(|one| one.conclusion == Conclusion::NotComparable)
    };
    match () {
        () if rows.iter().any(|row| row.is_shown_below(share)) => FAIL,
        () if is_rejected || is_open() => UNDECIDED,
        () => DONE,
    }
}
