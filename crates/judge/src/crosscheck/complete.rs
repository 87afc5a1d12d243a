//! Whether the records of a job have all parts that this program records.
//!
//! Never here: the values of these parts. Records of other programs may lack some.

use super::of_job::{is_reused, parts};
use command::{WorkloadName, discards_data};
use results::folder::{Job, JobEnd};
use results::reason::{Reason, reason};
use results::record::{self, APP, Counts, OpenedFiles, Phase, Run, is_part, phases};

/// The pace of clocks is always recorded for a phase whose transfers last this long, seconds. It is compared
/// from 1 ms on.
const PACED_S: f64 = 0.01;

/// The first part that the records of a job lack, although this program always records it.
///
/// A part that is missing cannot contradict the others.
pub fn lacks(job: &Job) -> Option<Reason> {
    if job.info.end != JobEnd::Exit(0) || job.records.is_empty() || is_reused(job) {
        return None;
    }
    let reason =
        |part: &str, phase: Option<&str>| reason!(RecordsIncomplete { folder: &job.folder, part, phase });
    let Some(run) = record::runs(&job.records).next() else { return Some(reason("run record", None)) };
    if run.argv.is_empty() {
        return Some(reason("arguments", None));
    }
    let nodes = run.clients.as_ref().map_or(0, |clients| clients.nodes.len());
    if run.workload != APP && nodes != run.nodes as usize {
        return Some(reason("nodes", None));
    }
    let has_columns =
        run.workload != APP && WorkloadName::named(&run.workload).is_none_or(WorkloadName::records_ranks);
    let is_place_known = run.clients.as_ref().is_some_and(|clients| !clients.mounted.is_empty());
    phases(&job.records).find_map(|phase| {
        let place = missing_place(phase, run, is_place_known);
        let part = missing(phase, has_columns).or(place.then_some("opened"))?;
        Some(reason(part, Some(&phase.phase)))
    })
}

/// Whether it is not recorded where the files of a phase are, although the system knows its files. A driver
/// of MPI-IO, such as `daos:`, has files that the system does not know.
fn missing_place(phase: &Phase, run: &Run, is_place_known: bool) -> bool {
    let moves_data = phase.counts == Counts::Bytes && !discards_data(&phase.backend);
    let driver = phase.path.split_once(':').map(|(driver, _)| driver).filter(|driver| !driver.contains('/'));
    let by_driver = driver.is_some_and(|driver| {
        let has_driver = |part: &str| part.strip_prefix(driver).is_some_and(|rest| rest.starts_with(':'));
        parts(&run.argv).any(has_driver)
    });
    let is_known = |opened: &OpenedFiles| !opened.kind.is_empty() || !is_place_known;
    moves_data && phase.ops > 0 && !by_driver && !phase.opened.as_ref().is_some_and(is_known)
}

/// The name of a part that a phase lacks. With `has_columns` the workload records the ranks and the times.
fn missing(phase: &Phase, has_columns: bool) -> Option<&'static str> {
    let is_whole = !is_part(&phase.phase);
    let has_pace = phase.pace.is_some_and(|pace| pace.seconds > 0.0);
    let parts = [
        ("latency", phase.latency.is_none()),
        ("timeline", phase.timeline.is_none() && has_columns && is_whole),
        ("each_rank", has_no_ranks(phase) && has_columns && is_whole),
        ("moments", phase.moments.is_none() && has_columns),
        ("kernel", phase.kernel.is_none() && is_whole),
        ("pace", !has_pace && phase.spans.transfer_s >= PACED_S),
        ("check", phase.check.is_none() && phase.phase.ends_with("_check")),
    ];
    parts.into_iter().find_map(|(name, is_missing)| (is_missing && phase.ops > 0).then_some(name))
}

/// Whether a phase lacks the work of the ranks, or one of the columns that every run has.
fn has_no_ranks(phase: &Phase) -> bool {
    let each = phase.each_rank.as_ref();
    each.is_none_or(|each| each.moved.is_empty() || each.seconds.is_empty() || each.ended_s.is_empty())
}

#[cfg(test)]
mod tests {
    use results::reason::row;

    use super::*;
    use results::folder::{DatasetReuse, JobInfo, Manifest};
    use results::record::{
        Check, ClockPace, EachRank, KernelCount, Latency, Moments, OpenedFiles, Record, Spans, Timeline,
    };

    /// A name, and what removes parts from a phase.
    type Without = (&'static str, fn(&mut Phase));

    /// The work of one rank.
    fn ranks() -> EachRank {
        let (moved, seconds) = (vec![1].into(), vec![1.0].into());
        EachRank { ranks: 1, moved, seconds, ended_s: vec![1.0].into(), ..EachRank::default() }
    }

    /// A phase with all parts.
    fn whole(name: &str) -> Phase {
        Phase {
            phase: name.into(),
            ops: 1,
            backend: "posix".into(),
            latency: Some(Latency::default()),
            timeline: Some(Timeline::default()),
            each_rank: Some(ranks()),
            moments: Some(Moments::default()),
            kernel: Some(KernelCount::default()),
            pace: Some(ClockPace { seconds: 1.0, ..ClockPace::default() }),
            opened: Some(OpenedFiles { kind: "ext4".into(), ..OpenedFiles::default() }),
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
            ("each_rank", |phase| phase.each_rank = Some(EachRank { ranks: 1, ..EachRank::default() })),
            ("moments", |phase| phase.moments = None),
            ("kernel", |phase| phase.kernel = None),
            ("pace", |phase| phase.pace = None),
            ("pace", |phase| phase.pace = Some(ClockPace::default())),
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
        let without: [Without; 2] = [
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
    fn only_a_dataset_may_have_the_records_of_another_campaign() {
        let reused = Manifest { reused: Some(DatasetReuse::default()), ..Manifest::default() };
        let part = |test: &str| {
            let info = JobInfo { test: test.into(), end: JobEnd::Exit(0), ..JobInfo::default() };
            let (records, dataset) = (vec![Record::Run(Run::default())], Some(Box::new(reused.clone())));
            let reason = lacks(&Job { info, records, dataset, ..Job::default() })?;
            reason.get(row::PartUnusable::part).map(str::to_owned)
        };
        assert_eq!((part("dataset.d"), part("W")), (None, Some("arguments".to_owned())));
    }

    #[test]
    fn the_place_of_files_is_missed_unless_there_are_none_that_the_system_knows() {
        let argv = ["ior", "-o", "daos:/s/f"].map(str::to_owned).to_vec();
        let run = Run { argv, ..Run::default() };
        let write = || whole("write");
        let unknown = || Phase { opened: Some(OpenedFiles::default()), ..write() };
        let none = || Phase { opened: None, ..write() };
        let at = |path: &str| Phase { path: path.into(), ..none() };
        for (is_missing, is_place_known, phase) in [
            (false, true, write()),
            (true, true, none()),
            (true, false, none()),
            (true, true, unknown()),
            (false, false, unknown()),
            (false, true, Phase { counts: Counts::Operations, ..none() }),
            (false, true, Phase { backend: "dummy".into(), ..none() }),
            (false, true, at("daos:/s/f.00000000")),
            (true, true, at("other:/s/f")),
        ] {
            assert_eq!(missing_place(&phase, &run, is_place_known), is_missing, "{phase:?}");
        }
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
