//! Adding repetitions to a campaign that has ended. Its verdicts and its report stay, under other names.
//!
//! Invariant: a folder that is not intact stays unchanged. Nothing of an earlier look is removed. A step that
//! a kill interrupts is completed when the campaign resumes.
//! Never here: which repetitions are added.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::chain::{self, Chain, ChainEntry, ChainEvent};
use super::load::json;
use super::staging::{complete_part, stage, unstage};
use super::verify::check;
use super::write::{sha256, sha256_of_any, to_json};
use super::{Extension, beneath, names};

/// The files that end a look, and that each look writes again.
pub(super) const OF_LOOK: [&str; 4] = [names::AFTER, names::SUMMARY, names::VERDICTS, names::REPORT];
/// The most extensions that are read.
const EXTENSIONS_MAX: usize = 100;

/// The name that a file of a look, from 1, has after the campaign was extended.
fn name_of(look: usize, name: &str) -> String {
    format!("look-{look}-{name}")
}

/// The name that a file of an earlier look had before: `verdicts.json` for `look-1-verdicts.json`. `None` if
/// `files` has that name again, for a later look.
pub(super) fn name_before(path: &str, files: &BTreeMap<&str, &str>) -> Option<&'static str> {
    let (number, name) = path.strip_prefix("look-")?.split_once('-')?;
    number.parse::<usize>().ok()?;
    OF_LOOK.into_iter().find(|own| *own == name && !files.contains_key(own))
}

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
    let look = all(dir, chain::read(dir)?.as_ref())?.len() + 1;
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

/// The extensions of the campaign in the folder `dir` with this chain, in their order. The last one may not
/// have its name yet.
pub(super) fn all(dir: &Path, chain: Option<&Chain>) -> io::Result<Vec<Extension>> {
    let mut all = Vec::new();
    for look in 1..=EXTENSIONS_MAX {
        let path = name_of(look, names::EXTENSION);
        if beneath::exists(dir, Path::new(&path)) {
            all.push(json(dir, &path)?);
            continue;
        }
        let hash = chain.and_then(|chain| chain.files().get(path.as_str()).copied());
        let part = hash.and_then(|hash| complete_part(dir, Path::new(&path), hash));
        if let Some(part) = part {
            all.push(json(dir, &part.to_string_lossy())?);
        }
        break;
    }
    Ok(all)
}
