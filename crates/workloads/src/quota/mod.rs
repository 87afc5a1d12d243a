//! Ranks write, grow and create files until a quota rejects it.
//!
//! All files are in a new directory, one directory of each rank in it. Phases `write`, `truncate`, `rewrite`
//! and `create` each end with the state of the limit. Before, at each limit and at the end a file of others
//! is written. docs/explanation/quota.md defines the numbers.
//!
//! Invariant: only what this run made is removed, also after a failure. No limit is set.
//! Never here: the command line, text for people.

mod acting;
mod files;
mod limits;
mod others;
mod step;
#[cfg(test)]
mod tests;
mod tracker;
mod work;

use std::path::PathBuf;

use command::quota::{QuotaRequest, most_beyond};
use measure::{Clock, unix_seconds};
use ranks::{Halt, Reduce};
use results::reason::{Reason, reason};
use results::record::{Phase, QuotaUnit};
use rustix::io::Errno;
use storage::{Names, QuotaLimits, Storage};
use units::{Dimension, Quantity};

use crate::kit::failed_call::words;
use crate::kit::observer::EventObserver;
use crate::kit::rank::Rank;
use crate::kit::reduce;
use files::RankPlace;
use others::Moment;
use step::{Course, StepEnd};
use tracker::Tracker;
use work::{Creating, Cutting, RankFile, Writing};

pub use files::home;
pub use limits::TestedLimit;

/// The step of a halt that rejects the request: nothing was tested.
pub const REJECTED: &str = "rejected";

/// One event on rank 0.
#[derive(Debug)]
pub enum QuotaEvent<'a> {
    /// The limits are known.
    Started {
        /// Number of ranks.
        ranks: u32,
        /// Number of nodes.
        nodes: u32,
        /// The user, group or project, if it is known.
        id: Option<u32>,
        /// Those of bytes and of inodes.
        limits: [Option<TestedLimit>; 2],
    },
    /// Progress of rank 0.
    Going {
        /// The phase.
        phase: &'a str,
        /// Bytes or inodes that the rank has.
        done: u64,
        /// The most that it may have.
        of: u64,
    },
    /// A phase has ended.
    Ended(&'a Phase),
    /// A file of others was written.
    Others {
        /// When.
        moment: &'static str,
        /// Why not.
        error: Option<&'a str>,
    },
    /// A notice for the reader of the numbers; also recorded.
    Notice(&'a Reason),
}

/// Receives the events of a run.
pub type QuotaListener<'o> = dyn for<'e> EventObserver<QuotaEvent<'e>> + 'o;

/// One rank of a run.
struct QuotaRun<'q, 'r> {
    request: &'q QuotaRequest,
    storage: &'q dyn Storage,
    names: &'q dyn Names,
    rank: &'q mut Rank<'r>,
    observer: &'q mut QuotaListener<'q>,
    /// The directory of this run.
    home: PathBuf,
    id: Option<u32>,
    /// What the system showed beyond the data after the last phase.
    own_blocks: u64,
    /// How often a file of others was written.
    probes: u32,
    is_kept: bool,
}

/// Runs `request` on every rank. Returns whether the quota was kept and no others were rejected; the same on
/// all ranks. Collective.
pub fn run(
    request: &QuotaRequest,
    storage: &dyn Storage,
    rank: &mut Rank<'_>,
    observer: &mut QuotaListener<'_>,
) -> Result<bool, Halt> {
    let names = storage.names().ok_or("this backend has no files and directories");
    let names = rank.comm.agree("backend", names)?;
    let (home, id) = (home(&request.dir), None);
    let (own_blocks, probes, is_kept) = (0, 0, true);
    let mut run = QuotaRun { request, storage, names, rank, observer, home, id, own_blocks, probes, is_kept };
    run.make_home()?;
    let mut place = RankPlace::new(&run.home, run.rank.comm.rank());
    let done = run.test(&mut place);
    let removed = run.remove(&mut place);
    done?;
    removed?;
    run.others(Moment::AtEnd)?;
    Ok(run.is_kept)
}

impl QuotaRun<'_, '_> {
    fn test(&mut self, place: &mut RankPlace) -> Result<(), Halt> {
        let mut file = self.make_files(place)?;
        self.id = self.common_id(place)?;
        let limits = self.limits()?;
        let (ranks, nodes) = (self.rank.comm.size(), self.rank.node.count);
        self.observer.event(&QuotaEvent::Started { ranks, nodes, id: self.id, limits });
        for reason in self.rank.node_notices() {
            self.observer.event(&QuotaEvent::Notice(&reason));
        }
        self.others(Moment::Before)?;
        let [bytes, inodes] = limits;
        if let Some(bytes) = bytes {
            self.test_bytes(&bytes, &mut file)?;
        }
        // The space of the data may be needed for the names of empty files.
        drop(file);
        self.remove_data(place)?;
        if let Some(inodes) = inodes {
            let used = inodes.used.saturating_sub(self.rank.comm.size().into());
            self.create(&TestedLimit { used, ..inodes }, place)?;
        }
        Ok(())
    }

    /// Writes, cuts and writes again.
    fn test_bytes(&mut self, limit: &TestedLimit, file: &mut RankFile) -> Result<(), Halt> {
        let written = self.write("write", limit, file, 0)?;
        self.rejected_in_time(&written)?;
        self.others(Moment::AtBytes)?;
        if !written.is_rejected {
            return Ok(());
        }
        let tracker = self.tracker(written.own);
        let mut cutting = Cutting { names: self.names, file: &mut *file, tracker, call: "truncate" };
        let cut = self.step("truncate", limit, &mut cutting, &Course::Parts(&Cutting::ITEMS))?;
        self.record(&cut)?;
        if cut.is_timed_out {
            return self.rejected_in_time(&cut);
        }
        let all = u64::from(self.rank.comm.size()).saturating_mul(self.request.transfer);
        let most = most_beyond(limit.limit, self.request.beyond, all);
        if cut.overshoot() > written.overshoot() && (cut.rejected == 0 || cut.overshoot() > most) {
            self.not_enforced(&cut)?;
        }
        self.rewrite(limit, file, &cut)
    }

    /// Writes until all ranks are rejected, or have what they may have.
    fn write(
        &mut self,
        name: &'static str,
        limit: &TestedLimit,
        file: &mut RankFile,
        held: u64,
    ) -> Result<StepEnd, Halt> {
        let least = self.request.transfer;
        let mut writing = Writing { file, tracker: self.tracker(held), call: "write" };
        let end = self.step(name, limit, &mut writing, &self.rounds(limit, least))?;
        // If a rewrite finds no free space, it is repeated and not recorded.
        if name == "write" {
            self.record(&end)?;
        }
        Ok(end)
    }

    /// Writes into the space that a cut has freed, as soon as the system lets the ranks use it.
    fn rewrite(&mut self, limit: &TestedLimit, file: &mut RankFile, cut: &StepEnd) -> Result<(), Halt> {
        let begun_ns = self.rank.clock.ns();
        loop {
            let end = self.write("rewrite", limit, file, cut.own)?;
            let nothing = end.held == cut.held && end.is_rejected;
            // Rank 0's time decides, so that all ranks do the same.
            let waited_s = (self.rank.clock.ns() - begun_ns) as f64 * 1e-9;
            let waits = self.rank.comm.rank() == 0 && waited_s < self.request.wait_s;
            if nothing && self.rank.comm.reduce_one(waits.into(), Reduce::Max)? > 0 {
                std::thread::sleep(RETRY_AFTER);
                continue;
            }
            self.record(&end)?;
            if nothing && cut.freed() > 0 {
                let reason = reason!(QuotaNotFreed { waited: self.request.wait_s, .. });
                self.fault("rewrite", reason)?;
            }
            return self.rejected_in_time(&end);
        }
    }

    fn create(&mut self, limit: &TestedLimit, place: &mut RankPlace) -> Result<(), Halt> {
        let (path, dir) = place.empty_files();
        let mut creating = Creating { names: self.names, path, dir, tracker: self.tracker(0) };
        let end = self.step("create", limit, &mut creating, &self.rounds(limit, 1));
        // Also after a failure these files are removed.
        place.created = creating.tracker.held;
        let end = end?;
        self.record(&end)?;
        self.rejected_in_time(&end)?;
        self.others(Moment::AtInodes)
    }

    /// Rounds until the ranks have reached the end above the limit.
    fn rounds(&self, limit: &TestedLimit, least: u64) -> Course {
        let all = u64::from(self.rank.comm.size()).saturating_mul(least);
        let beyond = most_beyond(limit.limit, self.request.beyond, all);
        Course::Rounds { most: limit.limit.saturating_sub(limit.used).saturating_add(beyond), least }
    }

    fn tracker(&self, held: u64) -> Tracker {
        Tracker::new(held, self.rank.clock)
    }

    /// Reports ranks that were not rejected, and rejections that are not those of a limit that was reached.
    fn rejected_in_time(&mut self, end: &StepEnd) -> Result<(), Halt> {
        let phase = end.name;
        let ranks = u64::from(self.rank.comm.size());
        if end.is_timed_out {
            self.is_kept = false;
            let reason = reason!(QuotaNotReached { timeout: self.request.timeout_s, .. });
            self.notice(phase, reason)?;
        } else if !end.is_rejected {
            self.not_enforced(end)?;
        }
        for (errno, rejected) in end.other_errors() {
            let error = results::record::error_name(errno);
            self.notice(phase, reason!(QuotaErrno { ranks: rejected, error, .. }))?;
        }
        let used = &end.used;
        if used.passed_soft() && used.shown.is_some() && used.grace_ends_unix_s == 0 {
            self.notice(phase, reason!(GraceNotStarted { .. }))?;
        }
        let full = used.used_before.saturating_add(used.accepted_max).max(used.shown.unwrap_or(0));
        let unused = used.limit.saturating_sub(full);
        let least = if used.unit == QuotaUnit::Bytes { self.request.transfer } else { 1 };
        // A transfer that does not fit may be rejected as a whole.
        let least = ranks.saturating_mul(least);
        if end.is_rejected && unused > least {
            // So far below, another limit or a full file system rejected: this one was not tested.
            self.is_kept &= unused <= most_beyond(used.limit, self.request.beyond, least);
            self.notice(phase, reason!(QuotaEarly { unused: amount(used.unit, unused), .. }))?;
        }
        Ok(())
    }

    fn not_enforced(&mut self, end: &StepEnd) -> Result<(), Halt> {
        let beyond = amount(end.used.unit, end.overshoot());
        let ranks = self.rank.comm.size();
        self.fault(end.name, reason!(QuotaNotEnforced { rejected: end.rejected, ranks, beyond, .. }))
    }

    /// A fault of the storage system.
    fn fault(&mut self, phase: &'static str, reason: Reason) -> Result<(), Halt> {
        self.is_kept = false;
        self.notice(phase, reason)
    }

    fn notice(&mut self, phase: &'static str, reason: Reason) -> Result<(), Halt> {
        let reason = reason.with(results::reason::any::phase, phase);
        self.observer.event(&QuotaEvent::Notice(&reason));
        self.rank.notice(0, phase, &reason)
    }

    /// Records a phase, and that its usage is not shown.
    fn record(&mut self, end: &StepEnd) -> Result<(), Halt> {
        self.observer.event(&QuotaEvent::Ended(&end.phase));
        self.rank.record_phase(&end.phase)?;
        let used = &end.used;
        let Some(shown) = used.shown.filter(|_| used.lag_s.is_none()) else { return Ok(()) };
        let expected = amount(used.unit, used.used_before.saturating_add(end.held));
        let waited = self.request.wait_s;
        let reason = reason!(QuotaNotShown { waited, used: amount(used.unit, shown), expected, .. });
        // What a flush rejected was accepted by a client only.
        if end.is_flush_rejected {
            return self.notice(end.name, reason);
        }
        self.fault(end.name, reason)
    }

    /// The user, group or project of the files, if it is the same on all ranks.
    fn common_id(&self, place: &RankPlace) -> Result<Option<u32>, Halt> {
        let comm = self.rank.comm;
        let found = self.storage.quotas().map(|quotas| quotas.id_of(place.data.as_path(), self.request.of));
        let number = found.and_then(Result::ok).map_or(0, |id| u64::from(id) + 1);
        let mut extremes = [number, u64::from(u32::MAX) + 1 - number];
        comm.all_reduce(&mut extremes, Reduce::Max)?;
        let is_same = extremes[0] == u64::from(u32::MAX) + 1 - extremes[1];
        let differs = format!("the files of the ranks belong to a different {}", self.request.of.word());
        comm.agree(REJECTED, is_same.then_some(()).ok_or(differs))?;
        Ok(extremes[0].checked_sub(1).map(|id| id as u32))
    }

    /// The limits that are tested, from rank 0. Halts if there are none.
    fn limits(&self) -> Result<[Option<TestedLimit>; 2], Halt> {
        reduce::from_rank_0(self.rank.comm, REJECTED, || self.tested())
    }

    fn tested(&self) -> Result<[Option<TestedLimit>; 2], String> {
        let (of, dir) = (self.request.of.word(), self.request.dir.display());
        let id = self.id.map_or(String::new(), |id| format!(" {id}"));
        let system = self.system_limits();
        let now_s = unix_seconds() as u64;
        let found = limits::tested(self.request, system.as_ref().ok(), now_s)
            .map_err(|why| format!("{dir}: {why}"))?;
        if found.iter().any(Option::is_some) {
            return Ok(found);
        }
        Err(match system {
            Ok(_) => {
                format!("{dir}: {of}{id} has no limit there that is enforced now. An administrator sets one")
            }
            Err(why) => format!(
                "{dir}: the system does not report the quota of {of}{id} ({why}). State it with --limit and \
                 --used, or --limit-inodes and --used-inodes"
            ),
        })
    }

    /// What the system reports, as the user that started the run.
    fn system_limits(&self) -> Result<QuotaLimits, String> {
        let quotas = self.storage.quotas().ok_or("this backend reports none")?;
        let id = self.id.ok_or("the files have none")?;
        let found = quotas.limits(&self.request.dir, self.request.of, id);
        found.map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::SRCH) => "quotas of this kind are off on this file system".to_owned(),
            _ => words(&error),
        })
    }
}

/// How long after a rejected rewrite the next one begins.
const RETRY_AFTER: std::time::Duration = std::time::Duration::from_millis(200);

/// An amount of what a limit counts.
fn amount(unit: QuotaUnit, amount: u64) -> Quantity {
    let dimension = match unit {
        QuotaUnit::Bytes => Dimension::Bytes,
        QuotaUnit::Inodes => Dimension::Count,
    };
    Quantity { value: amount as f64, dimension }
}
