//! The picture of all clauses: a row for each, on one axis relative to the threshold.
//!
//! Invariant: every clause has a row. A clause without a value, or without a ratio to its threshold, has no
//! mark, and its row states why.
//! Never here: verdicts, and which values are evaluated.

use results::reason::{Reason, any, row};
use results::{Outcome, Verdict};

use super::axes::{thinned, ticks_between};
use super::{
    Axis, ClausePicture, ClauseRow, LegendEntry, LegendKey, MarkShape, PlotTick, RowMark, repetitions,
};
use crate::document::Clause;
use crate::document::clauses::{criterion, limit, value, values_of};
use crate::document::words::{confidence, distinguished, tone_of};

/// The most dots of a row.
const DOTS: usize = 60;
/// The largest range of a linear axis: the highest ratio divided by the lowest.
const LINEAR_MAX: f64 = 8.0;
/// The length of an axis of logarithms, in powers of ten. Smaller ratios are at its left end.
const DECADES: f64 = 6.0;
/// The largest ratio on an axis. Larger ones are at its right end.
const RATIO_MAX: f64 = 1e6;

/// The side of the threshold that does not meet a criterion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FailingSide {
    Below,
    Above,
}

/// The picture of all clauses; `None` if no clause has a mark.
pub(in crate::document) fn picture(verdicts: &[Verdict], clauses: &[Clause]) -> Option<ClausePicture> {
    let scale = RatioAxis::of(verdicts)?;
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
    Some(ClausePicture { note, axis: scale.axis(), threshold: scale.at(1.0), legend: legend(verdicts), rows })
}

fn legend(verdicts: &[Verdict]) -> Vec<LegendEntry> {
    let outcomes = [Outcome::Pass, Outcome::Fail, Outcome::Inconclusive, Outcome::Invalid];
    let seen = outcomes
        .into_iter()
        .filter(|outcome| verdicts.iter().any(|one| one.outcome == *outcome && !ratios(one).is_empty()));
    let entry = |outcome: Outcome| {
        LegendEntry::new(
            LegendKey::Mark(style(outcome), shape(outcome)),
            format!("compared value, {outcome}"),
        )
    };
    let dot = LegendEntry::new(LegendKey::Mark(7, MarkShape::Dot), "one repetition (small)");
    seen.map(entry).chain([dot]).collect()
}

/// The style and the shape of an outcome. The shapes differ, so that no colours are needed.
fn style(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Pass => 2,
        Outcome::Fail => 4,
        Outcome::Inconclusive => 1,
        Outcome::Invalid | Outcome::NotRun => 3,
    }
}

fn shape(outcome: Outcome) -> MarkShape {
    match outcome {
        Outcome::Pass => MarkShape::Dot,
        Outcome::Fail => MarkShape::Diamond,
        Outcome::Inconclusive => MarkShape::Ring,
        Outcome::Invalid | Outcome::NotRun => MarkShape::Square,
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

/// The axis of all rows.
struct RatioAxis {
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl RatioAxis {
    /// `None` if no verdict has a ratio.
    fn of(verdicts: &[Verdict]) -> Option<Self> {
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
        let ticks = match self.logarithmic {
            true => self.ratio_ticks(),
            false => ticks_between(self.from, self.to, plain),
        };
        Axis { label: "measured value / threshold".into(), from: self.from, to: self.to, ticks }
    }

    /// Ticks at powers of ten, and within few decades also at 2 and 5 times.
    fn ratio_ticks(&self) -> Vec<PlotTick> {
        super::axes::log_ticks(self.from, self.to, plain)
    }
}

/// A ratio without needless digits.
fn plain(ratio: f64) -> String {
    let text = format!("{ratio:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "0" && ratio > 0.0 { format!("{ratio:.0e}") } else { text.to_owned() }
}

fn row(verdict: &Verdict, clause: &Clause, scale: &RatioAxis) -> ClauseRow {
    let missing = missing(verdict);
    let mut row = ClauseRow {
        test: clause.test.clone(),
        criterion: format!("{} {}", verdict.metric, criterion(verdict)).trim().to_owned(),
        verdict: verdict.outcome.to_string(),
        tone: tone_of(verdict.outcome),
        value: value(verdict).text,
        missing: missing.clone().unwrap_or_default(),
        failing: None,
        mark: None,
        shape: shape(verdict.outcome),
        style: style(verdict.outcome),
        interval: None,
        dots: Vec::new(),
    };
    let (None, Some(threshold), Some(measured)) = (missing, divisor(verdict), verdict.value) else {
        return row;
    };
    let place = |value: f64| scale.at(value / threshold);
    let unit = repetitions::unit(verdict);
    let text = |value: f64| distinguished(value, Some(threshold), unit);
    row.failing = failing_side(verdict).map(|side| match side {
        FailingSide::Below => (scale.from, scale.at(1.0)),
        FailingSide::Above => (scale.at(1.0), scale.to),
    });
    let statistic = if verdict.statistic.is_empty() { "value" } else { &verdict.statistic };
    let compared =
        format!("{statistic} {}, threshold {}", text(measured), distinguished(threshold, None, unit));
    row.mark = Some(RowMark { at: place(measured), text: compared });
    let Some(statistics) = verdict.statistics.as_ref().filter(|statistics| statistics.unit.is_empty()) else {
        return row;
    };
    let limit = limit(statistics, verdict);
    if let Some(limit) = limit.filter(|limit| limit.is_finite() && statistics.mean.is_finite()) {
        let words = format!(
            "mean {}, {} limit of the mean {}",
            text(statistics.mean),
            confidence(statistics.confidence),
            text(limit)
        );
        let (mean, limit) = (place(statistics.mean), place(limit));
        row.interval = Some((mean.min(limit), mean.max(limit), words));
    }
    let (_, values_unit) = values_of(statistics, verdict);
    let dot = |(place_of, value): (usize, f64)| RowMark {
        at: place(value),
        text: format!("repetition {}: {}", place_of + 1, distinguished(value, Some(threshold), values_unit)),
    };
    row.dots = thinned(&statistics.values, DOTS).into_iter().map(dot).collect();
    row
}

/// Why a clause has no mark; `None` if it has one.
fn missing(verdict: &Verdict) -> Option<String> {
    match (verdict.value, verdict.threshold) {
        (None, _) => Some("no measured value".into()),
        (Some(value), _) if !value.is_finite() => Some("no finite value".into()),
        (_, None) => Some("no threshold".into()),
        (_, Some(0.0)) => Some("the threshold is 0, so there is no ratio".into()),
        (_, Some(_)) if divisor(verdict).is_none() => Some("no ratio to the threshold".into()),
        _ => None,
    }
}

/// The side of the threshold on which a clause fails. It is that of the comparison, or of the confidence
/// limit, which is always on the unfavourable side of the mean.
fn failing_side(verdict: &Verdict) -> Option<FailingSide> {
    let operator = comparison(&verdict.reason).or_else(|| verdict.criterion.split_whitespace().nth(1));
    match operator {
        Some(">=" | ">") => return Some(FailingSide::Below),
        Some("<=" | "<") => return Some(FailingSide::Above),
        Some("==") => return None,
        _ => {}
    }
    let statistics = verdict.statistics.as_ref()?;
    let limit = statistics.bound?;
    if limit < statistics.mean {
        return Some(FailingSide::Below);
    }
    (limit > statistics.mean).then_some(FailingSide::Above)
}

/// The comparison in a reason, or in the reason that it contains.
fn comparison(reason: &Reason) -> Option<&str> {
    reason.get(row::ThresholdMet::comparison).or_else(|| reason.get(any::measured).and_then(comparison))
}
