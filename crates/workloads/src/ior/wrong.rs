//! Records and reports what verification found on all ranks.

use ranks::Halt;
use results::record::Check;

use super::observer::IorEvent;
use super::setting::{PhaseKind, PhaseSetting};
use super::test::RunningTest;
use super::transfer::RankDone;
use crate::kit::checker::Bad;
use crate::kit::checker::over_ranks::{self, Kinds};

/// Reduces the compared bytes and the bad transfers, and collects the first bad ranges of each rank. A notice
/// gives the number of bad transfers by kind and by rank.
pub(super) fn check(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    done: &RankDone,
) -> Result<Option<Check>, Halt> {
    let Some(checker) = &done.checker else { return Ok(None) };
    assert!(matches!(setting.kind, PhaseKind::WriteCheck | PhaseKind::ReadCheck), "only these compare");
    // Queues and shuffles find them in any order.
    let mut bad: Vec<&Bad> = checker.bad.iter().collect();
    bad.sort_by_key(|bad| bad.offset);
    let path = setting.path.display().to_string();
    let first = |most| bad.into_iter().take(most).map(|bad| bad.recorded(&path)).collect();
    let (check, kinds) = over_ranks::over_ranks(test.rank.comm, checker, checker.bad_transfers, first)?;
    if check.bad_transfers > 0 {
        count(test, setting, &check, kinds)?;
    }
    Ok(Some(check))
}

/// Reports the bad ranges, if there are any.
pub(super) fn report(test: &mut RunningTest<'_>, setting: &PhaseSetting, check: &Check) {
    if check.bad_transfers > 0 {
        let (transfers, ranges) = (check.bad_transfers, check.bad.as_slice());
        let signature = setting.repetition.signature;
        test.observer.event(&IorEvent::BadData { phase: setting.kind.name(), transfers, ranges, signature });
    }
}

/// Reports the number of bad transfers of each kind and of each rank. Unlike the list of ranges this is
/// complete.
fn count(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    check: &Check,
    kinds: Kinds,
) -> Result<(), Halt> {
    let (by_kind, by_rank) = over_ranks::notices(setting.kind.step(), false, check, kinds);
    test.notice_in(setting, &by_kind)?;
    by_rank.map_or(Ok(()), |reason| test.notice_in(setting, &reason))
}
