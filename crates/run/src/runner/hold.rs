//! One worker per campaign: a lock on its `campaign.json`, which its jobs inherit, and nothing else does. A
//! job that outlived its campaign would otherwise write into the files of the next attempt.

use std::fs::File;
use std::path::Path;

use results::folder::names;
use units::Usage;

use super::Trouble;
use crate::inherited_lock::InheritedLock;

/// Takes hold of the campaign in `folder`.
pub(super) fn take(folder: &Path) -> Result<InheritedLock, Trouble> {
    let file = File::open(folder.join(names::CAMPAIGN))?;
    let (at, name) = (folder.display(), names::CAMPAIGN);
    let held = || {
        Usage(format!(
            "{at}: another assay, or a job that outlived one, still works on this campaign; \
             `fuser {at}/{name}` names it"
        ))
    };
    Ok(InheritedLock::take(file)?.ok_or_else(held)?)
}
