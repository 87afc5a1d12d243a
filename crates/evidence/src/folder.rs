//! A campaign folder, or an archive of one, as the commands read it: checked, and evaluated again.
//!
//! Invariant: an archive is only read. The verdicts in a folder are not trusted.
//! Never here: what the check finds beyond the hashes.

use std::io;
use std::path::{Path, PathBuf};

use judge::Evaluation;
use judge::crosscheck::Contradiction;
use lint::Drifted;
use plan::{Choice, Plan};
use results::Verdict;
use results::folder::{self, Campaign, Verification, names};
use results::summary::Summary;
use tempfile::TempDir;
use units::Usage;

/// An evidence package: a campaign folder, or an archive of one from `assay pack`. An archive is only read.
/// Its unpacked files are removed with this value.
pub struct EvidenceFolder {
    /// The folder; the unpacked one of an archive.
    pub folder: PathBuf,
    /// Its name in messages: the path as typed.
    pub name: String,
    unpacked: Option<TempDir>,
}

impl EvidenceFolder {
    /// Opens the folder at `path`, or unpacks the archive.
    pub fn open(path: &Path) -> Result<Self, Usage> {
        let name = path.display().to_string();
        if !folder::is_archive(path) {
            return Ok(Self { folder: path.to_owned(), name, unpacked: None });
        }
        let place = tempfile::Builder::new().prefix("assay-").tempdir();
        let place = place.map_err(|error| {
            Usage(format!("cannot unpack the archive: {error}. Set TMPDIR to a directory with free space."))
        })?;
        let folder = folder::unpack(path, place.path()).map_err(|error| Usage(error.to_string()))?;
        Ok(Self { folder, name, unpacked: Some(place) })
    }

    /// Evaluates the campaign again. The verdicts in its folder are not trusted.
    pub fn evaluated(&self, drifted: Drifted) -> Result<EvaluatedAgain, Usage> {
        // Before the campaign is loaded, because both need much memory.
        let checked = folder::check(&self.folder);
        let (plan, mut campaign) = open(&self.folder)?;
        let checked = checked.map_err(|error| no_campaign(&self.folder, &error))?;
        let kept = std::mem::take(&mut campaign.verdicts);
        campaign.summary = Summary::default();
        lint::complete(&plan, &mut campaign, drifted);
        let Evaluation { verdicts, summary, contradictions } = judge::evaluate(&plan, &campaign);
        (campaign.verdicts, campaign.summary) = (verdicts, summary);
        campaign.faults = checked.of_evidence();
        Ok(EvaluatedAgain { plan, campaign, kept, checked, contradictions })
    }

    /// Whether it is an archive, which is never changed.
    pub fn is_archive(&self) -> bool {
        self.unpacked.is_some()
    }
}

/// A campaign that was evaluated again.
pub struct EvaluatedAgain {
    /// The plan in its folder, with the choices of the campaign.
    pub plan: Plan,
    /// The campaign with the verdicts and the summary of this evaluation.
    pub campaign: Campaign,
    /// The verdicts in its folder.
    pub kept: Vec<Verdict>,
    /// What the comparison with the hash chain found.
    pub checked: Verification,
    /// Facts of its jobs that contradict each other.
    pub contradictions: Vec<Contradiction>,
}

/// The campaign in `folder` and its own plan.
fn open(folder: &Path) -> Result<(Plan, Campaign), Usage> {
    let campaign = folder::load(folder).map_err(|error| no_campaign(folder, &error))?;
    let name = folder.join(names::PLAN).display().to_string();
    let plan = Plan::recorded(&campaign.plan, &name, &Choice::of(&campaign))?;
    Ok((plan, campaign))
}

/// The error for a folder that cannot be read as a campaign.
pub fn no_campaign(folder: &Path, error: &io::Error) -> Usage {
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
pub fn unreadable(folder: &Path) -> Usage {
    Usage(format!("{}: permission denied. Ask its owner for the right to read it.", folder.display()))
}
