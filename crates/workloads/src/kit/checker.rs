//! Comparing what was read with what should have come, and keeping where it differs.

use super::payload::{Mismatch, Payload};

/// A wrong transfer: where in the file, and what was wrong in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bad {
    /// First wrong byte in the file.
    pub offset: u64,
    /// What was wrong.
    pub mismatch: Mismatch,
}

/// Compares what was read, and keeps the first bad ranges.
pub struct Checker {
    /// What should have come.
    pub payload: Payload,
    /// Transfers with wrong words.
    pub bad_transfers: u64,
    /// The first of them.
    pub bad: Vec<Bad>,
    /// Bytes compared.
    pub bytes: u64,
    /// How many bad ranges are kept.
    pub cap: usize,
}

impl Checker {
    /// A checker for data of `payload` that keeps up to `cap` bad ranges.
    pub fn new(payload: Payload, cap: usize) -> Self {
        Self { payload, bad_transfers: 0, bad: Vec::new(), bytes: 0, cap }
    }

    /// Compares what a read at `offset` brought.
    pub fn look(&mut self, data: &[u8], offset: u64) {
        self.bytes += data.len() as u64;
        if let Some(mismatch) = self.payload.check(data, offset) {
            self.bad_transfers += 1;
            if self.bad.len() < self.cap {
                self.bad.push(Bad { offset: offset + mismatch.first, mismatch });
            }
        }
    }

    /// Of a read of `length` bytes at `offset` only `moved` came: the file ends there.
    pub fn missing(&mut self, offset: u64, moved: usize, length: usize) {
        self.bad_transfers += 1;
        if self.bad.len() < self.cap {
            let first = moved as u64;
            let mismatch = Mismatch { first, length: (length - moved) as u64, expected: 0, found: 0 };
            self.bad.push(Bad { offset: offset + first, mismatch });
        }
    }
}
