//! Reduces many numbers over the ranks at once: one collective for all extremes, and one for all sums.
//!
//! The parts of a phase's record need many extremes and sums that do not depend on each other. Each part adds
//! its numbers and gets their places. After the reduction it finds the results there.
//!
//! Never here: what the numbers mean.

use ranks::{Comm, Halt, Reduce};

/// Values of a reduction stay below 2^63. A minimum is sent as its distance from this, so that one reduction
/// finds minima and maxima.
pub const TOP: u64 = i64::MAX as u64;

/// The numbers of this rank.
#[derive(Clone, Debug, Default)]
pub struct ReductionParts {
    most: Vec<u64>,
    sums: Vec<u64>,
}

/// Where a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartPlace {
    /// The greatest value of all ranks.
    Max(usize),
    /// The smallest.
    Min(usize),
    /// The sum.
    Sum(usize),
}

/// The results, the same on all ranks.
#[derive(Clone, Debug)]
pub struct ReducedParts {
    most: Vec<u64>,
    sums: Vec<u64>,
}

impl ReductionParts {
    /// Adds a number whose maximum is needed. Larger values than [`TOP`] count as that.
    pub fn max(&mut self, value: u64) -> PartPlace {
        self.most.push(value.min(TOP));
        PartPlace::Max(self.most.len() - 1)
    }

    /// The same for the minimum.
    pub fn min(&mut self, value: u64) -> PartPlace {
        self.most.push(TOP - value.min(TOP));
        PartPlace::Min(self.most.len() - 1)
    }

    /// The same for the sum, which must not exceed [`TOP`].
    pub fn sum(&mut self, value: u64) -> PartPlace {
        self.sums.push(value);
        PartPlace::Sum(self.sums.len() - 1)
    }

    /// Adds several numbers whose sums are needed.
    pub fn sums<const N: usize>(&mut self, values: [u64; N]) -> [PartPlace; N] {
        values.map(|value| self.sum(value))
    }

    /// Reduces all parts. Every rank must have added the same kinds in the same order. Collective.
    pub fn reduce(mut self, comm: &dyn Comm) -> Result<ReducedParts, Halt> {
        if !self.most.is_empty() {
            comm.all_reduce(&mut self.most, Reduce::Max)?;
        }
        if !self.sums.is_empty() {
            comm.all_reduce(&mut self.sums, Reduce::Sum)?;
        }
        Ok(ReducedParts { most: self.most, sums: self.sums })
    }
}

impl ReducedParts {
    /// The result at a place.
    pub fn of(&self, place: PartPlace) -> u64 {
        match place {
            PartPlace::Max(at) => self.most[at],
            PartPlace::Min(at) => TOP - self.most[at],
            PartPlace::Sum(at) => self.sums[at],
        }
    }

    /// The results at several places.
    pub fn all<const N: usize>(&self, places: [PartPlace; N]) -> [u64; N] {
        places.map(|place| self.of(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_finds_its_own_result() {
        let all = ranks::local::run(3, |comm| {
            let rank = u64::from(comm.rank());
            let mut parts = ReductionParts::default();
            let places = [parts.min(rank + 5), parts.max(rank), parts.sum(rank), parts.min(u64::MAX)];
            let sums = parts.sums([1, 10 * rank]);
            let reduced = parts.reduce(comm).expect("no halt");
            (reduced.all(places), reduced.all(sums))
        });
        for found in all {
            assert_eq!(found.expect("no panic"), ([5, 2, 3, TOP], [3, 30]));
        }
    }

    #[test]
    fn parts_without_numbers_need_no_collective() {
        // A collective of a single rank of two would never end.
        let all =
            ranks::local::run(2, |comm| comm.rank() == 1 || ReductionParts::default().reduce(comm).is_ok());
        assert!(all.into_iter().all(|done| done == Ok(true)));
    }
}
