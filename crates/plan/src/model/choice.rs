//! What was chosen of a plan: a scale, and values of its parameters.

use std::collections::BTreeMap;

use results::folder::CampaignInfo;

/// Which values the parameters of a plan have: those of one of its scales, then single ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The scale, by its name in the plan.
    pub scale: Option<String>,
    /// Values by the names of parameters.
    pub set: BTreeMap<String, String>,
}

impl Choice {
    /// That of a campaign.
    pub fn of(info: &CampaignInfo) -> Self {
        Self { scale: info.scale.clone(), set: info.set.clone() }
    }
}
