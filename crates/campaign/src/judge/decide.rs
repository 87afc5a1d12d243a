//! From the repetitions' values to an answer: literally first, then whether the repetitions support it.
//!
//! Never here: whether the values may be used.

use results::statistics::{self, Side};
use results::{Outcome, Statistics};
use units::{Dimension, Quantity};

use crate::plan::{Criterion, Op, Stat, Test};

/// An answer with its reason.
pub(super) struct Decision {
    pub(super) outcome: Outcome,
    pub(super) reason: String,
    pub(super) value: Option<f64>,
    pub(super) statistics: Option<Statistics>,
}

/// Decides `criterion` by the values of the repetitions, in base units.
pub(super) fn decide(criterion: &Criterion, test: &Test, values: &[f64]) -> Decision {
    let weighing = Weighing { criterion, test, values };
    let side = weighing.unfavourable();
    let Some(statistics) = Statistics::of(values, side, test.decide.confidence) else {
        let reason = "no repetition has a value".to_owned();
        return Decision { outcome: Outcome::Invalid, reason, value: None, statistics: None };
    };
    let value = match criterion.stat {
        Stat::Mean => statistics.mean,
        Stat::Median => statistics.median,
        Stat::Min => statistics.min,
        Stat::Max => statistics.max,
    };
    let (outcome, reason) = weighing.weigh(value, statistics.cov);
    Decision { outcome, reason, value: Some(value), statistics: Some(statistics) }
}

struct Weighing<'a> {
    criterion: &'a Criterion,
    test: &'a Test,
    values: &'a [f64],
}

impl Weighing<'_> {
    fn weigh(&self, value: f64, cov: Option<f64>) -> (Outcome, String) {
        let Self { criterion, test, .. } = self;
        let met = criterion.op.holds(value, criterion.threshold.value);
        let said = format!("{} {}", criterion.stat, self.shown(value));
        let needed = format!("{} {}", criterion.op, criterion.written);
        let n = self.values.len();
        let toward = if met { self.unfavourable() } else { opposite(self.unfavourable()) };
        let bound = self.bound(toward);
        if test.decide.by_bound && bound.is_none() && criterion.stat == Stat::Mean && self.scatters() {
            return (
                Outcome::Inconclusive,
                format!("{said}: {n} repetition has no bound, and the plan decides by it"),
            );
        }
        if let Some(bound) = bound
            && criterion.op.holds(bound, criterion.threshold.value) != met
        {
            let meets = if met { "meets" } else { "misses" };
            let reach = if toward == Side::Lower { "low" } else { "high" };
            let reason = format!(
                "{said} {meets} {needed}, but after {n} repetitions the truth may be as {reach} as {}; {}",
                self.shown(bound),
                self.remedy()
            );
            return (Outcome::Inconclusive, reason);
        }
        if !met {
            return (Outcome::Fail, format!("{said} misses {needed}"));
        }
        if let (Some(cov), Some(cov_max)) = (cov, test.cov_max)
            && cov > cov_max
        {
            let (cov, most) = (cov * 100.0, cov_max * 100.0);
            let reason = format!(
                "{said} meets {needed}, but the repetitions scatter by {cov:.1} % and {most:.0} % is allowed"
            );
            return (Outcome::Inconclusive, reason);
        }
        let supported = match (bound, self.scatters()) {
            (Some(bound), true) => {
                format!("; {:.0} % bound {}", test.decide.confidence * 100.0, self.shown(bound))
            }
            _ => String::new(),
        };
        (Outcome::Pass, format!("{said} meets {needed}{supported}"))
    }

    /// The side on which being wrong would turn a pass into a miss.
    fn unfavourable(&self) -> Side {
        match self.criterion.op {
            Op::AtMost | Op::Below => Side::Upper,
            Op::AtLeast | Op::Above | Op::Equal => Side::Lower,
        }
    }

    /// Whether the value is one that scatters; a count of errors is what it is, and so are extremes.
    fn scatters(&self) -> bool {
        self.criterion.threshold.dimension != Dimension::Count && self.criterion.op != Op::Equal
    }

    fn bound(&self, side: Side) -> Option<f64> {
        let confidence = self.test.decide.confidence;
        match self.criterion.stat {
            _ if !self.scatters() => None,
            Stat::Mean => statistics::bound_of_mean(self.values, side, confidence),
            Stat::Median => statistics::bound_of_median(self.values, side, confidence),
            Stat::Min | Stat::Max => None,
        }
    }

    fn remedy(&self) -> String {
        let (threshold, confidence) = (self.criterion.threshold.value, self.test.decide.confidence);
        match statistics::repetitions_to_decide(self.values, threshold, confidence) {
            Some(n) if n as usize > self.values.len() => format!("about {n} repetitions would decide"),
            Some(_) => "more repetitions would decide".to_owned(),
            None => "no practical number of repetitions would decide".to_owned(),
        }
    }

    /// A value with its unit; a bound below zero says nothing of what cannot be negative.
    fn shown(&self, value: f64) -> String {
        let value = value.max(0.0);
        // In the family of the threshold's unit, or a sentence compares 2.57 GB/s with 2.5 GiB/s.
        match self.criterion.threshold.dimension {
            Dimension::BytesPerSecond if self.criterion.written.contains("iB/s") => {
                return units::rate_binary(value);
            }
            _ => {}
        }
        Quantity { value, dimension: self.criterion.threshold.dimension }.to_string()
    }
}

fn opposite(side: Side) -> Side {
    match side {
        Side::Lower => Side::Upper,
        Side::Upper => Side::Lower,
    }
}
