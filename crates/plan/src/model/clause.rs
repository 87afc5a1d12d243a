//! What a test must show: the words of a criterion, checked.
//!
//! Never here: how it is read, and whether it is met.

use std::fmt;

use crate::words::words;

use units::{Dimension, Quantity};

/// What a test must show.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// `PHASE.NAME`, such as `write.bw`.
    pub metric: String,
    /// Which statistic of the repetitions is compared.
    pub stat: Stat,
    /// Whether the plan names it: for the criterion, its test or all tests.
    pub stat_named: bool,
    /// How.
    pub op: Comparison,
    /// With what.
    pub goal: Goal,
    /// The goal as the plan writes it.
    pub written: String,
}

/// What a statistic is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// A value.
    Value(Quantity),
    /// A part of what another test measured.
    Share {
        /// Which part, 1.0 for all of it.
        share: f64,
        /// The test, by its place in [`super::Plan::tests`].
        test: usize,
        /// Its metric.
        metric: String,
        /// What both measure.
        dimension: Dimension,
    },
}

impl Goal {
    /// What it measures.
    pub fn dimension(&self) -> Dimension {
        match self {
            Self::Value(quantity) => quantity.dimension,
            Self::Share { dimension, .. } => *dimension,
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.stat, self.op, self.written)
    }
}

words! {
    /// Which statistic of the repetitions is compared.
    pub enum Stat {
        /// Arithmetic mean.
        Mean = "mean",
        /// Median.
        Median = "median",
        /// Smallest.
        Min = "min",
        /// Largest.
        Max = "max",
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// How a statistic and a threshold are compared.
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

    /// Whether `value` stands in this relation to `threshold`.
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

/// How sure a decision has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decide {
    /// Whether the plan says it, for the test or for all.
    pub chosen: bool,
    /// The statistic compared where a criterion names none.
    pub stat: Stat,
    /// Whether the bound is compared instead of the statistic, so that a single repetition decides nothing.
    pub by_bound: bool,
    /// One-sided confidence of the bound, 0.5 to 1.
    pub confidence: f64,
}
