//! One phase against a limit, over all ranks: rounds of calls, and then the usage that the system shows.

use measure::{Clock, Tick};
use ranks::{Halt, Reduce};
use results::record::{Phase, QuotaRejection, QuotaUnit, QuotaUse};
use serde::{Deserialize, Serialize};
use storage::QuotaLimit;

use super::acting::Acting;
use super::limits::TestedLimit;
use super::tracker::{CALLS, ERRNOS, FLUSH, Rejected};
use super::work::LimitedWork;
use super::{QuotaEvent, QuotaRun};
use crate::kit::drive::Stop;
use crate::kit::failed_call::call_failed;
use crate::kit::operations::{Operating, OperationSetting};
use crate::kit::order::TransferOrder;
use crate::kit::pace::Ending;
use crate::kit::rank::Rank;
use crate::kit::reduce;

/// More items than a rank ever does.
const ITEMS: u64 = 1 << 60;
/// Number of items between two reports of the progress.
const TELL_EVERY: u64 = 512;
/// How often the usage is read until it is as expected.
const LOOK_EVERY: std::time::Duration = std::time::Duration::from_millis(10);
/// The moment of a rank that was not rejected.
const NEVER: u64 = (1 << 62) - 1;

/// How a phase ends.
pub(super) enum Course {
    /// All ranks together may have `most`. What is left of it is divided among the ranks that were not
    /// rejected, at least `least` for each. This ends when nothing is left, or no rank.
    Rounds { most: u64, least: u64 },
    /// After these items the ranks wait for each other.
    Parts(&'static [u64]),
}

/// A phase that has ended.
pub(super) struct StepEnd {
    pub(super) name: &'static str,
    pub(super) phase: Phase,
    pub(super) used: QuotaUse,
    /// What this rank has.
    pub(super) own: u64,
    /// What all ranks have.
    pub(super) held: u64,
    /// How many ranks were rejected.
    pub(super) rejected: u64,
    /// Whether all were.
    pub(super) is_rejected: bool,
    pub(super) is_timed_out: bool,
    /// Whether a flush was rejected on any rank.
    pub(super) is_flush_rejected: bool,
}

impl StepEnd {
    pub(super) fn overshoot(&self) -> u64 {
        self.used.overshoot()
    }

    /// What the ranks had before they cut their files, and have no more.
    pub(super) fn freed(&self) -> u64 {
        self.used.accepted_max - self.used.accepted_end
    }

    /// The errors of rejections other than `EDQUOT`, each with its number of ranks.
    pub(super) fn other_errors(&self) -> Vec<(i32, u64)> {
        let ranks = |errno: i32| {
            let rejections = self.used.rejections.iter().filter(|rejection| rejection.errno == errno);
            rejections.map(|rejection| rejection.ranks).sum()
        };
        ERRNOS[1..].iter().map(|errno| (*errno, ranks(*errno))).filter(|(_, ranks)| *ranks > 0).collect()
    }
}

/// The usage that rank 0 has seen.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Shown {
    used: Option<u64>,
    lag_s: Option<f64>,
    grace_s: u64,
    grace_ends_s: u64,
}

impl QuotaRun<'_, '_> {
    /// Runs a phase and waits for the usage to be shown. Collective.
    pub(super) fn step(
        &mut self,
        name: &'static str,
        limit: &TestedLimit,
        work: &mut dyn LimitedWork,
        course: &Course,
    ) -> Result<StepEnd, Halt> {
        let comm = self.rank.comm;
        let held_before = comm.reduce_one(work.tracker().held, Reduce::Sum)?;
        let mut operating = Operating::begin(self.rank, self.setting(name), None)?;
        let begun = operating.begun();
        let zero_ns = comm.reduce_one(self.rank.since_start_ns(begun), Reduce::Min)?;
        let begun_ns = self.rank.since_start_ns(begun) - zero_ns;
        work.tracker().start(self.rank.clock, begun, begun_ns);
        let is_timed_out = self.work(name, &mut operating, work, course, held_before)?;
        let (acting, home) = (self.request.acting, &self.home);
        let done = operating.end(self.rank, || {
            // The flush is that of the user who works, too.
            let _acting = Acting::begin(acting).map_err(|error| call_failed("setresuid", home, &error))?;
            work.finish()
        })?;
        let ended = Tick(begun.0 + self.rank.clock.scale().ticks((done.seconds * 1e9) as u64));
        let mut end = self.reduced(name, limit, work, (done.phase, held_before))?;
        end.is_timed_out = is_timed_out;
        let shown = self.shown(limit, &end, ended)?;
        end.used = QuotaUse {
            shown: shown.used,
            lag_s: shown.lag_s,
            grace_s: shown.grace_s,
            grace_ends_unix_s: shown.grace_ends_s,
            ..end.used
        };
        end.phase.quota = Some(Box::new(end.used.clone()));
        Ok(end)
    }

    fn setting(&self, name: &str) -> OperationSetting {
        let path = self.home.join("0");
        let path = if name == "create" { path } else { path.join("data") };
        let known = Phase {
            phase: name.to_owned(),
            backend: command::POSIX.to_owned(),
            file_per_rank: true,
            path: path.display().to_string(),
            persisted: name != "create",
            persisted_each: name != "create" && self.request.sync_each,
            ..Phase::default()
        };
        OperationSetting { known, keep_going: false }
    }

    /// Does the calls of this rank, as the user who works. Returns whether the time of the step passed on any
    /// rank. Collective.
    fn work(
        &mut self,
        name: &'static str,
        operating: &mut Operating,
        work: &mut dyn LimitedWork,
        course: &Course,
        mut held: u64,
    ) -> Result<bool, Halt> {
        let acting = Acting::begin(self.request.acting);
        if let Err(error) = &acting {
            operating.fail(self.rank, call_failed("setresuid", &self.home, error));
        }
        let timeout_ns = (self.request.timeout_s * 1e9) as u64;
        let deadline = Tick(operating.begun().0 + self.rank.clock.scale().ticks(timeout_ns));
        let mut order = TransferOrder::items(ITEMS);
        let (mut reached, mut free) = (0, u64::from(self.rank.comm.size()));
        let parts = if let Course::Parts(parts) = course { *parts } else { &[ITEMS][..] };
        for stop in parts.iter().cycle() {
            if let Course::Rounds { most, least } = course {
                let tracker = work.tracker();
                tracker.allowed = tracker.held + most.saturating_sub(held).div_ceil(free).max(*least);
            }
            let stop = Stop { transfers: *stop, deadline };
            let (at, ending) = self.turn(name, operating, work, &mut order, (reached, stop));
            reached = at;
            let has_failed = operating.has_failed() || self.rank.comm.alarm_raised();
            let is_late = ending == Ending::Deadline;
            let tracker = work.tracker();
            let is_free = tracker.is_free();
            let mut sums = [tracker.held, is_free.into(), has_failed.into(), is_late.into()];
            self.rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
            let [failed, late] = [sums[2], sums[3]].map(|ranks| ranks > 0);
            (held, free) = (sums[0], sums[1]);
            let is_done = match course {
                Course::Rounds { most, .. } => free == 0 || held >= *most,
                Course::Parts(parts) => parts.last() == Some(&stop.transfers),
            };
            if is_done || failed || late {
                return Ok(late && !is_done);
            }
        }
        Ok(false)
    }

    /// The calls of this rank until its turn ends. Reports the progress from time to time. Returns the number
    /// of items reached and why it ended.
    fn turn(
        &mut self,
        name: &'static str,
        operating: &mut Operating,
        work: &mut dyn LimitedWork,
        order: &mut TransferOrder,
        (mut reached, whole): (u64, Stop),
    ) -> (u64, Ending) {
        loop {
            let stop = Stop { transfers: whole.transfers.min(reached + TELL_EVERY), ..whole };
            let (at, ending) = operating.run(self.rank, work, order, reached, stop);
            reached = at;
            let tracker = work.tracker();
            let (done, of) = (tracker.held, tracker.allowed);
            self.observer.event(&QuotaEvent::Going { phase: name, done, of });
            if ending != Ending::Complete || at < stop.transfers || at == whole.transfers {
                return (reached, ending);
            }
        }
    }

    /// The phase over all ranks. Collective.
    fn reduced(
        &mut self,
        name: &'static str,
        limit: &TestedLimit,
        work: &mut dyn LimitedWork,
        (phase, held_before): (Phase, u64),
    ) -> Result<StepEnd, Halt> {
        let comm = self.rank.comm;
        let tracker = work.tracker();
        let (own, rejected) = (tracker.held, tracker.rejected);
        let mut sums = vec![tracker.held, tracker.held_max];
        sums.extend(counted(rejected));
        comm.all_reduce(&mut sums, Reduce::Sum)?;
        let (held, held_max) = (sums[0], sums[1]);
        let first_ns = comm.reduce_one(rejected.map_or(NEVER, |rejected| rejected.at_ns), Reduce::Min)?;
        let last_ns = comm.reduce_one(rejected.map_or(0, |rejected| rejected.at_ns), Reduce::Max)?;
        let room = limit.limit.saturating_sub(limit.used).saturating_sub(held_before);
        // The system may use the last bytes itself. The ranks then waited since they got all that they could.
        let reached = tracker.reached(comm, room.min(held_max - held_before))?;
        let seconds = |ns: u64| ns as f64 * 1e-9;
        let rejections = rejections(&sums[2..]);
        let rejected: u64 = rejections.iter().map(|rejection| rejection.ranks).sum();
        let is_rejected = rejected == u64::from(comm.size());
        let used = QuotaUse {
            of: self.request.of.word().to_owned(),
            id: self.id,
            unit: limit.unit,
            limit: limit.limit,
            soft: limit.soft,
            stated: limit.stated,
            used_before: limit.used,
            accepted_max: held_max,
            accepted_end: held,
            rejections,
            reached_s: reached.map(|(from, _)| seconds(from)),
            reached_within_s: reached.map_or(0.0, |(_, length)| length as f64 * 1e-9),
            first_rejection_s: (rejected > 0).then(|| seconds(first_ns)),
            last_rejection_s: is_rejected.then(|| seconds(last_ns)),
            ..QuotaUse::default()
        };
        let bytes = if limit.unit == QuotaUnit::Bytes { held_max - held_before } else { 0 };
        let phase = Phase { bytes, expected_bytes: bytes, ..phase };
        let is_flush_rejected = used.rejections.iter().any(|rejection| rejection.call == FLUSH);
        let is_timed_out = false;
        Ok(StepEnd { name, phase, used, own, held, rejected, is_rejected, is_timed_out, is_flush_rejected })
    }

    /// Waits until the system shows the usage after a phase. `ended` is when the phase ended on this rank.
    /// Collective.
    fn shown(&mut self, limit: &TestedLimit, end: &StepEnd, ended: Tick) -> Result<Shown, Halt> {
        if !limit.shown {
            return Ok(Shown::default());
        }
        let held = limit.used.saturating_add(end.held);
        let is_cut = end.freed() > 0;
        // The system also counts its own blocks for a file, which it had shown before the cut.
        let most = held.saturating_add(self.own_blocks);
        let is_there = |used: u64| if is_cut { used <= most } else { used >= held };
        let seen = reduce::from_rank_0(self.rank.comm, "usage", || {
            let mut shown = Shown::default();
            loop {
                let system = limit.of_system(&self.system_limits()?);
                let QuotaLimit { used, grace_s, grace_ends_s, .. } = system;
                let passed_s = seconds_since(self.rank, ended);
                shown = Shown { used: Some(used), grace_s, grace_ends_s, ..shown };
                if is_there(used) {
                    return Ok::<_, String>(Shown { lag_s: Some(passed_s), ..shown });
                }
                if passed_s > self.request.wait_s {
                    return Ok(shown);
                }
                std::thread::sleep(LOOK_EVERY);
            }
        })?;
        if let Some(used) = seen.used {
            self.own_blocks = used.saturating_sub(held);
        }
        Ok(seen)
    }
}

/// The time since a moment on this rank's clock, seconds.
fn seconds_since(rank: &Rank<'_>, moment: Tick) -> f64 {
    rank.clock.scale().ns(rank.clock.now().0.saturating_sub(moment.0)) as f64 * 1e-9
}

/// One number for each call and error: 1 for the rejection of this rank.
fn counted(rejected: Option<Rejected>) -> [u64; CALLS.len() * ERRNOS.len()] {
    let mut counts = [0; CALLS.len() * ERRNOS.len()];
    if let Some(Rejected { call, errno, .. }) = rejected {
        counts[call * ERRNOS.len() + errno] = 1;
    }
    counts
}

/// The rejections that were counted.
fn rejections(counts: &[u64]) -> Vec<QuotaRejection> {
    let counted = counts.iter().enumerate().filter(|(_, ranks)| **ranks > 0);
    let rejection = |(place, ranks): (usize, &u64)| QuotaRejection {
        call: CALLS[place / ERRNOS.len()].to_owned(),
        errno: ERRNOS[place % ERRNOS.len()],
        ranks: *ranks,
    };
    counted.map(rejection).collect()
}
