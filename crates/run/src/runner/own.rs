//! What is a campaign's own: its folder, held by a lock, and the directories that it makes for files under
//! test, each with a mark that says whose it is.
//!
//! Invariant: a directory with another mark is not touched, and what others put into one stays.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use results::folder::{self, CampaignInfo, names};
use units::Usage;

use super::{CampaignRequest, Trouble};
use crate::inherited_lock::InheritedLock;

/// The file in a directory for files that says which campaign made it.
pub(super) const MARK: &str = ".assay-campaign";

/// Takes away what is left of a campaign that was killed before it had begun in `folder`: its folder, and its
/// directories for files as far as it had noted them. Tells whether it did: a folder that holds anything else
/// stays.
pub fn discard(folder: &Path) -> io::Result<bool> {
    let info = folder::unbegun(folder);
    let gone = folder::discard(folder)?;
    if let Some(info) = info.filter(|_| gone) {
        remove_own_directories(&info, &mark(&info));
    }
    Ok(gone)
}

/// Takes hold of the campaign in `folder`, which has one worker: by a lock on its `campaign.json`, which its
/// jobs inherit, and nothing else does. A job that outlived its campaign would otherwise write into the files
/// of the next attempt.
pub(super) fn take_hold(folder: &Path) -> Result<InheritedLock, Trouble> {
    let file = File::open(folder.join(names::CAMPAIGN))?;
    let (at, name) = (folder.display(), names::CAMPAIGN);
    let held = || {
        Usage(format!(
            "{at}: another assay, or a job that outlived one, still works on this campaign; \
             `fuser {at}/{name}` names it"
        ))
    };
    Ok(InheritedLock::take(file)?.ok_or_else(held)?)
}

/// Makes the directories for files, each with the mark of its campaign and a name that nobody else has,
/// and notes them in `info`.
pub(super) fn make_data(
    asked: &CampaignRequest,
    dirs: &[(String, PathBuf)],
    info: &mut CampaignInfo,
    mark: &str,
) -> Result<(), Usage> {
    let name = asked.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (fs, dir) in dirs {
        let stem = if dirs.len() == 1 { name.clone() } else { format!("{name}.{fs}") };
        let mut number = 1;
        let data = loop {
            let data = match number {
                1 => dir.join(format!("{stem}.data")),
                _ => dir.join(format!("{stem}.{number}.data")),
            };
            match make_marked(&data, mark) {
                Ok(()) => break data,
                // That of another campaign of this name, whose evidence lies elsewhere.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(unmade(&data, &error)),
            }
        };
        info.data.insert(fs.clone(), data.to_string_lossy().into_owned());
    }
    Ok(())
}

pub(super) fn make_marked(data: &Path, mark: &str) -> io::Result<()> {
    fs::create_dir(data)?;
    fs::write(data.join(MARK), mark).inspect_err(|_| {
        let _ = fs::remove_file(data.join(MARK)).and_then(|()| fs::remove_dir(data));
    })
}

pub(super) fn unmade(path: &Path, error: &io::Error) -> Usage {
    Usage(format!("cannot make {}: {error}; choose a directory that you may write to", path.display()))
}

pub(super) fn remove_own_directories(info: &CampaignInfo, mark: &str) {
    for data in info.data.values().map(Path::new).filter(|data| is_own(data, mark)) {
        for part in ["tests", "datasets", "states"] {
            let _ = fs::remove_dir(data.join(part));
        }
        let left = fs::read_dir(data).map_or(0, Iterator::count);
        if left <= 1 {
            let _ = fs::remove_file(data.join(MARK));
            let _ = fs::remove_dir(data);
        }
    }
}

pub(super) fn is_own(data: &Path, mark: &str) -> bool {
    // A campaign that is killed at its end may have taken its mark away and not the directory.
    fs::read_to_string(data.join(MARK)).is_ok_and(|found| found == mark) || is_empty(data)
}

pub(super) fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none())
}

pub(super) fn mark(info: &CampaignInfo) -> String {
    format!("made by campaign {} of {}, {}\n", info.plan, info.started, info.plan_sha256)
}
