//! Adding repetitions to a campaign that has ended. Its verdicts and its report stay, under other names.
//!
//! Invariant: a folder that is not intact stays unchanged. Nothing of an earlier look is removed. A step that
//! a kill interrupts is completed when the campaign resumes.
//! Never here: which repetitions are added.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::chain::{self, ChainEntry, ChainEvent};
use super::hash::{sha256, sha256_of_any};
use super::json::to_json;
use super::looks::{EXTENSIONS_MAX, extensions, name_of};
use super::names::OF_LOOK;
use super::staging::{stage, unstage};
use super::verify::check;
use super::{Extension, beneath, names};

/// Adds an extension to the ended campaign in the folder `dir`. The files of the look before get other names.
/// If the folder is not intact or has not ended, nothing changes.
pub fn extend(dir: &Path, extension: &Extension) -> io::Result<()> {
    let rejected = |why: String| io::Error::new(ErrorKind::InvalidData, why);
    let checked = check(dir)?;
    if let Some(fault) = checked.faults.first() {
        return Err(rejected(fault.said.clone()));
    }
    if !checked.ended {
        return Err(rejected("the campaign has not ended".to_owned()));
    }
    let look = extensions(dir, chain::read(dir)?.as_ref())?.len() + 1;
    if look > EXTENSIONS_MAX {
        return Err(rejected(format!("a campaign has at most {EXTENSIONS_MAX} extensions")));
    }
    let path = name_of(look, names::EXTENSION);
    let bytes = to_json(extension)?;
    let mut files = BTreeMap::from([(path.clone(), sha256(&bytes))]);
    let there: Vec<&str> = OF_LOOK.into_iter().filter(|name| beneath::exists(dir, Path::new(name))).collect();
    for name in &there {
        files.insert(name_of(look, name), sha256_of_any(dir, Path::new(name))?);
    }
    let part = stage(dir, Path::new(&path), &bytes)?;
    let entry = ChainEntry { what: ChainEvent::Extended, path: path.clone(), files, ..ChainEntry::default() };
    chain::append(dir, entry).inspect_err(|_| drop(beneath::remove(dir, &part)))?;
    // The report is last, because a campaign without one has not ended.
    for name in there {
        beneath::rename(dir, Path::new(name), Path::new(&name_of(look, name)))?;
    }
    unstage(dir, &part, Path::new(&path))?;
    beneath::flush(dir, Path::new(""));
    Ok(())
}
