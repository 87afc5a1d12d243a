//! The operations of [`Comm`] on a communicator of MPI processes.
//!
//! Long buffers are sent in pieces, so that no MPI count (a C `int`) overflows. A communicator of one rank
//! never calls MPI.
#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::{c_int, c_void};

use ffi::mpi::{Functions, Handle};

use super::comm::{MpiComm, int, start_of, start_of_mut};
use super::{clock, gather};
use crate::comm::{ClockOffset, Comm, Halt, Reduce};

/// The most values that one call reduces.
const REDUCE_VALUES: usize = 1 << 20;

/// The most bytes that one call broadcasts.
const BROADCAST_BYTES: usize = 1 << 25;

/// The bytes of a broadcast that are sent together with its length. Nearly all broadcasts are shorter, and
/// are one collective.
const BROADCAST_FIRST: usize = 1016;

impl MpiComm {
    /// Reduces `values` in pieces with `start`, which gets what this rank brings and where the result goes.
    fn reduce_pieces(
        &self,
        step: &str,
        values: &mut [u64],
        start: impl Fn(&Functions, *const c_void, *mut c_void, c_int, &mut Handle) -> c_int,
    ) -> Result<(), Halt> {
        if self.size == 1 {
            return Ok(());
        }
        for chunk in values.chunks_mut(REDUCE_VALUES) {
            debug_assert!(chunk.iter().all(|value| *value < 1 << 63), "values stay below 2^63");
            let own = chunk.to_vec();
            self.complete(step, |f, request| {
                start(f, start_of(&own), start_of_mut(chunk), int(own.len()), request)
            })?;
        }
        Ok(())
    }

    /// The MPI operation of a reduction.
    fn op(&self, how: Reduce) -> Handle {
        let constants = self.mpi.constants();
        match how {
            Reduce::Sum => constants.sum,
            Reduce::Min => constants.min,
            Reduce::Max => constants.max,
        }
    }
}

impl Comm for MpiComm {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn node_name(&self) -> &str {
        &self.node
    }

    fn barrier(&self) -> Result<(), Halt> {
        if self.size == 1 {
            return Ok(());
        }
        self.complete("MPI_Ibarrier", |f, request| {
            // SAFETY: the handle is live.
            unsafe { (f.ibarrier)(self.handle, request) }
        })
    }

    fn all_reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        let (kind, op) = (self.mpi.constants().int64, self.op(how));
        self.reduce_pieces("MPI_Iallreduce", values, |f, from, into, count, request| {
            // SAFETY: `reduce_pieces` gives two buffers of `count` values that outlive the request.
            unsafe { (f.iallreduce)(from, into, count, kind, op, self.handle, request) }
        })
    }

    fn reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        let (kind, op) = (self.mpi.constants().int64, self.op(how));
        self.reduce_pieces("MPI_Ireduce", values, |f, from, into, count, request| {
            // SAFETY: as above.
            unsafe { (f.ireduce)(from, into, count, kind, op, 0, self.handle, request) }
        })
    }

    fn broadcast(&self, root: u32, data: &mut Vec<u8>) -> Result<(), Halt> {
        assert!(root < self.size, "the root of a broadcast is one of the ranks");
        if self.size == 1 {
            return Ok(());
        }
        let mut first = [0_u8; 8 + BROADCAST_FIRST];
        if self.rank == root {
            let inside = data.len().min(BROADCAST_FIRST);
            first[..8].copy_from_slice(&(data.len() as u64).to_ne_bytes());
            first[8..8 + inside].copy_from_slice(&data[..inside]);
        }
        self.broadcast_piece(root, &mut first)?;
        let (length, inside) = first.split_at(8);
        let length = length.try_into().map_or(0, u64::from_ne_bytes);
        let length = usize::try_from(length).expect("what the root holds in memory");
        data.resize(length, 0);
        let (begin, rest) = data.split_at_mut(length.min(BROADCAST_FIRST));
        begin.copy_from_slice(&inside[..begin.len()]);
        rest.chunks_mut(BROADCAST_BYTES).try_for_each(|piece| self.broadcast_piece(root, piece))
    }

    fn gather(&self, mine: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Halt> {
        if self.size == 1 {
            return Ok(Some(vec![mine.to_vec()]));
        }
        gather::all(self, mine)
    }

    fn split(&self, color: u32) -> Result<Box<dyn Comm>, Halt> {
        Ok(Box::new(self.split_as(color)?))
    }

    fn split_by_node(&self) -> Result<Box<dyn Comm>, Halt> {
        Ok(Box::new(self.node_ranks()?.clone()))
    }

    fn clock_offset(&self, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
        clock::offset(self, now)
    }

    fn post(&self, to: u32, message: Vec<u8>) -> Result<(), Halt> {
        let posted = self.shared.messages.post(&self.mpi, self.handle, to, &message);
        posted.map_err(|code| self.halt("MPI_Isend", code))
    }

    fn has_unsent(&self) -> Result<bool, Halt> {
        self.shared.messages.has_unsent(&self.mpi).map_err(|code| self.halt("MPI_Test", code))
    }

    fn poll(&self) -> Result<Option<(u32, Vec<u8>)>, Halt> {
        if self.size == 1 {
            return Ok(None);
        }
        let polled = self
            .shared
            .messages
            .poll(&self.mpi, self.handle, || self.shared.alarm.check(&self.mpi, self.handle));
        polled.map_err(|code| self.halt("MPI_Irecv", code))
    }

    fn raise_alarm(&self) {
        self.shared.alarm.raise(&self.mpi, self.handle);
    }

    fn alarm_raised(&self) -> bool {
        self.shared.alarm.raised(&self.mpi, self.handle)
    }

    fn clear_alarm(&self) -> Result<(), Halt> {
        let alarm = &self.shared.alarm;
        // No rank checks for messages during these calls: a faster rank may already raise the next alarm.
        if self.size > 1 && self.quiet_any(alarm.has_sent())? {
            alarm.drain(&self.mpi, self.handle).map_err(|code| self.halt("MPI_Test", code))?;
            self.quiet_barrier()?;
        }
        alarm.begin_next();
        Ok(())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}
