//! `assay judge`: the verdicts of a campaign, reached again from its own plan and records.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use plan::{Choice, Plan, schedule};
use results::Verdict;
use results::folder::{self, Campaign, Verification, names};
use results::reason::Reason;
use tempfile::TempDir;
use units::Usage;

use super::run::table;
use crate::speech::{complain, say};

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
    let JudgedAgain { plan, campaign, kept, checked } = evidence.judged()?;
    say(&table(&campaign))?;
    if folder.join(names::VERDICTS).exists() {
        differences(&kept, &campaign.verdicts).into_iter().for_each(|one| note(one.told));
    } else if campaign.after.is_none() || checked.head.is_some() && checked.faults.is_empty() {
        let done = campaign.jobs.len();
        let of = schedule::jobs(&plan, &campaign.info.only).map_or(done, |jobs| jobs.len());
        let go_on = match evidence.is_archive() {
            true => String::new(),
            false => format!("; go on with: assay run --resume {at}"),
        };
        note(format!("this campaign has not ended, {done} of {of} jobs have{go_on}"));
    } else if evidence.is_archive() {
        note(format!("{at} holds no {}", names::VERDICTS));
    } else {
        put_back(folder, &campaign.verdicts).into_iter().for_each(note);
    }
    note_faults(at, &checked);
    Ok(campaign.exit_code())
}

pub(super) fn note(text: String) {
    complain(&format!("assay: note: {text}"));
}

/// Says so where files of the folder called `at` are not as recorded: last, for all that was said rests on
/// them.
pub(super) fn note_faults(at: &str, checked: &Verification) {
    if !checked.faults.is_empty() {
        note(format!(
            "files in {at} are not as recorded, so nothing above proves anything; `assay verify {at}` names \
             them"
        ));
    }
}

/// Puts the verdicts back into a folder that has lost them, or says why not.
fn put_back(folder: &Path, verdicts: &[Verdict]) -> Option<String> {
    let (at, name) = (folder.display(), names::VERDICTS);
    let bytes = folder::verdicts_bytes(verdicts);
    match bytes.and_then(|bytes| folder::restore(folder, name, &bytes)) {
        Ok(true) => None,
        Ok(false) => Some(format!("{at}/{name} is gone, and was another: it is not made again")),
        Err(error) => Some(format!("{name} is missing and cannot be put back: {error}")),
    }
}

/// Evidence as it is handed around: a campaign's folder, or the archive that `assay pack` made of one. An
/// archive is only read; what is unpacked of it goes when the command ends.
pub(super) struct EvidenceFolder {
    pub(super) folder: PathBuf,
    /// What messages call it: what was typed.
    pub(super) name: String,
    unpacked: Option<TempDir>,
}

impl EvidenceFolder {
    /// Finds the folder that `path` is or holds.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        if !folder::is_archive(path) {
            return Ok(Self { folder: path.to_owned(), name, unpacked: None });
        }
        let place = tempfile::Builder::new().prefix("assay-").tempdir();
        let place = place.context("cannot unpack the archive; let TMPDIR be a directory with room")?;
        let folder = folder::unpack(path, place.path()).map_err(|error| Usage(error.to_string()))?;
        Ok(Self { folder, name, unpacked: Some(place) })
    }

    /// The campaign, judged again; its own verdicts may have been changed by somebody.
    pub(super) fn judged(&self) -> Result<JudgedAgain> {
        let (plan, mut campaign) = open(&self.folder)?;
        let kept = std::mem::take(&mut campaign.verdicts);
        let judged = ::judge::evaluate(&plan, &campaign);
        (campaign.verdicts, campaign.summary) = (judged.verdicts, judged.summary);
        let checked = folder::check(&self.folder)?;
        campaign.faults = checked.of_evidence();
        Ok(JudgedAgain { plan, campaign, kept, checked })
    }

    /// Whether it is an archive, which stays as it is.
    pub(super) fn is_archive(&self) -> bool {
        self.unpacked.is_some()
    }
}

/// What judging a campaign again came to.
pub(super) struct JudgedAgain {
    plan: Plan,
    pub(super) campaign: Campaign,
    /// The verdicts that were in its folder.
    pub(super) kept: Vec<Verdict>,
    pub(super) checked: Verification,
}

/// The campaign in `folder` and its own plan.
fn open(folder: &Path) -> Result<(Plan, Campaign), Usage> {
    let campaign = folder::load(folder).map_err(|error| no_campaign(folder, &error))?;
    let name = folder.join(names::PLAN).display().to_string();
    let plan = Plan::parse_with(&campaign.plan, &name, &Choice::of(&campaign.info))?;
    Ok((plan, campaign))
}

/// What to say of a folder that cannot be read as a campaign.
pub(super) fn no_campaign(folder: &Path, error: &io::Error) -> Usage {
    let at = folder.display();
    if folder.join(names::CAMPAIGN).exists() {
        return Usage(format!("{error}; this campaign's folder is damaged"));
    }
    Usage(format!("{at} is no campaign's folder; `assay run` and `assay try` print its name at their end"))
}

/// How a clause was evaluated before and is not now.
pub(super) struct Difference {
    /// One sentence.
    pub(super) told: String,
    /// Whether outcome and value are the same, and only the reason is another.
    pub(super) is_of_reason: bool,
}

/// Each clause that was evaluated differently before: outcomes, values, and reasons by code and data.
pub(super) fn differences(kept: &[Verdict], now: &[Verdict]) -> Vec<Difference> {
    let grave = |told: String| Difference { told, is_of_reason: false };
    let key = |verdict: &Verdict| (verdict.test.clone(), verdict.metric.clone(), verdict.criterion.clone());
    let other = |a: &Verdict, all: &[Verdict]| all.iter().find(|b| key(b) == key(a)).map(|b| b.outcome);
    let judged = now.iter().filter_map(|verdict| {
        let before = other(verdict, kept);
        let was = before.map_or_else(|| "nothing".to_owned(), |outcome| outcome.to_string());
        let Verdict { test, metric, outcome, .. } = verdict;
        (before != Some(*outcome)).then(|| {
            let verdicts = names::VERDICTS;
            grave(format!("{verdicts} says {was} of {test} {metric}, and the records say {outcome}"))
        })
    });
    let altered = now.iter().filter_map(|verdict| {
        let before = kept.iter().find(|b| key(b) == key(verdict) && b.outcome == verdict.outcome)?;
        let is_of_reason = alike(before.value, verdict.value);
        let (was, is) = match (is_of_reason, before.reason == verdict.reason) {
            (true, true) => return None,
            (false, _) => (exact(before), exact(verdict)),
            (true, false) => reasons(&before.reason, &verdict.reason),
        };
        let Verdict { test, metric, .. } = verdict;
        let told = format!("{} says {was} of {test} {metric}, and the records say {is}", names::VERDICTS);
        Some(Difference { told, is_of_reason })
    });
    let gone = kept.iter().filter(|verdict| other(verdict, now).is_none()).map(|verdict| {
        let Verdict { test, metric, outcome, .. } = verdict;
        grave(format!("{} says {outcome} of {test} {metric}, which the plan does not ask", names::VERDICTS))
    });
    judged.chain(altered).chain(gone).collect()
}

/// How two reasons differ: by their codes, or by the first of their data that does.
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

/// The value of a verdict with all its figures.
fn exact(verdict: &Verdict) -> String {
    let Verdict { value, unit, .. } = verdict;
    value.map_or_else(|| "nothing".to_owned(), |value| format!("{value} {unit}").trim_end().to_owned())
}

/// Whether two values are the same but for the last figure of their text form.
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
    fn a_difference_is_told_with_as_many_figures_as_it_takes_to_see_it() {
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
        let told = differences(&[verdict(62_500_000.25)], &[verdict(62_500_001.0)]);
        let wanted = "verdicts.json says 62500000.25 B/s of W write.bw, and the records say 62500001 B/s";
        assert_eq!((told[0].told.as_str(), told[0].is_of_reason, told.len()), (wanted, false, 1));
        assert!(differences(&[verdict(1.0)], &[verdict(1.0)]).is_empty());
        let failed = Verdict { outcome: Outcome::Fail, ..verdict(1.0) };
        assert!(differences(&[failed], &[verdict(1.0)]).iter().all(|one| !one.is_of_reason));
    }

    #[test]
    fn reasons_are_compared_by_code_and_data() {
        let verdict = |reason: Reason| Verdict { test: "W".into(), reason, ..Verdict::default() };
        let met = Reason::new(Code::ThresholdMet).with("value", Datum::rate(2.0));
        let other = Reason::new(Code::NoValues);
        let told = differences(&[verdict(met.clone())], &[verdict(other)]);
        assert!(told[0].is_of_reason && told[0].told.contains("threshold-met"), "{}", told[0].told);
        let more = met.clone().with("value", Datum::rate(3.0));
        let told = differences(&[verdict(met.clone())], &[verdict(more)]);
        let wanted = "threshold-met with value = {\"value\":2.0,\"unit\":\"B/s\"}";
        assert!(told[0].told.contains(wanted), "{}", told[0].told);
        assert!(differences(&[verdict(met.clone())], &[verdict(met)]).is_empty());
    }
}
