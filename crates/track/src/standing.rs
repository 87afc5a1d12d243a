//! Whether a series is as fast as at its baseline.
//!
//! The level of the last segment is compared with that of the segment of the baseline. A difference counts
//! only if the analysis found a shift or a drift between them, so its false alarms are those of the analysis.
//!
//! Never here: what a fall means for a contract.

use results::comparison::MetricDirection;

use crate::change::{LevelRatio, MONTH_S};
use crate::course::{CoursePart, SeriesCourse};

/// Fewer usable points of a part decide nothing: a shift needs five points on each side.
pub const POINTS_MIN: usize = 10;
/// After this number of points without usable values the state is not known. It is the number of points that
/// a shift needs.
pub const UNUSABLE_MAX: usize = 5;
/// The confidence of the interval of a change, between 0 and 1.
const CONFIDENCE: f64 = 0.95;

/// What a series shows since its baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// The part with the last point has too few usable points; how many.
    TooFew(usize),
    /// The last points have no usable values; how many.
    Unusable(usize),
    /// No change was found.
    Unchanged,
    /// The speed changed.
    Changed(SpeedChange),
    /// More is neither faster nor slower, or the values are counts.
    NotASpeed,
}

/// A change of the speed since the baseline. The speed of a time is its reciprocal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedChange {
    /// The speed now over that of the baseline.
    pub ratio: f64,
    /// The lower limit of the ratio, with a confidence of 95 %.
    pub low: f64,
    /// The upper limit.
    pub high: f64,
    /// When the last change began, seconds since 1970.
    pub since_s: f64,
    /// Whether it is gradual.
    pub is_drift: bool,
}

impl SpeedChange {
    /// Whether the speed is shown to be below `share` of that of the baseline.
    pub fn is_shown_below(&self, share: f64) -> bool {
        self.high < share
    }
}

/// A newest point that is slower than the level before it, and an outlier of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowPoint {
    /// Its time, seconds since 1970.
    pub time_s: f64,
    /// Its speed over that of its level.
    pub ratio: f64,
}

/// The newest point of a series, if it is a slow outlier. Five such points are a new level, which is a
/// standing. A baseline that begins after the point before accepts the newest: the series may have stopped.
pub fn slow_newest(course: &SeriesCourse, since_s: Option<f64>) -> Option<SlowPoint> {
    let part = course.current()?;
    let newest = part.places.len().checked_sub(1)?;
    let before = newest.checked_sub(1).map(|before| course.points[part.places[before]].time_s);
    if since_s > before {
        return None;
    }
    let usable = part.places.len() - part.analysis.unusable.len();
    if usable < POINTS_MIN || !part.analysis.outliers.contains(&newest) {
        return None;
    }
    let point = &course.points[part.places[newest]];
    let ratio = point.mean? / part.segment_of(newest)?.level;
    let ratio = match course.summary.direction {
        MetricDirection::HigherIsFaster => ratio,
        MetricDirection::LowerIsFaster => 1.0 / ratio,
        MetricDirection::Neither | MetricDirection::Count => return None,
    };
    (ratio < 1.0).then_some(SlowPoint { time_s: point.time_s, ratio })
}

/// The standing of the part with the last point. The baseline is the segment with the first point at or after
/// `since_s`; without a time it is the first segment.
pub fn standing(course: &SeriesCourse, since_s: Option<f64>) -> Standing {
    use MetricDirection::{Count, HigherIsFaster, LowerIsFaster, Neither};
    let Some(part) = course.current() else { return Standing::TooFew(0) };
    let usable = part.places.len() - part.analysis.unusable.len();
    let unusable = unusable_at_the_end(course);
    match course.summary.direction {
        Neither | Count => Standing::NotASpeed,
        _ if unusable >= UNUSABLE_MAX => Standing::Unusable(unusable),
        _ if usable < POINTS_MIN => Standing::TooFew(usable),
        HigherIsFaster => changed(course, part, since_s).map_or(Standing::Unchanged, Standing::Changed),
        LowerIsFaster => {
            let inverse = |one: SpeedChange| SpeedChange {
                ratio: 1.0 / one.ratio,
                low: 1.0 / one.high,
                high: 1.0 / one.low,
                ..one
            };
            let found = changed(course, part, since_s).map(inverse);
            found.map_or(Standing::Unchanged, Standing::Changed)
        }
    }
}

/// How many points at the end of a series have no usable values.
pub fn unusable_at_the_end(course: &SeriesCourse) -> usize {
    course.points.iter().rev().take_while(|point| point.mean.is_none()).count()
}

/// The change of the values, if there is one.
fn changed(course: &SeriesCourse, part: &CoursePart, since_s: Option<f64>) -> Option<SpeedChange> {
    let time = |index: usize| course.points[part.places[index]].time_s;
    let since_s = since_s.unwrap_or(f64::NEG_INFINITY);
    // A point without usable values is in no segment if it is at the start of one.
    let mut since = (0..part.places.len()).filter(|index| time(*index) >= since_s);
    let (index, baseline) = since.find_map(|index| Some((index, part.segment_of(index)?)))?;
    let last = part.analysis.segments.last()?;
    if baseline.first != last.first {
        let shift = part.analysis.shifts.iter().find(|shift| shift.index == last.first);
        let since_s = shift.map_or(time(last.first), |shift| shift.time_s);
        let LevelRatio { ratio, low, high } = last.over(baseline, CONFIDENCE);
        return Some(SpeedChange { ratio, low, high, since_s, is_drift: false });
    }
    let drift = part.analysis.drifts.iter().find(|drift| drift.first <= last.last && drift.last >= index)?;
    let months = (time(drift.last) - time(drift.first.max(index))) / MONTH_S;
    let after = |percent: f64| (1.0 + percent / 100.0).powf(months);
    Some(SpeedChange {
        ratio: after(drift.percent_per_month),
        low: after(drift.percent_low),
        high: after(drift.percent_high),
        since_s: time(drift.first),
        is_drift: true,
    })
}
