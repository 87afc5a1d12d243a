//! What the ranks of a phase were allowed to use of a quota.
//!
//! Never here: whether that keeps a promise.

use serde::{Deserialize, Serialize};

use super::is_zero;

/// What a limit counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuotaUnit {
    /// Bytes.
    #[default]
    Bytes,
    /// Files and directories.
    Inodes,
}

/// A limit, and what the calls of all ranks accepted. Amounts are bytes or inodes, see [`QuotaUse::unit`].
/// Moments are seconds since the phase began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuotaUse {
    /// `user`, `group` or `project`.
    pub of: String,
    /// Its number; absent if the system does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// What the limit counts.
    pub unit: QuotaUnit,
    /// What must be rejected above it.
    pub limit: u64,
    /// The soft limit; 0 for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub soft: u64,
    /// Whether the command line states the limit, because the system reports none.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub stated: bool,
    /// The usage without what the ranks wrote or created in this run.
    pub used_before: u64,
    /// The most that the calls of all ranks had accepted at a time in this phase, with earlier phases.
    pub accepted_max: u64,
    /// The same at the end of the phase.
    pub accepted_end: u64,
    /// Who was rejected, and how. Each rank at most once.
    pub rejections: Vec<QuotaRejection>,
    /// The start of the interval in which the accepted calls reached the limit, or all that they got of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached_s: Option<f64>,
    /// The length of that interval, seconds.
    pub reached_within_s: f64,
    /// When the first rank was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_rejection_s: Option<f64>,
    /// When the last rank was rejected; absent if a rank was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_rejection_s: Option<f64>,
    /// The usage that the system shows at the end; absent if it shows none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<u64>,
    /// Seconds from the end of the phase until the shown usage had all that was accepted, or no more what was
    /// freed; absent if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag_s: Option<f64>,
    /// How long the soft limit may be exceeded, seconds; 0 if it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub grace_s: u64,
    /// When that time ends, seconds since 1970; 0 while the soft limit is not exceeded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub grace_ends_unix_s: u64,
}

/// How ranks were rejected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaRejection {
    /// Such as `write` or `mknod`.
    pub call: String,
    /// The number of the system's error.
    pub errno: i32,
    /// How many ranks.
    pub ranks: u64,
}

impl QuotaUse {
    /// What the calls accepted beyond the limit.
    pub fn overshoot(&self) -> u64 {
        let beyond = self.used_before.saturating_add(self.accepted_max).saturating_sub(self.limit);
        // What was used before the run is no fault of this limit.
        beyond.min(self.accepted_max)
    }

    /// Seconds from reaching the limit, or from the last of what was accepted below it, until the last rank
    /// was rejected, at most. `None` if a rank was not rejected.
    pub fn rejection_s(&self) -> Option<f64> {
        self.since_reached(self.last_rejection_s?)
    }

    /// The same until the first rank was rejected.
    pub fn first_rejection_after_s(&self) -> Option<f64> {
        self.since_reached(self.first_rejection_s?)
    }

    fn since_reached(&self, moment_s: f64) -> Option<f64> {
        Some(self.reached_s.map_or(0.0, |reached| (moment_s - reached).max(0.0)))
    }

    /// How many ranks were rejected.
    pub fn rejected(&self) -> u64 {
        self.rejections.iter().map(|rejection| rejection.ranks).sum()
    }

    /// Whether the calls of the ranks reached the limit.
    pub fn is_reached(&self) -> bool {
        self.used_before.saturating_add(self.accepted_max) >= self.limit
    }

    /// Whether more than the soft limit was accepted.
    pub fn passed_soft(&self) -> bool {
        self.soft > 0 && self.used_before.saturating_add(self.accepted_max) > self.soft
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overshoot_counts_what_the_id_used_before() {
        let mut found = QuotaUse { limit: 100, used_before: 60, accepted_max: 40, ..QuotaUse::default() };
        assert_eq!(found.overshoot(), 0);
        found.accepted_max = 47;
        assert_eq!(found.overshoot(), 7);
        found.accepted_max = 0;
        assert_eq!(found.overshoot(), 0);
        (found.used_before, found.accepted_max) = (150, 3);
        assert_eq!(found.overshoot(), 3, "the limit was exceeded before");
    }

    #[test]
    fn a_rejection_is_timed_from_the_limit_and_missing_for_a_rank_that_was_never_rejected() {
        let mut found =
            QuotaUse { reached_s: Some(2.0), first_rejection_s: Some(2.5), ..QuotaUse::default() };
        assert_eq!((found.first_rejection_after_s(), found.rejection_s()), (Some(0.5), None));
        found.last_rejection_s = Some(5.0);
        assert_eq!(found.rejection_s(), Some(3.0));
        found.reached_s = None;
        assert_eq!(found.rejection_s(), Some(0.0), "rejected at the limit or below");
    }
}
