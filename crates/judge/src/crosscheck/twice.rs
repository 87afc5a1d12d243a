//! Measurements that are in a campaign twice. One measurement cannot be two repetitions.
//!
//! Never here: the facts of a single job.

use std::collections::BTreeMap;

use super::{of_phase::known_moments, shown_unix};
use results::folder::Job;
use results::reason::{Reason, reason};
use results::record::{Latency, Phase, phases};

/// Two phases with at least this number of latencies, in several buckets, never have the same ones to the
/// nanosecond.
const LATENCIES: u64 = 100;
const BUCKETS: usize = 8;

/// The measurements of jobs, each with the first job that has it.
#[derive(Default)]
struct Seen<'a> {
    moments: BTreeMap<(u64, u64), &'a Job>,
    latencies: BTreeMap<LatencyKey<'a>, &'a Job>,
}

/// Extremes, mean and buckets of latencies.
type LatencyKey<'a> = (u64, u64, u64, &'a [(u64, u64)]);

fn key(latency: &Latency) -> Option<LatencyKey<'_>> {
    let is_unique = latency.count >= LATENCIES && latency.buckets.len() >= BUCKETS;
    is_unique.then(|| (latency.min_ns, latency.max_ns, latency.mean_ns.to_bits(), &latency.buckets[..]))
}

impl<'a> Seen<'a> {
    /// Adds a phase. Returns the job that has the same measurement, and what is the same.
    fn add(&mut self, job: &'a Job, phase: &'a Phase) -> Option<(&'a Job, &'static str, String)> {
        if let Some(moments) = known_moments(phase) {
            let first = moments.first_start_unix_ns;
            let before = *self.moments.entry((first, moments.last_end_unix_ns)).or_insert(job);
            // Some phases of one job have the same time: the two halves of a mixed phase.
            if before.folder != job.folder {
                return Some((before, "start and end of", shown_unix(first)));
            }
        }
        let latency = phase.latency.as_ref()?;
        let mut is_first = false;
        let before = *self.latencies.entry(key(latency)?).or_insert_with(|| {
            is_first = true;
            job
        });
        (!is_first).then(|| (before, "latencies of", format!("mean {} ns", latency.mean_ns)))
    }
}

/// The jobs that have a measurement of another one, by folder. Neither of the two proves anything.
pub(super) fn measured(jobs: &[Job]) -> BTreeMap<&str, Reason> {
    let mut seen = Seen::default();
    let mut twice = BTreeMap::new();
    for job in jobs {
        for phase in phases(&job.records) {
            let Some((before, what, value)) = seen.add(job, phase) else { continue };
            let fact = format!("{what} {}", phase.phase);
            for (one, other) in [(before, job), (job, before)] {
                twice.entry(one.folder.as_str()).or_insert(reason!(MeasuredTwice {
                    folder: &one.folder,
                    other: &other.folder,
                    fact: &fact,
                    value: &value
                }));
            }
        }
    }
    twice
}
