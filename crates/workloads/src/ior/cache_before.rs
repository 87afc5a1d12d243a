//! How much of the data that a rank is about to read its client has in memory.
//!
//! A part of the transfers is queried. Each of these is queried completely. They are selected by random
//! numbers of the kernel, so that a program that runs before cannot leave just them out of the memory.
//!
//! Never here: what follows from a cached read.

use results::reason;
use std::path::Path;

use ranks::{Halt, Reduce};
use storage::PageCache;

use super::test::RunningTest;
use crate::kit::order::TransferOrder;
use crate::kit::permutation::seed_of;
use crate::kit::reduce;

/// A rank queries at least the first number of its transfers, and at most the second.
const SAMPLES: (u64, u64) = (16, 256);
/// Between these numbers, a rank queries no more than this many bytes.
const BYTES: u64 = 4 << 30;

/// Page-cache residency of the data that this rank is about to read, on its client. The result is the worst
/// share of all ranks. With `--drop-caches` it first drops the files from the cache. It uses a separate file
/// handle, before any clock starts.
pub(super) fn share(
    test: &mut RunningTest<'_>,
    path: &Path,
    order: &mut TransferOrder,
    transfers: u64,
) -> Result<Option<f64>, Halt> {
    // If a file cannot be queried here, the phase reports the error when it opens the file.
    let storage = test.storage;
    let cache = || storage.page_cache(path).unwrap_or(None);
    if test.parameters.drop_caches {
        drop_caches(test, &cache)?;
    }
    let transfer = test.parameters.transfer;
    // For a call that moves all segments, one segment is queried, each in turn.
    let (segments, stride) = (test.call_bytes() / transfer, test.layout().segment_stride());
    let mut ranges = Vec::new();
    for number in sample(transfers, transfer, storage::unforeseen()) {
        let mut offset = [0];
        order.fill(number, &mut offset);
        ranges.push((offset[0] + number % segments * stride, transfer));
    }
    let resident = || cache().and_then(|mut cache| cache.resident(&ranges).ok());
    let share = if test.storage.direct() || ranges.is_empty() { None } else { resident() };
    reduce::worst_share(test.rank.comm, share)
}

/// The numbers of the transfers to query, in ascending order: one in each of several parts of equal length.
fn sample(transfers: u64, bytes: u64, seed: u64) -> impl Iterator<Item = u64> {
    let (least, most) = SAMPLES;
    let samples = (BYTES / bytes.max(1)).clamp(least, most).min(transfers);
    let start = move |part: u64| (u128::from(part) * u128::from(transfers) / u128::from(samples)) as u64;
    (0..samples).map(move |part| {
        let (from, to) = (start(part), start(part + 1));
        from + seed_of(&[seed, part]) % (to - from)
    })
}

/// Drops the file from every rank's page cache, and reports if that failed.
fn drop_caches(
    test: &mut RunningTest<'_>,
    cache: &dyn Fn() -> Option<Box<dyn PageCache>>,
) -> Result<(), Halt> {
    let mut dropped = false;
    // Twice, because a page that another rank is writing back or dropping stays the first time.
    for _ in 0..2 {
        dropped = cache().is_some_and(|mut cache| cache.evict().is_ok());
        test.rank.comm.barrier()?;
    }
    let failed = test.rank.comm.reduce_one((!dropped).into(), Reduce::Sum)?;
    if failed > 0 {
        test.notice(&reason!(DropCachesFailed { ranks: failed, of: test.rank.comm.size() }))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_transfers_are_sampled_if_they_are_few() {
        assert_eq!(sample(5, 1 << 20, 9).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_eq!(sample(0, 1 << 20, 9).count(), 0);
    }

    #[test]
    fn one_transfer_is_sampled_in_each_part_and_the_seed_decides_which() {
        let of = |bytes: u64, seed: u64| sample(1 << 20, bytes, seed).collect::<Vec<_>>();
        for (bytes, samples) in [(1 << 20, 256), (64 << 20, 64), (16 << 30, 16)] {
            let found = of(bytes, 1);
            assert_eq!(found.len(), samples);
            let part = (1 << 20) / samples as u64;
            assert!(found.iter().enumerate().all(|(at, number)| number / part == at as u64), "{found:?}");
        }
        let (one, other) = (of(1 << 20, 1), of(1 << 20, 2));
        let same = one.iter().zip(&other).filter(|(one, other)| one == other).count();
        assert!(same < 8, "{same} of 256 are the same");
    }
}
