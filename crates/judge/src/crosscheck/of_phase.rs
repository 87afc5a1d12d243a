//! Whether the numbers of one phase agree with each other.
//!
//! Never here: other phases, and the job.

use measure::Histogram;

use super::{Stated, is_longer, is_same, shown_s};
use results::folder::Job;
use results::reason::Reason;
use results::record::{Column, Counts, EachRank, Latency, Moments, Phase, Window};

/// The most by which the end of a walker may precede the end of its phase, seconds: the rank may lose its
/// processor in between.
const WALKER_END_S: f64 = 0.05;
/// The clock of a rank differs from those of the kernel by at most this share, or its clause is INVALID.
const PACE: f64 = 0.01;
/// The largest difference of a mean from the buckets of its values: the sum is rounded.
const ROUNDED: f64 = 1e-6;

/// The first two facts of a phase that contradict each other, if any.
pub(super) fn contradiction(job: &Job, phase: &Phase) -> Option<Reason> {
    let found = spans(phase)
        .or_else(|| phase.each_rank.as_ref().and_then(|each| ranks(phase, each)))
        .or_else(|| phase.window.as_ref().and_then(|window| common_window(phase, window)))
        .or_else(|| known_moments(phase).and_then(|known| moments(phase, &known)))
        .or_else(|| timeline(phase))
        .or_else(|| phase.latency.as_ref().and_then(|latency| latencies(phase, latency)));
    let ((one, value), other) = found?;
    let one = format!("{one} of {}", phase.phase);
    Some(super::contradiction(job, (&one, value), other))
}

/// Two facts that contradict each other.
type Disagreement = (Stated<'static>, Stated<'static>);

fn times((one, value): (&'static str, f64), (other, other_value): (&'static str, f64)) -> Disagreement {
    ((one, shown_s(value)), (other, shown_s(other_value)))
}

fn counts((one, value): (&'static str, u128), (other, other_value): (&'static str, u128)) -> Disagreement {
    ((one, value.to_string()), (other, other_value.to_string()))
}

fn seconds(ns: u64) -> f64 {
    ns as f64 * 1e-9
}

/// The moments of a phase, if they are known.
pub(super) fn known_moments(phase: &Phase) -> Option<Moments> {
    phase.moments.filter(|moments| moments.first_start_unix_ns > 0)
}

/// How much the clocks of ranks may differ, seconds.
fn uncertainty_s(phase: &Phase) -> f64 {
    known_moments(phase).map_or(0.0, |moments| seconds(moments.uncertainty_ns))
}

/// The whole phase lasts at least as long as each of its parts, and as each rank worked. The kernel's clocks
/// measured at least the same time.
fn spans(phase: &Phase) -> Option<Disagreement> {
    let (spans, uncertainty_s) = (&phase.spans, uncertainty_s(phase));
    // Files are opened before a ramp, and the total time begins after it.
    let open_s = if phase.ramp_s > 0.0 { 0.0 } else { spans.open_s };
    let parts = [
        ("spans.open_s", open_s),
        ("spans.transfer_s", spans.transfer_s),
        ("spans.close_s", spans.close_s),
        ("balance.seconds_max", phase.balance.seconds_max),
    ];
    if let Some(part) = parts.into_iter().find(|(_, part)| is_longer(*part, spans.total_s, uncertainty_s)) {
        return Some(times(("spans.total_s", spans.total_s), part));
    }
    let (transfer, longest) = (spans.transfer_s, phase.balance.seconds_max);
    if is_longer(longest, transfer, uncertainty_s) {
        return Some(times(("spans.transfer_s", transfer), ("balance.seconds_max", longest)));
    }
    let kernel_s = phase.pace.filter(|pace| pace.seconds > 0.0)?.seconds;
    is_longer(transfer, kernel_s, PACE * kernel_s + uncertainty_s)
        .then(|| times(("spans.transfer_s", transfer), ("pace.seconds", kernel_s)))
}

/// What a phase counts: the field with its value.
fn total(phase: &Phase) -> (&'static str, u64) {
    match phase.counts {
        Counts::Bytes => ("bytes", phase.bytes),
        Counts::Operations => ("ops", phase.ops),
    }
}

/// Operations that failed; they are in the timeline and in the latencies.
fn failed(phase: &Phase) -> u128 {
    phase.failed.as_ref().map_or(0, |failed| failed.operations.into())
}

/// The sum, the extremes, the rates and the times of all ranks.
fn ranks(phase: &Phase, each: &EachRank) -> Option<Disagreement> {
    let moved = || column(&each.moved, each.ranks);
    let sum = moved().map(u128::from).sum::<u128>();
    let (field, total) = total(phase);
    if !each.moved.is_empty() && sum != u128::from(total) {
        return Some(counts((field, total.into()), ("sum of each_rank.moved", sum)));
    }
    let balance = &phase.balance;
    for (field, stated, found) in [
        ("balance.bytes_min", balance.bytes_min, moved().min()),
        ("balance.bytes_max", balance.bytes_max, moved().max()),
    ] {
        if let Some(found) = found.filter(|found| *found != stated) {
            return Some(counts((field, stated.into()), ("extreme of each_rank.moved", found.into())));
        }
    }
    let seconds = || column(&each.seconds, each.ranks);
    let (shortest, longest) = seconds().reduce(f64::min).zip(seconds().reduce(f64::max))?;
    let pairs = [
        ("balance.seconds_max", balance.seconds_max, longest),
        ("balance.seconds_min", balance.seconds_min, shortest),
    ];
    let other = pairs.into_iter().find(|(_, stated, found)| !is_same(*stated, *found, 0.0));
    if let Some((field, stated, found)) = other {
        return Some(times((field, stated), ("extreme of each_rank.seconds", found)));
    }
    slowest(phase, each)
        .or_else(|| ends(phase, each))
        .or_else(|| opened_and_closed(phase, each))
        .or_else(|| percentiles(phase, each))
        .or_else(|| kernel(phase, each))
}

/// The slowest rank is the slowest of all ranks.
fn slowest(phase: &Phase, each: &EachRank) -> Option<Disagreement> {
    // Ranks without work have no rate, and ranks whose operations failed have the rate 0.
    let is_left_out = |moved: u64| moved == 0 && phase.counts == Counts::Operations;
    if phase.failed.is_some() {
        return None;
    }
    // Seconds are rounded up to microseconds, and the rate is rounded down.
    let rates = (0..each.ranks).filter_map(|rank| {
        let (moved, seconds) = (each.moved.of(rank)?, each.seconds.of(rank)?);
        let most = moved as f64 / (seconds - 1.1e-6).max(1e-9);
        (!is_left_out(moved)).then_some((moved as f64 / seconds.max(1e-9), most))
    });
    let (least, most) = rates.reduce(|all, one| (all.0.min(one.0), all.1.min(one.1)))?;
    let stated = phase.balance.slowest_rate;
    let allowed = least * (1.0 - SAME_RATE) - 1.0..=most * (1.0 + SAME_RATE) + 1.0;
    let shown = |rate: f64| format!("{rate} per second");
    (!allowed.contains(&stated))
        .then(|| (("balance.slowest_rate", shown(stated)), ("lowest rate in each_rank", shown(least))))
}

/// The largest difference of two computations of one rate.
const SAME_RATE: f64 = 1e-6;

/// Every rank worked within the phase.
fn ends(phase: &Phase, each: &EachRank) -> Option<Disagreement> {
    let uncertainty_s = uncertainty_s(phase);
    let from = phase.began_s;
    // After a ramp the total time has another begin.
    let until = if phase.ramp_s > 0.0 { f64::INFINITY } else { from + phase.spans.total_s };
    (0..each.ranks).find_map(|rank| {
        let (ended, seconds) = (each.ended_s.of(rank)?, each.seconds.of(rank)?);
        let [open, close] = [&each.open_s, &each.close_s].map(|column| column.of(rank).unwrap_or(0.0));
        let (begin, end) = (ended - seconds - open, ended + close);
        if is_longer(from, begin, uncertainty_s) {
            return Some(times(("began_s", from), ("begin of a rank in each_rank", begin)));
        }
        is_longer(end, until, uncertainty_s)
            .then(|| times(("end", until), ("end of a rank in each_rank", end)))
    })
}

/// No rank opened or closed its file longer than all together.
fn opened_and_closed(phase: &Phase, each: &EachRank) -> Option<Disagreement> {
    let spans = &phase.spans;
    let pairs = [
        ("spans.open_s", spans.open_s, "longest in each_rank.open_s", &each.open_s),
        ("spans.close_s", spans.close_s, "longest in each_rank.close_s", &each.close_s),
    ];
    pairs.into_iter().find_map(|(field, stated, of_ranks, seconds)| {
        let longest = column(seconds, each.ranks).reduce(f64::max)?;
        // With one rank they are the same times.
        let differs = is_longer(longest, stated, uncertainty_s(phase))
            || each.ranks == 1 && phase.ramp_s == 0.0 && !is_same(longest, stated, uncertainty_s(phase));
        differs.then(|| times((field, stated), (of_ranks, longest)))
    })
}

/// A percentile of all latencies is between the lowest and the highest of the single ranks.
fn percentiles(phase: &Phase, each: &EachRank) -> Option<Disagreement> {
    let made = phase.latency.as_ref()?.histogram();
    let columns = [
        ("95th percentile of latency.buckets", 0.95, "extreme of each_rank.p95_ns", &each.p95_ns),
        ("99th percentile of latency.buckets", 0.99, "extreme of each_rank.p99_ns", &each.p99_ns),
    ];
    columns.into_iter().find_map(|(field, share, of_ranks, stated)| {
        let all = made.quantile(share);
        let each = || column(stated, each.ranks);
        let (least, most) = each().min().zip(each().max())?;
        let wrong = if is_above(all, most) { most } else { least };
        (is_above(all, most) || is_above(least, all))
            .then(|| counts((field, all.into()), (of_ranks, wrong.into())))
    })
}

/// Whether one quantile is above another by more than a bucket is wide.
fn is_above(one: u64, other: u64) -> bool {
    one > other.saturating_add(other / 100 + 1)
}

/// The kernel's bytes of all processes are at least those of the ranks, which were read at the same moment.
fn kernel(phase: &Phase, each: &EachRank) -> Option<Disagreement> {
    let all = phase.kernel.as_ref()?;
    let columns = [
        ("kernel.read_bytes", all.read_bytes, "sum of each_rank.kernel_read", &each.kernel_read),
        ("kernel.written_bytes", all.written_bytes, "sum of each_rank.kernel_written", &each.kernel_written),
    ];
    columns.into_iter().find_map(|(field, stated, of_ranks, bytes)| {
        let sum: u128 = column(bytes, each.ranks).map(u128::from).sum();
        (sum > u128::from(stated)).then(|| counts((field, stated.into()), (of_ranks, sum)))
    })
}

/// The values of a column, one for each rank. A single value applies to all ranks.
fn column<T: Copy + PartialEq>(column: &Column<T>, ranks: u32) -> impl Iterator<Item = T> {
    (0..ranks).filter_map(|rank| column.of(rank))
}

/// The window in which all ranks were active is a part of the phase. It is not shorter than the work of the
/// rank that ended first.
fn common_window(phase: &Phase, window: &Window) -> Option<Disagreement> {
    let (transfer, shortest) = (phase.spans.transfer_s, phase.balance.seconds_min);
    let uncertainty_s = uncertainty_s(phase);
    if window.ops > phase.ops {
        return Some(counts(("window.ops", window.ops.into()), ("ops", phase.ops.into())));
    }
    if is_longer(window.seconds, transfer, uncertainty_s) {
        return Some(times(("window.seconds", window.seconds), ("spans.transfer_s", transfer)));
    }
    is_longer(shortest, window.seconds, WALKER_END_S + uncertainty_s)
        .then(|| times(("window.seconds", window.seconds), ("balance.seconds_min", shortest)))
}

/// The wall clock measured the same time.
fn moments(phase: &Phase, moments: &Moments) -> Option<Disagreement> {
    let between = |from: u64, to: u64| (i128::from(to) - i128::from(from)) as f64 * 1e-9;
    let found = between(moments.first_start_unix_ns, moments.last_end_unix_ns);
    let transfer = phase.spans.transfer_s;
    (!is_same(transfer, found, uncertainty_s(phase)))
        .then(|| times(("spans.transfer_s", transfer), ("time between the moments", found)))
}

/// The timeline has what was moved, and lasts as long as the transfers.
fn timeline(phase: &Phase) -> Option<Disagreement> {
    let timeline = phase.timeline.as_ref()?;
    let sum: u128 = timeline.bytes.iter().map(|amount| u128::from(*amount)).sum();
    let (field, total) = total(phase);
    let more = if phase.counts == Counts::Operations { failed(phase) } else { 0 };
    if sum < u128::from(total) || sum > u128::from(total) + more {
        return Some(counts((field, total.into()), ("sum of the timeline", sum)));
    }
    let interval_s = seconds(timeline.interval_ns);
    if let Some(moments) = known_moments(phase).filter(|moments| moments.timeline_unix_ns > 0) {
        let lasts = i128::from(moments.last_end_unix_ns) - i128::from(moments.timeline_unix_ns);
        let lasts = lasts as f64 * 1e-9;
        let before_last = timeline.bytes.len().saturating_sub(1) as f64 * interval_s;
        if is_longer(before_last, lasts.max(0.0), uncertainty_s(phase)) {
            let lasts = ("time from the timeline's start to the last end", lasts);
            return Some(times(lasts, ("length of the timeline", before_last)));
        }
    }
    let (busy, length) = (busy_s(phase)?, timeline.bytes.len() as f64 * interval_s);
    is_longer(busy, length, uncertainty_s(phase))
        .then(|| times(("length of the timeline", length), ("time in transfers of a rank", busy)))
}

/// The mean time that a rank spent in transfers; `None` if latencies begin before their transfers do.
fn busy_s(phase: &Phase) -> Option<f64> {
    let latency = phase.latency.as_ref().filter(|_| phase.rate_limit.is_none())?;
    let slots = f64::from(phase.ranks.max(1)) * f64::from(phase.depth.max(1));
    let busy = latency.mean_ns * 1e-9 * latency.count as f64 / slots;
    // The latency of a transfer that began within the ramp counts whole.
    Some(if phase.ramp_s > 0.0 { busy - seconds(latency.max_ns) } else { busy })
}

/// The latencies are those of the transfers, and no rank spent more time in them than it worked.
fn latencies(phase: &Phase, latency: &Latency) -> Option<Disagreement> {
    let (ops, count) = (u128::from(phase.ops), u128::from(latency.count));
    if count < ops || count > ops + failed(phase) {
        return Some(counts(("ops", ops), ("latency.count", count)));
    }
    if let Some(found) = histogram(latency) {
        return Some(found);
    }
    let busy = busy_s(phase)?;
    let each = phase.each_rank.as_ref().filter(|each| !each.seconds.is_empty());
    let (field, worked) = match each {
        Some(each) => {
            let sum = column(&each.seconds, each.ranks).sum::<f64>();
            ("mean of each_rank.seconds", sum / f64::from(each.ranks.max(1)))
        }
        None => ("spans.total_s", phase.spans.total_s),
    };
    if is_longer(busy, worked, uncertainty_s(phase)) {
        return Some(times((field, worked), ("time in transfers of a rank", busy)));
    }
    let (longest, total) = (seconds(latency.max_ns), phase.spans.total_s + phase.ramp_s);
    (phase.rate_limit.is_none() && is_longer(longest, total, uncertainty_s(phase)))
        .then(|| times(("spans.total_s", total), ("latency.max_ns", longest)))
}

/// Count, quantiles, extremes and mean are those of the buckets.
fn histogram(latency: &Latency) -> Option<Disagreement> {
    let sum: u128 = latency.buckets.iter().map(|(_, count)| u128::from(*count)).sum();
    if sum != u128::from(latency.count) {
        return Some(counts(("latency.count", latency.count.into()), ("sum of latency.buckets", sum)));
    }
    let Latency { min_ns, max_ns, mean_ns, .. } = *latency;
    let made = latency.histogram();
    let quantiles = [
        ("latency.p50_ns", latency.p50_ns, 0.5),
        ("latency.p90_ns", latency.p90_ns, 0.9),
        ("latency.p99_ns", latency.p99_ns, 0.99),
        ("latency.p999_ns", latency.p999_ns, 0.999),
    ];
    for (field, stated, share) in quantiles {
        let found = made.quantile(share);
        if is_above(found, stated) || is_above(stated, found) {
            return Some(counts((field, stated.into()), ("quantile of latency.buckets", found.into())));
        }
    }
    let filled = || latency.buckets.iter().filter(|(_, count)| *count > 0);
    let (first, last) = (filled().next()?.0, filled().next_back()?.0);
    for (field, stated, low) in [("latency.min_ns", min_ns, first), ("latency.max_ns", max_ns, last)] {
        if !bucket(low).contains(&stated) {
            return Some(counts((field, stated.into()), ("its bucket of latency.buckets", low.into())));
        }
    }
    let mean = |edge: &dyn Fn(u64) -> u64| {
        filled().map(|(low, count)| edge(*low) as f64 * *count as f64).sum::<f64>() / latency.count as f64
    };
    let allowed = mean(&|low| low) * (1.0 - ROUNDED)..=mean(&|low| *bucket(low).end()) * (1.0 + ROUNDED);
    (!allowed.contains(&mean_ns)).then(|| {
        times(("latency.mean_ns", mean_ns * 1e-9), ("mean of latency.buckets", allowed.start() * 1e-9))
    })
}

/// The values of the bucket with this lower edge. The last bucket has all longer values.
fn bucket(low: u64) -> std::ops::RangeInclusive<u64> {
    let is_last = low >= Histogram::lower_bound(Histogram::BUCKETS - 1);
    // A bucket is at most 0.8 % wide.
    low..=if is_last { u64::MAX } else { low + low / 127 }
}
