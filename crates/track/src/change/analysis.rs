//! The whole analysis: the steps of [`super`], in their order.
//!
//! Invariant: indices in the result are those of the points of the caller.

use measure::statistics::{mean, median, robust_deviation};

use super::drift::{DriftLine, line, replace_steps};
use super::noise::{limited, noise};
use super::segmentation::Division;
use super::variability;
use super::weekly::without_week;
use super::welch::LevelError;
use super::{Analysis, ChangeSettings, HistoryNoise, HistoryPoint, LevelSegment, LevelShift, WeeklyPattern};

/// The 97.5 % quantile of the limit distribution of a place, in units of `variance / difference²` points.
/// Source: Bai, "Estimation of a Change Point in Multiple Regression Models", 1997.
const PLACE_QUANTILE: f64 = 11.0;

/// Finds all changes of a history. The points are in the order of time.
pub fn analyse(points: &[HistoryPoint], settings: &ChangeSettings) -> Analysis {
    let levels = Levels::of(points, settings);
    let lines = levels.lines(settings);
    let residuals = levels.residuals(&lines);
    let drifts = lines.iter().map(|line| line.report(&levels.index)).collect();
    Analysis {
        shifts: levels.shifts(settings),
        drifts,
        variability: variability::changes(&residuals, &levels.times_s, &levels.index, settings),
        outliers: levels.outliers(&residuals, settings),
        segments: levels.segments(&residuals),
        noise: if levels.values.len() > 2 {
            levels.noise
        } else {
            HistoryNoise { deviation: 0.0, correlation: 0.0 }
        },
        unusable: (0..points.len()).filter(|place| !is_usable(&points[*place])).collect(),
        weekly: levels.weekly,
    }
}

/// The level shifts alone, which is the part that decides at each new point.
pub(super) fn shifts(points: &[HistoryPoint], settings: &ChangeSettings) -> Vec<LevelShift> {
    Levels::of(points, settings).shifts(settings)
}

fn is_usable(point: &HistoryPoint) -> bool {
    point.time_s.is_finite() && point.rate.is_finite() && point.rate > 0.0
}

/// A history as logarithms, divided into levels.
struct Levels {
    /// The places of the usable points in the points of the caller.
    index: Vec<usize>,
    times_s: Vec<f64>,
    /// Logarithms of rates, without a weekly pattern.
    values: Vec<f64>,
    /// The same, with outliers limited.
    limited: Vec<f64>,
    weekly: Option<WeeklyPattern>,
    noise: HistoryNoise,
    /// The first points of new levels.
    places: Vec<usize>,
    /// Ranges that drift.
    drifting: Vec<(usize, usize)>,
}

impl Levels {
    fn of(points: &[HistoryPoint], settings: &ChangeSettings) -> Self {
        let index: Vec<usize> = (0..points.len()).filter(|place| is_usable(&points[*place])).collect();
        let times_s: Vec<f64> = index.iter().map(|place| points[*place].time_s).collect();
        let logarithms: Vec<f64> = index.iter().map(|place| points[*place].rate.ln()).collect();
        let (weekly, values) = without_week(&logarithms, &times_s, settings);
        let noise = noise(&values, settings.segment_min);
        let limited = limited(&values, &noise);
        let mut places = Division::of_levels(&limited, noise, settings).places();
        let drifting = replace_steps(&limited, &times_s, &noise, &mut places);
        Self { index, times_s, values, limited, weekly, noise, places, drifting }
    }

    /// The ranges between the shifts.
    fn ranges(&self) -> Vec<(usize, usize)> {
        let ends: Vec<usize> = [&[0], self.places.as_slice(), &[self.values.len()]].concat();
        ends.windows(2).map(|pair| (pair[0], pair[1])).filter(|(start, end)| start < end).collect()
    }

    /// The lines of all ranges that drift.
    fn lines(&self, settings: &ChangeSettings) -> Vec<DriftLine> {
        let of_range = |range: (usize, usize)| {
            let line = line(&self.limited, &self.times_s, &self.noise, range, settings)?;
            (self.drifting.contains(&range) || line.p <= settings.drift_p_max).then_some(line)
        };
        self.ranges().into_iter().filter_map(of_range).collect()
    }

    /// The values minus the level or the line of their range.
    fn residuals(&self, lines: &[DriftLine]) -> Vec<f64> {
        let mut residuals = Vec::with_capacity(self.values.len());
        for (start, end) in self.ranges() {
            let line = lines.iter().find(|line| line.range == (start, end));
            let level = median(&self.values[start..end]).unwrap_or(0.0);
            let expected = |place: usize| line.map_or(level, |line| line.at(self.times_s[place]));
            residuals.extend((start..end).map(|place| self.values[place] - expected(place)));
        }
        residuals
    }

    fn shifts(&self, settings: &ChangeSettings) -> Vec<LevelShift> {
        let division = Division::of_levels(&self.limited, self.noise, settings);
        let shift = |(which, at): (usize, &usize)| {
            let (start, end) = division.neighbours(&self.places, which);
            let test = division.test(start, *at, end);
            let ratio = test.ratio(settings.confidence);
            let points = PLACE_QUANTILE * test.variance / test.difference.powi(2);
            let points = points.min((end - start) as f64) as usize + 1;
            let (earliest, latest) = ((at - points.min(at - start - 1)), (at + points).min(end - 1));
            LevelShift {
                index: self.index[*at],
                time_s: self.times_s[*at],
                earliest: self.index[earliest],
                latest: self.index[latest],
                earliest_s: self.times_s[earliest - 1],
                latest_s: self.times_s[latest],
                ratio: ratio.ratio,
                ratio_low: ratio.low,
                ratio_high: ratio.high,
                p: test.p(),
            }
        };
        self.places.iter().enumerate().map(shift).collect()
    }

    fn outliers(&self, residuals: &[f64], settings: &ChangeSettings) -> Vec<usize> {
        let mut outliers = Vec::new();
        for (start, end) in self.ranges() {
            let own = robust_deviation(&residuals[start..end]);
            let limit = settings.outlier_deviations * own.max(self.noise.deviation / 2.0);
            let far = (start..end).filter(|place| residuals[*place].abs() > limit);
            outliers.extend(far.map(|place| self.index[place]));
        }
        outliers
    }

    fn segments(&self, residuals: &[f64]) -> Vec<LevelSegment> {
        let segment = |(start, end): (usize, usize)| {
            let limited = &self.limited[start..end];
            let LevelError { square, freedom } = LevelError::of(limited, &self.noise);
            LevelSegment {
                first: self.index[start],
                last: self.index[end - 1],
                points: end - start,
                level: mean(limited).unwrap_or(0.0).exp(),
                deviation: robust_deviation(&residuals[start..end]),
                error: square.sqrt(),
                freedom,
            }
        };
        self.ranges().into_iter().map(segment).collect()
    }
}
