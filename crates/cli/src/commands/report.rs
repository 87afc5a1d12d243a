//! `assay report`: a campaign's report made again from its folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use results::folder::{self, names};
use units::Usage;

use super::judge::{self, EvidenceFolder, JudgedAgain};
use super::run::table;
use crate::speech::say;
use crate::status::{DONE, UNDECIDED};

/// Write the report of a campaign again from its folder
///
/// The table of verdicts is printed, too. An existing report.html is never overwritten: if this program
/// would write another one, choose a file with --out.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// The campaign's folder, or an archive of it
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The file to write [default: FOLDER/report.html]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print rates, verdicts and projections as comma-separated values; write no report
    ///
    /// There is a line for each measured rate (`benchmarked`: the mean), for each criterion and each sum of
    /// a group (`judged`: statistic, threshold and outcome) and for each projection (`projected`), in base
    /// units. If files of the campaign were modified, each line says so in `remark`, and each verdict is
    /// INVALID.
    #[arg(long, conflicts_with = "out")]
    csv: bool,
}

pub(crate) fn run(args: ReportArgs) -> Result<u8> {
    let evidence = EvidenceFolder::open(&args.folder)?;
    let (folder, at) = (&evidence.folder, &evidence.name);
    let JudgedAgain { campaign, kept, checked, .. } = evidence.judged()?;
    let status = if campaign.faults.is_empty() { DONE } else { UNDECIDED };
    if folder.join(names::VERDICTS).exists() {
        judge::differences(&kept, &campaign.verdicts).into_iter().for_each(|one| judge::note(one.told));
    }
    if args.csv {
        say(&report::document::csv(&campaign))?;
        judge::note_faults(at, &checked);
        return Ok(status);
    }
    let mut page = Vec::new();
    report::write_html(&campaign, &mut page)?;
    say(&table(&campaign))?;
    judge::note_faults(at, &checked);
    let own = folder.join(names::REPORT);
    let written = match &args.out {
        Some(file) => elsewhere(folder, file, &page)?,
        None if evidence.is_archive() => {
            return Err(Usage(format!("{at} stays as it is; name a file with --out FILE")).into());
        }
        None if campaign.after.is_none() => {
            let what = format!(
                "this campaign has not ended, so its folder gets no report yet; see it now with \
                 --out FILE, or end it with: assay run --resume {at}"
            );
            return Err(Usage(what).into());
        }
        None => in_folder(folder, &own, &page, checked.faults.is_empty())?,
    };
    say(&format!("\n{written}\n"))?;
    Ok(status)
}

/// Puts the report into the campaign's folder, unless it is there.
fn in_folder(folder: &Path, own: &Path, page: &[u8], is_whole: bool) -> Result<String> {
    let at = own.display();
    match fs::read(own) {
        Ok(there) if there == page => Ok(format!("Report  {at}   (as it was)")),
        Ok(_) => {
            let what = format!("{at} differs from what this program makes of the folder, and stays as it is");
            Err(Usage(format!("{what}; write the new one elsewhere with --out FILE")).into())
        }
        Err(_) => {
            let unwritten = || format!("cannot write {at}; write it elsewhere with --out FILE");
            if !folder::restore(folder, names::REPORT, page).with_context(unwritten)? {
                // Of a folder that is whole, no report was ever made: the campaign was killed before.
                if !is_whole || !folder.join(names::VERDICTS).exists() {
                    let what = format!("{at} is gone, and was another than this program makes of the folder");
                    return Err(Usage(format!("{what}; write the new one elsewhere with --out FILE")).into());
                }
                folder::write_report(folder, page).with_context(unwritten)?;
            }
            Ok(format!("Report  {at}"))
        }
    }
}

/// Writes the report to a file that is no part of the evidence.
fn elsewhere(folder: &Path, file: &Path, page: &[u8]) -> Result<String> {
    let at = file.display();
    let inside = |file: PathBuf| folder.canonicalize().is_ok_and(|folder| file.starts_with(folder));
    // One that is not there yet will be where its directory is.
    let parent = file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    if [file, parent].iter().any(|path| path.canonicalize().is_ok_and(inside)) {
        return Err(Usage(format!("--out {at}: a file of the campaign's evidence; name another")).into());
    }
    fs::write(file, page).map_err(|error| Usage(format!("--out {at}: {error}; name another")))?;
    let note = "(its links work where the campaign's report.html is)";
    Ok(format!("Report  {at}   {note}"))
}
