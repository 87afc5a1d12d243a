//! The ratios with their intervals as a plot: a line for each ratio, on a logarithmic axis where the baseline
//! is 100 %.
//!
//! Invariant: coordinates are shares of the axis, 0 to 1. An end that is cut off is marked.

use results::comparison::{CampaignComparison, RowConclusion};
use results::statistics::Interval;
use serde::Serialize;

use super::{percent, tone};
use crate::document::Tone;

/// The most ratios that are plotted.
const LINES_MAX: usize = 100;
/// The range of the axis is at least and at most this around 100 %.
const RANGE: (f64, f64) = (1.05, 64.0);
/// Candidates for ticks, in percent.
const TICKS: [f64; 27] = [
    100.0, 2.0, 3.0, 5.0, 10.0, 20.0, 25.0, 33.0, 50.0, 67.0, 75.0, 80.0, 90.0, 95.0, 98.0, 102.0, 105.0,
    110.0, 125.0, 133.0, 150.0, 200.0, 300.0, 400.0, 1000.0, 2000.0, 5000.0,
];
/// The smallest distance of two ticks, as a share of the axis.
const TICK_GAP: f64 = 0.11;

/// Ratios with their intervals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForestPlot {
    /// The ticks of the axis.
    pub ticks: Vec<ForestTick>,
    /// Where the baseline is.
    pub baseline: f64,
    /// The ratios.
    pub lines: Vec<ForestLine>,
    /// How to read it.
    pub note: String,
}

/// A labelled place on the axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForestTick {
    /// The place.
    pub at: f64,
    /// The label.
    pub label: String,
}

/// A ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForestLine {
    /// The row, and the campaign if there are several.
    pub label: String,
    /// The numbers, for a reader who points at it.
    pub title: String,
    /// The place of the ratio.
    pub at: f64,
    /// The ends of the interval that decides.
    pub ends: (f64, f64),
    /// The ends of the interval alone.
    pub alone: (f64, f64),
    /// Whether the lower and the upper end are beyond the axis.
    pub is_cut: (bool, bool),
    /// Its tone.
    pub tone: Tone,
}

/// The plot of a comparison.
pub(super) fn of(comparison: &CampaignComparison, letters: &[String]) -> ForestPlot {
    let mut all: Vec<(String, &RowConclusion)> = Vec::new();
    for row in &comparison.rows {
        for (one, letter) in row.against.iter().zip(&letters[1..]).filter(|(one, _)| one.together.is_some()) {
            let campaign = if letters.len() > 2 { format!("{letter}: ") } else { String::new() };
            all.push((format!("{campaign}{} {}", row.test, row.metric), one));
        }
    }
    let plotted = &all[..all.len().min(LINES_MAX)];
    let axis = LogAxis::of(plotted.iter().map(|(_, one)| *one));
    let more = all.len() - plotted.len();
    let rest = if more > 0 { format!(" {more} more ratios are not plotted.") } else { String::new() };
    ForestPlot {
        ticks: axis.ticks(),
        baseline: axis.place(1.0),
        lines: plotted.iter().filter_map(|(label, one)| axis.line(label, one)).collect(),
        note: format!(
            "The mean of a campaign, divided by that of the baseline A. Thick line: interval of this ratio \
             alone. Thin line: interval that holds for all ratios together, which decides.{rest}"
        ),
    }
}

/// A logarithmic axis, symmetric about 1.
struct LogAxis {
    reach: f64,
}

impl LogAxis {
    fn of<'c>(ratios: impl Iterator<Item = &'c RowConclusion>) -> Self {
        // The intervals alone decide the range, so that a wide interval does not hide all others.
        let values = ratios.flat_map(|one| {
            let alone = one.alone.unwrap_or(Interval { low: 1.0, high: 1.0 });
            [one.ratio.unwrap_or(1.0), alone.low, alone.high]
        });
        let distance =
            |value: f64| if value > 0.0 && value.is_finite() { value.max(1.0 / value) } else { 1.0 };
        let farthest = values.map(distance).fold(RANGE.0, f64::max);
        Self { reach: (farthest * 1.05).min(RANGE.1).ln() }
    }

    fn share(&self, ratio: f64) -> f64 {
        0.5 + 0.5 * ratio.max(f64::MIN_POSITIVE).ln() / self.reach
    }

    fn place(&self, ratio: f64) -> f64 {
        self.share(ratio).clamp(0.0, 1.0)
    }

    fn ticks(&self) -> Vec<ForestTick> {
        let mut ticks: Vec<ForestTick> = Vec::new();
        for percent in TICKS {
            let at = self.share(percent / 100.0);
            let is_free = ticks.iter().all(|tick| (tick.at - at).abs() >= TICK_GAP);
            if (0.0..=1.0).contains(&at) && is_free {
                ticks.push(ForestTick { at, label: format!("{percent} %") });
            }
        }
        ticks
    }

    fn line(&self, label: &str, one: &RowConclusion) -> Option<ForestLine> {
        let (ratio, alone, together) = (one.ratio?, one.alone?, one.together?);
        let ends = |interval: Interval| (self.place(interval.low), self.place(interval.high));
        let high = if together.high.is_finite() { percent(together.high) } else { "no limit".into() };
        let word = one.conclusion.word();
        Some(ForestLine {
            label: label.to_owned(),
            title: format!("{label}: {} ({} to {high}), {word}", percent(ratio), percent(together.low)),
            at: self.place(ratio),
            ends: ends(together),
            alone: ends(alone),
            is_cut: (self.share(together.low) < 0.0, self.share(together.high) > 1.0),
            tone: tone(one.conclusion),
        })
    }
}
