//! The repetitions of a criterion as dots, with the threshold, the compared value and its confidence limit.
//!
//! Invariant: every value is one of the verdict.
//! Never here: statistics.

use results::Verdict;

use crate::document::chart::axes::{short, step, thinned, ticks_between};
use crate::document::clauses::values_of;
use crate::document::words::{confidence, distinguished, quantity};
use crate::document::{Axis, LegendEntry, LineStyle, MarkShape, Plot, PlotLine, PlotMark, PlotTick};

/// The most dots of a plot.
const DOTS: usize = 400;

/// A plot for each evaluated metric with several repetitions. Criteria on the same values share one.
pub(super) fn plots(verdicts: &[&Verdict]) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    for verdict in verdicts {
        if let Some(plot) = plot(verdict)
            && plots.iter().all(|known| known.title != plot.title)
        {
            plots.push(plot);
        }
    }
    plots
}

fn plot(verdict: &Verdict) -> Option<Plot> {
    let statistics = verdict.statistics.as_ref().filter(|statistics| statistics.values.len() > 1)?;
    let (threshold, unit) = values_of(statistics, verdict);
    let threshold = threshold.filter(|threshold| threshold.is_finite());
    let dots = thinned(&statistics.values, DOTS);
    let text = |value: f64| distinguished(value, threshold, unit);
    let mark = |(place, value): &(usize, f64)| PlotMark {
        x: *place as f64 + 1.0,
        y: *value,
        text: format!("repetition {}: {}", place + 1, text(*value)),
        ..PlotMark::default()
    };
    let rules: Vec<(LineStyle, f64, String)> =
        rules(verdict).into_iter().filter(|(_, at, _)| at.is_finite()).collect();
    let all = || dots.iter().map(|(_, value)| *value).chain(rules.iter().map(|(_, at, _)| *at));
    let (low, high) = (all().min_by(f64::total_cmp)?, all().max_by(f64::total_cmp)?);
    let (from, to) = range(low, high);
    let number = statistics.values.len();
    let few = if dots.len() < number {
        format!(" {} of {number} repetitions are plotted, with the lowest and highest.", dots.len())
    } else {
        String::new()
    };
    let x = Axis {
        label: "repetition, in the order of the runs".into(),
        from: 0.5,
        to: number as f64 + 0.5,
        ticks: numbers(number),
    };
    let line = |(style, at, label): &(LineStyle, f64, String)| {
        PlotLine::across(&x, *at, format!("{label} {}", text(*at)), *style)
    };
    let lines: Vec<PlotLine> = rules.iter().map(line).collect();
    let dot = LegendEntry::for_marks(0, MarkShape::Dot, "one repetition");
    Some(Plot {
        title: format!("Repetitions of {}", verdict.metric),
        note: format!("The axis of values starts at {}.{few}", short(&quantity(from, unit))),
        x,
        y: Axis {
            label: format!("{} in each repetition", verdict.metric),
            from,
            to,
            ticks: ticks_between(from, to, |at| short(&quantity(at, unit))),
        },
        legend: std::iter::once(dot).chain(lines.iter().map(LegendEntry::from_line)).collect(),
        lines,
        marks: dots.iter().map(mark).collect(),
        ..Plot::default()
    })
}

/// The horizontal lines of a verdict. Those of a variability are not on the axis of its values.
fn rules(verdict: &Verdict) -> Vec<(LineStyle, f64, String)> {
    let Some(statistics) = &verdict.statistics else { return Vec::new() };
    let (threshold, _) = values_of(statistics, verdict);
    let value = verdict.value.filter(|_| statistics.unit.is_empty());
    let name = if verdict.statistic.is_empty() { "value" } else { &verdict.statistic };
    let limit = format!("{} limit of the mean", confidence(statistics.confidence));
    let all = [
        (LineStyle::Required, threshold, "threshold".to_owned()),
        (LineStyle::Compared, value, name.to_owned()),
        // A limit below zero is shown as zero, like in the table of clauses.
        (LineStyle::Limit, statistics.bound.map(|limit| limit.max(0.0)), limit),
    ];
    all.into_iter().filter_map(|(kind, at, label)| Some((kind, at?, label))).collect()
}

/// The limits of an axis that has all values. It starts at 0 if the values are not far above.
fn range(low: f64, high: f64) -> (f64, f64) {
    let length = high - low;
    if low >= 0.0 && low < 0.6 * high {
        return (0.0, high * 1.06);
    }
    let length = if length > 1e-9 * high.abs() { length } else { (high.abs() * 0.1).max(1.0) };
    let step = step(length);
    let floor = ((low - 0.15 * length) / step).floor() * step;
    (if low >= 0.0 { floor.max(0.0) } else { floor }, high + 0.15 * length)
}

/// Numbers of repetitions as ticks.
fn numbers(number: usize) -> Vec<PlotTick> {
    let step = if number <= 12 { 1.0 } else { step(number as f64).max(1.0) };
    let count = (number as f64 / step).floor() as u32;
    (1..=count).map(|n| f64::from(n) * step).map(|at| PlotTick { at, label: format!("{at:.0}") }).collect()
}
