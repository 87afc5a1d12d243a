//! Where the transfers of a rank lie: IOR's segments, blocks and transfers.
//!
//! A file has `segments` segments. Each holds one block of every rank (single shared file) or of one rank
//! (file per process). A block is a whole number of transfers (IOR user documentation, "segments").

use storage::Parts;

/// The shape of the data of one test. Sizes are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataLayout {
    /// Number of ranks that share the work.
    pub ranks: u64,
    /// Number of segments.
    pub segments: u64,
    /// Bytes of one rank in one segment; a multiple of `transfer`.
    pub block: u64,
    /// Bytes of one transfer; at least 1.
    pub transfer: u64,
    /// Each rank has a file of its own.
    pub file_per_rank: bool,
}

impl DataLayout {
    /// For a rank that counts its own items instead of bytes.
    pub fn items(count: u64) -> Self {
        Self { ranks: 1, segments: 1, block: count, transfer: 1, file_per_rank: true }
    }

    /// The same bytes as one segment, in which the block of a rank has its transfers of all segments.
    pub fn in_one_segment(self) -> Self {
        Self { block: self.block * self.segments, segments: 1, ..self }
    }

    /// Transfers in a block.
    pub fn transfers_per_block(&self) -> u64 {
        self.block / self.transfer
    }

    /// Transfers of one rank in the whole test.
    pub fn transfers_per_rank(&self) -> u64 {
        self.transfers_per_block() * self.segments
    }

    /// Bytes from one segment to the next in a file.
    pub fn segment_stride(&self) -> u64 {
        if self.file_per_rank { self.block } else { self.block * self.ranks }
    }

    /// Where the block of `rank` begins within a segment.
    pub fn block_start(&self, rank: u64) -> u64 {
        if self.file_per_rank { 0 } else { self.block * rank }
    }

    /// The rank whose data lies at an offset of a shared file.
    pub fn owner(&self, offset: u64) -> u64 {
        offset / self.block % self.ranks
    }

    /// Bytes of all ranks together; `None` if they do not fit in 63 bits.
    pub fn total_bytes(&self) -> Option<u64> {
        let rank = self.block.checked_mul(self.segments)?;
        rank.checked_mul(self.ranks).filter(|bytes| *bytes < 1 << 63)
    }

    /// Bytes of one file.
    pub fn file_bytes(&self) -> u64 {
        self.segment_stride() * self.segments
    }

    /// The parts of a file, for backends that need them.
    pub fn parts(&self) -> Parts {
        Parts { segment: self.segment_stride(), block: self.block, transfer: self.transfer, owner: None }
    }

    /// The same for a file of which only the parts of `rank` are moved.
    pub fn parts_of(&self, rank: u64) -> Parts {
        Parts { owner: Some(if self.file_per_rank { 0 } else { rank }), ..self.parts() }
    }
}
