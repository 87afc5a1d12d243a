//! The looks of a campaign that was extended: the names of their files, and the extensions.
//!
//! Never here: extending a campaign.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::chain::Chain;
use super::json::json;
use super::staging::complete_part;
use super::{Extension, beneath, names};

/// The most extensions that are read.
pub(super) const EXTENSIONS_MAX: usize = 100;

/// The name that a file of a look, from 1, has after the campaign was extended.
pub(super) fn name_of(look: usize, name: &str) -> String {
    format!("look-{look}-{name}")
}

/// The name that a file of an earlier look had before: `verdicts.json` for `look-1-verdicts.json`. `None` if
/// `files` has that name again, for a later look.
pub(super) fn name_before(path: &str, files: &BTreeMap<&str, &str>) -> Option<&'static str> {
    let (number, name) = path.strip_prefix("look-")?.split_once('-')?;
    number.parse::<usize>().ok()?;
    names::OF_LOOK.into_iter().find(|own| *own == name && !files.contains_key(own))
}

/// The extensions of the campaign in the folder `dir` with this chain, in their order. The last one may not
/// have its name yet.
pub(super) fn extensions(dir: &Path, chain: Option<&Chain>) -> io::Result<Vec<Extension>> {
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
