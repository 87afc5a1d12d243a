//! What the body of a case has to work with on each rank.

use std::path::{Path, PathBuf};

use ranks::{Comm, Reduce};

use super::run::Watch;
use super::stop::{Stop, Trouble};

/// One rank within one case.
pub struct Scene<'a> {
    /// All ranks.
    pub comm: &'a dyn Comm,
    /// A directory that is this case's alone, and empty when it begins.
    pub dir: &'a Path,
    /// Where what is random begins.
    pub seed: u64,
    /// The file of hints that ROMIO was told of by the environment.
    pub hints_file: Option<&'a Path>,
    /// Who looks after the time.
    pub(super) watch: &'a dyn Watch,
}

/// The most turns of a case.
pub(super) const TURNS: u32 = 16;

fn spread(ranks: u32) -> Vec<u32> {
    let turns = u64::from(ranks.min(TURNS));
    (0..turns).map(|turn| (turn * u64::from(ranks - 1) / (turns - 1).max(1)) as u32).collect()
}

impl Scene<'_> {
    /// This rank's number.
    pub fn rank(&self) -> u32 {
        self.comm.rank()
    }

    /// How many ranks there are.
    pub fn size(&self) -> u32 {
        self.comm.size()
    }

    /// Ranks that take turns where each turn is a step of all: few enough for any number of ranks, and spread
    /// over all of them, the first and the last among them.
    pub(super) fn turns(&self) -> Vec<u32> {
        spread(self.size())
    }

    /// A file of the case.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Ends a step on all ranks together: each has its own value, or all stop with the trouble of the lowest
    /// rank that has the gravest. Collective.
    pub fn agree<T>(&self, step: &'static str, mine: Result<T, impl Into<Trouble>>) -> Result<T, Stop> {
        let mine = mine.map_err(Into::into);
        self.watch.step(step, true);
        let agreed = self.settle(step, mine);
        self.watch.step(step, false);
        agreed
    }

    /// As [`Scene::agree`], of what only rank 0 does. Collective.
    pub fn on_rank_0<T>(
        &self,
        step: &'static str,
        body: impl FnOnce() -> Result<T, Trouble>,
    ) -> Result<Option<T>, Stop> {
        self.agree(step, if self.rank() == 0 { body().map(Some) } else { Ok(None) })
    }

    /// As [`Scene::agree`], of what all ranks do, without a value. Collective.
    pub fn all(&self, step: &'static str, body: impl FnOnce() -> Result<(), Trouble>) -> Result<(), Stop> {
        self.agree(step, body())
    }

    fn settle<T>(&self, step: &str, mine: Result<T, Trouble>) -> Result<T, Stop> {
        let nobody = u64::from(self.size());
        let mut lowest = [nobody; 3];
        if let Err(trouble) = &mine {
            lowest[trouble.grade()] = u64::from(self.rank());
        }
        self.comm.all_reduce(&mut lowest, Reduce::Min)?;
        let Some(grade) = lowest.iter().position(|rank| *rank < nobody) else {
            return mine.map_err(|trouble| unreachable!("nobody has trouble, yet this rank has {trouble:?}"));
        };
        let as_grave = mine.as_ref().err().is_some_and(|trouble| trouble.grade() == grade);
        let ranks = self.comm.reduce_one(u64::from(as_grave), Reduce::Sum)? as u32;
        let mut words = Vec::new();
        if let (Err(trouble), true) = (mine, u64::from(self.rank()) == lowest[grade]) {
            words = serde_json::to_vec(&self.signed(step, trouble)).unwrap_or_default();
        }
        self.comm.broadcast(lowest[grade] as u32, &mut words)?;
        let lost = || Trouble::fail("the words of the rank that failed did not arrive");
        let trouble = serde_json::from_slice(&words).unwrap_or_else(|_| lost());
        Err(Stop::Case { trouble, ranks })
    }

    /// The trouble, with who has it and when.
    fn signed(&self, step: &str, trouble: Trouble) -> Trouble {
        match trouble {
            Trouble::Fail(mut evidence) => {
                evidence.rank = self.rank();
                evidence.node = self.comm.node_name().to_owned();
                evidence.step = step.to_owned();
                Trouble::Fail(evidence)
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_those_of_all_ranks_or_of_a_few_that_are_spread_over_them() {
        assert_eq!(spread(1), [0]);
        assert_eq!(spread(16), (0..16).collect::<Vec<_>>());
        assert_eq!(spread(46), (0..16).map(|turn| 3 * turn).collect::<Vec<_>>());
        let many = spread(u32::MAX);
        assert_eq!((many.len(), many[0], many[15]), (16, 0, u32::MAX - 1));
    }
}
