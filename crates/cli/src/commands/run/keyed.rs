//! The key of a campaign's data, from `--data-key` and `--nonce`, or as the campaign recorded it.
//!
//! Never here: reading the secret.

use std::path::Path;

use anyhow::Result;
use results::folder::{self, CampaignKey};
use units::Usage;

use command::KeySource;

use crate::personalities::data_key;

/// The options of the key. Scripts that start the same campaign again give the same ones.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct KeyArgs {
    /// Key the stamped data of all jobs by the secret in this file
    ///
    /// A file system that does not store the data cannot make it without the secret. Only the SHA-256 of the
    /// secret is recorded. The file must be on all nodes, under the same path, readable only by its owner.
    #[arg(long, value_name = "FILE")]
    data_key: Option<String>,
    /// Enter this text of the buyer into hash chain, directory names and data
    ///
    /// The buyer chooses it for this campaign and names it when the campaign starts. So no data can have been
    /// prepared before.
    #[arg(long, value_name = "TEXT")]
    nonce: Option<String>,
}

impl KeyArgs {
    /// The options for a command that starts the same campaign in another directory.
    pub(crate) fn words(&self) -> Result<Vec<(&'static str, String)>> {
        let file = self.data_key.as_deref().map(absolute).transpose()?;
        let file = file.map(|file| ("--data-key", file));
        Ok(file.into_iter().chain(self.nonce.clone().map(|nonce| ("--nonce", nonce))).collect())
    }

    /// The key of a new campaign.
    pub(super) fn of_new(&self) -> Result<Option<CampaignKey>> {
        let file = self.data_key.as_deref().map(absolute).transpose()?;
        read(KeySource { file, nonce: self.nonce.clone() })
    }

    /// The key of the campaign in `folder`, which is resumed. Rejects another one.
    pub(super) fn of_resumed(&self, folder: &Path) -> Result<Option<CampaignKey>> {
        // The campaign itself reports a folder that cannot be read.
        let Ok(campaign) = folder::load(folder) else { return Ok(None) };
        let recorded = campaign.info.data_key;
        let known = recorded.clone().unwrap_or_default();
        let at = folder.display();
        if let Some(nonce) = self.nonce.as_ref().filter(|nonce| **nonce != known.facts.nonce) {
            return Err(Usage(format!(
                "--nonce {nonce}: the campaign in {at} was started with {}. Resume it without --nonce.",
                if known.facts.nonce.is_empty() {
                    "no nonce".into()
                } else {
                    format!("`{}`", known.facts.nonce)
                }
            ))
            .into());
        }
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let file = match &self.data_key {
            Some(file) => Some(absolute(file)?),
            None => text(&known.file),
        };
        let key = read(KeySource { file, nonce: text(&known.facts.nonce) })?;
        let facts = |key: &Option<CampaignKey>| key.as_ref().map(|key| key.facts.clone());
        if facts(&key) != facts(&recorded) {
            return Err(Usage(format!(
                "--data-key: the campaign in {at} was started with another key of the data. Give the file of \
                 that key."
            ))
            .into());
        }
        Ok(key)
    }
}

fn read(source: KeySource) -> Result<Option<CampaignKey>> {
    let key = data_key(&source)?;
    Ok(key.map(|key| CampaignKey { file: source.file.unwrap_or_default(), facts: key.facts().clone() }))
}

fn absolute(file: &str) -> Result<String> {
    let path = std::path::absolute(file).map_err(|error| Usage(format!("--data-key {file}: {error}")))?;
    Ok(path.to_string_lossy().into_owned())
}
