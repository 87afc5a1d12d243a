//! `assay judge`: evaluates a campaign again from its own plan and records.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use ::judge::Evaluation;
use ::judge::crosscheck::Contradiction;
use anyhow::{Context, Result};
use plan::{Choice, Plan, schedule};
use results::Verdict;
use results::folder::{self, Campaign, Verification, names};
use results::reason::Reason;
use results::summary::Summary;
use tempfile::TempDir;
use units::{Usage, visible};

use super::{lint, run::table, verify};
use crate::speech::{complain, say_rendered};
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
    let EvaluatedAgain { plan, campaign, kept, checked, contradictions } = evidence.evaluated()?;
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
    let inconsistencies = verify::inconsistencies(&plan, &campaign, &contradictions);
    for fault in &inconsistencies {
        note(format!("this folder does not verify: {}", fault.said));
    }
    match status(campaign.exit_code(), &checked) {
        DONE if !inconsistencies.is_empty() => Ok(UNDECIDED),
        status => Ok(status),
    }
}

/// The exit status of an evaluation. The verdicts do not count for a folder that does not verify, so their
/// status then is never that all clauses PASS.
pub(super) fn status(of_verdicts: u8, checked: &Verification) -> u8 {
    match unwritable(checked) {
        Some(_) if of_verdicts == DONE => UNDECIDED,
        _ => of_verdicts,
    }
}

pub(super) fn note(text: String) {
    complain(&format!("assay: note: {}", visible(&text)));
}

/// Warns that files of the folder `at` were modified. Call it last, because it concerns the whole output.
pub(super) fn note_faults(at: &str, checked: &Verification) {
    if !checked.faults.is_empty() {
        note(format!(
            "files in {at} were modified, so the results above prove nothing. List the files with: assay \
             verify {at}"
        ));
    }
}

/// Why nothing may be written into the folder, if it does not verify.
pub(super) fn unwritable(checked: &Verification) -> Option<String> {
    let fault = checked.forbids_writing()?;
    Some(format!("nothing is written into a folder that does not verify ({})", fault.said))
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

/// An evidence package: a campaign folder, or an archive of one from `assay pack`. An archive is only read.
/// Its unpacked files are removed when the command ends.
pub(super) struct EvidenceFolder {
    pub(super) folder: PathBuf,
    /// Its name in messages: the path as typed.
    pub(super) name: String,
    unpacked: Option<TempDir>,
}

impl EvidenceFolder {
    /// Opens the folder at `path`, or unpacks the archive.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        if !folder::is_archive(path) {
            return Ok(Self { folder: path.to_owned(), name, unpacked: None });
        }
        let place = tempfile::Builder::new().prefix("assay-").tempdir();
        let place = place.context("cannot unpack the archive. Set TMPDIR to a directory with free space.")?;
        let folder = folder::unpack(path, place.path()).map_err(|error| Usage(error.to_string()))?;
        Ok(Self { folder, name, unpacked: Some(place) })
    }

    /// Evaluates the campaign again. The verdicts in its folder are not trusted.
    pub(super) fn evaluated(&self) -> Result<EvaluatedAgain> {
        // Before the campaign is loaded, because both need much memory.
        let checked = folder::check(&self.folder);
        let (plan, mut campaign) = open(&self.folder)?;
        let checked = checked?;
        let kept = std::mem::take(&mut campaign.verdicts);
        campaign.summary = Summary::default();
        lint::complete(&plan, &mut campaign);
        let Evaluation { verdicts, summary, contradictions } = ::judge::evaluate(&plan, &campaign);
        (campaign.verdicts, campaign.summary) = (verdicts, summary);
        campaign.faults = checked.of_evidence();
        Ok(EvaluatedAgain { plan, campaign, kept, checked, contradictions })
    }

    /// Whether it is an archive, which is never changed.
    pub(super) fn is_archive(&self) -> bool {
        self.unpacked.is_some()
    }
}

/// A campaign that was evaluated again.
pub(super) struct EvaluatedAgain {
    pub(super) plan: Plan,
    pub(super) campaign: Campaign,
    /// The verdicts in its folder.
    pub(super) kept: Vec<Verdict>,
    pub(super) checked: Verification,
    pub(super) contradictions: Vec<Contradiction>,
}

/// The campaign in `folder` and its own plan.
fn open(folder: &Path) -> Result<(Plan, Campaign), Usage> {
    let campaign = folder::load(folder).map_err(|error| no_campaign(folder, &error))?;
    let name = folder.join(names::PLAN).display().to_string();
    let plan = Plan::recorded(&campaign.plan, &name, &Choice::of(&campaign))?;
    Ok((plan, campaign))
}

/// The error for a folder that cannot be read as a campaign.
pub(super) fn no_campaign(folder: &Path, error: &io::Error) -> Usage {
    let at = folder.display();
    if error.kind() == io::ErrorKind::PermissionDenied {
        return unreadable(folder);
    }
    if error.kind() == io::ErrorKind::Unsupported {
        return Usage(error.to_string());
    }
    if folder::has(folder, names::CAMPAIGN) {
        return Usage(format!("{error}: this campaign folder is damaged"));
    }
    Usage(format!("{at} is not a campaign folder. `assay run` prints the folder of a campaign at its end."))
}

/// The error for a folder that this user may not read.
pub(super) fn unreadable(folder: &Path) -> Usage {
    Usage(format!("{}: permission denied. Ask its owner for the right to read it.", folder.display()))
}

/// A difference between an earlier and the present evaluation of a clause.
pub(super) struct Difference {
    /// One sentence.
    pub(super) text: String,
    pub(super) kind: DifferenceKind,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DifferenceKind {
    /// An outcome, or a clause that only one of them has.
    Outcome,
    /// A value with the same outcome.
    Value,
    /// Only code or data of a reason.
    Reason,
    /// The report.
    Report,
    /// Everything: the plan cannot be read.
    Unreadable,
}

/// The clauses that were evaluated differently before: in outcome, value, or code and data of the reason.
pub(super) fn differences(kept: &[Verdict], now: &[Verdict]) -> Vec<Difference> {
    let grave = |text: String| Difference { text, kind: DifferenceKind::Outcome };
    let (before, after) = (by_clause(kept), by_clause(now));
    let changed = now.iter().filter_map(|verdict| {
        let was = before.get(&key(verdict)).map(|kept| kept.outcome);
        let was_text = was.map_or_else(|| "nothing".to_owned(), |outcome| outcome.to_string());
        let Verdict { test, metric, outcome, .. } = verdict;
        (was != Some(*outcome)).then(|| {
            let verdicts = names::VERDICTS;
            grave(format!("{test} {metric}: {verdicts} has {was_text}, but the records give {outcome}"))
        })
    });
    let altered = now.iter().filter_map(|verdict| {
        let before = before.get(&key(verdict)).filter(|kept| kept.outcome == verdict.outcome)?;
        let is_same_value = alike(before.value, verdict.value);
        let (kind, (was, is)) = match (is_same_value, before.reason == verdict.reason) {
            (true, true) => return None,
            (false, _) => (DifferenceKind::Value, (exact(before), exact(verdict))),
            (true, false) => (DifferenceKind::Reason, reasons(&before.reason, &verdict.reason)),
        };
        let Verdict { test, metric, .. } = verdict;
        let text = format!("{test} {metric}: {} has {was}, but the records give {is}", names::VERDICTS);
        Some(Difference { text, kind })
    });
    let gone = kept.iter().filter(|verdict| !after.contains_key(&key(verdict))).map(|verdict| {
        let Verdict { test, metric, outcome, .. } = verdict;
        grave(format!("{test} {metric}: {} has {outcome}, but the plan has no such clause", names::VERDICTS))
    });
    changed.chain(altered).chain(gone).collect()
}

/// What a verdict is about: test, metric and criterion.
type VerdictKey<'v> = (&'v str, &'v str, &'v str);

fn key(verdict: &Verdict) -> VerdictKey<'_> {
    (&verdict.test, &verdict.metric, &verdict.criterion)
}

/// The first verdict of each clause.
fn by_clause(verdicts: &[Verdict]) -> BTreeMap<VerdictKey<'_>, &Verdict> {
    verdicts.iter().rev().map(|verdict| (key(verdict), verdict)).collect()
}

/// The difference of two reasons: their codes, or the first data that differ.
fn reasons(one: &Reason, other: &Reason) -> (String, String) {
    if one.code != other.code {
        return (one.code.to_string(), other.code.to_string());
    }
    let mut names = one.data.keys().chain(other.data.keys());
    let differs = names.find(|name| one.get(name) != other.get(name)).map_or("", String::as_str);
    let shown = |reason: &Reason| {
        let datum = reason.get(differs).and_then(|datum| serde_json::to_string(datum).ok());
        let datum = datum.unwrap_or_else(|| "nothing".to_owned());
        format!("{} with {differs} = {datum}", reason.code)
    };
    (shown(one), shown(other))
}

/// The value of a verdict with all its digits.
fn exact(verdict: &Verdict) -> String {
    let Verdict { value, unit, .. } = verdict;
    value.map_or_else(|| "nothing".to_owned(), |value| format!("{value} {unit}").trim_end().to_owned())
}

/// Whether two values are equal except for the last digit of their text form.
fn alike(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * one.abs().max(other.abs()),
        (one, other) => one.is_none() && other.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use results::Outcome;
    use results::reason::{Code, Datum};

    use super::*;

    #[test]
    fn a_difference_has_enough_digits_to_be_visible() {
        let verdict = |value: f64| Verdict {
            test: "W".into(),
            metric: "write.bw".into(),
            criterion: "mean >= 1 B/s".into(),
            outcome: Outcome::Pass,
            reason: Reason::new(Code::ThresholdMet),
            value: Some(value),
            unit: "B/s".into(),
            ..Verdict::default()
        };
        let found = differences(&[verdict(62_500_000.25)], &[verdict(62_500_001.0)]);
        let wanted = "W write.bw: verdicts.json has 62500000.25 B/s, but the records give 62500001 B/s";
        let kind = DifferenceKind::Value;
        assert_eq!((found[0].text.as_str(), found[0].kind, found.len()), (wanted, kind, 1));
        assert!(differences(&[verdict(1.0)], &[verdict(1.0)]).is_empty());
        let failed = Verdict { outcome: Outcome::Fail, ..verdict(1.0) };
        let is_outcome = |one: &Difference| one.kind == DifferenceKind::Outcome;
        assert!(differences(&[failed], &[verdict(1.0)]).iter().all(is_outcome));
    }

    #[test]
    fn reasons_are_compared_by_code_and_data() {
        let verdict = |reason: Reason| Verdict { test: "W".into(), reason, ..Verdict::default() };
        let met = Reason::new(Code::ThresholdMet).with("value", Datum::rate(2.0));
        let other = Reason::new(Code::NoValues);
        let found = differences(&[verdict(met.clone())], &[verdict(other)]);
        assert!(
            found[0].kind == DifferenceKind::Reason && found[0].text.contains("threshold-met"),
            "{}",
            found[0].text
        );
        let more = met.clone().with("value", Datum::rate(3.0));
        let found = differences(&[verdict(met.clone())], &[verdict(more)]);
        let wanted = "threshold-met with value = {\"value\":2.0,\"unit\":\"B/s\"}";
        assert!(found[0].text.contains(wanted), "{}", found[0].text);
        assert!(differences(&[verdict(met.clone())], &[verdict(met)]).is_empty());
    }
}
