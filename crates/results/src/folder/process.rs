//! The process that runs a campaign, as its hash chain names it.

use serde::{Deserialize, Serialize};

/// The process that runs a campaign. It is the note of each `begun` entry of the chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignProcess {
    /// The name of its node.
    pub host: String,
    /// Its number; 0 if it is not known.
    pub pid: u32,
    /// The identity of the running kernel, which a reboot changes.
    pub boot: String,
    /// The namespace of its number, such as that of a container.
    pub namespace: String,
    /// When it started, clock ticks after the boot. A later process with its number has another value.
    pub started: u64,
}

impl CampaignProcess {
    /// The note of an entry; empty if the process is not known.
    pub(super) fn note(&self) -> String {
        match self.pid {
            0 => String::new(),
            _ => serde_json::to_string(self).unwrap_or_default(),
        }
    }

    /// The process that wrote a note.
    pub(super) fn from_note(note: &str) -> Option<Self> {
        serde_json::from_str(note).ok().filter(|process: &Self| process.pid > 0)
    }
}
