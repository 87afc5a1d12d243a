//! Projection: the rate of a larger system, from the steps measured on a smaller one.
//!
//! There are three models of scaling, each multiplied by the rate of one unit: linear, Amdahl's law, and the
//! universal scalability law (USL). The model that best predicts the largest step from the other steps is
//! chosen. The interval comes from resampling the repetitions and repeating the whole procedure, including
//! the choice of the model. If a projection cannot be accepted, it has a reason.
//!
//! Invariant: pure. The same points give the same interval. No model grows faster than linear. Every
//! projected rate has its interval, its residual and its extrapolation factor.
//! Never here: what a unit is. Servers and clients are different axes, and a projection never mixes them.

mod fit;
mod resample;

use plan::{FACTOR_MAX, Question, STEPS_MIN};
use results::reason::{Datum, Reason, reason};
use results::statistics::mean;
use results::summary::{Fit, Model};

use fit::{Family, Mean};

/// The maximum error of the model for the largest step if that step is held out, as a share.
const HELD_OUT_MAX: f64 = 0.1;

/// The repetitions of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectionStep {
    /// The number of units: servers, or nodes; 1 or more.
    pub at: f64,
    /// The rate of each repetition.
    pub values: Vec<f64>,
}

/// The projected rate, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The rate of the model.
    pub rate: f64,
    /// Lower end of the interval of the true mean.
    pub low: f64,
    /// Upper end of this interval.
    pub high: f64,
}

/// A projection, or why there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProjectedRate {
    /// The extrapolation factor: the units of the target system, divided by those of the largest measured
    /// system.
    pub factor: f64,
    /// The chosen model, fitted to all steps.
    pub fit: Option<Fit>,
    /// The prediction of the largest step from the other steps, divided by the measured rate, minus 1.
    pub held_out_error: Option<f64>,
    /// The measured rate of the largest step divided by that of the fit, minus 1.
    pub residual: Option<f64>,
    /// The rate; `None` if it was rejected.
    pub prediction: Option<Prediction>,
    /// Why it cannot be used. Without a prediction there is nothing to show. With a prediction it cannot
    /// decide the threshold.
    pub rejection: Option<Reason>,
}

/// Projects `steps`, in any order, to the target of `question`. Steps of the same size are merged.
pub fn project(steps: &[ProjectionStep], question: &Question) -> ProjectedRate {
    let mut projection = ProjectedRate {
        factor: question.to / steps.iter().map(|step| step.at).fold(0.0, f64::max),
        ..ProjectedRate::default()
    };
    let steps = match checked(steps, question) {
        Ok(steps) => steps,
        Err(rejection) => return ProjectedRate { rejection: Some(rejection), ..projection },
    };
    let means: Vec<Mean> = steps.iter().map(Mean::of).collect();
    let supported =
        Model::ALL.into_iter().filter(|model| fit::is_supported(*model, &means)).map(Family::whole);
    let (family, held_out_error) = best(held_out_errors(supported, &means));
    let fit = fit::fit(family, &means);
    let largest = means[means.len() - 1];
    projection.held_out_error = Some(held_out_error);
    projection.residual = Some(largest.rate / fit.at(largest.at) - 1.0);
    projection.fit = Some(fit::with_errors(fit, &steps));
    if held_out_error.abs() > HELD_OUT_MAX {
        projection.rejection = Some(reason!(NotPredicted { error: held_out_error, error_max: HELD_OUT_MAX }));
        return projection;
    }
    let (low, high) = resample::interval(&steps, &fit, question.to, question.confidence);
    let cap = question.cap.unwrap_or(f64::INFINITY);
    let [rate, low, high] = [fit.at(question.to), low, high].map(|rate| rate.min(cap));
    projection.prediction = Some(Prediction { rate, low, high });
    let spanned = question.threshold.filter(|threshold| low < *threshold && *threshold <= high);
    projection.rejection = spanned.map(|threshold| {
        let [low, high, threshold] = [low, high, threshold].map(|value| Datum::of(value, question.dimension));
        reason!(ThresholdInInterval { low, high, threshold })
    });
    projection
}

/// The steps in order of size, or why they cannot be projected.
fn checked(steps: &[ProjectionStep], question: &Question) -> Result<Vec<ProjectionStep>, Reason> {
    let impossible = |at: f64| Err(reason!(StepImpossible { step: at }));
    let usable = |step: &&ProjectionStep| {
        let rates = !step.values.is_empty() && step.values.iter().all(|rate| rate.is_finite() && *rate > 0.0);
        step.at.is_finite() && step.at >= 1.0 && rates
    };
    if let Some(step) = steps.iter().find(|step| !usable(step)) {
        return impossible(step.at);
    }
    let mut sorted = steps.to_vec();
    sorted.sort_by(|one, other| one.at.total_cmp(&other.at));
    sorted.dedup_by(|next, kept| {
        let same = next.at == kept.at;
        if same {
            kept.values.append(&mut next.values);
        }
        same
    });
    // Sorted values give the same sums to the last digit for any order of the repetitions.
    sorted.iter_mut().for_each(|step| step.values.sort_by(f64::total_cmp));
    let factor = question.to / sorted.last().map_or(1.0, |step| step.at);
    match sorted.len() {
        steps if steps < STEPS_MIN => Err(reason!(TooFewSteps { steps, steps_min: STEPS_MIN })),
        _ if question.to.is_nan() || question.to < 1.0 => impossible(question.to),
        _ if factor > FACTOR_MAX * (1.0 + 1e-9) => Err(reason!(TooFar { factor, factor_max: FACTOR_MAX })),
        _ => Ok(sorted),
    }
}

/// The prediction of the last step from the other steps by each family, divided by the measured rate, minus
/// 1.
fn held_out_errors(
    families: impl Iterator<Item = Family>,
    means: &[Mean],
) -> impl Iterator<Item = (Family, f64)> {
    let (largest, others) = means.split_last().expect("checked: there are steps");
    families.map(|family| (family, fit::fit(family, others).at(largest.at) / largest.rate - 1.0))
}

/// Errors that differ by less than this differ only by rounding.
const SAME_ERROR: f64 = 1e-9;

/// The first family with the smallest error. The simplest family comes first.
fn best(mut errors: impl Iterator<Item = (Family, f64)>) -> (Family, f64) {
    let first = errors.next().expect("two models need no more than three steps");
    errors.fold(first, |best, next| if next.1.abs() < best.1.abs() - SAME_ERROR { next } else { best })
}

/// The mean of existing values.
fn mean_of(values: &[f64]) -> f64 {
    mean(values).expect("checked: every step has values")
}

#[cfg(test)]
mod tests;
