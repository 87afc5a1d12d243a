//! Other campaigns that work in the same directory under test at the same time.
//!
//! A campaign locks the marks of its directories for files while it measures a job. Another one finds a mark
//! that it cannot lock.
//!
//! Invariant: nothing of another campaign is changed. On a file system without locks none is found.
//! Never here: what it means for a measurement.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use results::folder::CampaignInfo;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::Event;
use super::ownership::MARK;

/// The most entries of a directory that are examined.
const ENTRIES_MAX: usize = 10_000;
/// How often a campaign tries to lock a mark, and the time between.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// What a campaign knows about others beside it.
#[derive(Debug, Default)]
pub(super) struct CampaignsBeside {
    /// Its own marks, locked while a job is measured.
    marks: RefCell<Vec<File>>,
    /// Those that were found and are not reported yet.
    new: RefCell<BTreeSet<String>>,
    reported: RefCell<BTreeSet<String>>,
}

impl CampaignsBeside {
    /// Locks the marks of its campaign, as far as its file systems have locks.
    pub(super) fn lock(&self, info: &CampaignInfo) {
        self.release();
        *self.marks.borrow_mut() = info.data.values().filter_map(|data| locked(Path::new(data))).collect();
    }

    /// The names of the directories for files of other campaigns that work in `dirs` now.
    pub(super) fn now(&self, dirs: &[(String, PathBuf)], info: &CampaignInfo) -> BTreeSet<String> {
        let found = others(dirs, info);
        self.new.borrow_mut().extend(found.difference(&self.reported.borrow()).cloned());
        found
    }

    /// Reports each of them once.
    pub(super) fn report(&self, observer: &mut dyn FnMut(&Event<'_>)) {
        let mut new = std::mem::take(&mut *self.new.borrow_mut());
        new.iter().for_each(|campaign| observer(&Event::Beside(campaign)));
        self.reported.borrow_mut().append(&mut new);
    }

    /// Closes the marks. A file system with an open file cannot be unmounted, which commands of a plan can
    /// do. On some, an open file cannot be removed completely.
    pub(super) fn release(&self) {
        self.marks.borrow_mut().clear();
    }
}

/// The locked mark in a directory for files. It is not open for writing, so that the file system can become
/// read-only. Only NFS requires that of a lock for one process.
fn locked(data: &Path) -> Option<File> {
    let mark = open(data, false)?;
    match lock(&mark) {
        Ok(()) => Some(mark),
        Err(Errno::BADF) => open(data, true).filter(|mark| lock(mark).is_ok()),
        Err(_) => None,
    }
}

/// Locks a mark. Another campaign has such a lock only for a moment, while it looks. Each user who may read
/// the mark can keep a lock, so this never waits longer.
fn lock(mark: &File) -> Result<(), Errno> {
    let mut tries = 1;
    loop {
        match flock(mark, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if tries < TRIES => {
                tries += 1;
                std::thread::sleep(BETWEEN_TRIES);
            }
            tried => return tried,
        }
    }
}

/// The mark in a directory for files.
fn open(data: &Path, for_writing: bool) -> Option<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    OpenOptions::new().read(true).write(for_writing).custom_flags(flags).open(data.join(MARK)).ok()
}

fn others(dirs: &[(String, PathBuf)], info: &CampaignInfo) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for dir in dirs.iter().map(|(_, dir)| dir) {
        let entries = fs::read_dir(dir).into_iter().flatten().take(ENTRIES_MAX).flatten();
        for data in entries.map(|entry| entry.path()) {
            let is_data = data.extension().is_some_and(|end| end == "data");
            let is_own = || info.data.values().any(|own| Path::new(own) == data);
            if is_data && !is_own() && is_locked(&data) {
                found.extend(data.file_name().map(|name| name.to_string_lossy().into_owned()));
            }
        }
    }
    found
}

/// Whether the campaign with this directory for files works.
fn is_locked(data: &Path) -> bool {
    let Some(mark) = open(data, false) else { return false };
    flock(&mark, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign(place: &Path, name: &str) -> CampaignInfo {
        let data = place.join(format!("{name}.data"));
        fs::create_dir(&data).unwrap();
        fs::write(data.join(MARK), name).unwrap();
        let data = [("s".to_owned(), data.to_string_lossy().into_owned())].into();
        CampaignInfo { data, ..CampaignInfo::default() }
    }

    fn locks(info: &CampaignInfo) -> CampaignsBeside {
        let beside = CampaignsBeside::default();
        beside.lock(info);
        beside
    }

    #[test]
    fn a_lock_that_another_process_keeps_does_not_stop_a_campaign() {
        let place = tempfile::tempdir().unwrap();
        let info = campaign(place.path(), "one");
        let other = open(Path::new(&info.data["s"]), false).unwrap();
        flock(&other, FlockOperation::LockShared).unwrap();
        assert_eq!(locks(&info).marks.take().len(), 0);
        drop(other);
        assert_eq!(locks(&info).marks.take().len(), 1);
    }

    #[test]
    fn a_campaign_is_found_beside_another_while_it_works() {
        let place = tempfile::tempdir().unwrap();
        let dirs = [("s".to_owned(), place.path().to_owned())];
        let campaign = |name: &str| campaign(place.path(), name);
        let (one, other, ended) = (campaign("one"), campaign("other"), campaign("ended"));
        let locks = [&one, &other, &ended].map(locks);
        locks[2].release();
        fs::create_dir(place.path().join("empty.data")).unwrap();
        assert_eq!(others(&dirs, &one), ["other.data".to_owned()].into());
        assert_eq!(others(&dirs, &other), ["one.data".to_owned()].into());
        assert_eq!(others(&dirs, &ended).len(), 2);
        drop(locks);
        assert!(others(&dirs, &one).is_empty());
    }
}
