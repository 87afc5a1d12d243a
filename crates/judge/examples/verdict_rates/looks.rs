//! Campaigns that are extended until they pass.

use plan::{Decide, Stat};
use results::statistics::{Answer, Dice, LinearityStep, Side, Tolerance, limit_of_mean, proportion_answer};

use crate::worlds::{Shape, draw};

const TRIALS: u32 = 20_000;
const COV: f64 = 0.05;
/// Repetitions of each look.
const N: usize = 5;
const LOOKS: [u32; 4] = [1, 2, 4, 8];

/// The rule of a plan with this number of planned looks.
fn decide(looks: u32) -> Decide {
    Decide { chosen: true, stat: Stat::Mean, by_bound: false, as_written: false, asked: 0.95, looks }
}

/// How often a system with this true rate passes a floor of 1 at any of the first `looks` looks, percent.
/// With a reference, only the repetitions of the reference become more, and its mean is the floor.
fn passed(truth: f64, has_reference: bool, looks: u32, confidence: impl Fn(u32) -> f64) -> f64 {
    let mut dice = Dice::new(21);
    let mut passed = 0;
    let least = Tolerance { below: 0.0, above: None };
    for _ in 0..TRIALS {
        let (mut values, own) = (Vec::new(), draw(&mut dice, Shape::Even, truth, COV, N));
        let passes = (1..=looks).any(|look| {
            let (mean, level) = (if has_reference { 1.0 } else { truth }, confidence(look));
            values.extend(draw(&mut dice, Shape::Even, mean, COV, N));
            match has_reference {
                true => proportion_answer(step(&values), step(&own), least, level, 1) == Answer::Supported,
                false => limit_of_mean(&values, Side::Lower, level).is_some_and(|limit| limit >= 1.0),
            }
        });
        passed += u32::from(passes);
    }
    100.0 * f64::from(passed) / f64::from(TRIALS)
}

fn step(values: &[f64]) -> LinearityStep<'_> {
    LinearityStep { at: 1.0, values }
}

/// Prints the table.
pub(crate) fn table() {
    println!(
        "\nA floor, {N} repetitions, and {N} more as long as the verdict is not PASS; COV {} %, percent of \
         {TRIALS} trials with PASS.\n",
        COV * 100.0
    );
    for has_reference in [false, true] {
        let what = if has_reference { "looks, of a reference only" } else { "looks" };
        println!(
            "\n| {what} | at the floor: not charged | planned | at most | not planned | at most | 5 % above: \
             planned | not planned |\n|---|---|---|---|---|---|---|---|"
        );
        for looks in LOOKS {
            let (planned, unplanned) = (decide(looks), decide(1));
            let of =
                |truth, rule: &Decide| passed(truth, has_reference, looks, |look| rule.confidence_at(look));
            println!(
                "| {looks} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
                passed(1.0, has_reference, looks, |_| 0.95),
                of(1.0, &planned),
                100.0 * planned.error_at(looks),
                of(1.0, &unplanned),
                100.0 * unplanned.error_at(looks),
                of(1.05, &planned),
                of(1.05, &unplanned),
            );
        }
    }
}
