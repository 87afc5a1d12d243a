//! Whether the records of a job have all parts that this program records.
//!
//! Never here: the values of these parts. Records of other programs may lack some.

use super::of_job::run_of;
use super::of_parts::is_kind;
use crate::folder::{Job, JobEnd};
use crate::reason::{Code, Reason};
use crate::record::{Phase, Record, phases};

/// Whether a phase of this name is a part of another one, which has the ranks and the timeline.
///
/// The parts are the calls on directories in a walk, and the kinds of operations in the benchmark of
/// md-workbench.
pub fn is_part(phase: &str) -> bool {
    phase == "directories" || is_kind(phase)
}

/// The first part that the records of a job lack, although this program always records it.
///
/// A part that is missing cannot contradict the others.
pub fn lacks(job: &Job) -> Option<Reason> {
    let is_of_another = job.dataset.as_ref().is_some_and(|made| made.reused.is_some());
    if job.info.end != JobEnd::Exit(0) || job.records.is_empty() || is_of_another {
        return None;
    }
    let reason = |part: &str, phase: Option<&str>| {
        let reason = Reason::new(Code::RecordsIncomplete).with("folder", &job.folder);
        reason.with("part", part).with_some("phase", phase)
    };
    let run = job.records.iter().find_map(|record| match record {
        Record::Run(run) => Some(run),
        _ => None,
    });
    match run {
        None => return Some(reason("run record", None)),
        Some(run) if run.argv.is_empty() => return Some(reason("arguments", None)),
        Some(_) => {}
    }
    let has_columns = run_of(job).is_some_and(|run| run.workload != "flash-io");
    phases(&job.records).find_map(|phase| Some(reason(missing(phase, has_columns)?, Some(&phase.phase))))
}

/// The name of a part that a phase lacks. With `has_columns` the workload records the ranks and the times.
fn missing(phase: &Phase, has_columns: bool) -> Option<&'static str> {
    let is_part = is_part(&phase.phase);
    let parts = [
        ("latency", phase.latency.is_none()),
        ("timeline", phase.timeline.is_none() && has_columns && !is_part),
        ("each_rank", phase.each_rank.is_none() && has_columns && !is_part),
        ("moments", phase.moments.is_none() && has_columns),
    ];
    parts.into_iter().find_map(|(name, is_missing)| (is_missing && phase.ops > 0).then_some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Latency, Moments};

    #[test]
    fn only_the_known_parts_of_a_phase_may_lack_its_ranks_and_timeline() {
        let missing = |name: &str| {
            let (latency, moments) = (Some(Latency::default()), Some(Moments::default()));
            missing(&Phase { phase: name.into(), ops: 1, latency, moments, ..Phase::default() }, true)
        };
        for part in
            ["directories", "benchmark_create", "benchmark_read", "benchmark_stat", "benchmark_delete"]
        {
            assert_eq!(missing(part), None, "{part}");
        }
        for whole in ["benchmark", "benchmark_other", "write"] {
            assert_eq!(missing(whole), Some("timeline"), "{whole}");
        }
    }
}
