//! An honest campaign, and every change of one of its facts.

use measure::Histogram;
use results::reason::{Field, Reason, Text, row};

use super::*;
use results::folder::{CampaignInfo, ChainedJob, DifferingHash, JobEnd, JobInfo, Machine};
use results::record::{
    Balance, Clients, ClockPace, Counts, EachRank, End, KernelCount, Latency, Moments, NodeIdentity, Phase,
    Record, Run, Spans, Timeline, Window,
};

/// 2026-01-01 00:00:10, nanoseconds since 1970.
const START_NS: u64 = 1_767_225_610_000_000_000;
const MS: u64 = 1_000_000;

fn latency(number: u64) -> Latency {
    let mut all = Histogram::new();
    all.add_all((0..200).map(|at| 15 * MS + at * 40_000 + number * 1009));
    Latency {
        count: all.count(),
        min_ns: all.min().unwrap(),
        max_ns: all.max(),
        mean_ns: all.mean(),
        p50_ns: all.quantile(0.5),
        p90_ns: all.quantile(0.9),
        p99_ns: all.quantile(0.99),
        p999_ns: all.quantile(0.999),
        buckets: all.buckets(),
    }
}

/// Two ranks that wrote 200 MB in 2 s and a flush of half a second.
fn phase(number: u64) -> Phase {
    let start = START_NS + number * 60_000 * MS;
    let latency = latency(number);
    Phase {
        phase: "write".into(),
        path: "/s/assay-1.data/tests/W/f".into(),
        ranks: 2,
        depth: 1,
        bytes: 200_000_000,
        ops: 200,
        began_s: 1.0,
        spans: Spans { open_s: 0.1, transfer_s: 2.5, close_s: 0.1, total_s: 2.7 },
        balance: Balance {
            bytes_min: 100_000_000,
            bytes_max: 100_000_000,
            seconds_min: 2.0,
            seconds_max: 2.5,
            slowest_rate: 40_000_000.0,
            ..Balance::default()
        },
        latency: Some(latency.clone()),
        timeline: Some(Timeline { interval_ns: 1000 * MS, bytes: vec![110_000_000, 70_000_000, 20_000_000] }),
        each_rank: Some(EachRank {
            ranks: 2,
            moved: vec![100_000_000; 2].into(),
            seconds: vec![2.0, 2.5].into(),
            ended_s: vec![3.1, 3.6].into(),
            open_s: vec![0.1].into(),
            close_s: vec![0.05, 0.1].into(),
            p95_ns: vec![latency.p90_ns, latency.p99_ns].into(),
            p99_ns: vec![latency.p90_ns, latency.max_ns].into(),
            ..EachRank::default()
        }),
        moments: Some(Moments {
            first_start_unix_ns: start,
            last_end_unix_ns: start + 2500 * MS,
            timeline_unix_ns: start - 100 * MS,
            uncertainty_ns: 2000,
        }),
        pace: Some(ClockPace { seconds: 3.0, raw: 0.0, wall: 0.0 }),
        ..Phase::default()
    }
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn job(number: u64) -> Job {
    let files = "/s/assay-1.data/tests/W/f";
    let run = Run {
        workload: "ior".into(),
        argv: texts(&["assay", "-n", "2", "ior", "-w", "-e", "-o", files]),
        started: format!("2026-01-01T00:0{number}:08+00:00"),
        host: "n1".into(),
        ..Run::default()
    };
    let end = End { finished: format!("2026-01-01T01:0{number}:14+01:00"), ..End::default() };
    let info = JobInfo {
        test: "W".into(),
        argv: texts(&["mpirun", "-n", "2", "/opt/assay", "ior", "-w", "-e", "-o", files]),
        started: format!("2026-01-01T00:0{number}:08.000+00:00"),
        seconds: 6.0,
        end: JobEnd::Exit(0),
        sha256: [("records.jsonl".to_owned(), number.to_string())].into(),
        ..JobInfo::default()
    };
    let chained = ChainedJob {
        begun: format!("2026-01-01T00:0{number}:07.900+00:00"),
        ended: format!("2026-01-01T00:0{number}:15.000+00:00"),
        differing: None,
    };
    Job {
        folder: format!("jobs/000{number}-W-r{number}"),
        info,
        records: vec![Record::Run(run), Record::Phase(Box::new(phase(number))), Record::End(end)],
        chained: Some(chained),
        ..Job::default()
    }
}

fn campaign() -> Campaign {
    let info = CampaignInfo {
        started: "2026-01-01T00:00:00.000+00:00".into(),
        data: [("s".to_owned(), "/s/assay-1.data".to_owned())].into(),
        ..CampaignInfo::default()
    };
    let before = Some(Machine { host: "n1".into(), ..Machine::default() });
    Campaign { info, before, jobs: (1..=3).map(job).collect(), ..Campaign::default() }
}

/// The jobs with a contradiction and its two facts, after `change`.
fn found(change: impl FnOnce(&mut Campaign)) -> Vec<(String, String, String)> {
    let mut campaign = campaign();
    change(&mut campaign);
    let text = |reason: &Reason, field: Field<Text>| reason.get(field).unwrap_or_default().to_owned();
    let one = |one: Contradiction| {
        let (fact, other) = (row::RecordsContradict::fact, row::RecordsContradict::other);
        (one.folder, text(&one.reason, fact), text(&one.reason, other))
    };
    of_campaign(&campaign).into_iter().map(one).collect()
}

/// The two facts that contradict each other after `change` of the second repetition.
fn of_second(change: impl FnOnce(&mut Job)) -> (String, String) {
    let mut all = found(|campaign| change(&mut campaign.jobs[1]));
    assert_eq!(all.len(), 1, "{all:?}");
    let (folder, fact, other) = all.remove(0);
    assert_eq!(folder, "jobs/0002-W-r2");
    (fact, other)
}

fn of_phase(change: impl FnOnce(&mut Phase)) -> (String, String) {
    of_second(|job| {
        let Record::Phase(phase) = &mut job.records[1] else { panic!() };
        change(phase);
    })
}

fn facts(fact: &str, other: &str) -> (String, String) {
    (fact.to_owned(), other.to_owned())
}

/// The change of a phase by an attacker.
type Change = fn(&mut Phase);

fn scaled(spans: &mut Spans, by: f64) {
    let Spans { open_s, transfer_s, close_s, total_s } = *spans;
    let all = [open_s, transfer_s, close_s, total_s].map(|seconds| seconds / by);
    let [open_s, transfer_s, close_s, total_s] = all;
    *spans = Spans { open_s, transfer_s, close_s, total_s };
}

#[test]
fn an_honest_campaign_has_no_contradiction() {
    assert_eq!(found(|_| ()), []);
    let without_chain = |campaign: &mut Campaign| campaign.jobs.iter_mut().for_each(|job| job.chained = None);
    assert_eq!(found(without_chain), []);
    let bare = |campaign: &mut Campaign| {
        for job in &mut campaign.jobs {
            let Record::Phase(phase) = &mut job.records[1] else { panic!() };
            (phase.each_rank, phase.moments, phase.timeline, phase.latency) = (None, None, None, None);
        }
    };
    assert_eq!(found(bare), [], "`lacks` finds absent parts");
}

#[test]
fn each_changed_number_of_a_phase_contradicts_another() {
    let spans = "spans.total_s of write";
    let cases: [(Change, &str, &str); 15] = [
        (
            |phase| {
                phase.kernel = Some(KernelCount { written_bytes: 150_000_000, ..KernelCount::default() });
                phase.each_rank.as_mut().unwrap().kernel_written = vec![100_000_000; 2].into();
            },
            "kernel.written_bytes of write",
            "sum of each_rank.kernel_written",
        ),
        (|phase| scaled(&mut phase.spans, 10.0), spans, "balance.seconds_max"),
        (|phase| phase.spans.total_s = 0.27, spans, "spans.transfer_s"),
        (|phase| phase.pace.as_mut().unwrap().seconds = 0.3, "spans.transfer_s of write", "pace.seconds"),
        (|phase| phase.bytes *= 10, "bytes of write", "sum of each_rank.moved"),
        (
            |phase| phase.each_rank.as_mut().unwrap().seconds = vec![2.0, 2.1].into(),
            "balance.seconds_max of write",
            "extreme of each_rank.seconds",
        ),
        (
            |phase| phase.balance.slowest_rate = 50_000_000.0,
            "balance.slowest_rate of write",
            "lowest rate in each_rank",
        ),
        (
            |phase| phase.each_rank.as_mut().unwrap().ended_s = vec![3.1, 5.6].into(),
            "end of write",
            "end of a rank in each_rank",
        ),
        (
            |phase| phase.each_rank.as_mut().unwrap().close_s = vec![0.05, 0.2].into(),
            "end of write",
            "end of a rank in each_rank",
        ),
        (|phase| phase.spans.open_s = 0.05, "spans.open_s of write", "longest in each_rank.open_s"),
        (|phase| phase.spans.close_s = 0.04, "spans.close_s of write", "longest in each_rank.close_s"),
        (
            |phase| phase.moments.as_mut().unwrap().last_end_unix_ns += 1000 * MS,
            "spans.transfer_s of write",
            "time between the moments",
        ),
        (
            |phase| phase.timeline.as_mut().unwrap().bytes.iter_mut().for_each(|bytes| *bytes *= 10),
            "bytes of write",
            "sum of the timeline",
        ),
        (
            |phase| phase.timeline.as_mut().unwrap().interval_ns /= 10,
            "length of the timeline of write",
            "time in transfers of a rank",
        ),
        (
            |phase| phase.timeline.as_mut().unwrap().interval_ns *= 10,
            "time from the timeline's start to the last end of write",
            "length of the timeline",
        ),
    ];
    for (change, fact, other) in cases {
        assert_eq!(of_phase(change), facts(fact, other));
    }
}

#[test]
fn latencies_of_another_job_or_with_changed_values_contradict_the_phase() {
    let cases: [(Change, &str, &str); 5] = [
        (|phase| phase.ops = 2000, "ops of write", "latency.count"),
        (
            |phase| phase.each_rank.as_mut().unwrap().p95_ns = vec![10 * MS, 11 * MS].into(),
            "95th percentile of latency.buckets of write",
            "extreme of each_rank.p95_ns",
        ),
        (
            |phase| phase.each_rank.as_mut().unwrap().p99_ns = vec![50 * MS, 51 * MS].into(),
            "99th percentile of latency.buckets of write",
            "extreme of each_rank.p99_ns",
        ),
        (
            |phase| phase.latency.as_mut().unwrap().p99_ns /= 10,
            "latency.p99_ns of write",
            "quantile of latency.buckets",
        ),
        (
            |phase| phase.latency.as_mut().unwrap().mean_ns /= 10.0,
            "latency.mean_ns of write",
            "mean of latency.buckets",
        ),
    ];
    for (change, fact, other) in cases {
        assert_eq!(of_phase(change), facts(fact, other));
    }
    let slower = |phase: &mut Phase| {
        let mut all = Histogram::new();
        all.add_all((0..200).map(|at| 30 * MS + at * 40_000));
        phase.timeline = None;
        let each = phase.each_rank.as_mut().unwrap();
        (each.p95_ns, each.p99_ns) = (vec![all.quantile(0.95)].into(), vec![all.quantile(0.99)].into());
        let old = phase.latency.clone().unwrap();
        let [p50_ns, p90_ns, p99_ns, p999_ns] = [0.5, 0.9, 0.99, 0.999].map(|share| all.quantile(share));
        let (min_ns, max_ns, mean_ns) = (all.min().unwrap(), all.max(), all.mean());
        let buckets = all.buckets();
        phase.latency =
            Some(Latency { min_ns, max_ns, mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, buckets, ..old });
    };
    let busy = facts("mean of each_rank.seconds of write", "time in transfers of a rank");
    assert_eq!(of_phase(slower), busy, "latencies of a slower job");
}

#[test]
fn the_common_window_is_part_of_the_phase_and_covers_the_first_rank() {
    let window =
        |ops, seconds| move |phase: &mut Phase| phase.window = Some(Window { ops, seconds, first_rank: 0 });
    assert_eq!(
        found(|campaign| {
            let Record::Phase(phase) = &mut campaign.jobs[1].records[1] else { panic!() };
            window(150, 2.0)(phase);
        }),
        []
    );
    let short = facts("window.seconds of write", "balance.seconds_min");
    assert_eq!(of_phase(window(150, 0.2)), short);
    assert_eq!(of_phase(window(150, 4.0)), facts("window.seconds of write", "spans.transfer_s"));
    assert_eq!(of_phase(window(500, 2.0)), facts("window.ops of write", "ops"));
}

#[test]
fn failed_operations_are_in_timeline_and_latencies() {
    let failing = |operations: u64| {
        found(|campaign| {
            let Record::Phase(phase) = &mut campaign.jobs[1].records[1] else { panic!() };
            (phase.counts, phase.ops, phase.bytes) = (Counts::Operations, 190, 0);
            phase.failed = Some(results::record::Failed { operations, ..Default::default() });
            phase.timeline = Some(Timeline { interval_ns: 1000 * MS, bytes: vec![100, 90, 10] });
            phase.each_rank.as_mut().unwrap().moved = vec![100, 90].into();
            (phase.balance.bytes_min, phase.balance.bytes_max) = (90, 100);
        })
    };
    assert_eq!(failing(10), []);
    assert_eq!(failing(9).len(), 1);
}

/// What contradicts a benchmark of md-workbench with 120 creations and 80 reads, of which two failed. All
/// have the shortest latency of the benchmark, or with `slow` its longest.
fn with_kinds(slow: bool, change: fn(&mut [Phase; 3])) -> Vec<String> {
    let failed = |operations| Some(results::record::Failed { operations, ..Default::default() });
    let part = |name: &str, whole: &Phase, ops: u64, tried: u64| {
        let mut latency = whole.latency.clone().unwrap();
        let (bucket, ns) = match slow {
            false => (latency.buckets[0].0, latency.min_ns),
            true => (latency.buckets[latency.buckets.len() - 1].0, latency.max_ns),
        };
        (latency.count, latency.buckets, latency.mean_ns) = (tried, vec![(bucket, tried)], ns as f64);
        (latency.min_ns, latency.max_ns, latency.p50_ns) = (ns, ns, ns);
        (latency.p90_ns, latency.p99_ns, latency.p999_ns) = (ns, ns, ns);
        let (latency, failed) = (Some(latency), (tried > ops).then(|| failed(tried - ops)).flatten());
        let (timeline, each_rank) = (None, None);
        Phase { phase: name.into(), ops, failed, latency, timeline, each_rank, ..whole.clone() }
    };
    let found = found(|campaign| {
        let job = &mut campaign.jobs[1];
        if let Record::Run(run) = &mut job.records[0] {
            run.workload = "md-workbench".into();
        }
        let Record::Phase(phase) = &mut job.records[1] else { panic!() };
        (phase.counts, phase.ops, phase.bytes, phase.failed) = (Counts::Operations, 198, 0, failed(2));
        phase.phase = "benchmark".into();
        phase.timeline = Some(Timeline { interval_ns: 1000 * MS, bytes: vec![100, 90, 10] });
        phase.each_rank.as_mut().unwrap().moved = vec![100, 98].into();
        (phase.balance.bytes_min, phase.balance.bytes_max) = (98, 100);
        let (create, read) =
            (part("benchmark_create", phase, 120, 120), part("benchmark_read", phase, 78, 80));
        let mut all = [(**phase).clone(), create, read];
        change(&mut all);
        job.records.splice(1..2, all.map(|phase| Record::Phase(Box::new(phase))));
    });
    found.into_iter().map(|(_, fact, _)| fact).collect()
}

#[test]
fn the_kinds_of_a_benchmark_of_md_workbench_add_up_to_it() {
    assert_eq!(with_kinds(false, |_| {}), [""; 0]);
    assert_eq!(with_kinds(true, |_| {}), ["latencies of all its kinds"]);
    let half = |[_, _, read]: &mut [Phase; 3]| {
        let latency = read.latency.as_mut().unwrap();
        (read.ops, latency.count, latency.buckets[0].1) = (38, 40, 40);
    };
    assert_eq!(with_kinds(false, half), ["operations of all its kinds"]);
    let sound = |[_, _, read]: &mut [Phase; 3]| {
        let latency = read.latency.as_mut().unwrap();
        (read.failed, latency.count, latency.buckets[0].1) = (None, 78, 78);
    };
    assert_eq!(with_kinds(false, sound), ["failed operations of all its kinds"]);
}

#[test]
fn a_phase_that_is_recorded_twice_or_overlaps_another_is_found() {
    let again = |change: fn(&mut Phase)| {
        of_second(|job| {
            let Record::Phase(phase) = &mut job.records[1] else { panic!() };
            (phase.latency, phase.timeline) = (None, None);
            let mut next = phase.clone();
            change(&mut next);
            job.records.insert(2, Record::Phase(next));
        })
    };
    assert_eq!(again(|_| ()), facts("phase", "an earlier phase"));
    let later = |phase: &mut Phase| {
        phase.phase = "read".into();
        phase.began_s += 0.5;
        phase.each_rank = None;
    };
    assert_eq!(again(later), facts("end of write", "begin of read"));
}

#[test]
fn a_repetition_of_another_campaign_or_a_measurement_in_two_jobs_is_found() {
    let copied = found(|campaign| campaign.jobs[2].records = campaign.jobs[0].records.clone());
    let jobs: Vec<&str> = copied.iter().map(|(folder, ..)| folder.as_str()).collect();
    assert_eq!(jobs, ["jobs/0001-W-r1", "jobs/0003-W-r3"]);
    // The attacker moves the copied times to those of the job.
    let moved = found(|campaign| {
        let [first, .., third] = &mut campaign.jobs[..] else { panic!() };
        let (Record::Phase(first), Record::Phase(third)) = (&first.records[1], &mut third.records[1]) else {
            panic!()
        };
        third.latency = first.latency.clone();
    });
    assert_eq!(moved.iter().map(|(_, fact, _)| fact.as_str()).collect::<Vec<_>>(), ["latencies of write"; 2]);
}

#[test]
fn ranks_on_other_nodes_than_those_of_the_run_are_found() {
    let with_nodes = |of_rank: [u32; 2], ranks: u32| {
        found(|campaign| {
            let records = &mut campaign.jobs[1].records;
            let [Record::Run(run), Record::Phase(phase), ..] = &mut records[..] else { panic!() };
            let names = ["n1", "n2"].map(str::to_owned);
            let node = |name: &String| NodeIdentity { name: name.clone(), ..NodeIdentity::default() };
            let nodes = names.iter().map(node).collect();
            (run.ranks, run.clients) = (ranks, Some(Box::new(Clients { nodes, ..Clients::default() })));
            let each = phase.each_rank.as_mut().unwrap();
            (each.node, each.nodes) = (of_rank.to_vec().into(), names.into());
        })
    };
    assert_eq!(with_nodes([0, 1], 2), []);
    assert_eq!(with_nodes([0, 0], 3), [], "a phase of fewer ranks");
    let [(_, fact, other)] = &with_nodes([0, 0], 2)[..] else { panic!() };
    assert_eq!((&**fact, &**other), ("nodes in each_rank of write", "nodes of the run record"));
}

#[test]
fn another_command_program_or_place_of_files_is_found() {
    let argv = "argv in job.json";
    assert_eq!(of_second(|job| job.info.argv = texts(&["true"])), facts("argv of the run record", argv));
    let program = |job: &mut Job| job.info.argv[3] = "/tmp/other".into();
    assert_eq!(of_second(program), facts("program of the run record", argv));
    let of_app = |job: &mut Job| {
        let Record::Run(run) = &mut job.records[0] else { panic!() };
        run.workload = "app".into();
    };
    assert_eq!(of_second(of_app), facts("argv of the run record", argv), "the campaign recorded its own");
    let elsewhere = |phase: &mut Phase| phase.path = "/dev/shm/f".into();
    assert_eq!(of_phase(elsewhere), facts("path", argv));
    let below_rank = found(|campaign| {
        let Record::Phase(phase) = &mut campaign.jobs[1].records[1] else { panic!() };
        let (dir, name) = phase.path.rsplit_once('/').unwrap();
        phase.path = format!("{dir}/0/{name}");
    });
    assert_eq!(below_rank, [], "-u adds a directory for each rank");
    let of_other_campaign = |job: &mut Job| {
        let Record::Run(run) = &mut job.records[0] else { panic!() };
        *run.argv.last_mut().unwrap() = "/t/f".into();
        *job.info.argv.last_mut().unwrap() = "/t/f".into();
        let Record::Phase(phase) = &mut job.records[1] else { panic!() };
        phase.path = "/t/f".into();
    };
    assert_eq!(of_second(of_other_campaign), facts("path", "data in campaign.json"));
    let without_mount = |path: &'static str| {
        move |job: &mut Job| {
            *job.info.argv.last_mut().unwrap() = path.into();
            let Record::Run(run) = &mut job.records[0] else { panic!() };
            *run.argv.last_mut().unwrap() = path.into();
            let Record::Phase(phase) = &mut job.records[1] else { panic!() };
            phase.path = path.into();
        }
    };
    let own = without_mount("cephfs:/b/assay-1.data/f");
    assert_eq!(found(|campaign| own(&mut campaign.jobs[1])), []);
    assert_eq!(of_second(without_mount("cephfs:/t/f")), facts("path", "data in campaign.json"));
    let chosen = found(|campaign| {
        campaign.plan = "ior = \"-w -o /t/f\"".into();
        of_other_campaign(&mut campaign.jobs[1]);
    });
    assert_eq!(chosen, [], "the plan names this file");
}

#[test]
fn times_outside_of_the_job_the_chain_or_the_campaign_are_found() {
    let seconds = "seconds in job.json";
    assert_eq!(of_second(|job| job.info.seconds = 1e-6), facts("end of write", seconds));
    let in_2031 = |job: &mut Job| job.info.started = "2031-01-01T00:02:08.000+00:00".into();
    let job_times = "start and seconds in job.json";
    assert_eq!(of_second(in_2031), facts("start of the run record", job_times));
    let all_in_2031 = |job: &mut Job| {
        in_2031(job);
        job.records.clear();
    };
    assert_eq!(of_second(all_in_2031), facts(job_times, "times in the hash chain"));
    assert_eq!(
        of_second(|job| job.info.started.clear()),
        facts("started in job.json", "begin in the hash chain")
    );
    let hash = |job: &mut Job| {
        let [file, in_job, in_chain] = ["records.jsonl", "00", "01"].map(str::to_owned);
        job.chained.as_mut().unwrap().differing = Some(DifferingHash { file, in_job, in_chain });
    };
    assert_eq!(of_second(hash), facts("records.jsonl", "its hash in the chain"));
    let later = found(|campaign| campaign.info.started = "2026-01-01T00:30:00.000+00:00".into());
    assert_eq!(later.len(), 3, "all jobs began before the campaign: {later:?}");
}

#[test]
fn clocks_of_other_nodes_may_differ_by_some_minutes() {
    let skewed = |seconds: u64, host: &str| {
        found(|campaign| {
            let Record::Run(run) = &mut campaign.jobs[1].records[0] else { panic!() };
            run.host = host.into();
            let Record::Phase(phase) = &mut campaign.jobs[1].records[1] else { panic!() };
            let moments = phase.moments.as_mut().unwrap();
            for time in [
                &mut moments.first_start_unix_ns,
                &mut moments.last_end_unix_ns,
                &mut moments.timeline_unix_ns,
            ] {
                *time += seconds * 1000 * MS;
            }
        })
    };
    assert_eq!((skewed(300, "n2"), skewed(30, "n1")), (vec![], vec![]));
    assert_eq!((skewed(900, "n2").len(), skewed(300, "n1").len()), (1, 1));
}

#[test]
fn the_clocks_of_ranks_may_differ_by_their_uncertainty() {
    let uncertain = |uncertainty_ns: u64| {
        found(|campaign| {
            let Record::Phase(phase) = &mut campaign.jobs[1].records[1] else { panic!() };
            let moments = phase.moments.as_mut().unwrap();
            moments.last_end_unix_ns += 40 * MS;
            moments.uncertainty_ns = uncertainty_ns;
        })
    };
    assert_eq!((uncertain(50 * MS), uncertain(2000).len()), (vec![], 1));
}

/// The table that `ior` prints for the phase of these tests.
const TABLE: &str = "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   \
                     close(s)   total(s)   iter\n\
                     write     70.64      80.00      0.019000    97656      977        0.100000   2.50       \
                     0.100000   2.70       0   \n\
                     Max Write: 70.64 MiB/sec (74.07 MB/sec)\n";

#[test]
fn a_printed_row_of_ior_is_that_of_the_records() {
    let printed = |from: &str, to: &str| {
        let text = TABLE.replace(from, to);
        assert_eq!(text == TABLE, from == to);
        found(|campaign| campaign.jobs[1].printed = Some(text))
    };
    assert_eq!(printed("", ""), []);
    let (bw, records) = ("bw(MiB/s) of write in stdout.txt", "its value in the records");
    let one = |fact: &str| vec![("jobs/0002-W-r2".to_owned(), fact.to_owned(), records.to_owned())];
    assert_eq!(printed("70.64      80", "706.42     80"), one(bw));
    assert_eq!(printed("2.70  ", "0.27  "), one("total(s) of write in stdout.txt"));
    assert_eq!(printed("0   \n", "7   \n"), [], "a repetition without records, such as one that failed");
}
