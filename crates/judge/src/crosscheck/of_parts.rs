//! Whether the kinds of operations in a benchmark of md-workbench add up to the benchmark.
//!
//! Never here: the numbers within a phase.

use super::of_job::run_of;
use super::{contradiction as differs, is_longer, shown_s};
use command::WorkloadName;
use results::folder::Job;
use results::reason::Reason;
use results::record::{BENCHMARK, Phase, phases};

/// The beginning of the names of kinds.
const PART: &str = "benchmark_";

/// The first benchmark whose kinds do not add up, if any.
pub(super) fn contradiction(job: &Job) -> Option<Reason> {
    run_of(job).filter(|run| run.workload == WorkloadName::MdWorkbench.command())?;
    let mut wholes = phases(&job.records).filter(|phase| phase.phase == BENCHMARK);
    wholes.find_map(|whole| {
        let is_part = |phase: &&Phase| {
            phase.phase.starts_with(PART) && (phase.test, phase.repetition) == (whole.test, whole.repetition)
        };
        let parts: Vec<&Phase> = phases(&job.records).filter(is_part).collect();
        differs_in_counts(job, whole, &parts).or_else(|| differs_in_time(job, whole, &parts))
    })
}

fn differs_in_counts(job: &Job, whole: &Phase, parts: &[&Phase]) -> Option<Reason> {
    let failed = |phase: &Phase| phase.failed.as_ref().map_or(0, |failed| failed.operations);
    let counts = |phase: &Phase| [("operations", phase.ops), ("failed operations", failed(phase))];
    counts(whole).into_iter().enumerate().find_map(|(at, (what, all))| {
        let sum = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(counts(part)[at].1));
        (sum != all).then(|| {
            let stated = (&*format!("{what} of all its kinds"), sum.to_string());
            differs(job, stated, (&format!("{what} of {BENCHMARK}"), all.to_string()))
        })
    })
}

/// A kind counts the time of its calls, and the benchmark also what is between them.
fn differs_in_time(job: &Job, whole: &Phase, parts: &[&Phase]) -> Option<Reason> {
    let seconds = |phase: &Phase| {
        let latency = phase.latency.as_ref();
        latency.map_or(0.0, |latency| latency.mean_ns * latency.count as f64 * 1e-9)
    };
    let (sum, all) = (parts.iter().map(|part| seconds(part)).sum::<f64>(), seconds(whole));
    is_longer(sum, all, 0.0).then(|| {
        let all = ("latencies of benchmark", shown_s(all));
        differs(job, ("latencies of all its kinds", shown_s(sum)), all)
    })
}
