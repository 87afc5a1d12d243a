//! Whether the facts of a campaign agree with each other.
//!
//! A measured number has consequences elsewhere: in the ranks' own times, the wall clock, the timeline, the
//! latencies, the job's duration and the hash chain. A number that was changed afterwards contradicts them.
//! docs/explanation/cross-check.md lists all comparisons with their tolerances.
//!
//! Invariant: the records of every honest run agree. A tolerance covers a difference that honest runs have.
//! Never here: whether a measurement can be used.

mod complete;
mod of_job;
mod of_parts;
mod of_phase;
mod printed;

#[cfg(test)]
mod tests;
mod twice;

use jiff::Timestamp;

pub use complete::lacks;

use results::folder::{Campaign, Job};
use results::reason::{Reason, reason};
use results::record::phases;

/// The most by which two measurements of the same time may differ, seconds, and as a share of the time. Times
/// of ranks are rounded to microseconds, and each is taken by a call of its own.
const SAME_TIME: (f64, f64) = (1e-3, 1e-3);

/// A job whose facts contradict each other, or those of another job.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// The job's folder, relative to the campaign folder.
    pub folder: String,
    /// Which facts, with their values.
    pub reason: Reason,
}

/// The jobs of a campaign that contradict themselves or each other, each with its first contradiction, in the
/// order of the jobs.
pub fn of_campaign(campaign: &Campaign) -> Vec<Contradiction> {
    let twice = twice::measured(&campaign.jobs);
    let of_job = |job: &Job| {
        let reason = of_job(campaign, job).or_else(|| twice.get(job.folder.as_str()).cloned());
        Some(Contradiction { folder: job.folder.clone(), reason: reason? })
    };
    campaign.jobs.iter().filter_map(of_job).collect()
}

/// The first contradiction among the facts of a job, if any.
fn of_job(campaign: &Campaign, job: &Job) -> Option<Reason> {
    let inside = phases(&job.records).find_map(|phase| of_phase::contradiction(job, phase));
    inside
        .or_else(|| of_parts::contradiction(job))
        .or_else(|| of_job::contradiction(campaign, job))
        .or_else(|| printed::contradiction(job))
}

/// A fact in words, with its value.
pub type Stated<'a> = (&'a str, String);

/// The reason that two facts contradict each other.
pub fn contradiction(job: &Job, one: Stated<'_>, other: Stated<'_>) -> Reason {
    reason!(RecordsContradict {
        folder: &job.folder,
        fact: one.0,
        value: one.1,
        other: other.0,
        other_value: other.1
    })
}

/// Whether `part` is longer than `whole`, seconds, beyond the tolerance and the `uncertainty_s` of clocks.
fn is_longer(part: f64, whole: f64, uncertainty_s: f64) -> bool {
    part > whole + SAME_TIME.0 + SAME_TIME.1 * whole + uncertainty_s
}

/// Whether two measurements of one time agree, seconds.
fn is_same(one: f64, other: f64, uncertainty_s: f64) -> bool {
    !is_longer(one, other, uncertainty_s) && !is_longer(other, one, uncertainty_s)
}

fn shown_s(seconds: f64) -> String {
    format!("{seconds} s")
}

fn shown_unix(ns: u64) -> String {
    Timestamp::from_nanosecond(ns.into())
        .map_or_else(|_| format!("{ns} ns since 1970"), |time| time.to_string())
}

/// Whether a path without a mount, such as `cephfs:/d/f`, is in a directory of a campaign, which has another
/// path on a mount. The name that the campaign gave the directory is the same.
pub(crate) fn is_unmounted(path: &str, dir: &str) -> bool {
    let name = dir.rsplit('/').next();
    command::unmounted(path).is_some_and(|(_, path)| path.split('/').any(|part| Some(part) == name))
}
