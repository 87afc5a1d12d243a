//! How probable a PASS is before anything is measured: for a system at each threshold, and for better ones.
//!
//! The system is supposed to have normal, independent repetitions with a known variability. The rules are
//! those of `decision`.
//!
//! Invariant: pure; the same plan gives the same probabilities.
//! Never here: records.

use plan::{Comparison, Criterion, Goal, Plan, Score, ScorePart, Stat, Test};
use results::statistics::{self, Dice, REPETITIONS_MAX};
use units::Dimension;

/// How much better than the threshold the supposed systems are, as shares of it.
pub const MARGINS: [f64; 3] = [0.0, 0.05, 0.1];

/// The margin and the probability for which a number of repetitions is given.
pub const WANTED: (f64, f64) = (0.05, 0.9);

/// Trials where no formula is known.
const TRIALS: u32 = 1000;

/// The probability that a clause is PASS.
#[derive(Clone, Debug, PartialEq)]
pub struct ClausePower {
    /// The test, the group or the score.
    pub test: String,
    /// The metric.
    pub metric: String,
    /// The criterion as written.
    pub criterion: String,
    /// Whether the value alone decides, so that a PASS has no confidence.
    pub as_written: bool,
    /// Its repetitions.
    pub repetitions: u32,
    /// The supposed variability (COV).
    pub cov: f64,
    /// The probability of PASS at each of [`MARGINS`].
    pub pass: [f64; 3],
    /// The repetitions at which [`WANTED`] is reached; `None` if none up to 200 do.
    pub enough: Option<u32>,
}

/// The probabilities of all clauses of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanPower {
    /// Each clause on a value that varies, in the order of the plan.
    pub clauses: Vec<ClausePower>,
    /// The probability that all of them are PASS, at each of [`MARGINS`], if they are independent.
    pub all: [f64; 3],
    /// The repetitions of every test at which all together reach [`WANTED`].
    pub enough: Option<u32>,
}

/// The probabilities of a plan. `cov` is the supposed variability of a test's metric.
pub fn power(plan: &Plan, cov: &dyn Fn(&str, &str) -> f64) -> PlanPower {
    let of_tests = plan.tests.iter().flat_map(|test| {
        test.criteria.iter().map(move |criterion| (test.id.as_str(), test.repetitions, test, criterion))
    });
    let of_groups = plan.groups.iter().flat_map(|group| {
        let first = &plan.tests[group.tests[0]];
        group.criteria.iter().map(move |sum| (group.id.as_str(), group.repetitions, first, sum))
    });
    let of_scores = plan.scores.iter().filter_map(|score| {
        let first = &plan.tests[score.parts[0].test];
        Some((score.id.as_str(), first.repetitions, first, score.criterion.as_ref()?))
    });
    let asked: Vec<Asked<'_>> = of_tests
        .chain(of_groups)
        .chain(of_scores)
        .filter(|(.., criterion)| varies(criterion))
        .map(|(id, repetitions, test, criterion)| {
            let score = plan.scores.iter().find(|score| score.id == id);
            let cov = score.map_or_else(|| cov(id, &criterion.metric), |score| cov_of(plan, score, cov));
            let reference = match &criterion.goal {
                Goal::Share { test, .. } => Some(plan.tests[*test].repetitions),
                Goal::Value(_) | Goal::Accepted { .. } => None,
            };
            Asked { id, test, criterion, repetitions, reference, cov }
        })
        .collect();
    let clauses: Vec<ClausePower> = asked.iter().map(Asked::power).collect();
    let all = std::array::from_fn(|at| clauses.iter().map(|clause| clause.pass[at]).product());
    let together = |n| asked.iter().map(|one| one.chance(WANTED.0, n, Some(n))).product::<f64>();
    let enough = statistics::first_of(1..=REPETITIONS_MAX, |n| together(n) >= WANTED.1);
    PlanPower { clauses, all, enough }
}

/// The variability of a score whose parts vary independently, to first order.
fn cov_of(plan: &Plan, score: &Score, cov: &dyn Fn(&str, &str) -> f64) -> f64 {
    let of_part = |part: &ScorePart| (part.weight * cov(&plan.tests[part.test].id, &part.metric)).powi(2);
    score.parts.iter().map(of_part).sum::<f64>().sqrt()
}

/// Whether the compared value varies by chance, and has a better side.
fn varies(criterion: &Criterion) -> bool {
    criterion.dimension != Dimension::Count
        && criterion.op != Comparison::Equal
        && criterion.stat != Stat::Cov
}

struct Asked<'p> {
    id: &'p str,
    test: &'p Test,
    criterion: &'p Criterion,
    repetitions: u32,
    /// The repetitions of the test that measures the threshold.
    reference: Option<u32>,
    cov: f64,
}

impl Asked<'_> {
    fn power(&self) -> ClausePower {
        let chance = |margin, n, reference| self.chance(margin, n, reference);
        ClausePower {
            test: self.id.to_owned(),
            metric: self.criterion.metric.clone(),
            criterion: self.criterion.to_string(),
            as_written: self.criterion.terms.as_written,
            repetitions: self.repetitions,
            cov: self.cov,
            pass: MARGINS.map(|margin| chance(margin, self.repetitions, self.reference)),
            enough: statistics::first_of(1..=REPETITIONS_MAX, |n| chance(WANTED.0, n, Some(n)) >= WANTED.1),
        }
    }

    /// The probability of PASS for a system that is better than the threshold by this share of it.
    fn chance(&self, margin: f64, n: u32, reference: Option<u32>) -> f64 {
        let own = if self.at_least() { 1.0 + margin } else { 1.0 - margin };
        let deviation = self.cov * own;
        let terms = &self.criterion.terms;
        if n == 1 && ((self.test.decide.by_bound && !terms.as_written) || terms.cov_max.is_some()) {
            return 0.0;
        }
        if terms.as_written {
            return self.by_value(own, n, self.reference.and(reference));
        }
        match (self.reference, self.criterion.stat) {
            (Some(_), Stat::Mean) => {
                self.of_ratio(margin, deviation, n, reference.unwrap_or(n)) * self.narrow(n)
            }
            (Some(_), _) => self.sampled(own, n, reference.unwrap_or(n)) * self.narrow(n),
            (None, stat) => self.of_value(stat, margin / deviation, n),
        }
    }

    /// For a threshold of the plan, and a system that is better by `distance` of its deviations.
    fn of_value(&self, stat: Stat, distance: f64, n: u32) -> f64 {
        let confidence = self.confidence();
        let missing = 1.0 - statistics::power_of_mean(distance, 1, confidence, f64::INFINITY);
        let worst_counts = (stat == Stat::Min) == self.at_least();
        match stat {
            Stat::Mean => statistics::power_of_mean(distance, n, confidence, self.most()),
            Stat::Median if n == 1 => 1.0 - missing,
            Stat::Median => statistics::power_of_median(missing, n, confidence) * self.narrow(n),
            _ if self.test.decide.by_bound => 0.0,
            _ if worst_counts => (1.0 - missing).powi(n as i32) * self.narrow(n),
            _ => (1.0 - missing.powi(n as i32)) * self.narrow(n),
        }
    }

    /// The largest allowed measured deviation, as a share of the true one.
    fn most(&self) -> f64 {
        self.criterion.terms.cov_max.map_or(f64::INFINITY, |most| most / self.cov)
    }

    /// The probability that the repetitions vary by no more than the plan allows.
    fn narrow(&self, n: u32) -> f64 {
        if n < 2 { 1.0 } else { statistics::power_of_mean(1e6, n, self.confidence(), self.most()) }
    }

    /// For a threshold that is the mean of a reference with the same variability.
    fn of_ratio(&self, margin: f64, deviation: f64, n: u32, reference: u32) -> f64 {
        let confidence = self.confidence();
        statistics::power_of_ratio(margin, (deviation, n), (self.cov, reference), confidence)
    }

    /// For a value that decides alone, also against a reference with the same variability.
    fn by_value(&self, own: f64, n: u32, reference: Option<u32>) -> f64 {
        let mut dice = Dice::new(20);
        let compared = |values: &[f64]| match self.criterion.stat {
            Stat::Median => statistics::median(values),
            Stat::Mean | Stat::Min | Stat::Max | Stat::Cov => statistics::mean(values),
        };
        let value = |values: &[f64]| match self.criterion.stat {
            Stat::Min => statistics::min(values),
            Stat::Max => statistics::max(values),
            Stat::Mean | Stat::Median | Stat::Cov => compared(values),
        };
        let most = self.criterion.terms.cov_max.unwrap_or(f64::INFINITY);
        let mut passes = || {
            let values = self.draw(&mut dice, own, n);
            let threshold = reference.and_then(|n| compared(&self.draw(&mut dice, 1.0, n))).unwrap_or(1.0);
            value(&values).is_some_and(|value| self.criterion.op.holds(value, threshold))
                && statistics::cov(&values).is_none_or(|cov| cov <= most)
        };
        let passed: u32 = (0..TRIALS).map(|_| u32::from(passes())).sum();
        f64::from(passed) / f64::from(TRIALS)
    }

    /// Normal repetitions with this mean.
    fn draw(&self, dice: &mut Dice, mean: f64, n: u32) -> Vec<f64> {
        (0..n).map(|_| mean * (1.0 + self.cov * dice.normal())).collect()
    }

    /// For a statistic without a formula, against a reference with the same variability.
    fn sampled(&self, own: f64, n: u32, reference: u32) -> f64 {
        let mut dice = Dice::new(20);
        let confidence = self.confidence();
        let mut passed = 0_u32;
        for _ in 0..TRIALS {
            let (own, reference) = (self.draw(&mut dice, own, n), self.draw(&mut dice, 1.0, reference));
            let limits = match self.criterion.stat {
                Stat::Median => statistics::median_ratio_interval(&own, &reference, confidence),
                Stat::Min => statistics::min(&own)
                    .and_then(|least| statistics::value_ratio_interval(least, &reference, confidence)),
                _ => statistics::max(&own)
                    .and_then(|most| statistics::value_ratio_interval(most, &reference, confidence)),
            };
            let met = |limits: statistics::Interval| {
                let op = self.criterion.op;
                op.holds(limits.low, 1.0) && op.holds(limits.high, 1.0)
            };
            passed += u32::from(limits.is_some_and(met));
        }
        f64::from(passed) / f64::from(TRIALS)
    }

    /// The confidence level at the present look.
    fn confidence(&self) -> f64 {
        self.test.decide.confidence_at(self.criterion.looks())
    }

    fn at_least(&self) -> bool {
        matches!(self.criterion.op, Comparison::AtLeast | Comparison::Above)
    }
}
