//! `O_APPEND` by all ranks at once.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

pub(super) fn cases() -> Vec<ConformanceCase> {
    vec![ConformanceCase::new(
        "posix.append.records",
        "POSIX.1-2017 write, O_APPEND",
        "records appended by all ranks at once, a write each, are all there, each whole",
        records,
    )]
}

/// Bytes of a record. It is not a power of two, so that records cross page boundaries.
const RECORD: usize = 600;

/// Records of each rank.
const RECORDS: u32 = 64;

fn record(rank: u32, number: u32) -> Vec<u8> {
    let mut bytes = test_data::bytes(rank, number, RECORD);
    bytes[..4].copy_from_slice(&rank.to_le_bytes());
    bytes[4..8].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn records(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("log");
    let rank = cx.rank();
    let opened = OpenOptions::new().append(true).create(true).open(&path).context("open with O_APPEND");
    let mut file = cx.agree("open", opened)?;
    cx.all("append", || {
        (0..RECORDS).try_for_each(|number| {
            let taken = file.write(&record(rank, number)).context("append")?;
            check_equal("bytes taken by one write", &RECORD, &taken)
        })
    })?;
    drop(file);
    cx.comm.barrier()?;
    let size = cx.size();
    cx.on_rank_0("read back", || check_records(&path, size))
}

fn check_records(path: &Path, ranks: u32) -> Result<(), CaseProblem> {
    let bytes = system_file::read_all(path)?;
    let mut next = vec![0_u32; ranks as usize];
    for (at, found) in bytes.chunks(RECORD).enumerate() {
        let word = |from: usize| found.get(from..from + 4).and_then(|word| word.try_into().ok());
        let [rank, number] = [word(0), word(4)].map(|word| word.map_or(u32::MAX, u32::from_le_bytes));
        let offset = (at * RECORD) as u64;
        let failure = |expected: String, what: &str| {
            let found = format!("record {number} of rank {rank}");
            Err(CaseProblem::at(path, offset, expected, found, what.to_owned()))
        };
        let Some(wanted) = next.get_mut(rank as usize) else {
            return failure(format!("a record of a rank below {ranks}"), "a record is torn");
        };
        if *wanted != number {
            return failure(format!("record {wanted} of that rank"), "a record is lost or out of order");
        }
        *wanted += 1;
        let whole = record(rank, number);
        crate::problem::check_bytes("a record is torn", path, offset, &whole, found)?;
    }
    for (rank, count) in next.iter().enumerate() {
        check_equal(&format!("records of rank {rank}"), &RECORDS, count)?;
    }
    check_equal("length of the file", &(ranks as usize * RECORDS as usize * RECORD), &bytes.len())
}
