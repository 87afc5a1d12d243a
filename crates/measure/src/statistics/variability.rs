//! Confidence limits of the variability (COV) of normal values.
//!
//! √n / COV follows a noncentral t distribution, so its limits are exact for normal values with a positive
//! mean. Other distributions, such as one with rare stalls, have other limits.
//!
//! Invariant: pure; the order of the values does not matter.
//! Never here: a maximum of a contract.

use super::power::{independent, shifted_t_above};
use super::{Side, cov};

/// No COV is searched beyond these.
const RANGE: (f64, f64) = (1e-9, 1e3);

/// One-sided confidence limit of the true coefficient of variation. `None` below two values or without a
/// positive mean; the upper limit is infinite if the values show none.
pub fn limit_of_cov(values: &[f64], side: Side, confidence: f64) -> Option<f64> {
    let measured = cov(values).filter(|_| super::mean(values) > Some(0.0))?;
    if measured == 0.0 {
        return Some(0.0);
    }
    let wanted = match side {
        Side::Lower => confidence,
        Side::Upper => 1.0 - confidence,
    };
    // The probability falls with the true COV.
    Some(crossing(|truth| at_most(measured, values.len(), truth) > wanted))
}

/// The probability that the upper limit of the COV of `n` values of this true COV is at most `limit`. Values
/// that look dependent do not count. 0 below two.
pub fn power_of_cov(truth: f64, limit: f64, n: u32, confidence: f64) -> f64 {
    if n < 2 {
        return 0.0;
    }
    let largest = crossing(|measured| at_most(measured, n as usize, limit) <= 1.0 - confidence);
    at_most(largest, n as usize, truth) * independent(n)
}

/// The probability of a COV of at most `measured` from `n` values of this true COV.
fn at_most(measured: f64, n: usize, truth: f64) -> f64 {
    let root = (n as f64).sqrt();
    shifted_t_above(root / measured, (n - 1) as f64, root / truth)
}

/// The COV up to which this holds; infinite if it holds for every COV.
fn crossing(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = RANGE;
    if holds(high) {
        return f64::INFINITY;
    }
    for _ in 0..45 {
        let middle = (low * high).sqrt();
        *(if holds(middle) { &mut low } else { &mut high }) = middle;
    }
    (low * high).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Dice;

    #[test]
    fn limits_are_those_of_the_chi_square_distribution_for_a_small_cov() {
        // 10 values: deviation √(9 / 3.325) and √(9 / 16.919) times the measured one, at 95 %.
        let values: Vec<f64> = (0..10).map(|i| 1000.0 + f64::from(i)).collect();
        let measured = cov(&values).unwrap();
        let upper = limit_of_cov(&values, Side::Upper, 0.95).unwrap() / measured;
        let lower = limit_of_cov(&values, Side::Lower, 0.95).unwrap() / measured;
        assert!((upper - 1.645).abs() < 0.002 && (lower - 0.7293).abs() < 0.002, "{upper} {lower}");
    }

    #[test]
    fn limits_are_those_of_the_noncentral_t_distribution_of_scipy() {
        let root = 0.05 * 2.0_f64.sqrt();
        let five = [1.0 - root, 1.0, 1.0, 1.0, 1.0 + root];
        for (values, low, high) in [
            (&[0.9977, 1.0023][..], 0.001_659_562, 0.051_871_308),
            (&[0.97, 1.03], 0.021_636_789, 0.678_475_712),
            (&[0.998, 1.0, 1.003], 0.001_453_514, 0.011_108_339),
            (&[0.95, 1.0, 1.05], 0.028_868_037, 0.222_398_551),
            (&[0.9, 1.0, 1.0, 1.05], 0.039_430_444, 0.187_374_886),
            (&five, 0.032_443, 0.119_001),
        ] {
            let limit = |side| limit_of_cov(values, side, 0.95).unwrap();
            assert!((limit(Side::Lower) / low - 1.0).abs() < 2e-5, "{values:?} {}", limit(Side::Lower));
            assert!((limit(Side::Upper) / high - 1.0).abs() < 2e-5, "{values:?} {}", limit(Side::Upper));
        }
    }

    #[test]
    fn a_limit_is_below_a_maximum_as_often_as_its_probability() {
        let mut dice = Dice::new(8);
        for (truth, most, n) in [(0.05, 0.1, 3), (0.05, 0.1, 8), (0.05, 0.05, 4)] {
            let passes = |dice: &mut Dice| {
                let values: Vec<f64> = (0..n).map(|_| 1.0 + truth * dice.normal()).collect();
                let independent = crate::statistics::significant_dependence(&values).is_none();
                independent && limit_of_cov(&values, Side::Upper, 0.95).unwrap() <= most
            };
            let share = (0..300).filter(|_| passes(&mut dice)).count() as f64 / 300.0;
            let expected = power_of_cov(truth, most, n, 0.95);
            assert!((share - expected).abs() < 0.08, "{truth} {most} {n}: {share} {expected}");
        }
        assert_eq!(power_of_cov(0.05, 0.1, 1, 0.95), 0.0);
    }

    #[test]
    fn each_limit_is_wrong_in_five_percent_of_trials() {
        let mut dice = Dice::new(12);
        for (truth, n) in [(0.05, 3), (0.1, 5), (0.2, 10)] {
            let mut wrong = [0_u32; 2];
            for _ in 0..200 {
                let values: Vec<f64> = (0..n).map(|_| 1.0 + truth * dice.normal()).collect();
                wrong[0] += u32::from(limit_of_cov(&values, Side::Lower, 0.95).unwrap() > truth);
                wrong[1] += u32::from(limit_of_cov(&values, Side::Upper, 0.95).unwrap() < truth);
            }
            // 5 % of 200 are 10, with a deviation of 3.
            assert!(wrong.iter().all(|count| (2..=20).contains(count)), "{truth} {n}: {wrong:?}");
        }
    }

    #[test]
    fn values_that_do_not_vary_have_a_limit_of_zero_and_one_value_has_none() {
        assert_eq!(limit_of_cov(&[2.0; 3], Side::Upper, 0.95), Some(0.0));
        assert_eq!(limit_of_cov(&[2.0], Side::Upper, 0.95), None);
        assert_eq!(limit_of_cov(&[-2.0, 2.0], Side::Upper, 0.95), None);
        assert_eq!(limit_of_cov(&[1.0, 100.0], Side::Upper, 0.95), Some(f64::INFINITY));
    }
}
