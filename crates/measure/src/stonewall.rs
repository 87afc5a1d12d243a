//! Stonewall: stop a phase on time, then let the slow ranks catch up.
//!
//! A deadline cuts every rank off after the first transfer that ends beyond it, each by its own clock
//! from its own start. The wear-out then asks each rank to reach the transfer count of the fastest,
//! so that every rank has moved the same amount.
//!
//! Never here: collectives (the caller brings the maximum), I/O.

use crate::Tick;

/// When a rank stops its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// It has done so many transfers.
    pub transfers: u64,
    /// A transfer ended beyond this moment; [`Stop::NEVER`] for no deadline.
    pub deadline: Tick,
}

impl Stop {
    /// The deadline that never comes.
    pub const NEVER: Tick = Tick(u64::MAX);

    /// Stops after so many transfers and not before.
    pub fn after(transfers: u64) -> Self {
        Self { transfers, deadline: Self::NEVER }
    }

    /// Whether the deadline has passed at `now`.
    #[inline]
    pub fn passed(&self, now: Tick) -> bool {
        now > self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_passes_only_beyond_it_and_no_deadline_never() {
        let stop = Stop { transfers: 10, deadline: Tick(100) };
        assert!(!stop.passed(Tick(100)) && stop.passed(Tick(101)));
        assert!(!Stop::after(3).passed(Tick(u64::MAX)));
    }
}
