//! Whether the clients limit the rate: more client nodes reach more, so the measured rate is a minimum.
//!
//! Both numbers of nodes are measured as often, and the interval of the ratio of their means decides. What it
//! does not decide makes a FAIL INCONCLUSIVE, unless the other numbers of nodes fail too.
//!
//! Never here: other limits of a measurement.

use plan::{Comparison, Criterion, Stat, Test, deferred};
use results::finding::{Finding, Severity};
use results::reason::{Code, Reason, any, reason};
use results::record::MetricKind;
use results::statistics::Interval;
use results::{Outcome, statistics};

use crate::case::TestCriterion;
use crate::decision::{self, Decision, Threshold};
use crate::findings::Findings;

/// Warnings and notes.
#[derive(Default)]
pub(crate) struct Remarks {
    pub(crate) warnings: Vec<Finding>,
    pub(crate) notes: Vec<Finding>,
}

impl Remarks {
    pub(crate) fn warn(&mut self, reason: Reason) {
        self.warnings.push(Finding::new(Severity::Info, reason));
    }

    pub(crate) fn note(&mut self, reason: Reason) {
        self.notes.push(Finding::new(Severity::Info, reason));
    }

    /// Appends other remarks.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.warnings.extend(other.warnings);
        self.notes.extend(other.notes);
        self
    }
}

/// The decision, if other numbers of client nodes were tried, with its warnings and notes. A FAIL stays if
/// the file system cannot do more with other numbers, or if they all fail too.
pub(crate) fn limited(
    case: &TestCriterion<'_>,
    findings: &Findings,
    threshold: Option<&Threshold>,
    decision: Decision,
) -> (Decision, Remarks) {
    let by_limit = !case.criterion.terms.as_written;
    let fail =
        |tests: &[usize]| threshold.is_some_and(|threshold| all_fail(case, findings, threshold, tests));
    if let Some(search) = case.test.search.as_ref().filter(|_| decision.outcome == Outcome::Fail) {
        let found = deferred::searched(case.index.plan, search, &|test, repetition| {
            case.index.records(test, repetition)
        });
        // The warning about the search itself is one of the remarks.
        let unclear = found.err().filter(|why| why.code == Code::SearchUnclear && !fail(&search.steps));
        return (unclear.filter(|_| by_limit).into_iter().fold(decision, undecided), Remarks::default());
    }
    let Some((question, remarks)) = more_clients(case, findings, &decision) else {
        return (decision, Remarks::default());
    };
    let limit = case.test.course.client_limit.as_ref();
    let open = question.filter(|_| by_limit).filter(|why| {
        let probes = limit.map_or(&[][..], |limit| &limit.probes);
        decision.outcome == Outcome::Fail && (why.code == Code::ClientLimited || !fail(probes))
    });
    (open.into_iter().fold(decision, undecided), remarks)
}

/// An INCONCLUSIVE decision instead of a FAIL.
fn undecided(decision: Decision, why: Reason) -> Decision {
    let reason = why.with(any::measured, decision.reason);
    Decision { outcome: Outcome::Inconclusive, reason, ..decision }
}

/// Whether each of these tests that ran fails the criterion by its own repetitions. Means are compared,
/// because a number of nodes is better or worse by its mean.
fn all_fail(case: &TestCriterion<'_>, findings: &Findings, threshold: &Threshold, tests: &[usize]) -> bool {
    let criterion = Criterion { stat: Stat::Mean, ..case.criterion.clone() };
    let ran = tests.iter().map(|at| &case.index.plan.tests[*at]);
    let mut ran = ran.filter(|test| !case.index.jobs(&test.id).is_empty());
    ran.all(|test| {
        let values = findings.usable(&TestCriterion { test, criterion: &criterion, ..*case });
        let fails =
            |values: Vec<f64>| decision::decide(&criterion, case.test, threshold, &values, None).outcome;
        values.is_ok_and(|values| fails(values) == Outcome::Fail)
    })
}

/// Whether more client nodes have a higher rate: the reason if they have, or if that is not clear. `None` if
/// this was not asked.
fn more_clients(
    case: &TestCriterion<'_>,
    findings: &Findings,
    decision: &Decision,
) -> Option<(Option<Reason>, Remarks)> {
    let limit = case.test.course.client_limit.as_ref()?;
    let at_least = matches!(case.criterion.op, Comparison::AtLeast | Comparison::Above);
    let is_rate = case.kind().is_some_and(MetricKind::is_rate);
    let own = decision.statistics.as_ref().filter(|own| at_least && is_rate && own.mean > 0.0)?;
    let mut remarks = Remarks::default();
    // Any of the tests may reach more by chance, so each has a part of the error (Bonferroni).
    let confidence = 1.0 - (1.0 - case.confidence()) / limit.probes.len().max(1) as f64;
    let mut all: Vec<Compared> = Vec::new();
    for probe in &limit.probes {
        let test = &case.index.plan.tests[*probe];
        match findings.usable(&TestCriterion { test, ..*case }) {
            Ok(values) => all.extend(compared(test, &values, &own.values, confidence)),
            Err((_, cause)) => {
                remarks.warn(reason!(ClientLimitUnknown { test: &test.id, cause }));
            }
        }
    }
    let Some(best) = all.iter().max_by(|a, b| a.times.total_cmp(&b.times)) else {
        return Some((None, remarks));
    };
    let most = 1.0 + limit.gain;
    if let Some(found) = all.iter().filter(|one| one.low() > most).max_by(|a, b| a.times.total_cmp(&b.times))
    {
        let limited = reason!(ClientLimited {
            nodes: found.nodes,
            times: found.times,
            ratio_low: found.low(),
            confidence
        });
        remarks.warnings.insert(0, Finding::new(Severity::Info, limited.clone()));
        return Some((Some(limited), remarks));
    }
    if all.iter().all(|one| one.high() <= most) {
        remarks.note(reason!(ClientsSufficient { nodes: best.nodes, gain: best.times - 1.0 }));
        return Some((None, remarks));
    }
    let unclear = all.iter().max_by(|a, b| a.high().total_cmp(&b.high())).unwrap_or(best);
    let reason = unclear.unclear(limit.gain, confidence, own.values.len());
    remarks.warnings.insert(0, Finding::new(Severity::Info, reason.clone()));
    Some((Some(reason), remarks))
}

/// A test on more nodes, compared with the test itself.
struct Compared {
    nodes: u32,
    /// Its mean over that of the test.
    times: f64,
    /// The interval of this ratio; `None` for single repetitions.
    ratio: Option<Interval>,
}

impl Compared {
    fn low(&self) -> f64 {
        self.ratio.map_or(0.0, |ratio| ratio.low)
    }

    fn high(&self) -> f64 {
        self.ratio.map_or(f64::INFINITY, |ratio| ratio.high)
    }

    fn unclear(&self, gain: f64, confidence: f64, n: usize) -> Reason {
        let finite = |end: f64| Some(end).filter(|end| end.is_finite());
        reason!(ClientLimitUnclear {
            nodes: self.nodes,
            n,
            gain_max: gain,
            gain: self.times - 1.0,
            confidence,
            ratio_low: self.ratio.and_then(|ratio| finite(ratio.low)),
            ratio_high: self.ratio.and_then(|ratio| finite(ratio.high))
        })
    }
}

fn compared(test: &Test, values: &[f64], own: &[f64], confidence: f64) -> Option<Compared> {
    let times = statistics::mean(values)? / statistics::mean(own)?;
    let ratio = statistics::ratio_interval(values, own, confidence);
    Some(Compared { nodes: test.placement.nodes.unwrap_or(0), times, ratio })
}
