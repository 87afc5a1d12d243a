//! Repetitions that are not independent, and systems that stall now and then.

use results::statistics::{
    Answer, Dice, Side, deviation, farthest, limit_of_cov, mean, significant_dependence, t_quantile,
};

use super::worlds::{CONFIDENCE, Tally, floor};

/// What happened to campaigns in which repetitions were alike or stalled.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// By Student's limit of independent values.
    pub(crate) plain: Tally,
    /// By the rule of verdicts.
    pub(crate) ours: Tally,
    /// The dependence, or the stall, was reported, in percent.
    pub(crate) reported: f64,
}

/// `n` repetitions about 1 whose neighbours have this correlation.
fn process(dice: &mut Dice, lag_one: f64, cov: f64, n: usize) -> Vec<f64> {
    let fresh = (1.0 - lag_one * lag_one).sqrt();
    let mut value = dice.normal();
    let mut next = || {
        value = lag_one * value + fresh * dice.normal();
        1.0 + cov * value
    };
    (0..n).map(|_| next()).collect()
}

/// Campaigns of `n` such repetitions, of a system exactly at a floor of 1.
pub(crate) fn alike(lag_one: f64, cov: f64, n: usize, trials: u32) -> Found {
    let mut dice = Dice::new(18);
    let sample = |_| process(&mut dice, lag_one, cov, n);
    tally(trials, 1.0, sample, |values| significant_dependence(values).is_some())
}

/// How often such campaigns of a system exactly at a maximum of the variability pass, percent: by the limit
/// of independent values, and by the rule of verdicts.
pub(crate) fn alike_cov(lag_one: f64, cov: f64, n: usize, trials: u32) -> [f64; 2] {
    let (mut dice, mut passed) = (Dice::new(22), [0.0; 2]);
    for _ in 0..trials {
        let values = process(&mut dice, lag_one, cov, n);
        if limit_of_cov(&values, Side::Upper, CONFIDENCE).is_some_and(|limit| limit <= cov) {
            passed[0] += 1.0;
            passed[1] += f64::from(u8::from(significant_dependence(&values).is_none()));
        }
    }
    passed.map(|count| count * 100.0 / f64::from(trials))
}

/// Campaigns of a system that stalls in one of ten repetitions, by `depth` of its rate. The others vary by
/// `cov`. The floor is `above` the true mean, as a share of it.
pub(crate) fn stalling(depth: f64, cov: f64, above: f64, n: usize, trials: u32) -> Found {
    let mut dice = Dice::new(19);
    let one = |dice: &mut Dice| {
        let stalled = if dice.share() < 0.1 { depth } else { 0.0 };
        (1.0 - stalled + cov * dice.normal()).max(0.01)
    };
    let floor_at = (1.0 - 0.1 * depth) * (1.0 + above);
    let stalls = |values: &[f64]| {
        farthest(values, true).is_some_and(|found| found.chance <= 0.05 && found.ratio < 0.9)
    };
    tally(trials, floor_at, |_| (0..n).map(|_| one(&mut dice)).collect(), stalls)
}

fn tally(
    trials: u32,
    floor_at: f64,
    mut draw: impl FnMut(u32) -> Vec<f64>,
    reported: impl Fn(&[f64]) -> bool,
) -> Found {
    let mut found = Found::default();
    for trial in 0..trials {
        let values = draw(trial);
        found.plain.add(plain(&values, floor_at));
        found.ours.add(floor(&values, floor_at));
        found.reported += f64::from(u8::from(reported(&values))) * 100.0 / f64::from(trials);
    }
    found
}

/// The rule with Student's limit, as if the values were independent.
fn plain(values: &[f64], floor_at: f64) -> Answer {
    let n = values.len() as f64;
    let (Some(mean), Some(deviation)) = (mean(values), deviation(values)) else { return Answer::Undecided };
    let reach = deviation * t_quantile(CONFIDENCE, values.len() as u32 - 1) / n.sqrt();
    match mean {
        mean if mean - reach >= floor_at => Answer::Supported,
        mean if mean + reach < floor_at => Answer::Refuted,
        _ => Answer::Undecided,
    }
}
