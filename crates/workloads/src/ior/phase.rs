//! One phase over all ranks: prepare outside the clock, start together, end together.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use command::ior::Offsets;
use measure::{Clock, Meter, Tick};
use ranks::{Halt, Reduce};
use results::record::Check;
use storage::directory_of;

use super::data_sample::DataSample;
use super::layout::layout;
use super::observer::{IorEvent, PhaseStart};
use super::setting::{PhaseKind, PhaseOutcome, PhaseSetting, Repetition};
use super::test::RunningTest;
use super::test::stop_at_warning;
use super::transfer::{self, Memory, RankDone, RankJob};
use super::{before_close, cache_before, identity, names, prepare, record, reorder, wrong};
use crate::kit::checker::Checker;
use crate::kit::current::CurrentPhase;
use crate::kit::failed_call::{cause, named};
use crate::kit::order::TransferOrder;
use crate::kit::payload::Payload;
use crate::kit::permutation::seed_of;
use crate::kit::tally::TransferTally;

/// A phase with its data, its memory and its log, of which nothing is written yet.
pub(super) struct PreparedPhase {
    kind: PhaseKind,
    repetition: Repetition,
    /// The rank whose data this rank moves.
    owner: u32,
    path: PathBuf,
    order: TransferOrder,
    transfers: u64,
    cached_before: Option<f64>,
    sample: DataSample,
    payload: Payload,
    memory: Memory,
    tally: TransferTally,
}

/// Prepares a phase. `limit` is the most transfers of this rank. Files of the test are not changed.
pub(super) fn prepare(
    test: &mut RunningTest<'_>,
    kind: PhaseKind,
    repetition: Repetition,
    limit: Option<u64>,
) -> Result<PreparedPhase, Halt> {
    let owner = owner(test, kind, repetition);
    let path = names::file(test.parameters, owner, repetition.number);
    reachable(test, kind, &path)?;
    let mut order = order(test, kind, repetition, owner, &path)?;
    let transfers = limit.unwrap_or(u64::MAX).min(wanted(test, &order));
    let cached_before =
        if kind.writes() { None } else { cache_before::share(test, &path, &mut order, transfers)? };
    let sample = DataSample::choose(test, kind, &mut order, transfers);
    let payload = identity::payload(test, kind, repetition, owner, &path, (&mut order, transfers))?;
    let payload = prepare::spread(test, payload);
    let same = test.mounts.same(test.storage, &path);
    let memory = same.and_then(|()| prepare::memory(test, kind, &payload));
    let prepared = memory.and_then(|memory| Ok((memory, prepare::tally(test, kind, repetition, transfers)?)));
    let (memory, tally) = test.rank.comm.agree(kind.step(), prepared)?;
    stop_at_warning(test)?;
    Ok(PreparedPhase {
        kind,
        repetition,
        owner,
        path,
        order,
        transfers,
        cached_before,
        sample,
        payload,
        memory,
        tally,
    })
}

/// Runs one phase.
pub(super) fn run(test: &mut RunningTest<'_>, prepared: PreparedPhase) -> Result<PhaseOutcome, Halt> {
    let PreparedPhase { kind, repetition, owner, path, order, transfers, .. } = prepared;
    let PreparedPhase { cached_before, sample, payload, memory, mut tally, .. } = prepared;
    let (depth, end) = (prepare::depth(&memory), prepare::end(test, kind, &path, &payload));

    test.rank.next_phase()?;
    test.observer.event(&IorEvent::Begins(beginning(test, kind, repetition, transfers)));
    let current = CurrentPhase::enter(kind.name());
    // From here on nothing is allocated or printed until the last rank has closed its file.
    let ramp = test.rank.clock.scale().ticks(u64::from(test.parameters.ramp) * 1_000_000_000);
    let origin = Tick(test.rank.start_together()?.0.saturating_add(ramp));
    tally.start(origin, test.rank.clock.scale());
    let layout = layout(test.parameters, test.rank.comm.size());
    let job = RankJob {
        parameters: test.parameters,
        storage: test.storage,
        comm: test.rank.comm,
        path: &path,
        mode: prepare::mode(test, kind, repetition),
        payload,
        parts: layout.parts_of(owner.into()),
        transfers,
        call_bytes: test.call_bytes(),
        order,
        memory,
        end,
        checker: kind.checks().then(|| Checker::new(payload, Check::CAP).among(layout)),
        tally,
    };
    let clock = &*test.rank.clock;
    let done = transfer::perform(clock, job)?;
    agree(test, kind, &done)?;
    drop(current);
    let sampled = sample.compare(test, &path, done.transfers)?;
    let setting = PhaseSetting {
        kind,
        repetition,
        path,
        owner,
        cached_before,
        sampled,
        transfers,
        depth,
        is_first: true,
        counted: 0,
        origin,
    };
    finish(test, &setting, done)
}

/// Ends the phase on all ranks if it failed on one, and reports the hints of its file.
fn agree(test: &mut RunningTest<'_>, kind: PhaseKind, done: &RankDone) -> Result<(), Halt> {
    before_close::show_hints(test, done);
    test.rank.agree_on_first(kind.step(), done.failed.clone())?;
    before_close::report_hints(test, done)
}

fn beginning(test: &RunningTest<'_>, kind: PhaseKind, repetition: Repetition, transfers: u64) -> PhaseStart {
    // Both times count from the end of the ramp.
    let after_ramp = |seconds: u32| match seconds {
        0 => 0,
        seconds => seconds.saturating_add(test.parameters.ramp),
    };
    PhaseStart {
        phase: kind.name(),
        repetition: repetition.number,
        transfers,
        transfer_bytes: test.call_bytes(),
        ranks: test.rank.comm.size(),
        deadline: after_ramp(test.parameters.deadline),
        least_seconds: after_ramp(test.parameters.seconds_min),
    }
}

/// Records the phase. A mixed phase is recorded twice, as writes and as reads, if it has both.
fn finish(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    mut done: RankDone,
) -> Result<PhaseOutcome, Halt> {
    let counted = counted(test, setting, &done)?;
    let setting = &PhaseSetting { counted, ..setting.clone() };
    let outcome = match done.tally.reads.take() {
        None => record::put(test, setting, &mut done)?,
        Some(reads) => put_mixed(test, setting, &mut done, reads)?,
    };
    before_close::report(test, setting, &done)?;
    Ok(outcome)
}

/// Records the writes and then the reads of a mixed phase, if it has them.
fn put_mixed(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    done: &mut RankDone,
    reads: Meter,
) -> Result<PhaseOutcome, Halt> {
    let percent = test.parameters.mix.unwrap_or(0);
    if percent < 100 {
        let writes = PhaseSetting { kind: PhaseKind::MixedWrite, cached_before: None, ..setting.clone() };
        let outcome = record::put(test, &writes, done)?;
        if percent == 0 {
            return Ok(outcome);
        }
    }
    done.tally.meter = reads;
    (done.at_deadline.transfers, done.at_deadline.bytes) = done.at_deadline.reads.unwrap_or_default();
    let reads = PhaseSetting { kind: PhaseKind::MixedRead, is_first: percent == 100, ..setting.clone() };
    record::put(test, &reads, done)
}

/// Transfers of all ranks that count, if they may be fewer than all. If none counts, the phase fails. Wrong
/// data is reported even then.
fn counted(test: &mut RunningTest<'_>, setting: &PhaseSetting, done: &RankDone) -> Result<u64, Halt> {
    let parameters = test.parameters;
    if parameters.ramp == 0 && parameters.rate.is_none() {
        return Ok(0);
    }
    let reads = done.tally.reads.as_ref().map_or(0, Meter::transfers);
    let mut sums = [done.tally.meter.transfers() + reads, done.transfers];
    test.rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [counted, transfers] = sums;
    if counted > 0 || transfers == 0 {
        return Ok(counted);
    }
    if let Some(check) = wrong::check(test, setting, done)? {
        wrong::report(test, setting, &check);
    }
    let (step, ramp) = (setting.kind.step(), parameters.ramp);
    let why = format!(
        "all ranks ended within the ramp of {ramp} s, so nothing was measured. Use a shorter --ramp, \
         more data, or -D"
    );
    test.rank.comm.agree(step, Err(why)).map(|()| 0)
}

/// The rank whose data this rank moves.
fn owner(test: &RunningTest<'_>, kind: PhaseKind, repetition: Repetition) -> u32 {
    let (rank, ranks) = (test.rank.comm.rank(), test.rank.comm.size());
    if kind.writes() || kind.mixes() {
        return rank;
    }
    let check = kind == PhaseKind::WriteCheck;
    reorder::owner(test.parameters, test.place, rank, ranks, repetition.number, check)
}

/// Transfers that the options ask of this rank.
fn wanted(test: &RunningTest<'_>, order: &TransferOrder) -> u64 {
    match test.parameters.wear_out_transfers {
        0 => order.transfers(),
        limit => limit.min(order.transfers()),
    }
}

fn order(
    test: &RunningTest<'_>,
    kind: PhaseKind,
    repetition: Repetition,
    owner: u32,
    path: &Path,
) -> Result<TransferOrder, Halt> {
    let layout = test.layout();
    let (rank, seed) = (u64::from(owner), repetition.offset_seed);
    Ok(match test.parameters.offsets {
        Offsets::Sequential => TransferOrder::sequential(layout, rank),
        Offsets::Shuffled => TransferOrder::shuffled(layout, rank, seed_of(&[seed])),
        Offsets::IorShuffled => TransferOrder::ior_shuffled(layout, rank, seed as u32),
        Offsets::RandomBlocks => {
            let size = test.storage.size(path).map_err(|error| named("stat", path, &error));
            let size = test.rank.comm.agree(kind.step(), size)?.unwrap_or(layout.file_bytes());
            let seed = if layout.file_per_rank { seed.wrapping_add(rank) } else { seed };
            TransferOrder::random_blocks(layout, rank, seed, size)
        }
    })
}

/// Fails on all ranks if one rank cannot open a shared file together with the others, which would then wait
/// for it. It cannot if the file or its directory is missing, or if it may not read the file.
pub(super) fn reachable(test: &RunningTest<'_>, kind: PhaseKind, path: &Path) -> Result<(), Halt> {
    if test.parameters.file_per_rank || !test.parameters.abilities().collective {
        return Ok(());
    }
    let dir = directory_of(path);
    let needed = if kind.writes() { dir } else { path };
    let there = match test.storage.size(needed) {
        Ok(Some(_)) if kind.writes() => Ok(()),
        // This also covers libraries whose open hangs on the other ranks if it fails on one.
        Ok(Some(_)) => {
            test.storage.readable(path).map_err(|error| named("open", path, &error).after("cannot open "))
        }
        Ok(None) => {
            let dir = if needed == path { String::new() } else { format!("{}: ", needed.display()) };
            let text = format!("cannot open {}: {dir}No such file or directory", path.display());
            Err(cause("open", path, &ErrorKind::NotFound.into(), text))
        }
        Err(error) => Err(named("open", path, &error).after("cannot open ")),
    };
    test.rank.comm.agree(kind.step(), there)
}
