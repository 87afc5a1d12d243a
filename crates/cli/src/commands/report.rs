//! `assay report`: a campaign's report made again from its folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use results::folder::{self, names};
use units::Usage;

use super::judge;
use super::run::table;
use crate::speech::say;

/// Make a campaign's report again, from what is in its folder.
///
/// Prints the table of verdicts, too. A report.html that is in the folder already is never written
/// over: where this program would write another one, name a file with --out.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The campaign's folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Where to write the report [default: FOLDER/report.html]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command and gives the exit status.
pub(crate) fn run(args: Args) -> Result<u8> {
    let folder = &args.folder;
    let (plan, mut campaign) = judge::open(folder)?;
    if !folder.join(names::VERDICTS).exists() {
        campaign.verdicts = campaign::judge(&plan, &campaign);
    }
    let mut page = Vec::new();
    report::write_html(&campaign, &mut page)?;
    say(&table(&campaign))?;
    let own = folder.join(names::REPORT);
    let written = match &args.out {
        Some(file) => elsewhere(folder, file, &page)?,
        None if campaign.after.is_none() => {
            let at = folder.display();
            let what = format!(
                "this campaign has not ended, so its folder gets no report yet; see it now with \
                 --out FILE, or end it with: assay run --resume {at}"
            );
            return Err(Usage(what).into());
        }
        None => in_folder(&own, &page)?,
    };
    say(&format!("\n{written}\n"))?;
    Ok(0)
}

/// Puts the report into the campaign's folder, unless it is there.
fn in_folder(own: &Path, page: &[u8]) -> Result<String> {
    let at = own.display();
    match fs::read(own) {
        Ok(there) if there == page => Ok(format!("Report  {at}   (as it was)")),
        Ok(_) => {
            let what = format!("{at} differs from what this program makes of the folder, and stays as it is");
            Err(Usage(format!("{what}; write the new one elsewhere with --out FILE")).into())
        }
        Err(_) => {
            folder::write_whole(own, page).with_context(|| format!("cannot write {at}"))?;
            Ok(format!("Report  {at}"))
        }
    }
}

/// Writes the report to a file that is no part of the evidence.
fn elsewhere(folder: &Path, file: &Path, page: &[u8]) -> Result<String> {
    let at = file.display();
    let inside = |file: PathBuf| folder.canonicalize().is_ok_and(|folder| file.starts_with(folder));
    if file.canonicalize().is_ok_and(inside) {
        return Err(Usage(format!("--out {at}: a file of the campaign's evidence; name another")).into());
    }
    fs::write(file, page).map_err(|error| Usage(format!("--out {at}: {error}; name another")))?;
    let note = "(its links work where the campaign's report.html is)";
    Ok(format!("Report  {at}   {note}"))
}
