//! Files with holes, up to 10 TB.

use std::fs::File;

use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseResult, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

pub(super) fn cases() -> Vec<ConformanceCase> {
    vec![
        ConformanceCase::new(
            "posix.sparse.holes",
            "POSIX.1-2017 lseek, write",
            "what no rank has written, before what others wrote, reads as zeros",
            |cx| far_apart(cx, length_with_holes(cx.size())),
        ),
        ConformanceCase::new(
            "posix.sparse.beyond_4gib",
            "POSIX.1-2017 write, off_t",
            "offsets beyond 2^32 lead where they say: a sparse file of 40 GiB is written and found",
            |cx| far_apart(cx, 40 << 30),
        ),
        ConformanceCase::new(
            "posix.sparse.10tb",
            "POSIX.1-2017 write, off_t",
            "a sparse file of 10 TB is written at both ends and in the middle from all ranks, and found",
            |cx| far_apart(cx, 10_000_000_000_000),
        )
        .large(4),
    ]
}

/// Bytes of one write.
const LENGTH: usize = 48 << 10;

/// The length of a file in which this number of ranks write three times and leave holes.
fn length_with_holes(ranks: u32) -> u64 {
    (3 << 20).max(16 * LENGTH as u64 * u64::from(ranks))
}

/// Where a rank writes: at the beginning, after the middle, and at the end.
fn write_offsets(length: u64, rank: u32, size: u32) -> [u64; 3] {
    let piece = LENGTH as u64;
    let rank = u64::from(rank);
    let group = piece * u64::from(size);
    [rank * piece, length / 2 + rank * piece, length - group + rank * piece]
}

fn far_apart(cx: &CaseContext<'_>, length: u64) -> CaseResult {
    let path = cx.path("sparse");
    let (rank, size) = (cx.rank(), cx.size());
    cx.on_rank_0("make", || system_file::open(&path).map(drop))?;
    let file = cx.agree("open", system_file::open(&path))?;
    let written = write_offsets(length, rank, size).into_iter().enumerate().try_for_each(|(call, place)| {
        system_file::write_at(&file, &test_data::bytes(rank, call as u32, LENGTH), place)
    });
    cx.agree("write", written.map_err(|problem| system_file::skipped_if_too_long(&path, length, problem)))?;
    cx.all("sync", || file.sync_all().context("fsync"))?;
    drop(file);
    let file = cx.agree("open again", File::open(&path).context("open"))?;
    cx.all("read", || {
        check_equal("length of the file", &length, &file.metadata().context("fstat")?.len())?;
        let other = (rank + 1) % size;
        for (call, place) in write_offsets(length, other, size).into_iter().enumerate() {
            let wanted = test_data::bytes(other, call as u32, LENGTH);
            system_file::check_at(&format!("written by rank {other}"), &path, &file, place, &wanted)?;
        }
        let zeros = vec![0; LENGTH];
        let end = write_offsets(length, size - 1, size).map(|place| place + LENGTH as u64);
        let quarter = length / 4 / 4096 * 4096;
        let holes = [end[0], quarter, length / 2 - LENGTH as u64, end[1]];
        holes
            .iter()
            .try_for_each(|place| system_file::check_at("never written", &path, &file, *place, &zeros))
    })
}
