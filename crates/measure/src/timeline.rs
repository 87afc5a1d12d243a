//! Bytes per interval, in a fixed amount of memory for a phase of any length.
//!
//! There are 4096 slots. The interval starts at 2^20 ns (1.05 ms) and doubles, merging pairs of slots,
//! whenever the phase outgrows the slots. All ranks use powers of two, so their timelines can be added after
//! the finer ones are merged.
//!
//! Invariant: the sum over all slots is the sum of all added bytes.

/// Bytes per interval since an origin that all ranks share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteTimeline {
    slots: Box<[u64]>,
    shift: u32,
    used: usize,
}

impl Default for ByteTimeline {
    fn default() -> Self {
        Self::new()
    }
}

impl ByteTimeline {
    /// The number of intervals before they are merged.
    pub const SLOTS: usize = 4096;
    const FIRST_SHIFT: u32 = 20;

    /// An empty timeline; all its memory (32 KiB) is written here.
    pub fn new() -> Self {
        Self { slots: vec![0; Self::SLOTS].into_boxed_slice(), shift: Self::FIRST_SHIFT, used: 0 }
    }

    /// Adds bytes whose transfer ended `ns` nanoseconds after the origin.
    #[inline]
    pub fn add(&mut self, ns: u64, bytes: u64) {
        let mut slot = (ns >> self.shift) as usize;
        if slot >= Self::SLOTS {
            self.fold_until(ns);
            slot = (ns >> self.shift) as usize;
        }
        self.slots[slot] += bytes;
        self.used = self.used.max(slot + 1);
    }

    /// Whether two moments, in nanoseconds after the origin, fall into the same interval.
    pub fn same_interval(&self, one: u64, other: u64) -> bool {
        one >> self.shift == other >> self.shift
    }

    #[cold]
    fn fold_until(&mut self, ns: u64) {
        while (ns >> self.shift) as usize >= Self::SLOTS {
            self.fold();
        }
    }

    fn fold(&mut self) {
        for slot in 0..Self::SLOTS / 2 {
            self.slots[slot] = self.slots[2 * slot] + self.slots[2 * slot + 1];
        }
        self.slots[Self::SLOTS / 2..].fill(0);
        self.used = self.used.div_ceil(2);
        self.shift += 1;
    }

    /// Binary logarithm of the interval in nanoseconds.
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// Merges slots until the interval is `2^shift` ns, so that timelines of several ranks can be added.
    pub fn coarsen_to(&mut self, shift: u32) {
        while self.shift < shift {
            self.fold();
        }
    }

    /// Merges slots until at most `slots` intervals are in use, or until the interval is `2^shift` ns.
    pub fn coarsen_to_fit(&mut self, slots: usize, shift: u32) {
        while self.used > slots.max(1) && self.shift < shift {
            self.fold();
        }
    }

    /// How many intervals are in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Length of one interval, nanoseconds.
    pub fn interval_ns(&self) -> u64 {
        1 << self.shift
    }

    /// The first `count` intervals, for summing over ranks; afterwards they count as used.
    pub fn slots_mut(&mut self, count: usize) -> &mut [u64] {
        self.used = self.used.max(count);
        &mut self.slots[..count]
    }

    /// Bytes of each interval in use.
    pub fn bytes(&self) -> &[u64] {
        &self.slots[..self.used]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_hour_fits_and_nothing_is_lost() {
        let mut timeline = ByteTimeline::new();
        for second in 0..=3600_u64 {
            timeline.add(second * 1_000_000_000, 7);
        }
        assert_eq!(timeline.bytes().iter().sum::<u64>(), 3601 * 7);
        assert!(timeline.used() <= ByteTimeline::SLOTS);
        assert!(timeline.interval_ns() < 2_000_000_000, "still finer than 2 s");
    }

    proptest! {
        #[test]
        fn coarsening_keeps_the_sum(
            ends in prop::collection::vec(0_u64..1 << 36, 1..100), fit in 1_usize..500,
        ) {
            let mut timeline = ByteTimeline::new();
            ends.iter().for_each(|end| timeline.add(*end, 3));
            let before = timeline.shift();
            timeline.coarsen_to_fit(fit, 26);
            prop_assert!(timeline.used() <= fit || timeline.shift() == before.max(26));
            prop_assert_eq!(timeline.bytes().iter().sum::<u64>(), 3 * ends.len() as u64);
        }
    }
}
