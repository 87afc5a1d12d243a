//! The decision about the values of the repetitions: first by the value alone, then whether the repetitions
//! support it.
//!
//! Never here: whether the values can be used.

mod ratio;

use std::collections::BTreeSet;

use plan::{Comparison, Criterion, Goal, Test};
use results::reason::{Code, Reason, any, reason, row};
use results::record::Counts;
use results::statistics::{self, AlikeNeighbours, Side, StatRow, Undecided};
use results::{Outcome, Statistics};
use units::{Dimension, Quantity};

use crate::case::{TestCriterion, measuring};
use crate::findings::Findings;
use crate::parameters::setup;
use crate::validity::Unusable;

/// The threshold of a statistic: a value of the plan, or a share of another test's measured value.
#[derive(Clone)]
pub(crate) struct Threshold {
    pub(crate) value: Quantity,
    /// The text of the plan, if it is a share of another test's value.
    reference: Option<String>,
    /// Whether the plan writes it in powers of 1024.
    binary: bool,
    /// The values of the reference, one for each repetition, already multiplied by the share; empty for a
    /// value of the plan.
    measured: Vec<f64>,
    /// Whether each value of the reference was measured at the same time as the value with its number, in
    /// another part of the group.
    paired: bool,
    /// The number of comparisons with the same reference, one of which could fail by chance: the steps of a
    /// series.
    among: usize,
}

/// The threshold of a criterion of the test, group or score `id`, or why there is none.
pub(crate) fn threshold(
    id: &str,
    case: &TestCriterion<'_>,
    findings: &Findings,
) -> Result<Threshold, Unusable> {
    let criterion = case.criterion;
    let binary = criterion.written.contains("iB/s");
    match &criterion.goal {
        Goal::Value(value) => Ok(Threshold {
            value: *value,
            reference: None,
            binary,
            measured: Vec::new(),
            paired: false,
            among: 1,
        }),
        Goal::Accepted { share, dimension } => {
            let values = accepted(id, case).map_err(|reason| (Outcome::Invalid, reason))?;
            shared(case, *share, &values, *dimension, 1).ok_or_else(|| (Outcome::Invalid, reason!(NoValues)))
        }
        Goal::Share { share, test, metric, dimension } => {
            let test = &case.index.plan.tests[*test];
            let other = measuring(metric, *dimension);
            let values = findings.usable(&TestCriterion { test, criterion: &other, ..*case });
            let of = |reason: Reason| reason!(ReferenceUnusable { metric, test: &test.id, cause: reason });
            let values = values.map_err(|(outcome, reason)| (outcome, of(reason)))?;
            let paired = test.part.is_some() && test.part == case.test.part;
            shared(case, *share, &values, *dimension, among(case, test))
                .map(|threshold| Threshold { paired, ..threshold })
                .ok_or_else(|| (Outcome::Invalid, of(reason!(NoValues))))
        }
    }
}

/// The share of the measured values of a reference; `None` without values.
fn shared(
    case: &TestCriterion<'_>,
    share: f64,
    values: &[f64],
    dimension: Dimension,
    among: usize,
) -> Option<Threshold> {
    let criterion = case.criterion;
    let measured: Vec<f64> = values.iter().map(|value| value * share).collect();
    let value = (criterion.stat.row().reference)(&measured)?;
    Some(Threshold {
        value: Quantity { value, dimension },
        reference: Some(criterion.written.clone()),
        binary: criterion.written.contains("iB/s"),
        measured,
        paired: false,
        among,
    })
}

/// What the accepted campaign measured for the metric of a test, group or score. It must have been measured
/// in the same way.
fn accepted(id: &str, case: &TestCriterion<'_>) -> Result<Vec<f64>, Reason> {
    let metric = &case.criterion.metric;
    let all = &case.index.campaign.info.accepted;
    let unit = case.criterion.goal.dimension().unit();
    let known = all.iter().find(|one| one.test == id && one.metric == *metric && one.unit == unit);
    let Some(known) = known else {
        return Err(reason!(AcceptedMissing { metric }));
    };
    let own = setup(case.index, id, metric);
    let names: BTreeSet<&String> = own.keys().chain(known.setup.keys()).collect();
    match names.into_iter().find(|name| own.get(*name) != known.setup.get(*name)) {
        None => Ok(known.values.clone()),
        Some(name) => Err(reason!(AcceptedDiffers { what: name })),
    }
}

/// The number of steps of a series that are compared with the step of `base`, if the case is one of them.
fn among(case: &TestCriterion<'_>, base: &Test) -> usize {
    let series = |test: &Test| test.step.as_ref().map(|step| step.series);
    match (series(case.test), series(base)) {
        (Some(own), Some(other)) if own == other => case.index.plan.series[own].steps.len() - 1,
        _ => 1,
    }
}

/// An outcome with its reason.
pub(crate) struct Decision {
    pub(crate) outcome: Outcome,
    pub(crate) reason: Reason,
    pub(crate) value: Option<f64>,
    pub(crate) statistics: Option<Statistics>,
}

impl Decision {
    /// A decision without a value.
    pub(crate) fn none((outcome, reason): Unusable) -> Self {
        Self { outcome, reason, value: None, statistics: None }
    }
}

/// Decides `criterion` from the values of the repetitions, in base units. With `best` only the value of that
/// repetition is compared.
pub(crate) fn decide(
    criterion: &Criterion,
    test: &Test,
    threshold: &Threshold,
    values: &[f64],
    best: Option<usize>,
) -> Decision {
    let comparison = ThresholdComparison { criterion, test, threshold, values, best, explains: true };
    let side = comparison.unfavourable();
    let Some(mut statistics) = Statistics::of(values, side, comparison.confidence()) else {
        return Decision::none((Outcome::Invalid, reason!(NoValues)));
    };
    if !comparison.has_variability() || criterion.terms.as_written {
        statistics.bound = None;
    }
    let value = comparison.value();
    if criterion.stat.row().is_variability {
        // The values keep the unit of the metric, and only their mean has this limit.
        statistics.bound = None;
        statistics.unit = criterion.dimension.unit().to_owned();
    }
    let Some(value) = value else {
        let reason = reason!(VariabilityUnknown { cov_max: threshold.value.value, n: values.len() });
        let statistics = Some(statistics);
        return Decision { outcome: Outcome::Inconclusive, reason, value: None, statistics };
    };
    let (outcome, reason) = comparison.decide(value, statistics.cov);
    Decision { outcome, reason, value: Some(value), statistics: Some(statistics) }
}

/// Whether these values pass: the outcome of [`decide`], without what its reason costs. `reference` has the
/// values of a measured threshold. Without it, the threshold is 1, or the maximum of a variability.
pub(crate) fn passes(case: (&Criterion, &Test), reference: Vec<f64>, paired: bool, values: &[f64]) -> bool {
    let (criterion, test) = case;
    let row = criterion.stat.row();
    let fixed = match &criterion.goal {
        Goal::Value(most) if row.is_variability => most.value,
        _ => 1.0,
    };
    let value = Quantity {
        value: (row.reference)(&reference).unwrap_or(fixed),
        dimension: criterion.goal.dimension(),
    };
    let threshold =
        Threshold { value, reference: None, binary: false, measured: reference, paired, among: 1 };
    let comparison =
        ThresholdComparison { criterion, test, threshold: &threshold, values, best: None, explains: false };
    let decided = comparison.value().map(|value| comparison.decide(value, statistics::cov(values)));
    decided.is_some_and(|(outcome, _)| outcome == Outcome::Pass)
}

/// Adds to a decision without errors the compared amount and the upper limit of the error rate. With 95 %
/// confidence, at most 3 of n transfers are wrong.
pub(crate) fn of_compared(case: &TestCriterion<'_>, mut decision: Decision) -> Decision {
    let phases = case.all_phases();
    let checked =
        phases.iter().filter_map(|phase| Some((phase.check.as_ref()?.bytes, phase.ops, phase.counts)));
    let checked: Vec<(u64, u64, Counts)> = checked.collect();
    let (bytes, n) = checked.iter().fold((0, 0), |(bytes, n), one| (bytes + one.0, n + one.1));
    if case.metric() == "errors" && decision.value == Some(0.0) && n >= 6 {
        let names = checked.iter().all(|one| one.2 == Counts::Operations);
        let count = if names { row::ThresholdMet::operations } else { row::ThresholdMet::transfers };
        let reason = decision.reason.with(count, n);
        decision.reason = reason!(ThresholdMet { compared: bytes, error_rate_max: 3.0 / n as f64, ..reason });
    }
    decision
}

struct ThresholdComparison<'a> {
    criterion: &'a Criterion,
    test: &'a Test,
    threshold: &'a Threshold,
    values: &'a [f64],
    /// The place of the only value that is compared.
    best: Option<usize>,
    /// Whether the reason has the numbers that take long: suggested repetitions and limits of a ratio.
    explains: bool,
}

impl ThresholdComparison<'_> {
    fn row(&self) -> &'static StatRow {
        self.criterion.stat.row()
    }

    fn value(&self) -> Option<f64> {
        match self.best {
            Some(at) => self.values.get(at).copied(),
            None => (self.row().value)(self.values),
        }
    }

    fn decide(&self, value: f64, cov: Option<f64>) -> (Outcome, Reason) {
        let Self { criterion, threshold, .. } = self;
        let met = criterion.op.holds(value, threshold.value.value);
        if criterion.terms.as_written {
            let (outcome, code) = match met {
                true => (Outcome::Pass, Code::ThresholdMet),
                false => (Outcome::Fail, Code::ThresholdNotMet),
            };
            return self.within_variability(met, cov, (outcome, self.reason(code, value)));
        }
        if let Some(answer) = ratio::decision(self, value, met) {
            return self.within_variability(met, cov, answer);
        }
        if let Some(undecided) = self.dependent(value, met) {
            return (Outcome::Inconclusive, undecided);
        }
        let toward = self.toward(met);
        let limit = self.limit(toward);
        if limit.is_none() && self.needs_limit() {
            return (Outcome::Inconclusive, self.without_limit(value, toward));
        }
        let with_limit = |reason: Reason| match limit.filter(|_| self.has_variability()) {
            Some(limit) => {
                let (limit, confidence) = (self.quantity(limit), self.confidence());
                self.with_dependence(reason!(ThresholdMet { limit, confidence, ..reason }), Some(toward))
            }
            None => reason,
        };
        if let Some(limit) = limit
            && criterion.op.holds(limit, threshold.value.value) != met
        {
            let code = if met { Code::LimitContradictsMet } else { Code::LimitContradictsMiss };
            return (Outcome::Inconclusive, self.with_repetitions(with_limit(self.reason(code, value)), met));
        }
        if !met {
            return (Outcome::Fail, with_limit(self.reason(Code::ThresholdNotMet, value)));
        }
        let supported = with_limit(self.reason(Code::ThresholdMet, value));
        self.within_variability(met, cov, (Outcome::Pass, supported))
    }

    /// A pass is INCONCLUSIVE if the repetitions vary by more than the plan allows, or if that is not known.
    fn within_variability(
        &self,
        met: bool,
        cov: Option<f64>,
        answer: (Outcome, Reason),
    ) -> (Outcome, Reason) {
        match (cov, self.criterion.terms.cov_max) {
            (Some(cov), Some(most)) if answer.0 == Outcome::Pass && cov > most && met => (
                Outcome::Inconclusive,
                reason!(VariabilityAboveMax { cov, cov_max: most, n: self.values.len() })
                    .with(any::measured, answer.1),
            ),
            (None, Some(most)) if answer.0 == Outcome::Pass && self.is_alone() => (
                Outcome::Inconclusive,
                reason!(VariabilityUnknown { cov_max: most, n: self.values.len() })
                    .with(any::measured, answer.1),
            ),
            _ => answer,
        }
    }

    /// The reason with the numbers of the comparison.
    fn reason(&self, code: Code, value: f64) -> Reason {
        let Self { criterion, threshold, values, .. } = self;
        let n = match threshold.measured.len() {
            0 => values.len(),
            others => values.len().min(others),
        };
        reason!(ThresholdMet {
            statistic: criterion.stat.to_string(),
            value: self.quantity(value),
            comparison: criterion.op.to_string(),
            threshold: threshold.value,
            n,
            binary: threshold.binary.then_some(true),
            reference: threshold.reference.clone(),
            ..Reason::new(code)
        })
        .with(any::rule, criterion.terms.as_written.then_some("as-written"))
    }

    /// The side on which an error would change a pass to a failure.
    fn unfavourable(&self) -> Side {
        match self.criterion.op {
            Comparison::AtMost | Comparison::Below => Side::Upper,
            Comparison::AtLeast | Comparison::Above | Comparison::Equal => Side::Lower,
        }
    }

    /// The side of the limit that decides a criterion that the value meets or does not meet.
    fn toward(&self, met: bool) -> Side {
        match (self.unfavourable(), met) {
            (side, true) => side,
            (Side::Lower, false) => Side::Upper,
            (Side::Upper, false) => Side::Lower,
        }
    }

    /// Whether the value has a variability. Counts of errors are exact.
    fn has_variability(&self) -> bool {
        self.threshold.value.dimension != Dimension::Count && self.criterion.op != Comparison::Equal
    }

    /// The reason why the limits of a median or a variability do not decide: they are limits of independent
    /// values only. Dependent ones show less variability than there is. So one above the threshold stays so.
    fn dependent(&self, value: f64, met: bool) -> Option<Reason> {
        let decides = match self.row().neighbours {
            AlikeNeighbours::Undecide => self.has_variability(),
            AlikeNeighbours::UndecideMet => met,
            AlikeNeighbours::Widen | AlikeNeighbours::WidenReference => false,
        };
        let both = [self.values, &self.threshold.measured].into_iter().filter(|_| decides);
        let found = both.filter_map(statistics::significant_dependence).next()?;
        Some(reason!(DependentRepetitions {
            lag_one: found.lag_one,
            p: found.chance,
            ..self.reason(Code::DependentRepetitions, value)
        }))
    }

    /// Adds why the limits of means are wider than those of independent values, if they are. Adds the limit
    /// on `side` that they would have. The reference of a ratio can be the dependent one.
    pub(super) fn with_dependence(&self, reason: Reason, side: Option<Side>) -> Reason {
        let reference = &self.threshold.measured;
        let differences: Vec<f64> =
            self.values.iter().zip(reference).map(|(own, other)| own - other).collect();
        let samples = match self.row().neighbours {
            AlikeNeighbours::Widen if self.threshold.paired => vec![&differences[..]],
            AlikeNeighbours::Widen => vec![self.values, reference],
            AlikeNeighbours::WidenReference => vec![&reference[..]],
            AlikeNeighbours::Undecide | AlikeNeighbours::UndecideMet => Vec::new(),
        };
        let found = samples.into_iter().find_map(statistics::significant_dependence);
        let Some(found) = found else { return reason };
        let plain = side.and_then(|side| statistics::independent_limit(self.values, side, self.confidence()));
        reason
            .with(any::lag_one, found.lag_one)
            .with(any::p, found.chance)
            .with(any::limit_independent, plain.map(|limit| self.quantity(limit)))
    }

    /// Whether a single repetition was measured of what varies.
    fn is_alone(&self) -> bool {
        self.has_variability() && self.values.len() == 1
    }

    /// Whether a value without a limit decides nothing.
    fn needs_limit(&self) -> bool {
        let has_order = self.row().is_order_statistic && self.values.len() > 1;
        self.has_variability() && (self.test.decide.by_bound || has_order)
    }

    /// The reason that the value has no limit, with the repetitions that would have one.
    fn without_limit(&self, value: f64, side: Side) -> Reason {
        let least = self.row().limit_from.map(|least| least(side, self.confidence()));
        reason!(NoLimit { n_min: least, ..self.reason(Code::NoLimit, value) })
    }

    fn limit(&self, side: Side) -> Option<f64> {
        let limit = self.row().limit.filter(|_| self.has_variability())?;
        limit(self.values, side, self.confidence())
    }

    /// Adds the number of repetitions in all that would probably decide.
    fn with_repetitions(&self, reason: Reason, met: bool) -> Reason {
        let Self { criterion, threshold, values, .. } = self;
        let Some(wanted) = self.row().repetitions.filter(|_| self.explains) else { return reason };
        let threshold = threshold.value.value;
        let missing = values.iter().filter(|value| criterion.op.holds(**value, threshold) != met).count();
        let (side, confidence) = (self.toward(met), self.confidence());
        let undecided = Undecided { values, threshold, missing, side, confidence };
        let more = wanted(&undecided).map(|n| n.max(values.len() as u32 + 1));
        or_undecidable(reason, more.filter(|n| *n <= statistics::REPETITIONS_MAX))
    }

    /// The confidence level at the present look.
    fn confidence(&self) -> f64 {
        self.test.decide.confidence_of(self.criterion)
    }

    /// A value with its unit. The quantity cannot be negative, so a limit below zero becomes zero.
    fn quantity(&self, value: f64) -> Quantity {
        Quantity { value: value.max(0.0), dimension: self.threshold.value.dimension }
    }
}

/// Adds the number of repetitions that would decide with its probability, or that no practical number would.
fn or_undecidable(reason: Reason, repetitions: Option<u32>) -> Reason {
    match repetitions {
        Some(n) => {
            reason!(RatioUndecided { repetitions: n, power: statistics::SUGGESTED_POWER, ..reason })
        }
        None => reason!(RatioUndecided { repetitions_max: statistics::REPETITIONS_MAX, ..reason }),
    }
}
