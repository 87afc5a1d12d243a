//! Data access cases with the shared file pointer: the order of the calls decides where data goes.
//!
//! All ranks have the same view. The file is a sequence of pieces, each the data of one call. In ordered
//! calls the pieces follow in the order of the ranks; in other calls they follow in any order.

use std::path::Path;

use ranks::{Comm, Reduce};
use storage::Op;
use storage::mpi_file::{MpiFile, Opener, Pointer, Whence};

use super::check::{RankAccess, TAIL_BYTES, check_statuses};
use super::routine::Transfer;
use super::view::ViewLayout;
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_bytes, check_equal};
use crate::system_file;
use crate::test_data;

pub(super) fn check(cx: &CaseContext<'_>, part: &RankAccess<'_>) -> CaseResult {
    let length = region_length(part);
    cx.all("prefill", || if part.checks_file { part.prefill(length as usize) } else { Ok(()) })?;
    let file = part.open(cx)?;
    cx.agree("write", transfer(part, &file, Op::Write))?;
    cx.agree("pointer", check_pointer(part, &file))?;
    cx.close(file)?;
    cx.all("check the whole file", || if part.checks_file { check_file(part, length) } else { Ok(()) })?;
    let file = part.open(cx)?;
    cx.agree("MPI_File_seek_shared", file.seek(Pointer::Shared, 0, Whence::Start))?;
    let read = cx.agree("read", transfer(part, &file, Op::Read))?;
    cx.agree("pointer", check_pointer(part, &file))?;
    cx.close(file)?;
    let counts = cx.agree("check the read data", count_pieces_read(part, &read))?;
    check_each_read_once(cx, part, counts)
}

/// The layout of the whole file, without the offset of a rank.
fn shared_layout(part: &RankAccess<'_>) -> ViewLayout {
    ViewLayout { start: 0, ..part.layout(0) }
}

/// The pieces by rank and call: two for each rank that moves data.
fn pieces(part: &RankAccess<'_>) -> Vec<(u32, u32)> {
    let moves = |rank: &u32| part.layout(*rank).each > 0;
    (0..2).flat_map(|call| (0..part.member.size).filter(moves).map(move |rank| (rank, call))).collect()
}

/// Size of a piece, bytes.
fn piece(part: &RankAccess<'_>) -> u64 {
    let layout = shared_layout(part);
    layout.each * layout.etype
}

fn region_length(part: &RankAccess<'_>) -> u64 {
    let bytes = pieces(part).len() as u64 * piece(part);
    let end = if bytes == 0 { 0 } else { shared_layout(part).place(bytes - 1) + 1 - part.case.base_offset };
    end + TAIL_BYTES
}

/// The data of a rank's call: one piece.
fn data(part: &RankAccess<'_>, rank: u32, call: u32) -> Vec<u8> {
    part.piece(rank, call, piece(part) as usize)
}

/// Makes both calls; gives the data that was read.
fn transfer(part: &RankAccess<'_>, file: &MpiFile, op: Op) -> Result<Vec<Vec<u8>>, CaseProblem> {
    let case = part.case;
    let layout = part.layout(part.member.rank);
    let memory = part.memory_kind(op).layout(part.comm, layout.each * layout.etype)?;
    let fill = |call| match (op, layout.each) {
        (Op::Write, 1..) => memory.buffer_with(&data(part, part.member.rank, call)),
        _ => memory.empty_buffer(),
    };
    let start = |call| Transfer {
        datatype: &memory.datatype,
        count: memory.count,
        buffer: fill(call),
        offset: 0,
        calls: case.calls,
    };
    let completions = case.routine.perform(file, op, vec![start(0), start(1)]);
    check_statuses(&case.routine.name_of(op), &completions, &memory, &layout)?;
    let bytes = (layout.each * layout.etype) as usize;
    completions
        .into_iter()
        .map(|(_, buffer)| {
            let data = memory.extract(&buffer, bytes);
            check_bytes(
                "gaps of the buffer",
                Path::new("the buffer"),
                0,
                &memory.buffer_with(&data),
                &buffer,
            )?;
            Ok(data)
        })
        .collect()
}

/// Fails unless the pointer is after the data of all calls.
fn check_pointer(part: &RankAccess<'_>, file: &MpiFile) -> Result<(), CaseProblem> {
    part.comm.barrier().map_err(|halt| CaseProblem::fail(halt.to_string()))?;
    let layout = shared_layout(part);
    let wanted = pieces(part).len() as u64 * layout.each;
    let found = file.position(Pointer::Shared).context("MPI_File_get_position_shared")?;
    check_equal("the shared pointer after all calls, in etypes", &(wanted as i64), &found)
}

/// Fails unless each piece of the file is the data of a call, each call has its piece, and all other bytes
/// are untouched.
fn check_file(part: &RankAccess<'_>, length: u64) -> Result<(), CaseProblem> {
    let (layout, bytes) = (shared_layout(part), piece(part));
    let file = system_file::open(&part.path)?;
    let found = system_file::read_at(&file, length as usize, part.case.base_offset)?;
    let mut expected_file = vec![test_data::UNTOUCHED; length as usize];
    let mut left = pieces(part);
    for slot in 0..left.len() as u64 {
        let places: Vec<usize> =
            (0..bytes).map(|at| (layout.place(slot * bytes + at) - part.case.base_offset) as usize).collect();
        let there: Vec<u8> = places.iter().map(|place| found.get(*place).copied().unwrap_or(0)).collect();
        // Ordered calls have one valid order. In others the piece may be of any call; a piece that is of none
        // is compared with the first that is left, so that the evidence has both values.
        let same = |(rank, call): &(u32, u32)| data(part, *rank, *call) == there;
        let at = if part.case.routine.collective { 0 } else { left.iter().position(same).unwrap_or(0) };
        let (rank, call) = left.remove(at);
        let wanted = data(part, rank, call);
        places.iter().zip(wanted).for_each(|(place, byte)| expected_file[*place] = byte);
    }
    let what = format!("the file after {} of all ranks", part.case.routine.name);
    check_bytes(&what, &part.path, part.case.base_offset, &expected_file, &found)
}

/// How often this rank read each piece.
fn count_pieces_read(part: &RankAccess<'_>, read: &[Vec<u8>]) -> Result<Vec<u64>, CaseProblem> {
    let written = pieces(part);
    let mut counts = vec![0; written.len()];
    for found in read.iter().filter(|found| !found.is_empty()) {
        let same = |(rank, call): &(u32, u32)| data(part, *rank, *call) == *found;
        match written.iter().position(same) {
            Some(at) => counts[at] += 1,
            None => {
                let (rank, call) = written.first().copied().unwrap_or_default();
                let expected = data(part, rank, call);
                let what = format!(
                    "{} brought no piece that was written; against the first",
                    part.case.routine.read_name()
                );
                check_bytes(&what, Path::new("the buffer"), 0, &expected, found)?;
            }
        }
    }
    Ok(counts)
}

/// Fails unless every piece was read once. Where each rank has a file of its own, each counts its own reads.
fn check_each_read_once(cx: &CaseContext<'_>, part: &RankAccess<'_>, mut counts: Vec<u64>) -> CaseResult {
    part.comm.barrier()?;
    let alone = matches!(part.whose, Opener::Alone(_));
    if !alone {
        part.comm.all_reduce(&mut counts, Reduce::Sum)?;
    }
    cx.all("count what was read", || {
        counts.iter().zip(pieces(part)).try_for_each(|(count, (rank, call))| {
            check_equal(&format!("ranks that read what rank {rank} wrote in call {call}"), &1, count)
        })
    })
}
