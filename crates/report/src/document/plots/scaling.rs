//! Scaling: the rates of a series over its steps, and projections with their model, interval and threshold.
//!
//! Invariant: a projected rate is only plotted with its interval. The curve is the model of the record.
//! Never here: fitting.

use results::statistics::{max, min};
use results::summary::{Rate, RateStep, Summary, SystemProjection};

use crate::document::chart::axes::{from_zero, short, thinned};
use crate::document::summary::model;
use crate::document::words::{confidence, grouped, quantity};
use crate::document::{
    Axis, LegendEntry, LineStyle, MarkShape, MarkStyle, Plot, PlotLine, PlotMark, PlotTick,
};

/// The points of a model's curve.
const CURVE: u32 = 60;
/// The most dots of a step.
const DOTS: usize = 30;
/// The range of steps from which the axis is logarithmic: the largest divided by the smallest.
const LOGARITHMIC: f64 = 8.0;
/// The style of a projected rate and of its model.
const PROJECTED: usize = 1;
/// The most plots of series, and of projections.
const PLOTS: usize = 40;

struct StepAxis {
    logarithmic: bool,
    over: String,
}

impl StepAxis {
    fn from_steps(steps: &[f64], over: &str) -> Self {
        let (low, high) = (min(steps).unwrap_or(1.0), max(steps).unwrap_or(1.0));
        Self { logarithmic: low > 0.0 && high / low >= LOGARITHMIC, over: over.to_owned() }
    }

    fn at(&self, step: f64) -> f64 {
        if self.logarithmic { step.max(f64::MIN_POSITIVE).log2() } else { step }
    }

    /// The step at a coordinate.
    fn step(&self, at: f64) -> f64 {
        if self.logarithmic { at.exp2() } else { at }
    }

    fn label(&self, step: f64) -> String {
        match self.over.as_str() {
            "transfer" => short(&units::bytes_binary(step)),
            _ => format!("{step}"),
        }
    }

    fn axis(&self, steps: &[f64]) -> Axis {
        let at = || steps.iter().map(|step| self.at(*step));
        let (low, high) = (at().fold(f64::INFINITY, f64::min), at().fold(f64::NEG_INFINITY, f64::max));
        let (from, to) = match self.logarithmic {
            true => (low - 0.05 * (high - low).max(1.0), high + 0.05 * (high - low).max(1.0)),
            false => (0.0, if high > 0.0 { high * 1.05 } else { 1.0 }),
        };
        let logarithmic = if self.logarithmic { " (logarithmic)" } else { "" };
        let words = if self.over == "transfer" { "transfer size" } else { &self.over };
        let mut ticks: Vec<PlotTick> =
            steps.iter().map(|step| PlotTick { at: self.at(*step), label: self.label(*step) }).collect();
        ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
        ticks.dedup();
        Axis { label: format!("{words}{logarithmic}"), from, to, ticks }
    }
}

/// A plot for each metric of each phase of a series with at least two measured steps.
pub(super) fn series(summary: &Summary) -> Vec<Plot> {
    let stepped = summary.rates.iter().filter_map(|rate| {
        let step = rate.step.as_ref()?;
        Some(((step.series.as_str(), step.name.as_str(), rate.metric.as_str()), (step, rate)))
    });
    let groups = grouped(stepped);
    groups.iter().filter_map(|((.., metric), all)| of_series(metric, all)).take(PLOTS).collect()
}

fn of_series(metric: &str, all: &[(&RateStep, &Rate)]) -> Option<Plot> {
    let (step, _) = all[0];
    let measured = all.iter().filter_map(|(step, rate)| {
        let mean = rate.mean.filter(|mean| mean.is_finite() && step.at.is_finite() && step.at > 0.0)?;
        Some((step.at, mean, *rate))
    });
    let mut steps: Vec<(f64, f64, &Rate)> = measured.collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    if steps.len() < 2 {
        return None;
    }
    let unit = steps[0].2.unit.as_str();
    let at: Vec<f64> = steps.iter().map(|step| step.0).collect();
    let axis = StepAxis::from_steps(&at, &step.over);
    let marks: Vec<PlotMark> =
        steps.iter().flat_map(|(at, _, rate)| dots(rate, axis.at(*at), unit)).collect();
    let top = marks.iter().map(|mark| mark.y).chain(steps.iter().map(|step| step.1)).fold(0.0, f64::max);
    let means = PlotLine {
        label: "mean".into(),
        points: steps.iter().map(|s| (axis.at(s.0), s.1)).collect(),
        style: LineStyle::Series(0),
    };
    let missing = match all.len() - steps.len() {
        0 => String::new(),
        1 => " 1 step is not plotted, because the measurements cannot be used.".to_owned(),
        more => format!(" {more} steps are not plotted, because the measurements cannot be used."),
    };
    Some(Plot {
        title: format!("{metric} of {}.{} over {}", step.series, step.name, step.over),
        note: format!("Each dot is a repetition, and the line connects the means.{missing}"),
        x: axis.axis(&at),
        y: from_zero(metric, top * 1.08, |at| short(&quantity(at, unit))),
        legend: vec![
            LegendEntry::for_marks(0, MarkShape::Dot, "one repetition"),
            LegendEntry::from_line(&means),
        ],
        lines: vec![means],
        marks,
        ..Plot::default()
    })
}

/// A plot for each projection with measured steps.
pub(super) fn projections(summary: &Summary) -> Vec<Plot> {
    summary.projections.iter().filter_map(|one| projection(one, summary)).take(PLOTS).collect()
}

fn projection(one: &SystemProjection, summary: &Summary) -> Option<Plot> {
    let unit = one.unit.as_str();
    let is_usable = |(at, rate): &&(f64, f64)| at.is_finite() && *at > 0.0 && rate.is_finite();
    let steps: Vec<(f64, f64)> = one.steps.iter().filter(is_usable).copied().collect();
    let to = Some(one.to).filter(|to| to.is_finite() && *to > 0.0);
    let all: Vec<f64> = steps.iter().map(|step| step.0).chain(to).collect();
    steps.first()?;
    let axis = StepAxis::from_steps(&all, &one.over);
    let x = axis.axis(&all);
    // The repetitions of the measured steps, if the summary has them.
    let of_metric = summary.rates.iter().filter(|rate| rate.metric == one.metric);
    let repetitions = of_metric.filter_map(|rate| Some((rate, rate.step.as_ref()?)));
    let mut marks: Vec<PlotMark> = repetitions
        .filter(|(_, step)| format!("{}.{}", step.series, step.name) == one.from)
        .flat_map(|(rate, step)| dots(rate, axis.at(step.at), unit))
        .collect();
    marks.extend(steps.iter().map(|(at, rate)| PlotMark {
        x: axis.at(*at),
        y: *rate,
        text: format!("mean at {}: {}", axis.label(*at), quantity(*rate, unit)),
        shape: MarkShape::Diamond,
        ..PlotMark::default()
    }));
    let projected = projected(one, to, &axis);
    let mut lines: Vec<PlotLine> = curve(one, &x, &axis).into_iter().collect();
    let threshold = one.threshold.filter(|threshold| threshold.is_finite());
    let required = threshold
        .map(|at| PlotLine::across(&x, at, format!("required {}", quantity(at, unit)), LineStyle::Required));
    let tops = marks
        .iter()
        .chain(&projected)
        .flat_map(|mark| [Some(mark.y), mark.interval.map(|interval| interval.1)]);
    let top = tops.flatten().chain(threshold).fold(0.0, f64::max);
    let legend = projection_legend(one, lines.first(), projected.as_ref(), required.as_ref());
    lines.extend(required);
    let note = match &projected {
        Some(_) => format!(
            "The projection to {} {} is not measured. The curve is the model that the projection uses.",
            axis.label(one.to),
            one.over
        ),
        None => "There is no projected rate. The table states why.".to_owned(),
    };
    marks.extend(projected);
    Some(Plot {
        title: format!("{} {}: projected from {} to system {}", one.test, one.metric, one.from, one.system),
        note,
        y: from_zero(&one.metric, top * 1.1, |at| short(&quantity(at, unit))),
        x,
        lines,
        marks,
        legend,
        ..Plot::default()
    })
}

/// The repetitions of a step at this coordinate.
fn dots(rate: &Rate, x: f64, unit: &str) -> Vec<PlotMark> {
    let mark = |(place, y): (usize, f64)| PlotMark {
        x,
        y,
        text: format!("{}, repetition {}: {}", rate.test, place + 1, quantity(y, unit)),
        ..PlotMark::default()
    };
    thinned(&rate.values, DOTS).into_iter().map(mark).collect()
}

fn projected(one: &SystemProjection, to: Option<f64>, axis: &StepAxis) -> Option<PlotMark> {
    let (rate, low, high, to) = (one.rate?, one.low?, one.high?, to?);
    if ![rate, low, high].iter().all(|value| value.is_finite()) {
        return None;
    }
    let [shown, from, until] = [rate, low, high].map(|value| quantity(value, &one.unit));
    let text = format!("projected: {shown}, {} interval {from} to {until}", confidence(one.confidence));
    Some(PlotMark {
        x: axis.at(to),
        y: rate,
        label: format!("{shown} projected"),
        text,
        style: MarkStyle::Series(PROJECTED),
        shape: MarkShape::Ring,
        interval: Some((low, high)),
        is_outlier: false,
    })
}

/// The model's curve, as far as it is finite and not negative.
fn curve(one: &SystemProjection, x: &Axis, axis: &StepAxis) -> Option<PlotLine> {
    let fit = one.model.as_ref()?;
    let end = axis.at(one.to.max(one.steps.iter().map(|step| step.0).fold(0.0, f64::max)));
    let end = if end.is_finite() { end } else { x.to };
    let at = |n: u32| x.from + (end - x.from) * f64::from(n) / f64::from(CURVE);
    let points = (0..=CURVE).map(|n| (at(n), fit.at(axis.step(at(n)))));
    let points: Vec<(f64, f64)> =
        points.filter(|(x, y)| x.is_finite() && y.is_finite() && *y >= 0.0).collect();
    (points.len() > 1).then(|| PlotLine { label: model(one), points, style: LineStyle::Series(PROJECTED) })
}

fn projection_legend(
    one: &SystemProjection,
    curve: Option<&PlotLine>,
    projected: Option<&PlotMark>,
    required: Option<&PlotLine>,
) -> Vec<LegendEntry> {
    let mean = LegendEntry::for_marks(0, MarkShape::Diamond, "measured mean of a step");
    let model = curve
        .map(|line| LegendEntry { label: format!("model: {}", line.label), ..LegendEntry::from_line(line) });
    let projected = projected.map(|mark| {
        let label = format!("projected, with its {} interval", confidence(one.confidence));
        LegendEntry::for_marks(PROJECTED, mark.shape, label)
    });
    [Some(mean), model, projected, required.map(LegendEntry::from_line)].into_iter().flatten().collect()
}
