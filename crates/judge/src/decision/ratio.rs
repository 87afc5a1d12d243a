//! The decision where the threshold is measured too: whether the ratio of the two is above or below 1.
//!
//! The ratio of two means has Fieller's interval. Two medians have the order statistics of each, at half the
//! error each (Bonferroni). A smallest or largest value is a fact, so only the mean of the reference has a
//! limit. Parts of a group compete, so the means of their repetitions are compared in pairs.
//!
//! Invariant: without a limit of both values nothing is decided.
//! Never here: thresholds that are values of the plan.

use plan::Goal;
use results::Outcome;
use results::reason::{Code, Reason, reason};
use results::statistics::{
    self, Answer, Interval, LinearityStep, Side, Tolerance, proportion, proportion_answer,
};

use super::{ThresholdComparison, or_undecidable};

/// The decision by the limits of the ratio; `None` if the threshold is a value of the plan, or is compared
/// with a count.
pub(super) fn decision(of: &ThresholdComparison<'_>, value: f64, met: bool) -> Option<(Outcome, Reason)> {
    if of.threshold.measured.is_empty() || !of.has_variability() {
        return None;
    }
    if let Some(undecided) = of.dependent(value, met) {
        return Some((Outcome::Inconclusive, undecided));
    }
    let are_two_means = of.row().is_mean && !of.threshold.paired;
    let (answer, limits, repetitions) = if are_two_means { of_means(of) } else { of_others(of, met) };
    let Some(Interval { low, high }) = limits else {
        return Some((Outcome::Inconclusive, without_limits(of, value)));
    };
    let confidence = if met { of.confidence() } else { alone(of) };
    let between = |code| {
        let reason = reason!(RatioUndecided {
            ratio_low: low.max(0.0),
            ratio_high: Some(high).filter(|high| high.is_finite()),
            confidence,
            ..of.reason(code, value)
        });
        of.with_dependence(reason, None)
    };
    Some(match answer {
        Answer::Supported => (Outcome::Pass, between(Code::ThresholdMet)),
        Answer::Refuted => (Outcome::Fail, between(Code::ThresholdNotMet)),
        Answer::Undecided => {
            let cov = |values: &[f64]| statistics::cov(values).unwrap_or(0.0);
            let reason = reason!(RatioUndecided {
                cov: cov(of.values),
                cov_reference: cov(&of.threshold.measured),
                ..between(Code::RatioUndecided)
            });
            // An accepted campaign is not repeated.
            let is_advised = are_two_means && !matches!(of.criterion.goal, Goal::Accepted { .. });
            let reason = if is_advised { or_undecidable(reason, repetitions) } else { reason };
            (Outcome::Inconclusive, reason)
        }
    })
}

/// The reason that the repetitions of one of the two are too few for a limit.
fn without_limits(of: &ThresholdComparison<'_>, value: f64) -> Reason {
    let least = (of.row().ratio_from)(of.confidence());
    reason!(RatioNoLimit {
        n: of.values.len(),
        n_reference: of.threshold.measured.len(),
        n_min: least,
        ..of.reason(Code::RatioNoLimit, value)
    })
}

/// The confidence at which a ratio is refuted. One of several steps could fail by chance (Bonferroni).
fn alone(of: &ThresholdComparison<'_>) -> f64 {
    1.0 - (1.0 - of.confidence()) / of.threshold.among.max(1) as f64
}

type Found = (Answer, Option<Interval>, Option<u32>);

fn of_means(of: &ThresholdComparison<'_>) -> Found {
    let at = |values| LinearityStep { at: 1.0, values };
    let turned = of.unfavourable() == Side::Upper;
    let (over, under) = match turned {
        false => (at(of.values), at(&of.threshold.measured)),
        true => (at(&of.threshold.measured), at(of.values)),
    };
    let tolerance = Tolerance { below: 0.0, above: None };
    if !of.explains {
        // The answer is known without its limits.
        let answer = proportion_answer(under, over, tolerance, of.confidence(), of.threshold.among);
        return (answer, Some(Interval { low: 0.0, high: f64::INFINITY }), None);
    }
    let step = proportion(under, over, tolerance, of.confidence(), of.threshold.among);
    // For a maximum the ratio is inverted, so its limits are the reciprocals.
    let as_asked = |interval: Interval| match turned {
        true => Interval { low: 1.0 / interval.high, high: 1.0 / interval.low },
        false => interval,
    };
    (step.answer, step.interval.map(as_asked), step.repetitions)
}

fn of_others(of: &ThresholdComparison<'_>, met: bool) -> Found {
    let confidence = if met { of.confidence() } else { alone(of) };
    let limits = (of.row().ratio)(of.values, &of.threshold.measured, confidence);
    let Some(limits) = limits else { return (Answer::Undecided, None, None) };
    let holds = |ratio: f64| of.criterion.op.holds(ratio, 1.0);
    let answer = match (holds(limits.low), holds(limits.high)) {
        (true, true) => Answer::Supported,
        (false, false) => Answer::Refuted,
        _ => Answer::Undecided,
    };
    (answer, Some(limits), None)
}
