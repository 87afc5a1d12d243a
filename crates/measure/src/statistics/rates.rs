//! The rate of several repetitions, each of which moved so much in so long.
//!
//! Repetitions of a fixed amount take differently long, and the mean of their rates is above what the system
//! did in all that time. The sum of amounts over the sum of times is not.

/// What one repetition moved, and how long that took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepetitionAmount {
    /// Bytes or operations.
    pub amount: f64,
    /// Seconds.
    pub seconds: f64,
}

/// All amounts over all times, per second: the harmonic mean where the amounts are equal. `None` of nothing
/// or where no time passed.
pub fn total_rate(repetitions: &[RepetitionAmount]) -> Option<f64> {
    let seconds: f64 = repetitions.iter().map(|moved| moved.seconds).sum();
    let amount: f64 = repetitions.iter().map(|moved| moved.amount).sum();
    (seconds > 0.0).then(|| amount / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_amount_at_60_and_at_30_was_moved_at_40() {
        let slow_and_fast = [2.0, 1.0].map(|seconds| RepetitionAmount { amount: 60.0, seconds });
        assert_eq!(total_rate(&slow_and_fast), Some(40.0));
        assert_eq!(total_rate(&[]), None);
        assert_eq!(total_rate(&[RepetitionAmount { amount: 1.0, seconds: 0.0 }]), None);
    }

    #[test]
    fn over_equal_times_it_is_the_arithmetic_mean() {
        let timed = [30.0, 60.0].map(|amount| RepetitionAmount { amount, seconds: 1.0 });
        assert_eq!(total_rate(&timed), Some(45.0));
    }
}
