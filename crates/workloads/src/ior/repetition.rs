//! A test from its first to its last repetition (IOR 4.1).

use results::reason;
use std::rc::Rc;

use command::ior::{Reorder, Request};
use measure::Clock;
use ranks::{Comm, Halt, Reduce};
use storage::Storage;

use super::observer::IorEvent;
use super::phase;
use super::setting::{PhaseKind, PhaseOutcome, Repetition, kinds};
use super::test::{IorContext, IorSummary, RunningTest, WarningWatch, stop_at_warning};
use super::{each_rank, files, hog, names, prefill, reorder};
use crate::kit::beneath::Mounts;
use crate::kit::node::Node;
use crate::kit::rank::Rank;
use crate::kit::status;

/// Runs a test that passed [`Request::check`] on the ranks of `comm`. Every rank calls it.
pub fn run(
    parameters: &Request,
    storage: &dyn Storage,
    comm: &dyn Comm,
    cx: &mut IorContext<'_>,
) -> Result<IorSummary, Halt> {
    let dirs = names::dirs(parameters, storage);
    let parameters = &*names::mounted(parameters);
    let node = Rc::new(Node::find(comm)?);
    let place = reorder::find(parameters, comm, &node)?;
    let IorContext { clock, offset, records, observer, board, seed, warning, sentence, data_key } = cx;
    let rank = Rank::compared(comm, clock, *offset, *records, *board, node);
    let mut test = RunningTest {
        parameters,
        storage,
        place,
        rank,
        observer: WarningWatch::new(*observer, *sentence, warning.take()),
        seed: *seed,
        data_key: *data_key,
        hints_reported: false,
        mounts: Mounts::default(),
    };
    test.rank.query_nodes(&dirs)?;
    let _held = hog::take(&mut test)?;
    begin(&mut test)?;
    test.rank.check_key(test.data_key)?;
    // The first use only stores the mount, so it cannot fail.
    let first = files::mine(&test, 0);
    let _ = test.mounts.same(storage, &first);
    let seed = test.rank.same_seed(test.seed)?;
    if parameters.write {
        files::report_existing(&mut test)?;
    }
    stop_at_warning(&test)?;
    let mut bad_transfers = 0;
    let mut worn_out = 0;
    for number in 0..parameters.repetitions.max(1) {
        let signature = parameters.signature.unwrap_or((seed as u32).wrapping_add(number) as i32);
        let offset_seed = parameters.offset_seed.unwrap_or(seed);
        let repetition = Repetition { number, signature, offset_seed };
        test.observer.event(&IorEvent::Repetition { repetition: number, signature });
        let done = one(&mut test, repetition)?;
        bad_transfers += done.bad;
        if number == 0 {
            worn_out = done.written.map_or(0, |outcome| outcome.transfers_max);
        }
        if done.out_of_time || stopped_by_wrong_data(&mut test, number, done.bad)? {
            break;
        }
    }
    if parameters.write && parameters.wear_out {
        leave_status(&test, worn_out)?;
    }
    stop_at_warning(&test)?;
    Ok(IorSummary { bad_transfers })
}

/// `-K`: the next repetition would remove files that must be kept.
fn stopped_by_wrong_data(test: &mut RunningTest<'_>, number: u32, bad: u64) -> Result<bool, Halt> {
    let parameters = test.parameters;
    let last = number + 1 >= parameters.repetitions;
    if bad == 0 || !parameters.keep_with_error || parameters.multi_file || last {
        return Ok(false);
    }
    test.notice(&reason!(KeptWithError { repetitions: number + 1 }))?;
    Ok(true)
}

/// Reports to rank 0's sink and observer that the test begins.
fn begin(test: &mut RunningTest<'_>) -> Result<(), Halt> {
    // `-O numNodes` changes the placement, and not where the ranks are.
    test.rank.begin_run(test.rank.node.count)?;
    test.observer.event(&IorEvent::Test {
        test: test.parameters.test,
        place: test.place,
        ranks: test.rank.comm.size(),
    });
    // These are no notice records, because the record of the run has them.
    for reason in test.rank.node_notices() {
        test.observer.event(&IorEvent::Notice(&reason));
    }
    report_idle_reordering(test)
}

/// `-C` counts in nodes. With all ranks on one node it changes nothing, and every rank reads its own data.
fn report_idle_reordering(test: &mut RunningTest<'_>) -> Result<(), Halt> {
    let (parameters, ranks) = (test.parameters, test.rank.comm.size());
    let reads = parameters.read || parameters.read_check;
    let own = reorder::owner(parameters, test.place, 0, ranks, 0, false) == 0;
    if !(reads && own && parameters.reorder == Reorder::Constant && ranks > 1) {
        return Ok(());
    }
    test.notice(&reason!(ReorderNoEffect))
}

/// What one repetition did.
#[derive(Default)]
struct RepetitionDone {
    /// Bad transfers over all ranks.
    bad: u64,
    /// The result of its write, if it wrote.
    written: Option<PhaseOutcome>,
    /// `-T` skipped one of its phases.
    out_of_time: bool,
}

/// One repetition.
fn one(test: &mut RunningTest<'_>, repetition: Repetition) -> Result<RepetitionDone, Halt> {
    let parameters = test.parameters;
    let kinds = kinds(parameters);
    let mut done = RepetitionDone::default();
    // This run does not remove files that no phase wrote, or that only a mixed phase used. The classic
    // program also removes what it read.
    let mut ours = false;
    for (index, kind) in kinds.iter().enumerate() {
        if out_of_time(test)? {
            report_left_out(test, repetition.number, &kinds[index..])?;
            done.out_of_time = true;
            break;
        }
        ours |= parameters.mix.is_none()
            || matches!(kind, PhaseKind::Write | PhaseKind::Read | PhaseKind::ReadCheck);
        match kind {
            PhaseKind::Write => done.written = Some(write(test, repetition)?),
            _ => {
                done.bad += read(test, *kind, repetition, done.written)?.bad;
            }
        }
    }
    let kept = parameters.keep || (parameters.keep_with_error && done.bad > 0);
    if ours && !kept {
        // The files of a test that only reads are not its own.
        if !parameters.write {
            stop_at_warning(test)?;
        }
        test.rank.comm.barrier()?;
        let begin = test.rank.clock.ns();
        // All ranks have removed theirs when this returns.
        files::remove(test, repetition.number)?;
        let seconds = (test.rank.clock.ns() - begin) as f64 * 1e-9;
        test.observer.event(&IorEvent::Removed { repetition: repetition.number, seconds });
    }
    Ok(done)
}

/// The write, and the steps before it.
fn write(test: &mut RunningTest<'_>, repetition: Repetition) -> Result<PhaseOutcome, Halt> {
    each_rank::report_files(test, "writing", Some(&files::mine(test, repetition.number)))?;
    delay(test);
    files::make_dirs(test)?;
    // What cannot be prepared fails before a file is removed.
    let prepared = phase::prepare(test, PhaseKind::Write, repetition, None)?;
    if !test.parameters.use_existing {
        files::remove(test, repetition.number)?;
    }
    let filled = prefill::fill(test, repetition.number);
    let written = filled.and_then(|()| phase::run(test, prepared));
    written.map_err(|halt| files::clean_up(test, repetition.number, halt))
}

/// A phase that reads at most what `written` wrote.
fn read(
    test: &mut RunningTest<'_>,
    kind: PhaseKind,
    repetition: Repetition,
    written: Option<PhaseOutcome>,
) -> Result<PhaseOutcome, Halt> {
    if matches!(kind, PhaseKind::Read | PhaseKind::ReadCheck) {
        report_hits(test, repetition.number)?;
        each_rank::report_readers(test, repetition.number)?;
    }
    if kind != PhaseKind::WriteCheck {
        delay(test);
    }
    if kind == PhaseKind::Mixed {
        files::all_there(test, repetition.number)?;
    }
    let limit = limit(test, written)?;
    let prepared = phase::prepare(test, kind, repetition, limit);
    let read = prepared.and_then(|prepared| phase::run(test, prepared));
    read.map_err(|halt| with_files(test, repetition.number, halt))
}

/// `-T`: whether a phase would begin too late, by rank 0's clock.
fn out_of_time(test: &RunningTest<'_>) -> Result<bool, Halt> {
    let minutes = u64::from(test.parameters.minutes_max);
    if minutes == 0 {
        return Ok(false);
    }
    let elapsed = test.rank.since_start_ns(test.rank.clock.now());
    let over = test.rank.comm.rank() == 0 && elapsed >= minutes.saturating_mul(60_000_000_000);
    Ok(test.rank.comm.reduce_one(over.into(), Reduce::Max)? > 0)
}

/// Reports the phases that `-T` skips: those in `left` of this repetition, and all phases of later
/// repetitions.
fn report_left_out(test: &mut RunningTest<'_>, repetition: u32, left: &[PhaseKind]) -> Result<(), Halt> {
    let phases: Vec<String> = left.iter().map(|kind| kind.name().replace('_', " ")).collect();
    let later = test.parameters.repetitions.saturating_sub(repetition + 1);
    let repetitions = (later > 0).then_some(later);
    let minutes = test.parameters.minutes_max;
    test.notice(&reason!(OutOfTime { minutes, phases, repetition, repetitions }))
}

/// The verbosity at which the readers of each file are counted.
const HITS_AT: u32 = 2;

/// `-Z`: reports how many ranks' data will be read 0, 1, 2, ... times, if requested. Every rank counts the
/// readers of its own data, so no rank needs all counts.
fn report_hits(test: &mut RunningTest<'_>, repetition: u32) -> Result<(), Halt> {
    let parameters = test.parameters;
    if parameters.reorder != Reorder::Random || parameters.verbose < HITS_AT {
        return Ok(());
    }
    let (rank, ranks) = (test.rank.comm.rank(), test.rank.comm.size());
    let mut files = [0_u64; reorder::HITS];
    files[reorder::readers(parameters, test.place, rank, ranks, repetition)] = 1;
    test.rank.comm.reduce(&mut files, Reduce::Sum)?;
    let used = files.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
    test.observer.event(&IorEvent::FileHits(&files[..used]));
    Ok(())
}

/// The halt of a read, with the name of the files that this run wrote and does not remove.
fn with_files(test: &RunningTest<'_>, repetition: u32, mut halt: Halt) -> Halt {
    if test.parameters.write && !test.parameters.keep {
        let first = names::file(test.parameters, 0, repetition);
        halt.why.push_str(&format!(" (the files of this run are not removed: {} ...)", first.display()));
    }
    halt
}

/// The most transfers of a reader: what the writer of its data wrote, or the count of an earlier run.
fn limit(test: &mut RunningTest<'_>, written: Option<PhaseOutcome>) -> Result<Option<u64>, Halt> {
    if let Some(written) = written {
        let own = test.parameters.reorder == Reorder::Own;
        return Ok(Some(if own { written.transfers } else { written.transfers_min }));
    }
    let Some(path) = &test.parameters.status_file else { return Ok(None) };
    let text = status::read(test.rank.comm, path)?;
    let count = text.parse().ok().filter(|count: &u64| *count > 0);
    if count.is_none() {
        let text = "Could not read back the stonewalling status from the file!";
        test.observer.event(&IorEvent::Warning(text));
    }
    Ok(count)
}

fn leave_status(test: &RunningTest<'_>, transfers: u64) -> Result<(), Halt> {
    let Some(path) = &test.parameters.status_file else { return Ok(()) };
    status::write(test.rank.comm, path, &transfers.to_string())
}

/// `-d`: rank 0 sleeps, and the others wait for it at the barrier of the phase.
fn delay(test: &mut RunningTest<'_>) {
    let seconds = test.parameters.delay;
    if seconds > 0 {
        test.observer.event(&IorEvent::Delay(seconds));
        test.rank.wait(seconds);
    }
}
