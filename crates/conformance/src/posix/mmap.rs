//! Shared mappings: stores are visible to the mappings and reads of other ranks.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use storage::Mapped;

use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, EarlyEnd, ProblemContext, check_bytes};
use crate::system_file;
use crate::test_data;

pub(super) fn cases() -> Vec<ConformanceCase> {
    let case = |name, promise, body: fn(&mut CaseContext<'_>) -> CaseResult| {
        ConformanceCase::new(name, "POSIX.1-2017 mmap, MAP_SHARED", promise, body)
    };
    vec![
        case(
            "posix.mmap.msync",
            "what ranks store into mappings and sync by msync is found by the reads of others",
            |cx| store_and_read(cx, ReadBack::Read),
        ),
        case(
            "posix.mmap.shared",
            "what ranks store into shared mappings is found in those of others",
            |cx| store_and_read(cx, ReadBack::Mapping),
        ),
        ConformanceCase::new(
            "posix.mmap.write",
            "POSIX.1-2017 msync, MS_INVALIDATE",
            "what ranks write and sync is found in the mappings of others, once these are invalidated",
            write_and_load,
        ),
    ]
}

#[derive(Clone, Copy)]
enum ReadBack {
    Read,
    Mapping,
}

/// Bytes of a rank. It is not a multiple of the page size, so that ranks share pages.
const LENGTH: usize = 6000;

/// A file of untouched bytes with a part for each rank, which this rank has open and mapped.
struct SharedMapping {
    path: PathBuf,
    file: File,
    map: Mapped,
    ranks: u32,
}

impl SharedMapping {
    /// Opens and maps the file, and loads every page of the mapping before any rank stores or writes.
    fn open(cx: &CaseContext<'_>) -> Result<Self, EarlyEnd> {
        let (path, ranks) = (cx.path("file"), cx.size());
        let length = LENGTH * ranks as usize;
        cx.on_rank_0("make", || system_file::prefill(&path, length))?;
        let file = cx.agree("open", system_file::open(&path))?;
        let map = cx.agree("map", Mapped::open(&path, length as u64).map_err(mapping_problem))?;
        let mapped = Self { path, file, map, ranks };
        cx.all("load before", || mapped.check_mapping("before", 0, &vec![test_data::UNTOUCHED; length]))?;
        Ok(mapped)
    }

    fn check_mapping(&self, what: &str, place: u64, wanted: &[u8]) -> Result<(), CaseProblem> {
        let mut found = vec![0; wanted.len()];
        self.map.read(&mut found, place).context("load")?;
        check_bytes(what, &self.path, place, wanted, &found)
    }

    /// Offset and data of each rank.
    fn parts(&self) -> impl Iterator<Item = (u64, Vec<u8>)> {
        (0..self.ranks).map(|rank| (place(rank), test_data::bytes(rank, 1, LENGTH)))
    }
}

/// The problem of a file that cannot be mapped. With `ENODEV` a file system reports that it supports no
/// mappings.
fn mapping_problem(error: io::Error) -> CaseProblem {
    const ENODEV: i32 = 19;
    match error.raw_os_error() {
        Some(ENODEV) => CaseProblem::Unsupported(format!("mmap: {error}")),
        _ => CaseProblem::from(error).context("mmap"),
    }
}

fn place(rank: u32) -> u64 {
    u64::from(rank) * LENGTH as u64
}

fn store_and_read(cx: &CaseContext<'_>, read_back: ReadBack) -> CaseResult {
    let mapped = SharedMapping::open(cx)?;
    cx.all("store", || {
        mapped.map.write(&test_data::bytes(cx.rank(), 1, LENGTH), place(cx.rank())).context("store")?;
        mapped.map.sync().context("msync")
    })?;
    cx.all("look", || {
        mapped.parts().try_for_each(|(place, wanted)| match read_back {
            ReadBack::Read => {
                system_file::check_at("stored by a mapping", &mapped.path, &mapped.file, place, &wanted)
            }
            ReadBack::Mapping => mapped.check_mapping("stored by another mapping", place, &wanted),
        })
    })
}

fn write_and_load(cx: &mut CaseContext<'_>) -> CaseResult {
    let mapped = SharedMapping::open(cx)?;
    cx.all("write", || {
        system_file::write_at(&mapped.file, &test_data::bytes(cx.rank(), 1, LENGTH), place(cx.rank()))?;
        mapped.file.sync_all().context("fsync")
    })?;
    cx.all("load", || {
        // Without this POSIX does not define whether a mapping shows a write.
        mapped.map.invalidate().context("msync with MS_INVALIDATE")?;
        mapped
            .parts()
            .try_for_each(|(place, wanted)| mapped.check_mapping("written by other ranks", place, &wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enodev_of_a_mapping_is_unsupported_and_other_errors_are_failures() {
        assert!(
            matches!(mapping_problem(io::Error::from_raw_os_error(19)), CaseProblem::Unsupported(_)),
            "ENODEV"
        );
        assert!(matches!(mapping_problem(io::Error::from_raw_os_error(12)), CaseProblem::Fail(_)), "ENOMEM");
    }
}
