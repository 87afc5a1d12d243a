//! How long the jobs of a plan probably take, from the rates and times that the plan states and from those of
//! an earlier campaign.
//!
//! Invariant: pure. Nothing is guessed: a phase without a known rate or time is unknown, and the estimate of
//! its job is then a lower limit.
//! Never here: the sum of time limits, which say only when jobs are killed.

use std::collections::{BTreeMap, BTreeSet};

use command::PlannedLine;
use units::{Dimension, Quantity};

use crate::line::Line;
use crate::model::{Comparison, Criterion, Goal, Plan, Test};
use crate::placement::Placement;
use crate::schedule::{PlannedJob, Purpose};

/// The time that a job is supposed to take in addition to its phases, seconds.
pub const START_S: f64 = 1.0;

/// How many references a threshold that is a share may have.
const SHARES_MAX: u32 = 8;

/// A source of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// The wall time of the same job in an earlier campaign.
    EarlierJob,
    /// A rate that an earlier campaign measured.
    EarlierRate,
    /// The rate limit of the command line.
    RateLimit,
    /// The threshold of a criterion.
    Threshold,
    /// The rate of another phase of the command line.
    OtherPhase,
    /// The highest possible rate of the file system.
    FileSystemRate,
    /// The deadline of the command line.
    Deadline,
    /// A minimum time of the command line or the plan.
    MinimumTime,
    /// The time limit of the job, because the other sources give more.
    TimeLimit,
}

impl Basis {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::EarlierJob => "time of the earlier campaign",
            Self::EarlierRate => "rate of the earlier campaign",
            Self::RateLimit => "--rate",
            Self::Threshold => "threshold",
            Self::OtherPhase => "rate of another phase",
            Self::FileSystemRate => "fs.rate",
            Self::Deadline => "deadline",
            Self::MinimumTime => "minimum time",
            Self::TimeLimit => "time limit (too short)",
        }
    }
}

/// The estimated duration of a job or of several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The known part, seconds.
    pub seconds: f64,
    /// Whether a part is unknown, so that the time is a lower limit.
    pub is_open: bool,
    /// What the known part rests on; empty if nothing is known.
    pub rests_on: BTreeSet<Basis>,
}

impl Estimate {
    fn known(seconds: f64, basis: Basis) -> Self {
        Self { seconds, is_open: false, rests_on: BTreeSet::from([basis]) }
    }

    fn unknown() -> Self {
        Self { is_open: true, ..Self::default() }
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        self.rests_on.is_empty()
    }

    /// Both, one after the other.
    #[must_use]
    pub fn then(mut self, next: &Self) -> Self {
        self.seconds += next.seconds;
        self.is_open |= next.is_open;
        self.rests_on.extend(&next.rests_on);
        self
    }

    /// Both at the same time.
    #[must_use]
    fn beside(self, other: &Self) -> Self {
        let seconds = self.seconds.max(other.seconds);
        Self { seconds, ..self.then(other) }
    }
}

/// The results of an earlier campaign.
#[derive(Clone, Debug, Default)]
pub struct EarlierResults {
    /// The mean wall time of completed jobs, seconds, by test and arguments.
    times: BTreeMap<(String, Vec<String>, u32), f64>,
    /// The mean rates, by test and metric such as `write.bw`.
    rates: BTreeMap<(String, String), f64>,
}

impl EarlierResults {
    /// Those of a campaign with these jobs. `seconds` is the wall time of a job's folder if it completed, and
    /// `rates` are test, metric and mean of each measured rate.
    pub fn new(
        jobs: &[PlannedJob],
        seconds: &dyn Fn(&PlannedJob) -> Option<f64>,
        rates: impl IntoIterator<Item = (String, String, f64)>,
    ) -> Self {
        let mut all: BTreeMap<_, Vec<f64>> = BTreeMap::new();
        for job in jobs {
            all.entry(same_job(job)).or_default().extend(seconds(job));
        }
        let mean = |times: Vec<f64>| times.iter().sum::<f64>() / times.len() as f64;
        let times = all.into_iter().filter(|(_, times)| !times.is_empty());
        Self {
            times: times.map(|(key, times)| (key, mean(times))).collect(),
            rates: rates.into_iter().map(|(test, metric, rate)| ((test, metric), rate)).collect(),
        }
    }
}

/// What two jobs have in common if they take the same time.
fn same_job(job: &PlannedJob) -> (String, Vec<String>, u32) {
    (job.test.clone(), job.words.clone(), job.placement.ranks)
}

/// The estimate of each job, in the same order.
pub fn of_jobs(plan: &Plan, jobs: &[PlannedJob], earlier: &EarlierResults) -> Vec<Estimate> {
    jobs.iter().map(|job| of_job(plan, job, earlier)).collect()
}

/// The estimate of all jobs together. Jobs of a group run at the same time.
pub fn total(jobs: &[PlannedJob], estimates: &[Estimate]) -> Estimate {
    let pairs: Vec<(&PlannedJob, &Estimate)> = jobs.iter().zip(estimates).collect();
    let groups = pairs.chunk_by(|(one, _), (next, _)| one.at_once.is_some() && one.at_once == next.at_once);
    groups.fold(Estimate::default(), |all, group| {
        let longest = group.iter().fold(Estimate::default(), |longest, (_, one)| longest.beside(one));
        all.then(&longest)
    })
}

fn of_job(plan: &Plan, job: &PlannedJob, earlier: &EarlierResults) -> Estimate {
    if let Some(seconds) = earlier.times.get(&same_job(job)) {
        return Estimate::known(*seconds, Basis::EarlierJob);
    }
    let (test, line, placement) = match job.purpose {
        Purpose::State(_) => return Estimate::unknown(),
        Purpose::Dataset(index) => {
            let dataset = &plan.datasets[index];
            (None, &dataset.line, &dataset.placement)
        }
        Purpose::Test(index) => {
            let test = &plan.tests[index];
            (Some(test), &test.line, &test.placement)
        }
    };
    let known = KnownRates { plan, test, fs: &job.fs, earlier };
    let phases = match line {
        Line::Ior(_) => of_transfers(&known, line, placement),
        Line::Tool(_) => of_operations(&known, line, placement),
        Line::App(_) => vec![Estimate::unknown()],
    };
    let mut all = phases.iter().fold(Estimate::default(), |all, phase| all.then(phase));
    if all.is_unknown() {
        return all;
    }
    all.seconds += START_S;
    if all.seconds > job.timeout_s {
        // It is killed then, so an unknown part cannot make it longer.
        all = Estimate { seconds: job.timeout_s, is_open: false, rests_on: all.rests_on };
        all.rests_on.insert(Basis::TimeLimit);
    }
    all
}

/// The phases of an IOR command line.
fn of_transfers(known: &KnownRates<'_>, line: &Line, placed: &Placement) -> Vec<Estimate> {
    let Some(ior) = line.as_ior() else { return vec![Estimate::unknown()] };
    let transfer = ior.transfer as f64;
    let limit = ior.rate_bytes().map(|rate| (rate, Basis::RateLimit));
    let once = ior.bytes(placed.ranks) as f64;
    let deadline = (ior.deadline > 0).then_some(ior.deadline.into());
    let sustained = known.test.and_then(|test| test.sustained_s).unwrap_or(0.0);
    let minimum = sustained.max(ior.seconds_min.into());
    let rates: Vec<_> =
        ior.phases().into_iter().map(|phase| (phase, known.of_phase(phase, transfer))).collect();
    let other = rates.iter().find_map(|(_, rate)| *rate).map(|(rate, _)| (rate, Basis::OtherPhase));
    let phase = |(phase, rate): &(&str, Option<(f64, Basis)>)| {
        let is_check = phase.ends_with("_check");
        let own = if is_check { *rate } else { limit.or(*rate) };
        let rate = own.or(if is_check { other } else { None }).or_else(|| known.of_file_system());
        let minimum = if is_check { 0.0 } else { minimum };
        let mut estimate = time(once, rate, deadline, minimum);
        // After the deadline, slower ranks move what the fastest one has moved.
        let wears_out = ior.wears_out() && !is_check && estimate.rests_on.contains(&Basis::Deadline);
        estimate.is_open |= wears_out;
        estimate.seconds *= f64::from(ior.repetitions);
        estimate
    };
    rates.iter().map(phase).collect()
}

/// The phases of a command line that counts operations.
fn of_operations(known: &KnownRates<'_>, line: &Line, placed: &Placement) -> Vec<Estimate> {
    let Line::Tool(tool) = line else { return vec![Estimate::unknown()] };
    let phases = line.phases();
    let part_of =
        |part: &str, whole: &str| part.strip_prefix(whole).is_some_and(|rest| rest.starts_with('_'));
    // The phases that make and remove the tree have few operations. A part has the time of its whole.
    let counted = phases
        .iter()
        .filter(|phase| !phase.starts_with("tree_") && !phases.iter().any(|whole| part_of(phase, whole)));
    let of_phase = |phase: &String| {
        let parts = phases.iter().filter(|part| part_of(part, phase));
        let with_rate =
            [phase].into_iter().chain(parts).find_map(|name| Some((name, known.of_phase(name, 0.0)?)));
        let (name, rate) = with_rate.map_or((phase, None), |(name, rate)| (name, Some(rate)));
        let deadline = Some(tool.phase_limit_s(name) as f64).filter(|limit| *limit > 0.0);
        match tool.operations(name, placed.ranks.into()) {
            operations @ 1.. => time(operations as f64, rate, deadline, 0.0),
            0 => Estimate::unknown(),
        }
    };
    counted.map(of_phase).collect()
}

/// The time of one phase that moves this amount.
fn time(amount: f64, rate: Option<(f64, Basis)>, deadline: Option<f64>, minimum: f64) -> Estimate {
    let by_rate = rate.filter(|(rate, _)| *rate > 0.0).map(|(rate, basis)| (amount / rate, basis));
    let ends = match (by_rate, deadline) {
        (Some((seconds, _)), Some(deadline)) if deadline < seconds => Some((deadline, Basis::Deadline)),
        (None, Some(deadline)) => Some((deadline, Basis::Deadline)),
        (by_rate, _) => by_rate,
    };
    match ends {
        Some((seconds, _)) if seconds < minimum => Estimate::known(minimum, Basis::MinimumTime),
        Some((seconds, basis)) => {
            // The highest possible rate gives the shortest possible time.
            let is_open = basis == Basis::FileSystemRate;
            Estimate { is_open, ..Estimate::known(seconds, basis) }
        }
        None if minimum > 0.0 => Estimate { is_open: true, ..Estimate::known(minimum, Basis::MinimumTime) },
        None => Estimate::unknown(),
    }
}

/// The rates that are known before a job runs.
struct KnownRates<'p> {
    plan: &'p Plan,
    /// The test; `None` for a dataset.
    test: Option<&'p Test>,
    fs: &'p str,
    earlier: &'p EarlierResults,
}

impl KnownRates<'_> {
    /// The rate of a phase: bytes per second, or operations per second if `transfer` is 0.
    fn of_phase(&self, phase: &str, transfer: f64) -> Option<(f64, Basis)> {
        let test = self.test?;
        let names: &[&str] = if transfer > 0.0 { &["bw", "iops"] } else { &["rate", "iops"] };
        let in_bytes =
            |name: &str, rate: f64| if transfer > 0.0 && name == "iops" { rate * transfer } else { rate };
        let metric = |name: &str| format!("{phase}.{name}");
        let earlier = names.iter().find_map(|name| {
            let rate = self.earlier.rates.get(&(test.id.clone(), metric(name)))?;
            Some((in_bytes(name, *rate), Basis::EarlierRate))
        });
        let stated = |name: &&str| {
            let rate = threshold(self.plan, test, &metric(name), SHARES_MAX)?;
            Some((in_bytes(name, rate), Basis::Threshold))
        };
        earlier.or_else(|| names.iter().find_map(stated))
    }

    /// The highest possible rate of the file system, bytes per second.
    fn of_file_system(&self) -> Option<(f64, Basis)> {
        let rate = self.plan.file_systems.get(self.fs)?.rate?;
        Some((rate, Basis::FileSystemRate))
    }
}

/// The rate that a test's metric must reach: its own threshold, or its part of the threshold of its group.
fn threshold(plan: &Plan, test: &Test, metric: &str, shares: u32) -> Option<f64> {
    let own = test.criteria.iter().find_map(|criterion| of_criterion(plan, criterion, metric, shares));
    let in_group = || {
        let group = &plan.groups[test.part?];
        let all =
            group.criteria.iter().find_map(|criterion| of_criterion(plan, criterion, metric, shares))?;
        let amount = |test: &Test| {
            let (written, read) = test.line.bytes(test.placement.ranks);
            written.saturating_add(read) as f64
        };
        let sum: f64 = plan.parts(group).map(amount).sum();
        (sum > 0.0).then(|| all * amount(test) / sum)
    };
    own.or_else(in_group)
}

/// The least rate that a criterion on this metric accepts.
fn of_criterion(plan: &Plan, criterion: &Criterion, metric: &str, shares: u32) -> Option<f64> {
    let is_least = matches!(criterion.op, Comparison::AtLeast | Comparison::Above);
    if criterion.metric != metric || !is_least {
        return None;
    }
    match &criterion.goal {
        Goal::Value(Quantity { value, dimension }) => {
            let is_rate = matches!(dimension, Dimension::BytesPerSecond | Dimension::PerSecond);
            (is_rate && *value > 0.0).then_some(*value)
        }
        Goal::Share { share, test, metric, .. } => {
            let left = shares.checked_sub(1)?;
            threshold(plan, &plan.tests[*test], metric, left).map(|rate| share * rate)
        }
        Goal::Accepted { .. } => None,
    }
}

#[cfg(test)]
mod tests;
