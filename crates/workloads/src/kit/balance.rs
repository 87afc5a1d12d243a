//! How evenly the ranks worked: extremes on all ranks, and on rank 0 the slowest rank and the median.
//!
//! Rank 0 has the row of every rank anyway, for the columns of the record. So the slowest rank needs no
//! collective.
//!
//! Never here: how much imbalance is acceptable.

use measure::Histogram;
use ranks::{Comm, Halt};
use results::record::Balance;

use super::node::Node;
use super::parts::{PartPlace, ReducedParts, ReductionParts, TOP};
use super::reduce;

/// What one rank did: an amount (bytes or operations) in its own time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankWork {
    /// Bytes or operations.
    pub amount: u64,
    /// Nanoseconds.
    pub ns: u64,
    /// Whether it had work. Only such a rank has a rate and can be the slowest.
    pub given: bool,
}

impl RankWork {
    fn rate(self) -> u64 {
        ((self.amount as f64 / (self.ns.max(1) as f64 * 1e-9)) as u64).min(TOP - 1)
    }
}

/// Where the extremes are.
#[derive(Clone, Copy, Debug)]
pub struct BalancePlaces([PartPlace; 4]);

impl BalancePlaces {
    /// Adds the extremes of a phase.
    pub fn add(parts: &mut ReductionParts, mine: RankWork) -> Self {
        let ns = mine.ns.max(1);
        Self([parts.min(mine.amount), parts.max(mine.amount), parts.min(ns), parts.max(ns)])
    }

    /// The extremes. The slowest rank is not known yet.
    pub fn extremes(self, reduced: &ReducedParts) -> Balance {
        let [bytes_min, bytes_max, shortest, longest] = reduced.all(self.0);
        let seconds = |ns: u64| ns as f64 * 1e-9;
        let (seconds_min, seconds_max) = (seconds(shortest), seconds(longest));
        Balance { bytes_min, bytes_max, seconds_min, seconds_max, ..Balance::default() }
    }
}

/// Adds the slowest rank and the median of the rates, from the work of every rank. If no rank had work, it is
/// the lowest rank. `node` is that of rank 0.
pub fn add_slowest(balance: &mut Balance, works: impl Iterator<Item = RankWork>, node: &Node) {
    let (mut slowest, mut rates) = (None, Histogram::new());
    for (rank, work) in (0_u32..).zip(works).filter(|(_, work)| work.given) {
        let rate = work.rate();
        rates.add(rate);
        if slowest.is_none_or(|(_, least)| rate < least) {
            slowest = Some((rank, rate));
        }
    }
    let (rank, rate) = slowest.unwrap_or_default();
    balance.slowest_rank = rank;
    balance.slowest_node = node.table.as_ref().map_or("", |table| table.own_name(rank)).to_owned();
    balance.slowest_rate = rate as f64;
    balance.median_rate = rates.median();
}

/// The same for a phase without columns of all ranks. Collective.
pub fn gather_slowest(
    comm: &dyn Comm,
    node: &Node,
    mine: RankWork,
    balance: &mut Balance,
) -> Result<(), Halt> {
    let rows = reduce::gather(comm, [mine.amount, mine.ns, mine.given.into()])?;
    if let Some(rows) = rows {
        let work = |[amount, ns, given]: [u64; 3]| RankWork { amount, ns, given: given > 0 };
        add_slowest(balance, rows.into_iter().map(work), node);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rank_with_work_can_be_the_slowest() {
        let of = |amounts: [Option<u64>; 4]| {
            let all = ranks::local::run(4, |comm| {
                let node = Node::find(comm).expect("no halt");
                let mine = amounts[comm.rank() as usize];
                let ns = 1_000_000_000;
                let mine = RankWork { amount: mine.unwrap_or(0), ns, given: mine.is_some() };
                let mut parts = ReductionParts::default();
                let places = BalancePlaces::add(&mut parts, mine);
                let mut balance = places.extremes(&parts.reduce(comm).expect("no halt"));
                gather_slowest(comm, &node, mine, &mut balance).expect("no halt");
                balance
            });
            let all: Vec<Balance> = all.into_iter().map(|rank| rank.expect("no panic")).collect();
            assert!(all.iter().all(|balance| balance.bytes_max == all[0].bytes_max), "on all ranks");
            assert!(!all[0].slowest_node.is_empty());
            (all[0].slowest_rank, all[0].slowest_rate, all[0].median_rate, all[0].bytes_min)
        };
        assert_eq!(of([None, Some(90), Some(30), None]), (2, 30.0, 60.0, 0));
        assert_eq!(of([Some(40), None, None, None]), (0, 40.0, 40.0, 0), "one rank did all the work");
        assert_eq!(of([Some(40), Some(0), Some(40), Some(40)]), (1, 0.0, 40.0, 0), "one rank failed");
        assert_eq!(of([None; 4]), (0, 0.0, 0.0, 0));
    }
}
