//! One repetition: all ranks walk their trees at once, and the results are combined.

use std::path::Path;

use measure::Clock;
use ranks::{Comm, Halt, Reduce};
use results::record::{Phase, Window};
use storage::Listing;

use super::EntryCalls;
use super::observer::{Shares, Walked, WalkerRow};
use super::walk::Walker;
use crate::kit::balance::RankWork;
use crate::kit::caches::RanksOfNode;
use crate::kit::operations::{self, Operating, OperationSetting};
use crate::kit::rank::Rank;
use crate::kit::reduce::{self, RankRow};

/// The tree that one rank walks.
pub(super) struct RankWalk<'a> {
    pub(super) listing: &'a dyn Listing,
    pub(super) calls: EntryCalls,
    pub(super) number: u32,
    pub(super) root: &'a Path,
    pub(super) expected: Option<u64>,
}

/// Walks all trees once; `dropped` says whether the caches were dropped before. The result is the same on all
/// ranks, except for the single walkers, which only rank 0 has. Collective.
pub(super) fn repetition(
    rank: &mut Rank<'_>,
    setting: OperationSetting,
    walk: &RankWalk<'_>,
    nodes: &mut RanksOfNode<'_>,
    dropped: bool,
) -> Result<Walked, Halt> {
    let mut walker = Walker::new(walk.listing, walk.calls, rank.clock, setting.keep_going);
    nodes.before();
    let mut doing = Operating::begin(rank, setting, None)?;
    let begun = doing.begun();
    walker.walk(rank, &mut doing, walk.root);
    let ended = rank.clock.now();
    let done = doing.end(rank, || Ok(()))?;
    let (further_ns, seen) = (walker.further_ns(), walker.seen);
    let caches = nodes.after(dropped, seen.entries)?;
    let [begun_ns, ended_ns] = [begun, ended].map(|tick| rank.since_start_ns(tick));
    let by = |moment| seen.stamps.while_so(|tick| rank.since_start_ns(tick) <= moment);
    let stats = seen.stamps.done();
    let (window, mine, start_ns) = common_window(rank.comm, begun_ns, ended_ns, stats, by)?;
    let own_ns = ended_ns.saturating_sub(begun_ns);
    let (expected, ns) = (walk.expected.unwrap_or(NONE), ended_ns - start_ns);
    let row = [walk.number.into(), seen.entries, expected, seen.directories, stats, mine, ns];
    let rows = reduce::gather_named(rank.comm, row, rank.comm.node_name())?.unwrap_or_default();
    let walkers = rows.into_iter().map(understood).collect();
    let wrong = walk.expected.is_some_and(|expected| expected != seen.entries);
    let list_ns = (seen.lists.mean() * seen.lists.count() as f64) as u64;
    let mut sums = [wrong.into(), own_ns, list_ns, further_ns];
    rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [mismatches, own_sum, lists, further] = sums;
    let list = Phase { window: Some(window), ..done.phase };
    let stat_ns = list.latency.as_ref().map_or(0.0, |latency| latency.mean_ns * latency.count as f64);
    let share = |ns: f64| ns / own_sum.max(1) as f64;
    let shares = Shares { stat: share(stat_ns), list: share(lists as f64), further: share(further as f64) };
    let work = RankWork { amount: seen.directories, ns: own_ns, given: true };
    let directories = operations::beside(rank, &list, "directories", work, seen.lists, seen.failures)?;
    Ok(Walked { list, directories, walkers, shares, caches, mismatches })
}

/// The common window: from the common start to the end of the first walker. Returns what this rank had done
/// at its end, and when it began. This rank worked from `begun_ns` to `ended_ns` and did `done` operations.
/// `done_by(moment)` is the number that it had done at any moment. Collective.
fn common_window(
    comm: &dyn Comm,
    begun_ns: u64,
    ended_ns: u64,
    done: u64,
    done_by: impl Fn(u64) -> u64,
) -> Result<(Window, u64, u64), Halt> {
    let mut first = [begun_ns, ended_ns];
    comm.all_reduce(&mut first, Reduce::Min)?;
    let [begin, end] = first;
    let candidate = if ended_ns == end { comm.rank() } else { comm.size() };
    let first_rank = comm.reduce_one(candidate.into(), Reduce::Min)? as u32;
    let mine = if ended_ns == end { done } else { done_by(end).min(done) };
    let ops = comm.reduce_one(mine, Reduce::Sum)?;
    Ok((Window { ops, seconds: end.saturating_sub(begin) as f64 * 1e-9, first_rank }, mine, begin))
}

/// Marks a missing number.
const NONE: u64 = u64::MAX;

fn understood(
    ([tree, entries, expected, directories, stats, stats_at_once, ns], node): RankRow<7>,
) -> WalkerRow {
    let expected = Some(expected).filter(|expected| *expected != NONE);
    let (tree, seconds) = (tree as u32, ns as f64 * 1e-9);
    WalkerRow { node, tree, entries, expected, directories, stats, stats_at_once, seconds }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each rank: when it began and ended, and the time from one operation to the next, in nanoseconds.
    fn windows(walkers: &[(u64, u64, u64)]) -> Vec<(Window, u64, u64)> {
        let all = ranks::local::run(walkers.len() as u32, |comm| {
            let (begun, ended, every) = walkers[comm.rank() as usize];
            let by = |moment: u64| moment.saturating_sub(begun) / every;
            common_window(comm, begun, ended, by(ended), by)
        });
        all.into_iter().map(|rank| rank.expect("no panic").expect("no halt")).collect()
    }

    #[test]
    fn only_what_all_did_at_once_counts_and_the_first_to_end_is_named() {
        // With one walker the window is the whole walk.
        let window = windows(&[(1_000, 2_001_000, 1_000)])[0];
        assert_eq!(window, (Window { ops: 2000, seconds: 0.002, first_rank: 0 }, 2000, 1_000));
        // The second ends after a quarter of the others' time.
        let all = windows(&[(0, 4_000_000, 1_000), (0, 1_000_000, 500), (10, 4_000_010, 2_000)]);
        let wanted = Window { ops: 1000 + 2000 + 499, seconds: 0.001, first_rank: 1 };
        assert!(all.iter().all(|(window, ..)| *window == wanted), "{all:?}");
        assert_eq!(all.iter().map(|(_, mine, _)| *mine).collect::<Vec<_>>(), [1000, 2000, 499]);
        // A walker that starts late does not shorten the window, because all received the start at the same
        // time.
        let late = windows(&[(0, 1_000_000, 1_000), (600_000, 2_000_000, 1_000)])[0];
        assert_eq!(late.0, Window { ops: 1400, seconds: 0.001, first_rank: 0 });
    }
}
