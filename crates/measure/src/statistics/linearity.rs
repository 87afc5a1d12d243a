//! Whether a rate grows in proportion to its resources: equivalence tests on the ratios of the steps.
//!
//! Measured values of two equal settings differ, so two means cannot prove "within 10 %". A step holds if its
//! interval is inside the tolerance, and fails if its interval is outside. Otherwise the result is the number
//! of repetitions that would decide.
//!
//! Invariant: a supported whole is wrong in at most one of 1 / (1 − confidence) cases; a refuted whole too,
//! for any number of steps.
//! Never here: units, the requirement text.

use super::power::{REPETITIONS_MAX, SUGGESTED_POWER};
use super::ratio::{Answer, Interval, SettingSample, is_above, power_above, ratio_interval};
use super::{first_of, mean};

/// The repetitions of one setting.
#[derive(Clone, Copy, Debug)]
pub struct LinearityStep<'a> {
    /// The amount of the resource: servers, targets, nodes.
    pub at: f64,
    /// The rate of each repetition.
    pub values: &'a [f64],
}

/// The allowed deviation from proportional.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The maximum shortfall of a step as a share, such as 0.1.
    pub below: f64,
    /// The maximum excess of a step as a share; `None` without a maximum.
    pub above: Option<f64>,
}

/// One step compared with the base.
#[derive(Clone, Debug, PartialEq)]
pub struct Proportion {
    /// The amount of the resource.
    pub at: f64,
    /// The mean over the proportional value from the base's mean: 1 is linear. `None` without values.
    pub ratio: Option<f64>,
    /// One-sided confidence limits of that ratio. If the ratio is within the tolerance, the confidence is the
    /// requested one; otherwise it is the one at which the step is refuted. `None` below two values.
    pub interval: Option<Interval>,
    /// Whether the ratio itself is within the tolerance.
    pub literal: bool,
    /// What the repetitions show.
    pub answer: Answer,
    /// If undecided: how many repetitions in all would decide with probability [`SUGGESTED_POWER`], if ratio
    /// and variability stay the same. The step and the base need as many each. `None` if more than
    /// [`REPETITIONS_MAX`] are needed, or if the variability is unknown.
    pub repetitions: Option<u32>,
}

/// All steps compared with the base.
#[derive(Clone, Debug, PartialEq)]
pub struct Linearity {
    /// Each step, in the order given.
    pub steps: Vec<Proportion>,
    /// Whether all ratios themselves are within the tolerance.
    pub literal: bool,
    /// Supported if every step is, refuted if any is; undecided without steps.
    pub answer: Answer,
    /// The most repetitions that an undecided step needs; `None` if no number is enough, or no step is
    /// undecided.
    pub repetitions: Option<u32>,
}

/// Whether each of `steps` is `base` times its share within `tolerance`, with this one-sided `confidence`.
///
/// To show that all steps hold, each is tested at this confidence. A failure could be found by chance in
/// every step. So each is refuted at a higher confidence that keeps the whole at the requested one
/// (Bonferroni).
pub fn linearity(
    base: LinearityStep<'_>,
    steps: &[LinearityStep<'_>],
    tolerance: Tolerance,
    confidence: f64,
) -> Linearity {
    let among = steps.len();
    let one = |step: &LinearityStep<'_>| proportion(base, *step, tolerance, confidence, among);
    let steps: Vec<Proportion> = steps.iter().map(one).collect();
    let any = |answer| steps.iter().any(|step| step.answer == answer);
    let answer = match () {
        () if any(Answer::Refuted) => Answer::Refuted,
        () if any(Answer::Undecided) || steps.is_empty() => Answer::Undecided,
        () => Answer::Supported,
    };
    let open = steps.iter().filter(|step| step.answer == Answer::Undecided);
    let repetitions = match answer {
        Answer::Undecided => open.map(|step| step.repetitions).collect::<Option<Vec<u32>>>(),
        _ => None,
    };
    Linearity {
        literal: !steps.is_empty() && steps.iter().all(|step| step.literal),
        answer,
        repetitions: repetitions.and_then(|all| all.into_iter().max()),
        steps,
    }
}

/// The same for one of `among` steps that are compared with `base`.
pub fn proportion(
    base: LinearityStep<'_>,
    step: LinearityStep<'_>,
    tolerance: Tolerance,
    confidence: f64,
    among: usize,
) -> Proportion {
    LinearityClaim::new(tolerance, confidence, among).proportion(base, step)
}

/// The answer of [`proportion`] alone, which takes much less time.
pub fn proportion_answer(
    base: LinearityStep<'_>,
    step: LinearityStep<'_>,
    tolerance: Tolerance,
    confidence: f64,
    among: usize,
) -> Answer {
    let claim = LinearityClaim::new(tolerance, confidence, among);
    LinearityClaim::samples(base, step).map_or(Answer::Undecided, |(over, under)| claim.answer(&over, &under))
}

struct LinearityClaim {
    tolerance: Tolerance,
    confidence: f64,
    refutes_at: f64,
}

impl LinearityClaim {
    fn new(tolerance: Tolerance, confidence: f64, among: usize) -> Self {
        Self { tolerance, confidence, refutes_at: 1.0 - (1.0 - confidence) / among.max(1) as f64 }
    }

    /// The step, and what is proportional to it; `None` below two values of each.
    fn samples(base: LinearityStep<'_>, step: LinearityStep<'_>) -> Option<(SettingSample, SettingSample)> {
        let base_sample = SettingSample::of(base.values)?.scaled(step.at / base.at);
        Some((SettingSample::of(step.values)?, base_sample))
    }

    fn proportion(&self, base: LinearityStep<'_>, step: LinearityStep<'_>) -> Proportion {
        let scale = step.at / base.at;
        let expected: Vec<f64> = base.values.iter().map(|value| value * scale).collect();
        let base_mean = mean(&expected).filter(|mean| *mean > 0.0);
        let ratio = mean(step.values).and_then(|mean| Some(mean / base_mean?));
        let samples = Self::samples(base, step);
        let answer = samples.map_or(Answer::Undecided, |(over, under)| self.answer(&over, &under));
        let more = step.values.len().min(base.values.len()) as u32 + 1;
        let repetitions = samples
            .filter(|_| answer == Answer::Undecided)
            .and_then(|(over, under)| self.repetitions(over, under))
            .map(|n| n.max(more));
        let literal = ratio.is_some_and(|ratio| self.holds(ratio));
        let decided_at = if literal { self.confidence } else { self.refutes_at };
        Proportion {
            at: step.at,
            ratio,
            interval: ratio_interval(step.values, &expected, decided_at),
            literal,
            answer,
            repetitions,
        }
    }

    fn low(&self) -> f64 {
        1.0 - self.tolerance.below
    }

    fn high(&self) -> Option<f64> {
        self.tolerance.above.map(|above| 1.0 + above)
    }

    fn holds(&self, ratio: f64) -> bool {
        ratio >= self.low() && self.high().is_none_or(|high| ratio <= high)
    }

    fn answer(&self, over: &SettingSample, under: &SettingSample) -> Answer {
        // A ratio is below a limit if its reciprocal is above the reciprocal of the limit.
        let above = |ratio, confidence| is_above(over, under, ratio, confidence);
        let below = |ratio: f64, confidence| is_above(under, over, 1.0 / ratio, confidence);
        let fits = self.high().is_none_or(|high| below(high, self.confidence));
        if above(self.low(), self.confidence) && fits {
            return Answer::Supported;
        }
        let exceeds = self.high().is_some_and(|high| above(high, self.refutes_at));
        if exceeds || below(self.low(), self.refutes_at) { Answer::Refuted } else { Answer::Undecided }
    }

    fn repetitions(&self, over: SettingSample, under: SettingSample) -> Option<u32> {
        first_of(2..=REPETITIONS_MAX, |n| self.power(&over.with(n), &under.with(n), n) >= SUGGESTED_POWER)
    }

    /// The probability of a decision, if the measured means and deviations are the true ones.
    fn power(&self, over: &SettingSample, under: &SettingSample, n: u32) -> f64 {
        let above = |ratio, confidence| power_above(over, under, ratio, confidence, n);
        let below = |ratio: f64, confidence| power_above(under, over, 1.0 / ratio, confidence, n);
        // Both limits of a tolerance must hold, so at least the sum of what they lack is lost.
        let fits = self.high().map_or(1.0, |high| below(high, self.confidence));
        let supported = above(self.low(), self.confidence) + fits - 1.0;
        let exceeds = self.high().map_or(0.0, |high| above(high, self.refutes_at));
        supported.max(exceeds).max(below(self.low(), self.refutes_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: Tolerance = Tolerance { below: 0.1, above: Some(0.1) };

    fn of(base: &[f64], steps: &[(f64, &[f64])], tolerance: Tolerance) -> Linearity {
        let steps: Vec<LinearityStep<'_>> =
            steps.iter().map(|(at, values)| LinearityStep { at: *at, values }).collect();
        linearity(LinearityStep { at: 1.0, values: base }, &steps, tolerance, 0.95)
    }

    #[test]
    fn a_proportional_system_is_supported_and_one_a_third_short_refuted() {
        let base = [99.0, 100.0, 101.0];
        let linear = of(&base, &[(2.0, &[198.0, 200.0, 202.0]), (3.0, &[297.0, 300.0, 303.0])], TEN);
        assert_eq!((linear.answer, linear.literal, linear.repetitions), (Answer::Supported, true, None));
        let short = of(&base, &[(2.0, &[198.0, 200.0, 202.0]), (3.0, &[197.0, 200.0, 203.0])], TEN);
        assert_eq!((short.answer, short.literal), (Answer::Refuted, false));
        let answers: Vec<Answer> = short.steps.iter().map(|step| step.answer).collect();
        assert_eq!(
            answers,
            [Answer::Supported, Answer::Refuted],
            "only the step that falls short is refuted"
        );
    }

    #[test]
    fn variability_leaves_it_undecided_with_a_number_of_repetitions_that_decides() {
        let of_n = |n: usize| {
            let scattered = |mean: f64| -> Vec<f64> {
                let half = mean * 0.1 * ((n - 1) as f64 / n as f64).sqrt();
                (0..n).map(|i| if i % 2 == 0 { mean - half } else { mean + half }).collect()
            };
            of(&scattered(100.0), &[(2.0, &scattered(192.0))], TEN)
        };
        let open = of_n(4);
        assert_eq!((open.answer, open.literal), (Answer::Undecided, true));
        let n = open.repetitions.unwrap() as usize;
        let even = n.next_multiple_of(2);
        assert!(n > 4, "{n}");
        assert_eq!(of_n(even).answer, Answer::Supported, "{n}");
        assert_eq!(of_n(10).answer, Answer::Undecided, "{n}");
    }

    #[test]
    fn the_suggested_number_does_not_depend_on_the_order_of_the_repetitions() {
        let least = Tolerance { below: 0.1, above: None };
        let base = [96.0, 102.0, 98.0, 103.0, 99.0, 101.0];
        let suggestion = |values: &[f64]| {
            let found = of(&base, &[(2.0, values)], least);
            (found.answer, found.repetitions)
        };
        let rising = suggestion(&[176.0, 178.0, 184.0, 192.0, 199.0, 201.0]);
        assert_eq!(rising, suggestion(&[178.0, 199.0, 176.0, 201.0, 184.0, 192.0]));
        assert_eq!(rising.0, Answer::Undecided);
        assert!((7..20).contains(&rising.1.unwrap()), "{rising:?}");
    }

    #[test]
    fn more_than_proportional_fails_only_with_an_upper_limit() {
        let steps: &[(f64, &[f64])] = &[(2.0, &[249.0, 250.0, 251.0])];
        let base = [99.0, 100.0, 101.0];
        assert_eq!(of(&base, steps, TEN).answer, Answer::Refuted);
        let welcome = Tolerance { above: None, ..TEN };
        assert_eq!(of(&base, steps, welcome).answer, Answer::Supported);
    }

    #[test]
    fn the_interval_agrees_with_the_answer_for_any_number_of_steps() {
        let base = [99.0, 100.0, 101.0, 100.0];
        for tenths in 700..1000 {
            let scattered = [-7.0, -2.0, 3.0, 6.0].map(|off| 0.2 * f64::from(tenths) + off);
            for among in [1, 4] {
                let step = LinearityStep { at: 2.0, values: &scattered };
                let least = Tolerance { below: 0.1, above: None };
                let found = proportion(LinearityStep { at: 1.0, values: &base }, step, least, 0.95, among);
                let lies = found.interval.unwrap();
                let agrees = match found.answer {
                    Answer::Supported => lies.low > 0.9,
                    Answer::Refuted => lies.high < 0.9,
                    Answer::Undecided => lies.low <= 0.9 && lies.high >= 0.9,
                };
                assert!(agrees, "{tenths}, among {among}: {found:?}");
            }
        }
    }

    #[test]
    fn single_repetitions_and_no_steps_are_undecided() {
        let once = of(&[100.0], &[(2.0, &[200.0])], TEN);
        assert_eq!((once.answer, once.literal, once.repetitions), (Answer::Undecided, true, None));
        assert_eq!(once.steps[0].interval, None);
        assert_eq!(of(&[1.0, 2.0], &[], TEN).answer, Answer::Undecided);
        assert_eq!(of(&[1.0, 2.0], &[(2.0, &[])], TEN).steps[0].ratio, None);
    }

    #[test]
    fn no_practical_number_decides_a_ratio_on_the_edge() {
        let edge = of(&[95.0, 105.0, 100.0], &[(2.0, &[171.0, 189.0, 180.0])], TEN);
        assert_eq!((edge.answer, edge.repetitions), (Answer::Undecided, None));
    }
}
