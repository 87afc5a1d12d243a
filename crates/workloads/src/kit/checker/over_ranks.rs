//! Collects what the checkers of all ranks found on rank 0.

use ranks::{Comm, Halt, Reduce};
use results::reason::{Reason, reason};
use results::record::{BadRange, BadRank, Check};

use super::{Checker, DamageKind};
use crate::kit::few;

/// The number of transfers in which each kind was found, in the order of [`DamageKind::ALL`].
pub type Kinds = [u64; DamageKind::ALL.len()];

/// A rank sends this many times its share of the list. The excess fills unused shares of other ranks.
const EXCESS: usize = 8;
/// Most bytes of a rank's ranges that arrive.
const BYTES: usize = 20_000;
/// Number of bits of a count that are compared to find the worst ranks.
const COUNT_BITS: u32 = 40;

/// What all ranks found, and in how many transfers each kind was found. `bad` is the number of bad transfers
/// (or items) of this rank. `first` returns up to the given number of this rank's ranges. Only rank 0 has the
/// list. Collective.
pub fn over_ranks(
    comm: &dyn Comm,
    checker: &Checker,
    bad: u64,
    first: impl FnOnce(usize) -> Vec<BadRange>,
) -> Result<(Check, Kinds), Halt> {
    let mut sums = [0; 4 + DamageKind::ALL.len()];
    let is_bad = bad > 0;
    sums[..4].copy_from_slice(&[checker.bytes, bad, checker.ranges, is_bad.into()]);
    sums[4..].copy_from_slice(&checker.kinds);
    comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [bytes, bad_transfers, ranges, bad_ranks, kinds @ ..] = sums;
    let mut check = Check { bytes, bad_transfers, ranges, bad_ranks, ..Check::default() };
    if bad_transfers == 0 {
        return Ok((check, kinds));
    }
    let share = Check::CAP.div_ceil((bad_ranks as usize).min(few::SLOTS));
    check.bad = listed(comm, is_bad.then(|| first(share * EXCESS)).as_deref())?;
    check.worst = worst(comm, bad, bad_ranks)?;
    Ok((check, kinds))
}

/// The first ranges of all ranks in turn, on rank 0. Collective.
pub fn listed(comm: &dyn Comm, mine: Option<&[BadRange]>) -> Result<Vec<BadRange>, Halt> {
    let collected = few::collect_within(comm, mine.map(pack).as_deref(), BYTES)?;
    let ranks = collected.parcels.iter().map(|(rank, parcel)| unpack(*rank, parcel));
    Ok(few::in_turn(ranks.collect(), Check::CAP))
}

/// The ranks with most bad transfers. One reduction finds each, so no rank needs the counts of all. Of ranks
/// with equal counts the lowest comes first.
fn worst(comm: &dyn Comm, mine: u64, bad_ranks: u64) -> Result<Vec<BadRank>, Halt> {
    let rank_bits = 62 - COUNT_BITS;
    let reversed = (1 << rank_bits) - 1 - u64::from(comm.rank());
    let mut key = mine.min((1 << COUNT_BITS) - 1) << rank_bits | reversed;
    let mut worst = Vec::new();
    for _ in 0..bad_ranks.min(Check::WORST as u64) {
        let most = comm.reduce_one(key, Reduce::Max)?;
        if most == key {
            key = 0;
        }
        let rank = (1 << rank_bits) - 1 - most % (1 << rank_bits);
        worst.push(BadRank { rank: rank as u32, bad_transfers: most >> rank_bits });
    }
    Ok(worst)
}

/// Ranges as lines of fields. The path comes last, and only if it differs from the path of the line before. A
/// path never holds a NUL, so a NUL replaces each line break in it.
fn pack(ranges: &[BadRange]) -> String {
    let before = [""].into_iter().chain(ranges.iter().map(|bad| bad.path.as_str()));
    let lines = ranges.iter().zip(before).map(|(bad, before)| {
        let BadRange { offset, length, expected, found, kind, detail, path, .. } = bad;
        let path = if path == before { String::new() } else { path.replace('\n', "\0") };
        format!("{offset}\t{length}\t{expected}\t{found}\t{kind}\t{detail}\t{path}")
    });
    few::whole_lines(lines, BYTES)
}

/// What [`pack`] made on `rank`.
fn unpack(rank: u32, parcel: &str) -> Vec<BadRange> {
    let mut path = String::new();
    let range = |line: &str| {
        let mut fields = line.splitn(7, '\t');
        let mut next = || fields.next().unwrap_or_default().to_owned();
        let (offset, length) = (next().parse().unwrap_or(0), next().parse().unwrap_or(0));
        let (expected, found, kind, detail, own) = (next(), next(), next(), next(), next());
        if !own.is_empty() {
            path = own.replace('\0', "\n");
        }
        BadRange { rank, path: path.clone(), offset, length, expected, found, kind, detail }
    };
    parcel.split_terminator('\n').map(range).collect()
}

/// The notices about bad ranges in files, or else in transfers. The first gives the number of each kind. The
/// second gives the worst ranks, and is there only if the list may not show them.
pub fn notices(label: &str, files: bool, check: &Check, kinds: Kinds) -> (Reason, Option<Reason>) {
    let named = DamageKind::ALL.into_iter().zip(kinds).filter(|(_, count)| *count > 0);
    let named: Vec<String> = named.map(|((_, kind), count)| format!("{count} {kind}")).collect();
    let several = (kinds.iter().sum::<u64>() > check.bad_transfers).then_some(true);
    let (bad, files) = (check.bad_transfers, files.then_some(true));
    let by_kind = reason!(WrongKinds { label, bad, files, several, kinds: named });
    let (listed, ranges, ranks) = (check.bad.len(), check.ranges, check.bad_ranks);
    // Only rank 0 has the list. The condition must be the same on all ranks.
    if ranges <= Check::CAP as u64 && ranks == 1 {
        return (by_kind, None);
    }
    let each = |worst: &BadRank| format!("{} of rank {}", worst.bad_transfers, worst.rank);
    let worst: Vec<String> = check.worst.iter().map(each).collect();
    let cut = (ranks > worst.len() as u64).then_some(true);
    (by_kind, Some(reason!(WrongRanks { label, listed, ranges, files, ranks, cut, worst })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_with_any_path_arrive_intact_on_rank_0() {
        let bad = |offset, path: &str| BadRange {
            rank: 5,
            path: path.to_owned(),
            offset,
            length: 8,
            expected: "0x0000000000000012".to_owned(),
            found: "nothing".to_owned(),
            kind: "torn".to_owned(),
            detail: "generation 3 of this place".to_owned(),
        };
        let ranges = [bad(4096, "/a\tb\nc"), bad(u64::MAX, "/a\tb\nc"), bad(0, "/d"), bad(1, "/a\tb\nc")];
        assert_eq!(unpack(5, &pack(&ranges)), ranges);
        assert!(unpack(0, &pack(&[])).is_empty());
    }
}
