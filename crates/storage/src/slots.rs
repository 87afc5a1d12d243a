//! The buffers of a queue, one per slot, in one piece of memory that the kernel may write into while a
//! slot's transfer is under way.
//!
//! Invariant: nobody gets a reference to a slot's bytes while its transfer is under way.
#![allow(unsafe_code)]

use std::io;
use std::mem::ManuallyDrop;

use crate::{ALIGNMENT, Buffer};

/// The slots of a queue.
pub(crate) struct Slots {
    /// Let go by `Drop`, unless the kernel may still write into it.
    memory: ManuallyDrop<Buffer>,
    /// The first byte of `memory`; all access goes through it.
    base: *mut u8,
    /// Bytes from one slot to the next.
    stride: usize,
    /// Bytes of a slot.
    bytes: usize,
    is_under_way: Vec<bool>,
    under_way: usize,
}

// SAFETY: `base` points into the memory that the value owns and moves with it to another thread.
unsafe impl Send for Slots {}

/// The bytes of a transfer that goes to the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Its first byte.
    pub(crate) start: *mut u8,
    /// How many there are.
    pub(crate) length: usize,
}

impl Slots {
    /// `depth` slots of `bytes` each, page-aligned and touched.
    pub(crate) fn new(depth: usize, bytes: usize) -> io::Result<Self> {
        let too_much = || {
            let what = format!("no memory for {depth} buffers of {bytes} bytes");
            io::Error::new(io::ErrorKind::OutOfMemory, what)
        };
        let stride = bytes.checked_next_multiple_of(ALIGNMENT).ok_or_else(too_much)?;
        let whole = stride.checked_mul(depth).ok_or_else(too_much)?;
        let mut memory = ManuallyDrop::new(Buffer::new(whole).map_err(|_| too_much())?);
        let base = memory.bytes_mut().as_mut_ptr();
        Ok(Self { memory, base, stride, bytes, is_under_way: vec![false; depth], under_way: 0 })
    }

    /// How many there are.
    pub(crate) fn depth(&self) -> usize {
        self.is_under_way.len()
    }

    /// How many have a transfer under way.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way
    }

    /// A slot's bytes; panics while its transfer is under way.
    pub(crate) fn bytes(&mut self, slot: usize) -> &mut [u8] {
        assert!(!self.is_under_way[slot], "slot {slot} belongs to the kernel until its transfer has ended");
        // SAFETY: the slot lies inside the memory, its transfer is not under way, and the borrow of
        // `self` keeps everybody else from the slots.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(slot * self.stride), self.bytes) }
    }

    /// The whole of a slot as the kernel is told of it beforehand.
    pub(crate) fn whole(&self, slot: usize) -> Piece {
        assert!(slot < self.depth(), "there are {} slots", self.depth());
        // SAFETY: the slot lies inside the memory.
        Piece { start: unsafe { self.base.add(slot * self.stride) }, length: self.bytes }
    }

    /// Gives the bytes of a slot from `from` on to the kernel; panics while its transfer is under way.
    pub(crate) fn begin(&mut self, slot: usize, from: usize) -> Piece {
        assert!(!self.is_under_way[slot], "slot {slot} has a transfer under way");
        assert!(from <= self.bytes, "a slot has {} bytes", self.bytes);
        self.is_under_way[slot] = true;
        self.under_way += 1;
        // SAFETY: the slot lies inside the memory, and `from` inside the slot.
        let start = unsafe { self.base.add(slot * self.stride + from) };
        Piece { start, length: self.bytes - from }
    }

    /// Takes a slot back from the kernel.
    pub(crate) fn end(&mut self, slot: usize) {
        assert!(self.is_under_way[slot], "slot {slot} ended without having begun");
        self.is_under_way[slot] = false;
        self.under_way -= 1;
    }

    /// Keeps the memory for ever: the kernel may still write into it, and nobody can say until when.
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
    fn slots_are_aligned_and_apart() {
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
    fn the_bytes_of_a_transfer_under_way_cannot_be_had() {
        let mut slots = Slots::new(2, 64).unwrap();
        slots.begin(1, 0);
        slots.bytes(1);
    }

    #[test]
    fn more_than_there_is_is_an_error_that_says_how_much() {
        for (depth, bytes) in [(usize::MAX, 4096), (2, usize::MAX), (1 << 20, 1 << 60)] {
            let error = Slots::new(depth, bytes).err().expect("nobody has that much");
            assert!(error.to_string().starts_with("no memory for"), "{error}");
        }
    }
}
