//! Latency histogram: log-linear, exact at the ends, merged by adding.
//!
//! Values below 128 ns have one bucket each. Above, every power of two has 128 buckets, so a bucket is at
//! most 1/128 = 0.78 % of its value wide. 4736 buckets reach 2^43 ns = 2.4 h. Longer values are counted in
//! the last bucket, and the exact maximum still shows them.
//!
//! Invariant: `merge` of two histograms equals the histogram of both streams together.

const SUB_BITS: u32 = 7;
const SUB: u64 = 1 << SUB_BITS;
const TOP_BIT: u32 = 42;

/// Counts of nanosecond values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64]>,
    /// 128 bits: a million ranks that wait for 5 hours have 2^64 ns together.
    sum: u128,
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// The histogram with these [`Histogram::buckets`], sum, minimum and maximum.
    pub fn of_buckets(buckets: &[(u64, u64)], sum: u128, min: u64, max: u64) -> Self {
        let mut histogram = Self::new();
        for (low, count) in buckets.iter().filter(|(_, count)| *count > 0) {
            histogram.counts[Self::index(*low)] += count;
            (histogram.sum, histogram.min, histogram.max) = (sum, min, max);
        }
        histogram
    }

    /// The number of buckets.
    pub const BUCKETS: usize = ((TOP_BIT - SUB_BITS) as usize + 2) << SUB_BITS;

    /// An empty histogram; all its memory (37 KiB) is written here.
    pub fn new() -> Self {
        Self { counts: vec![0; Self::BUCKETS].into_boxed_slice(), sum: 0, min: u64::MAX, max: 0 }
    }

    #[inline]
    fn index(ns: u64) -> usize {
        let shift = 63 - (ns | SUB).leading_zeros() - SUB_BITS;
        let index = (u64::from(shift) << SUB_BITS) + (ns >> shift);
        (index as usize).min(Self::BUCKETS - 1)
    }

    /// The smallest value in bucket `index`, nanoseconds.
    pub fn lower_bound(index: usize) -> u64 {
        let index = index as u64;
        if index < 2 * SUB {
            return index;
        }
        let shift = (index >> SUB_BITS) - 1;
        (index - (shift << SUB_BITS)) << shift
    }

    /// Counts one value, in nanoseconds.
    #[inline]
    pub fn add(&mut self, ns: u64) {
        self.counts[Self::index(ns)] += 1;
        self.sum += u128::from(ns);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    /// Counts many values, in nanoseconds; faster than one by one.
    #[inline]
    pub fn add_all(&mut self, values: impl Iterator<Item = u64>) {
        let counts: &mut [u64; Self::BUCKETS] =
            (&mut *self.counts).try_into().expect("made with this length");
        let (mut sum, mut min, mut max) = (0_u128, self.min, self.max);
        for ns in values {
            counts[Self::index(ns)] += 1;
            sum += u128::from(ns);
            min = min.min(ns);
            max = max.max(ns);
        }
        (self.sum, self.min, self.max) = (self.sum + sum, min, max);
    }

    /// Adds the counts of another histogram to this one.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The values counted since `before`, an earlier state of this histogram. Its minimum and maximum are
    /// only as exact as its buckets.
    pub fn since(&self, before: &Self) -> Self {
        let mut since = Self::new();
        for (index, (now, then)) in self.counts.iter().zip(&before.counts).enumerate() {
            since.counts[index] = now - then;
            if now > then {
                since.min = since.min.min(Self::lower_bound(index));
                since.max = self.max.min(Self::lower_bound(index + 1).max(1) - 1).max(since.min);
            }
        }
        since.sum = self.sum - before.sum;
        since
    }

    /// The buckets, for summing over ranks.
    pub fn counts_mut(&mut self) -> &mut [u64] {
        &mut self.counts
    }

    /// Sum, minimum and maximum, for reducing over ranks; an empty histogram has minimum `u64::MAX`.
    pub fn extremes_mut(&mut self) -> (&mut u128, &mut u64, &mut u64) {
        (&mut self.sum, &mut self.min, &mut self.max)
    }

    /// The first and last non-empty bucket; `None` if all are empty.
    pub fn touched(&self) -> Option<(usize, usize)> {
        let first = self.counts.iter().position(|count| *count > 0)?;
        let last = self.counts.iter().rposition(|count| *count > 0)?;
        Some((first, last))
    }

    /// How many values were counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The smallest value, exact; `None` when empty.
    pub fn min(&self) -> Option<u64> {
        (self.min != u64::MAX).then_some(self.min)
    }

    /// The largest value, exact; 0 when empty.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The mean in nanoseconds, exact; 0 when empty.
    pub fn mean(&self) -> f64 {
        match self.count() {
            0 => 0.0,
            count => self.sum as f64 / count as f64,
        }
    }

    /// The value that a share `q` (0 to 1) of all values does not exceed. It is the middle of its bucket,
    /// limited to the exact minimum and maximum. 0 when empty.
    pub fn quantile(&self, q: f64) -> u64 {
        let count = self.count();
        let wanted = ((q * count as f64).ceil() as u64).clamp(1, count.max(1));
        let mut seen = 0;
        for (index, here) in self.counts.iter().enumerate() {
            seen += here;
            if seen >= wanted {
                let low = Self::lower_bound(index);
                let high = Self::lower_bound(index + 1).max(low + 1) - 1;
                return (low + (high - low) / 2).clamp(self.min.min(self.max), self.max);
            }
        }
        0
    }

    /// The median as defined in statistics: between the two middle values of an even count.
    pub fn median(&self) -> f64 {
        let count = self.count().max(1);
        let at = |rank: u64| self.quantile((rank as f64 - 0.5) / count as f64) as f64;
        (at(count.div_ceil(2)) + at(count / 2 + 1)) / 2.0
    }

    /// The non-empty buckets as (smallest value in nanoseconds, count).
    pub fn buckets(&self) -> Vec<(u64, u64)> {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(index, count)| (Self::lower_bound(index), *count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_are_at_most_0_8_percent_wide_from_1_ns_to_beyond_an_hour() {
        let hour = 3_600_000_000_000_u64;
        assert!(Histogram::lower_bound(Histogram::BUCKETS - 1) > hour);
        for index in 128..Histogram::BUCKETS - 1 {
            let (low, next) = (Histogram::lower_bound(index), Histogram::lower_bound(index + 1));
            assert!(next > low, "bucket {index}");
            assert!((next - low) as f64 / low as f64 <= 0.008, "bucket {index} is {low}..{next}");
            assert_eq!(Histogram::index(low), index);
            assert_eq!(Histogram::index(next - 1), index);
        }
    }

    #[test]
    fn percentiles_never_leave_the_range_of_the_values() {
        let mut histogram = Histogram::new();
        histogram.add(1_000_003);
        for q in [0.0, 0.5, 0.999, 1.0] {
            assert_eq!(histogram.quantile(q), 1_000_003);
        }
        assert_eq!(Histogram::new().quantile(0.5), 0);
    }

    #[test]
    fn the_median_of_two_values_is_between_them() {
        let mut histogram = Histogram::new();
        [10, 30].iter().for_each(|value| histogram.add(*value));
        assert_eq!(histogram.median(), 20.0);
        histogram.add(31);
        assert_eq!(histogram.median(), 30.0);
    }

    #[test]
    fn a_value_beyond_the_last_bucket_is_counted_and_shown_by_the_maximum() {
        let mut histogram = Histogram::new();
        histogram.add(u64::MAX / 2);
        assert_eq!((histogram.count(), histogram.max()), (1, u64::MAX / 2));
    }

    #[test]
    fn since_returns_the_values_added_after_the_earlier_state() {
        let mut histogram = Histogram::new();
        [10, 1 << 30].iter().for_each(|value| histogram.add(*value));
        let before = histogram.clone();
        [20, 20, 21].iter().for_each(|value| histogram.add(*value));
        let since = histogram.since(&before);
        assert_eq!((since.count(), since.quantile(0.5), since.quantile(1.0)), (3, 20, 21));
        assert_eq!(histogram.since(&histogram).count(), 0);
    }

    proptest! {
        #[test]
        fn merging_halves_equals_measuring_the_whole(
            values in prop::collection::vec(0_u64..1 << 44, 1..200),
        ) {
            let (mut whole, mut left, mut right) = (Histogram::new(), Histogram::new(), Histogram::new());
            for (position, value) in values.iter().enumerate() {
                whole.add(*value);
                if position % 3 == 0 { left.add(*value) } else { right.add(*value) }
            }
            left.merge(&right);
            prop_assert_eq!(&left, &whole);
            let min = whole.min().unwrap_or_default();
            let again = Histogram::of_buckets(&whole.buckets(), whole.sum, min, whole.max());
            prop_assert_eq!(whole.sum, values.iter().map(|value| u128::from(*value)).sum::<u128>());
            prop_assert_eq!(&again, &whole);
        }

        #[test]
        fn a_quantile_is_within_a_bucket_of_the_true_quantile(
            mut values in prop::collection::vec(1_u64..1 << 42, 1..300), q in 0.0_f64..1.0,
        ) {
            let mut histogram = Histogram::new();
            values.iter().for_each(|value| histogram.add(*value));
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let expected = values[rank - 1] as f64;
            let found = histogram.quantile(q) as f64;
            prop_assert!((found - expected).abs() <= (expected * 0.008).max(1.0), "{} {}", found, expected);
        }
    }
}
