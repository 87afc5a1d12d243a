//! The statistics of repetitions that a criterion can compare, a row each.
//!
//! Invariant: pure; what depends on the statistic is a field of its row.
//! Never here: thresholds, outcomes.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error};

use super::power::Undecided;
use super::{
    Interval, Side, cov, limit_of_cov, limit_of_mean, limit_of_quantile, max, mean, min,
    paired_ratio_interval, quantile, quantile_ratio_interval, repetitions_for_mean, repetitions_for_quantile,
    value_ratio_interval, values_for_quantile,
};

/// The confidence limit of values on a side, at a confidence of 0.5 to 1; `None` with too few values.
pub type LimitOf = fn(&[f64], Side, f64) -> Option<f64>;

/// What is known about one statistic.
pub struct StatRow {
    /// Its word in plans and verdicts.
    pub word: &'static str,
    /// Its value; `None` with too few values.
    pub value: fn(&[f64]) -> Option<f64>,
    /// The value of a measured threshold, from the values of its repetitions.
    pub reference: fn(&[f64]) -> Option<f64>,
    /// Its confidence limit; `None` if it has none.
    pub limit: Option<LimitOf>,
    /// The fewest values that have a limit on this side at this confidence.
    pub limit_from: Option<fn(Side, f64) -> usize>,
    /// The limits of the ratio to the values of a measured threshold. The values belong together in pairs if
    /// the statistic is compared in pairs.
    pub ratio: fn(&[f64], &[f64], f64) -> Option<Interval>,
    /// The fewest values on each side that give limits of a ratio at this confidence.
    pub ratio_from: fn(f64) -> usize,
    /// How many repetitions in all would probably decide.
    pub repetitions: Option<fn(&Undecided<'_>) -> Option<u32>>,
    /// What follows if neighbours are significantly alike.
    pub neighbours: AlikeNeighbours,
    /// Whether two values or more decide only by a limit, because some decide where their mean does not.
    pub is_order_statistic: bool,
    /// Whether it is the arithmetic mean. A test of two means says how many repetitions would decide.
    pub is_mean: bool,
    /// Whether it is a share that says how the values vary, and less is better.
    pub is_variability: bool,
    /// Whether it is above the mean.
    pub exceeds_mean: bool,
}

/// What follows if neighbouring values are significantly alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlikeNeighbours {
    /// Its limits are wider.
    Widen,
    /// Its own value is a fact. Only the limits of the mean of a measured threshold are wider.
    WidenReference,
    /// Its limits are those of independent values, so it decides nothing.
    Undecide,
    /// They show less variability than there is. So a value above the maximum stays so, and one below decides
    /// nothing.
    UndecideMet,
}

macro_rules! stats {
    ($($(#[$doc:meta])* $name:ident = $row:expr;)*) => {
        /// The statistic of the repetitions that is compared.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Stat { $($(#[$doc])* $name,)* }

        const ROWS: &[StatRow] = &[$($row),*];

        impl Stat {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$name),*];
            /// All words, in order.
            pub const WORDS: &[&str] = &{
                let mut words = [""; ROWS.len()];
                let mut at = 0;
                while at < words.len() {
                    words[at] = ROWS[at].word;
                    at += 1;
                }
                words
            };
        }
    };
}

/// A statistic without a limit of its own: its value is a fact.
const FACT: StatRow = StatRow {
    word: "",
    value: max,
    reference: mean,
    limit: None,
    limit_from: None,
    ratio: |_, _, _| None,
    ratio_from: |_| 2,
    repetitions: Some(|of| repetitions_for_mean(of.values, of.threshold, of.confidence)),
    neighbours: AlikeNeighbours::WidenReference,
    is_order_statistic: false,
    is_mean: false,
    is_variability: false,
    exceeds_mean: false,
};

/// A quantile: both its value and its limits are order statistics.
macro_rules! quantile {
    ($share:literal) => {
        StatRow {
            value: |values| quantile(values, $share),
            reference: |values| quantile(values, $share),
            limit: Some(|values, side, confidence| limit_of_quantile(values, $share, side, confidence)),
            limit_from: Some(|side, confidence| values_for_quantile($share, side, confidence)),
            ratio: |values, others, confidence| quantile_ratio_interval($share, values, others, confidence),
            ratio_from: |confidence| {
                // Half the error for each of the two.
                let each = f64::midpoint(confidence, 1.0);
                let from = [Side::Lower, Side::Upper].map(|side| values_for_quantile($share, side, each));
                from[0].max(from[1])
            },
            repetitions: Some(|of| repetitions_for_quantile($share, of)),
            neighbours: AlikeNeighbours::Undecide,
            is_order_statistic: true,
            ..FACT
        }
    };
}

stats! {
    /// Arithmetic mean.
    Mean = StatRow {
        word: "mean",
        value: mean,
        limit: Some(limit_of_mean),
        limit_from: Some(|_, _| 2),
        ratio: paired_ratio_interval,
        neighbours: AlikeNeighbours::Widen,
        is_mean: true,
        ..FACT
    };
    /// Median.
    Median = StatRow { word: "median", ..quantile!(0.5) };
    /// 95th percentile, the nearest rank.
    P95 = StatRow { word: "p95", exceeds_mean: true, ..quantile!(0.95) };
    /// Smallest.
    Min = StatRow {
        word: "min",
        value: min,
        ratio: |values, others, confidence| value_ratio_interval(min(values)?, others, confidence),
        ..FACT
    };
    /// Largest.
    Max = StatRow {
        word: "max",
        value: max,
        ratio: |values, others, confidence| value_ratio_interval(max(values)?, others, confidence),
        exceeds_mean: true,
        ..FACT
    };
    /// That of the repetition in which another value was best. Which one that is, is not known here. The
    /// first of the values is taken for it.
    Best = StatRow {
        word: "best",
        value: |values| values.first().copied(),
        ratio: |values, others, confidence| value_ratio_interval(*values.first()?, others, confidence),
        repetitions: None,
        ..FACT
    };
    /// Coefficient of variation, a share.
    Cov = StatRow {
        word: "cov",
        value: cov,
        limit: Some(limit_of_cov),
        ratio: |values, others, confidence| value_ratio_interval(cov(values)?, others, confidence),
        repetitions: None,
        neighbours: AlikeNeighbours::UndecideMet,
        is_variability: true,
        ..FACT
    };
}

impl Stat {
    /// All that is known about it.
    pub fn row(self) -> &'static StatRow {
        &ROWS[self as usize]
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.row().word)
    }
}

impl<'de> Deserialize<'de> for Stat {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        let known = Self::ALL.iter().copied().find(|stat| stat.row().word == word);
        known.ok_or_else(|| D::Error::unknown_variant(&word, Self::WORDS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_exists_from_its_fewest_values_on() {
        for (row, confidence) in ROWS.iter().zip([0.9, 0.95, 0.99].into_iter().cycle()) {
            let Some((limit, from)) = row.limit.zip(row.limit_from) else { continue };
            for side in [Side::Lower, Side::Upper] {
                let values: Vec<f64> = (1..=from(side, confidence)).map(|value| value as f64).collect();
                assert!(limit(&values, side, confidence).is_some(), "{}", row.word);
                assert_eq!(limit(&values[1..], side, confidence), None, "{}", row.word);
            }
        }
    }

    #[test]
    fn a_ratio_has_limits_from_its_fewest_values_on() {
        for row in ROWS {
            let values: Vec<f64> = (11..).map(f64::from).take((row.ratio_from)(0.95)).collect();
            assert!((row.ratio)(&values, &values, 0.95).is_some(), "{}", row.word);
            assert_eq!((row.ratio)(&values[1..], &values[1..], 0.95), None, "{}", row.word);
        }
    }

    #[test]
    fn a_limit_is_on_its_side_of_the_value() {
        let values: Vec<f64> = (0..200).map(|at| 100.0 + f64::from(at * 7 % 13)).collect();
        for row in ROWS {
            let Some(limit) = row.limit else { continue };
            let value = (row.value)(&values).unwrap();
            let [low, high] = [Side::Lower, Side::Upper].map(|side| limit(&values, side, 0.95).unwrap());
            assert!(low <= value && value <= high && low < high, "{}: {low} {value} {high}", row.word);
        }
    }
}
