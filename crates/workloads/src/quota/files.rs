//! The files of a run: they are made in a new directory, and removed with it.
//!
//! Invariant: nothing else is removed.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use ranks::{FailureCause, Halt};
use rustix::fs::OFlags;
use rustix::process::{Gid, Uid};
use storage::{File, Mode};

use super::acting::Acting;
use super::work::{RankFile, empty_file};
use super::{QuotaRun, REJECTED};
use crate::kit::beneath::alone;
use crate::kit::failed_call::{call_failed, named, words};
use crate::kit::path::{PathBuffer, c_path};

/// The directory that a run makes in `dir`.
pub fn home(dir: &Path) -> PathBuf {
    dir.join("assay-quota")
}

/// The directory of a rank, and what is in it.
pub(super) struct RankPlace {
    dir: PathBuffer,
    pub(super) data: PathBuffer,
    /// Whether the directory and the file of the data exist.
    has_dir: bool,
    has_data: bool,
    /// Empty files.
    pub(super) created: u64,
}

impl RankPlace {
    pub(super) fn new(home: &Path, rank: u32) -> Self {
        let dir = PathBuffer::new(&home.join(rank.to_string()));
        let mut data = dir.clone();
        data.push("/data");
        Self { dir, data, has_dir: false, has_data: false, created: 0 }
    }

    /// The path for empty files, and the length of that of their directory.
    pub(super) fn empty_files(&self) -> (PathBuffer, usize) {
        (self.dir.clone(), self.dir.len())
    }
}

impl QuotaRun<'_, '_> {
    /// Makes the directory of the run. An existing one is rejected.
    pub(super) fn make_home(&mut self) -> Result<(), Halt> {
        let made = if self.rank.comm.rank() == 0 { self.make_own_dir() } else { Ok(()) };
        let made = made.map_err(|error| {
            let path = self.home.display();
            match error.kind() {
                ErrorKind::AlreadyExists => {
                    FailureCause::from(format!("{path}: exists. Remove what an earlier run left there"))
                }
                ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::NotADirectory => {
                    FailureCause::from(format!("{path}: {}. Choose another directory", words(&error)))
                }
                _ => call_failed("mkdir", &self.home, &error),
            }
        });
        self.rank.comm.agree(REJECTED, made)
    }

    /// Makes the directory as the user who works, or as root for this user. A campaign makes directories that
    /// only root may write to.
    fn make_own_dir(&self) -> io::Result<()> {
        let path = c_path(&self.home);
        let by_root = self.as_user_or_root(&|| self.names.make_dir(&path, 0o755))?;
        let Some(ids) = self.request.acting.filter(|_| by_root) else { return Ok(()) };
        // By the descriptor, because a name may be replaced.
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let given = rustix::fs::open(&path, flags, rustix::fs::Mode::empty()).and_then(|dir| {
            rustix::fs::fchown(dir, Some(Uid::from_raw(ids.uid)), Some(Gid::from_raw(ids.gid)))
        });
        given.map_err(|error| {
            let _ = self.names.remove_dir(&path);
            error.into()
        })
    }

    /// Does a call as the user who works, or as root if this user may not. Whether root did it.
    fn as_user_or_root(&self, call: &dyn Fn() -> io::Result<()>) -> io::Result<bool> {
        match Acting::begin(self.request.acting).and_then(|_acting| call()) {
            Err(error) if self.request.acting.is_some() && error.kind() == ErrorKind::PermissionDenied => {
                call().map(|()| true)
            }
            done => done.map(|()| false),
        }
    }

    /// Makes the directory of this rank, and the file of its data.
    pub(super) fn make_files(&mut self, place: &mut RankPlace) -> Result<RankFile, Halt> {
        let file = self.make(place);
        let file = self.rank.comm.agree("create", file)?;
        let QuotaRun { request, rank, .. } = self;
        Ok(RankFile::new(file, place.data.clone(), request.transfer, rank.comm.rank(), request.sync_each))
    }

    fn make(&self, place: &mut RankPlace) -> Result<Box<dyn File>, FailureCause> {
        let failed = |call, path: &PathBuffer, error: &io::Error| call_failed(call, path.as_path(), error);
        let _acting = self.acting(&place.dir)?;
        self.names
            .make_dir(place.dir.as_c_str(), 0o755)
            .map_err(|error| failed("mkdir", &place.dir, &error))?;
        place.has_dir = true;
        let file = self.storage.open(self.rank.comm, place.data.as_path(), alone(Mode::Write, 0));
        let file = file.map_err(|error| failed("open", &place.data, &error))?;
        place.has_data = true;
        Ok(file)
    }

    /// Works as the requested user. A failure is reported with this path.
    fn acting(&self, path: &PathBuffer) -> Result<Acting, FailureCause> {
        Acting::begin(self.request.acting).map_err(|error| call_failed("setresuid", path.as_path(), &error))
    }

    /// Removes the data of all ranks.
    pub(super) fn remove_data(&mut self, place: &mut RankPlace) -> Result<(), Halt> {
        let removed = self.unlink_data(place);
        self.rank.comm.agree("remove", removed)
    }

    fn unlink_data(&self, place: &mut RankPlace) -> Result<(), FailureCause> {
        if std::mem::take(&mut place.has_data) {
            let _acting = self.acting(&place.data)?;
            self.names
                .unlink(place.data.as_c_str())
                .map_err(|error| named("unlink", place.data.as_path(), &error))?;
        }
        Ok(())
    }

    /// Removes everything that this run made.
    pub(super) fn remove(&mut self, place: &mut RankPlace) -> Result<(), Halt> {
        let removed = self.remove_own(place);
        let all = self.rank.comm.agree("remove", removed);
        let home = if self.rank.comm.rank() == 0 && all.is_ok() {
            let removed = self.as_user_or_root(&|| self.names.remove_dir(&c_path(&self.home)));
            removed.map(drop).map_err(|error| named("rmdir", &self.home, &error))
        } else {
            Ok(())
        };
        all.and(self.rank.comm.agree("remove", home))
    }

    fn remove_own(&self, place: &mut RankPlace) -> Result<(), FailureCause> {
        self.unlink_data(place)?;
        let _acting = self.acting(&place.dir)?;
        let (mut path, dir) = place.empty_files();
        while let Some(number) = place.created.checked_sub(1) {
            empty_file(&mut path, dir, number);
            self.names.unlink(path.as_c_str()).map_err(|error| named("unlink", path.as_path(), &error))?;
            place.created = number;
        }
        if std::mem::take(&mut place.has_dir) {
            self.names
                .remove_dir(place.dir.as_c_str())
                .map_err(|error| named("rmdir", place.dir.as_path(), &error))?;
        }
        Ok(())
    }
}
