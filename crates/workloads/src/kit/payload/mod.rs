//! The data that is written, and how a reader checks it: IOR's four packet types, and assay's own type, which
//! shows where wrong data comes from.
//!
//! A buffer is filled completely once. Before each write only the words that depend on the offset are written
//! again. `classic` has IOR's types, `stamped` has assay's, and `lanes` has the loops that they share.
//!
//! Invariant: `holds` accepts at an offset exactly what `prepare` made for that offset.

pub(crate) mod blocks;
mod body_cipher;
mod classic;
mod keyed;
mod lanes;
pub(crate) mod stamped;

use blocks::{BlockPart, parts};
use classic::{ClassicData, WordChain};
pub use command::Packet;
pub use keyed::DataKey;
use lanes::WORD;
pub(crate) use lanes::native;
use stamped::Stamped;
pub use stamped::{BlockStamp, file_id, file_id_of, read_stamp, text_id};

/// Whose data it is, and its packet type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataIdentity {
    /// The packet type.
    pub packet: Packet,
    /// The signature, `-G`.
    pub signature: i32,
    /// The rank that writes it.
    pub rank: u64,
    /// The number of the file, [`file_id`]; only in stamped data.
    pub file: u64,
    /// Which writing of the file this is; only in stamped data.
    pub generation: u32,
    /// What keys the data; only in stamped data.
    pub key: Option<DataKey>,
}

/// Pieces that are contiguous in a buffer and separate in the file. Numbers are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpreadPieces {
    /// Length of a piece; at least 1.
    pub piece: usize,
    /// Distance from one piece to the next in the file.
    pub stride: u64,
}

impl SpreadPieces {
    /// For each piece of a buffer of `length` bytes: its start in the buffer, its length, and its place in
    /// the file. The first piece lies at `offset`.
    pub(crate) fn over(self, length: usize, offset: u64) -> impl Iterator<Item = (usize, usize, u64)> {
        let pieces = (0..length).step_by(self.piece).zip(0..);
        pieces.map(move |(at, number)| (at, self.piece.min(length - at), offset + number * self.stride))
    }
}

/// The data of one rank.
#[derive(Clone, Copy, Debug)]
pub struct Payload {
    identity: DataIdentity,
    spread: Option<SpreadPieces>,
    classic: ClassicData,
    stamped: Stamped,
}

/// Bytes that are compared at once.
pub(crate) const PIECE: usize = 4096;

/// The content of a read buffer where no data has arrived. No packet type writes this word: its upper half is
/// neither a rank's number nor that of a negative signature. It is neither odd nor a small number.
const POISON: u64 = 0xa5a5_5a5a_a5a5_5a5a;

/// Fills a read buffer with a word that is never written, so that missing data is detected.
pub fn poison(buffer: &mut [u8]) {
    for word in buffer.chunks_exact_mut(WORD) {
        word.copy_from_slice(&POISON.to_ne_bytes());
    }
}

/// The same for the first word of every 4 KiB. This is cheap enough before each read, and a missing page is
/// detected.
pub fn poison_pages(buffer: &mut [u8]) {
    for page in buffer.chunks_mut(PIECE) {
        poison(&mut page[..WORD]);
    }
}

impl Payload {
    /// The data of this identity.
    pub fn new(identity: DataIdentity) -> Self {
        let (classic, stamped) = (ClassicData::new(identity), Stamped::new(identity));
        Self { identity, spread: None, classic, stamped }
    }

    /// The same for buffers of several transfers that are separate in the file. Each has the data that it
    /// would have alone.
    pub fn spread(self, spread: SpreadPieces) -> Self {
        Self { spread: Some(spread), ..self }
    }

    /// How its buffers are spread, and the same data for buffers that are not.
    pub(crate) fn by_piece(self) -> Option<(SpreadPieces, Self)> {
        self.spread.map(|spread| (spread, Self { spread: None, ..self }))
    }

    /// Whose data it is.
    pub fn identity(&self) -> DataIdentity {
        self.identity
    }

    /// Whether [`Payload::prepare`] has anything to do before a write.
    pub fn depends_on_offset(&self) -> bool {
        self.identity.packet != Packet::Timestamp
    }

    /// Fills a buffer for a transfer at `offset`, every word.
    pub fn fill(&self, buffer: &mut [u8], offset: u64) {
        if let Some((spread, own)) = self.by_piece() {
            let pieces = spread.over(buffer.len(), offset);
            return pieces.for_each(|(at, length, place)| own.fill(&mut buffer[at..at + length], place));
        }
        self.stream(offset).fill(0, buffer);
    }

    /// Changes a buffer that was filled for another offset so that it fits `offset`.
    pub fn prepare(&self, buffer: &mut [u8], offset: u64) {
        if let Some((spread, own)) = self.by_piece() {
            let pieces = spread.over(buffer.len(), offset);
            return pieces.for_each(|(at, length, place)| own.prepare(&mut buffer[at..at + length], place));
        }
        match self.identity.packet {
            Packet::Stamped => self.stamped.fill(buffer, offset),
            _ => self.classic.prepare(buffer, offset),
        }
    }

    /// Compares every word of a transfer and writes none. Returns whether all are as written at `offset`.
    pub fn holds(&self, data: &[u8], offset: u64) -> bool {
        match self.identity.packet {
            Packet::Stamped => !self.stamped.differs(data, offset),
            _ => self.classic.holds(data, offset),
        }
    }

    /// The words of a transfer at `offset`, to be made piece by piece.
    pub(crate) fn stream(&self, offset: u64) -> WordStream {
        WordStream { payload: *self, offset, at: 0, chain: self.classic.chain(offset) }
    }

    /// The pieces of a transfer. In each piece a stamp can only be at the start.
    pub(crate) fn pieces(&self, offset: u64, length: usize) -> impl Iterator<Item = BlockPart> + use<> {
        let offset = if self.identity.packet == Packet::Stamped { offset } else { 0 };
        parts(offset, length)
    }

    /// The possible writer of a wrong transfer of one of IOR's types: rank and offset.
    pub(crate) fn guess(&self, data: &[u8], offset: u64) -> Option<(u64, u64)> {
        self.classic.guess(data, offset)
    }
}

/// The words of one transfer, made piece by piece from the start.
#[derive(Clone)]
pub(crate) struct WordStream {
    payload: Payload,
    offset: u64,
    at: usize,
    chain: WordChain,
}

impl WordStream {
    /// Makes the bytes from `at`. This must not be before the end of the bytes that were made last.
    pub(crate) fn fill(&mut self, at: usize, piece: &mut [u8]) {
        let payload = self.payload;
        if payload.identity.packet == Packet::Stamped {
            // The offset wraps around if the transfer would begin before its file.
            return payload.stamped.fill(piece, self.offset.wrapping_add(at as u64));
        }
        let mut skipped = [0; PIECE];
        while payload.identity.packet == Packet::Random && self.at < at {
            let length = PIECE.min(at - self.at);
            let first = self.at / WORD;
            payload.classic.fill(&mut skipped[..length], self.offset, first, &mut self.chain);
            self.at += length;
        }
        payload.classic.fill(piece, self.offset, at / WORD, &mut self.chain);
        self.at = at + piece.len();
    }
}

#[cfg(test)]
mod tests;
