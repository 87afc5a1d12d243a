//! The picture of all clauses: a row for each, on one axis relative to the threshold.
//!
//! Invariant: every clause has a row. A clause without a value, or without a ratio to its threshold, has no
//! mark, and its row states why.
//! Never here: verdicts, and which values are evaluated.

use results::{Outcome, Verdict};

use crate::document::chart::axes::{log_ticks, thinned, ticks_between};
use crate::document::clauses::{criterion, limit, value, values_of};
use crate::document::unit::{comparison, unit_of};
use crate::document::words::{confidence, distinguished, tone_of};
use crate::document::{
    Axis, Cell, Clause, ClausePicture, ClauseRow, LegendEntry, LineStyle, MarkShape, MarkStyle, Plot,
    PlotLine, PlotMark, PlotSpan, SpanKind,
};

/// The most dots of a row.
const DOTS: usize = 60;
/// The style of a dot.
const DOT: usize = 7;
/// The largest range of a linear axis: the highest ratio divided by the lowest.
const LINEAR_MAX: f64 = 8.0;
/// The length of an axis of logarithms, in powers of ten. Smaller ratios are at its left end.
const DECADES: f64 = 6.0;
/// The largest ratio on an axis. Larger ones are at its right end.
const RATIO_MAX: f64 = 1e6;

/// The picture of all clauses; `None` if no clause has a mark.
pub(in crate::document) fn picture(verdicts: &[Verdict], clauses: &[Clause]) -> Option<ClausePicture> {
    let scale = RatioAxis::from_verdicts(verdicts)?;
    let rows: Vec<ClauseRow> =
        verdicts.iter().zip(clauses).map(|(verdict, clause)| row(verdict, clause, &scale)).collect();
    let outside = verdicts.iter().flat_map(ratios).any(|ratio| !scale.holds(ratio));
    let logarithmic = if scale.logarithmic { " The axis is logarithmic." } else { "" };
    let cut =
        if outside { " Values outside the axis are at its end; the text on hover has them." } else { "" };
    let note = format!(
        "Each row has a value divided by its threshold, so the threshold is 1. The shaded side does not meet \
         the criterion. The horizontal line goes from the mean to its confidence limit.{logarithmic}{cut}"
    );
    Some(ClausePicture { note, axis: scale.axis(), legend: legend(verdicts), rows })
}

fn legend(verdicts: &[Verdict]) -> Vec<LegendEntry> {
    let outcomes = [Outcome::Pass, Outcome::Fail, Outcome::Inconclusive, Outcome::Invalid];
    let is_seen =
        |outcome: &Outcome| verdicts.iter().any(|one| one.outcome == *outcome && !ratios(one).is_empty());
    let entry = |outcome: Outcome| {
        let (style, shape) = appearance(outcome);
        LegendEntry::for_marks(style, shape, format!("compared value, {outcome}"))
    };
    let dot = LegendEntry::for_marks(DOT, MarkShape::Dot, "one repetition (small)");
    outcomes.into_iter().filter(is_seen).map(entry).chain([dot]).collect()
}

/// The style and the shape of an outcome. The shapes differ, so that no colours are needed.
fn appearance(outcome: Outcome) -> (usize, MarkShape) {
    match outcome {
        Outcome::Pass => (2, MarkShape::Dot),
        Outcome::Fail => (4, MarkShape::Diamond),
        Outcome::Inconclusive => (1, MarkShape::Ring),
        Outcome::Invalid | Outcome::NotRun => (3, MarkShape::Square),
    }
}

/// A threshold that values can be divided by.
fn divisor(verdict: &Verdict) -> Option<f64> {
    verdict.threshold.filter(|threshold| threshold.is_finite() && *threshold > 0.0)
}

/// The ratios of a verdict: its value, its repetitions, and its confidence limit.
fn ratios(verdict: &Verdict) -> Vec<f64> {
    let (Some(threshold), Some(value)) = (divisor(verdict), verdict.value) else { return Vec::new() };
    let of_values = verdict.statistics.as_ref().filter(|statistics| statistics.unit.is_empty());
    let values = of_values.into_iter().flat_map(|s| s.values.iter().copied().chain(limit(s, verdict)));
    let ratios = std::iter::once(value).chain(values).map(|value| value / threshold);
    ratios.filter(|ratio| ratio.is_finite()).collect()
}

struct RatioAxis {
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl RatioAxis {
    /// `None` if no verdict has a ratio.
    fn from_verdicts(verdicts: &[Verdict]) -> Option<Self> {
        let all: Vec<f64> =
            verdicts.iter().flat_map(ratios).map(|ratio| ratio.clamp(0.0, RATIO_MAX)).collect();
        let high = all.iter().copied().max_by(f64::total_cmp)?.max(1.0);
        let low = all.iter().copied().min_by(f64::total_cmp)?.min(1.0);
        let positive = all.iter().copied().filter(|ratio| *ratio > 0.0).fold(1.0, f64::min);
        if high / positive > LINEAR_MAX {
            let (low, high) = (positive.log10(), high.log10());
            let pad = 0.06 * (high - low);
            let to = high + pad;
            return Some(Self { from: (low - pad).max(to - DECADES), to, logarithmic: true });
        }
        let pad = (0.1 * (high - low)).max(0.02);
        Some(Self { from: (low - pad).max(0.0), to: high + pad, logarithmic: false })
    }

    fn coordinate(&self, ratio: f64) -> f64 {
        match self.logarithmic {
            true if ratio > 0.0 => ratio.log10(),
            true => f64::NEG_INFINITY,
            false => ratio,
        }
    }

    fn holds(&self, ratio: f64) -> bool {
        (self.from..=self.to).contains(&self.coordinate(ratio))
    }

    /// The coordinate of a ratio, or the end of the axis that is nearest to it.
    fn at(&self, ratio: f64) -> f64 {
        self.coordinate(ratio).clamp(self.from, self.to)
    }

    fn axis(&self) -> Axis {
        let ticks = if self.logarithmic { log_ticks } else { ticks_between };
        let ticks = ticks(self.from, self.to, plain);
        Axis { label: "measured value / threshold".into(), from: self.from, to: self.to, ticks }
    }
}

/// A ratio without needless digits.
fn plain(ratio: f64) -> String {
    let text = format!("{ratio:.4}");
    let text = units::trimmed(&text);
    if text == "0" && ratio > 0.0 { format!("{ratio:.0e}") } else { text.to_owned() }
}

fn row(verdict: &Verdict, clause: &Clause, scale: &RatioAxis) -> ClauseRow {
    let missing = missing(verdict);
    let plot = if missing.is_none() { plot(verdict, scale) } else { None };
    ClauseRow {
        test: clause.test.clone(),
        criterion: format!("{} {}", verdict.metric, criterion(verdict)).trim().to_owned(),
        verdict: Cell::new(verdict.outcome.to_string()).toned(tone_of(verdict.outcome)),
        value: value(verdict).text,
        missing: missing.unwrap_or_default().to_owned(),
        plot: plot.unwrap_or_default(),
    }
}

/// The values of a clause; `None` without a ratio.
fn plot(verdict: &Verdict, scale: &RatioAxis) -> Option<Plot> {
    let (threshold, measured) = (divisor(verdict)?, verdict.value?);
    let place = |value: f64| scale.at(value / threshold);
    let unit = unit_of(verdict);
    let text = |value: f64| distinguished(value, Some(threshold), unit);
    let at = scale.at(1.0);
    let base = PlotSpan { kind: SpanKind::Base, from: at, to: at, at, ..PlotSpan::default() };
    let failing = failing_side(verdict, scale).map(|(from, to)| PlotSpan {
        kind: SpanKind::Failing,
        from,
        to,
        text: "does not meet the criterion".into(),
        ..base.clone()
    });
    let (style, shape) = appearance(verdict.outcome);
    let statistic = if verdict.statistic.is_empty() { "value" } else { &verdict.statistic };
    let compared = PlotMark {
        x: place(measured),
        y: 1.0,
        text: format!("{statistic} {}, threshold {}", text(measured), distinguished(threshold, None, unit)),
        style: MarkStyle::Series(style),
        shape,
        ..PlotMark::default()
    };
    let mut plot = Plot {
        x: scale.axis(),
        y: Axis { to: 1.0, ..Axis::default() },
        spans: failing.into_iter().chain([base]).collect(),
        ..Plot::default()
    };
    if let Some(statistics) = verdict.statistics.as_ref().filter(|statistics| statistics.unit.is_empty()) {
        let limit = limit(statistics, verdict);
        if let Some(limit) = limit.filter(|limit| limit.is_finite() && statistics.mean.is_finite()) {
            let (mean, level) = (statistics.mean, confidence(statistics.confidence));
            let label = format!("mean {}, {level} limit of the mean {}", text(mean), text(limit));
            let (mean, limit) = (place(mean), place(limit));
            let points = vec![(mean.min(limit), 1.0), (mean.max(limit), 1.0)];
            plot.lines.push(PlotLine { label, points, style: LineStyle::Limit });
        }
        let (_, unit) = values_of(statistics, verdict);
        plot.marks.extend(thinned(&statistics.values, DOTS).into_iter().map(|(number, value)| PlotMark {
            x: place(value),
            text: format!("repetition {}: {}", number + 1, distinguished(value, Some(threshold), unit)),
            style: MarkStyle::Series(DOT),
            ..PlotMark::default()
        }));
    }
    plot.marks.push(compared);
    Some(plot)
}

/// Why a clause has no mark; `None` if it has one.
fn missing(verdict: &Verdict) -> Option<&'static str> {
    match (verdict.value, verdict.threshold) {
        (None, _) => Some("no measured value"),
        (Some(value), _) if !value.is_finite() => Some("no finite value"),
        (_, None) => Some("no threshold"),
        (_, Some(0.0)) => Some("the threshold is 0, so there is no ratio"),
        (_, Some(_)) if divisor(verdict).is_none() => Some("no ratio to the threshold"),
        _ => None,
    }
}

/// The side of the threshold on which a clause fails. It is that of the comparison, or of the confidence
/// limit, which is always on the unfavourable side of the mean.
fn failing_side(verdict: &Verdict, scale: &RatioAxis) -> Option<(f64, f64)> {
    let fails_below = match comparison(verdict) {
        Some(">=" | ">") => true,
        Some("<=" | "<") => false,
        Some(_) => return None,
        None => {
            let statistics = verdict.statistics.as_ref()?;
            let order = statistics.bound?.partial_cmp(&statistics.mean).filter(|order| order.is_ne())?;
            order.is_lt()
        }
    };
    let threshold = scale.at(1.0);
    Some(if fails_below { (scale.from, threshold) } else { (threshold, scale.to) })
}
