//! The blocks of stamped data: their length, and the blocks of a transfer.

use super::lanes::WORD;

/// Bytes of a block. Each block begins with a stamp.
pub(crate) const BLOCK: u64 = 4096;
/// Words of a stamp.
pub(crate) const STAMP_WORDS: usize = 8;

/// A part of a transfer that lies within one block.
pub(crate) struct BlockPart {
    /// Distance from the start of the transfer, bytes.
    pub(crate) at: usize,
    /// Bytes.
    pub(crate) length: usize,
}

/// The parts of a transfer of `length` bytes at `offset`.
pub(crate) fn parts(offset: u64, length: usize) -> impl Iterator<Item = BlockPart> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = (BLOCK - (offset + at as u64) % BLOCK) as usize;
        let part = BlockPart { at, length: rest.min(length - at) };
        at += part.length;
        (part.length > 0).then_some(part)
    })
}

/// The block of an offset and the index of its word in it.
pub(super) fn place(offset: u64) -> (u64, u64) {
    (offset / BLOCK, offset % BLOCK / WORD as u64)
}
