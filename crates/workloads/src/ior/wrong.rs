//! What verification found on all ranks, brought together on rank 0.

use ranks::{Comm, Halt, Reduce};
use results::record::{BadRange, BadRank, Check};

use super::observer::Event;
use super::phase::{Kind as PhaseKind, Setting};
use super::test::Test;
use super::transfer::Done;
use crate::kit::checker::{Bad, Checker, Kind};
use crate::kit::few;

/// How many times its share of the list a rank sends, so that others' shares that are not used up are filled.
const ROOM: usize = 8;
/// Bytes of a rank's ranges that arrive at most.
const BYTES: usize = 20_000;
/// Bits of a count that are compared to find the worst ranks.
const COUNT_BITS: u32 = 40;

/// Reduces the bytes compared and the bad transfers, and collects the first bad ranges of each rank; how many
/// transfers are bad in which way, and whose, is a notice.
pub(super) fn check(test: &mut Test<'_>, setting: &Setting, done: &Done) -> Result<Option<Check>, Halt> {
    let Some(checker) = &done.checker else { return Ok(None) };
    assert!(matches!(setting.kind, PhaseKind::WriteCheck | PhaseKind::ReadCheck), "only these compare");
    let mut sums = [0; 4 + Kind::ALL.len()];
    let is_bad = checker.bad_transfers > 0;
    sums[..4].copy_from_slice(&[checker.bytes, checker.bad_transfers, checker.ranges, is_bad.into()]);
    sums[4..].copy_from_slice(&checker.kinds);
    test.rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [bytes, bad_transfers, ranges, bad_ranks, kinds @ ..] = sums;
    let mut check = Check { bytes, bad_transfers, ranges, bad_ranks, ..Check::default() };
    if bad_transfers == 0 {
        return Ok(Some(check));
    }
    let share = Check::CAP.div_ceil((bad_ranks as usize).min(few::SLOTS));
    let parcel = is_bad.then(|| pack(checker, share * ROOM, &setting.path.display().to_string()));
    let few = few::collect_within(test.rank.comm, parcel.as_deref(), BYTES)?;
    let heard = few.parcels.iter().map(|(rank, parcel)| unpack(*rank, parcel));
    check.bad = few::in_turn(heard.collect(), Check::CAP);
    check.worst = worst(test.rank.comm, checker.bad_transfers, bad_ranks)?;
    count(test, setting, &check, kinds)?;
    Ok(Some(check))
}

/// Tells of the ranges that were found, if any.
pub(super) fn tell(test: &mut Test<'_>, setting: &Setting, check: &Check) {
    if check.bad_transfers > 0 {
        let (transfers, ranges) = (check.bad_transfers, check.bad.as_slice());
        let signature = setting.repetition.signature;
        test.observer.event(&Event::BadData { phase: setting.kind.name(), transfers, ranges, signature });
    }
}

/// The ranks with most bad transfers: one reduction for each, so that nobody has to know all. Of equal ranks
/// the lowest comes first.
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

/// How many transfers hold which kind and how many each rank: the list of ranges ends early, this does not.
fn count(
    test: &mut Test<'_>,
    setting: &Setting,
    check: &Check,
    kinds: [u64; Kind::ALL.len()],
) -> Result<(), Halt> {
    let label = setting.kind.step();
    let transfers = check.bad_transfers;
    let named = Kind::ALL.into_iter().zip(kinds).filter(|(_, count)| *count > 0);
    let named: Vec<String> = named.map(|(kind, count)| format!("{count} {kind}")).collect();
    let several = if kinds.iter().sum::<u64>() > transfers { " (one may hold several)" } else { "" };
    let bad = count_of(transfers, "bad transfer");
    let text = format!("{label}: {bad}, by kind{several}: {}", named.join(", "));
    test.notice_in(setting, "wrong-data", &text)?;
    let (listed, ranges, ranks) = (check.bad.len(), check.ranges, check.bad_ranks);
    // Only rank 0 has the list, and all have to agree.
    if ranges <= Check::CAP as u64 && ranks == 1 {
        return Ok(());
    }
    let each = |worst: &BadRank| format!("{} of rank {}", worst.bad_transfers, worst.rank);
    let worst: Vec<String> = check.worst.iter().map(each).collect();
    let more = if ranks > worst.len() as u64 { ", the worst" } else { "" };
    let text = format!(
        "{label}: {listed} of {ranges} bad ranges are listed; bad transfers of {}{more}: {}",
        count_of(ranks, "rank"),
        worst.join(", ")
    );
    test.notice_in(setting, "wrong-data-ranks", &text)
}

fn count_of(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The file of a rank and up to `most` of its bad ranges, as bytes: each range a line of fields, by offset.
/// What does not fit into [`BYTES`] is left out.
fn pack(checker: &Checker, most: usize, path: &str) -> Vec<u8> {
    let line = |bad: &Bad| {
        let found = bad.found.map_or("nothing".to_owned(), |found| format!("{found:#018x}"));
        let Bad { offset, length, expected, kind, detail, .. } = bad;
        format!("{offset}\t{length}\t{expected:#018x}\t{found}\t{kind}\t{detail}\n")
    };
    // Queues and shuffles find them in any order.
    let mut bad: Vec<&Bad> = checker.bad.iter().collect();
    bad.sort_by_key(|bad| bad.offset);
    let mut parcel = format!("{}\n{path}", path.len()).into_bytes();
    for line in bad.into_iter().take(most).map(line) {
        if parcel.len() + line.len() > BYTES {
            break;
        }
        parcel.extend_from_slice(line.as_bytes());
    }
    parcel
}

fn unpack(rank: u32, parcel: &[u8]) -> Vec<BadRange> {
    let text = String::from_utf8_lossy(parcel);
    let (length, text) = text.split_once('\n').unwrap_or_default();
    // The path has a length before it: it may hold anything.
    let (path, lines) = text.split_at_checked(length.parse().unwrap_or(0)).unwrap_or_default();
    let range = |line: &str| {
        let mut fields = line.splitn(6, '\t');
        let mut next = || fields.next().unwrap_or_default().to_owned();
        BadRange {
            rank,
            path: path.to_owned(),
            offset: next().parse().unwrap_or(0),
            length: next().parse().unwrap_or(0),
            expected: next(),
            found: next(),
            kind: next(),
            detail: next(),
        }
    };
    lines.lines().map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::payload::{Identity, Payload};

    #[test]
    fn ranges_and_any_path_survive_the_way_to_rank_0() {
        let mut checker = Checker::new(Payload::new(Identity::default()), 8);
        let bad = |offset, found, kind, detail: &str| Bad {
            offset,
            length: 8,
            expected: 0x12,
            found,
            kind,
            detail: detail.into(),
        };
        checker.bad = vec![
            bad(4096, Some(7), Kind::Torn, "generation 3 of this place"),
            bad(u64::MAX, None, Kind::Truncated, ""),
        ];
        let ranges = unpack(5, &pack(&checker, 8, "/a\tb\nc"));
        let told = |range: &BadRange| {
            let BadRange { rank, offset, found, kind, detail, path, .. } = range.clone();
            (rank, offset, found, kind, detail, path)
        };
        let path = || "/a\tb\nc".to_owned();
        let seven = "0x0000000000000007".to_owned();
        let torn = (5, 4096, seven, "torn".into(), "generation 3 of this place".into(), path());
        assert_eq!(told(&ranges[0]), torn);
        let cut = (5, u64::MAX, "nothing".into(), "truncated".into(), String::new(), path());
        assert_eq!((ranges.len(), told(&ranges[1])), (2, cut));
        checker.bad.clear();
        assert!(unpack(0, &pack(&checker, 8, "f")).is_empty());
    }
}
