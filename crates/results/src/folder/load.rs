//! Reading a campaign back from its folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::de::DeserializeOwned;

use super::{Campaign, Job, names};
use crate::records;

/// Loads the campaign in `dir`. What a later step would have added (machine facts afterwards,
/// verdicts) may be missing; what is there must be readable, else the error names the file.
pub fn load(dir: &Path) -> io::Result<Campaign> {
    let (jobs, killed) = jobs(dir)?;
    Ok(Campaign {
        info: json(&dir.join(names::CAMPAIGN))?,
        plan: fs::read_to_string(dir.join(names::PLAN))
            .map_err(|error| named(&dir.join(names::PLAN), &error))?,
        before: optional(json(&dir.join(names::BEFORE)))?,
        after: optional(json(&dir.join(names::AFTER)))?,
        jobs,
        killed,
        verdicts: optional(json(&dir.join(names::VERDICTS)))?.unwrap_or_default(),
    })
}

fn jobs(dir: &Path) -> io::Result<(Vec<Job>, Vec<String>)> {
    let path = dir.join(names::JOBS);
    let entries = fs::read_dir(&path).map_err(|error| named(&path, &error))?;
    let mut folders = Vec::new();
    for entry in entries {
        folders.push(entry?.file_name().to_string_lossy().into_owned());
    }
    folders.sort();
    let (mut jobs, mut killed) = (Vec::new(), Vec::new());
    for name in folders {
        let folder = format!("{}/{name}", names::JOBS);
        let path = dir.join(&folder);
        if name.starts_with('.') || name.contains(".killed-") {
            killed.push(folder);
        } else if path.join(names::JOB).exists() {
            let info = json(&path.join(names::JOB))?;
            let records = optional(records::load(&path.join(names::RECORDS)))?.unwrap_or_default();
            jobs.push(Job { folder, info, records });
        }
    }
    Ok((jobs, killed))
}

pub(super) fn json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let text = fs::read(path).map_err(|error| named(path, &error))?;
    serde_json::from_slice(&text)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, format!("{}: {error}", path.display())))
}

/// The error with the file it is about.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn optional<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
