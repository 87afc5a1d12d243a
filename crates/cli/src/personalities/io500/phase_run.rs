//! One phase on its ranks, and what rank 0 takes from its records.

use std::fs::File;
use std::path::Path;

use command::io500::{Phase as PhaseRow, PhaseTool};
use measure::CycleClock;
use ranks::{Comm, Halt, Reduce};
use results::Record;
use results::reason::Reason;
use results::record::{Clients, Phase};
use results::records::Sink;

use super::ReadyIo500;
use super::search::{self, External};
use crate::personalities::own_lines::own_sentence;
use crate::personalities::perform::RankContext;
use crate::personalities::printer::Printer;
use crate::personalities::within::{Host, RunWithin};
use crate::personalities::{ior, md_workbench, mdtest, pfind};
use crate::status::DONE;

const GIB: f64 = 1_073_741_824.0;

/// What a phase gave, on rank 0.
#[derive(Debug, Default)]
pub(super) struct PhaseOutcome {
    /// In the unit of its score.
    pub(super) score: f64,
    /// Pairs for `result.txt`.
    pub(super) pairs: Vec<(&'static str, String)>,
    /// Why it is not valid.
    pub(super) faults: Vec<String>,
    /// The seconds of the write by its own clock, for transfers.
    pub(super) write_s: Option<f64>,
    /// Whether calls failed, or data was wrong.
    pub(super) is_wrong: bool,
    /// Notices of its program.
    pub(super) warnings: Vec<String>,
    /// The record with the score.
    pub(super) record: Option<Phase>,
}

impl PhaseOutcome {
    /// One that was not run, or could not be.
    pub(super) fn fault(why: impl Into<String>) -> Self {
        Self { faults: vec![why.into()], ..Self::default() }
    }
}

/// Keeps what a phase records, and forwards it as that of the test `number`.
pub(super) struct PhaseSink<'a> {
    pub(super) to: &'a mut dyn Sink,
    pub(super) number: u32,
    pub(super) phases: Vec<Phase>,
    pub(super) notices: Vec<Reason>,
}

impl Sink for PhaseSink<'_> {
    fn put(&mut self, record: &Record) -> std::io::Result<()> {
        let mut record = record.clone();
        match &mut record {
            Record::Phase(phase) => {
                phase.test = self.number;
                self.phases.push((**phase).clone());
            }
            Record::Notice(notice) => self.notices.push(notice.reason.clone()),
            _ => {}
        }
        self.to.put(&record)
    }

    fn begin(&mut self, nodes: u32, offset_uncertainty_ns: u64, clients: &Clients) -> std::io::Result<()> {
        self.to.begin(nodes, offset_uncertainty_ns, clients)
    }
}

/// What all phases of a rank share.
pub(super) struct PhaseContext<'a> {
    pub(super) ready: &'a ReadyIo500,
    pub(super) comm: &'a dyn Comm,
    pub(super) clock: &'a CycleClock,
    pub(super) host: &'a Host<'a>,
    pub(super) is_plain: bool,
}

impl PhaseContext<'_> {
    /// Runs the command line `words` of a phase. Collective.
    pub(super) fn run(
        &self,
        phase: &PhaseRow,
        words: &[String],
        sink: &mut PhaseSink<'_>,
    ) -> Result<PhaseOutcome, Halt> {
        let lines = &self.ready.lines;
        match phase.tool {
            PhaseTool::Timestamp => {
                let made = match self.comm.rank() {
                    0 => make_timestamp(&lines.result("timestampfile")),
                    _ => Ok(()),
                };
                self.comm.agree("timestamp", made)?;
                Ok(PhaseOutcome::default())
            }
            _ => match lines.external_search(phase) {
                Some(line) => self.external(phase, &line),
                None => self.program(phase, words, sink),
            },
        }
    }

    fn external(&self, phase: &PhaseRow, line: &str) -> Result<PhaseOutcome, Halt> {
        let to = self.ready.lines.phase_file(phase, "txt");
        let outcome = match self.comm.rank() {
            0 => search::external(line, Path::new(&to)).map_or_else(PhaseOutcome::fault, found),
            _ => PhaseOutcome::default(),
        };
        self.comm.barrier()?;
        Ok(outcome)
    }

    /// Runs a program on the ranks that it wants. Collective.
    fn program(
        &self,
        phase: &PhaseRow,
        words: &[String],
        sink: &mut PhaseSink<'_>,
    ) -> Result<PhaseOutcome, Halt> {
        let comm = self.comm;
        let nproc = (phase.tool == PhaseTool::Pfind)
            .then(|| self.ready.lines.config.number(phase.name, "nproc"))
            .flatten();
        let wanted = nproc.filter(|ranks| *ranks < comm.size());
        let takes_part = wanted.is_none_or(|ranks| comm.rank() < ranks);
        let some = wanted.map(|_| comm.split(u32::from(!takes_part))).transpose()?;
        let takers = some.as_deref().unwrap_or(comm);
        let outcome = if takes_part { self.on_ranks(phase, words, takers, sink) } else { Ok(DONE) };
        // Ranks outside learn the outcome here.
        let failed = comm.reduce_one(outcome.is_err().into(), Reduce::Max)?;
        let status = match outcome {
            Ok(_) if failed > 0 => {
                return Err(Halt {
                    step: phase.name.into(),
                    rank: 0,
                    node: comm.node_name().to_owned(),
                    why: "failed on another rank".into(),
                    call: None,
                });
            }
            outcome => outcome?,
        };
        Ok(outcome_of(phase, status, sink))
    }

    fn on_ranks(
        &self,
        phase: &PhaseRow,
        words: &[String],
        comm: &dyn Comm,
        sink: &mut PhaseSink<'_>,
    ) -> Result<u8, Halt> {
        let to = self.ready.lines.phase_file(phase, "txt");
        let opened = match comm.rank() {
            0 => Printer::in_place_of_stdout(Path::new(&to), self.is_plain)
                .map(Some)
                .map_err(|error| format!("{to}: {error}")),
            _ => Ok(None),
        };
        let to = comm.agree("results", opened)?;
        let part = RankContext { comm, clock: self.clock.clone(), records: sink };
        let (outside, within) = (&self.ready.outside, RunWithin { host: self.host, part, to });
        match phase.tool {
            PhaseTool::Mdtest => mdtest::run_within(words, outside.variables(), within),
            PhaseTool::MdWorkbench => md_workbench::run_within(words, within),
            PhaseTool::Pfind => pfind::run_within(words, within),
            PhaseTool::Ior | PhaseTool::Timestamp => ior::run_within(words, outside, within),
        }
    }
}

/// Makes the file whose time `find` compares.
fn make_timestamp(path: &str) -> Result<(), String> {
    File::create(path).map(drop).map_err(|error| format!("{path}: {error}"))
}

/// The outcome of an external search.
fn found(found: External) -> PhaseOutcome {
    let External { matched, files, seconds } = found;
    PhaseOutcome {
        score: if seconds > 0.0 { files as f64 / seconds / 1000.0 } else { 0.0 },
        pairs: vec![("total-files", files.to_string()), ("found", matched.to_string())],
        faults: nothing_found(matched),
        ..PhaseOutcome::default()
    }
}

fn nothing_found(matched: u64) -> Vec<String> {
    if matched == 0 { vec!["nothing was found".to_owned()] } else { Vec::new() }
}

/// What rank 0 takes from the records of a program that ended with `status`.
fn outcome_of(phase: &PhaseRow, status: u8, sink: &mut PhaseSink<'_>) -> PhaseOutcome {
    let warnings = sink.notices.iter().map(own_sentence).collect();
    let (name, repetition) = phase.record;
    let is_scored = |record: &Phase| record.phase == name && record.repetition == repetition;
    let is_wrong = status != DONE;
    let mut outcome = PhaseOutcome { warnings, is_wrong, ..PhaseOutcome::default() };
    let Some(record) = sink.phases.iter().find(|record| is_scored(record)) else {
        // Only rank 0 has records.
        outcome.faults.push(format!("it has no record of {name}"));
        return outcome;
    };
    let metric = |name: &str| record.metric(name).map_or(0.0, |metric| metric.value);
    match phase.tool {
        PhaseTool::Ior => {
            outcome.score = metric("bw") / GIB;
            if name == "write" {
                outcome.write_s = Some(record.spans.total_s);
                let stonewall = record.stonewall.as_ref().filter(|wall| wall.seconds > 0.0);
                let rate = stonewall.map(|wall| wall.bytes as f64 / wall.seconds / GIB);
                outcome.pairs.extend(rate.map(|rate| ("throughput-stonewall", format!("{rate:.2}"))));
            }
        }
        PhaseTool::Mdtest => outcome.score = metric("rate") / 1000.0,
        PhaseTool::Pfind => {
            let matched = record.matched.unwrap_or_default();
            outcome.score = metric("rate") / 1000.0;
            outcome.pairs = vec![("found", matched.to_string()), ("total-files", record.ops.to_string())];
            // A search that found nothing also ends with a failure.
            outcome.is_wrong &= matched > 0;
            outcome.faults = nothing_found(matched);
        }
        PhaseTool::MdWorkbench | PhaseTool::Timestamp => {
            outcome.score = metric("rate") / 1000.0;
            outcome.pairs.push(("maxOpTime", format!("{:.6}", max_s(record))));
            let first = sink.phases.iter().find(|first| first.phase == name && repetition > first.repetition);
            if let Some(first) = first {
                let rate = first.metric("rate").map_or(0.0, |metric| metric.value);
                outcome.pairs.push(("scoreIteration0", format!("{:.6}", rate / 1000.0)));
                outcome.pairs.push(("maxOpTime0", format!("{:.6}", max_s(first))));
            }
        }
    }
    if outcome.is_wrong {
        outcome.faults.push(format!("calls failed, or data was wrong: see {}.txt", phase.name));
    }
    outcome.record = Some(record.clone());
    outcome
}

/// Seconds of the slowest operation.
fn max_s(record: &Phase) -> f64 {
    record.latency.as_ref().map_or(0.0, |latency| latency.max_ns as f64 * 1e-9)
}
