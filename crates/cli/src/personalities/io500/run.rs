//! The phases of a run, one after the other, on each rank.

use std::path::Path;
use std::time::{Duration, Instant};

use command::io500::{Effect, Phase, PhaseTool};
use ranks::{Comm, Halt};
use results::records::Sink;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::directories::RunDirectories;
use super::outputs::RunOutputs;
use super::phase_run::{PhaseContext, PhaseOutcome, PhaseSink};
use super::{ReadyIo500, caches};
use crate::personalities::ior;
use crate::personalities::perform::RankContext;
use crate::personalities::printer::are_printed;
use crate::personalities::within::Host;
use crate::status::{ERROR, error_if};

/// How often a file of `pause-dir` is looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The phase whose rate decides how many objects md-workbench has.
const RATED: &str = "mdtest-easy-write";
/// The file with the position of md-workbench.
const WORKBENCH_STATUS: &str = "mdworkbench.status";
/// The file with that rate, for a run that only removes.
const RATE_FILE: &str = "mdworkbench-size";

/// The parts of a run that only rank 0 has.
pub(super) struct RootOutputs {
    pub(super) outputs: RunOutputs,
    pub(super) directories: RunDirectories,
}

/// Runs all phases. Gives the exit status. Collective.
pub(super) fn all_phases(
    ready: &ReadyIo500,
    host: &Host<'_>,
    part: RankContext<'_>,
    mut root: Option<&mut RootOutputs>,
) -> Result<u8, Halt> {
    let RankContext { comm, clock, records } = part;
    let is_plain = root.as_ref().is_some_and(|root| root.outputs.is_plain());
    let context = PhaseContext { ready, host, comm, clock: &clock, is_plain };
    let outputs = root.as_deref_mut().map(|root| &mut root.outputs);
    let mut done = in_order(&context, records, outputs);
    if done.is_ok() || ready.cleanup {
        done = remove_files(ready, comm).and(done);
    }
    let Some(RootOutputs { outputs, directories }) = root else { return done };
    if done.is_ok() && !ready.cleanup {
        outputs.scores();
    }
    let left = directories.remove_empty(&ready.lines);
    if !left.is_empty() {
        let (time, mode) = (&ready.lines.timestamp, ready.mode.word());
        outputs.warn(format!(
            "data remains in {}. Remove it with the same configuration and ranks, and `--cleanup --timestamp \
             {time} --mode {mode}`",
            left.join(", ")
        ));
    }
    let failure = done.as_ref().err().map(ToString::to_string);
    let printed = are_printed("io500", outputs.finish(failure.as_deref()));
    done.map(|status| if printed { status } else { ERROR })
}

/// Runs the phases one after the other. Gives the exit status. Collective.
fn in_order(
    context: &PhaseContext<'_>,
    records: &mut dyn Sink,
    mut results: Option<&mut RunOutputs>,
) -> Result<u8, Halt> {
    let (ready, comm) = (context.ready, context.comm);
    let node = ready.flag("drop-caches").then(|| comm.split_by_node()).transpose()?;
    let mut rate = earlier_rate(ready, comm)?;
    let mut is_wrong = false;
    let has_objects = of_rank_0(comm, Path::new(&ready.lines.result(WORKBENCH_STATUS)).exists())?;
    let is_possible = |phase: &Phase| {
        // Objects that no run has made cannot be removed.
        !ready.cleanup || phase.tool != PhaseTool::MdWorkbench || has_objects
    };
    for (number, phase) in ready.phases().filter(|phase| is_possible(phase)).enumerate() {
        let sink =
            PhaseSink { to: &mut *records, number: number as u32, phases: Vec::new(), notices: Vec::new() };
        let outcome = one_phase(context, phase, rate, node.as_deref(), sink, results.as_deref_mut())?;
        let (is_phase_wrong, score) = of_rank_0(comm, (outcome.is_wrong, outcome.score))?;
        is_wrong |= is_phase_wrong;
        if phase.name == RATED {
            rate = Some(score);
        }
    }
    Ok(error_if(is_wrong))
}

/// Runs a phase, unless the configuration leaves it out. Only rank 0 has its whole outcome. Collective.
fn one_phase(
    context: &PhaseContext<'_>,
    phase: &'static Phase,
    rate: Option<f64>,
    node: Option<&dyn Comm>,
    mut sink: PhaseSink<'_>,
    mut results: Option<&mut RunOutputs>,
) -> Result<PhaseOutcome, Halt> {
    let (ready, comm) = (context.ready, context.comm);
    let is_measured = phase.tool != PhaseTool::Timestamp;
    let mut undropped = 0;
    if let Some(node) = node.filter(|_| is_measured) {
        let command = ready.lines.config.text("global", "drop-caches-cmd").unwrap_or_default();
        undropped = caches::drop_by(command, comm, node)?;
    }
    let words = ready.lines.words(phase, rate);
    if let Some(results) = &mut results {
        results.next(phase);
        pause(ready, phase, results);
        announce(ready, phase, rate, &words, results);
        keep_rate(ready, phase, rate, results);
    }
    comm.barrier()?;
    let begun = Instant::now();
    let mut outcome = match ready.is_wanted(phase) {
        true => context.run(phase, &words, &mut sink).map_err(|halt| placed(phase, halt))?,
        false => PhaseOutcome::fault("the configuration leaves it or its data out"),
    };
    let seconds = begun.elapsed().as_secs_f64();
    if undropped > 0 {
        let nodes = units::several(undropped, "node");
        outcome.faults.push(format!("the caches of {nodes} could not be dropped"));
    }
    if let Some(results) = results {
        results.ended(phase, &outcome, seconds);
    }
    Ok(outcome)
}

/// The failure with the name of its phase.
fn placed(phase: &Phase, halt: Halt) -> Halt {
    Halt { step: format!("{}: {}", phase.name, halt.step), ..halt }
}

/// Waits while `pause-dir` has a file with the name of the phase. The user removes it.
fn pause(ready: &ReadyIo500, phase: &Phase, results: &mut RunOutputs) {
    let Some(dir) = ready.lines.config.text("debug", "pause-dir") else { return };
    let path = format!("{dir}/{}", phase.name);
    results.pauses(&path);
    while std::fs::metadata(&path).is_ok() {
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Writes the command line of a phase, with what it was derived from.
fn announce(
    ready: &ReadyIo500,
    phase: &Phase,
    rate: Option<f64>,
    words: &[String],
    results: &mut RunOutputs,
) {
    let lines = &ready.lines;
    let external = lines.external_search(phase);
    let line = external.clone().unwrap_or_else(|| words.join(" "));
    match phase.tool {
        PhaseTool::MdWorkbench => {
            let [made, renewed] = lines.objects(rate);
            results.begins(&[("filesPerProc", renewed), ("precreatePerSet", made)], &line, &[]);
        }
        PhaseTool::Pfind if external.is_none() => {
            let ranks = lines.config.number(phase.name, "nproc").unwrap_or(u64::from(lines.ranks));
            results.begins(&[], &line, &[("nproc", ranks)]);
        }
        _ => results.begins(&[], &line, &[]),
    }
}

/// Keeps the rate of mdtest beside the results, for a run that only removes.
fn keep_rate(ready: &ReadyIo500, phase: &Phase, rate: Option<f64>, results: &mut RunOutputs) {
    if phase.tool == PhaseTool::MdWorkbench && phase.effect != Effect::Removes {
        let path = ready.lines.result(RATE_FILE);
        if let Err(error) = std::fs::write(&path, rate.unwrap_or_default().to_ne_bytes()) {
            results.warn(format!("{path}: {error}. --cleanup will not know the objects of md-workbench"));
        }
    }
}

/// The rate of an earlier run, for one that only removes. Collective.
fn earlier_rate(ready: &ReadyIo500, comm: &dyn Comm) -> Result<Option<f64>, Halt> {
    if !ready.cleanup {
        return Ok(None);
    }
    let bytes = std::fs::read(ready.lines.result(RATE_FILE)).ok().filter(|_| comm.rank() == 0);
    let rate = bytes.and_then(|bytes| Some(f64::from_ne_bytes(bytes.try_into().ok()?)));
    Ok(Some(of_rank_0(comm, rate.unwrap_or_default())?))
}

/// The value of rank 0, on all ranks. Collective.
fn of_rank_0<T: Serialize + DeserializeOwned>(comm: &dyn Comm, value: T) -> Result<T, Halt> {
    let mut bytes = serde_json::to_vec(&value).unwrap_or_default();
    comm.broadcast(0, &mut bytes)?;
    comm.agree("broadcast", serde_json::from_slice(&bytes).map_err(|error| error.to_string()))
}

/// Removes the files of ior, which no phase removes, and the status files. Collective.
fn remove_files(ready: &ReadyIo500, comm: &dyn Comm) -> Result<(), Halt> {
    let lines = &ready.lines;
    for phase in command::io500::phases().filter(|phase| {
        phase.tool == PhaseTool::Ior && phase.effect == Effect::Writes && ready.is_wanted(phase)
    }) {
        let words = lines.words(phase, None);
        ior::remove_file(&words, &ready.outside, comm);
    }
    if comm.rank() == 0 {
        for parent in ["ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard"] {
            // One that is missing was not made.
            let _ = std::fs::remove_file(lines.result(&format!("{parent}.stonewall")));
        }
    }
    comm.barrier()
}
