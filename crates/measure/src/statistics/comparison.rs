//! Ratios of means that are read together, with intervals that hold for all of them at the same time.
//!
//! Each ratio has Fieller's interval with Welch's degrees of freedom (`ratio`). Its two limits share the
//! error that a confidence level allows. If several ratios are read together, each interval gets an equal
//! part of this error (Bonferroni). So all of them contain their true ratios with at least the confidence,
//! also if the ratios depend on each other.
//!
//! Invariant: pure; an interval that holds together contains the one that holds alone.
//! Never here: which of two values is the better one.

use super::{Interval, deviation, mean, ratio_interval};

/// The ratio of two measured means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioEstimate {
    /// The mean of the second sample divided by that of the first.
    pub ratio: f64,
    /// The interval of this ratio alone.
    pub alone: Interval,
    /// The interval that holds for all ratios together.
    pub together: Interval,
}

/// Why two samples have no ratio with an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRatio {
    /// One of them has fewer than two values.
    TooFew,
    /// One of the means is zero or negative.
    NotPositive,
    /// Neither sample varies, so there is no error to estimate.
    NoVariability,
}

/// The ratios of pairs of samples, second over first, with two-sided intervals at `confidence` (between 0.5
/// and 1), alone and together. The number of ratios that have an interval decides how wide the intervals
/// together are.
pub fn ratios_together(pairs: &[[&[f64]; 2]], confidence: f64) -> Vec<Result<RatioEstimate, NoRatio>> {
    let means: Vec<Result<f64, NoRatio>> = pairs.iter().map(ratio_of_means).collect();
    let count = means.iter().filter(|ratio| ratio.is_ok()).count().max(1);
    let at = |pair: &[&[f64]; 2], error: f64| {
        ratio_interval(pair[1], pair[0], 1.0 - error / 2.0).ok_or(NoRatio::NotPositive)
    };
    let estimate = |(pair, ratio): (&[&[f64]; 2], Result<f64, NoRatio>)| {
        let ratio = ratio?;
        let alone = at(pair, 1.0 - confidence)?;
        Ok(RatioEstimate { ratio, alone, together: at(pair, (1.0 - confidence) / count as f64)? })
    };
    pairs.iter().zip(means).map(estimate).collect()
}

/// The ratio of the means, if it can have an interval.
fn ratio_of_means([first, second]: &[&[f64]; 2]) -> Result<f64, NoRatio> {
    let deviations = [first, second].map(|values| deviation(values));
    let [Some(one), Some(other)] = deviations else { return Err(NoRatio::TooFew) };
    let means = [first, second].map(|values| mean(values).filter(|mean| *mean > 0.0 && mean.is_finite()));
    let [Some(first), Some(second)] = means else { return Err(NoRatio::NotPositive) };
    if one == 0.0 && other == 0.0 {
        return Err(NoRatio::NoVariability);
    }
    Ok(second / first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(first: &[f64], second: &[f64]) -> Result<RatioEstimate, NoRatio> {
        ratios_together(&[[first, second]], 0.95)[0]
    }

    #[test]
    fn samples_without_an_interval_have_a_reason() {
        let two = [1.0, 2.0];
        assert_eq!(one(&[1.0], &two), Err(NoRatio::TooFew));
        assert_eq!(one(&two, &[]), Err(NoRatio::TooFew));
        assert_eq!(one(&[0.0, 0.0], &two), Err(NoRatio::NotPositive));
        assert_eq!(one(&[3.0, 3.0], &[4.0, 4.0]), Err(NoRatio::NoVariability));
        assert!(one(&[3.0, 3.0], &two).is_ok(), "one of them varies");
    }

    #[test]
    fn pairs_without_an_interval_do_not_widen_the_others() {
        let (first, second) = ([95.0, 100.0, 107.0], [180.0, 200.0, 215.0]);
        let single: [f64; 1] = [1.0];
        let alone = one(&first, &second).unwrap();
        let beside = ratios_together(&[[&first, &second], [&first, &single]], 0.95);
        assert_eq!((beside[0], beside[1]), (Ok(alone), Err(NoRatio::TooFew)));
        assert_eq!(alone.alone, alone.together);
    }

    #[test]
    fn the_interval_is_the_one_of_scipy() {
        // scipy 1.17: brentq on the t statistic minus stats.t.ppf, with Welch's degrees of freedom at each
        // ratio.
        let first = [95.0, 100.0, 107.0];
        let second = [180.0, 200.0, 215.0, 204.0];
        let Interval { low, high } = one(&first, &second).unwrap().alone;
        assert!((low - LOW).abs() < 1e-6 && (high - HIGH).abs() < 1e-6, "{low} {high}");
    }

    /// Limits of that example at 95 %.
    const LOW: f64 = 1.741_813_787_403;
    const HIGH: f64 = 2.265_441_004_365;

    /// Values of a sample that varies.
    fn sample() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(1.0_f64..1e3, 2..8)
            .prop_filter("it varies", |values| deviation(values).is_some_and(|deviation| deviation > 1e-3))
    }

    proptest! {
        #[test]
        fn intervals_contain_the_ratio_of_the_means_and_together_they_are_wider(
            pairs in prop::collection::vec((sample(), sample()), 1..6), confidence in 0.6_f64..0.99,
        ) {
            let pairs: Vec<[&[f64]; 2]> = pairs.iter().map(|(x, y)| [x.as_slice(), y.as_slice()]).collect();
            for (estimate, [first, second]) in ratios_together(&pairs, confidence).iter().zip(&pairs) {
                let RatioEstimate { ratio, alone, together } = estimate.unwrap();
                prop_assert!((ratio - mean(second).unwrap() / mean(first).unwrap()).abs() <= 1e-12 * ratio);
                prop_assert!(alone.low <= ratio && ratio <= alone.high, "{:?}", alone);
                prop_assert!(together.low <= alone.low && alone.high <= together.high);
            }
        }

        #[test]
        fn exchanged_samples_have_reciprocal_intervals_and_units_do_not_matter(
            first in sample(), second in sample(), unit in 1e-6_f64..1e6,
        ) {
            let [there, back] = [one(&first, &second).unwrap().alone, one(&second, &first).unwrap().alone];
            for (limit, other) in [(there.low, back.high), (there.high, back.low)] {
                let is_reciprocal = limit == 0.0 && other.is_infinite()
                    || limit.is_infinite() && other == 0.0
                    || (limit * other - 1.0).abs() < 1e-6;
                prop_assert!(is_reciprocal, "{limit} {other}");
            }
            let scaled = |values: &[f64]| values.iter().map(|value| value * unit).collect::<Vec<_>>();
            let same = one(&scaled(&first), &scaled(&second)).unwrap().alone;
            prop_assert!((same.low - there.low).abs() <= 1e-6 * there.low.max(1e-9), "{same:?} {there:?}");
        }
    }
}
