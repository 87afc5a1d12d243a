//! `assay report`: writes the report of a campaign again from its folder, or the tables of a document.

mod answers;
mod pdf;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use evidence::differences::differences;
use evidence::folder::{EvaluatedAgain, EvidenceFolder};
use evidence::signatures::{self, AllowedSigners, CheckedSignature};
use report::{PageLinks, PageOptions};
use results::folder::{self, ComparedFile, Verification, names};
use units::Usage;

use super::notes::{note, note_faults, unwritable};
use super::output_file::rejected_inside;
use super::terminal::table;
use crate::personalities::drifted;
use crate::speech::{say, say_rendered};
use crate::status::{DONE, UNDECIDED};

/// Write the report of a campaign again from its folder
///
/// The table of verdicts is printed, too. An existing report.html is never overwritten: if this program
/// would write another one, choose a file with --out.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// The campaign folder, or an archive of it; with --answers one or more
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// The file to write [default: FOLDER/report.html; answers are printed]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print rates, verdicts and projections as comma-separated values; write no report
    ///
    /// Values are in base units. `benchmarked` lines have the mean of each measured rate. `judged` lines have
    /// statistic, threshold and outcome of each criterion and each sum of a group. `projected` lines have the
    /// projections. If files of the campaign were modified, `remark` reports it, and each verdict is INVALID.
    #[arg(long, conflicts_with = "out")]
    csv: bool,
    /// Print the report to this new PDF file; write no report.html
    ///
    /// A Chromium or WeasyPrint on the PATH prints it: chromium, chromium-browser, google-chrome,
    /// google-chrome-stable, chrome, chrome-headless-shell, headless_shell or weasyprint. The appendix is
    /// left out. The file has no links to the campaign folder.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "csv"])]
    pdf: Option<PathBuf>,
    /// Print the appendix to the PDF file, too
    #[arg(long, requires = "pdf")]
    print_appendix: bool,
    /// Print the answer sheets of the plan in this format; write no report
    ///
    /// A plan declares them as `[[answer]]`: the tables of its document, with their own rows and units. Each
    /// folder is a tier or protocol. A cell without a usable value has its outcome. Projections, reduced
    /// runs, simulated nodes and values of other programs are marked in the cell. A csv file has one sheet.
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["csv", "pdf"])]
    answers: Option<answers::AnswerFormat>,
    /// Only the answer sheet with this id
    #[arg(long, value_name = "ID", requires = "answers")]
    sheet: Option<String>,
}

pub(crate) fn run(args: ReportArgs) -> Result<u8> {
    if let Some(format) = args.answers {
        return answers::run(format, args.sheet.as_deref(), &args.folders, args.out.as_deref());
    }
    let [path] = &args.folders[..] else {
        let what = format!("{} folders are given. Give one, or add --answers.", args.folders.len());
        return Err(Usage(what).into());
    };
    let printer =
        args.pdf.as_deref().map(|file| pdf::check_free(file).and_then(|()| pdf::Printer::on_path()));
    let printer = printer.transpose()?;
    let evidence = EvidenceFolder::open(path)?;
    let (folder, at) = (&evidence.folder, &evidence.name);
    let EvaluatedAgain { campaign, kept, checked, .. } = evidence.evaluated(drifted)?;
    let status = if campaign.faults.is_empty() { DONE } else { UNDECIDED };
    if folder::has(folder, names::VERDICTS) {
        differences(&kept, &campaign.verdicts).into_iter().for_each(|one| note(one.text));
    }
    if args.csv {
        say(&report::document::csv(&campaign))?;
        note_faults(at, &checked);
        return Ok(status);
    }
    if let Some(file) = &args.pdf {
        rejected_inside("--pdf", file, &[folder])?;
    }
    let options = PageOptions {
        appendix: args.print_appendix,
        signers: signers(path, &evidence)?,
        links: if args.pdf.is_some() { PageLinks::Printed } else { PageLinks::Folder },
        navigation: Vec::new(),
    };
    let page = |out: &mut dyn Write| report::write_page(&campaign, &options, out);
    say_rendered(&table(&campaign))?;
    note_faults(at, &checked);
    if let (Some(file), Some(printer)) = (&args.pdf, &printer) {
        printer.print(&bytes_of(&page)?, file)?;
        say(&format!("\nReport: {}\n", file.display()))?;
        return Ok(status);
    }
    let own = folder.join(names::REPORT);
    let written = match &args.out {
        Some(file) => elsewhere(folder, file, &page)?,
        None if evidence.is_archive() => {
            return Err(Usage(format!(
                "{at} is an archive, which is never changed. Give a file with --out FILE."
            ))
            .into());
        }
        None if campaign.after.is_none() => {
            let what = format!(
                "this campaign has not ended, so its folder gets no report yet. Write one elsewhere with \
                 --out FILE, or end the campaign with: assay run --resume {at}"
            );
            return Err(Usage(what).into());
        }
        None => in_folder(folder, &own, &page, &checked)?,
    };
    say(&format!("\n{written}\n"))?;
    Ok(status)
}

/// Writes a report. That of a large campaign has 100 MB.
type Page<'p> = &'p dyn Fn(&mut dyn Write) -> io::Result<()>;

fn bytes_of(page: Page<'_>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    page(&mut bytes)?;
    Ok(bytes)
}

/// Writes the report into the campaign folder, unless it exists there or the folder does not verify.
fn in_folder(folder: &Path, own: &Path, page: Page<'_>, checked: &Verification) -> Result<String> {
    let at = own.display();
    let rejected = |what: String| Err(Usage(format!("{what}. Write it elsewhere with --out FILE.")).into());
    if folder::has(folder, names::REPORT) {
        let compared = ComparedFile::open(folder, names::REPORT).and_then(|mut existing| {
            page(&mut existing)?;
            existing.is_same()
        });
        return match compared {
            Ok(true) => Ok(format!("Report: {at} (unchanged)")),
            Ok(false) => {
                let what =
                    format!("{at} differs from the report that this program writes, and is not changed");
                Err(Usage(format!("{what}. Write the new one elsewhere with --out FILE.")).into())
            }
            Err(error) => rejected(error.to_string()),
        };
    }
    if let Some(why) = unwritable(checked) {
        return rejected(format!("{at} is missing, but {why}"));
    }
    let unwritten = || format!("cannot write {at}. Write it elsewhere with --out FILE");
    let page = bytes_of(page)?;
    if !folder::restore(folder, names::REPORT, &page).with_context(unwritten)? {
        // An intact folder without a report never had one: the campaign was killed before it was written.
        if !checked.faults.is_empty() || !folder::has(folder, names::VERDICTS) {
            return rejected(format!(
                "{at} is missing, and was different from the report that this program writes"
            ));
        }
        folder::write_report(folder, &page).with_context(unwritten)?;
    }
    Ok(format!("Report: {at}"))
}

/// Writes the report to a file outside the evidence.
fn elsewhere(folder: &Path, file: &Path, page: Page<'_>) -> Result<String> {
    let at = file.display();
    rejected_inside("--out", file, &[folder])?;
    let write = || {
        let mut out = BufWriter::new(File::create(file)?);
        page(&mut out)?;
        out.flush()
    };
    write().map_err(|error| Usage(format!("--out {at}: {error}. Give another file.")))?;
    Ok(format!("Report: {at} (its links work only next to the report.html of the campaign)"))
}

/// Who signed the archive, one text each. A folder has no signatures.
fn signers(path: &Path, evidence: &EvidenceFolder) -> Result<Vec<String>> {
    if !evidence.is_archive() {
        return Ok(Vec::new());
    }
    let checked = |file: &PathBuf| {
        Ok(match signatures::check(path, file, &AllowedSigners::default())? {
            CheckedSignature::By(signer) | CheckedSignature::WithKey(signer) => signer,
            CheckedSignature::Wrong(why) => format!("NOT VALID: {why}"),
        })
    };
    signatures::beside(path).iter().map(checked).collect()
}
