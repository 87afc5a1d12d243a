//! Makes one phase record from every rank's measurements, by the formulas of
//! docs/explanation/clock-and-phases.md.

use command::FileForm;
use command::ior::RateLimit;
use measure::ByteTimeline;
use ranks::Halt;
use results::reason::{Datum, Reason, reason};
use results::record::{Counts, Phase, SampledData, Stonewall};
use storage::Mode;
use units::Dimension;

use super::layout::{layout, open};
use super::numbers::{PhaseNumbers, Sums};
use super::observer::{IorEvent, WearOut};
use super::setting::{PhaseOutcome, PhaseSetting};
use super::test::RunningTest;
use super::transfer::RankDone;
use super::{each_rank, numbers, outliers, wrong};
use crate::kit::{beneath, reduce};

/// Pauses between transfers of this length leave empty intervals in the timeline, microseconds.
const LONG_PAUSE_US: u64 = 100_000;
/// A rate limit counts as reached from this share of it.
const RATE_REACHED: f64 = 0.95;

/// Reduces, records and reports one phase.
pub(super) fn put(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    done: &mut RankDone,
) -> Result<PhaseOutcome, Halt> {
    let numbers = numbers::reduce(test, setting, done)?;
    let done = &*done;
    let PhaseNumbers { spans, sums, stonewall, mut balance, sync, opened, kernel, own, pace } = numbers;
    check_nothing_lost(test, setting, &sums)?;
    report_stonewall(test, done, stonewall.as_ref())?;
    let each_rank = each_rank::collect(test, setting, done, &own, &mut balance)?;
    let check = wrong::check(test, setting, done)?;
    let parameters = test.parameters;
    let phase = Phase {
        test: parameters.test,
        repetition: setting.repetition.number,
        phase: setting.kind.name().to_owned(),
        backend: parameters.backend.to_lowercase(),
        file_per_rank: parameters.file_per_rank,
        path: setting.path.display().to_string(),
        ranks: test.rank.comm.size(),
        transfer_bytes: parameters.transfer,
        block_bytes: parameters.block,
        segments: parameters.segments,
        expected_bytes: parameters.total_bytes(test.rank.comm.size()).unwrap_or(0),
        bytes: sums.bytes,
        ops: sums.transfers,
        began_s: spans.began_s,
        spans: spans.spans,
        balance,
        latency: reduce::latency_on_rank_0(test.rank.comm, &done.tally.meter.latency),
        timeline: reduce::intervals_on_rank_0(test.rank.comm, &done.tally.meter.timeline),
        check,
        stonewall: stonewall.map(|(wall, _)| wall),
        cached_before: setting.cached_before,
        sampled: setting.sampled,
        smallest_file_bytes: sums.smallest_file,
        persisted: !setting.kind.reads() && (parameters.sync || parameters.sync_each),
        direct: test.storage.direct(),
        depth: setting.depth,
        ramp_s: parameters.ramp.into(),
        rate_limit: parameters.rate.map(|rate| match rate {
            RateLimit::Bytes(bytes) => bytes / test.call_bytes() as f64,
            RateLimit::Transfers(transfers) => transfers,
        }),
        counts: Counts::Bytes,
        each_rank,
        moments: test.rank.moments(spans.transfers_ns, setting.origin, spans.uncertainty_ns),
        repeated_bytes: sums.repeated.min(sums.bytes),
        persisted_each: !setting.kind.reads() && parameters.sync_each,
        data_key: test.data_key.map(|key| key.facts().clone()),
        sync,
        opened,
        kernel,
        pace,
        ..Phase::default()
    };
    let stall = stall(test, &phase);
    test.rank.record_phase_and_stall(&phase, stall.as_ref())?;
    each_rank::report(test, setting, done)?;
    report(test, setting, &phase, &sums, &done.tally.meter.timeline)?;
    stall.iter().for_each(|reason| test.observer.event(&IorEvent::Notice(reason)));
    outliers::report(test, setting, &done.stamps)?;
    Ok(sums.outcome(done.transfers, phase.check.as_ref()))
}

/// On rank 0: the notice about a time in which no rank moved anything.
fn stall(test: &RunningTest<'_>, phase: &Phase) -> Option<Reason> {
    let sees_all = test.rank.comm.rank() == 0;
    let is_meant = test.parameters.pause_us >= LONG_PAUSE_US;
    phase.stall_reason(&phase.phase.replace('_', " ")).filter(|_| sees_all && !is_meant)
}

/// A write has lost data if all its calls succeeded and its files are shorter than what was written. Some MPI
/// libraries report no error for a full file system.
fn check_nothing_lost(test: &RunningTest<'_>, setting: &PhaseSetting, sums: &Sums) -> Result<(), Halt> {
    if !setting.kind.writes() {
        return Ok(());
    }
    let written = sums.bytes;
    let expected = test.parameters.total_bytes(test.rank.comm.size());
    let is_known = test.parameters.abilities().keeps_data && sums.devices == 0;
    let whole = is_known && Some(written) == expected;
    let found = match sums.files < written && whole && test.rank.comm.rank() == 0 {
        true if test.parameters.file_per_rank => sums.files,
        true => {
            let how = open(test.parameters, Mode::Read, test.rank.comm.size());
            beneath::size_after_reopening(test.storage, test.rank.comm, &setting.path, how, written)
        }
        false => written,
    };
    let owns = test.parameters.file_per_rank || test.rank.comm.rank() == 0;
    let lost = match found < written {
        true => {
            Err(format!("{}: {written} bytes were written, but the file has {found}", setting.path.display()))
        }
        false if whole && owns => {
            let written = layout(test.parameters, test.rank.comm.size()).file_bytes();
            beneath::has_space(test.storage, &setting.path, written)
        }
        false => Ok(()),
    };
    test.rank.comm.agree(setting.kind.name(), lost)
}

/// Reports the events and notices that follow from a phase.
fn report(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    phase: &Phase,
    sums: &Sums,
    timeline: &ByteTimeline,
) -> Result<(), Halt> {
    let name = setting.kind.name();
    let partly = setting.kind.mixes() || test.parameters.ramp > 0;
    let all_moved = partly || phase.bytes == phase.expected_bytes;
    let sized = sums.devices == 0 && sums.files != phase.expected_bytes;
    // The size of a file that holds more than the data is not usable. The classic program does not compare it
    // either.
    if test.parameters.abilities().form == FileForm::Bytes && (sized || !all_moved) {
        let (expected, found, moved) = (phase.expected_bytes, sums.files, phase.bytes);
        test.observer.event(&IorEvent::Size { expected, found, moved });
    }
    if let Some(check) = &phase.check {
        wrong::report(test, setting, check);
    }
    test.observer.event(&IorEvent::Phase(phase));
    let label = name.replace('_', " ");
    report_memory(test, setting, phase, &label)?;
    if let Some(wall) = phase.stonewall.as_ref().filter(|wall| wall.ran_dry > 0) {
        let (ranks, of, deadline) = (wall.ran_dry, phase.ranks, wall.deadline_s);
        test.notice_in(setting, &reason!(OutOfData { label: &label, ranks, of, deadline }))?;
    }
    if test.parameters.ramp > 0 && phase.balance.bytes_min == 0 {
        let ramp = test.parameters.ramp;
        test.notice_in(setting, &reason!(NothingAfterRamp { label: &label, ramp }))?;
    }
    report_missed_rate(test, setting, phase, timeline)?;
    report_short(test, setting, phase, sums.short)
}

/// Reports transfers that were continued. The two halves of a mixed phase have the same count.
fn report_short(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    phase: &Phase,
    short: u64,
) -> Result<(), Halt> {
    if short == 0 || !setting.is_first {
        return Ok(());
    }
    let reason = if setting.kind.mixes() {
        reason!(ShortTransfer { label: "mixed", short })
    } else {
        reason!(ShortTransfer { label: setting.kind.name().replace('_', " "), short, of: phase.ops })
    };
    test.notice_in(setting, &reason)
}

/// Reports data that may have come from memory, or that is not the written data.
fn report_memory(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    phase: &Phase,
    label: &str,
) -> Result<(), Halt> {
    if let Some(reason) = beneath::cached_read(label, phase.cached_before) {
        test.notice_in(setting, &reason)?;
    }
    let queries = setting.kind.reads()
        && phase.ops > 0
        && test.parameters.abilities().keeps_data
        && !test.storage.direct();
    if queries && phase.cached_before.is_none() {
        test.notice_in(setting, &reason!(CacheUnknown { label }))?;
    }
    if let Some(sampled) = phase.sampled.filter(|sampled| sampled.wrong > 0) {
        let SampledData { blocks, wrong } = sampled;
        test.notice_in(setting, &reason!(SampledWrong { label, wrong, sampled_blocks: blocks }))?;
    }
    if phase.repeated_bytes > 0 && setting.is_first && test.parameters.abilities().keeps_data {
        let (repeated, bytes) = (phase.repeated_bytes, phase.bytes);
        let cacheable = (!phase.direct).then_some(true);
        test.notice_in(setting, &reason!(RepeatedData { label, repeated, bytes, cacheable }))?;
    }
    Ok(())
}

/// Reports a rate limit that was too high, with the requested and the reached rate. The fsync after the last
/// transfer is left out: a limit concerns transfers only. The timelines of all ranks have the same length.
fn report_missed_rate(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    phase: &Phase,
    timeline: &ByteTimeline,
) -> Result<(), Halt> {
    let (Some(asked), true) = (phase.rate_limit, setting.is_first) else { return Ok(()) };
    let intervals =
        (timeline.used() > 0).then(|| timeline.used() as f64 * timeline.interval_ns() as f64 * 1e-9);
    let seconds = intervals.unwrap_or(f64::INFINITY).min(phase.spans.transfer_s).max(1e-9);
    let reached = setting.counted as f64 / seconds;
    if reached >= asked * RATE_REACHED {
        return Ok(());
    }
    let [limit, reached] = [asked, reached].map(|rate| match test.parameters.rate {
        Some(RateLimit::Transfers(_)) => Datum::of(rate, Dimension::PerSecond),
        _ => Datum::rate(rate * phase.transfer_bytes as f64),
    });
    let label = if setting.kind.mixes() { "mixed" } else { setting.kind.step() };
    test.notice_in(setting, &reason!(RateNotReached { label, limit, reached }))
}

/// Reports what the ranks had done at the deadline. Collective.
fn report_stonewall(
    test: &mut RunningTest<'_>,
    done: &RankDone,
    stonewall: Option<&(Stonewall, u64)>,
) -> Result<(), Halt> {
    let Some((wall, all)) = stonewall.filter(|(wall, _)| wall.wear_out) else { return Ok(()) };
    let at = &done.at_deadline;
    if test.parameters.verbose > 0
        && let Some(all) = reduce::gather(test.rank.comm, [at.transfers])?
    {
        test.observer.event(&IorEvent::RankTransfers(all.into_flattened()));
    }
    let transfer = test.call_bytes();
    test.observer.event(&IorEvent::WearOut(WearOut {
        transfers_min: wall.transfers_min,
        transfers_max: wall.transfers_max,
        bytes_min: wall.transfers_min * transfer,
        bytes_mean: (all * transfer) as f64 / f64::from(test.rank.comm.size()),
        seconds: at.elapsed_ns as f64 * 1e-9,
    }));
    Ok(())
}
