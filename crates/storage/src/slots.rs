//! The buffers of a queue, one per slot, in one block of memory that the kernel may write into during a
//! slot's transfer.
//!
//! Invariant: while a slot's transfer is outstanding, no reference to the slot's bytes exists.
#![allow(unsafe_code)]

use std::io;
use std::mem::ManuallyDrop;

use crate::{ALIGNMENT, Buffer};

/// The slots of a queue.
pub(crate) struct Slots {
    /// Freed by `Drop`, unless the kernel may still write into it.
    memory: ManuallyDrop<Buffer>,
    /// The first byte of `memory`; all access goes through it.
    base: *mut u8,
    /// Bytes from one slot to the next.
    stride: usize,
    /// Bytes of a slot.
    bytes: usize,
    is_outstanding: Vec<bool>,
    outstanding: usize,
}

// SAFETY: `base` points into memory that the value owns, and both move to the other thread together.
unsafe impl Send for Slots {}

/// The bytes of a transfer that the kernel gets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Its first byte.
    pub(crate) start: *mut u8,
    /// Its length in bytes.
    pub(crate) length: usize,
}

impl Slots {
    /// `depth` slots of `bytes` each, page-aligned and written once.
    pub(crate) fn new(depth: usize, bytes: usize) -> io::Result<Self> {
        let too_much = || {
            let what = format!("no memory for {depth} buffers of {bytes} bytes");
            io::Error::new(io::ErrorKind::OutOfMemory, what)
        };
        let stride = bytes.checked_next_multiple_of(ALIGNMENT).ok_or_else(too_much)?;
        let whole = stride.checked_mul(depth).ok_or_else(too_much)?;
        let mut memory = ManuallyDrop::new(Buffer::new(whole).map_err(|_| too_much())?);
        let base = memory.bytes_mut().as_mut_ptr();
        Ok(Self { memory, base, stride, bytes, is_outstanding: vec![false; depth], outstanding: 0 })
    }

    /// The number of slots.
    pub(crate) fn depth(&self) -> usize {
        self.is_outstanding.len()
    }

    /// How many slots have an outstanding transfer.
    pub(crate) fn outstanding(&self) -> usize {
        self.outstanding
    }

    /// A slot's bytes; panics while its transfer is outstanding.
    pub(crate) fn bytes(&mut self, slot: usize) -> &mut [u8] {
        assert!(!self.is_outstanding[slot], "slot {slot} belongs to the kernel until its transfer has ended");
        // SAFETY: the slot is inside the memory, its transfer is not outstanding, and the borrow of `self`
        // excludes every other access to the slots.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(slot * self.stride), self.bytes) }
    }

    /// A whole slot, for registration with the kernel before any transfer.
    pub(crate) fn whole(&self, slot: usize) -> Piece {
        assert!(slot < self.depth(), "there are {} slots", self.depth());
        // SAFETY: the slot is inside the memory.
        Piece { start: unsafe { self.base.add(slot * self.stride) }, length: self.bytes }
    }

    /// Gives the bytes of a slot from `from` on to the kernel; panics while its transfer is outstanding.
    pub(crate) fn begin(&mut self, slot: usize, from: usize) -> Piece {
        assert!(!self.is_outstanding[slot], "slot {slot} has an outstanding transfer");
        assert!(from <= self.bytes, "a slot has {} bytes", self.bytes);
        self.is_outstanding[slot] = true;
        self.outstanding += 1;
        // SAFETY: the slot is inside the memory, and `from` inside the slot.
        let start = unsafe { self.base.add(slot * self.stride + from) };
        Piece { start, length: self.bytes - from }
    }

    /// Takes a slot back from the kernel.
    pub(crate) fn end(&mut self, slot: usize) {
        assert!(self.is_outstanding[slot], "slot {slot} ended without having begun");
        self.is_outstanding[slot] = false;
        self.outstanding -= 1;
    }

    /// Keeps the memory forever: the kernel may still write into it, for an unknown time.
    pub(crate) fn abandon(&mut self) {
        self.base = std::ptr::null_mut();
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        if !self.base.is_null() {
            // SAFETY: dropped once, here, and not used afterwards.
            unsafe { ManuallyDrop::drop(&mut self.memory) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_aligned_and_do_not_overlap() {
        let mut slots = Slots::new(3, 5000).unwrap();
        for slot in 0..3 {
            assert_eq!(slots.bytes(slot).as_ptr().addr() % ALIGNMENT, 0);
            slots.bytes(slot).fill(slot as u8);
        }
        for slot in 0..3 {
            assert!(slots.bytes(slot).iter().all(|byte| *byte == slot as u8));
        }
    }

    #[test]
    #[should_panic(expected = "slot 1 belongs to the kernel")]
    fn the_bytes_of_an_outstanding_transfer_cannot_be_accessed() {
        let mut slots = Slots::new(2, 64).unwrap();
        slots.begin(1, 0);
        slots.bytes(1);
    }

    #[test]
    fn more_slots_than_memory_are_an_error_that_states_the_size() {
        for (depth, bytes) in [(usize::MAX, 4096), (2, usize::MAX), (1 << 20, 1 << 60)] {
            let error = Slots::new(depth, bytes).err().expect("no machine has that much memory");
            assert!(error.to_string().starts_with("no memory for"), "{error}");
        }
    }
}
