//! What a plan requires of a measurement beside its number.

use results::folder::{Campaign, Job};
use results::reason::{Code, row};
use results::record::{EachRank, Moments, Phase, Record};
use results::{Outcome, Verdict};

use super::{Parsed, campaign, job, one, outcome, phase, plan, verdicts_of};

const SECOND: u64 = 1_000_000_000;

/// Three repetitions of a write of 100 bytes by these ranks on these nodes, each with 10 bytes of memory and
/// 4 cores, after `change`.
fn verdict(require: &str, [ranks, nodes]: [u32; 2], change: fn(&mut Job)) -> Verdict {
    let repetition = |number| {
        let mut job = job("T", number, phase("write", 100));
        job.info.seconds = 60.0;
        let Record::Run(run) = &mut job.records[0] else { panic!() };
        (run.ranks, run.nodes) = (ranks, nodes);
        // The last node has the ranks that do not fit evenly.
        let of_rank = |rank: u32| (rank / ranks.div_ceil(nodes)).min(nodes - 1);
        recorded(&mut job).ranks = ranks;
        recorded(&mut job).each_rank = Some(EachRank {
            ranks,
            node: (0..ranks).map(of_rank).collect::<Vec<_>>().into(),
            nodes: (0..nodes).map(|node| format!("n{node}")).collect(),
            ..EachRank::default()
        });
        change(&mut job);
        job
    };
    let mut campaign = campaign((1..4).map(repetition).collect());
    campaign.before.as_mut().unwrap().cores = 4;
    let criterion = "criterion = { metric = \"write.bw\", op = \">=\", value = \"90 B/s\" }";
    one(
        &plan(&format!("ior = \"-w -e\"\nranks = {ranks}\nrequire = {{ {require} }}\n{criterion}")),
        &campaign,
    )
}

fn recorded(job: &mut Job) -> &mut Phase {
    let Record::Phase(phase) = &mut job.records[1] else { panic!() };
    phase
}

/// What is met, what is not, ranks and nodes, and a change of each job.
type Case = (&'static str, &'static str, [u32; 2], fn(&mut Job));

#[test]
fn a_measurement_that_is_not_as_required_is_invalid() {
    let none = |_: &mut Job| ();
    let cases: [Case; 12] = [
        ("bytes_per_node = \"100 B\"", "bytes_per_node = \"101 B\"", [1, 1], none),
        ("bytes_per_node = \"1000 % of memory\"", "bytes_per_node = \"1001 % of memory\"", [1, 1], none),
        ("bytes_per_node = \"50 B\"", "bytes_per_node = \"51 B\"", [2, 2], none),
        ("bytes_per_node = \"40 B\"", "bytes_per_node = \"41 B\"", [1, 1], |job| {
            recorded(job).repeated_bytes = 60;
        }),
        ("job_time = \"60 s\"", "job_time = \"61 s\"", [1, 1], none),
        ("cores = \"25 %\"", "cores = \"26 %\"", [1, 1], none),
        ("cores = \"75 %\"", "cores = \"76 %\"", [6, 2], none),
        // 4 and 1 of 4 cores.
        ("cores = \"25 %\"", "cores = \"26 %\"", [7, 2], |job| {
            recorded(job).each_rank.as_mut().unwrap().node = vec![0, 0, 0, 0, 0, 0, 1].into();
        }),
        ("job_time = \"60 s\"", "ranks = \"power of two\"", [6, 1], none),
        ("nodes = 2", "nodes = 3", [4, 2], none),
        // The second phase begins 7 s after the end of the first one.
        ("phase_gap = \"7.25 s\"", "phase_gap = \"7.2 s\"", [1, 1], |job| {
            let mut second = recorded(job).clone();
            second.phase = "read".into();
            let from = 1000 + 100 * u64::from(job.info.repetition);
            second.moments = Some(moments(from + 8));
            recorded(job).moments = Some(moments(from));
            job.records.insert(2, Record::Phase(Box::new(second)));
        }),
        ("ranks = \"power of two\"", "persistent = true", [4, 1], |job| recorded(job).persisted = false),
    ];
    for (met, missed, placement, change) in cases {
        let found = verdict(met, placement, change);
        assert_eq!(outcome(&found), (Outcome::Pass, Code::ThresholdMet), "{met}: {}", found.reason);
        let found = verdict(missed, placement, change);
        assert_eq!(outcome(&found), (Outcome::Invalid, Code::RequirementNotMet), "{missed}");
    }
}

#[test]
fn a_gap_between_phases_without_times_is_not_shown() {
    let found = verdict("phase_gap = \"1 h\"", [1, 1], |job| recorded(job).moments = None);
    assert_eq!(outcome(&found), (Outcome::Invalid, Code::PartTimeUnknown));
}

#[test]
fn a_requirement_whose_base_is_not_known_is_not_met() {
    let found = verdict("cores = \"1 %\"", [2, 1], |job| recorded(job).each_rank = None);
    assert_eq!(outcome(&found), (Outcome::Invalid, Code::RequirementNotMet));
    assert_eq!(found.reason.get(row::RequirementNotMet::unknown), Some("ranks and cores"));
    let criterion = "criterion = { metric = \"write.bw\", op = \">=\", value = \"90 B/s\" }";
    let plan =
        plan(&format!("ior = \"-w -e\"\nrequire = {{ bytes_per_node = \"1 % of memory\" }}\n{criterion}"));
    let mut runs = campaign((1..4).map(|number| job("T", number, phase("write", 100))).collect());
    assert_ne!(one(&plan, &runs).reason.code, Code::RequirementNotMet);
    runs.before.as_mut().unwrap().memory_bytes = 0;
    assert_eq!(outcome(&one(&plan, &runs)), (Outcome::Invalid, Code::RequirementNotMet));
}

/// The moments of a phase of a second.
fn moments(from: u64) -> Moments {
    Moments {
        first_start_unix_ns: from * SECOND,
        last_end_unix_ns: (from + 1) * SECOND,
        timeline_unix_ns: from * SECOND,
        uncertainty_ns: SECOND / 4,
    }
}

#[test]
fn repetitions_with_another_job_or_too_much_time_between_them_are_not_consecutive() {
    let plan = plan(
        "ior = \"-w -e\"\nrequire = { consecutive = true }\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"90 B/s\" }",
    );
    // Repetitions of 60 s at these seconds, and a job of another test.
    let verdict = |starts: [u64; 3], other: Option<u64>| {
        let at = |id: &str, repetition: u32, second: u64| {
            let mut job = job(id, repetition, phase("write", 100));
            let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
            job.info.started = format!("2026-01-01T{hour:02}:{minute:02}:{second:02}Z");
            job.info.seconds = 60.0;
            job
        };
        let mut jobs: Vec<Job> = (1..).zip(starts).map(|(number, start)| at("T", number, start)).collect();
        jobs.extend(other.map(|start| at("state.aged", 1, start)));
        for (number, job) in (1..).zip(&mut jobs) {
            job.info.number = number;
        }
        verdicts_of(&plan, &campaign(jobs)).remove(0)
    };
    assert_ne!(verdict([0, 61, 180], Some(300)).reason.code, Code::RequirementNotMet);
    let late = verdict([0, 61, 181], None);
    assert_eq!(outcome(&late), (Outcome::Invalid, Code::RequirementNotMet));
    assert_eq!(late.reason.get(row::RequirementNotMet::pause), Some(60.0));
    // The first repetition died and was repeated at the end.
    let repeated = verdict([200, 0, 61], None);
    assert_eq!(outcome(&repeated), (Outcome::Invalid, Code::RequirementNotMet));
    let other = verdict([0, 70, 131], Some(65));
    assert_eq!(other.reason.get(row::RequirementNotMet::between), Some("state.aged"));
}

#[test]
fn a_read_that_begins_too_long_after_the_write_of_its_files_is_invalid() {
    let text = |gap: &str| {
        format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n\
             [[test]]\nid = \"W\"\nrepetitions = 2\nior = \"-w -e -k\"\nrole = \"reported\"\n\
             [[test]]\nid = \"R\"\nrepetitions = 2\nior = \"-r -k -C\"\nuses = \"W\"\n\
             require = {{ gap = \"{gap}\" }}\n\
             criterion = {{ metric = \"read.bw\", op = \">=\", value = \"90 B/s\" }}\n"
        )
    };
    // In the second repetition the read begins 20 s after the end of the write.
    let at = |id: &str, repetition: u32, name: &str, from: u64| {
        job(id, repetition, Phase { moments: Some(moments(from)), ..phase(name, 100) })
    };
    let jobs = vec![
        at("W", 1, "write", 1000),
        at("R", 1, "read", 1002),
        at("W", 2, "write", 1100),
        at("R", 2, "read", 1121),
    ];
    let campaign: Campaign = campaign(jobs);
    let verdict = |gap: &str| verdicts_of(&text(gap).parsed(), &campaign).remove(0);
    assert_ne!(verdict("20.5 s").reason.code, Code::RequirementNotMet, "with the uncertainty of both clocks");
    let missed = verdict("20.4 s");
    assert_eq!(outcome(&missed), (Outcome::Invalid, Code::RequirementNotMet));
    assert_eq!(missed.reason.get(row::RequirementNotMet::gap), Some(20.5));
    assert_eq!(missed.reason.get(row::RequirementNotMet::maker), Some("W"));
}
