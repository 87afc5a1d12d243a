//! What verification found on all ranks, recorded and told.

use ranks::Halt;
use results::record::{BadRange, Check};

use super::observer::IorEvent;
use super::phase::{PhaseKind, PhaseSetting};
use super::test::RunningTest;
use super::transfer::RankDone;
use crate::kit::checker::over_ranks::{self, BYTES, Kinds};
use crate::kit::checker::{Bad, Checker};
use crate::kit::few;

/// Reduces the bytes compared and the bad transfers, and collects the first bad ranges of each rank; how many
/// transfers are bad in which way, and whose, is a notice.
pub(super) fn check(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    done: &RankDone,
) -> Result<Option<Check>, Halt> {
    let Some(checker) = &done.checker else { return Ok(None) };
    assert!(matches!(setting.kind, PhaseKind::WriteCheck | PhaseKind::ReadCheck), "only these compare");
    let pack = |most| pack(checker, most, &setting.path.display().to_string());
    let (check, kinds) =
        over_ranks::over_ranks(test.rank.comm, checker, checker.bad_transfers, pack, unpack)?;
    if check.bad_transfers > 0 {
        count(test, setting, &check, kinds)?;
    }
    Ok(Some(check))
}

/// Tells of the ranges that were found, if any.
pub(super) fn tell(test: &mut RunningTest<'_>, setting: &PhaseSetting, check: &Check) {
    if check.bad_transfers > 0 {
        let (transfers, ranges) = (check.bad_transfers, check.bad.as_slice());
        let signature = setting.repetition.signature;
        test.observer.event(&IorEvent::BadData { phase: setting.kind.name(), transfers, ranges, signature });
    }
}

/// How many transfers hold which kind and how many each rank: the list of ranges ends early, this does not.
fn count(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    check: &Check,
    kinds: Kinds,
) -> Result<(), Halt> {
    let bad = match check.bad_transfers {
        1 => "1 bad transfer".to_owned(),
        more => format!("{more} bad transfers"),
    };
    let (by_kind, by_rank) = over_ranks::texts(setting.kind.step(), "bad transfers", &bad, check, kinds);
    test.notice_in(setting, "wrong-data", &by_kind)?;
    by_rank.map_or(Ok(()), |text| test.notice_in(setting, "wrong-data-ranks", &text))
}

/// The file of a rank and up to `most` of its bad ranges, as bytes: each range a line of fields, by offset.
/// What does not fit into [`BYTES`] is left out.
fn pack(checker: &Checker, most: usize, path: &str) -> Vec<u8> {
    // Queues and shuffles find them in any order.
    let mut bad: Vec<&Bad> = checker.bad.iter().collect();
    bad.sort_by_key(|bad| bad.offset);
    let mut parcel = format!("{}\n{path}", path.len());
    let lines = bad.into_iter().take(most).map(|bad| over_ranks::line(&bad.recorded("")));
    parcel.push_str(&few::whole_lines(lines, BYTES.saturating_sub(parcel.len())));
    parcel.into_bytes()
}

fn unpack(rank: u32, parcel: &[u8]) -> Vec<BadRange> {
    let text = String::from_utf8_lossy(parcel);
    let (length, text) = text.split_once('\n').unwrap_or_default();
    // The path has a length before it: it may hold anything.
    let (path, lines) = text.split_at_checked(length.parse().unwrap_or(0)).unwrap_or_default();
    let range = |line| BadRange { path: path.to_owned(), ..over_ranks::range(rank, line) };
    lines.lines().map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::checker::DamageKind;
    use crate::kit::payload::{DataIdentity, Payload};

    #[test]
    fn ranges_and_any_path_survive_the_way_to_rank_0() {
        let mut checker = Checker::new(Payload::new(DataIdentity::default()), 8);
        let bad = |offset, found, kind, detail: &str| Bad {
            offset,
            length: 8,
            expected: 0x12,
            found,
            kind,
            detail: detail.into(),
        };
        checker.bad = vec![
            bad(4096, Some(7), DamageKind::Torn, "generation 3 of this place"),
            bad(u64::MAX, None, DamageKind::Truncated, ""),
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
