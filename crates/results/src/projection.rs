//! Projection: what a larger system would do, by the steps measured on a smaller one.
//!
//! Three models of scaling, each times the rate of one unit: linear through the origin, Amdahl's law, the
//! universal scalability law (USL). The one that foretells the largest step best from the others is taken,
//! and the interval comes from drawing the repetitions again and doing it all once more, the choice
//! included. Where a projection may not be trusted there is a reason instead of a number.
//!
//! Invariant: pure, and the same points give the same interval; nothing grows faster than linear; no number
//! leaves without its interval, its residual and how far it was stretched.
//! Never here: what a unit is. Servers and clients are different axes, and one never projects the other.

mod fit;
mod redraw;

use units::Dimension;

use crate::reason::{Code, Datum, Reason};
use crate::statistics::mean;

use fit::{Family, Mean};

pub use fit::{Fit, Model, Parameter};

/// The most by which a projection may exceed the largest system measured.
const FACTOR_MAX: f64 = 3.0;

/// The most by which the model may miss the largest step when that is held out, as a share.
const HELD_OUT_MAX: f64 = 0.1;

/// So few steps carry no projection.
pub const STEPS_MIN: usize = 3;

/// The repetitions of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectionStep {
    /// How many units: servers, or nodes; 1 or more.
    pub at: f64,
    /// The rate of each repetition.
    pub values: Vec<f64>,
}

/// What is to be projected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The units of the system projected to.
    pub to: f64,
    /// The rate that decides a clause, in the unit of the values.
    pub threshold: Option<f64>,
    /// What the system cannot exceed, by its links or drives, in the unit of the values.
    pub cap: Option<f64>,
    /// Confidence of the interval, two-sided, such as 0.95.
    pub confidence: f64,
    /// What the values measure.
    pub dimension: Dimension,
}

/// The projected rate, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// What the model says.
    pub rate: f64,
    /// Lower end of the interval of the true mean.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
}

/// A projection, or why there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProjectedRate {
    /// The units of the system projected to over the largest system measured.
    pub factor: f64,
    /// The model taken, fitted to all steps.
    pub fit: Option<Fit>,
    /// How the model taken foretold the largest step from the others, less 1.
    pub held_out_error: Option<f64>,
    /// What was measured at the largest step over what the fit says of it, less 1.
    pub residual: Option<f64>,
    /// The rate; `None` where it was rejected.
    pub prediction: Option<Prediction>,
    /// Why it may not be used: without a prediction not at all, with one not to decide the threshold.
    pub rejection: Option<Reason>,
}

/// Projects `steps`, in any order, to what is asked. Steps of the same size are taken as one.
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
    let supported = Model::ALL.into_iter().filter(|model| model.is_supported(&means)).map(Family::whole);
    let (family, held_out_error) = best(foretold(supported, &means));
    let fit = fit::fit(family, &means);
    let largest = means[means.len() - 1];
    projection.held_out_error = Some(held_out_error);
    projection.residual = Some(largest.rate / fit.at(largest.at) - 1.0);
    projection.fit = Some(fit::with_errors(fit, &steps));
    if held_out_error.abs() > HELD_OUT_MAX {
        let reason = Reason::new(Code::NotPredicted).with("error", Datum::share(held_out_error));
        projection.rejection = Some(reason.with("error_max", Datum::share(HELD_OUT_MAX)));
        return projection;
    }
    let (low, high) = redraw::interval(&steps, &fit, question.to, question.confidence);
    let cap = question.cap.unwrap_or(f64::INFINITY);
    let [rate, low, high] = [fit.at(question.to), low, high].map(|rate| rate.min(cap));
    projection.prediction = Some(Prediction { rate, low, high });
    let spanned = question.threshold.filter(|threshold| low < *threshold && *threshold <= high);
    projection.rejection = spanned.map(|threshold| {
        let numbers = [("low", low), ("high", high), ("threshold", threshold)];
        numbers.into_iter().fold(Reason::new(Code::ThresholdInInterval), |reason, (name, value)| {
            reason.with(name, Datum::of(value, question.dimension))
        })
    });
    projection
}

/// The steps in order of size, or why they carry no projection.
fn checked(steps: &[ProjectionStep], question: &Question) -> Result<Vec<ProjectionStep>, Reason> {
    let impossible = |at: f64| Err(Reason::new(Code::StepImpossible).with("step", at));
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
    // Sums come out the same to the last digit, however the repetitions were listed.
    sorted.iter_mut().for_each(|step| step.values.sort_by(f64::total_cmp));
    let factor = question.to / sorted.last().map_or(1.0, |step| step.at);
    match sorted.len() {
        steps if steps < STEPS_MIN => {
            Err(Reason::new(Code::TooFewSteps).with("steps", steps).with("steps_min", STEPS_MIN))
        }
        _ if question.to.is_nan() || question.to < 1.0 => impossible(question.to),
        _ if factor > FACTOR_MAX * (1.0 + 1e-9) => {
            Err(Reason::new(Code::TooFar).with("factor", factor).with("factor_max", FACTOR_MAX))
        }
        _ => Ok(sorted),
    }
}

/// How each of these foretells the last step from the others: over what was measured there, less 1.
fn foretold(families: impl Iterator<Item = Family>, means: &[Mean]) -> impl Iterator<Item = (Family, f64)> {
    let (largest, others) = means.split_last().expect("checked: there are steps");
    families.map(|family| (family, fit::fit(family, others).at(largest.at) / largest.rate - 1.0))
}

/// Misses that differ by less than this are the same but for rounding.
const SAME_MISS: f64 = 1e-9;

/// The first of those that miss by least: the simplest comes first.
fn best(mut foretold: impl Iterator<Item = (Family, f64)>) -> (Family, f64) {
    let first = foretold.next().expect("two models need no more than three steps");
    foretold.fold(first, |best, next| if next.1.abs() < best.1.abs() - SAME_MISS { next } else { best })
}

/// The mean of values that are there.
fn mean_of(values: &[f64]) -> f64 {
    mean(values).expect("checked: every step has values")
}

#[cfg(test)]
mod tests;
