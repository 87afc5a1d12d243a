//! `assay verify`: checks that a campaign folder is complete and unmodified, and derives its verdicts and its
//! report again.

mod witnessed;

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Result;
use evidence::differences::DifferenceKind;
use evidence::examination::{FolderExamination, examine};
use evidence::folder::{EvidenceFolder, no_campaign};
use evidence::signatures::{self, AllowedSigners, CheckedSignature};
use jiff::Timestamp;
use results::folder::{self, Campaign, CampaignInfo, FolderFault, Head, Verification, names};
use units::{Usage, several, visible};

use super::plan::one_value;
use crate::personalities::drifted;
use crate::speech::say;
use crate::status::{DONE, FAIL, UNDECIDED};

/// Check that an evidence package is complete and unmodified
///
/// Checks every file against the hash chain, every job against the plan, and the facts of every job against
/// each other. Then it derives verdicts and report again. A folder is intact only if all of this agrees.
/// Otherwise each fault or difference is one line. The evidence hash is printed; compare it with the one that
/// was written down when the campaign ended.
#[derive(clap::Args)]
pub(crate) struct VerifyArgs {
    /// The campaign folder, or an archive of it
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Require this plan, your own copy
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Require this scale of the plan [default: the plan's own]
    #[arg(long, value_name = "NAME", requires = "plan")]
    scale: Option<String>,
    /// Require this value of a parameter, and no other; may be repeated [default: the plan's own]
    #[arg(long, value_name = "NAME=VALUE", value_parser = one_value, requires = "plan")]
    set: Vec<(String, String)>,
    /// Require that only this was selected; may be repeated [default: the whole plan]
    #[arg(long, value_name = "NAME", requires = "plan")]
    only: Vec<String>,
    /// Require this evidence hash, 64 hexadecimal digits
    #[arg(long, value_name = "HASH", value_parser = sha256)]
    evidence_hash: Option<String>,
    /// Require that the program with this SHA-256 ran the campaign
    #[arg(long, value_name = "HASH", value_parser = sha256)]
    program_sha256: Option<String>,
    /// Require that the campaign was started with this nonce
    #[arg(long, value_name = "TEXT")]
    nonce: Option<String>,
    /// Compare the hash chain with this log of a witness
    #[arg(long, value_name = "LOG")]
    witness: Option<PathBuf>,
    /// State how long after this time the witness received the first hash, such as 2026-11-24T10:00:00Z
    ///
    /// In between, campaigns without the witness were possible.
    #[arg(long, value_name = "TIME", requires = "witness")]
    nonce_given: Option<Timestamp>,
    /// Check this signature of the archive; may be repeated [default: ARCHIVE.sig and ARCHIVE.*.sig]
    #[arg(long, value_name = "FILE")]
    signature: Vec<PathBuf>,
    /// Require a signature by one of these signers
    ///
    /// Each line is `NAME KEYTYPE KEY`, as for `ssh-keygen -Y verify`.
    #[arg(long, value_name = "FILE")]
    allowed_signers: Option<PathBuf>,
}

/// A SHA-256 in hexadecimal digits.
fn sha256(text: &str) -> Result<String, String> {
    let is_hash = text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hash.then(|| text.to_ascii_lowercase()).ok_or_else(|| "write 64 hexadecimal digits".to_owned())
}

pub(crate) fn run(args: VerifyArgs) -> Result<u8> {
    let evidence = EvidenceFolder::open(&args.folder)?;
    let (folder, at) = (&evidence.folder, &evidence.name);
    let (checked, mut found) = match folder::check(folder) {
        Ok(checked) => {
            let examined = examine(folder, &checked, drifted);
            (checked, examined)
        }
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            let fault = FolderFault::new(names::CHAIN, error.to_string());
            (
                Verification::default(),
                FolderExamination { faults: vec![fault], ..FolderExamination::default() },
            )
        }
        Err(error) => return Err(no_campaign(folder, &error).into()),
    };
    if found.faults.is_empty() && !folder::has(folder, names::CAMPAIGN) {
        let what =
            format!("{at}: the campaign was killed before its first job. Remove the folder and start again.");
        return Err(Usage(what).into());
    }
    let mut others = of_own_copies(&args, &checked, found.campaign.as_ref())?;
    let witnessed = match &args.witness {
        Some(log) => {
            let nonce = found.campaign.as_ref().map_or("", |campaign| campaign.info.nonce());
            witnessed::compare(folder, nonce, (log, args.nonce_given), &mut others)?
        }
        None => String::new(),
    };
    let signers = signers(&args, evidence.is_archive(), &mut others)?;
    let lines = |all: &mut dyn Iterator<Item = &String>| -> String {
        all.map(|line| format!("{}\n", visible(line))).collect()
    };
    let said: Vec<String> = found.faults.iter().map(|fault| fault.said.clone()).collect();
    let faults = lines(&mut said.iter().chain(&others));
    let (Some(campaign), true) = (found.campaign.take(), found.faults.is_empty()) else {
        let changes = several(said.len() as u64, "change");
        say(&format!("{faults}{at} was modified: {changes} found\n"))?;
        return Ok(UNDECIDED);
    };
    let notes: Vec<String> = checked.notes.iter().map(|note| format!("note: {note}")).collect();
    let differences = lines(&mut found.unreproduced.iter().map(|one| &one.text));
    let (word, status) = if !others.is_empty() {
        ("is not verified, because it is not the expected one", UNDECIDED)
    } else if !found.unreproduced.is_empty() {
        not_reproduced(&found)
    } else if checked.ended {
        ("is intact", DONE)
    } else {
        ("is unmodified so far", DONE)
    };
    let hashes = evidence_hash(&checked) + &report_line(&campaign, checked.ended);
    let jobs = counted(&campaign, checked.ended);
    let (notes, signers) = (lines(&mut notes.iter()), lines(&mut signers.iter()));
    say(&format!("{faults}{notes}{differences}{at} {word}: {jobs}\n{hashes}{witnessed}{signers}"))?;
    Ok(status)
}

/// The result for an unmodified folder whose verdicts or report this program does not reproduce.
fn not_reproduced(found: &FolderExamination) -> (&'static str, u8) {
    let differs = found.unreproduced.iter().any(|one| one.kind == DifferenceKind::Outcome);
    match (differs, found.is_of_another_build) {
        (true, _) => ("is not verified, because this program derives other outcomes from its records", FAIL),
        (_, true) => (
            "is not verified, because another build of assay made its verdicts and its report. Verify it \
             with the build that campaign.json names",
            UNDECIDED,
        ),
        (_, false) => ("is not verified, because its verdicts or its report cannot be reproduced", UNDECIDED),
    }
}

/// How many jobs and killed attempts there are, and whether the campaign has ended.
fn counted(campaign: &Campaign, ended: bool) -> String {
    let killed = match campaign.killed.iter().filter(|folder| folder.contains(".killed-")).count() {
        0 => String::new(),
        1 => ", 1 killed attempt".to_owned(),
        many => format!(", {many} killed attempts"),
    };
    let jobs = several(campaign.jobs.len() as u64, "job");
    let ended = if ended { "" } else { "; the campaign has not ended" };
    format!("{jobs}{killed}{ended}")
}

/// Who signed the archive, a line each. Signatures that do not hold, and a missing signature of an allowed
/// signer, are added to `others`.
fn signers(args: &VerifyArgs, is_archive: bool, others: &mut Vec<String>) -> Result<Vec<String>> {
    let allowed = args.allowed_signers.as_deref().map(AllowedSigners::read).transpose()?;
    if !is_archive && !args.signature.is_empty() {
        let what = "--signature needs an archive, because a folder has no signature. Give the archive.";
        return Err(Usage(what.to_owned()).into());
    }
    let files = match is_archive && args.signature.is_empty() {
        true => signatures::beside(&args.folder),
        false => args.signature.clone(),
    };
    let (mut signers, mut is_allowed) = (Vec::new(), false);
    for file in &files {
        match signatures::check(&args.folder, file, allowed.as_ref().unwrap_or(&AllowedSigners::default()))? {
            CheckedSignature::By(signer) => {
                is_allowed = true;
                signers.push(format!("Signed by:     {signer}"));
            }
            CheckedSignature::WithKey(key) => {
                let hint = "its owner is not known; --allowed-signers names owners";
                signers.push(format!("Signed with:   {key} ({hint})"));
            }
            CheckedSignature::Wrong(why) => others.push(why),
        }
    }
    if let (Some(list), false) = (&args.allowed_signers, is_allowed) {
        others.push(format!("no signature is by a signer in {}", list.display()));
    }
    Ok(signers)
}

/// How the folder differs from the buyer's own copies, a sentence each.
fn of_own_copies(
    args: &VerifyArgs,
    checked: &Verification,
    campaign: Option<&Campaign>,
) -> Result<Vec<String>> {
    let mut others = Vec::new();
    if let Some(file) = &args.plan {
        let at = file.display();
        let own =
            std::fs::read(file).map_err(|error| Usage(format!("--plan {at}: {error}. Give a plan.")))?;
        if campaign.is_none_or(|campaign| campaign.plan.as_bytes() != own) {
            others.push(format!("{} is not the plan {at}", names::PLAN));
        }
        others.extend(campaign.into_iter().flat_map(|campaign| of_choice(args, &campaign.info)));
    }
    if let Some(expected) = &args.evidence_hash {
        let found = checked.head.as_ref().map_or("none", |head| head.hash.as_str());
        if found != expected {
            let in_report = campaign.and_then(|campaign| campaign.head.as_ref());
            let hint = match in_report.is_some_and(|head| head.hash == *expected) {
                true => ". The expected one is in the report, and covers everything except the report itself",
                false => "",
            };
            others.push(format!("the evidence hash is {found}, not {expected}{hint}"));
        }
    }
    if let Some(expected) = &args.nonce {
        let found = campaign.map_or("", |campaign| campaign.info.nonce());
        if found != expected {
            let found = if found.is_empty() { "no nonce".into() } else { format!("the nonce `{found}`") };
            others.push(format!("the campaign was started with {found}, not with `{expected}`"));
        }
    }
    if let Some(expected) = &args.program_sha256 {
        let found = campaign.map_or("unknown", |campaign| campaign.info.tool_sha256.as_str());
        if found != expected {
            others.push(format!("the SHA-256 of the program is {found}, not {expected}"));
        }
    }
    Ok(others)
}

/// How the choices of the campaign differ from those that are required, a sentence each. With another value
/// or with a part of its tests, a plan is another contract.
fn of_choice(args: &VerifyArgs, info: &CampaignInfo) -> Vec<String> {
    let scale = |name: &Option<String>| {
        name.as_ref().map_or("the plan's own scale".to_owned(), |name| format!("the scale `{name}`"))
    };
    let listed = |all: Vec<String>, none: &str| match all.is_empty() {
        true => none.to_owned(),
        false => all.join(", "),
    };
    let set = |all: BTreeMap<String, String>| {
        listed(all.iter().map(|(name, value)| format!("`{name}={value}`")).collect(), "the plan's values")
    };
    let only = |all: &[String]| {
        let sorted: BTreeSet<&String> = all.iter().collect();
        listed(sorted.into_iter().map(|name| format!("`{name}`")).collect(), "the whole plan")
    };
    let both = [
        ("used", scale(&info.scale), scale(&args.scale)),
        ("used", set(info.set.clone()), set(args.set.iter().cloned().collect())),
        ("ran", only(&info.only), only(&args.only)),
    ];
    let differs = both.into_iter().filter(|(_, found, required)| found != required);
    differs.map(|(what, found, required)| format!("the campaign {what} {found}, not {required}")).collect()
}

/// The line with the evidence hash in the report.
fn report_line(campaign: &Campaign, ended: bool) -> String {
    let line = |head: &Head| format!("In the report: {} (entry {})\n", head.hash, head.entry);
    campaign.head.as_ref().filter(|_| ended).map(line).unwrap_or_default()
}

/// The line with the evidence hash: the last entry of the hash chain.
pub(super) fn evidence_hash(checked: &Verification) -> String {
    let line =
        |head: &Head| format!("Evidence hash: {} (entry {} of {})\n", head.hash, head.entry, names::CHAIN);
    checked.head.as_ref().map(line).unwrap_or_default()
}
