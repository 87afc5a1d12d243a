//! Whether the records of a job have all parts that this program records.
//!
//! Never here: the values of these parts. Records of other programs may lack some.

use super::of_job::run_of;
use super::of_parts::is_kind;
use crate::folder::{Job, JobEnd};
use crate::reason::{Code, Reason};
use crate::record::{Counts, Phase, Record, phases};

/// The backend that moves no data.
const WITHOUT_FILES: &str = "dummy";
/// The pace of clocks is always recorded for a phase whose transfers last this long, seconds. It is compared
/// from 1 ms on.
const PACED_S: f64 = 0.01;

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
    let Some(run) = run else { return Some(reason("run record", None)) };
    if run.argv.is_empty() {
        return Some(reason("arguments", None));
    }
    let nodes = run.clients.as_ref().map_or(0, |clients| clients.nodes.len());
    if run.workload != "app" && nodes != run.nodes as usize {
        return Some(reason("nodes", None));
    }
    let has_columns = run_of(job).is_some_and(|run| run.workload != "flash-io");
    phases(&job.records).find_map(|phase| Some(reason(missing(phase, has_columns)?, Some(&phase.phase))))
}

/// The name of a part that a phase lacks. With `has_columns` the workload records the ranks and the times.
fn missing(phase: &Phase, has_columns: bool) -> Option<&'static str> {
    let is_whole = !is_part(&phase.phase);
    let moves_data = phase.counts == Counts::Bytes && phase.backend != WITHOUT_FILES;
    let has_pace = phase.pace.is_some_and(|pace| pace.seconds > 0.0);
    let parts = [
        ("latency", phase.latency.is_none()),
        ("timeline", phase.timeline.is_none() && has_columns && is_whole),
        ("each_rank", phase.each_rank.is_none() && has_columns && is_whole),
        ("moments", phase.moments.is_none() && has_columns),
        ("kernel", phase.kernel.is_none() && is_whole),
        ("pace", !has_pace && phase.spans.transfer_s >= PACED_S),
        ("opened", phase.opened.is_none() && moves_data),
        ("check", phase.check.is_none() && phase.phase.ends_with("_check")),
    ];
    parts.into_iter().find_map(|(name, is_missing)| (is_missing && phase.ops > 0).then_some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{
        Check, ClockPace, EachRank, KernelCount, Latency, Moments, OpenedFiles, Spans, Timeline,
    };

    /// A name, and what removes parts from a phase.
    type Without = (&'static str, fn(&mut Phase));

    /// A phase with all parts.
    fn whole(name: &str) -> Phase {
        Phase {
            phase: name.into(),
            ops: 1,
            backend: "posix".into(),
            latency: Some(Latency::default()),
            timeline: Some(Timeline::default()),
            each_rank: Some(EachRank::default()),
            moments: Some(Moments::default()),
            kernel: Some(KernelCount::default()),
            pace: Some(ClockPace { seconds: 1.0, ..ClockPace::default() }),
            opened: Some(OpenedFiles::default()),
            check: name.ends_with("_check").then(Check::default),
            spans: Spans { transfer_s: 1.0, ..Spans::default() },
            ..Phase::default()
        }
    }

    #[test]
    fn each_part_of_a_phase_is_missed() {
        let without: [Without; 9] = [
            ("latency", |phase| phase.latency = None),
            ("timeline", |phase| phase.timeline = None),
            ("each_rank", |phase| phase.each_rank = None),
            ("moments", |phase| phase.moments = None),
            ("kernel", |phase| phase.kernel = None),
            ("pace", |phase| phase.pace = None),
            ("pace", |phase| phase.pace = Some(ClockPace::default())),
            ("opened", |phase| phase.opened = None),
            ("check", |phase| phase.check = None),
        ];
        assert_eq!(missing(&whole("read_check"), true), None);
        for (part, remove) in without {
            let mut phase = whole("read_check");
            remove(&mut phase);
            assert_eq!(missing(&phase, true), Some(part));
            phase.ops = 0;
            assert_eq!(missing(&phase, true), None, "{part}: nothing was measured");
        }
    }

    #[test]
    fn a_part_that_cannot_be_recorded_is_not_missed() {
        let without: [Without; 4] = [
            ("file_creation", |phase| (phase.opened, phase.counts) = (None, Counts::Operations)),
            ("write", |phase| (phase.opened, phase.backend) = (None, WITHOUT_FILES.into())),
            ("write", |phase| (phase.pace, phase.spans.transfer_s) = (None, 0.001)),
            ("benchmark_read", |phase| {
                (phase.timeline, phase.each_rank, phase.kernel) = (None, None, None);
            }),
        ];
        for (name, remove) in without {
            let mut phase = whole(name);
            remove(&mut phase);
            assert_eq!(missing(&phase, true), None, "{name}");
        }
        let columns = Phase { timeline: None, each_rank: None, moments: None, ..whole("checkpoint") };
        assert_eq!(missing(&columns, false), None);
    }

    #[test]
    fn only_the_known_parts_of_a_phase_may_lack_its_ranks_and_timeline() {
        let missing = |name: &str| missing(&Phase { timeline: None, each_rank: None, ..whole(name) }, true);
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
