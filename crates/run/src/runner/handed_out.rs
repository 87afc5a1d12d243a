//! Handing out the state of the hash chain to the witness of the campaign.
//!
//! Invariant: a witness that does not answer is recorded in the chain and reported, and ends no job.

use std::cell::RefCell;
use std::io;
use std::path::Path;

use results::folder;

use super::CampaignRequest;
use crate::witness::Witness;

/// The witness of a campaign, and what the user must know about it.
#[derive(Debug, Default)]
pub(super) struct HashReceiver {
    witness: Option<Witness>,
    nonce: String,
    troubles: RefCell<Vec<String>>,
}

impl HashReceiver {
    /// Hands out the state of the chain before the first job, also of a resumed campaign.
    pub(super) fn begin(asked: &CampaignRequest, nonce: &str) -> io::Result<Self> {
        let witness = asked.witness.clone();
        let receiver = Self { witness, nonce: nonce.to_owned(), troubles: RefCell::default() };
        receiver.hand_out(&asked.folder)?;
        Ok(receiver)
    }

    /// Hands out the state of the chain in `folder`, and records the answer there.
    pub(super) fn hand_out(&self, folder: &Path) -> io::Result<()> {
        let Some(witness) = &self.witness else { return Ok(()) };
        let Some(note) = folder::witness_note(folder, &self.nonce)? else { return Ok(()) };
        let told = witness.tell(&note);
        if let Err(why) = &told {
            let (place, entry) = (witness.text(), note.entry);
            self.troubles.borrow_mut().push(format!(
                "The witness {place} did not take the hash of entry {entry}: {why}. The campaign continues, \
                 and its report states this."
            ));
        }
        folder::note_witness(folder, witness.text(), note.entry, told.err().as_deref())
    }

    /// What the witness did not take since the last call, a sentence each.
    pub(super) fn troubles(&self) -> Vec<String> {
        self.troubles.take()
    }
}
