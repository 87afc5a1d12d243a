//! Pseudorandom numbers for resampling and simulation, the same for the same seed on every machine.
//!
//! Invariant: the position in the sequence is its whole state.
//! Never here: secrets; the sequence is SplitMix64 and can be predicted.

/// A sequence of pseudorandom numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dice(u64);

impl Dice {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 to below 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// A normal deviate, mean 0 and deviation 1.
    pub fn normal(&mut self) -> f64 {
        // Box and Muller's method; `1 - share` is used because the share may be 0, which has no logarithm.
        let radius = (-2.0 * (1.0 - self.share()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.share()).cos()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut dice = Dice::new(1_234_567);
        assert_eq!(dice.next(), 6_457_827_717_110_365_317);
        assert_eq!(dice.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn normal_deviates_have_mean_0_and_deviation_1_and_tails() {
        let mut dice = Dice::new(7);
        let values: Vec<f64> = (0..100_000).map(|_| dice.normal()).collect();
        let mean = crate::statistics::mean(&values).unwrap();
        let deviation = crate::statistics::deviation(&values).unwrap();
        let beyond = values.iter().filter(|value| value.abs() > 1.96).count() as f64 / 1e5;
        assert!(mean.abs() < 0.01 && (deviation - 1.0).abs() < 0.01, "{mean} {deviation}");
        assert!((beyond - 0.05).abs() < 0.003, "{beyond}");
    }

    #[test]
    fn all_numbers_below_an_end_occur_equally_often() {
        let mut dice = Dice::new(1);
        let mut seen = [0_u32; 7];
        (0..70_000).for_each(|_| seen[dice.below(7)] += 1);
        assert!(seen.iter().all(|count| count.abs_diff(10_000) < 400), "{seen:?}");
    }
}
