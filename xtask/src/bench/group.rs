//! A group: programs that do the same work and run alternately.
//!
//! The speed of a shared machine varies over time. So each round runs every contender of a group once. The
//! order rotates by one place from round to round. Ratios are taken within a round, never across rounds.
//!
//! Never here: the list of groups, and the output of results.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};

use super::child::{self, ChildRun};
use super::others::Patience;
use super::outputs::{OutputFormat, Work};

/// The most attempts for a run that other processes disturb.
const ATTEMPTS: usize = 3;

/// The unit of a group's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unit {
    /// Nanoseconds per transfer.
    NsPerOp,
    /// Nanoseconds per metadata operation.
    NsPerMetadataOp,
    /// Transfers per second.
    PerSecond,
    /// 10^9 bytes per second, with the bytes of one transfer.
    Gigabytes(f64),
    /// Microseconds per phase of one transfer, by the wall clock of the whole process.
    MicrosPerPhase,
    /// Seconds of the whole process, by the wall clock.
    Seconds,
    /// The peak memory, in MiB.
    PeakMib,
}

impl Unit {
    /// The value of a run in this unit.
    pub(super) fn of(self, run: &Run) -> f64 {
        let rate = run.work.ops / run.work.seconds;
        match self {
            Self::NsPerOp | Self::NsPerMetadataOp => 1e9 / rate,
            Self::PerSecond => rate,
            Self::Gigabytes(bytes) => rate * bytes / 1e9,
            Self::MicrosPerPhase => run.wall_s * 1e6 / run.work.ops,
            Self::Seconds => run.wall_s,
            Self::PeakMib => run.peak_bytes as f64 / f64::from(1 << 20),
        }
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NsPerOp => "ns/transfer",
            Self::NsPerMetadataOp => "ns/operation",
            Self::PerSecond => "transfers/s",
            Self::Gigabytes(_) => "GB/s",
            Self::MicrosPerPhase => "µs/phase",
            Self::Seconds => "s",
            Self::PeakMib => "MiB at most",
        }
    }
}

/// One run of one contender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) work: Work,
    /// Processor seconds of the whole process; `None` if the process also did work outside this group.
    pub(super) cpu_s: Option<f64>,
    pub(super) wall_s: f64,
    pub(super) others_s: f64,
    pub(super) peak_bytes: u64,
}

/// A program with its command line.
#[derive(Clone, Debug)]
pub(super) struct Contender {
    pub(super) name: String,
    pub(super) words: Vec<String>,
    pub(super) format: OutputFormat,
    /// One run per round, or the reason why there are none.
    pub(super) runs: Result<Vec<Run>, String>,
}

impl Contender {
    pub(super) fn new(name: impl Into<String>, words: Vec<String>, format: OutputFormat) -> Self {
        Self { name: name.into(), words, format, runs: Ok(Vec::new()) }
    }

    /// The least disturbed of up to three attempts. Another attempt follows only a disturbed one. The choice
    /// depends on the load from other processes, never on the result.
    fn run_undisturbed(&self, folder: &Path, patience: &mut Patience, stop: &AtomicBool) -> Result<ChildRun> {
        let mut best: Option<ChildRun> = None;
        for _ in 0..ATTEMPTS {
            patience.wait(stop);
            let ran = self.run(folder, stop)?;
            let again = patience.wants_again(ran.wall_s, ran.others_s);
            let share = |ran: &ChildRun| ran.others_s / ran.wall_s;
            if best.as_ref().is_none_or(|best| share(&ran) < share(best)) {
                best = Some(ran);
            }
            if !again {
                break;
            }
        }
        best.context("no run was made")
    }

    /// One run with its files in `folder`. Its output is the text that the output format reads.
    fn run(&self, folder: &Path, stop: &AtomicBool) -> Result<ChildRun> {
        let records = folder.join("records");
        let mut words = self.words.clone();
        if self.format == OutputFormat::Records {
            words.extend(["--record".into(), records.display().to_string()]);
        }
        let mut ran = child::run_ending(&words, self.format.statuses(), folder, stop)?;
        if self.format == OutputFormat::Records {
            ran.output = fs::read_to_string(&records).context("the program wrote no records")?;
            fs::remove_file(&records)?;
        }
        Ok(ran)
    }

    /// Adds a run with the work in its output.
    fn note(&mut self, ran: &ChildRun, cpu_s: Option<f64>) -> Result<()> {
        let ChildRun { wall_s, others_s, peak_bytes, .. } = *ran;
        let run = Run { work: self.format.read(&ran.output)?, cpu_s, wall_s, others_s, peak_bytes };
        if let Ok(runs) = &mut self.runs {
            runs.push(run);
        }
        Ok(())
    }
}

/// Contenders of the same work.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) title: String,
    pub(super) unit: Unit,
    /// The index of the reference contender.
    pub(super) against: Option<usize>,
    pub(super) contenders: Vec<Contender>,
    pub(super) goals: Vec<Goal>,
}

impl Group {
    pub(super) fn new(title: impl Into<String>, unit: Unit) -> Self {
        let title = title.into();
        Self { title, unit, against: None, contenders: Vec::new(), goals: Vec::new() }
    }

    /// A group with its first contender as the reference.
    pub(super) fn against_first(title: impl Into<String>, unit: Unit) -> Self {
        Self { against: Some(0), ..Self::new(title, unit) }
    }

    /// Adds a contender.
    pub(super) fn add(&mut self, name: impl Into<String>, words: Vec<String>, format: OutputFormat) {
        self.contenders.push(Contender::new(name, words, format));
    }

    /// Adds a goal for a contender.
    pub(super) fn add_goal(&mut self, of: &str, against: Option<&str>, bound: Bound) {
        self.goals.push(Goal { of: of.to_owned(), against: against.map(str::to_owned), bound });
    }

    /// The ratio of two contenders within each round. A higher ratio is faster, or for memory larger.
    pub(super) fn ratios(&self, of: &[Run], to: &[Run]) -> Vec<f64> {
        let value = |run: &Run| match self.unit {
            Unit::PeakMib => run.peak_bytes as f64,
            Unit::MicrosPerPhase => run.work.ops / run.wall_s,
            Unit::Seconds => 1.0 / run.wall_s,
            _ => run.work.ops / run.work.seconds,
        };
        of.iter().zip(to).map(|(of, to)| value(of) / value(to)).collect()
    }

    /// The mean number of cores that other processes kept busy during the runs.
    pub(super) fn others(&self) -> f64 {
        let runs = || self.contenders.iter().filter_map(|contender| contender.runs.as_ref().ok()).flatten();
        let wall_s: f64 = runs().map(|run| run.wall_s).sum();
        if wall_s > 0.0 { runs().map(|run| run.others_s).sum::<f64>() / wall_s } else { 0.0 }
    }

    /// The runs of the contender of this name, or the reason why there are none.
    pub(super) fn runs(&self, name: &str) -> Result<&[Run], String> {
        let found = self.contenders.iter().find(|contender| contender.name == name);
        let contender = found.ok_or_else(|| format!("{name} is not installed"))?;
        match &contender.runs {
            Ok(runs) => Ok(runs),
            Err(why) => Err(format!("{name}: {why}")),
        }
    }
}

/// Runs all rounds of groups that share their runs: they have the same programs in the same order, and each
/// group reads its own line of the outputs. A contender that failed is not started again; its error message
/// is its result.
pub(super) fn run(
    groups: &mut [Group],
    rounds: usize,
    folder: &Path,
    patience: &mut Patience,
    stop: &AtomicBool,
) -> Result<()> {
    let (count, alone) = (groups.first().map_or(0, |group| group.contenders.len()), groups.len() == 1);
    for round in 0..rounds {
        for place in (0..count).map(|turn| (round + turn) % count) {
            let contender = &groups[0].contenders[place];
            if contender.runs.is_err() {
                continue;
            }
            let ran = contender.run_undisturbed(folder, patience, stop);
            if stop.load(Ordering::Relaxed) {
                bail!("stopped on request");
            }
            for contender in groups.iter_mut().map(|group| &mut group.contenders[place]) {
                let noted = match &ran {
                    Ok(ran) => contender.note(ran, alone.then_some(ran.cpu_s)),
                    Err(why) => Err(anyhow::anyhow!("{why:#}")),
                };
                if let Err(why) = noted {
                    contender.runs = Err(format!("{why:#}"));
                }
            }
        }
    }
    Ok(())
}

/// The bound of a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    /// Whether a value meets the bound.
    pub(super) fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::AtMost(bound) => value <= bound,
        }
    }
}

/// A goal for a contender.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// The contender.
    pub(super) of: String,
    /// The reference contender; `None` for a value in the group's unit.
    pub(super) against: Option<String>,
    /// The bound for the median of the rounds.
    pub(super) bound: Bound,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_share_runs_start_each_program_once_per_round() {
        let folder = tempfile::tempdir().unwrap();
        let script = "echo >> started; echo first ops 10 seconds 1; echo second ops 10 seconds 2";
        let words = ["sh", "-c", script].map(str::to_owned).to_vec();
        let group = |phase| {
            let mut group = Group::new(phase, Unit::NsPerMetadataOp);
            group.add("sh", words.clone(), OutputFormat::Phase(phase));
            group
        };
        let mut groups = ["first", "second", "third"].map(group);
        let (mut patience, stop) = (Patience::new(0.0), AtomicBool::new(false));
        run(&mut groups, 3, folder.path(), &mut patience, &stop).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("started")).unwrap().len(), 3);
        let seconds = |runs: &[Run]| runs.iter().map(|run| run.work.seconds).collect::<Vec<_>>();
        assert_eq!(groups[0].runs("sh").map(seconds), Ok(vec![1.0; 3]));
        assert_eq!(groups[1].runs("sh").map(seconds), Ok(vec![2.0; 3]));
        assert_eq!(groups[2].runs("sh").map(seconds), Err("sh: no line of third".into()));
        assert!(groups[0].contenders[0].runs.as_ref().is_ok_and(|runs| runs[0].cpu_s.is_none()));
    }
}
