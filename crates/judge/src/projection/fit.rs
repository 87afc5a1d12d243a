//! Fitting the models of scaling.
//!
//! In all three models the cost of a unit's rate, N / y, is a sum: `a + b(N−1) + cN(N−1)`. Here λ = 1/a is
//! the rate of one unit, σ = b/a and κ = c/a. The sum is linear in its terms, so there is a closed form. Its
//! bias is about COV²/n, because reciprocals and weights are then those of noisy values. The fit therefore
//! only starts with the closed form. Scoring steps (a gamma model with the reciprocal as its link) follow
//! until the relative residuals of the rates cancel. This has no such bias. It weighs each step by the
//! variability of rates, which is proportional to the rates.
//!
//! Invariant: b and c are never negative, so no fit grows faster than linear or becomes infinite.
//! Never here: the choice of a model.

use results::summary::{Fit, Model, Parameter};

use super::{ProjectionStep, mean_of};

/// The number of parameters of a model.
pub(super) fn parameters(model: Model) -> usize {
    Family::whole(model).free.into_iter().filter(|is_free| *is_free).count()
}

/// Whether these steps, with their number and range, are enough for the model.
pub(super) fn is_supported(model: Model, means: &[Mean]) -> bool {
    let ends = means.first().zip(means.last());
    let range = ends.map_or(0.0, |(first, last)| last.at / first.at);
    match model {
        Model::Linear | Model::Amdahl => true,
        Model::Usl => means.len() >= 6 && range >= 4.0,
    }
}

/// A model, or a special case of one, to be fitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    pub(super) model: Model,
    /// Which of the three terms may be above 0.
    free: [bool; 3],
}

impl Family {
    /// All cases that are known to happen, the simplest first. The third one is the universal law of units
    /// that share nothing and wait for each other.
    pub(super) const ALL: [Self; 4] = [
        Self::whole(Model::Linear),
        Self::whole(Model::Amdahl),
        Self { model: Model::Usl, free: [true, false, true] },
        Self::whole(Model::Usl),
    ];

    /// The model with all its terms.
    pub(super) const fn whole(model: Model) -> Self {
        let free = match model {
            Model::Linear => [true, false, false],
            Model::Amdahl => [true, true, false],
            Model::Usl => [true; 3],
        };
        Self { model, free }
    }
}

/// One step, as the fit uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mean {
    /// Number of units.
    pub(super) at: f64,
    /// Mean of the repetitions.
    pub(super) rate: f64,
    /// Number of repetitions.
    pub(super) count: f64,
}

impl Mean {
    pub(super) fn of(step: &ProjectionStep) -> Self {
        Self { at: step.at, rate: mean_of(&step.values), count: step.values.len() as f64 }
    }
}

/// Coefficients of the three terms.
type Terms = [f64; 3];

/// The normal equations: a row for each term, with its right-hand side in the last column.
type Equations = [[f64; 4]; 3];

/// One point of a weighted least-squares problem.
struct Point {
    columns: Terms,
    wanted: f64,
    weight: f64,
}

/// Maximum number of scoring steps. Each step reduces the remaining error to a small part.
const STEPS_MAX: usize = 25;

/// Fits `family` to the means of at least one step.
pub(super) fn fit(family: Family, means: &[Mean]) -> Fit {
    let size = means[means.len() - 1].at;
    let begin = |mean: &Mean| Point {
        columns: columns(size, mean.at),
        wanted: mean.at / mean.rate,
        weight: weight(mean, mean.rate),
    };
    let mut points: Vec<Point> = means.iter().map(begin).collect();
    let mut terms = least(family.free, &points);
    for _ in 0..STEPS_MAX {
        for (point, mean) in points.iter_mut().zip(means) {
            let cost = cost(&terms, &point.columns);
            let rate = mean.at / cost;
            // One scoring step: the cost minus the error of the rate, with the slope of the reciprocal.
            point.wanted = cost * (2.0 - mean.rate / rate);
            point.weight = weight(mean, rate);
        }
        let before = terms;
        terms = least(family.free, &points);
        if terms.iter().zip(before).all(|(now, then)| (now - then).abs() <= 1e-9 * before[0]) {
            break;
        }
    }
    let plain = |value: f64| Parameter { value, standard_error: None };
    let units = units(size);
    Fit {
        model: family.model,
        scale: plain(1.0 / terms[0]),
        sigma: plain(terms[1] / units[1] / terms[0]),
        kappa: plain(terms[2] / units[2] / terms[0]),
    }
}

/// The weight of a mean. The deviation of rates is proportional to the rates, and a cost is their reciprocal.
fn weight(mean: &Mean, rate: f64) -> f64 {
    mean.count * (rate / mean.at).powi(2)
}

/// The factors of the terms at `size`.
fn units(size: f64) -> Terms {
    [1.0, (size - 1.0).max(1.0), (size * (size - 1.0)).max(1.0)]
}

/// The factors of the terms at this many units, divided by those at `size`. Numbers near 1 keep the equations
/// well conditioned.
fn columns(size: f64, at: f64) -> Terms {
    let units = units(size);
    [1.0, (at - 1.0) / units[1], at * (at - 1.0) / units[2]]
}

fn cost(terms: &Terms, columns: &Terms) -> f64 {
    terms[0] * columns[0] + terms[1] * columns[1] + terms[2] * columns[2]
}

/// The best non-negative terms. Terms that are not free are 0.
fn least(free: [bool; 3], points: &[Point]) -> Terms {
    best_of(free, &normal(points), points)
        .expect("the first term alone is a weighted mean of positive costs")
        .1
}

/// The remaining error and the terms. If the best terms are negative, the best non-negative terms contain a
/// 0.
fn best_of(free: [bool; 3], equations: &Equations, points: &[Point]) -> Option<(f64, Terms)> {
    if let Some(terms) = solved(&restricted(equations, free))
        && terms[0] > 0.0
        && terms.iter().all(|term| *term >= 0.0)
    {
        let miss = |point: &Point| point.weight * (cost(&terms, &point.columns) - point.wanted).powi(2);
        let all: f64 = points.iter().map(|point| point.weight * point.wanted.powi(2)).sum();
        let missed = points.iter().map(miss).sum::<f64>() / all;
        // The rounding error of an exact fit must not choose between models.
        return Some((if missed < 1e-20 { 0.0 } else { missed }, terms));
    }
    let without = |term: usize| {
        let mut fewer = free;
        fewer[term] = false;
        best_of(fewer, equations, points)
    };
    let fewer = [2, 1].into_iter().filter(|term| free[*term]).filter_map(without);
    fewer.min_by(|one, other| one.0.total_cmp(&other.0))
}

/// The normal equations with weights that sum to 1, so that their size does not depend on the unit of the
/// rates.
fn normal(points: &[Point]) -> Equations {
    let mut equations = [[0.0; 4]; 3];
    let sum: f64 = points.iter().map(|point| point.weight).sum();
    for Point { columns, wanted, weight } in points {
        for (row, own) in equations.iter_mut().zip(columns) {
            let own = own * weight / sum;
            *row = [
                row[0] + own * columns[0],
                row[1] + own * columns[1],
                row[2] + own * columns[2],
                row[3] + own * wanted,
            ];
        }
    }
    equations
}

/// The same equations, in which terms that are not free are 0.
fn restricted(equations: &Equations, free: [bool; 3]) -> Equations {
    let mut equations = *equations;
    for index in (0..3).filter(|index| !free[*index]) {
        equations[index] = [0.0; 4];
        equations.iter_mut().for_each(|row| row[index] = 0.0);
        equations[index][index] = 1.0;
    }
    equations
}

/// Gauss-Jordan elimination; `None` if the equations do not determine the terms.
fn solved(equations: &Equations) -> Option<Terms> {
    let mut rows = *equations;
    for index in 0..3 {
        let pivot =
            (index..3).max_by(|one, other| rows[*one][index].abs().total_cmp(&rows[*other][index].abs()))?;
        rows.swap(index, pivot);
        let own = rows[index];
        if own[index].abs() <= 1e-12 {
            return None;
        }
        for row in (0..3).filter(|row| *row != index) {
            let times = rows[row][index] / own[index];
            (0..4).for_each(|column| rows[row][column] -= times * own[column]);
        }
    }
    Some([0, 1, 2].map(|index| rows[index][3] / rows[index][index]))
}

/// The same fit with the standard errors of its parameters, from the residuals of all repetitions.
pub(super) fn with_errors(fit: Fit, steps: &[ProjectionStep]) -> Fit {
    let size = steps[steps.len() - 1].at;
    let free = [true, fit.sigma.value > 0.0, fit.kappa.value > 0.0];
    let misses = steps.iter().flat_map(|step| {
        let expected = fit.at(step.at);
        step.values.iter().map(move |value| (value / expected - 1.0).powi(2))
    });
    let (count, squares) = misses.fold((0_usize, 0.0), |(count, sum), square| (count + 1, sum + square));
    let freedom = count.saturating_sub(free.iter().filter(|free| **free).count());
    let point = |step: &ProjectionStep| Point {
        columns: columns(size, step.at),
        wanted: 0.0,
        weight: weight(&Mean::of(step), fit.at(step.at)),
    };
    let points: Vec<Point> = steps.iter().map(point).collect();
    let weights: f64 = points.iter().map(|point| point.weight).sum();
    let equations = restricted(&normal(&points), free);
    let inverse = [0, 1, 2].map(|unit: usize| {
        let mut with = equations;
        (0..3).for_each(|row| with[row][3] = f64::from(u8::from(row == unit)));
        solved(&with)
    });
    let [Some(first), Some(second), Some(third)] = inverse else { return fit };
    if freedom == 0 {
        return fit;
    }
    let variance_of_weight_one = squares / freedom as f64 / weights;
    let (a, units) = (1.0 / fit.scale.value, units(size));
    // The variance of the ratio b / a: the variances of b and of a, minus their covariance.
    let of_ratio = |index: usize, per: f64, inverse: &Terms, parameter: Parameter| {
        let (ratio, own) = (parameter.value, inverse[index] / (per * per));
        let variance = (own + ratio * ratio * first[0] - 2.0 * ratio * first[index] / per)
            * variance_of_weight_one
            / (a * a);
        let error = free[index].then(|| variance.max(0.0).sqrt());
        Parameter { standard_error: error, ..parameter }
    };
    Fit {
        scale: Parameter {
            standard_error: Some((first[0] * variance_of_weight_one).sqrt() / (a * a)),
            ..fit.scale
        },
        sigma: of_ratio(1, units[1], &second, fit.sigma),
        kappa: of_ratio(2, units[2], &third, fit.kappa),
        ..fit
    }
}
