//! The ratios with their intervals as a plot: a line for each ratio, on a logarithmic axis where the baseline
//! is 100 %.
//!
//! Invariant: coordinates are shares of the axis, 0 to 1. An end that is cut off is marked.

use results::comparison::{CampaignComparison, RowConclusion};
use results::statistics::Interval;

use super::{percent, tone};
use crate::document::{
    Axis, LineStyle, MarkShape, MarkStyle, Plot, PlotLine, PlotMark, PlotSpan, PlotTick, SpanKind,
};

/// The most ratios that are plotted.
const LINES_MAX: usize = 100;
/// The range of the axis is at least and at most this around 100 %.
const RANGE: (f64, f64) = (1.05, 64.0);
/// Candidates for ticks, in percent, the most important first.
const TICKS: [f64; 27] = [
    100.0, 2.0, 3.0, 5.0, 10.0, 20.0, 25.0, 33.0, 50.0, 67.0, 75.0, 80.0, 90.0, 95.0, 98.0, 102.0, 105.0,
    110.0, 125.0, 133.0, 150.0, 200.0, 300.0, 400.0, 1000.0, 2000.0, 5000.0,
];
/// The smallest distance of two ticks, as a share of the axis.
const TICK_GAP: f64 = 0.11;

/// The most characters of a label, and its characters before the part that is left out.
const LABEL: (usize, usize) = (42, 8);

/// The plot of a comparison. Its rows are 1 high.
pub(super) fn plot(comparison: &CampaignComparison, letters: &[String]) -> Plot {
    let mut all: Vec<(String, &RowConclusion)> = Vec::new();
    for row in &comparison.rows {
        for (one, letter) in row.against.iter().zip(&letters[1..]).filter(|(one, _)| one.together.is_some()) {
            let campaign = if letters.len() > 2 { format!("{letter}: ") } else { String::new() };
            all.push((format!("{campaign}{} {}", row.test, row.metric), one));
        }
    }
    let shown = &all[..all.len().min(LINES_MAX)];
    let more = all.len() - shown.len();
    let rest = if more > 0 { format!(" {more} more ratios are not plotted.") } else { String::new() };
    let mut plot = Plot {
        note: format!(
            "The mean of a campaign, divided by that of the baseline A. Thick line: interval of this ratio \
             alone. Thin line: interval that holds for all ratios together, which decides.{rest}"
        ),
        x: axis(shown.iter().map(|(_, one)| *one)),
        y: Axis { to: shown.len() as f64, ..Axis::default() },
        spans: vec![PlotSpan { kind: SpanKind::Base, ..PlotSpan::default() }],
        ..Plot::default()
    };
    for (row, (label, one)) in shown.iter().enumerate() {
        add_row(&mut plot, (shown.len() - row) as f64 - 0.5, label, one);
    }
    plot
}

/// A logarithmic axis, symmetric about 1.
fn axis<'c>(ratios: impl Iterator<Item = &'c RowConclusion>) -> Axis {
    // The intervals alone decide the range, so that a wide interval does not hide all others.
    let values = ratios.flat_map(|one| {
        let alone = one.alone.unwrap_or(Interval { low: 1.0, high: 1.0 });
        [one.ratio.unwrap_or(1.0), alone.low, alone.high]
    });
    let distance = |value: f64| if value > 0.0 && value.is_finite() { value.max(1.0 / value) } else { 1.0 };
    let farthest = values.map(distance).fold(RANGE.0, f64::max);
    let reach = (farthest * 1.05).min(RANGE.1).ln();
    let mut ticks: Vec<PlotTick> = Vec::new();
    for percent in TICKS {
        let at = (percent / 100.0).ln();
        let is_free = ticks.iter().all(|tick| (tick.at - at).abs() >= TICK_GAP * 2.0 * reach);
        if at.abs() <= reach && is_free {
            ticks.push(PlotTick { at, label: format!("{percent} %") });
        }
    }
    ticks.sort_by(|one, other| one.at.total_cmp(&other.at));
    Axis { label: String::new(), from: -reach, to: reach, ticks }
}

/// Adds a ratio with its intervals at this height.
fn add_row(plot: &mut Plot, y: f64, label: &str, one: &RowConclusion) {
    let (Some(ratio), Some(alone), Some(together)) = (one.ratio, one.alone, one.together) else { return };
    let (from, to) = (plot.x.from, plot.x.to);
    let at = |ratio: f64| ratio.max(f64::MIN_POSITIVE).ln();
    let place = |ratio: f64| at(ratio).clamp(from, to);
    let high = if together.high.is_finite() { percent(together.high) } else { "no limit".into() };
    let (low, word, tone) = (percent(together.low), one.conclusion.word(), tone(one.conclusion));
    let text = format!("{label}: {} ({low} to {high}), {word}", percent(ratio));
    let line = |interval: Interval, style| PlotLine {
        label: text.clone(),
        points: [interval.low, interval.high].map(|end| (place(end), y)).into(),
        style,
    };
    let end = |ratio: f64, is_cut: bool, cut: MarkShape| PlotMark {
        x: place(ratio),
        y,
        style: MarkStyle::Toned(tone),
        text: text.clone(),
        shape: if is_cut { cut } else { MarkShape::End },
        ..PlotMark::default()
    };
    plot.marks.extend([
        end(together.low, at(together.low) < from, MarkShape::CutLow),
        end(together.high, at(together.high) > to, MarkShape::CutHigh),
        PlotMark {
            x: place(ratio),
            y,
            text: text.clone(),
            style: MarkStyle::Toned(tone),
            ..PlotMark::default()
        },
    ]);
    plot.lines.extend([line(together, LineStyle::Together(tone)), line(alone, LineStyle::Alone(tone))]);
    plot.y.ticks.push(PlotTick { at: y, label: units::elided(label, LABEL.0, LABEL.1) });
}
