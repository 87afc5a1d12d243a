//! Gathers the bytes of all ranks on rank 0: first within each node, then among the first ranks of the nodes.
//! So rank 0 receives a message of each node, and not of each rank.
//!
//! Each step is one collective. It has a frame of fixed length from each rank: the length of its bytes, and
//! the first of them. Only a rank with more sends the rest, as messages that rank 0 expects.
//!
//! Never here: what the bytes mean.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::comm::{MpiComm, NodesOfComm, int, rank, start_of, start_of_mut};
use crate::comm::Halt;

/// Bytes of a rank in its frame. The row of a phase's record fits.
const ROOM: usize = 120;

/// The length before the bytes.
const HEAD: usize = 8;

/// The most bytes of a node in its frame, however many ranks it has.
const NODE_ROOM: usize = 16 << 10;

/// The most bytes of one message with a rest.
const MESSAGE_BYTES: usize = 1 << 26;

/// Tag of a message with a rest.
const TAG_REST: c_int = 104;

/// The bytes of every rank in rank order, on rank 0. Collective.
pub(super) fn all(comm: &MpiComm, mine: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Halt> {
    let many = match comm.nodes()? {
        NodesOfComm::One => return flat(comm, mine, ROOM),
        NodesOfComm::Many(many) => many,
    };
    let (Some(rows), Some(leaders)) = (flat(&many.here, mine, ROOM)?, &many.leaders) else {
        return Ok(None);
    };
    let packed: Vec<u8> = rows.iter().flat_map(|row| [&head(row)[..], row].concat()).collect();
    let room = (many.most * (HEAD + ROOM)).min(NODE_ROOM);
    let nodes = flat(leaders, &packed, room)?;
    Ok(nodes.map(|nodes| {
        let mut all = vec![Vec::new(); comm.size as usize];
        for (ranks, packed) in many.ranks.iter().zip(&nodes) {
            let mut left = packed.as_slice();
            for number in ranks {
                let (length, rest) = left.split_at(HEAD);
                let (row, rest) = rest.split_at(length_of(length));
                all[*number as usize] = row.to_vec();
                left = rest;
            }
        }
        all
    }))
}

/// The same without regard to nodes, with frames for `room` bytes of each rank. Collective.
pub(super) fn flat(comm: &MpiComm, mine: &[u8], room: usize) -> Result<Option<Vec<Vec<u8>>>, Halt> {
    if comm.size == 1 {
        return Ok(Some(vec![mine.to_vec()]));
    }
    let frames = gather_frames(comm, mine, room)?;
    let rest = &mine[room.min(mine.len())..];
    if comm.rank > 0 {
        rest.chunks(MESSAGE_BYTES).try_for_each(|piece| send(comm, piece))?;
        return Ok(None);
    }
    let mut rows = Vec::with_capacity(comm.size as usize);
    for (from, frame) in (0..).zip(frames.chunks_exact(HEAD + room)) {
        let (length, first) = frame.split_at(HEAD);
        let length = length_of(length);
        let mut row = first[..length.min(room)].to_vec();
        if from == 0 {
            row.extend_from_slice(rest);
        }
        let received = row.len();
        row.resize(length, 0);
        row[received..].chunks_mut(MESSAGE_BYTES).try_for_each(|piece| receive(comm, from, piece))?;
        rows.push(row);
    }
    Ok(Some(rows))
}

/// The frames of all ranks one after the other on rank 0; empty on others.
fn gather_frames(comm: &MpiComm, mine: &[u8], room: usize) -> Result<Vec<u8>, Halt> {
    let mut frame = vec![0; HEAD + room];
    let inside = mine.len().min(room);
    frame[..HEAD].copy_from_slice(&head(mine));
    frame[HEAD..HEAD + inside].copy_from_slice(&mine[..inside]);
    let mut all = vec![0_u8; if comm.rank == 0 { frame.len() * comm.size as usize } else { 0 }];
    let (kind, each) = (comm.mpi.constants().byte, int(frame.len()));
    comm.complete("MPI_Igather", |f, request| {
        let (from, into) = (start_of(&frame), start_of_mut(&mut all));
        // SAFETY: both buffers outlive the request; at the root `all` has one frame for each rank.
        unsafe { (f.igather)(from, each, kind, into, each, kind, 0, comm.handle, request) }
    })?;
    Ok(all)
}

fn head(bytes: &[u8]) -> [u8; HEAD] {
    (bytes.len() as u64).to_ne_bytes()
}

fn length_of(head: &[u8]) -> usize {
    let length = head.try_into().map_or(0, u64::from_ne_bytes);
    usize::try_from(length).expect("what a rank holds in memory")
}

/// Sends a part of the rest to rank 0.
fn send(comm: &MpiComm, piece: &[u8]) -> Result<(), Halt> {
    let kind = comm.mpi.constants().byte;
    comm.complete("MPI_Isend", |f, request| {
        // SAFETY: `piece` is borrowed until the request has ended.
        unsafe { (f.isend)(start_of(piece), int(piece.len()), kind, 0, TAG_REST, comm.handle, request) }
    })
}

/// Receives a part of the rest of rank `from`.
fn receive(comm: &MpiComm, from: u32, piece: &mut [u8]) -> Result<(), Halt> {
    let kind = comm.mpi.constants().byte;
    comm.complete("MPI_Irecv", |f, request| {
        let (into, count) = (start_of_mut(piece), int(piece.len()));
        // SAFETY: `piece` is borrowed until the request has ended.
        unsafe { (f.irecv)(into, count, kind, rank(from), TAG_REST, comm.handle, request) }
    })
}
