//! The chart of a series over time, in coordinates of the data: panels that share an axis of time.
//!
//! Invariant: every coordinate is finite. The number of points does not grow with the history.
//! Never here: pixels, colours.

use track::course::SeriesCourse;

use super::super::plots::{short, ticks_between};
use super::super::words::quantity;
use super::super::{Axis, PlotTick};
use super::{calendar, words};

/// The most characters of a tick of values. Only units that are not known are longer.
const LABEL_MAX: usize = 11;

/// How fine a chart is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChartDetail {
    /// Columns of points; each has a lowest and a highest point.
    pub(super) columns: usize,
    /// The most ticks of the axis of time.
    pub(super) time_ticks: usize,
    /// Whether there are panels below the values, and repetitions.
    pub(super) is_large: bool,
}

/// The chart of a series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HistoryChart {
    /// What it shows, for a reader that does not see it.
    pub(crate) label: String,
    /// The axis of time, in seconds since 1970.
    pub(crate) time: Axis,
    /// The values, and below them what is known beside them.
    pub(crate) panels: Vec<ChartPanel>,
    /// The events, as vertical bands.
    pub(crate) bands: Vec<ChartBand>,
    /// The places where points are not comparable with those before.
    pub(crate) cuts: Vec<ChartNote>,
    /// What is left out, in sentences; may be empty.
    pub(crate) left_out: String,
}

/// Values over the axis of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ChartPanel {
    /// The axis of the values.
    pub(crate) axis: Axis,
    /// The points.
    pub(crate) points: Vec<ChartPoint>,
    /// Levels, drifts and thresholds.
    pub(crate) lines: Vec<ChartLine>,
    /// The level shifts.
    pub(crate) shifts: Vec<ChartShift>,
    /// Points without a value.
    pub(crate) unusable: Vec<ChartNote>,
}

/// How a point looks: by the verdict of its clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointLook {
    /// The clause is PASS.
    Pass,
    /// The clause is FAIL.
    Fail,
    /// The clause is INCONCLUSIVE.
    Inconclusive,
    /// The clause is INVALID.
    Invalid,
    /// There is no clause, or it was not run.
    Unjudged,
}

/// A point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChartPoint {
    /// The time.
    pub(crate) at: f64,
    /// The value.
    pub(crate) y: f64,
    /// How it looks.
    pub(crate) look: PointLook,
    /// Whether it is far from the level.
    pub(crate) is_outlier: bool,
    /// The lowest and the highest repetition.
    pub(crate) spread: Option<(f64, f64)>,
    /// The text on hover.
    pub(crate) text: String,
}

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChartLineKind {
    /// The level between two shifts.
    Level,
    /// A gradual change.
    Drift,
    /// The threshold of a clause.
    Threshold,
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChartLine {
    /// What it shows.
    pub(crate) kind: ChartLineKind,
    /// Times and values.
    pub(crate) points: Vec<(f64, f64)>,
    /// The text on hover.
    pub(crate) text: String,
}

/// Whether a change is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeSide {
    /// The speed grows.
    Faster,
    /// The speed falls.
    Slower,
    /// It is no speed.
    Neither,
}

/// A level shift.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChartShift {
    /// The first point at the new level.
    pub(crate) at: f64,
    /// The shift is not before this time.
    pub(crate) from: f64,
    /// The shift is not after this time.
    pub(crate) to: f64,
    /// Whether it is good.
    pub(crate) side: ChangeSide,
    /// The ratio.
    pub(crate) label: String,
    /// How large it is: the absolute logarithm of the ratio.
    pub(crate) size: f64,
    /// The text on hover.
    pub(crate) text: String,
}

/// The time of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChartBand {
    /// Its start.
    pub(crate) from: f64,
    /// Its end.
    pub(crate) to: f64,
    /// The link to its description; may be empty.
    pub(crate) link: String,
    /// The text on hover.
    pub(crate) text: String,
}

/// A time with a text on hover.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChartNote {
    /// The time.
    pub(crate) at: f64,
    /// The text.
    pub(crate) text: String,
}

/// The axis of time of these series.
pub(super) fn time_axis<'c>(courses: impl Iterator<Item = &'c SeriesCourse>, most: usize) -> Axis {
    let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
    for course in courses {
        from = from.min(course.summary.first_s);
        to = to.max(course.summary.last_s);
    }
    if !(from.is_finite() && to.is_finite()) {
        (from, to) = (0.0, 0.0);
    }
    let beside = ((to - from) * 0.012).max(if to > from { 0.0 } else { 43_200.0 });
    let (from, to) = (from - beside, to + beside);
    Axis { label: String::new(), from, to, ticks: calendar::ticks(from, to, most) }
}

/// The axis of these values. It begins at 0 unless all of them are in its upper half.
pub(super) fn value_axis(label: &str, values: impl Iterator<Item = f64>, unit: &str) -> Axis {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| value.is_finite()) {
        (low, high) = (low.min(value), high.max(value));
    }
    if low > high {
        return Axis { label: label.to_owned(), from: 0.0, to: 1.0, ticks: Vec::new() };
    }
    let beside = match high - low {
        0.0 if high == 0.0 => 1.0,
        0.0 => high.abs() * 0.1,
        length => length * 0.1,
    };
    let from = if (0.0..high / 2.0).contains(&low) || low == 0.0 { 0.0 } else { low - beside };
    let from = if low >= 0.0 { from.max(0.0) } else { from };
    let to = high + beside;
    let ticks: Vec<PlotTick> =
        ticks_between(from, to, |at| words::shortened(&short(&quantity(at, unit)), LABEL_MAX));
    Axis { label: label.to_owned(), from, to, ticks: distinct(ticks) }
}

/// The ticks, unless rounding gives several of them the same label.
fn distinct(mut ticks: Vec<PlotTick>) -> Vec<PlotTick> {
    ticks.dedup_by(|one, other| one.label == other.label);
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_of_values_begins_at_zero_unless_all_values_are_in_its_upper_half() {
        let ends = |values: &[f64]| {
            let axis = value_axis("", values.iter().copied(), "B/s");
            (axis.from, axis.to)
        };
        assert_eq!(ends(&[10.0, 100.0]).0, 0.0);
        assert_eq!(ends(&[90.0, 100.0]), (89.0, 101.0));
        assert!(value_axis("", std::iter::once(f64::NAN), "B/s").ticks.is_empty());
        for values in [&[0.0][..], &[5.0], &[-3.0, 4.0], &[]] {
            let (from, to) = ends(values);
            assert!(from < to && values.iter().all(|value| (from..=to).contains(value)), "{values:?}");
        }
    }
}
