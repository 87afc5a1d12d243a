//! Projections of systems with known true rates.

use results::statistics::Dice;

use results::reason::Code;
use units::Dimension;

use super::*;

const ASKED: Question =
    Question { to: 24.0, threshold: None, cap: None, confidence: 0.95, dimension: Dimension::BytesPerSecond };

/// Steps of `n` repetitions that vary by `cov` about the true rate.
fn measured(
    sizes: &[f64],
    n: usize,
    cov: f64,
    seed: u64,
    true_rate: impl Fn(f64) -> f64,
) -> Vec<ProjectionStep> {
    let mut dice = Dice::new(seed);
    let mut step = |at: &f64| ProjectionStep {
        at: *at,
        values: (0..n).map(|_| true_rate(*at) * (1.0 + cov * dice.normal())).collect(),
    };
    sizes.iter().map(&mut step).collect()
}

fn usl(scale: f64, sigma: f64, kappa: f64) -> impl Fn(f64) -> f64 {
    move |n| scale * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))
}

fn near(found: f64, true_rate: f64, within: f64) {
    assert!((found - true_rate).abs() <= within, "{found} is not {true_rate} within {within}");
}

#[test]
fn each_model_is_recovered_from_its_own_steps() {
    let sizes = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0];
    for (model, sigma, kappa) in
        [(Model::Linear, 0.0, 0.0), (Model::Amdahl, 0.03, 0.0), (Model::Usl, 0.02, 0.003)]
    {
        let found = project(&measured(&sizes, 3, 0.0, 1, usl(5.0, sigma, kappa)), &ASKED);
        let fit = found.fit.unwrap();
        assert_eq!((fit.model, found.rejection.as_ref()), (model, None));
        near(fit.scale.value, 5.0, 1e-6);
        near(fit.sigma.value, sigma, 1e-7);
        near(fit.kappa.value, kappa, 1e-8);
        near(found.prediction.unwrap().rate, usl(5.0, sigma, kappa)(24.0), 1e-5);
        near(found.residual.unwrap(), 0.0, 1e-9);
    }
}

#[test]
fn the_fit_has_no_bias_where_the_closed_form_has_one() {
    let mut sum = 0.0;
    for seed in 0..400 {
        let steps = measured(&[2.0, 4.0, 8.0], 3, 0.2, seed, usl(5.0, 0.02, 0.0));
        let means: Vec<Mean> = steps.iter().map(Mean::of).collect();
        sum += fit::fit(Family::whole(Model::Linear), &means).at(1.0) / 400.0;
    }
    // A linear fit to a nonlinear system: the true value is the mean of the three rates of a unit.
    let true_rate = [2.0, 4.0, 8.0].map(|n| usl(5.0, 0.02, 0.0)(n) / n).iter().sum::<f64>() / 3.0;
    // The bias of the closed form would be 0.013. The standard deviation of this mean is 0.002.
    near(sum / true_rate, 1.0, 0.006);
}

#[test]
fn standard_errors_are_the_deviations_of_the_parameters() {
    let sizes = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0];
    let (mut sigmas, mut stated) = (Vec::new(), 0.0);
    for seed in 0..300 {
        let steps = measured(&sizes, 3, 0.05, seed, usl(5.0, 0.1, 0.0));
        let means: Vec<Mean> = steps.iter().map(Mean::of).collect();
        let fit = fit::with_errors(fit::fit(Family::whole(Model::Amdahl), &means), &steps);
        sigmas.push(fit.sigma.value);
        stated += fit.sigma.standard_error.unwrap() / 300.0;
    }
    let deviation = results::statistics::deviation(&sigmas).unwrap();
    near(stated / deviation, 1.0, 0.15);
}

#[test]
fn a_projection_that_cannot_be_accepted_is_rejected_with_its_reason() {
    let steps = |sizes: &[f64]| measured(sizes, 3, 0.01, 3, usl(5.0, 0.0, 0.0));
    for (steps, question, why) in [
        (steps(&[1.0, 2.0]), ASKED, Code::TooFewSteps),
        (steps(&[1.0, 2.0, 4.0]), ASKED, Code::TooFar),
        (vec![ProjectionStep { at: 4.0, values: vec![1.0, 0.0] }], ASKED, Code::StepImpossible),
        (
            measured(&[2.0, 4.0, 8.0], 3, 0.001, 3, |n| if n > 5.0 { 2.0 * n } else { 5.0 * n }),
            ASKED,
            Code::NotPredicted,
        ),
    ] {
        let found = project(&steps, &question);
        assert_eq!(found.prediction, None);
        assert_eq!(found.rejection.unwrap().code, why);
    }
    assert!(project(&[], &ASKED).rejection.is_some());
}

#[test]
fn an_interval_that_contains_the_threshold_is_shown_and_decides_nothing() {
    let steps = measured(&[2.0, 4.0, 8.0], 3, 0.05, 3, usl(5.0, 0.0, 0.0));
    let at = |threshold| project(&steps, &Question { threshold: Some(threshold), ..ASKED });
    let free = at(1.0).prediction.unwrap();
    assert_eq!(at(free.low * 0.99).rejection, None);
    assert_eq!(at(free.high * 1.01).rejection, None);
    let undecided = at(free.rate);
    assert_eq!(undecided.prediction, Some(free));
    let rejection = undecided.rejection.unwrap();
    use results::reason::row::ThresholdInInterval as Row;
    let numbers = [Row::low, Row::high, Row::threshold].map(|field| rejection.get(field).unwrap());
    assert_eq!((rejection.code, numbers), (Code::ThresholdInInterval, [free.low, free.high, free.rate]));
}

#[test]
fn three_steps_or_a_narrow_range_are_not_enough_for_the_universal_law() {
    for (sizes, is_enough) in [
        (&[1.0, 4.0, 8.0][..], false),
        (&[3.0, 4.0, 5.0, 6.0, 7.0, 8.0], false),
        (&[2.0, 3.0, 4.0, 5.0, 6.0, 8.0], true),
    ] {
        let steps = measured(sizes, 3, 0.01, 1, usl(5.0, 0.02, 0.0));
        let means: Vec<Mean> = steps.iter().map(Mean::of).collect();
        assert_eq!(fit::is_supported(Model::Usl, &means), is_enough, "{sizes:?}");
    }
}

#[test]
fn no_model_grows_faster_than_linear_and_a_cap_limits_the_rate() {
    let steps = measured(&[2.0, 4.0, 8.0], 3, 0.0, 1, |n| n.powf(1.03));
    let found = project(&steps, &ASKED);
    let fit = found.fit.unwrap();
    assert_eq!((fit.model, fit.sigma.value, fit.sigma.standard_error), (Model::Linear, 0.0, None));
    assert!(found.residual.unwrap() > 0.01, "the residual shows what it does not explain");
    let capped = project(&steps, &Question { cap: Some(20.0), ..ASKED }).prediction.unwrap();
    assert_eq!((capped.rate, capped.high), (20.0, 20.0));
}

#[test]
fn steps_off_the_curve_widen_the_interval_even_if_each_step_repeats_well() {
    let true_rate = usl(5.0, 0.01, 0.0);
    let off = |n: f64| true_rate(n) * if n == 4.0 { 0.95 } else { 1.0 };
    let sizes = [1.0, 2.0, 4.0, 6.0, 8.0];
    let width = |steps: &[ProjectionStep]| {
        let prediction = project(steps, &ASKED).prediction.unwrap();
        (prediction.high - prediction.low) / prediction.rate
    };
    let [even, uneven] = [measured(&sizes, 3, 0.002, 1, &true_rate), measured(&sizes, 3, 0.002, 1, off)];
    assert!(width(&uneven) > 5.0 * width(&even), "{} {}", width(&uneven), width(&even));
    let single = measured(&sizes, 1, 0.02, 1, &true_rate);
    assert!(width(&single) > 0.02, "one repetition each: only the curve shows the variability");
}

#[test]
fn the_unit_of_the_rates_does_not_matter() {
    for sizes in [&[2.0, 4.0, 6.0][..], &[1.0, 2.0, 4.0, 8.0], &[1.0, 2.0, 3.0, 4.0, 6.0, 8.0]] {
        let steps = measured(sizes, 3, 0.03, 5, usl(5.0, 0.02, 0.002));
        let asked = Question { to: 12.0, ..ASKED };
        let one = project(&steps, &asked);
        for unit in [1e-6, 1e12] {
            let mut scaled = steps.clone();
            scaled.iter_mut().flat_map(|step| &mut step.values).for_each(|value| *value *= unit);
            let other = project(&scaled, &asked);
            let [one, other] = [&one, &other].map(|found| (found.fit.unwrap(), found.prediction.unwrap()));
            assert_eq!(one.0.model, other.0.model);
            let errors = [one, other].map(|(fit, _)| fit.scale.standard_error.unwrap());
            near(errors[1] / errors[0] / unit, 1.0, 1e-6);
            near(other.1.low / one.1.low / unit, 1.0, 1e-6);
            near(other.1.high / one.1.high / unit, 1.0, 1e-6);
        }
    }
}

#[test]
fn order_and_splitting_of_the_steps_do_not_matter_and_the_fit_can_be_stored_as_json() {
    let steps = measured(&[1.0, 2.0, 3.0, 4.0, 6.0, 8.0], 4, 0.05, 8, usl(5.0, 0.05, 0.001));
    let found = project(&steps, &ASKED);
    let mut turned: Vec<ProjectionStep> = steps.iter().rev().cloned().collect();
    let late = turned[2].values.split_off(2);
    turned.push(ProjectionStep { at: turned[2].at, values: late });
    assert_eq!(project(&turned, &ASKED), found);
    let fit = found.fit.unwrap();
    let loaded: Fit = serde_json::from_str(&serde_json::to_string(&fit).unwrap()).unwrap();
    assert_eq!(loaded.model, fit.model);
    near(loaded.scale.value, fit.scale.value, 1e-9);
}
