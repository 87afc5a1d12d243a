//! The limits that a run tests: those that the system reports, or that the command line states.
//!
//! Never here: collectives.

use command::quota::{QuotaCounts, QuotaRequest, StatedLimit};
use results::record::QuotaUnit;
use serde::{Deserialize, Serialize};
use storage::{QuotaLimit, QuotaLimits};

/// A limit that is tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestedLimit {
    /// What it counts.
    pub unit: QuotaUnit,
    /// Above this the system must reject.
    pub limit: u64,
    /// The soft limit; 0 for none.
    pub soft: u64,
    /// The usage before the first step.
    pub used: u64,
    /// Whether the command line states it.
    pub stated: bool,
    /// Whether the system shows the usage.
    pub shown: bool,
}

impl TestedLimit {
    /// This limit among those of the system.
    pub(super) fn of_system(self, all: &QuotaLimits) -> QuotaLimit {
        match self.unit {
            QuotaUnit::Bytes => all.bytes,
            QuotaUnit::Inodes => all.inodes,
        }
    }
}

/// The limits of bytes and of inodes, as far as they are tested. `now_s` is the time since 1970.
pub(super) fn tested(
    request: &QuotaRequest,
    system: Option<&QuotaLimits>,
    now_s: u64,
) -> Result<[Option<TestedLimit>; 2], String> {
    let bytes = (QuotaUnit::Bytes, QuotaCounts::Bytes, request.bytes, "--used");
    let inodes = (QuotaUnit::Inodes, QuotaCounts::Inodes, request.inodes, "--used-inodes");
    let mut found = [None, None];
    for (place, (unit, counts, stated, used)) in found.iter_mut().zip([bytes, inodes]) {
        let of_unit = |all| TestedLimit { unit, ..TestedLimit::default() }.of_system(all);
        let system = system.map(of_unit);
        if request.tests(counts) {
            *place = tested_limit(unit, stated, system, now_s).map_err(|mistake| match mistake {
                Mistake::NoUsage => {
                    format!("the system does not report the usage. State what is used before the run: {used}")
                }
                Mistake::OtherLimit(limit) => {
                    format!("the system reports another limit ({limit}) than the stated one. State none")
                }
            })?;
        }
    }
    Ok(found)
}

/// Why a limit cannot be tested.
#[derive(Debug, PartialEq, Eq)]
enum Mistake {
    /// The usage is not known.
    NoUsage,
    /// The system reports this limit, and the command line states another one.
    OtherLimit(u64),
}

fn tested_limit(
    unit: QuotaUnit,
    stated: Option<StatedLimit>,
    system: Option<QuotaLimit>,
    now_s: u64,
) -> Result<Option<TestedLimit>, Mistake> {
    let reported = system.map_or(0, |system| rejecting(system, now_s));
    if stated.is_some_and(|stated| reported > 0 && reported != stated.limit) {
        return Err(Mistake::OtherLimit(reported));
    }
    let limit = stated.map_or(reported, |stated| stated.limit);
    if limit == 0 {
        return Ok(None);
    }
    let shown = system.map(|system| system.used);
    let used = stated.and_then(|stated| stated.used).or(shown).ok_or(Mistake::NoUsage)?;
    let soft = system.map_or(0, |system| system.soft);
    let is_own = stated.is_none_or(|stated| stated.used.is_none());
    Ok(Some(TestedLimit {
        unit,
        limit,
        soft,
        used,
        stated: stated.is_some(),
        shown: shown.is_some() && is_own,
    }))
}

/// What the system rejects now: the soft limit after the end of its grace, else the hard one.
fn rejecting(system: QuotaLimit, now_s: u64) -> u64 {
    let has_ended = system.soft > 0 && (1..=now_s).contains(&system.grace_ends_s);
    if has_ended { system.soft } else { system.hard }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_S: u64 = 1000;

    fn found(
        stated: Option<StatedLimit>,
        system: Option<QuotaLimit>,
    ) -> Result<Option<TestedLimit>, Mistake> {
        tested_limit(QuotaUnit::Bytes, stated, system, NOW_S)
    }

    #[test]
    fn the_limit_of_the_system_is_the_hard_one_until_the_grace_has_ended() {
        let system = QuotaLimit { hard: 100, soft: 50, used: 60, ..QuotaLimit::default() };
        let limit = |grace_ends_s| found(None, Some(QuotaLimit { grace_ends_s, ..system })).unwrap().unwrap();
        assert_eq!((limit(0).limit, limit(NOW_S + 1).limit, limit(NOW_S - 1).limit), (100, 100, 50));
        assert!(limit(0).shown && !limit(0).stated && limit(0).used == 60 && limit(0).soft == 50);
        let only_soft = QuotaLimit { hard: 0, ..system };
        assert_eq!(found(None, Some(only_soft)), Ok(None), "not rejected yet");
    }

    #[test]
    fn a_stated_limit_needs_a_usage_from_somewhere() {
        let stated = |used| Some(StatedLimit { limit: 10, used });
        assert_eq!(found(stated(None), None), Err(Mistake::NoUsage));
        let other = QuotaLimit { hard: 9, ..QuotaLimit::default() };
        assert_eq!(found(stated(None), Some(other)), Err(Mistake::OtherLimit(9)));
        let alone = found(stated(Some(3)), None).unwrap().unwrap();
        assert!((alone.limit, alone.used) == (10, 3) && alone.stated && !alone.shown);
        let system = QuotaLimit { used: 7, ..QuotaLimit::default() };
        let both = found(stated(None), Some(system)).unwrap().unwrap();
        assert!((both.limit, both.used) == (10, 7) && both.shown);
        assert_eq!(found(None, None), Ok(None));
    }
}
