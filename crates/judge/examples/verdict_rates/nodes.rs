//! How often a search for a number of nodes, or a check of the client limit, leads to a wrong verdict.
//!
//! The rules are those of `plan::deferred` and of `judge`, on values instead of records.

use results::statistics::{Answer, Dice, mean, ratio_interval};

use super::worlds::{CONFIDENCE, Shape, Tally, draw, floor};

/// The smallest gain of a search, and of a client limit.
const SEARCH_GAIN: f64 = 0.03;
const LIMIT_GAIN: f64 = 0.05;

/// Verdicts after a search over these true rates against a floor of 1: by one job for each step, and by
/// repetitions. A correct verdict is PASS where the best rate meets the floor.
pub(crate) fn searches(rates: &[f64], cov: f64, n: usize, trials: u32) -> [Tally; 2] {
    let mut dice = Dice::new(14);
    let [mut single, mut ours] = [Tally::default(); 2];
    for _ in 0..trials {
        let steps: Vec<Vec<f64>> =
            rates.iter().map(|rate| draw(&mut dice, Shape::Even, *rate, cov, n)).collect();
        let mut best = 0;
        while best + 1 < rates.len() && steps[best + 1][0] >= steps[best][0] * (1.0 + SEARCH_GAIN) {
            best += 1;
        }
        single.add(floor(&draw(&mut dice, Shape::Even, rates[best], cov, n), 1.0));
        let (best, is_clear) = best_step(&steps);
        let answer = floor(&draw(&mut dice, Shape::Even, rates[best], cov, n), 1.0);
        let all_fail = || steps.iter().all(|step| floor(step, 1.0) == Answer::Refuted);
        let open = answer == Answer::Refuted && !is_clear && !all_fail();
        ours.add(if open { Answer::Undecided } else { answer });
    }
    [single, ours]
}

/// The step that a search finds, and whether each comparison was clear.
fn best_step(steps: &[Vec<f64>]) -> (usize, bool) {
    let confidence = 1.0 - (1.0 - CONFIDENCE) / (steps.len() - 1) as f64;
    let (mut best, mut is_clear) = (0, true);
    for step in 1..steps.len() {
        let Some(ratio) = ratio_interval(&steps[step], &steps[best], confidence) else { continue };
        if ratio.high < 1.0 + SEARCH_GAIN {
            break;
        }
        is_clear &= ratio.low >= 1.0 + SEARCH_GAIN;
        if mean(&steps[step]) > mean(&steps[best]) {
            best = step;
        }
    }
    (best, is_clear)
}

/// Verdicts on a test with a client limit of two numbers of nodes, whose true rates are these times its own:
/// by the best of single jobs, and by repetitions.
pub(crate) fn client_limits(truth: f64, gains: [f64; 2], cov: f64, n: usize, trials: u32) -> [Tally; 2] {
    let mut dice = Dice::new(15);
    let [mut single, mut ours] = [Tally::default(); 2];
    let confidence = 1.0 - (1.0 - CONFIDENCE) / 2.0;
    for _ in 0..trials {
        let own = draw(&mut dice, Shape::Even, truth, cov, n);
        let probes = gains.map(|gain| draw(&mut dice, Shape::Even, truth * gain, cov, n));
        let answer = floor(&own, 1.0);
        let excused =
            |is_open: bool| if is_open && answer == Answer::Refuted { Answer::Undecided } else { answer };
        let best = probes[0][0].max(probes[1][0]);
        single.add(excused(mean(&own).is_some_and(|own| best / own > 1.0 + LIMIT_GAIN)));
        let ratios = probes.each_ref().map(|probe| ratio_interval(probe, &own, confidence));
        let limited = ratios.iter().flatten().any(|ratio| ratio.low > 1.0 + LIMIT_GAIN);
        let enough = ratios.iter().flatten().all(|ratio| ratio.high <= 1.0 + LIMIT_GAIN);
        let all_fail = probes.iter().all(|probe| floor(probe, 1.0) == Answer::Refuted);
        ours.add(excused(limited || !enough && !all_fail));
    }
    [single, ours]
}
