//! What is written, and how a reader knows that it came back: IOR's four packet types, and one of our
//! own that tells where wrong data comes from.
//!
//! A buffer is filled whole once; before each write only the words that depend on the offset are put in
//! again. `classic` are IOR's types, `stamped` is ours, `lanes` are the loops they share.
//!
//! Invariant: what `prepare` made for an offset `holds` there, and nothing else does.

mod classic;
mod lanes;
pub(crate) mod stamped;

use classic::{ClassicData, WordChain};
use lanes::WORD;
pub(crate) use lanes::native;
use stamped::{BlockPart, Stamped, parts};
pub use stamped::{BlockStamp, file_id, read_stamp};

/// Packet types, `-l`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packet {
    /// `t`: rank and a running number from the signature; the same for every transfer of a rank.
    #[default]
    Timestamp,
    /// `o`: as `t`, but every 512th word holds the offset.
    Offset,
    /// `i`: one random word repeated, every 512th word holds the offset.
    Incompressible,
    /// `r`: pseudo-random words from signature, rank and offset.
    Random,
    /// `s`: every 4 KiB of the file say whose they are; not IOR's.
    Stamped,
}

/// Whose data it is, and of which type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataIdentity {
    /// Its type.
    pub packet: Packet,
    /// The signature, `-G`.
    pub signature: i32,
    /// The rank that writes it.
    pub rank: u64,
    /// What stands for the file, [`file_id`]; only in stamped data.
    pub file: u64,
    /// Which writing of it; only in stamped data.
    pub generation: u32,
}

/// Pieces that lie end to end in a buffer, and apart in the file. Numbers are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpreadPieces {
    /// Of a piece; at least 1.
    pub piece: usize,
    /// From one piece to the next in the file.
    pub stride: u64,
}

impl SpreadPieces {
    /// Where each piece of a buffer of so many bytes begins there, how long it is, and where it lies in the
    /// file if the first lies at `offset`.
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

/// Bytes that are compared before looking closer.
pub(crate) const PIECE: usize = 4096;

/// What stands in a read buffer where nothing has arrived: no packet type writes this word (its upper
/// half is no rank's number, nor that of a negative signature; and it is neither odd nor a small number).
const POISON: u64 = 0xa5a5_5a5a_a5a5_5a5a;

/// Fills a read buffer with a word that is never written, so that what does not arrive is seen.
pub fn poison(buffer: &mut [u8]) {
    for word in buffer.chunks_exact_mut(WORD) {
        word.copy_from_slice(&POISON.to_ne_bytes());
    }
}

/// The same for the first word of every 4 KiB: cheap enough to do before each read, and a page that
/// does not arrive is seen.
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

    /// The same in buffers of several transfers that lie apart in the file: each is as if it were alone.
    pub fn spread(self, spread: SpreadPieces) -> Self {
        Self { spread: Some(spread), ..self }
    }

    /// How its buffers are spread, and the same data in buffers that are not.
    pub(crate) fn by_piece(self) -> Option<(SpreadPieces, Self)> {
        self.spread.map(|spread| (spread, Self { spread: None, ..self }))
    }

    /// Whose it is.
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

    /// Makes a buffer that was filled for another offset fit `offset`.
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

    /// Compares every word of a transfer, and writes none: whether all are as written at `offset`.
    pub fn holds(&self, data: &[u8], offset: u64) -> bool {
        match self.identity.packet {
            Packet::Stamped => parts(offset, data.len()).all(|part| {
                !self.stamped.differs(&data[part.at..part.at + part.length], offset + part.at as u64)
            }),
            _ => self.classic.holds(data, offset),
        }
    }

    /// The words of a transfer at `offset`, to be made piece by piece.
    pub(crate) fn stream(&self, offset: u64) -> WordStream {
        WordStream { payload: *self, offset, at: 0, chain: self.classic.chain(offset) }
    }

    /// The pieces of a transfer within which a stamp can only stand first.
    pub(crate) fn pieces(&self, offset: u64, length: usize) -> impl Iterator<Item = BlockPart> + use<> {
        let offset = if self.identity.packet == Packet::Stamped { offset } else { 0 };
        parts(offset, length)
    }

    /// Whose data a wrong transfer of one of IOR's types may be: rank and offset.
    pub(crate) fn guess(&self, data: &[u8], offset: u64) -> Option<(u64, u64)> {
        self.classic.guess(data, offset)
    }
}

/// The words of one transfer, made piece by piece from the front.
#[derive(Clone)]
pub(crate) struct WordStream {
    payload: Payload,
    offset: u64,
    at: usize,
    chain: WordChain,
}

impl WordStream {
    /// Makes the bytes from `at` on, which does not lie before the end of what was made last.
    pub(crate) fn fill(&mut self, at: usize, piece: &mut [u8]) {
        let payload = self.payload;
        if payload.identity.packet == Packet::Stamped {
            // A transfer that would begin before its file does wraps around.
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
