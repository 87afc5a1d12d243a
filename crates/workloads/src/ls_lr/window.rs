//! The common window: from the common start to the end of the first walker, while all are at work.
//!
//! Never here: clocks; moments come in nanoseconds of one clock.

use ranks::{Comm, Halt, Reduce};
use results::record::Window;

/// The window over all ranks, what this rank had done by its end, and when it began. This rank worked from
/// `begun_ns` to `ended_ns`, did `done` operations in all, and had done `done_by(moment)` at any moment.
/// Collective.
pub(super) fn common(
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Rank by rank: when it began and ended, in nanoseconds, and one operation every so many of them.
    fn windows(walkers: &[(u64, u64, u64)]) -> Vec<(Window, u64, u64)> {
        let all = ranks::local::run(walkers.len() as u32, |comm| {
            let (begun, ended, every) = walkers[comm.rank() as usize];
            let by = |moment: u64| moment.saturating_sub(begun) / every;
            common(comm, begun, ended, by(ended), by)
        });
        all.into_iter().map(|rank| rank.expect("no panic").expect("no halt")).collect()
    }

    #[test]
    fn only_what_all_did_at_once_counts_and_the_first_to_end_is_named() {
        // Alone the window is the whole walk.
        let window = windows(&[(1_000, 2_001_000, 1_000)])[0];
        assert_eq!(window, (Window { ops: 2000, seconds: 0.002, first_rank: 0 }, 2000, 1_000));
        // The second ends after a quarter of the others' time.
        let all = windows(&[(0, 4_000_000, 1_000), (0, 1_000_000, 500), (10, 4_000_010, 2_000)]);
        let wanted = Window { ops: 1000 + 2000 + 499, seconds: 0.001, first_rank: 1 };
        assert!(all.iter().all(|(window, ..)| *window == wanted), "{all:?}");
        assert_eq!(all.iter().map(|(_, mine, _)| *mine).collect::<Vec<_>>(), [1000, 2000, 499]);
        // A walker that begins late makes the window no shorter: all were told to start.
        let late = windows(&[(0, 1_000_000, 1_000), (600_000, 2_000_000, 1_000)])[0];
        assert_eq!(late.0, Window { ops: 1400, seconds: 0.001, first_rank: 0 });
    }
}
