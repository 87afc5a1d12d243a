//! What the body of a case works with on each rank: the ranks, a directory, and steps that all ranks end
//! together.
//!
//! Invariant: [`CaseContext::agree`] gives the same [`EarlyEnd`] on all ranks.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ranks::{Comm, Reduce};
use storage::locks::Owner;

use super::problem::{CaseProblem, CaseResult, EarlyEnd};
use super::system_file;

/// Watches the steps of one rank in its cases. It may end the process.
pub trait StepWatch {
    /// This rank has finished `step`, or (`waits`) has finished its part and waits for the other ranks.
    fn step(&self, step: &'static str, waits: bool);
    /// The clock of this rank, nanoseconds. It never goes back.
    fn now_ns(&self) -> u64;
}

/// One rank in one case.
pub struct CaseContext<'a> {
    /// All ranks.
    pub comm: &'a dyn Comm,
    /// The directory of this case, empty when the case begins.
    pub dir: &'a Path,
    /// Seed of random numbers.
    pub seed: u64,
    /// The hints file that the environment names for ROMIO.
    pub hints_file: Option<&'a Path>,
    /// How the lock of a killed process is tried.
    pub lock_release: LockRelease,
    /// What a passed case also reports.
    pub(super) note: String,
    /// The watch that has the time limit.
    pub(super) watch: &'a dyn StepWatch,
}

/// How the lock of a killed process is tried.
#[derive(Clone, Copy, Debug)]
pub struct LockRelease {
    /// The lock must be free this long after the kill.
    pub within: Duration,
    /// The command of a process that calls [`hold_lock`](crate::hold_lock) with this owner and path.
    pub holder: fn(Owner, &Path) -> io::Result<Command>,
}

/// Most turns of a case.
pub(super) const TURNS_MAX: u32 = 16;

fn spread_ranks(ranks: u32) -> Vec<u32> {
    let turns = u64::from(ranks.min(TURNS_MAX));
    (0..turns).map(|turn| (turn * u64::from(ranks - 1) / (turns - 1).max(1)) as u32).collect()
}

impl CaseContext<'_> {
    /// This rank's number.
    pub fn rank(&self) -> u32 {
        self.comm.rank()
    }

    /// How many ranks there are.
    pub fn size(&self) -> u32 {
        self.comm.size()
    }

    /// The ranks that act in turn while all others wait. There are at most [`TURNS_MAX`], spread evenly from
    /// the first rank to the last. So the time does not grow with the number of ranks.
    pub(super) fn turns(&self) -> Vec<u32> {
        spread_ranks(self.size())
    }

    /// A file of the case.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Ends a step on all ranks together. If no rank has a problem, each gets its own value. Otherwise all
    /// get the most severe problem, of the lowest rank that has it. Collective.
    pub fn agree<T>(
        &self,
        step: &'static str,
        mine: Result<T, impl Into<CaseProblem>>,
    ) -> Result<T, EarlyEnd> {
        let mine = mine.map_err(Into::into);
        self.watch.step(step, true);
        let agreed = self.agree_on(step, mine);
        self.watch.step(step, false);
        agreed
    }

    /// As [`CaseContext::agree`], for a step that only rank 0 does. Collective.
    pub fn on_rank_0<T>(
        &self,
        step: &'static str,
        body: impl FnOnce() -> Result<T, CaseProblem>,
    ) -> CaseResult {
        self.on_rank(0, step, body)
    }

    /// As [`CaseContext::agree`], for a step that only this rank does. Collective.
    pub(super) fn on_rank<T>(
        &self,
        rank: u32,
        step: &'static str,
        body: impl FnOnce() -> Result<T, CaseProblem>,
    ) -> CaseResult {
        self.agree(step, if self.rank() == rank { body().map(drop) } else { Ok(()) })
    }

    /// As [`CaseContext::agree`], for a step of all ranks whose value is not needed. Collective.
    pub fn all<T>(&self, step: &'static str, body: impl FnOnce() -> Result<T, CaseProblem>) -> CaseResult {
        self.agree(step, body()).map(drop)
    }

    /// Fails unless rank 0 finds exactly these bytes in the file. Collective.
    pub(super) fn check_file(&self, what: &str, path: &Path, wanted: &[u8]) -> CaseResult {
        self.on_rank_0("look", || system_file::check_all(what, path, wanted))
    }

    fn agree_on<T>(&self, step: &str, mine: Result<T, CaseProblem>) -> Result<T, EarlyEnd> {
        let no_rank = u64::from(self.size());
        let mut lowest = [no_rank; 3];
        if let Err(problem) = &mine {
            lowest[problem.severity()] = u64::from(self.rank());
        }
        self.comm.all_reduce(&mut lowest, Reduce::Min)?;
        let Some(severity) = lowest.iter().position(|rank| *rank < no_rank) else {
            return mine
                .map_err(|problem| unreachable!("no rank has a problem, yet this rank has {problem:?}"));
        };
        let as_severe = mine.as_ref().err().is_some_and(|problem| problem.severity() == severity);
        let ranks = self.comm.reduce_one(u64::from(as_severe), Reduce::Sum)? as u32;
        let mut words = Vec::new();
        if let (Err(problem), true) = (mine, u64::from(self.rank()) == lowest[severity]) {
            words = serde_json::to_vec(&self.located(step, problem)).unwrap_or_default();
        }
        self.comm.broadcast(lowest[severity] as u32, &mut words)?;
        let lost = || CaseProblem::fail("the words of the rank that failed did not arrive");
        let problem = serde_json::from_slice(&words).unwrap_or_else(|_| lost());
        Err(EarlyEnd::Case { problem, ranks })
    }

    /// The problem, with rank, node and step filled in.
    fn located(&self, step: &str, mut problem: CaseProblem) -> CaseProblem {
        if let CaseProblem::Fail(evidence) = &mut problem {
            evidence.rank = self.rank();
            evidence.node = self.comm.node_name().to_owned();
            evidence.step = step.to_owned();
        }
        problem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_of_all_ranks_or_of_16_spread_over_them() {
        assert_eq!(spread_ranks(1), [0]);
        assert_eq!(spread_ranks(16), (0..16).collect::<Vec<_>>());
        assert_eq!(spread_ranks(46), (0..16).map(|turn| 3 * turn).collect::<Vec<_>>());
        let many = spread_ranks(u32::MAX);
        assert_eq!((many.len(), many[0], many[15]), (16, 0, u32::MAX - 1));
    }
}
