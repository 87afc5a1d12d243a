//! Whether more clients would have had more: then what was measured is theirs, and a lower bound.
//!
//! Never here: the other limits of a measurement.

use results::{Outcome, statistics};

use super::decide::Decision;
use super::warnings::Told;
use super::{Case, usable};
use plan::Op;
use plan::Test;

/// The decision where more clients were tried, with what is to be said of that.
pub(super) fn limited(case: &Case<'_>, decision: Decision) -> (Decision, Told) {
    let Some(limit) = &case.test.course.client_limit else { return (decision, Told::default()) };
    let name = case.metric().1;
    let at_least = matches!(case.criterion.op, Op::AtLeast | Op::Above);
    let is_rate = matches!(name, "bw" | "iops" | "rate" | "sustained" | "steady");
    // Mean with mean: other statistics of more repetitions differ by their scatter alone.
    let own = decision.statistics.as_ref().map(|statistics| statistics.mean);
    let Some(own) = own.filter(|own| at_least && is_rate && *own > 0.0) else {
        return (decision, Told::default());
    };
    let mut told = Told::default();
    let mut most: Option<(u32, f64)> = None;
    for probe in &limit.probes {
        let test = &case.plan.tests[*probe];
        match measured(case, test) {
            Ok(rate) if most.is_none_or(|(_, most)| rate > most) => {
                most = Some((test.placement.nodes.unwrap_or(0), rate));
            }
            Ok(_) => {}
            Err(why) => {
                let unknown = format!("whether the clients limit it is not known: {}: {why}", test.id);
                told.warnings.push(unknown);
            }
        }
    }
    let Some((nodes, rate)) = most else { return (decision, told) };
    let times = rate / own;
    if times <= 1.0 + limit.gain {
        let gain = (times - 1.0) * 100.0;
        let enough =
            format!("{nodes} nodes changed it by {gain:+.1} %, so the clients are not what limits it");
        told.notes.push(enough);
        return (decision, told);
    }
    let limited = format!(
        "client-limited: {nodes} nodes reach {times:.2} times as much, so the value is a lower bound"
    );
    told.warnings.insert(0, limited.clone());
    if decision.outcome != Outcome::Fail {
        return (decision, told);
    }
    let reason = format!("{}, but {limited}", decision.reason);
    (Decision { outcome: Outcome::Inconclusive, reason, ..decision }, told)
}

/// What the test at more nodes measured, where that may be used.
fn measured(case: &Case<'_>, test: &Test) -> Result<f64, String> {
    let probe = Case { test, ..*case };
    let values = usable::values(&probe, &probe.jobs()).map_err(|(_, why)| why)?;
    statistics::mean(&values).ok_or_else(|| "it has no value".to_owned())
}
