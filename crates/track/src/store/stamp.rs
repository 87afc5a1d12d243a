//! A value that changes when a store does, for programs that keep what they made of it.
//!
//! Invariant: a store that was written has another value. It can also change without a write.
//! Never here: what a store contains.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::PATIENCE;
use super::database::StoreAccess;
use super::location::StoreLocation;
use super::postgres::PostgresDatabase;

impl StoreLocation {
    /// A value that changes when the store is written or replaced; `None` if it cannot be read.
    pub fn stamp(&self) -> Option<String> {
        match self {
            Self::File(path) => of_file(path),
            Self::Postgres(address) => {
                PostgresDatabase::open(address, StoreAccess::Read, PATIENCE).and_then(|one| one.stamp()).ok()
            }
        }
    }
}

/// The file is not opened: closing it would end the locks that another thread has.
fn of_file(path: &Path) -> Option<String> {
    let facts = fs::metadata(path).ok()?;
    let times = [facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec()];
    Some(format!("{} {} {} {times:?}", facts.dev(), facts.ino(), facts.size()))
}
