//! A campaign of 17 clauses made by hand, with rate-limited transfers, stalls, stragglers, a series,
//! projections and the utilization of the file system.
//!
//! Invariant: it is the same on every run.
//! Never here: assertions.

use results::folder::{Campaign, Fill, Job};
use results::reason::{Code, Datum, Reason, reason};
use results::record::{Counts, EachRank, Phase, Timeline};
use results::statistics::Side;
use results::summary::{Fit, Model, Parameter};
use results::summary::{Rate, RateStep, Summary, SystemProjection};
use results::{Outcome, Record, Statistics, Verdict};
use units::{Dimension, Quantity};

use super::{Sequence, job, phase};

/// The length of an interval of the timelines, nanoseconds.
pub(crate) const INTERVAL_NS: u64 = 1 << 26;
/// The first interval of the stall in the first repetition of `C.1`, and the number of its intervals.
pub(crate) const STALL: (usize, usize) = (2000, 3);
/// The slow rank of `C.1`, and its share of the rate of the others.
pub(crate) const SLOW: (u32, f64) = (137, 0.4);

/// Test, metric, comparison, threshold, unit, value as a share of the threshold, variability, repetitions.
type Clause = (&'static str, &'static str, &'static str, f64, &'static str, f64, f64, usize, Outcome);

const CLAUSES: [Clause; 17] = [
    ("C.1", "write.bw", ">=", 3.0e11, "B/s", 1.12, 0.02, 5, Outcome::Pass),
    ("C.2", "read.bw", ">=", 3.2e11, "B/s", 0.91, 0.02, 5, Outcome::Fail),
    ("C.3", "write.bw", ">=", 1.1e11, "B/s", 1.03, 0.06, 5, Outcome::Inconclusive),
    ("C.4", "read.bw", ">=", 1.4e11, "B/s", 1.31, 0.03, 5, Outcome::Pass),
    ("C.5", "write.iops", ">=", 2.0e6, "/s", 1.06, 0.01, 10, Outcome::Pass),
    ("C.6", "read.iops", ">=", 4.0e6, "/s", 1.74, 0.05, 10, Outcome::Pass),
    ("C.7", "write.latency.p99", "<=", 0.05, "s", 0.42, 0.1, 5, Outcome::Pass),
    ("C.8", "read.latency.p99", "<=", 0.02, "s", 1.35, 0.12, 5, Outcome::Fail),
    ("C.9", "file_creation.rate", ">=", 5.0e4, "/s", 1.18, 0.03, 5, Outcome::Pass),
    ("C.10", "file_stat.rate", ">=", 2.0e5, "/s", 2.2, 0.04, 5, Outcome::Pass),
    ("C.11", "file_removal.rate", ">=", 4.0e4, "/s", 0.99, 0.03, 5, Outcome::Inconclusive),
    ("C.12", "read_check.errors", "<=", 0.0, "", 0.0, 0.0, 1, Outcome::Pass),
    ("C.13", "write.bw", ">=", 2.4e11, "B/s", 1.05, 0.01, 80, Outcome::Pass),
    ("C.14", "write.bw", ">=", 1.0e9, "B/s", 0.0, 0.0, 0, Outcome::Invalid),
    ("C.15", "write.bw", ">=", 8.0e10, "B/s", 0.0, 0.0, 0, Outcome::NotRun),
    ("C.16", "write.seconds", "<=", 600.0, "s", 0.88, 0.02, 3, Outcome::Pass),
    ("C.17", "write.bw", ">=", 5.0e11, "B/s", 1.01, 0.0, 1, Outcome::Pass),
];

/// The campaign.
pub(crate) fn campaign() -> Campaign {
    let mut jobs: Vec<Job> = Vec::new();
    for repetition in 1..=3 {
        jobs.push(limited(jobs.len() as u32 + 1, repetition));
    }
    for repetition in 1..=2 {
        jobs.push(wide(jobs.len() as u32 + 1, repetition));
    }
    for repetition in 1..=12 {
        let mut one = phase("write", 0, 1.1e11, 40.0, u64::from(repetition) + 9);
        one.path = "/scratch/f".into();
        jobs.push(job(jobs.len() as u32 + 1, "C.3", repetition, vec![Record::Phase(Box::new(one))]));
    }
    for repetition in 1..=2 {
        let mut one = phase("file_creation", 0, 5.9e4, 20.0, u64::from(repetition) + 40);
        one.counts = Counts::Operations;
        jobs.push(job(jobs.len() as u32 + 1, "C.9", repetition, vec![Record::Phase(Box::new(one))]));
    }
    for (at, job) in (0..).zip(&mut jobs) {
        let used = |more: u64| {
            let bytes_used = (4_u64 << 50) + ((at * 3 + more) << 46);
            Some(Fill { bytes_used, bytes_free: (12_u64 << 50) - bytes_used, ..Fill::default() })
        };
        (job.info.fill_before, job.info.fill_after) = (used(0), used(2));
        job.info.started = format!("2026-03-02T{:02}:{:02}:00+01:00", 8 + at / 6, (at % 6) * 10);
    }
    let info = results::folder::CampaignInfo {
        title: "Acceptance of a file system with 17 clauses".into(),
        ..super::info()
    };
    Campaign {
        info,
        jobs,
        verdicts: CLAUSES.iter().map(verdict).collect(),
        summary: summary(),
        ..super::campaign()
    }
}

/// A campaign of this many jobs, with `of_a_test` jobs for each test. Each test has one clause. Each job has
/// the timeline and the latencies of a long phase, and its 640 ranks on 40 nodes and 64 targets.
pub(crate) fn of_jobs(number: u32, of_a_test: u32) -> Campaign {
    let mut campaign = campaign();
    let test = |job: u32| job.div_ceil(of_a_test);
    let tests = (1..=test(number)).map(|test| (format!("T.{test}"), f64::from(test % 40)));
    campaign.verdicts = tests
        .map(|(test, step)| Verdict {
            test,
            ..verdict(&("T", "write.bw", ">=", 3.0e11, "B/s", 0.9 + step / 100.0, 0.02, 5, Outcome::Pass))
        })
        .collect();
    campaign.jobs = (1..=number)
        .map(|number| {
            let mut job = limited(number, number);
            job.info.test = format!("T.{}", test(number));
            job.info.repetition = (number - 1) % of_a_test + 1;
            for record in &mut job.records {
                if let Record::Phase(phase) = record
                    && let Some(each) = &mut phase.each_rank
                {
                    each.layout = (0..each.ranks).map(|rank| rank * 7 % 64).collect::<Vec<u32>>().into();
                    each.layouts = (0..64).map(|target| vec![target]).collect();
                    each.targets = (0..64).map(|target| format!("OST{target:04x}")).collect();
                }
            }
            job.folder = format!("jobs/{number:04}-{}-r{}", job.info.test, job.info.repetition);
            job.info.started = format!("2026-03-02T{:02}:{:02}:00+01:00", 1 + number / 10, number % 10 * 6);
            if let Some(verdict) = campaign.verdicts.get_mut(test(number) as usize - 1) {
                verdict.jobs.push(job.folder.clone());
            }
            job
        })
        .collect();
    campaign
}

fn verdict((test, metric, op, threshold, unit, share, cov, n, outcome): &Clause) -> Verdict {
    let mut sequence = Sequence(test.len() as u64 * 31 + *n as u64 + (*share * 100.0) as u64);
    let values: Vec<f64> =
        (0..*n).map(|_| threshold * share * (1.0 + cov * 3.4 * (sequence.next() - 0.5))).collect();
    let side = if *op == "<=" { Side::Upper } else { Side::Lower };
    let mut statistics = Statistics::of(&values, side, 0.95);
    if unit.is_empty()
        && let Some(statistics) = &mut statistics
    {
        statistics.bound = None;
    }
    let value = statistics.as_ref().map(|statistics| statistics.mean);
    let dimension = Dimension::of_unit(unit).unwrap_or(Dimension::Count);
    let in_words = |value: f64| Quantity { value, dimension }.to_string();
    let compared = |code| {
        reason!(ThresholdMet {
            statistic: "mean",
            comparison: *op,
            n: *n,
            value: Datum::of(value.unwrap_or(0.0), dimension),
            threshold: Datum::of(*threshold, dimension),
            ..Reason::new(code)
        })
    };
    let reason = match outcome {
        Outcome::Invalid => reason!(JobNotStarted { repetition: 1_u32 }),
        Outcome::NotRun => reason!(NoneRan),
        Outcome::Fail => compared(Code::ThresholdNotMet),
        _ => compared(Code::ThresholdMet),
    };
    Verdict {
        test: (*test).into(),
        clause: format!("Requirement text of clause {test}, as the contract has it."),
        metric: (*metric).into(),
        criterion: format!("mean {op} {}", in_words(*threshold)),
        outcome: *outcome,
        reason,
        statistic: "mean".into(),
        value,
        threshold: Some(*threshold),
        unit: (*unit).into(),
        statistics,
        ..Verdict::default()
    }
}

/// A rate-limited write of four and a half minutes on 64 nodes with 16 ranks each. The first repetition has a
/// stall.
fn limited(number: u32, repetition: u32) -> Job {
    let mut sequence = Sequence(u64::from(repetition));
    let mut bytes: Vec<u64> = (0..4000).map(|_| (2.25e10 * (0.97 + 0.06 * sequence.next())) as u64).collect();
    if repetition == 1 {
        for stalled in &mut bytes[STALL.0..STALL.0 + STALL.1] {
            *stalled = 0;
        }
        bytes[STALL.0 + STALL.1] *= 3;
    }
    let seconds = bytes.len() as f64 * INTERVAL_NS as f64 * 1e-9;
    let total: u64 = bytes.iter().sum();
    let ranks = 40 * 16;
    let each = EachRank {
        ranks,
        moved: vec![total / u64::from(ranks)].into(),
        seconds: (0..ranks)
            .map(|rank| {
                let slow = if rank == SLOW.0 {
                    SLOW.1
                } else if (320..336).contains(&rank) {
                    0.7
                } else {
                    1.0
                };
                seconds * 0.36 / slow * (0.98 + 0.04 * sequence.next())
            })
            .collect::<Vec<f64>>()
            .into(),
        node: (0..ranks).map(|rank| rank / 16).collect::<Vec<u32>>().into(),
        nodes: (0..40).map(|node| format!("compute-{node:03}")).collect(),
        ..EachRank::default()
    };
    let base = phase("write", 0, total as f64 / seconds, seconds, u64::from(repetition));
    let limited = Phase {
        bytes: total,
        ops: total >> 22,
        ranks,
        rate_limit: Some(8e4),
        each_rank: Some(each),
        timeline: Some(Timeline { interval_ns: INTERVAL_NS, bytes }),
        ..base
    };
    job(number, "C.1", repetition, vec![Record::Phase(Box::new(limited))])
}

/// A read on 100 nodes with 4 ranks each, more nodes than a heat map has rows.
fn wide(number: u32, repetition: u32) -> Job {
    let ranks = 100 * 4;
    let mut sequence = Sequence(u64::from(repetition) + 70);
    let base = phase("read", 0, 2.9e11, 30.0, u64::from(repetition) + 3);
    let slow = |rank: u32| {
        if rank / 4 == 77 {
            0.55
        } else if rank == 50 {
            0.3
        } else {
            1.0
        }
    };
    let each = EachRank {
        ranks,
        moved: vec![base.bytes / u64::from(ranks)].into(),
        seconds: (0..ranks)
            .map(|rank| 28.0 / slow(rank) * (0.98 + 0.04 * sequence.next()))
            .collect::<Vec<f64>>()
            .into(),
        node: (0..ranks).map(|rank| rank / 4).collect::<Vec<u32>>().into(),
        nodes: (0..100).map(|node| format!("nid{node:05}")).collect(),
        ..EachRank::default()
    };
    job(
        number,
        "C.2",
        repetition,
        vec![Record::Phase(Box::new(Phase { ranks, each_rank: Some(each), ..base }))],
    )
}

/// A series over servers with its projections, and a series over transfer sizes.
fn summary() -> Summary {
    let fit = Fit {
        model: Model::Amdahl,
        scale: Parameter { value: 9.1e9, standard_error: Some(1e8) },
        sigma: Parameter { value: 0.004, standard_error: Some(0.001) },
        kappa: Parameter::default(),
    };
    let mut sequence = Sequence(5);
    let mut rate = |series: &str, over: &str, at: f64, mean: f64| {
        let values: Vec<f64> = (0..4).map(|_| mean * (0.97 + 0.06 * sequence.next())).collect();
        Rate {
            test: format!("{series}.{at}.w"),
            metric: "write.bw".into(),
            mean: results::statistics::mean(&values),
            values,
            unit: "B/s".into(),
            step: Some(RateStep { series: series.into(), name: "w".into(), over: over.into(), at }),
            ..Rate::default()
        }
    };
    let servers: Vec<Rate> =
        [10.0, 20.0, 30.0, 60.0].map(|at| rate("S", "servers", at, fit.at(at))).into_iter().collect();
    let transfers = (0..9).map(|n| {
        let at = f64::from(4096 << (2 * n));
        rate("T", "transfer", at, 4e10 * at / (at + 2e5))
    });
    let steps: Vec<(f64, f64)> =
        servers.iter().filter_map(|rate| Some((rate.step.as_ref()?.at, rate.mean?))).collect();
    let (to, confidence) = (120.0, 0.95);
    let near = SystemProjection {
        test: "C.17".into(),
        metric: "write.bw".into(),
        system: "B".into(),
        from: "S.w".into(),
        over: "servers".into(),
        is_simulated: false,
        steps: steps.clone(),
        to,
        factor: 2.0,
        model: Some(fit),
        rate: Some(fit.at(to)),
        low: Some(fit.at(to) * 0.93),
        high: Some(fit.at(to) * 1.06),
        confidence,
        residual: Some(0.004),
        held_out_error: Some(-0.012),
        threshold: Some(5e11),
        unit: "B/s".into(),
        rejection: None,
    };
    let far = SystemProjection {
        system: "C".into(),
        to: 600.0,
        factor: 10.0,
        model: None,
        rate: None,
        rejection: Some(reason!(TooFar { factor: 10.0, factor_max: 3.0 })),
        ..near.clone()
    };
    let rates = servers.into_iter().chain(transfers).collect();
    Summary { rates, projections: vec![near, far], ..Summary::default() }
}
