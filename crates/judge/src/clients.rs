//! Whether the clients limit the rate: more client nodes reach more, so the measured rate is a minimum.
//!
//! Never here: other limits of a measurement.

use plan::{Comparison, Test};
use results::finding::{Finding, Severity};
use results::reason::{Code, Datum, Reason};
use results::{Outcome, statistics};

use crate::case::TestCriterion;
use crate::decision::Decision;
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

/// The decision, if more client nodes were tried, with its warnings and notes.
pub(crate) fn limited(
    case: &TestCriterion<'_>,
    findings: &Findings,
    decision: Decision,
) -> (Decision, Remarks) {
    let mut remarks = Remarks::default();
    let Some(limit) = &case.test.course.client_limit else { return (decision, remarks) };
    let at_least = matches!(case.criterion.op, Comparison::AtLeast | Comparison::Above);
    let is_rate = matches!(case.metric(), "bw" | "iops" | "rate" | "sustained" | "steady");
    // Means are compared, because other statistics of different numbers of repetitions differ by variability
    // alone.
    let own = decision.statistics.as_ref().map(|statistics| statistics.mean);
    let Some(own) = own.filter(|own| at_least && is_rate && *own > 0.0) else { return (decision, remarks) };
    let mut most: Option<(u32, f64)> = None;
    for probe in &limit.probes {
        let test = &case.index.plan.tests[*probe];
        match measured(case, findings, test) {
            Ok(rate) if most.is_none_or(|(_, most)| rate > most) => {
                most = Some((test.placement.nodes.unwrap_or(0), rate));
            }
            Ok(_) => {}
            Err(reason) => {
                let unknown = Reason::new(Code::ClientLimitUnknown).with("test", &test.id);
                remarks.warn(unknown.with("cause", reason));
            }
        }
    }
    let Some((nodes, rate)) = most else { return (decision, remarks) };
    let times = rate / own;
    if times <= 1.0 + limit.gain {
        let enough = Reason::new(Code::ClientsSufficient).with("nodes", nodes);
        remarks.note(enough.with("gain", Datum::share(times - 1.0)));
        return (decision, remarks);
    }
    let limited = Reason::new(Code::ClientLimited).with("nodes", nodes).with("times", times);
    remarks.warnings.insert(0, Finding::new(Severity::Info, limited.clone()));
    if decision.outcome != Outcome::Fail {
        return (decision, remarks);
    }
    let reason = limited.with("measured", decision.reason);
    (Decision { outcome: Outcome::Inconclusive, reason, ..decision }, remarks)
}

/// The rate of the test with more nodes, if it can be used.
fn measured(case: &TestCriterion<'_>, findings: &Findings, test: &Test) -> Result<f64, Reason> {
    let values = findings.usable(&TestCriterion { test, ..*case }).map_err(|(_, reason)| reason)?;
    statistics::mean(&values).ok_or_else(|| Reason::new(Code::NoValues))
}
