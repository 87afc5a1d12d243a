//! The kept datasets on a file system, and their removal by the user.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use jiff::Timestamp;
use results::folder::Manifest;
use units::Usage;

use super::kept::{DATASETS_DIR, KeptDataset, is_own};
use crate::path_error::named;

/// A kept dataset.
#[derive(Debug)]
pub struct ListedDataset {
    /// The name of its directory.
    pub name: String,
    /// Its manifest; absent if it is unfinished.
    pub made: Option<Manifest>,
    /// The folder of the campaign that started it; empty if it is not known.
    pub campaign: String,
    /// Why it cannot be used or removed now.
    pub busy: Option<String>,
}

/// The kept datasets on the file system of `root`, by name.
pub fn list(root: &Path) -> io::Result<Vec<ListedDataset>> {
    let home = root.join(DATASETS_DIR);
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

/// The time from which later campaigns may not use it; absent if the times cannot be read.
pub(super) fn expires(made: &Manifest) -> Option<Timestamp> {
    let begin: Timestamp = made.made.parse().ok()?;
    let keep = std::time::Duration::try_from_secs_f64(made.keep_s?).ok()?;
    begin.checked_add(jiff::SignedDuration::try_from(keep).ok()?).ok()
}

impl ListedDataset {
    /// The time from which later campaigns may not use it, RFC 3339.
    pub fn expires(&self) -> Option<String> {
        let at = expires(self.made.as_ref()?)?.to_zoned(jiff::tz::TimeZone::system());
        Some(at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
    }

    /// Whether that time has passed.
    pub fn is_expired(&self) -> bool {
        self.made.as_ref().and_then(expires).is_some_and(|end| end <= Timestamp::now())
    }
}

/// Removes the dataset in the directory of this name. Rejects a directory that is not a kept dataset, is in
/// use, or contains other files.
pub fn remove(root: &Path, name: &str) -> io::Result<Result<(), Usage>> {
    let known = list(root)?;
    if !known.iter().any(|listed| listed.name == name) {
        let names: Vec<&str> = known.iter().map(|listed| listed.name.as_str()).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let at = root.join(DATASETS_DIR);
        return Ok(Err(Usage(format!("no dataset `{name}` in {}. Known: {known}.", at.display()))));
    }
    match KeptDataset::lock(&root.join(DATASETS_DIR).join(name))? {
        Ok(kept) => kept.remove(),
        Err(busy) => Ok(Err(busy)),
    }
}
