//! Timelines of records as rates, for a whole phase and for the common time of the parts of a group.
//!
//! Invariant: only complete intervals count, so that each byte stays in the time in which it moved.
//! Never here: requirements for a rate.

use jiff::Timestamp;
use results::folder::Job;
use results::reason::{Reason, reason};
use results::record::{Counts, Moments, Phase};
use results::steady::IntervalSeries;
use units::Dimension;

use crate::index::phases;

/// A time span, seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Span {
    pub(crate) fn seconds(self) -> f64 {
        self.to - self.from
    }

    /// The common part of both spans; its length is negative if there is none.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { from: self.from.max(other.from), to: self.to.min(other.to) }
    }
}

/// The amount in the complete intervals of a time window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WindowAmount {
    /// Bytes or operations, depending on the phase.
    pub(crate) moved: f64,
    /// Length of the intervals, seconds.
    pub(crate) seconds: f64,
}

/// The timeline of a phase without its last interval, which is incomplete; `None` if no interval remains.
pub(crate) fn series(phase: &Phase) -> Option<IntervalSeries<'_>> {
    let timeline = phase.timeline.as_ref()?;
    let interval = timeline.interval_ns as f64 * 1e-9;
    let whole = timeline.bytes.len().checked_sub(1).filter(|whole| *whole > 0 && interval > 0.0)?;
    Some(IntervalSeries { moved: &timeline.bytes, interval, span: whole as f64 * interval })
}

/// The dimension of the timeline of a phase.
pub(crate) fn dimension(phase: &Phase) -> Dimension {
    match phase.counts {
        Counts::Bytes => Dimension::BytesPerSecond,
        Counts::Operations => Dimension::PerSecond,
    }
}

/// The time in which a phase moved data or did operations; `None` if the records do not contain it.
pub(crate) fn of_phase(phase: &Phase) -> Option<Span> {
    let Moments { first_start_unix_ns, last_end_unix_ns, .. } = phase.moments?;
    (first_start_unix_ns > 0).then(|| Span { from: at(first_start_unix_ns), to: at(last_end_unix_ns) })
}

/// The time in which a job was active: in its phases called `name`, or in all phases if there is none. If the
/// records do not contain it, it is the time from its start to its end.
pub(crate) fn of_job(job: &Job, name: &str) -> Option<Span> {
    recorded(job, name).or_else(|| from_start_to_end(job))
}

/// The same by the records alone.
pub(crate) fn recorded(job: &Job, name: &str) -> Option<Span> {
    let named: Vec<&Phase> = phases(job).filter(|phase| phase.phase == name).collect();
    let meant = if named.is_empty() { phases(job).collect() } else { named };
    let spans: Vec<Span> = meant.into_iter().map(of_phase).collect::<Option<_>>()?;
    spans.into_iter().reduce(|all, one| Span { from: all.from.min(one.from), to: all.to.max(one.to) })
}

/// The time from the start to the end of a job, by the campaign's own clock.
pub(crate) fn from_start_to_end(job: &Job) -> Option<Span> {
    let from = job.info.started.parse::<Timestamp>().ok()?.as_duration().as_secs_f64();
    Some(Span { from, to: from + job.info.seconds })
}

/// How much the clocks of a job may differ, seconds.
pub(crate) fn uncertainty_s(job: &Job) -> f64 {
    let each = phases(job).filter_map(|phase| phase.moments).map(|moments| moments.uncertainty_ns);
    each.max().unwrap_or(0) as f64 * 1e-9
}

/// What a phase moved in the complete intervals of its timeline within `span`; `None` if the records do not
/// contain it, an error if no interval fits. If an fsync ends the phase, the amount is never above its rate
/// with the fsync. The timeline has the bytes of calls, which the fsync still has to flush.
pub(crate) fn within(phase: &Phase, span: Span) -> Option<Result<WindowAmount, Reason>> {
    let (timeline, moments, own) = (phase.timeline.as_ref()?, phase.moments?, of_phase(phase)?);
    let (span, interval) = (span.and(own), timeline.interval_ns as f64 * 1e-9);
    let since = |moment: f64| (moment - at(moments.timeline_unix_ns)) / interval;
    // A wall clock in floating point has an error of some hundred nanoseconds.
    let from = (since(span.from) - 1e-3).ceil().max(0.0) as usize;
    let to = (since(span.to) + 1e-3).floor().max(0.0) as usize;
    if interval <= 0.0 || to <= from {
        let common = span.seconds().max(0.0);
        return Some(Err(reason!(CommonTimeTooShort { phase: &phase.phase, interval, common })));
    }
    let moved: u64 = timeline.bytes.iter().take(to).skip(from).sum();
    let seconds = (to - from) as f64 * interval;
    let most = flushed_rate(phase).map_or(f64::INFINITY, |rate| rate * seconds);
    Some(Ok(WindowAmount { moved: (moved as f64).min(most), seconds }))
}

/// Bytes per second with the fsync that ends the phase; `None` if there is none.
fn flushed_rate(phase: &Phase) -> Option<f64> {
    let seconds = phase.spans.transfer_s;
    let is_flushed_at_end = phase.persisted && !phase.persisted_each && seconds > 0.0;
    is_flushed_at_end.then(|| phase.bytes as f64 / seconds)
}

/// A moment, in seconds after the common start of a phase.
pub(crate) fn after_start(phase: &Phase, moment: f64) -> f64 {
    phase.moments.map_or(0.0, |moments| moment - at(moments.timeline_unix_ns))
}

fn at(unix_ns: u64) -> f64 {
    unix_ns as f64 * 1e-9
}
