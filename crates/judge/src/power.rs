//! How probable a PASS is before anything is measured: for a system at each threshold, and for better ones.
//!
//! The system is supposed to have normal, independent repetitions with a known variability. Samples of it are
//! made and decided by `decision`.
//!
//! Invariant: pure; the same plan gives the same probabilities.
//! Never here: records.

use std::cell::RefCell;

use plan::{Comparison, Criterion, Goal, Plan, Score, ScorePart, Stat, Test};
use results::statistics::{self, Dice, REPETITIONS_MAX};
use units::Dimension;

use crate::decision;

/// How much better than the threshold the supposed systems are, as shares of it.
pub const MARGINS: [f64; 3] = [0.0, 0.05, 0.1];

/// The margin and the probability for which a number of repetitions is given.
pub const WANTED: (f64, f64) = (0.05, 0.9);

/// Samples for a probability that is printed. Its standard error is at most 0.5 %.
pub const SAMPLES: u32 = 10_000;
/// Samples for each number of repetitions in a search for enough of them.
const SEARCH_SAMPLES: u32 = 1_000;

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
    /// The probability of PASS at each of [`MARGINS`]. For a criterion on the variability it is that of the
    /// supposed one each time.
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
    let known = RefCell::default();
    let asked: Vec<SupposedClause<'_>> = of_tests
        .chain(of_groups)
        .chain(of_scores)
        .filter(|(.., criterion)| varies(criterion))
        .map(|(id, repetitions, test, criterion)| {
            let score = plan.scores.iter().find(|score| score.id == id);
            let cov = score.map_or_else(|| cov(id, &criterion.metric), |score| cov_of(plan, score, cov));
            let reference = match &criterion.goal {
                Goal::Share { test: of, .. } => {
                    let of = &plan.tests[*of];
                    Some(Reference { n: of.repetitions, paired: of.part.is_some() && of.part == test.part })
                }
                // It is measured with the same plan.
                Goal::Accepted { .. } => Some(Reference { n: repetitions, paired: false }),
                Goal::Value(_) => None,
            };
            SupposedClause { id, test, criterion, repetitions, reference, cov, known: &known }
        })
        .collect();
    let clauses: Vec<ClausePower> = asked.iter().map(SupposedClause::power).collect();
    let all = std::array::from_fn(|at| clauses.iter().map(|clause| clause.pass[at]).product());
    let together = |n| asked.iter().map(|one| one.with(n)).product::<f64>();
    let enough = statistics::first_of(1..=REPETITIONS_MAX, |n| together(n) >= WANTED.1);
    PlanPower { clauses, all, enough }
}

/// The variability of a score whose parts vary independently, to first order.
fn cov_of(plan: &Plan, score: &Score, cov: &dyn Fn(&str, &str) -> f64) -> f64 {
    // The terms of a sum are supposed to be equal without their weights.
    let all: f64 = score.parts.iter().map(|part| part.weight).sum();
    let of_part =
        |part: &ScorePart| (part.weight / all * cov(&plan.tests[part.test].id, &part.metric)).powi(2);
    score.parts.iter().map(of_part).sum::<f64>().sqrt()
}

/// Whether the compared value varies by chance, and has a better side.
fn varies(criterion: &Criterion) -> bool {
    criterion.dimension != Dimension::Count && criterion.op != Comparison::Equal
}

/// The test that measures a threshold. Its variability is that of the clause's own.
#[derive(Clone, Copy, PartialEq)]
struct Reference {
    n: u32,
    paired: bool,
}

/// All on which a probability depends.
#[derive(Clone, Copy, PartialEq)]
struct PassQuestion {
    stat: Stat,
    at_least: bool,
    /// The maximum of a criterion on the variability.
    cov_limit: Option<f64>,
    cov_max: Option<f64>,
    as_written: bool,
    by_bound: bool,
    confidence: f64,
    cov: f64,
    margin: f64,
    n: u32,
    reference: Option<Reference>,
    trials: u32,
}

struct SupposedClause<'p> {
    id: &'p str,
    test: &'p Test,
    criterion: &'p Criterion,
    repetitions: u32,
    reference: Option<Reference>,
    cov: f64,
    /// The known probabilities. Many clauses have the same rule.
    known: &'p RefCell<Vec<(PassQuestion, f64)>>,
}

impl SupposedClause<'_> {
    fn power(&self) -> ClausePower {
        ClausePower {
            test: self.id.to_owned(),
            metric: self.criterion.metric.clone(),
            criterion: self.criterion.to_string(),
            as_written: self.criterion.terms.as_written,
            repetitions: self.repetitions,
            cov: self.cov,
            pass: MARGINS.map(|margin| self.chance(margin, self.repetitions, self.reference, SAMPLES)),
            enough: statistics::first_of(1..=REPETITIONS_MAX, |n| self.with(n) >= WANTED.1),
        }
    }

    /// The probability of PASS at the margin of [`WANTED`] if every test has `n` repetitions.
    fn with(&self, n: u32) -> f64 {
        let reference = self.reference.map(|reference| Reference { n, ..reference });
        self.chance(WANTED.0, n, reference, SEARCH_SAMPLES)
    }

    /// The probability of PASS for a system that is better than the threshold by this share of it.
    fn chance(&self, margin: f64, n: u32, reference: Option<Reference>, trials: u32) -> f64 {
        let cov_limit = match &self.criterion.goal {
            Goal::Value(limit) if self.criterion.stat.row().is_variability => Some(limit.value),
            _ => None,
        };
        let (terms, decide) = (&self.criterion.terms, &self.test.decide);
        let question = PassQuestion {
            stat: self.criterion.stat,
            at_least: matches!(self.criterion.op, Comparison::AtLeast | Comparison::Above),
            cov_limit,
            cov_max: terms.cov_max,
            as_written: terms.as_written,
            by_bound: decide.by_bound,
            confidence: decide.confidence_of(self.criterion),
            cov: self.cov,
            margin,
            n,
            reference,
            trials,
        };
        let known = self.known.borrow().iter().find(|(one, _)| *one == question).map(|known| known.1);
        known.unwrap_or_else(|| {
            let chance = match cov_limit {
                Some(limit) if !terms.as_written => {
                    statistics::power_of_cov(self.cov, limit, n, question.confidence)
                }
                _ => self.sampled(&question),
            };
            self.known.borrow_mut().push((question, chance));
            chance
        })
    }

    /// The share of samples that pass.
    fn sampled(&self, question: &PassQuestion) -> f64 {
        let mut dice = Dice::new(20);
        let mut draw = |mean: f64, n: u32| -> Vec<f64> {
            (0..n).map(|_| mean * (1.0 + self.cov * dice.normal())).collect()
        };
        let PassQuestion { at_least, margin, n, reference, trials, .. } = *question;
        let better = if at_least { 1.0 + margin } else { 1.0 - margin };
        let mut passes = |_: &u32| {
            let own = draw(better, n);
            let measured = reference.map_or(Vec::new(), |reference| draw(1.0, reference.n));
            let paired = reference.is_some_and(|reference| reference.paired);
            decision::passes((self.criterion, self.test), measured, paired, &own)
        };
        f64::from((0..trials).filter(&mut passes).count() as u32) / f64::from(trials)
    }
}
