//! Combines the measurements of all ranks. First the bounds of histograms and timelines are reduced together
//! with other numbers ([`ReductionParts`]). Then one reduction to rank 0 has the counts between the bounds.

use measure::{ByteTimeline, Histogram};
use ranks::{Comm, Halt, Reduce};
use results::reason::{Reason, reason};
use results::record::{self, Latency, Stonewall};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::parts::{PartPlace, ReducedParts, ReductionParts, TOP};

/// Most intervals of a recorded timeline whose intervals are short.
const TIMELINE_SLOTS: usize = 600;
/// The binary logarithm of the shortest interval, in nanoseconds, that a recorded timeline keeps even if it
/// then has more intervals: 67 ms. A stall of 0.2 s so remains visible in a phase of minutes.
const KEPT_SHIFT: u32 = 26;

/// Where the bounds of a phase's measurements are.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredPlaces {
    histogram: [PartPlace; 4],
    timeline: Option<[PartPlace; 2]>,
}

impl MeasuredPlaces {
    /// Adds the bounds of the latencies, and those of a timeline, whose intervals become as long as they are
    /// recorded.
    pub fn add(
        parts: &mut ReductionParts,
        histogram: &mut Histogram,
        timeline: Option<&mut ByteTimeline>,
    ) -> Self {
        let (first, last) = histogram.touched().unwrap_or((Histogram::BUCKETS - 1, 0));
        let (_, min, max) = histogram.extremes_mut();
        // The minimum of an empty histogram is above all values.
        let bounds = [parts.min(first as u64), parts.max(last as u64), parts.min(*min), parts.max(*max)];
        let timeline = timeline.map(|timeline| {
            timeline.coarsen_to_fit(TIMELINE_SLOTS, KEPT_SHIFT);
            let end_ns = timeline.used() as u64 * timeline.interval_ns();
            [parts.max(timeline.shift().into()), parts.max(end_ns)]
        });
        Self { histogram: bounds, timeline }
    }

    /// Makes the histogram and the timeline of rank 0 those of all ranks. Others keep their own counts, in
    /// the same intervals. Collective.
    pub fn to_rank_0(
        self,
        comm: &dyn Comm,
        reduced: &ReducedParts,
        histogram: &mut Histogram,
        timeline: Option<&mut ByteTimeline>,
    ) -> Result<(), Halt> {
        let [first, last, least, most] = reduced.all(self.histogram);
        let buckets = first as usize..(last as usize + 1).max(first as usize);
        let (sum, min, max) = histogram.extremes_mut();
        (*min, *max) = (if least == TOP { u64::MAX } else { least }, most);
        let mut words = limbs(*sum).to_vec();
        words.extend_from_slice(&histogram.counts_mut()[buckets.clone()]);
        let mut slots: &mut [u64] = &mut [];
        if let (Some(places), Some(timeline)) = (self.timeline, timeline) {
            let [shift, end_ns] = reduced.all(places);
            timeline.coarsen_to(shift as u32);
            // The longest timeline had at most this many slots at its own interval, which was not longer.
            slots = timeline.slots_mut(end_ns.div_ceil(1 << shift) as usize);
        }
        words.extend_from_slice(slots);
        if words.len() == LIMBS {
            return Ok(());
        }
        comm.reduce(&mut words, Reduce::Sum)?;
        let (sum, counts) = words.split_at(LIMBS);
        let (counts, intervals) = counts.split_at(buckets.len());
        if comm.rank() == 0 {
            histogram.counts_mut()[buckets].copy_from_slice(counts);
            *histogram.extremes_mut().0 = of_limbs(sum);
            slots.copy_from_slice(intervals);
        }
        Ok(())
    }
}

/// Makes the histogram of rank 0 that of all ranks. Collective.
pub fn histogram(comm: &dyn Comm, histogram: &mut Histogram) -> Result<(), Halt> {
    let mut parts = ReductionParts::default();
    let places = MeasuredPlaces::add(&mut parts, histogram, None);
    let reduced = parts.reduce(comm)?;
    places.to_rank_0(comm, &reduced, histogram, None)
}

/// Words in which a sum of 128 bits is added over ranks.
const LIMBS: usize = 4;
/// Bits of a sum in each word: the words of 2^23 ranks together stay below 2^63.
const LIMB_BITS: u32 = 40;

fn limbs(sum: u128) -> [u64; LIMBS] {
    std::array::from_fn(|at| (sum >> (LIMB_BITS * at as u32)) as u64 & ((1 << LIMB_BITS) - 1))
}

/// The sum whose words were added. The carries of the words are in it.
fn of_limbs(limbs: &[u64]) -> u128 {
    limbs.iter().rev().fold(0, |sum, limb| (sum << LIMB_BITS) + u128::from(*limb))
}

/// On rank 0, the histogram of all ranks in the form of a record; `None` if nothing was counted. No other
/// rank makes what only rank 0 records.
pub fn latency_on_rank_0(comm: &dyn Comm, histogram: &Histogram) -> Option<Latency> {
    if comm.rank() == 0 { latency(histogram) } else { None }
}

/// A histogram in the form of a record; `None` if nothing was counted.
pub fn latency(histogram: &Histogram) -> Option<Latency> {
    Some(Latency {
        count: histogram.count(),
        min_ns: histogram.min()?,
        max_ns: histogram.max(),
        mean_ns: histogram.mean(),
        p50_ns: histogram.quantile(0.5),
        p90_ns: histogram.quantile(0.9),
        p99_ns: histogram.quantile(0.99),
        p999_ns: histogram.quantile(0.999),
        buckets: histogram.buckets(),
    })
}

/// The histogram from which a record's latency was made.
pub fn recorded(latency: &Latency) -> Histogram {
    let sum = (latency.mean_ns * latency.count as f64).round() as u128;
    Histogram::of_buckets(&latency.buckets, sum, latency.min_ns, latency.max_ns)
}

/// On rank 0, the timeline of all ranks in the form of a record; `None` if nothing was counted.
pub fn intervals_on_rank_0(comm: &dyn Comm, timeline: &ByteTimeline) -> Option<record::Timeline> {
    (comm.rank() == 0 && timeline.used() > 0)
        .then(|| record::Timeline { interval_ns: timeline.interval_ns(), bytes: timeline.bytes().to_vec() })
}

/// The work of a rank when a deadline stopped it.
#[derive(Clone, Copy, Debug)]
pub struct DoneAtDeadline {
    /// Transfers, or metadata operations.
    pub transfers: u64,
    /// Their bytes. For metadata operations, again their number.
    pub bytes: u64,
    /// Since its phase began.
    pub elapsed_ns: u64,
    /// No work was left.
    pub ran_dry: bool,
}

/// Where the numbers at a deadline are.
#[derive(Clone, Copy, Debug)]
pub struct DeadlinePlaces {
    extremes: [PartPlace; 3],
    sums: [PartPlace; 3],
}

impl DeadlinePlaces {
    /// Adds the work of this rank.
    pub fn add(parts: &mut ReductionParts, mine: DoneAtDeadline) -> Self {
        let DoneAtDeadline { transfers, bytes, elapsed_ns, ran_dry } = mine;
        let extremes = [parts.min(transfers), parts.max(transfers), parts.max(elapsed_ns)];
        Self { extremes, sums: parts.sums([transfers, bytes, ran_dry.into()]) }
    }

    /// The effect of a deadline of `deadline` seconds, and the transfers of all ranks until then. With
    /// `wear_out` all ranks continue to the count of the rank with the most transfers.
    pub fn stonewall(self, reduced: &ReducedParts, deadline: u32, wear_out: bool) -> (Stonewall, u64) {
        let [transfers_min, transfers_max, elapsed_ns] = reduced.all(self.extremes);
        let [transfers, bytes, ran_dry] = reduced.all(self.sums);
        let wall = Stonewall {
            deadline_s: deadline.into(),
            wear_out,
            transfers_min,
            transfers_max,
            bytes,
            seconds: elapsed_ns as f64 * 1e-9,
            ran_dry: ran_dry as u32,
        };
        (wall, transfers)
    }
}

/// Gives the value that rank 0 finds to all ranks. All halt if rank 0 fails. Collective.
pub fn from_rank_0<T: Serialize + DeserializeOwned>(
    comm: &dyn Comm,
    step: &str,
    find: impl FnOnce() -> Result<T, String>,
) -> Result<T, Halt> {
    let found = if comm.rank() == 0 { find().map(Some) } else { Ok(None) };
    let mut text = serde_json::to_vec(&comm.agree(step, found)?).unwrap_or_default();
    comm.broadcast(0, &mut text)?;
    comm.agree(step, serde_json::from_slice(&text).map_err(|error| error.to_string()))
}

/// The worst share of all ranks, on every rank; `None` if no rank knows its own. Collective.
pub fn worst_share(comm: &dyn Comm, share: Option<f64>) -> Result<Option<f64>, Halt> {
    // Millionths plus one, so that "unknown" is the smallest value.
    let mine = share.map_or(0, |share| 1 + (share * 1e6) as u64);
    let worst = comm.reduce_one(mine, Reduce::Max)?;
    Ok(worst.checked_sub(1).map(|millionths| millionths as f64 / 1e6))
}

/// The notice about a phase whose transfers should be collective. `option` asked for that.
/// Of `all` transfers of this rank, the library moved `single` by calls of single ranks. `None` if no rank
/// had any. The numbers of such a phase are not those of collective transfers. Collective.
pub fn uncollective(
    comm: &dyn Comm,
    phase: &str,
    (single, all): (u64, u64),
    option: &str,
) -> Result<Option<Reason>, Halt> {
    let mut sums = [single, all];
    comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [single, all] = sums;
    Ok((single > 0).then(|| reason!(NotCollective { label: phase, single, of: all, option })))
}

/// The numbers of every rank in the order of the ranks, on rank 0. Collective.
pub fn gather<const N: usize>(comm: &dyn Comm, mine: [u64; N]) -> Result<Option<Vec<[u64; N]>>, Halt> {
    let rows = gather_named(comm, mine, "")?;
    Ok(rows.map(|rows| rows.into_iter().map(|(numbers, _)| numbers).collect()))
}

/// Numbers and a text of one rank.
pub type RankRow<const N: usize> = ([u64; N], String);

/// The same, with a text of every rank. Collective.
pub fn gather_named<const N: usize>(
    comm: &dyn Comm,
    mine: [u64; N],
    words: &str,
) -> Result<Option<Vec<RankRow<N>>>, Halt> {
    let mut mine: Vec<u8> = mine.iter().flat_map(|number| number.to_le_bytes()).collect();
    mine.extend_from_slice(words.as_bytes());
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let row = |row: Vec<u8>| {
        let (numbers, words) = row.split_at(8 * N);
        (
            std::array::from_fn(|at| number(&numbers[8 * at..][..8])),
            String::from_utf8_lossy(words).into_owned(),
        )
    };
    Ok(comm.gather(&mine)?.map(|rows| rows.into_iter().map(row).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranks::local;

    /// The result of rank 0.
    fn together<T: Send>(ranks: u32, one: impl Fn(&dyn Comm) -> T + Sync) -> T {
        let all = local::run(ranks, one).into_iter().map(|rank| rank.expect("no panic"));
        all.collect::<Vec<T>>().swap_remove(0)
    }

    fn timeline(comm: &dyn Comm, timeline: &mut ByteTimeline) -> Result<(), Halt> {
        let (mut parts, mut empty) = (ReductionParts::default(), Histogram::new());
        let places = MeasuredPlaces::add(&mut parts, &mut empty, Some(timeline));
        let reduced = parts.reduce(comm)?;
        places.to_rank_0(comm, &reduced, &mut empty, Some(timeline))
    }

    fn counted(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        histogram.add_all(values.iter().copied());
        histogram
    }

    #[test]
    fn the_histogram_of_all_ranks_is_that_of_all_values() {
        let parts: [&[u64]; 4] = [&[5, 1 << 30], &[], &[7, 7, 900], &[u64::MAX >> 20]];
        let all = together(4, |comm| {
            let mut mine = counted(parts[comm.rank() as usize]);
            histogram(comm, &mut mine).expect("no halt");
            mine
        });
        assert_eq!(all, counted(&parts.concat()));
        let nothing = together(3, |comm| {
            let mut mine = Histogram::new();
            histogram(comm, &mut mine).expect("no halt");
            mine
        });
        assert_eq!(nothing, Histogram::new());
    }

    #[test]
    fn only_rank_0_makes_latencies_and_timelines_of_records() {
        let all = local::run(3, |comm| {
            let mut line = ByteTimeline::new();
            line.add(5, 10);
            (latency_on_rank_0(comm, &counted(&[5])).is_some(), intervals_on_rank_0(comm, &line).is_some())
        });
        let made: Vec<(bool, bool)> = all.into_iter().map(|rank| rank.expect("no panic")).collect();
        assert_eq!(made, [(true, true), (false, false), (false, false)]);
    }

    #[test]
    fn a_sum_beyond_64_bits_is_exact() {
        let longest = u64::MAX >> 1;
        let mean = together(3, |comm| {
            let mut mine = counted(&[longest; 5]);
            histogram(comm, &mut mine).expect("no halt");
            mine.mean()
        });
        assert_eq!(mean, longest as f64);
        assert_eq!(of_limbs(&limbs(u128::MAX)), u128::MAX);
    }

    #[test]
    fn the_timeline_of_all_ranks_has_all_bytes_in_their_intervals() {
        // The timeline of the last rank is so long that its intervals are longer than those of the others.
        let ends: [&[u64]; 3] = [&[0, 3_000_000], &[], &[20_000_000_000]];
        let all = together(3, |comm| {
            let mut mine = ByteTimeline::new();
            ends[comm.rank() as usize].iter().for_each(|end| mine.add(*end, 10));
            timeline(comm, &mut mine).expect("no halt");
            mine
        });
        assert!(all.used() <= 600 && all.interval_ns() > 20_000_000_000 / 600);
        assert_eq!((all.bytes()[0], *all.bytes().last().unwrap()), (20, 10));
        assert_eq!(all.bytes().iter().sum::<u64>(), 30);
    }

    #[test]
    fn a_stall_of_a_fifth_of_a_second_has_its_own_intervals_in_a_phase_of_four_minutes() {
        const STALL_MS: std::ops::Range<u64> = 100_000..100_200;
        let all = together(3, |comm| {
            let mut mine = ByteTimeline::new();
            // Each rank is limited to a transfer per 20 ms.
            let ends = (u64::from(comm.rank())..240_000).step_by(20).filter(|ms| !STALL_MS.contains(ms));
            ends.for_each(|ms| mine.add(ms * 1_000_000, 10));
            timeline(comm, &mut mine).expect("no halt");
            mine
        });
        assert_eq!(all.interval_ns(), 1 << 26);
        assert!(all.used() <= ByteTimeline::SLOTS);
        let at = |ms: u64| (ms * 1_000_000 / all.interval_ns()) as usize;
        let lowest = &all.bytes()[at(STALL_MS.start)..=at(STALL_MS.end)];
        assert!(lowest.contains(&0), "{lowest:?}");
        assert!(all.bytes()[at(STALL_MS.start) - 1] > 0 && all.bytes()[at(STALL_MS.end) + 1] > 0);
    }
}
