//! What datasets are kept on a file system, and removing them by hand.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use jiff::Timestamp;
use results::folder::Manifest;
use units::Usage;

use super::kept::{HOME, KeptDataset, is_own};
use crate::path_error::named;

/// A dataset that is kept.
#[derive(Debug)]
pub struct ListedDataset {
    /// The name of its directory.
    pub name: String,
    /// What it consists of; absent where it was not finished.
    pub made: Option<Manifest>,
    /// The folder of the campaign that began it; empty where that is not known.
    pub campaign: String,
    /// Why nothing can be done with it now.
    pub busy: Option<String>,
}

/// Those on the file system of `root`, by name.
pub fn list(root: &Path) -> io::Result<Vec<ListedDataset>> {
    let home = root.join(HOME);
    let mut names = Vec::new();
    match fs::read_dir(&home) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(named(&home, &error)),
        Ok(entries) => {
            for entry in entries {
                let entry = entry?;
                if entry.file_type()?.is_dir() && is_own(&entry.path()) {
                    names.push(entry.file_name().to_string_lossy().into_owned());
                }
            }
        }
    }
    names.sort();
    names.into_iter().map(|name| listed(&home, name)).collect()
}

fn listed(home: &Path, name: String) -> io::Result<ListedDataset> {
    let dir = home.join(&name);
    let made = Manifest::load(&dir.join(results::folder::names::DATASET)).ok();
    Ok(match KeptDataset::lock(&dir)? {
        Ok(kept) => ListedDataset { name, made, campaign: kept.campaign(), busy: None },
        Err(busy) => ListedDataset { name, made, campaign: String::new(), busy: Some(busy.0) },
    })
}

/// When later campaigns may no longer use it; absent where the times cannot be read.
pub(super) fn expires(made: &Manifest) -> Option<Timestamp> {
    let begin: Timestamp = made.made.parse().ok()?;
    let keep = std::time::Duration::try_from_secs_f64(made.keep_s?).ok()?;
    begin.checked_add(jiff::SignedDuration::try_from(keep).ok()?).ok()
}

impl ListedDataset {
    /// When later campaigns may no longer use it, RFC 3339.
    pub fn expires(&self) -> Option<String> {
        let at = expires(self.made.as_ref()?)?.to_zoned(jiff::tz::TimeZone::system());
        Some(at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
    }

    /// Whether that time is over.
    pub fn is_expired(&self) -> bool {
        self.made.as_ref().and_then(expires).is_some_and(|end| end <= Timestamp::now())
    }
}

/// Removes the dataset in the directory of this name; says no where it is not one of them, where somebody
/// works on it, or where something else lies in it.
pub fn remove(root: &Path, name: &str) -> io::Result<Result<(), Usage>> {
    let known = list(root)?;
    if !known.iter().any(|listed| listed.name == name) {
        let names: Vec<&str> = known.iter().map(|listed| listed.name.as_str()).collect();
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let at = root.join(HOME);
        return Ok(Err(Usage(format!("no dataset `{name}` in {}; there is {there}", at.display()))));
    }
    match KeptDataset::lock(&root.join(HOME).join(name))? {
        Ok(kept) => kept.remove(),
        Err(busy) => Ok(Err(busy)),
    }
}
