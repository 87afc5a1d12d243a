//! `O_APPEND` from all ranks.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use results::record::Evidence;

use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same};

pub(super) fn cases() -> Vec<Case> {
    vec![Case::new(
        "posix.append.records",
        "POSIX.1-2017 write, O_APPEND",
        "records appended by all ranks at once, a write each, are all there, each whole",
        records,
    )]
}

/// Bytes of a record; no power of two, so that records cross pages.
const RECORD: usize = 600;

/// Records of each rank.
const RECORDS: u32 = 64;

fn record(rank: u32, number: u32) -> Vec<u8> {
    let mut bytes = look::data(rank, number, RECORD);
    bytes[..4].copy_from_slice(&rank.to_le_bytes());
    bytes[4..8].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn records(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("log");
    let rank = scene.rank();
    let opened = OpenOptions::new().append(true).create(true).open(&path).told("open with O_APPEND");
    let mut file = scene.agree("open", opened)?;
    scene.all("append", || {
        (0..RECORDS).try_for_each(|number| {
            let taken = file.write(&record(rank, number)).told("append")?;
            same("bytes taken by one write", &RECORD, &taken)
        })
    })?;
    drop(file);
    scene.comm.barrier()?;
    let size = scene.size();
    scene.on_rank_0("read back", || all_there(&path, size)).map(drop)
}

fn all_there(path: &Path, ranks: u32) -> Result<(), Trouble> {
    let bytes = look::whole(path)?;
    let mut next = vec![0_u32; ranks as usize];
    for (at, found) in bytes.chunks(RECORD).enumerate() {
        let word = |from: usize| found.get(from..from + 4).and_then(|word| word.try_into().ok());
        let [rank, number] = [word(0), word(4)].map(|word| word.map_or(u32::MAX, u32::from_le_bytes));
        let offset = (at * RECORD) as u64;
        let torn = |expected: String, what: &str| {
            let found = format!("record {number} of rank {rank}");
            let (path, offset, what) = (path.display().to_string(), Some(offset), what.to_owned());
            Err(Trouble::seen(Evidence { path, offset, expected, found, what, ..Evidence::default() }))
        };
        let Some(wanted) = next.get_mut(rank as usize) else {
            return torn(format!("a record of a rank below {ranks}"), "a record is torn");
        };
        if *wanted != number {
            return torn(format!("record {wanted} of that rank"), "a record is lost or out of order");
        }
        *wanted += 1;
        let whole = record(rank, number);
        crate::mpi_io::stop::same_bytes("a record is torn", path, offset, &whole, found)?;
    }
    for (rank, count) in next.iter().enumerate() {
        same(&format!("records of rank {rank}"), &RECORDS, count)?;
    }
    same("length of the file", &(ranks as usize * RECORDS as usize * RECORD), &bytes.len())
}
