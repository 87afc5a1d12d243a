//! A group: programs that do the same work, run in turns.
//!
//! Machines are shared and drift. So each round runs every contender of a group once, in an order that
//! moves on by one place from round to round, and ratios are taken within a round, never across rounds.
//!
//! Never here: which groups there are, and how results are printed.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};

use super::child;
use super::others::Patience;
use super::words::{Tongue, Work};

/// How often a run that others disturb is made.
const ATTEMPTS: usize = 3;

/// What a group's numbers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unit {
    /// Nanoseconds per transfer.
    NsPerOp,
    /// Nanoseconds per operation on a name.
    NsPerName,
    /// Transfers per second.
    PerSecond,
    /// 10^9 bytes per second, with the bytes of one transfer.
    Gigabytes(f64),
    /// The most memory held, in MiB.
    PeakMib,
}

impl Unit {
    /// The number of a run in this unit.
    pub(super) fn of(self, run: &Run) -> f64 {
        let rate = run.work.ops / run.work.seconds;
        match self {
            Self::NsPerOp | Self::NsPerName => 1e9 / rate,
            Self::PerSecond => rate,
            Self::Gigabytes(bytes) => rate * bytes / 1e9,
            Self::PeakMib => run.peak_bytes as f64 / f64::from(1 << 20),
        }
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NsPerOp => "ns/transfer",
            Self::NsPerName => "ns/operation",
            Self::PerSecond => "transfers/s",
            Self::Gigabytes(_) => "GB/s",
            Self::PeakMib => "MiB at most",
        }
    }
}

/// One run of one contender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) work: Work,
    pub(super) cpu_s: f64,
    pub(super) wall_s: f64,
    pub(super) others_s: f64,
    pub(super) peak_bytes: u64,
}

/// A program and how it is started.
#[derive(Clone, Debug)]
pub(super) struct Contender {
    pub(super) name: String,
    pub(super) words: Vec<String>,
    pub(super) tongue: Tongue,
    /// One run a round, or why there is none.
    pub(super) runs: Result<Vec<Run>, String>,
}

impl Contender {
    pub(super) fn new(name: impl Into<String>, words: Vec<String>, tongue: Tongue) -> Self {
        Self { name: name.into(), words, tongue, runs: Ok(Vec::new()) }
    }

    /// The least disturbed of up to three runs, further ones only where others disturbed it. What is
    /// kept depends on what others did, never on the result.
    fn run_in_quiet(&self, folder: &Path, patience: &mut Patience, stop: &AtomicBool) -> Result<Run> {
        let mut best: Option<Run> = None;
        for _ in 0..ATTEMPTS {
            patience.wait(stop);
            let run = self.run(folder, stop)?;
            let share = |run: &Run| run.others_s / run.wall_s;
            if best.is_none_or(|best| share(&run) < share(&best)) {
                best = Some(run);
            }
            if !patience.wants_again(run.wall_s, run.others_s) {
                break;
            }
        }
        best.context("no run was made")
    }

    /// One run, with what it writes in `folder`.
    fn run(&self, folder: &Path, stop: &AtomicBool) -> Result<Run> {
        let records = folder.join("records");
        let mut words = self.words.clone();
        if self.tongue == Tongue::Records {
            words.extend(["--record".into(), records.display().to_string()]);
        }
        let child::Ran { said, cpu_s, wall_s, others_s, peak_bytes } = child::run(&words, folder, stop)?;
        let told = if self.tongue == Tongue::Records {
            let text = fs::read_to_string(&records).context("its records are not there")?;
            fs::remove_file(&records)?;
            text
        } else {
            said
        };
        Ok(Run { work: self.tongue.read(&told)?, cpu_s, wall_s, others_s, peak_bytes })
    }
}

/// Contenders of the same work.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) title: String,
    pub(super) unit: Unit,
    /// The contender that the others are held against, by its place.
    pub(super) against: Option<usize>,
    pub(super) contenders: Vec<Contender>,
    pub(super) goals: Vec<Goal>,
}

impl Group {
    pub(super) fn new(title: impl Into<String>, unit: Unit) -> Self {
        let title = title.into();
        Self { title, unit, against: None, contenders: Vec::new(), goals: Vec::new() }
    }

    /// Runs all rounds. A contender that fails once is not started again; its complaint is its result.
    pub(super) fn run(
        &mut self,
        rounds: usize,
        folder: &Path,
        patience: &mut Patience,
        stop: &AtomicBool,
    ) -> Result<()> {
        let count = self.contenders.len();
        for round in 0..rounds {
            for turn in 0..count {
                let contender = &mut self.contenders[(round + turn) % count];
                if contender.runs.is_err() {
                    continue;
                }
                let ran = contender.run_in_quiet(folder, patience, stop);
                if stop.load(Ordering::Relaxed) {
                    bail!("stopped on request");
                }
                match (&mut contender.runs, ran) {
                    (Ok(runs), Ok(run)) => runs.push(run),
                    (runs, Err(why)) => *runs = Err(format!("{why:#}")),
                    (Err(_), Ok(_)) => {}
                }
            }
        }
        Ok(())
    }

    /// A contender's ratio to another within each round: more is faster, or for memory larger.
    pub(super) fn ratios(&self, of: &[Run], to: &[Run]) -> Vec<f64> {
        let value = |run: &Run| match self.unit {
            Unit::PeakMib => run.peak_bytes as f64,
            _ => run.work.ops / run.work.seconds,
        };
        of.iter().zip(to).map(|(of, to)| value(of) / value(to)).collect()
    }

    /// How many cores everybody else kept busy while the group ran.
    pub(super) fn others(&self) -> f64 {
        let runs = || self.contenders.iter().filter_map(|contender| contender.runs.as_ref().ok()).flatten();
        let wall_s: f64 = runs().map(|run| run.wall_s).sum();
        if wall_s > 0.0 { runs().map(|run| run.others_s).sum::<f64>() / wall_s } else { 0.0 }
    }

    /// The runs of the contender of that name, or why there are none.
    pub(super) fn runs(&self, name: &str) -> Result<&[Run], String> {
        let found = self.contenders.iter().find(|contender| contender.name == name);
        let contender = found.ok_or_else(|| format!("{name} is not here"))?;
        match &contender.runs {
            Ok(runs) => Ok(runs),
            Err(why) => Err(format!("{name}: {why}")),
        }
    }
}

/// A bound on a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    /// Whether a number keeps it.
    pub(super) fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::AtMost(bound) => value <= bound,
        }
    }
}

/// What a contender should reach.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// The contender.
    pub(super) of: String,
    /// The contender it is held against; `None` for a number in the group's unit.
    pub(super) against: Option<String>,
    /// What should hold for the median of the rounds.
    pub(super) bound: Bound,
}
