//! Change points of a history of rates: level shifts, drifts, changes of the variability, and outliers.
//!
//! All statistics are about natural logarithms of rates, so a change is a ratio. The steps:
//!
//! 1. [`noise`] limits the influence of outliers, and estimates deviation and lag-1 correlation.
//! 2. [`weekly`] removes a pattern of the days of the week, if it is significant.
//! 3. [`segmentation`] finds candidates with the statistic of [`energy`] (E-divisive means, Matteson and
//!    James 2014). It keeps those that the test of [`welch`] finds significant, as Hunter does (Fleming and
//!    Kolodiazhnyi 2023).
//! 4. [`drift`] replaces several shifts by one drift where a line fits better.
//! 5. [`variability`] compares residuals before and after every possible change.
//!
//! docs/explanation/change-points.md explains the steps. docs/validation/change-points.md has the rates of
//! false alarms and of detection.
//!
//! Invariant: pure and without randomness. A factor on all rates changes no decision.
//! Never here: files, names of metrics, verdicts.

mod analysis;
mod detector;
mod drift;
mod energy;
mod noise;
mod segmentation;
mod variability;
mod weekly;
mod welch;

use serde::Serialize;

pub use analysis::analyse;
pub use detector::Detector;
pub use energy::divisive_statistic;

/// The month of drifts: 30.44 days, in seconds.
pub const MONTH_S: f64 = 30.44 * 86_400.0;

/// One measured rate of a history.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HistoryPoint {
    /// Unix time of the measurement, in seconds.
    pub time_s: f64,
    /// The rate, in any unit that is the same for the whole history.
    pub rate: f64,
}

/// The thresholds of an analysis. The defaults are those of docs/validation/change-points.md; the stated rate
/// of false alarms holds only for them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ChangeSettings {
    /// The largest p-value of one test at which a shift is reported. The test is repeated for many places and
    /// at every new point, so this is much smaller than the rate of false alarms.
    pub shift_p_max: f64,
    /// The largest p-value at which a change of the variability is reported.
    pub variability_p_max: f64,
    /// The largest p-value at which a drift of one segment is reported.
    pub drift_p_max: f64,
    /// The largest p-value at which a pattern of the days of the week is removed.
    pub weekly_p_max: f64,
    /// The least number of points of a segment.
    pub segment_min: usize,
    /// The least number of points of a segment in which a drift, or a side of a change of the variability,
    /// is sought.
    pub long_segment_min: usize,
    /// The smallest reported shift, as a share: 0.01 reports no change below 1 %.
    pub change_min: f64,
    /// A point is an outlier at this number of robust deviations from the level of its segment.
    pub outlier_deviations: f64,
    /// The confidence of all intervals, between 0 and 1.
    pub confidence: f64,
}

impl Default for ChangeSettings {
    fn default() -> Self {
        Self {
            shift_p_max: 1e-5,
            variability_p_max: 1e-5,
            drift_p_max: 1e-3,
            weekly_p_max: 1e-3,
            segment_min: 5,
            long_segment_min: 20,
            change_min: 0.01,
            outlier_deviations: 4.0,
            confidence: 0.95,
        }
    }
}

/// A lasting change of the level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LevelShift {
    /// The first point at the new level.
    pub index: usize,
    /// The time of that point, in Unix seconds.
    pub time_s: f64,
    /// The first point at the new level is not before this one, with the confidence of the settings.
    pub earliest: usize,
    /// The first point at the new level is not after this one.
    pub latest: usize,
    /// The change is not before this time: the time of the last point before `earliest`.
    pub earliest_s: f64,
    /// The change is not after this time: the time of `latest`.
    pub latest_s: f64,
    /// The level after the change over the level before it.
    pub ratio: f64,
    /// The lower limit of the ratio.
    pub ratio_low: f64,
    /// The upper limit of the ratio.
    pub ratio_high: f64,
    /// The p-value of the test of both levels, without any correction for the number of tests.
    pub p: f64,
}

/// A gradual change of the level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LevelDrift {
    /// The first point of the drift.
    pub first: usize,
    /// The last point of the drift.
    pub last: usize,
    /// Change in percent per month of 30.44 days.
    pub percent_per_month: f64,
    /// The lower limit of that change.
    pub percent_low: f64,
    /// The upper limit of that change.
    pub percent_high: f64,
    /// The p-value of Mann and Kendall's test, corrected for the lag-1 correlation.
    pub p: f64,
}

/// A change of the variability about the level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VariabilityChange {
    /// The first point with the new variability.
    pub index: usize,
    /// The time of that point, in Unix seconds.
    pub time_s: f64,
    /// The deviation after the change over the deviation before it. Above 1 the variability grows.
    pub ratio: f64,
    /// The p-value of the test, without any correction for the number of tests.
    pub p: f64,
}

/// Points between two neighbouring shifts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LevelSegment {
    /// The first point.
    pub first: usize,
    /// The last point.
    pub last: usize,
    /// The number of usable points.
    pub points: usize,
    /// The level: the geometric mean of the rates, with outliers limited, in the unit of the rates.
    pub level: f64,
    /// Robust deviation of the logarithms, close to the coefficient of variation.
    pub deviation: f64,
    /// Standard error of the logarithm of the level, as the test of a shift uses it.
    pub error: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
}

impl LevelSegment {
    /// The level divided by that of another segment, with the interval of a shift between them.
    pub fn over(&self, other: &Self, confidence: f64) -> LevelRatio {
        let error = |one: &Self| welch::LevelError { square: one.error.powi(2), freedom: one.freedom };
        welch::ratio((self.level / other.level).ln(), error(other), error(self), confidence)
    }
}

/// The ratio of two levels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LevelRatio {
    /// The ratio.
    pub ratio: f64,
    /// The lower limit.
    pub low: f64,
    /// The upper limit.
    pub high: f64,
}

/// The pattern of the days of the week that was removed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WeeklyPattern {
    /// Typical rate of each day over the typical rate of the week, from Thursday, the day of Unix time 0. In
    /// UTC. A day without points has the ratio 1.
    pub ratios: [f64; 7],
    /// The p-value of the test.
    pub p: f64,
}

/// What is known about the noise of the whole history.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HistoryNoise {
    /// Robust deviation of the logarithms, without the shifts.
    pub deviation: f64,
    /// The correlation of neighbouring points, from 0, as the tests use it: the estimate, plus one over the
    /// root of the number of points. A short history does not show its correlation well.
    pub correlation: f64,
}

/// All changes of a history. Indices are those of the points that the caller passed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// The level shifts, in the order of time.
    pub shifts: Vec<LevelShift>,
    /// The drifts, in the order of time.
    pub drifts: Vec<LevelDrift>,
    /// The changes of the variability, in the order of time.
    pub variability: Vec<VariabilityChange>,
    /// Points that are far from the level of their segment.
    pub outliers: Vec<usize>,
    /// The segments between the shifts, in the order of time.
    pub segments: Vec<LevelSegment>,
    /// The weekly pattern, if one was removed.
    pub weekly: Option<WeeklyPattern>,
    /// The noise; zeros below three points.
    pub noise: HistoryNoise,
    /// Points without a usable rate and time: not finite, or a rate that is not above zero.
    pub unusable: Vec<usize>,
}
