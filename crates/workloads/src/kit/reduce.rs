//! Putting all ranks' measurements together, in a fixed number of collectives.

use measure::{Histogram, Timeline};
use ranks::{Comm, Halt, Reduce};

/// The histogram of all ranks, on every rank.
pub fn histogram(comm: &dyn Comm, histogram: &mut Histogram) -> Result<(), Halt> {
    let (first, last) = histogram.touched().unwrap_or((Histogram::BUCKETS - 1, 0));
    let first = comm.reduce_one(first as u64, Reduce::Min)? as usize;
    let last = comm.reduce_one(last as u64, Reduce::Max)? as usize;
    if first <= last {
        comm.all_reduce(&mut histogram.counts_mut()[first..=last], Reduce::Sum)?;
    }
    let (sum, min, max) = histogram.extremes_mut();
    *sum = comm.reduce_one(*sum, Reduce::Sum)?;
    *max = comm.reduce_one(*max, Reduce::Max)?;
    // Values of a reduction stay below 2^63; an empty histogram's minimum is above.
    let least = comm.reduce_one((*min).min(i64::MAX as u64), Reduce::Min)?;
    *min = if least == i64::MAX as u64 { u64::MAX } else { least };
    Ok(())
}

/// The timeline of all ranks, on every rank, with at most `slots` intervals.
pub fn timeline(comm: &dyn Comm, timeline: &mut Timeline, slots: usize) -> Result<(), Halt> {
    timeline.coarsen_to_fit(slots);
    let shift = comm.reduce_one(timeline.shift().into(), Reduce::Max)? as u32;
    timeline.coarsen_to(shift);
    let used = comm.reduce_one(timeline.used() as u64, Reduce::Max)? as usize;
    if used > 0 {
        comm.all_reduce(timeline.slots_mut(used), Reduce::Sum)?;
    }
    Ok(())
}
