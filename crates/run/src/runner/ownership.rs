//! What belongs to a campaign: its folder, protected by a lock, and its directories for files under test.
//! Each directory has a mark that names the campaign.
//!
//! Invariant: a directory with another mark is not changed. Files that others put into a directory stay.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use results::folder::{self, CampaignInfo, names};
use units::Usage;

use super::{CampaignRequest, Trouble, takes_no_writes};
use crate::inherited_lock::InheritedLock;
use crate::path_error::named;

/// The file in a directory for files that names the campaign which created it.
pub(super) const MARK: &str = ".assay-campaign";

/// Digits of the SHA-256 of the nonce in the names of directories for files.
const NONCE_DIGITS: usize = 16;

/// Removes the rest of a campaign in `folder` that was killed before it had started. These are its folder and
/// the directories for files that it had noted. Returns whether it did. A folder that contains anything else
/// stays.
pub fn discard(folder: &Path) -> io::Result<bool> {
    let info = folder::unbegun(folder);
    let gone = folder::discard(folder)?;
    if let Some(info) = info.filter(|_| gone) {
        remove_own_directories(&info, &mark(&info));
    }
    Ok(gone)
}

/// Locks the campaign in `folder`, so that only one process works on it. The lock is on its `campaign.json`,
/// and only jobs inherit it. Otherwise a job that is alive after its campaign could write into the files of
/// the next attempt.
pub(super) fn lock(folder: &Path) -> Result<InheritedLock, Trouble> {
    let file = File::open(folder.join(names::CAMPAIGN))?;
    let (at, name) = (folder.display(), names::CAMPAIGN);
    let held = || {
        Usage(format!(
            "{at}: another assay process, or a job that it left behind, still works on this campaign. To \
             find the process, run `fuser {at}/{name}`."
        ))
    };
    Ok(InheritedLock::take(file)?.ok_or_else(held)?)
}

/// Creates the directories for files, each with the mark of its campaign and an unused name, and notes them
/// in `info`.
pub(super) fn make_data(
    asked: &CampaignRequest,
    dirs: &[(String, PathBuf)],
    info: &mut CampaignInfo,
    mark: &str,
) -> Result<(), Usage> {
    let mut name = asked.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !info.nonce().is_empty() {
        // Nothing could be prepared under this name before the nonce was known.
        name.push_str(&format!(".{}", &folder::sha256(info.nonce().as_bytes())[..NONCE_DIGITS]));
    }
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
                // A directory of another campaign of this name, whose evidence package is elsewhere.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(not_created(&data, &error)),
            }
        };
        info.data.insert(fs.clone(), data.to_string_lossy().into_owned());
    }
    Ok(())
}

pub(super) fn make_marked(data: &Path, mark: &str) -> io::Result<()> {
    fs::create_dir(data)?;
    write_mark(data, mark).inspect_err(|_| {
        let _ = fs::remove_file(data.join(MARK)).and_then(|()| fs::remove_dir(data));
    })
}

/// Writes the mark of `data` so that it survives a crash. Without it no job of a resumed campaign could
/// start.
pub(super) fn write_mark(data: &Path, mark: &str) -> io::Result<()> {
    let mut file = File::create(data.join(MARK))?;
    file.write_all(mark.as_bytes())?;
    file.sync_all()?;
    for dir in [Some(data), data.parent()].into_iter().flatten() {
        // Some file systems cannot sync a directory. They keep its entries in another way, or not at all.
        let _ = File::open(dir).and_then(|dir| dir.sync_all());
    }
    Ok(())
}

pub(super) fn not_created(path: &Path, error: &io::Error) -> Usage {
    Usage(format!("cannot create {}: {error}. Choose a directory that you may write to.", path.display()))
}

/// Why a directory for files, or its mark, could not be created again.
pub(super) fn not_created_again(path: &Path, error: &io::Error) -> Trouble {
    match takes_no_writes(error) {
        true => named(path, error).into(),
        false => not_created(path, error).into(),
    }
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
    // A campaign that was killed at its end may have removed its mark but not the directory.
    fs::read_to_string(data.join(MARK)).is_ok_and(|found| found == mark) || lost_mark(data)
}

/// Whether the mark of a directory of a campaign is lost. A crash may leave it without its bytes.
pub(super) fn lost_mark(data: &Path) -> bool {
    is_empty(data) || fs::read(data.join(MARK)).is_ok_and(|found| found.is_empty())
}

pub(super) fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none())
}

pub(super) fn mark(info: &CampaignInfo) -> String {
    format!("made by campaign {} of {}, {}\n", info.plan, info.started, info.plan_sha256)
}
