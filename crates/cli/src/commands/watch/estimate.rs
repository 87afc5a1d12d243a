//! How long a campaign will still run, from the jobs that have ended.
//!
//! Invariant: pure. Without a job that ended there is no estimate, because a plan has only time limits.
//! Never here: the clock.

use std::collections::BTreeMap;

use results::statistics::mean;

/// What is known of the time of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct JobTime {
    /// Its test.
    pub(crate) test: String,
    /// The most bytes that it moves; 0 if they are not known.
    pub(crate) bytes: u64,
    /// The common name of jobs that run at the same time.
    pub(crate) at_once: Option<String>,
    pub(crate) state: JobTimeState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum JobTimeState {
    /// It is still to be run.
    #[default]
    Waiting,
    /// It has been running for this time, and shows that its phase needs a further time, seconds.
    Running(f64, Option<f64>),
    /// It took this time, seconds.
    Ended(f64),
    /// It takes no time.
    LeftOut,
}

/// The time that is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeLeft {
    /// Seconds.
    pub(crate) seconds: f64,
    /// The number of jobs whose time is not known from another repetition of their test.
    pub(crate) guessed: usize,
}

/// What the jobs that ended show about others.
struct KnownTimes<'a> {
    /// The mean of the jobs of a test that ended, seconds.
    of_test: BTreeMap<&'a str, f64>,
    /// Seconds for each byte, over all jobs that moved bytes.
    of_byte: Option<f64>,
    of_job: Option<f64>,
}

fn ended(job: &JobTime) -> Option<f64> {
    match job.state {
        JobTimeState::Ended(seconds) => Some(seconds),
        _ => None,
    }
}

impl<'a> KnownTimes<'a> {
    fn of(jobs: &'a [JobTime]) -> Self {
        let moved = jobs.iter().filter(|job| job.bytes > 0);
        let (bytes, seconds) = moved.fold((0.0, 0.0), |(bytes, seconds), job| match ended(job) {
            Some(took) => (bytes + job.bytes as f64, seconds + took),
            None => (bytes, seconds),
        });
        let of_byte = (bytes > 0.0).then(|| seconds / bytes);
        let mut by_test: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for job in jobs {
            if let Some(seconds) = ended(job) {
                by_test.entry(&job.test).or_default().push(seconds);
            }
        }
        let all: Vec<f64> = by_test.values().flatten().copied().collect();
        let of_test = by_test.into_iter().filter_map(|(test, times)| Some((test, mean(&times)?))).collect();
        Self { of_test, of_byte, of_job: mean(&all) }
    }

    /// The whole time of a job, and whether it is only guessed; `None` if nothing is known.
    fn of_one(&self, job: &JobTime) -> Option<(f64, bool)> {
        if let Some(seconds) = self.of_test.get(job.test.as_str()) {
            return Some((*seconds, false));
        }
        let by_bytes = self.of_byte.filter(|_| job.bytes > 0).map(|seconds| seconds * job.bytes as f64);
        Some((by_bytes.or(self.of_job)?, true))
    }

    /// What a job still needs; `None` if nothing is known.
    fn left(&self, job: &JobTime) -> Option<(f64, bool)> {
        match job.state {
            JobTimeState::Ended(_) | JobTimeState::LeftOut => Some((0.0, false)),
            JobTimeState::Waiting => self.of_one(job),
            JobTimeState::Running(since, phase) => match (self.of_one(job), phase) {
                // A job that takes longer than those before may take any time.
                (Some((whole, _)), None) if since > whole => None,
                (Some((whole, guessed)), phase) => Some(((whole - since).max(phase.unwrap_or(0.0)), guessed)),
                (None, Some(phase)) => Some((phase, true)),
                (None, None) => None,
            },
        }
    }
}

/// The time that a running job still needs; `None` if nothing is known.
pub(crate) fn job_left(jobs: &[JobTime], job: &JobTime) -> Option<f64> {
    KnownTimes::of(jobs).left(job).map(|(seconds, _)| seconds)
}

/// The time that all jobs still need; `None` if nothing is known about one of them.
pub(crate) fn time_left(jobs: &[JobTime]) -> Option<TimeLeft> {
    let known = KnownTimes::of(jobs);
    let mut left = TimeLeft { seconds: 0.0, guessed: 0 };
    let mut rest = jobs;
    while let Some(first) = rest.first() {
        let together = |job: &&JobTime| job.at_once.is_some() && job.at_once == first.at_once;
        let (now, later) = rest.split_at(rest.iter().take_while(together).count().max(1));
        rest = later;
        let mut longest = 0.0_f64;
        for job in now {
            let (seconds, guessed) = known.left(job)?;
            longest = longest.max(seconds);
            left.guessed += usize::from(guessed);
        }
        left.seconds += longest;
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(test: &str, bytes: u64, state: JobTimeState) -> JobTime {
        JobTime { test: test.into(), bytes, at_once: None, state }
    }

    use JobTimeState::{Ended, LeftOut, Running, Waiting};

    #[test]
    fn a_waiting_repetition_takes_as_long_as_those_before() {
        let jobs = [job("A", 0, Ended(10.0)), job("A", 0, Ended(20.0)), job("A", 0, Waiting)];
        assert_eq!(time_left(&jobs), Some(TimeLeft { seconds: 15.0, guessed: 0 }));
    }

    #[test]
    fn another_test_is_guessed_by_its_bytes_or_by_the_mean_of_all_jobs() {
        let jobs = [job("A", 100, Ended(10.0)), job("B", 200, Waiting), job("C", 0, Waiting)];
        assert_eq!(time_left(&jobs), Some(TimeLeft { seconds: 30.0, guessed: 2 }));
    }

    #[test]
    fn nothing_is_known_before_the_first_job_has_ended_unless_it_shows_it() {
        assert_eq!(time_left(&[job("A", 5, Waiting)]), None);
        assert_eq!(time_left(&[job("A", 5, Running(3.0, None))]), None);
        let running = job("A", 5, Running(3.0, Some(4.0)));
        assert_eq!(job_left(std::slice::from_ref(&running), &running), Some(4.0));
        assert_eq!(time_left(&[running, job("B", 0, Waiting)]), None);
    }

    #[test]
    fn a_running_job_needs_the_rest_of_its_time_and_at_least_that_of_its_phase() {
        let ended = job("A", 0, Ended(10.0));
        let left = |since, phase| {
            let running = job("A", 0, Running(since, phase));
            job_left(&[ended.clone(), running.clone()], &running)
        };
        assert_eq!((left(4.0, None), left(4.0, Some(9.0))), (Some(6.0), Some(9.0)));
        assert_eq!((left(14.0, None), left(14.0, Some(3.0))), (None, Some(3.0)), "later than expected");
    }

    #[test]
    fn jobs_at_the_same_time_take_as_long_as_the_longest_and_a_left_out_one_nothing() {
        let part = |test: &str| JobTime { at_once: Some("g-r2".into()), ..job(test, 0, Waiting) };
        let jobs = [job("A", 0, Ended(10.0)), job("B", 0, Ended(4.0)), part("A"), part("B")];
        assert_eq!(time_left(&jobs).map(|left| left.seconds), Some(10.0));
        assert_eq!(time_left(&[job("A", 0, LeftOut)]).map(|left| left.seconds), Some(0.0));
    }
}
