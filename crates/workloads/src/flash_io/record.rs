//! Turns the stamps of every rank into the record of a phase, and into the longest times of the classic text.

use command::flash_io::FlashIoParameters;
use measure::{Clock, Histogram, Tick};
use ranks::{Halt, Reduce};
use results::record::Phase;

use super::files::FlashFile;
use super::write::{FileDone, WriteRemainder};
use crate::kit::balance::{self, BalancePlaces, RankWork};
use crate::kit::parts::ReductionParts;
use crate::kit::rank::Rank;
use crate::kit::reduce::{self, MeasuredPlaces};

/// The times of a file. Each is the longest of all ranks, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Creating and defining the file, and writing the arrays that describe the blocks.
    pub header: f64,
    /// Packing and writing the unknowns.
    pub unknown: f64,
    /// Closing.
    pub close: f64,
    /// The whole file.
    pub total: f64,
}

/// Reduces and records a phase. `known` holds its fixed properties, and `bytes` those of this rank.
/// Collective.
pub(super) fn put(
    rank: &mut Rank<'_>,
    parameters: &FlashIoParameters,
    file: FlashFile,
    known: Phase,
    done: &FileDone,
) -> Result<Phase, Halt> {
    let comm = rank.comm;
    let scale = rank.clock.scale();
    let mut latency = Histogram::new();
    let each = done.begins.iter().zip(&done.ends);
    each.for_each(|(begin, end)| latency.add(scale.ns(end.0.saturating_sub(begin.0))));
    let (from, to) = done.stamps.transfer;
    let work = RankWork { amount: known.bytes, ns: scale.ns(to.0.saturating_sub(from.0)), given: true };
    let mut parts = ReductionParts::default();
    let measured = MeasuredPlaces::add(&mut parts, &mut latency, None);
    let sums = parts.sums([known.bytes, done.begins.len() as u64]);
    let (stamps, balance) = (done.stamps.add(&mut parts, rank), BalancePlaces::add(&mut parts, work));
    let kernel = rank.add_kernel(&mut parts);
    let reduced = parts.reduce(comm)?;
    measured.to_rank_0(comm, &reduced, &mut latency, None)?;
    let ([bytes, ops], spans) = (reduced.all(sums), stamps.spans(&reduced, rank, false));
    let mut balance = balance.extremes(&reduced);
    balance::gather_slowest(comm, &rank.node, work, &mut balance)?;
    let (kernel, pace) = rank.kernel(kernel, &reduced);
    let FlashIoParameters { form, zones, nonblocking, .. } = *parameters;
    let arrays = file.arrays(form, zones);
    let unknown = arrays[arrays.len() - 1].bytes() * parameters.blocks();
    let phase = Phase {
        ranks: comm.size(),
        transfer_bytes: unknown,
        block_bytes: unknown,
        segments: file.unknowns().len() as u64,
        expected_bytes: parameters.blocks_total(comm.size()) * file.block_bytes(parameters),
        bytes,
        ops,
        began_s: spans.began_s,
        spans: spans.spans,
        balance,
        latency: reduce::latency_on_rank_0(comm, &latency),
        kernel,
        pace,
        // A nonblocking call ends before its data is moved.
        depth: if nonblocking && known.check.is_none() { arrays.len() as u32 } else { 1 },
        ..known
    };
    rank.record_phase(&phase)?;
    Ok(phase)
}

/// The longest times of all ranks, and their total bytes as the original counts them. Only rank 0 gets them.
/// Collective.
pub(super) fn classic(rank: &Rank<'_>, written: &WriteRemainder) -> Result<(Seconds, u64), Halt> {
    let stamps = &written.done.stamps;
    let (enter, unknowns, (close, exit)) = (stamps.open.0, written.unknowns, stamps.close);
    let scale = rank.clock.scale();
    let spent = [(enter, unknowns), (unknowns, close), (close, exit), (enter, exit)];
    let mut longest = spent.map(|(from, to): (Tick, Tick)| scale.ns(to.0.saturating_sub(from.0)));
    rank.comm.reduce(&mut longest, Reduce::Max)?;
    let [header, unknown, close, total] = longest.map(|ns| ns as f64 * 1e-9);
    let mut amount = [written.amount];
    rank.comm.reduce(&mut amount, Reduce::Sum)?;
    Ok((Seconds { header, unknown, close, total }, amount[0]))
}
