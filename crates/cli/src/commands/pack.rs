//! `assay pack`: a campaign folder as one archive, which another party can verify, judge and report.

use std::path::PathBuf;

use anyhow::{Context, Result};
use evidence::examination::examine;
use evidence::folder::no_campaign;
use evidence::signatures;
use results::folder;
use units::{Usage, bytes_binary};

use super::output_file::rejected_inside;
use super::verify;
use crate::personalities::drifted;
use crate::speech::{complain, say};
use crate::status::DONE;

/// Pack an evidence package into an archive for the other party
///
/// The same folder always gives the same bytes. A folder that does not verify, or whose campaign has not
/// ended, is rejected. An existing archive is never overwritten.
#[derive(clap::Args)]
pub(crate) struct PackArgs {
    /// The campaign folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The archive to write [default: the folder's name with .tar.gz, here]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Pack a folder that does not verify
    ///
    /// The archive contains the reasons in UNVERIFIED.txt. Its default name ends in -unverified.
    #[arg(long)]
    anyway: bool,
    /// Sign the archive with this private SSH key; may be repeated
    ///
    /// The signature is in FILE.sig, as `ssh-keygen -Y sign -n assay` writes it.
    #[arg(long, value_name = "KEY", conflicts_with = "anyway")]
    sign: Vec<PathBuf>,
}

pub(crate) fn run(args: PackArgs) -> Result<u8> {
    let folder = &args.folder;
    let at = folder.display();
    if folder::is_archive(folder) {
        return Err(Usage(format!("{at} is already an archive. Give a campaign folder.")).into());
    }
    let keys = args.sign.iter().map(|path| signatures::key(path)).collect::<Result<Vec<_>, Usage>>()?;
    let checked = folder::check(folder).map_err(|error| no_campaign(folder, &error))?;
    let mut faults: Vec<String> =
        examine(folder, &checked, drifted).not_to_be_packed().map(|fault| fault.to_owned()).collect();
    if !checked.ended {
        faults.push(format!("this campaign has not ended. Resume it with: assay run --resume {at}"));
    }
    if let (Some(fault), false) = (faults.first(), args.anyway) {
        let what =
            format!("{at} is not packed: {fault}. `assay verify {at}` lists all faults. --anyway packs it.");
        return Err(Usage(what).into());
    }
    let folder = folder.canonicalize().with_context(|| at.to_string())?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let marked = if faults.is_empty() { "" } else { "-unverified" };
    let out = args.out.unwrap_or_else(|| PathBuf::from(format!("{name}{marked}.tar.gz")));
    let shown = out.display();
    rejected_inside("--out", &out, &[&folder])?;
    if out.symlink_metadata().is_ok() {
        return Err(Usage(format!("{shown} already exists. Give another file with -o.")).into());
    }
    let packed = folder::pack(&folder, &out, &faults).with_context(|| format!("cannot write {shown}"))?;
    for fault in &faults {
        complain(&format!("assay: note: packed with this fault: {fault}"));
    }
    let size = bytes_binary(packed.bytes as f64);
    let hash = verify::evidence_hash(&checked);
    let mut text = format!("Archive:       {shown} ({size})\nSHA-256:       {}\n{hash}", packed.sha256);
    for key in &keys {
        text.push_str(&format!("Signature:     {}\n", signatures::sign(&out, key)?.display()));
    }
    say(&text)?;
    Ok(DONE)
}
