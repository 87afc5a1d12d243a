//! Criteria: the statistic that they compare, whether they can pass and fail, and whether data is compared.

use command::PlannedLine;
use plan::Comparison;
use results::finding::Finding;
use results::finding::Severity::{Error, Info, NeedsWaiver};
use results::reason;
use results::record::{CaseOutcome, MetricRow};
use units::Dimension;

use super::prose::{UnitFamily, family};
use crate::subject::{CriterionFacts, LineRole, LineSubject, PlanSubject};

/// stat-unnamed, where no statistic is named. The mean is compared, and criterion and verdict name it.
pub(crate) fn stat(subject: &LineSubject) -> Vec<Finding> {
    let unnamed = subject
        .criteria
        .iter()
        .filter(|criterion| criterion.stat.is_none() && !criterion.counts && criterion.value.is_some());
    let reason = |criterion: &CriterionFacts| reason!(StatUnnamed { metric: &criterion.metric });
    unnamed.map(|criterion| Finding::new(Info, reason(criterion))).collect()
}

/// dead-criterion, beyond what the plan rejects
pub(crate) fn dead(subject: &LineSubject) -> Vec<Finding> {
    let dead = |criterion: &CriterionFacts| {
        let (metric, op, value) = (&criterion.metric, criterion.op.to_string(), &criterion.written);
        let reason = reason!(DeadCriterion { metric, op, value, .. });
        Some(match certain(criterion) {
            Some(certain) => Finding::new(Error, reason!(DeadCriterion { certain, ..reason })),
            None => Finding::new(NeedsWaiver, reason!(DeadCriterion { meant: turned(criterion)?, ..reason })),
        })
    };
    subject.criteria.iter().filter_map(dead).collect()
}

/// The outcome of a criterion whose outcome does not depend on the measured value.
fn certain(criterion: &CriterionFacts) -> Option<&'static str> {
    let value = criterion.value?.value;
    let (passes, fails) = match criterion.op {
        Comparison::AtLeast => (value <= 0.0, value.is_infinite()),
        Comparison::Above => (value < 0.0, value.is_infinite()),
        Comparison::AtMost => (value.is_infinite(), value < 0.0),
        Comparison::Below => (value.is_infinite(), value <= 0.0),
        Comparison::Equal => (false, value < 0.0),
    };
    if passes { Some("PASS") } else { fails.then_some("FAIL") }
}

/// The comparison that is probably intended. It exists for a lower limit on a value that should be low, and
/// for an upper limit on a value that should be high.
fn turned(criterion: &CriterionFacts) -> Option<&'static str> {
    match (criterion.op, more_is_better(criterion)?) {
        (Comparison::AtMost, true) => Some(">="),
        (Comparison::Below, true) => Some(">"),
        (Comparison::AtLeast, false) => Some("<="),
        (Comparison::Above, false) => Some("<"),
        _ => None,
    }
}

/// Whether more is better for the metric, where that is known.
fn more_is_better(criterion: &CriterionFacts) -> Option<bool> {
    if criterion.stat.is_some_and(|stat| stat.row().is_variability) {
        return Some(false);
    }
    let (_, name) = criterion.metric.split_once('.')?;
    if let Some(known) = MetricRow::named(name).and_then(|row| row.kind.more_is_better()) {
        return Some(known);
    }
    match CaseOutcome::named(name) {
        Some(CaseOutcome::Pass) => Some(true),
        Some(CaseOutcome::Fail) => Some(false),
        _ => match criterion.value?.dimension {
            Dimension::BytesPerSecond | Dimension::PerSecond | Dimension::Points => Some(true),
            Dimension::Seconds => Some(false),
            Dimension::Bytes | Dimension::Fraction | Dimension::Count => None,
        },
    }
}

/// units, over the whole plan. All values are compared in base units; only readers can confuse them.
pub(crate) fn mixed_units(plan: &PlanSubject) -> Vec<Finding> {
    let of = |wanted: UnitFamily| {
        plan.lines
            .iter()
            .flat_map(|line| line.criteria.iter().map(move |criterion| (line, criterion)))
            .find(|(_, criterion)| family(criterion.written.trim()) == Some(wanted))
    };
    let (Some((first, decimal)), Some((second, binary))) = (of(UnitFamily::Decimal), of(UnitFamily::Binary))
    else {
        return Vec::new();
    };
    let other = (first.id != second.id).then_some(&first.id);
    let reason =
        reason!(Units { metric: &binary.metric, decimal: &decimal.written, binary: &binary.written, other });
    vec![Finding::new(Info, reason).about(&second.id).at(second.place())]
}

/// reps-short, for the repetitions of a command line
pub(crate) fn one_job(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| line.repetitions > 1 && !(line.writes() && line.multi_file))?;
    let reason = if line.writes() {
        reason!(RepsShort { overwrites: line.repetitions })
    } else {
        reason!(RepsShort { rereads: line.repetitions })
    };
    Some(Finding::new(NeedsWaiver, reason).at(subject.word('i')))
}

/// unchecked-data, over the whole plan
pub(crate) fn unchecked(plan: &PlanSubject) -> Vec<Finding> {
    let wrote = plan.lines.iter().filter(|line| {
        let writes = line.ior().is_some_and(|facts| facts.writes());
        // Its own criterion compares what was written, or that of a score.
        let is_compared = !line.reported && line.role != Some(LineRole::Dataset);
        writes && is_compared && !plan.verified.contains(&line.id)
    });
    let found =
        wrote.map(|line| Finding::new(NeedsWaiver, reason!(UncheckedData)).about(&line.id).at(line.place()));
    found.collect()
}

/// unchecked-data, where the measured time includes the comparison
pub(crate) fn check_in_time(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| line.read_check)?;
    let timed = subject.criteria.iter().find(|criterion| {
        criterion.metric.starts_with("read_check.") && !criterion.metric.ends_with(".errors")
    });
    // The reads that are measured may be those of a mixed phase.
    if timed.is_none() && (line.mixes() || subject.role != Some(LineRole::Read)) {
        return None;
    }
    let metric = timed.map(|criterion| &criterion.metric);
    Some(Finding::new(NeedsWaiver, reason!(UncheckedData { option: "-R", metric })).at(subject.word('R')))
}
