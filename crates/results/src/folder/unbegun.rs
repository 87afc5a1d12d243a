//! What a kill leaves while a campaign's folder is being made.
//!
//! Invariant: nothing is taken away from a folder in which anything else lies.

use std::fs;
use std::io;
use std::path::Path;

use super::resume::is_half;
use super::write::staged;
use super::{CampaignInfo, chain, load, names, sha256_of};

/// Who was to run which plan in the folder `dir`, as far as that had been written.
pub fn unbegun(dir: &Path) -> Option<CampaignInfo> {
    load::json(&staged(&dir.join(names::CAMPAIGN))).ok()
}

/// Takes away the folder of a campaign that was killed before it had begun, or one that is empty; tells
/// whether it did. One that holds anything else is not touched.
pub fn discard(dir: &Path) -> io::Result<bool> {
    let chain = match chain::read(dir) {
        Ok(chain) => chain.unwrap_or_default(),
        Err(_) => return Ok(false),
    };
    if chain.entries.len() > 1 || !chain.faults.is_empty() {
        return Ok(false);
    }
    let files = chain.files();
    let mut parts = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name().to_string_lossy().into_owned(), entry.file_type()?);
        let own = match name.as_str() {
            names::CHAIN => kind.is_file(),
            names::JOBS => kind.is_dir() && fs::read_dir(entry.path())?.next().is_none(),
            // It gets its name before campaign.json does.
            names::PLAN => {
                kind.is_file() && files.get(names::PLAN) == Some(&sha256_of(&entry.path())?.as_str())
            }
            name => kind.is_file() && is_half(name),
        };
        if !own {
            return Ok(false);
        }
        if name != names::CHAIN && name != names::JOBS {
            parts.push(entry.path());
        }
    }
    parts.iter().try_for_each(fs::remove_file)?;
    for gone in [fs::remove_dir(dir.join(names::JOBS)), fs::remove_file(dir.join(names::CHAIN))] {
        match gone {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir(dir)?;
    Ok(true)
}
