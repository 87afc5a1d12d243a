//! What verification found on all ranks, brought together on rank 0.

use ranks::{Halt, Reduce};
use results::Record;
use results::record::{BadRange, Check, Notice};

use super::observer::Event;
use super::phase::{Kind as PhaseKind, Setting};
use super::test::Test;
use super::transfer::Done;
use crate::kit::checker::{Bad, Checker, Kind};

/// Reduces the bytes compared and the bad transfers, and gathers the first bad ranges; how many transfers
/// are bad in which way is a notice.
pub(super) fn check(test: &mut Test<'_, '_>, setting: &Setting, done: &Done) -> Result<Option<Check>, Halt> {
    let Some(checker) = &done.checker else { return Ok(None) };
    assert!(matches!(setting.kind, PhaseKind::WriteCheck | PhaseKind::ReadCheck), "only these compare");
    let mut sums = [0; 2 + Kind::ALL.len()];
    (sums[0], sums[1]) = (checker.bytes, checker.bad_transfers);
    sums[2..].copy_from_slice(&checker.kinds);
    test.comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [bytes, bad_transfers, kinds @ ..] = sums;
    if bad_transfers == 0 {
        return Ok(Some(Check { bytes, bad_transfers, bad: Vec::new() }));
    }
    let parcel = pack(checker, &setting.path.display().to_string());
    let mut bad = Vec::new();
    for (rank, parcel) in test.comm.gather(&parcel)?.unwrap_or_default().iter().enumerate() {
        bad.extend(unpack(rank as u32, parcel));
    }
    bad.truncate(Check::CAP);
    tell_kinds(test, setting, bad_transfers, kinds)?;
    Ok(Some(Check { bytes, bad_transfers, bad }))
}

/// How many transfers hold which kind: the list of ranges ends early, this does not.
fn tell_kinds(
    test: &mut Test<'_, '_>,
    setting: &Setting,
    transfers: u64,
    kinds: [u64; Kind::ALL.len()],
) -> Result<(), Halt> {
    let named = Kind::ALL.into_iter().zip(kinds).filter(|(_, count)| *count > 0);
    let named: Vec<String> = named.map(|(kind, count)| format!("{count} {kind}")).collect();
    let label = setting.kind.name().replace('_', " ");
    let text = format!("{label}: {transfers} wrong, by kind: {}", named.join(", "));
    test.cx.observer.event(&Event::Notice(&text));
    test.record(&Record::Notice(Notice {
        id: "wrong-data".to_owned(),
        repetition: setting.repetition.number,
        phase: setting.kind.name().to_owned(),
        text,
    }))
}

/// The bad ranges of a rank and its file, as bytes: each range a line of fields.
fn pack(checker: &Checker, path: &str) -> Vec<u8> {
    let line = |bad: &Bad| {
        let found = bad.found.map_or("nothing".to_owned(), |found| format!("{found:#018x}"));
        let Bad { offset, length, expected, kind, detail, .. } = bad;
        format!("{offset}\t{length}\t{expected:#018x}\t{found}\t{kind}\t{detail}\n")
    };
    let lines: String = checker.bad.iter().map(line).collect();
    // The path comes last: it may hold anything.
    format!("{}\n{lines}{path}", checker.bad.len()).into_bytes()
}

fn unpack(rank: u32, parcel: &[u8]) -> Vec<BadRange> {
    let text = String::from_utf8_lossy(parcel);
    let (count, text) = text.split_once('\n').unwrap_or_default();
    let count = count.parse().unwrap_or(0);
    let mut rest = text.splitn(count + 1, '\n');
    let lines: Vec<&str> = rest.by_ref().take(count).collect();
    let path = rest.next().unwrap_or_default();
    let range = |line: &&str| {
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
    let mut ranges: Vec<BadRange> = lines.iter().map(range).collect();
    // Queues and shuffles find them in any order.
    ranges.sort_by_key(|range| range.offset);
    ranges
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
        let ranges = unpack(5, &pack(&checker, "/a\tb\nc"));
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
        assert!(unpack(0, &pack(&checker, "f")).is_empty());
    }
}
