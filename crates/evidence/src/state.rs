//! A campaign as `compare`, `index` and `track` read it: evaluated again, with the state of its evidence.
//!
//! Never here: what is done with a campaign whose evidence is not intact.

use std::path::Path;

use judge::CampaignToCompare;
use lint::Drifted;
use plan::Plan;
use results::folder::{self, Campaign, Head, Verification, names};
use results::reason::{Reason, reason};
use units::Usage;

use crate::examination::{FolderExamination, examine};
use crate::folder::{EvaluatedAgain, EvidenceFolder};

/// A campaign that was read, checked and evaluated again.
pub struct ExaminedCampaign {
    /// The path as typed.
    pub name: String,
    /// The plan in its folder.
    pub plan: Plan,
    /// The campaign with its verdicts of now, and the faults of its evidence.
    pub campaign: Campaign,
    /// The head of its hash chain.
    pub head: Option<Head>,
    /// The state of its evidence.
    pub evidence: Reason,
    /// Whether no fault was found in measured data, plan and jobs.
    pub is_usable: bool,
}

impl ExaminedCampaign {
    /// Reads the folder or archive at `path`. Fails if it cannot be read as a campaign.
    pub fn open(path: &Path, drifted: Drifted) -> Result<Self, Usage> {
        let opened = EvidenceFolder::open(path)?;
        let EvaluatedAgain { plan, mut campaign, checked, .. } = opened.evaluated(drifted)?;
        let examined = examine(&opened.folder, &checked, drifted);
        let (evidence, faults) = state(&opened.folder, &checked, &examined);
        campaign.faults = faults;
        Ok(Self {
            name: opened.name.clone(),
            plan,
            head: checked.head,
            is_usable: campaign.faults.is_empty(),
            campaign,
            evidence,
        })
    }

    /// The campaign as the comparison and the history evaluate it.
    pub fn evaluated(&self) -> CampaignToCompare<'_> {
        CampaignToCompare {
            name: &self.name,
            plan: &self.plan,
            campaign: &self.campaign,
            head: self.head.as_ref(),
            evidence: &self.evidence,
            is_usable: self.is_usable,
        }
    }
}

/// The state of the evidence, and the faults because of which its values are not used. Verdicts and report
/// are derived again, so a fault of theirs is only stated.
fn state(folder: &Path, checked: &Verification, examined: &FolderExamination) -> (Reason, Vec<String>) {
    let mut faults = checked.of_evidence();
    // The others are contradictions between plan and jobs.
    let of_facts = examined.faults.iter().filter(|fault| !checked.faults.contains(fault));
    let is_made = |about: &str| [names::VERDICTS, names::SUMMARY, names::REPORT].contains(&about);
    faults.extend(of_facts.filter(|fault| !is_made(&fault.about)).map(|fault| fault.said.clone()));
    if let Some(first) = faults.first() {
        return (reason!(EvidenceRejected { fault: first, faults: faults.len() }), faults);
    }
    let made = examined.faults.iter().map(|fault| fault.said.as_str());
    let differing = examined.unreproduced.iter().map(|one| one.text.as_str());
    let ended = folder::has(folder, names::VERDICTS);
    let reason = match made.chain(differing).next() {
        Some(difference) if ended || checked.ended => {
            let other_build = examined.is_of_another_build.then_some(true);
            reason!(EvidenceNotReproduced { difference, other_build })
        }
        _ if checked.ended => reason!(EvidenceIntact),
        _ => reason!(EvidenceSoFar),
    };
    (reason, faults)
}
