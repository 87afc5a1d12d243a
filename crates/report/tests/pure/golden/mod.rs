//! A campaign made by hand. It contains each outcome, a warning, wrong data, a failed attempt and a job
//! without records. It also contains texts that are difficult for renderers.
//!
//! Invariant: it is the same on every run. Numbers come from a fixed sequence.
//! Never here: assertions.

pub(crate) mod many;
pub(crate) mod ranks;

use std::collections::BTreeMap;

use results::finding::{Finding, Severity};
use results::folder::{Campaign, CampaignInfo, FileSystemFacts, Head, Job, JobEnd, JobInfo, Machine};
use results::reason::{Code, Datum, Reason, reason, row};
use results::record::{
    BadRange, Balance, Check, Clients, ClockDifference, ClockFacts, DifferingNodes, End, Failure, Latency,
    Mounted, Notice, Phase, Run, Spans, Stonewall, Timeline,
};
use results::{Outcome, Record, Statistics, Verdict};

/// A fixed sequence of numbers between 0 and 1.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
}

/// The campaign.
pub(crate) fn campaign() -> Campaign {
    let mut all: Vec<Job> = (1..=3).map(|n| job(n, "write-bw", n, writes(n))).collect();
    all.extend((1..=3).map(|n| job(n + 3, "read-bw", n, reads(n))));
    all.push(job(7, "small-iops", 1, (0..2).map(small).collect()));
    all.push(failed_attempt());
    all.push(job(9, "integrity", 1, integrity()));
    all.push(Job { records: vec![], ..job(10, "hdf5", 1, vec![]) });
    all[9].info.end = JobEnd::NotStarted;
    all[9].info.sha256 = BTreeMap::from([("stderr.txt".into(), hash(910))]);
    all[8].info.end = JobEnd::Exit(1);
    Campaign {
        info: info(),
        plan: "id = \"scratch-2026\"\n".into(),
        before: Some(machine("2026-03-02T08:00:01+01:00", 0.412)),
        after: Some(machine("2026-03-02T11:24:40+01:00", 0.437)),
        verdicts: verdicts(),
        jobs: all,
        killed: vec!["jobs/0004-read-bw-r1.killed-1".into()],
        course: Default::default(),
        head: Some(Head { entry: 42, hash: hash(3) }),
        ..Campaign::default()
    }
}

fn info() -> CampaignInfo {
    CampaignInfo {
        schema: 1,
        plan: "scratch-2026".into(),
        title: "Acceptance of the scratch file system".into(),
        source: "Contract 17/2025, annex B \"performance\", clauses 4.1 to 4.6".into(),
        plan_sha256: hash(1),
        tool: "assay 0.1.0".into(),
        tool_sha256: hash(2),
        argv: ["assay", "run", "scratch-2026.toml", "--dir", "/scratch/accept"].map(String::from).to_vec(),
        started: "2026-03-02T08:00:00.25+01:00".into(),
        dir: "/scratch/accept".into(),
        data: BTreeMap::from([("scratch".into(), "/scratch/accept/assay-0302-080000".into())]),
        only: vec![],
        ..CampaignInfo::default()
    }
}

fn hash(seed: u64) -> String {
    let mut sequence = Sequence(seed);
    (0..32).map(|_| format!("{:02x}", (sequence.next() * 255.0) as u8)).collect()
}

fn machine(taken: &str, full: f64) -> Machine {
    let size = 12_u64 << 50;
    Machine {
        taken: taken.into(),
        host: "login1".into(),
        kernel: "Linux 6.1.0-31-amd64".into(),
        os: "Debian GNU/Linux 12 (bookworm)".into(),
        cpu: "AMD EPYC 9654 96-Core Processor".into(),
        cores: 96,
        memory_bytes: 768 << 30,
        load: 0.42,
        file_systems: vec![FileSystemFacts {
            name: "scratch".into(),
            dir: "/scratch/accept".into(),
            mount: "/scratch".into(),
            device: "10.0.0.1@o2ib:10.0.0.2@o2ib:/scratch".into(),
            kind: "lustre".into(),
            options: "rw,flock,lazystatfs".into(),
            bytes: size,
            bytes_used: (size as f64 * full) as u64,
            bytes_free: (size as f64 * (1.0 - full)) as u64,
            inodes: 4_000_000_000,
            inodes_free: 3_812_345_678,
            ..FileSystemFacts::default()
        }],
        ..Machine::default()
    }
}

fn job(number: u32, test: &str, repetition: u32, mut records: Vec<Record>) -> Job {
    let folder = format!("jobs/{number:04}-{test}-r{repetition}");
    let files = ["stdout.txt", "stderr.txt", "records.jsonl"];
    let line = format!(
        "srun --nodes=4 --ntasks=64 assay ior -w -F -b 16g -t 4m -o {DATA} --record {folder}/records.jsonl"
    );
    let argv: Vec<String> = line.split(' ').map(|word| word.replace("%", " ")).collect();
    records.insert(0, Record::Run(run(&argv)));
    records.push(Record::End(End { finished: "2026-03-02T08:12:00+01:00".into(), ..End::default() }));
    let info = JobInfo {
        number,
        test: test.into(),
        repetition,
        argv,
        env: BTreeMap::from([("OMP_NUM_THREADS".into(), "1".into())]),
        cwd: "/scratch/accept".into(),
        started: format!("2026-03-02T08:{:02}:00+01:00", number * 5),
        seconds: 74.25 + f64::from(number),
        timeout_s: 3600.0,
        end: JobEnd::Exit(0),
        sha256: files
            .iter()
            .zip(100..)
            .map(|(name, n)| (name.to_string(), hash(n + number as u64)))
            .collect(),
        ..JobInfo::default()
    };
    Job { folder, info, records, ..Job::default() }
}

/// A path with characters that have a meaning in HTML and in a shell.
const DATA: &str = "/scratch/<script>alert(\"it's%me\")</script>&co/data";

fn run(argv: &[String]) -> Run {
    Run {
        schema: 1,
        tool: "assay 0.1.0".into(),
        workload: "ior".into(),
        argv: argv.to_vec(),
        started: "2026-03-02T08:10:00+01:00".into(),
        host: "n001".into(),
        ranks: 64,
        nodes: 4,
        mpi: Some("Open MPI v4.1.4".into()),
        clock: ClockFacts {
            source: "cycle counter".into(),
            resolution_ns: 12,
            cost_ns: 8.1,
            offset_uncertainty_ns: 640,
        },
        clients: Some(Box::new(clients())),
    }
}

/// Four nodes. One of them has a local disk in place of Lustre.
fn clients() -> Clients {
    let mounted = |kind: &str, device: &str| Mounted {
        dir: "/scratch".into(),
        kind: kind.into(),
        device: device.into(),
    };
    let mut elsewhere = DifferingNodes::default();
    elsewhere.add("n003", &mounted("ext4", "/dev/sda2"));
    Clients {
        mounted: vec![mounted("lustre", "10.0.0.1@o2ib:/scratch")],
        elsewhere,
        farthest: Some(ClockDifference { node: "n002".into(), skew_ns: -2_300_000, uncertainty_ns: 4_100 }),
        ..Clients::default()
    }
}

/// A phase of about `rate` bytes per second that lasts `seconds`, with a stall in its middle.
fn phase(name: &str, repetition: u32, rate: f64, seconds: f64, seed: u64) -> Phase {
    let mut sequence = Sequence(seed);
    let interval = 0.5;
    let number = (seconds / interval).ceil() as usize;
    let bytes: Vec<u64> = (0..number)
        .map(|at| {
            let length = (seconds - at as f64 * interval).min(interval);
            let stall = if at == number / 2 { 0.35 } else { 1.0 };
            (rate * length * stall * (0.9 + 0.2 * sequence.next())) as u64
        })
        .collect();
    let total: u64 = bytes.iter().sum();
    Phase {
        repetition,
        phase: name.into(),
        backend: "posix".into(),
        file_per_rank: true,
        path: format!("{}.00000000", DATA.replace('%', " ")),
        ranks: 64,
        transfer_bytes: 4 << 20,
        block_bytes: 16 << 30,
        segments: 1,
        expected_bytes: total,
        bytes: total,
        ops: total >> 22,
        spans: Spans { open_s: 0.031, transfer_s: seconds, close_s: 0.012, total_s: seconds + 0.05 },
        balance: Balance {
            bytes_min: total / 64,
            bytes_max: total / 64,
            seconds_min: seconds * 0.81,
            seconds_max: seconds,
            slowest_rank: 17,
            slowest_node: "n002".into(),
            slowest_rate: rate / 64.0 * 0.83,
            median_rate: rate / 64.0,
        },
        latency: Some(latency(seed, 64.0 * f64::from(4 << 20) / rate)),
        timeline: Some(Timeline { interval_ns: 500_000_000, bytes }),
        persisted: true,
        ..Phase::default()
    }
}

/// Latencies around `typical` seconds with a tail.
fn latency(seed: u64, typical: f64) -> Latency {
    let mut sequence = Sequence(seed + 7);
    let mut samples: Vec<u64> = (0..20_000)
        .map(|_| {
            let spread = (sequence.next() + sequence.next() + sequence.next()) / 1.5;
            let tail = if sequence.next() > 0.985 { 4.0 + 40.0 * sequence.next().powi(4) } else { 1.0 };
            (typical * 1e9 * spread * tail) as u64 + 20_000
        })
        .collect();
    samples.sort_unstable();
    let mut buckets: Vec<(u64, u64)> = vec![];
    for sample in &samples {
        let low = sample & (u64::MAX << (63 - sample.leading_zeros()).saturating_sub(7));
        match buckets.last_mut() {
            Some((bound, count)) if *bound == low => *count += 1,
            _ => buckets.push((low, 1)),
        }
    }
    let at = |share: f64| samples[(samples.len() as f64 * share) as usize];
    Latency {
        count: samples.len() as u64,
        min_ns: samples[0],
        max_ns: samples[samples.len() - 1],
        mean_ns: samples.iter().sum::<u64>() as f64 / samples.len() as f64,
        p50_ns: at(0.5),
        p90_ns: at(0.9),
        p99_ns: at(0.99),
        p999_ns: at(0.999),
        buckets,
    }
}

fn writes(n: u32) -> Vec<Record> {
    let stonewall = Stonewall {
        deadline_s: 30.0,
        wear_out: true,
        transfers_min: 3800,
        transfers_max: 4096,
        bytes: 97 << 30,
        seconds: 30.01,
        ran_dry: 0,
    };
    let phase = phase("write", 0, 3.4e9 + 2e7 * f64::from(n), 32.3, u64::from(n));
    let each_rank = Some(ranks::each_rank(phase.bytes / 64, 19.0, n.into()));
    vec![Record::Phase(Box::new(Phase { stonewall: Some(stonewall), each_rank, ..phase }))]
}

fn reads(n: u32) -> Vec<Record> {
    let phase = phase("read", 0, 3.1e9, 29.1, u64::from(n) + 50);
    let reason = reason!(CachedRead { label: "read", share: 0.38 });
    let notice = Notice { repetition: 0, phase: "read".into(), reason, call: None };
    let phase = Phase { cached_before: Some(0.38), persisted: false, ..phase };
    vec![Record::Notice(notice), Record::Phase(Box::new(phase))]
}

fn small(n: u32) -> Record {
    let mut phase = phase("write", n, 2.1e8 * f64::from(n + 1), 8.2, u64::from(n) + 90);
    phase.transfer_bytes = 4096;
    phase.ops = phase.bytes >> 12;
    phase.direct = true;
    Record::Phase(Box::new(phase))
}

fn integrity() -> Vec<Record> {
    let range = |at: u64| BadRange {
        rank: 3,
        path: format!("{}.00000002", DATA.replace('%', " ")),
        offset: (5 << 30) + at * 4096,
        length: 4096,
        expected: "0x00000003689ab5c0".into(),
        found: "0x0000000000000000".into(),
        ..BadRange::default()
    };
    let check =
        Check { bytes: 64 << 30, bad_transfers: 128, bad: (0..4).map(range).collect(), ..Check::default() };
    let right = Check { bytes: 64 << 30, ..Check::default() };
    let write = Phase { check: Some(right), ..phase("write_check", 0, 2.9e9, 12.0, 71) };
    let read = Phase { check: Some(check), ..phase("read_check", 0, 2.8e9, 12.0, 72) };
    vec![Record::Phase(Box::new(write)), Record::Phase(Box::new(read))]
}

fn failed_attempt() -> Job {
    let mut job = job(8, "integrity", 1, vec![]);
    job.records.pop();
    job.records.push(Record::Failure(Failure {
        step: "write".into(),
        rank: 2,
        node: "n017".into(),
        why: format!("{}.00000002 at 4096: No space left on device", DATA.replace('%', " ")),
        ..Failure::default()
    }));
    job.info.end = JobEnd::TimedOut;
    job
}

fn statistics(values: &[f64]) -> Option<Statistics> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let many = values.len() > 1;
    Some(Statistics {
        values: values.to_vec(),
        mean,
        median: sorted[sorted.len() / 2],
        min: sorted[0],
        max: sorted[sorted.len() - 1],
        cov: many.then(|| variance.sqrt() / mean),
        bound: many.then(|| mean - 1.686 * variance.sqrt()),
        unit: String::new(),
        confidence: 0.95,
    })
}

fn verdict(test: &str, clause: &str, metric: &str, criterion: &str, unit: &str, threshold: f64) -> Verdict {
    Verdict {
        test: test.into(),
        clause: clause.into(),
        metric: metric.into(),
        criterion: criterion.into(),
        reason: reason!(NoneRan),
        statistic: "mean".into(),
        threshold: Some(threshold),
        unit: unit.into(),
        ..Verdict::default()
    }
}

/// The same verdict with measured values.
fn measured(verdict: Verdict, outcome: Outcome, reason: Reason, values: &[f64], jobs: &[u32]) -> Verdict {
    let statistics = statistics(values);
    let folder = |(n, job): (u32, &u32)| format!("jobs/{job:04}-{}-r{}", verdict.test, n + 1);
    let jobs = (0..).zip(jobs).map(folder).collect();
    let value = statistics.as_ref().map(|statistics| statistics.mean);
    Verdict { outcome, reason, value, statistics, jobs, ..verdict }
}

/// A comparison of a mean over three repetitions.
fn compared(code: Code, value: f64, threshold: f64) -> Reason {
    reason!(ThresholdMet {
        statistic: "mean",
        value: Datum::rate(value),
        comparison: ">=",
        threshold: Datum::rate(threshold),
        n: 3_u32,
        confidence: 0.95,
        ..Reason::new(code)
    })
}

fn verdicts() -> Vec<Verdict> {
    let write =
        "The scratch file system sustains a sequential write bandwidth of at least 3.0 GB/s from 4 nodes.";
    let read =
        "The scratch file system sustains a sequential read bandwidth of at least 3.0 GB/s from 4 nodes.";
    let write = verdict("write-bw", write, "write.bw", "mean >= 3.0 GB/s", "B/s", 3e9);
    let read = verdict("read-bw", read, "read.bw", "mean >= 3.0 GB/s", "B/s", 3e9);
    let iops = "Random writes of 4 KiB reach 100,000 operations per second.";
    let iops = verdict("small-iops", iops, "write.iops", "mean >= 100 k/s", "/s", 1e5);
    let data = "All data read back is what was written, \"without exception\".";
    let data = verdict("integrity", data, "read_check.errors", "max <= 0 errors", "", 0.0);
    let hdf5 = verdict("hdf5", "HDF5 writes reach 1 GB/s.", "write.bw", "mean >= 1 GB/s", "B/s", 1e9);
    let ageing = "After 90 % fill & ageing, writes lose <= 20 %.";
    let ageing = verdict("ageing", ageing, "write.bw", "mean >= 2.4 GB/s", "B/s", 2.4e9);
    let mut read = measured(
        read,
        Outcome::Fail,
        compared(Code::ThresholdNotMet, 2.9988e9, 3e9),
        &[2.9971e9, 2.9985e9, 3.0008e9],
        &[4, 5, 6],
    );
    read.warnings = vec![Finding::new(Severity::Info, reason!(CachedRead { phase: "read", share: 0.38 }))];
    read.notes = vec![Finding::new(Severity::Info, reason!(SearchOpen { nodes: 4_u32 }))];
    vec![
        measured(
            write,
            Outcome::Pass,
            compared(Code::ThresholdMet, 3.41e9, 3e9).with(row::ThresholdMet::limit, Datum::rate(3.38e9)),
            &[3.39e9, 3.41e9, 3.43e9],
            &[1, 2, 3],
        ),
        read,
        measured(
            iops,
            Outcome::Inconclusive,
            reason!(VariabilityAboveMax { n: 2_u32, cov: 0.471, cov_max: 0.1 }),
            &[50_900.0, 101_800.0],
            &[7],
        ),
        measured(
            data,
            Outcome::Fail,
            reason!(WrongData { transfers: 128_u32, folder: "jobs/0009-integrity-r1" }),
            &[128.0],
            &[9],
        ),
        Verdict { outcome: Outcome::Invalid, reason: reason!(JobNotStarted { repetition: 1_u32 }), ..hdf5 },
        ageing,
    ]
}
