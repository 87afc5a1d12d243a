//! The checked criteria of a test.
//!
//! Never here: reading and evaluating them.

use std::fmt;

use results::AS_WRITTEN;
use results::statistics::Stat;
use units::{Dimension, Quantity};

/// One criterion of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// `PHASE.NAME`, such as `write.bw`.
    pub metric: String,
    /// The statistic of the repetitions that is compared.
    pub stat: Stat,
    /// Whether the plan names the statistic: for the criterion, its test or all tests.
    pub stat_named: bool,
    /// The comparison.
    pub op: Comparison,
    /// The threshold.
    pub goal: Goal,
    /// The threshold as the plan writes it.
    pub written: String,
    /// The dimension of the metric. That of the threshold differs for the variability.
    pub dimension: Dimension,
    /// What it has beside its threshold.
    pub terms: CriterionTerms,
}

/// What a criterion has beside its threshold: its clause, its name, and how it is decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CriterionTerms {
    /// The clause that it belongs to, by its place in [`super::Plan::clauses`]; `None` if it is a clause of
    /// its own, in a plan without `[[clause]]`.
    pub clause: Option<usize>,
    /// The requirement text of its clause.
    pub requirement: String,
    /// Its name in reports; empty if it has none.
    pub label: String,
    /// Whether the value alone decides, without a confidence.
    pub as_written: bool,
    /// Coefficient of variation above which a PASS becomes INCONCLUSIVE, 1.0 for 100 %.
    pub cov_max: Option<f64>,
    /// How often repetitions were added to a test whose values it uses, after its verdict was known.
    pub further_looks: u32,
}

/// A clause of the contract. It has one verdict, over all criteria that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractClause {
    /// Its id in the contract.
    pub id: String,
    /// The requirement text.
    pub text: String,
    /// Its place in the contract; empty if it is not given.
    pub source: String,
}

/// A threshold.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// A value.
    Value(Quantity),
    /// A share of what another test measured.
    Share {
        /// The share, 1.0 for 100 %.
        share: f64,
        /// The test, by its place in [`super::Plan::tests`].
        test: usize,
        /// Its metric.
        metric: String,
        /// The dimension of both.
        dimension: Dimension,
    },
    /// A share of what the accepted campaign measured: the same metric of the same test, group or score.
    Accepted {
        /// The share, 1.0 for 100 %.
        share: f64,
        /// The dimension of the metric.
        dimension: Dimension,
    },
}

impl Goal {
    /// Its dimension.
    pub fn dimension(&self) -> Dimension {
        match self {
            Self::Value(quantity) => quantity.dimension,
            Self::Share { dimension, .. } | Self::Accepted { dimension, .. } => *dimension,
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = if self.terms.as_written { AS_WRITTEN } else { "" };
        write!(out, "{} {} {}{rule}", self.stat, self.op, self.written)
    }
}

/// The comparison of a statistic with a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `>=`
    AtLeast,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `<`
    Below,
    /// `==`
    Equal,
}

impl Comparison {
    pub(crate) const ALL: [Self; 5] = [Self::AtLeast, Self::AtMost, Self::Above, Self::Below, Self::Equal];

    /// Whether the comparison of `value` with `threshold` is true.
    pub fn holds(self, value: f64, threshold: f64) -> bool {
        match self {
            Self::AtLeast => value >= threshold,
            Self::AtMost => value <= threshold,
            Self::Above => value > threshold,
            Self::Below => value < threshold,
            #[expect(clippy::float_cmp, reason = "`==` in a contract is meant for counts, which are exact")]
            Self::Equal => value == threshold,
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::Below => "<",
            Self::Equal => "==",
        })
    }
}

/// The rule of a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decide {
    /// Whether the plan sets it, for the test or for all tests.
    pub chosen: bool,
    /// The statistic that is compared if a criterion names none.
    pub stat: Stat,
    /// Whether the confidence limit is compared instead of the statistic, so that one repetition decides
    /// nothing.
    pub by_bound: bool,
    /// Whether the value alone decides, without a confidence.
    pub as_written: bool,
    /// One-sided confidence level over all planned looks, 0.5 to 1. A look has that of
    /// [`Decide::confidence_at`].
    pub asked: f64,
    /// How many looks are planned: evaluations after which repetitions may be added.
    pub looks: u32,
}
