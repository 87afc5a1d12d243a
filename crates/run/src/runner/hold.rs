//! One worker per campaign: a lock on its `campaign.json`, which its jobs inherit, and nothing else does.
//!
//! Invariant: as long as this process or a job of the campaign lives on this node, nobody else gets the
//! hold. A job that outlived its campaign would otherwise write into the files of the next attempt.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::path::Path;

use results::folder::names;
use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use units::Usage;

use super::Trouble;

/// The right to work on a campaign, until dropped.
pub(super) struct CampaignLock {
    file: File,
    /// Whether a job lives on that has inherited it.
    outlived: Cell<bool>,
}

impl CampaignLock {
    /// Takes hold of the campaign in `folder`. Where the file system knows no locks nothing is held.
    pub(super) fn take(folder: &Path) -> Result<Self, Trouble> {
        let file = File::open(folder.join(names::CAMPAIGN))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => {
                let (at, name) = (folder.display(), names::CAMPAIGN);
                return Err(Usage(format!(
                    "{at}: another assay, or a job that outlived one, still works on this campaign; \
                     `fuser {at}/{name}` names it"
                ))
                .into());
            }
            Err(Errno::NOSYS | Errno::OPNOTSUPP | Errno::NOLCK | Errno::INVAL) | Ok(()) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        Ok(Self { file, outlived: Cell::new(false) })
    }

    /// Has what is started from now on inherit it, or not: a daemon that a command of the plan leaves
    /// behind is none of the campaign's jobs.
    pub(super) fn lend(&self, lent: bool) -> io::Result<()> {
        let flags = if lent { FdFlags::empty() } else { FdFlags::CLOEXEC };
        Ok(fcntl_setfd(&self.file, flags)?)
    }

    /// Leaves it to a job that lives on.
    pub(super) fn leave(&self) {
        self.outlived.set(true);
    }
}

impl Drop for CampaignLock {
    fn drop(&mut self) {
        // Also for whoever inherited the file: a campaign that ends in order leaves no job behind.
        if !self.outlived.get() {
            let _ = flock(&self.file, FlockOperation::Unlock);
        }
    }
}
