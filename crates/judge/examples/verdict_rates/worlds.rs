//! Systems with a known true value, and how often each rule is wrong about them.
//!
//! Every trial draws repetitions about a truth and asks a rule; what is counted is how often it passed,
//! failed and left open. The seeds are fixed: the tables are the same on every machine.

use judge::projection;
use plan::Question;
use results::statistics::{
    self as statistics, Answer, Dice, Side, Tolerance, limit_of_mean, linearity, mean, median,
    repetitions_for_mean,
};

/// Confidence of every rule, one-sided; projections have theirs two-sided.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// The distribution of repetitions around their mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Normal.
    Even,
    /// One in ten is stalled, the others are nearly alike.
    Stalls,
}

/// `n` repetitions of a system with this mean rate, scattering by `cov`.
pub(crate) fn draw(dice: &mut Dice, shape: Shape, rate: f64, cov: f64, n: usize) -> Vec<f64> {
    let one = |dice: &mut Dice| match shape {
        Shape::Even => 1.0 + cov * dice.normal(),
        Shape::Stalls => {
            // A tenth of the values is `depth` below the others and varies by 0.3 of that. The rest varies
            // evenly.
            let depth = 3.0 * cov;
            let stalled = if dice.share() < 0.1 { -0.9 * depth } else { 0.1 * depth };
            1.0 + stalled + cov * 0.19_f64.sqrt() * dice.normal()
        }
    };
    (0..n).map(|_| rate * one(dice).max(0.01)).collect()
}

/// How often a rule answered what.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// It passed, or supported.
    pub(crate) passed: u32,
    /// It failed, or refuted.
    pub(crate) failed: u32,
    /// It left the question open.
    pub(crate) open: u32,
}

impl Tally {
    /// Counts an answer.
    pub(crate) fn add(&mut self, answer: Answer) {
        *match answer {
            Answer::Supported => &mut self.passed,
            Answer::Refuted => &mut self.failed,
            Answer::Undecided => &mut self.open,
        } += 1;
    }

    /// Percent of all answers: passed, failed, open.
    pub(crate) fn percent(&self) -> [f64; 3] {
        let all = f64::from(self.passed + self.failed + self.open);
        [self.passed, self.failed, self.open].map(|count| f64::from(count) * 100.0 / all)
    }
}

/// The rule of a floor: the mean decides, and its bound has to support that.
pub(crate) fn floor(values: &[f64], threshold: f64) -> Answer {
    let met = mean(values).is_some_and(|mean| mean >= threshold);
    let side = if met { Side::Lower } else { Side::Upper };
    let bound = limit_of_mean(values, side, CONFIDENCE);
    match (met, bound.is_some_and(|bound| (bound >= threshold) == met)) {
        (true, true) => Answer::Supported,
        (false, true) => Answer::Refuted,
        _ => Answer::Undecided,
    }
}

/// Answers of the mean alone, and of the mean with its bound, to a floor of 1 by a system at `truth`.
pub(crate) fn floors(shape: Shape, truth: f64, cov: f64, n: usize, trials: u32) -> [Tally; 2] {
    let mut dice = Dice::new(1);
    let [mut literal, mut ours] = [Tally::default(); 2];
    for _ in 0..trials {
        let values = draw(&mut dice, shape, truth, cov, n);
        let met = mean(&values).is_some_and(|mean| mean >= 1.0);
        literal.add(if met { Answer::Supported } else { Answer::Refuted });
        ours.add(floor(&values, 1.0));
    }
    [literal, ours]
}

/// The statistic that is compared with what another test measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    Mean,
    Median,
    Min,
}

/// The rule of "at least as much as the reference". An exact reference is taken without its uncertainty.
pub(crate) fn relative(compared: Compared, own: &[f64], reference: &[f64], exact: bool) -> Answer {
    let goal = if compared == Compared::Median { median(reference) } else { mean(reference) };
    let goal = goal.unwrap_or(f64::NAN);
    let one_step = |values| statistics::LinearityStep { at: 1.0, values };
    let limits = match (compared, exact) {
        (Compared::Mean, true) => return floor(own, goal),
        (Compared::Mean, false) => {
            let none = Tolerance { below: 0.0, above: None };
            return statistics::proportion(one_step(reference), one_step(own), none, CONFIDENCE, 1).answer;
        }
        (Compared::Median, true) => {
            let limit = |side| statistics::limit_of_quantile(own, 0.5, side, CONFIDENCE);
            let both = limit(Side::Lower).zip(limit(Side::Upper));
            both.map(|(low, high)| statistics::Interval { low: low / goal, high: high / goal })
        }
        (Compared::Median, false) => statistics::quantile_ratio_interval(0.5, own, reference, CONFIDENCE),
        (Compared::Min, true) => {
            statistics::min(own).map(|least| statistics::Interval { low: least / goal, high: least / goal })
        }
        (Compared::Min, false) => statistics::min(own)
            .and_then(|least| statistics::value_ratio_interval(least, reference, CONFIDENCE)),
    };
    match limits {
        Some(limits) if limits.low >= 1.0 => Answer::Supported,
        Some(limits) if limits.high < 1.0 => Answer::Refuted,
        _ => Answer::Undecided,
    }
}

/// Answers with an exact reference, and with its uncertainty, about a system of this mean. The reference has
/// a mean of 1. A PASS of a smallest value is wrong only if that value is below 1, so no other is counted.
pub(crate) fn references(
    compared: Compared,
    truth: f64,
    cov: f64,
    [n, of_reference]: [usize; 2],
    trials: u32,
) -> [Tally; 2] {
    let mut dice = Dice::new(8);
    let [mut exact, mut ours] = [Tally::default(); 2];
    for _ in 0..trials {
        let own = draw(&mut dice, Shape::Even, truth, cov, n);
        let reference = draw(&mut dice, Shape::Even, 1.0, cov, of_reference);
        let is_right = compared == Compared::Min && statistics::min(&own) >= Some(1.0);
        let counted =
            |answer| if is_right && answer == Answer::Supported { Answer::Undecided } else { answer };
        exact.add(counted(relative(compared, &own, &reference, true)));
        ours.add(counted(relative(compared, &own, &reference, false)));
    }
    [exact, ours]
}

/// Answers to a floor of 1 when a campaign adds what the verdict asks for, up to `rounds` times and 100
/// repetitions in all; and the mean number of repetitions that took.
pub(crate) fn until_decided(truth: f64, cov: f64, rounds: u32, trials: u32) -> (Tally, f64) {
    let mut dice = Dice::new(2);
    let (mut tally, mut used) = (Tally::default(), 0);
    for _ in 0..trials {
        let mut values = draw(&mut dice, Shape::Even, truth, cov, 3);
        for _ in 0..rounds {
            if floor(&values, 1.0) != Answer::Undecided {
                break;
            }
            let asked = repetitions_for_mean(&values, 1.0, CONFIDENCE).map_or(100, |n| n as usize);
            let more = asked.clamp(values.len() + 1, 100.max(values.len() + 1)) - values.len();
            values.extend(draw(&mut dice, Shape::Even, truth, cov, more));
        }
        used += values.len();
        tally.add(floor(&values, 1.0));
    }
    (tally, used as f64 / f64::from(trials))
}

/// What follows from a suggested number of repetitions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Suggested {
    /// Of all trials: INCONCLUSIVE at first.
    pub(crate) open: f64,
    /// Of those: a number was suggested.
    pub(crate) suggested: f64,
    /// Of those: a new campaign of that number decided.
    pub(crate) decided: f64,
    /// The mean of the suggested numbers.
    pub(crate) repetitions: f64,
}

/// Campaigns of `n` repetitions against a floor of 1, and a new one of the suggested number; in percent.
pub(crate) fn suggested(truth: f64, cov: f64, n: usize, trials: u32) -> Suggested {
    let mut dice = Dice::new(10);
    let [mut open, mut suggested, mut decided, mut repetitions] = [0.0; 4];
    for _ in 0..trials {
        let values = draw(&mut dice, Shape::Even, truth, cov, n);
        if floor(&values, 1.0) != Answer::Undecided {
            continue;
        }
        open += 1.0;
        let Some(number) = repetitions_for_mean(&values, 1.0, CONFIDENCE) else { continue };
        suggested += 1.0;
        repetitions += f64::from(number);
        let again = draw(&mut dice, Shape::Even, truth, cov, number.max(n as u32 + 1) as usize);
        decided += f64::from(u8::from(floor(&again, 1.0) != Answer::Undecided));
    }
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    Suggested {
        open: 100.0 * open / f64::from(trials),
        suggested: 100.0 * share(suggested, open),
        decided: 100.0 * share(decided, suggested),
        repetitions: share(repetitions, suggested),
    }
}

/// More than linear is no miss, as a criterion `linear_within` is judged.
pub(crate) const AT_LEAST: Tolerance = Tolerance { below: 0.1, above: None };

/// "Within 10 % of linear" at two and three times the first step.
pub(crate) fn linear([one, two, three]: &[Vec<f64>; 3], tolerance: Tolerance) -> statistics::Linearity {
    let step = |at, values| statistics::LinearityStep { at, values };
    linearity(step(1.0, one), &[step(2.0, two), step(3.0, three)], tolerance, CONFIDENCE)
}

/// Answers of the ratios alone, and with their intervals, to that question, by a system whose third step has
/// `last` times its share.
pub(crate) fn linearities(last: f64, cov: f64, n: usize, tolerance: Tolerance, trials: u32) -> [Tally; 2] {
    let mut dice = Dice::new(3);
    let [mut literal, mut ours] = [Tally::default(); 2];
    for _ in 0..trials {
        let truths = [1.0, 2.0, 3.0 * last];
        let found = linear(&truths.map(|truth| draw(&mut dice, Shape::Even, truth, cov, n)), tolerance);
        literal.add(if found.literal { Answer::Supported } else { Answer::Refuted });
        ours.add(found.answer);
    }
    [literal, ours]
}

/// How projections of a known system came out, in percent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Projected {
    /// Of all: rejected for their held-out error.
    pub(crate) rejected: f64,
    /// Of the others: the true value was inside the interval.
    pub(crate) inside: f64,
    /// Of the others: the whole interval was above the true value.
    pub(crate) above: f64,
    /// Mean width of the interval, relative to the true value.
    pub(crate) width: f64,
}

/// Projects a system with these σ and κ from `sizes` to twice the largest.
pub(crate) fn projections(
    [sigma, kappa]: [f64; 2],
    sizes: &[f64],
    cov: f64,
    n: usize,
    trials: u32,
) -> Projected {
    let truth = |units: f64| units / (1.0 + sigma * (units - 1.0) + kappa * units * (units - 1.0));
    let to = 2.0 * sizes[sizes.len() - 1];
    let question = Question {
        to,
        threshold: None,
        cap: None,
        confidence: CONFIDENCE,
        dimension: units::Dimension::BytesPerSecond,
    };
    let mut dice = Dice::new(4);
    let [mut shown, mut inside, mut above, mut width] = [0.0; 4];
    for _ in 0..trials {
        let step = |at: &f64| projection::ProjectionStep {
            at: *at,
            values: draw(&mut dice, Shape::Even, truth(*at), cov, n),
        };
        let steps: Vec<projection::ProjectionStep> = sizes.iter().map(step).collect();
        let Some(found) = projection::project(&steps, &question).prediction else { continue };
        shown += 1.0;
        inside += f64::from(u8::from(found.low <= truth(to) && truth(to) <= found.high));
        above += f64::from(u8::from(found.low > truth(to)));
        width += (found.high - found.low) / truth(to);
    }
    let of_shown = |count: f64| if shown > 0.0 { 100.0 * count / shown } else { 0.0 };
    Projected {
        rejected: 100.0 * (1.0 - shown / f64::from(trials)),
        inside: of_shown(inside),
        above: of_shown(above),
        width: of_shown(width),
    }
}

/// Names of the systems that are projected, with σ and κ.
pub(crate) const SCALED: [(&str, [f64; 2]); 4] = [
    ("linear", [0.0, 0.0]),
    ("Amdahl, 1 %", [0.01, 0.0]),
    ("Amdahl, 5 %", [0.05, 0.0]),
    ("USL, 2 %, 0.2 %", [0.02, 0.002]),
];
