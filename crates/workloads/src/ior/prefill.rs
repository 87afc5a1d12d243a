//! `--randomPrefill`: fills the blocks of shuffled writes sequentially, before the writes are measured.
//!
//! Shuffled writes into an empty file measure how a file system allocates. Into an existing file they measure
//! how it overwrites. The prefill is a separate step, outside every clock. Its data is on storage before the
//! write begins.
//!
//! Invariant: afterwards all blocks of all ranks hold 0xFF, or all ranks have halted.

use ranks::FailureCause;
use results::reason;
use std::io;
use std::path::Path;
use storage::call_error;

use command::ior::Request;
use measure::Clock;
use ranks::Halt;
use storage::{Buffer, File, Mode, Open};

use super::files;
use super::layout::{layout, open};
use super::observer::IorEvent;
use super::phase;
use super::setting::PhaseKind;
use super::test::RunningTest;
use crate::kit::drive::TransferTrouble;
use crate::kit::failed_call::{direct_remedy, named};

/// Number of times that a partly written piece is continued.
const RETRIES: u32 = 10_000;

/// Fills the blocks of all ranks, if requested. The step ends on all ranks together.
pub(super) fn fill(test: &mut RunningTest<'_>, repetition: u32) -> Result<(), Halt> {
    let parameters = test.parameters;
    if parameters.prefill == 0 || !parameters.shuffled() {
        return Ok(());
    }
    test.rank.comm.barrier()?;
    let begin = test.rank.clock.ns();
    let path = files::mine(test, repetition);
    phase::reachable(test, PhaseKind::Write, &path)?;
    let buffer = Buffer::new(parameters.prefill.min(parameters.block) as usize);
    let mut buffer = test.rank.comm.agree("prefill", buffer)?;
    buffer.bytes_mut().fill(0xff);
    let how = Open { collective: false, ..open(parameters, Mode::Write, test.rank.comm.size()) };
    let opened = test.storage.open(test.rank.comm, &path, how);
    let opened = opened.map_err(|error| named("open", &path, &error));
    // Sync and close may be collective calls, so either all ranks have the file or all stop here.
    let mut file = test.rank.comm.agree("prefill", opened)?;
    let written =
        write(test, &mut *file, &path, buffer.bytes()).inspect_err(|_| test.rank.comm.raise_alarm());
    let synced = file.sync().map_err(|error| named("fsync", &path, &error));
    let closed = file.close().map_err(|error| named("close", &path, &error));
    test.rank.comm.agree("prefill", written.and(synced).and(closed))?;
    let seconds = (test.rank.clock.ns() - begin) as f64 * 1e-9;
    test.observer.event(&IorEvent::Prefilled(seconds));
    let bytes = parameters.total_bytes(test.rank.comm.size()).unwrap_or(0);
    test.notice(&reason!(Prefill { amount: bytes, piece: parameters.prefill, seconds }))
}

/// Writes this rank's blocks piece by piece, until another rank fails.
fn write(test: &RunningTest<'_>, file: &mut dyn File, path: &Path, piece: &[u8]) -> Result<(), FailureCause> {
    for offset in offsets(test.parameters, test.rank.comm.rank(), test.rank.comm.size()) {
        if test.rank.comm.alarm_raised() {
            return Ok(());
        }
        write_piece(file, piece, offset).map_err(|error| {
            let direct_bytes = test.storage.direct().then_some(piece.len() as u64);
            let mut trouble = TransferTrouble::new("write", path, Some(offset), &error);
            if let Some(call) = &trouble.call {
                trouble.why.push_str(&direct_remedy(direct_bytes, call, "--randomPrefill"));
            }
            trouble
        })?;
    }
    Ok(())
}

/// The offsets of the pieces of `rank`, block by block.
fn offsets(parameters: &Request, rank: u32, ranks: u32) -> impl Iterator<Item = u64> {
    let layout = layout(parameters, ranks);
    let piece = parameters.prefill.min(layout.block);
    (0..layout.segments).flat_map(move |segment| {
        let begin = segment * layout.segment_stride() + layout.block_start(rank.into());
        (0..layout.block / piece).map(move |number| begin + number * piece)
    })
}

/// Writes one piece, in several calls if one call moves only a part.
fn write_piece(file: &mut dyn File, piece: &[u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    for _ in 0..RETRIES {
        match file.write_at(&piece[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(moved) => done += moved,
            Err(error) => return Err(error),
        }
        if done == piece.len() {
            return Ok(());
        }
    }
    Err(call_error::short(format!("short write: moved {done} of {} bytes", piece.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of all ranks cover the file once, as long as they divide the block.
    #[test]
    fn the_pieces_of_all_ranks_tile_the_file() {
        for (ranks, segments, prefill) in [(1, 1, 64), (3, 2, 16), (4, 3, 64), (2, 2, 1000)] {
            let parameters = Request { block: 64, transfer: 8, segments, prefill, ..Request::default() };
            let piece = prefill.min(64);
            let mut all: Vec<u64> = (0..ranks).flat_map(|rank| offsets(&parameters, rank, ranks)).collect();
            all.sort_unstable();
            let whole = u64::from(ranks) * segments * 64;
            assert_eq!(all, (0..whole).step_by(piece as usize).collect::<Vec<_>>(), "{parameters:?}");
        }
    }
}
