//! What a view of a campaign shows, as plain data.
//!
//! Invariant: all texts are safe for a terminal. The frame computes nothing.
//! Never here: where the data comes from.

use results::Outcome;
use results::progress::ProgressShown;
use units::{count, duration, percent, rate_decimal, several, visible};

use super::estimate::TimeLeft;

/// The standing of a clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ClauseStanding {
    /// None of its jobs has begun.
    #[default]
    Waiting,
    /// A job of it runs, or some of its repetitions are missing, so nothing is decided.
    Open,
    /// It has a verdict, and jobs that it depends on are still to run.
    SoFar(Outcome),
    /// All jobs that it depends on have ended.
    Decided(Outcome),
}

impl ClauseStanding {
    /// Its words.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Waiting => "waiting".to_owned(),
            Self::Open => "open".to_owned(),
            Self::SoFar(outcome) => format!("{outcome} so far"),
            Self::Decided(outcome) => outcome.to_string(),
        }
    }

    /// The outcome, if there is one.
    pub(crate) fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Waiting | Self::Open => None,
            Self::SoFar(outcome) | Self::Decided(outcome) => Some(outcome),
        }
    }

    /// The standing of a clause with these criteria. A FAIL is final, because no outcome is worse.
    pub(crate) fn of_criteria(criteria: &[Self]) -> Self {
        let worst = Outcome::worst(criteria.iter().filter_map(|one| one.outcome()));
        let all = |wanted: fn(&Self) -> bool| criteria.iter().all(wanted);
        match worst {
            _ if all(|one| *one == Self::Waiting) => Self::Waiting,
            Outcome::Fail if criteria.contains(&Self::Decided(worst)) => Self::Decided(worst),
            _ if all(|one| matches!(one, Self::Decided(_))) => Self::Decided(worst),
            _ if all(|one| one.outcome().is_none()) => Self::Open,
            _ => Self::SoFar(worst),
        }
    }

    /// How important it is where not all clauses fit; 0 for the most important.
    pub(crate) fn rank(self) -> u8 {
        match self.outcome() {
            Some(Outcome::Fail) => 0,
            Some(Outcome::Invalid) => 1,
            Some(Outcome::Inconclusive) => 2,
            None if self == Self::Open => 3,
            Some(Outcome::Pass) => 4,
            _ => 5,
        }
    }
}

/// One clause.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClauseShown {
    /// Its test, or the id of a clause of the contract.
    pub(crate) test: String,
    /// The tests of its criteria, if it is a clause of the contract.
    pub(crate) tests: Vec<String>,
    /// Metric and criterion.
    pub(crate) criterion: String,
    /// The measured value; empty if there is none.
    pub(crate) value: String,
    pub(crate) standing: ClauseStanding,
    /// Repetitions that have ended, and all.
    pub(crate) repetitions: (usize, usize),
}

/// A job that runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunningShown {
    pub(crate) test: String,
    pub(crate) repetition: u32,
    /// Seconds since it began.
    pub(crate) seconds: f64,
    /// Its time limit, seconds.
    pub(crate) limit_s: f64,
    /// The time that it still needs, seconds; absent if it is not known.
    pub(crate) left_s: Option<f64>,
    /// Whether it has ended, and other jobs of its group still run.
    pub(crate) has_ended: bool,
    pub(crate) progress: Option<ProgressShown>,
}

/// A campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CampaignShown {
    /// The plan and its title.
    pub(crate) title: String,
    pub(crate) folder: String,
    /// Jobs that have ended or were left out, and all.
    pub(crate) jobs: (usize, usize),
    pub(crate) running: Vec<RunningShown>,
    pub(crate) left: Option<TimeLeft>,
    pub(crate) clauses: Vec<ClauseShown>,
    /// The last warnings, the latest last.
    pub(crate) warnings: Vec<String>,
    /// What the campaign does, in one sentence.
    pub(crate) state: String,
    /// Whether it needs the attention of a person.
    pub(crate) needs_care: bool,
}

impl CampaignShown {
    /// Whether a job of the clause runs. A group has the jobs of its parts.
    pub(crate) fn runs(&self, clause: &ClauseShown) -> bool {
        let own = if clause.tests.is_empty() { std::slice::from_ref(&clause.test) } else { &clause.tests };
        let is_of = |job: &str, test: &String| job.strip_prefix(test.as_str()).is_some_and(is_end_of_id);
        self.running.iter().any(|job| own.iter().any(|test| is_of(&job.test, test)))
    }

    /// The time that is left, in words.
    pub(crate) fn time_left(&self) -> String {
        match self.left {
            _ if self.jobs.0 == self.jobs.1 => String::new(),
            None => "time left: not known".to_owned(),
            Some(TimeLeft { seconds, guessed: 0 }) => format!("about {} left", duration(seconds)),
            Some(TimeLeft { seconds, guessed }) => {
                let jobs = several(guessed as u64, "job");
                format!("about {} left ({jobs} guessed)", duration(seconds))
            }
        }
    }
}

/// Whether an id ends before `rest`: before nothing, a part of a group, or the mark of a warm-up.
fn is_end_of_id(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['.', '+'])
}

impl RunningShown {
    /// What it shows, the most important first.
    pub(crate) fn parts(&self) -> Vec<String> {
        let mut parts = vec![format!("{} {}", visible(&self.test), self.repetition)];
        if self.has_ended {
            parts.push("has ended; others of its group still run".to_owned());
            return parts;
        }
        if let Some(progress) = &self.progress {
            parts.extend(of_phase(progress));
        }
        parts.push(match self.left_s {
            Some(left) if left > 0.0 => format!("about {} left", duration(left)),
            _ => format!("at most {}", duration(self.limit_s)),
        });
        parts.push(format!("runs {:.0} s", self.seconds));
        parts.extend(self.progress.as_ref().map(seen));
        parts.retain(|part| !part.is_empty());
        parts
    }
}

/// The phase that runs: its share, rate, latency and slowest rank.
fn of_phase(progress: &ProgressShown) -> Vec<String> {
    let ProgressShown { phase, repetition, done, .. } = progress;
    let mut phase = visible(&phase.replace('_', " "));
    // The first repetition within a job is usually the only one.
    if *repetition > 0 {
        phase.push_str(&format!(" {}", repetition + 1));
    }
    if progress.ended {
        return vec![format!("{phase} has ended: {}", rate(progress))];
    }
    // Slow transfers may not finish between two readings. This does not mean that no data moves.
    let rate = match progress.idle_seconds > 0.0 {
        true => format!("nothing ended for {}", duration(progress.idle_seconds)),
        false => rate(progress),
    };
    let slowest =
        format!("slowest rank {}: {}", progress.slowest_rank, count(progress.slowest_transfers as f64));
    let p99 = format!("p99 {}", duration(progress.p99_seconds));
    let share = format!("{phase} {}", percent(done.min(1.0), 0));
    // Ageing counts no transfers.
    match progress.transfers > 0 || progress.slowest_transfers > 0 {
        true => vec![share, rate, p99, slowest],
        false => vec![share, rate],
    }
}

fn rate(progress: &ProgressShown) -> String {
    match progress.bytes {
        0 => format!("{}/s", count(progress.transfers_per_second)),
        _ => rate_decimal(progress.bytes_per_second),
    }
}

/// Which ranks the numbers are of.
fn seen(progress: &ProgressShown) -> String {
    match (progress.ranks_seen, progress.ranks) {
        (seen, ranks) if seen >= ranks || progress.ended => String::new(),
        (1, ranks) => format!("numbers of rank 0 of {ranks}"),
        (seen, ranks) => format!("numbers of the {seen} of {ranks} ranks on the node of rank 0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress() -> ProgressShown {
        ProgressShown {
            phase: "random_read".into(),
            repetition: 2,
            transfers: 100,
            bytes: 1 << 20,
            bytes_per_second: 2.5e9,
            transfers_per_second: 1e3,
            p99_seconds: 0.004,
            slowest_rank: 7,
            slowest_transfers: 12,
            done: 0.25,
            ranks_seen: 2,
            ranks: 2,
            ..ProgressShown::default()
        }
    }

    fn parts(progress: ProgressShown) -> String {
        let job = RunningShown { test: "A".into(), repetition: 1, limit_s: 60.0, ..RunningShown::default() };
        RunningShown { progress: Some(progress), ..job }.parts().join(" | ")
    }

    #[test]
    fn a_running_job_shows_rate_p99_and_the_slowest_rank() {
        let shown = parts(progress());
        let wanted =
            "A 1 | random read 3 25 % | 2.50 GB/s | p99 4.00 ms | slowest rank 7: 12 | at most 60.0 s";
        assert!(shown.starts_with(wanted), "{shown}");
    }

    #[test]
    fn a_part_of_a_group_that_has_ended_does_not_run() {
        let job =
            RunningShown { test: "G.a".into(), repetition: 2, has_ended: true, ..RunningShown::default() };
        let parts = RunningShown { progress: Some(progress()), ..job }.parts();
        assert_eq!(parts, ["G.a 2", "has ended; others of its group still run"]);
    }

    #[test]
    fn ageing_shows_its_step_its_share_and_its_speed() {
        let ageing = ProgressShown {
            phase: "fill".into(),
            repetition: 0,
            transfers: 0,
            slowest_transfers: 0,
            ..progress()
        };
        assert!(parts(ageing).starts_with("A 1 | fill 25 % | 2.50 GB/s | at most 60.0 s"));
    }

    #[test]
    fn it_states_whose_numbers_they_are_if_not_all_ranks_are_seen() {
        let of = |ranks_seen| parts(ProgressShown { ranks_seen, ranks: 8, ..progress() });
        assert!(of(1).ends_with("numbers of rank 0 of 8"), "{}", of(1));
        assert!(of(2).ends_with("numbers of the 2 of 8 ranks on the node of rank 0"), "{}", of(2));
        assert!(!of(8).contains("numbers of"), "{}", of(8));
    }

    #[test]
    fn operations_have_a_rate_without_bytes_and_a_stall_is_stated() {
        assert!(parts(ProgressShown { bytes: 0, ..progress() }).contains("| 1.00 k/s |"));
        let shown = parts(ProgressShown { idle_seconds: 3.0, ..progress() });
        assert!(shown.contains("nothing ended for 3.00 s") && !shown.contains("GB/s"), "{shown}");
        assert!(parts(ProgressShown { ended: true, ..progress() }).contains("has ended: 2.50 GB/s"));
    }
}
