//! IOR's four packet types. The words depend on signature, rank and place in the transfer. Except for the
//! first type, they also depend on the offset of the transfer (IOR 4.1).

use super::lanes::{self, Counting, Repeated, WORD, native};
use super::{DataIdentity, Packet};
use crate::kit::glibc::rand_r;

/// One word in 4 KiB of a transfer holds the offset in types `o` and `i`.
pub(crate) const STAMP_EVERY: usize = 512;
/// Bytes from one such word to the next.
const CHUNK: usize = STAMP_EVERY * WORD;
const FACTOR: u64 = 0x9e37_ffff_fffc_0001;

/// The data of one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassicData {
    packet: Packet,
    signature: i32,
    rank: u64,
    repeated: u64,
}

/// The position of a reader of type `r`. Each word follows from the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordChain(u64);

impl WordChain {
    /// The chain of a transfer at `offset`.
    fn start(classic: &ClassicData, offset: u64) -> Self {
        let mut seed =
            (classic.signature as u32).wrapping_add(classic.rank as u32).wrapping_add(offset as u32);
        Self(rand_r(&mut seed).into())
    }

    fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(FACTOR) >> 3;
        self.0
    }
}

impl ClassicData {
    pub(super) fn new(identity: DataIdentity) -> Self {
        let DataIdentity { packet, signature, rank, .. } = identity;
        let mut seed = (signature as u32).wrapping_add(rank as u32);
        let high = rand_r(&mut seed);
        let low = rand_r(&mut seed);
        Self { packet, signature, rank, repeated: u64::from(high) << 32 | u64::from(low) }
    }

    pub(super) fn chain(&self, offset: u64) -> WordChain {
        WordChain::start(self, offset)
    }

    /// The word of types `o` and `i` that holds the offset. `stamp` is its number within a transfer.
    fn stamp(&self, offset: u64, stamp: u64) -> u64 {
        let low = (offset as u32).wrapping_mul((stamp as u32).wrapping_add(1));
        self.rank << 32 | u64::from(low)
    }

    fn counting(&self) -> Counting {
        Counting { high: self.rank << 32, low: i64::from(self.signature) as u64 }
    }

    /// Writes the words that depend on the offset of the transfer into a buffer that has the others.
    pub(super) fn prepare(&self, buffer: &mut [u8], offset: u64) {
        match self.packet {
            Packet::Offset | Packet::Incompressible => {
                for (stamp, chunk) in buffer.chunks_mut(CHUNK).enumerate() {
                    chunk[..WORD].copy_from_slice(&self.stamp(offset, stamp as u64).to_ne_bytes());
                }
            }
            Packet::Random => self.fill(buffer, offset, 0, &mut self.chain(offset)),
            Packet::Timestamp | Packet::Stamped => {}
        }
    }

    /// Fills a piece of a transfer at `offset`. The piece begins with word `first`, and `chain` is at this
    /// word.
    pub(super) fn fill(&self, piece: &mut [u8], offset: u64, first: usize, chain: &mut WordChain) {
        match self.packet {
            Packet::Random => {
                for word in piece.chunks_exact_mut(WORD) {
                    word.copy_from_slice(&chain.next_word().to_ne_bytes());
                }
                return;
            }
            Packet::Incompressible => lanes::fill(Repeated(self.repeated), 0, piece),
            _ => lanes::fill(self.counting(), first as u64, piece),
        }
        if matches!(self.packet, Packet::Offset | Packet::Incompressible) {
            let next = first.next_multiple_of(STAMP_EVERY);
            let from = ((next - first) * WORD).min(piece.len());
            for (index, chunk) in piece[from..].chunks_mut(CHUNK).enumerate() {
                let stamp = self.stamp(offset, (next / STAMP_EVERY + index) as u64);
                chunk[..WORD].copy_from_slice(&stamp.to_ne_bytes());
            }
        }
    }

    /// Whether a whole transfer is what was written at `offset`.
    pub(super) fn holds(&self, data: &[u8], offset: u64) -> bool {
        if self.packet == Packet::Random {
            let mut chain = self.chain(offset);
            return data.chunks(CHUNK).all(|chunk| {
                let words = chunk.chunks_exact(WORD);
                words.fold(0, |differs, word| differs | (chain.next_word() ^ native(word))) == 0
            });
        }
        let stamped = self.packet != Packet::Timestamp;
        data.chunks(CHUNK).enumerate().all(|(index, chunk)| {
            let clear = if stamped { WORD.min(chunk.len()) } else { 0 };
            let first = (index * STAMP_EVERY + clear / WORD) as u64;
            let stamp = self.stamp(offset, index as u64);
            let is_stamp = clear == 0 || native(&chunk[..clear]) == stamp;
            is_stamp
                && match self.packet {
                    Packet::Incompressible => !lanes::differs(Repeated(self.repeated), 0, &chunk[clear..]),
                    _ => !lanes::differs(self.counting(), first, &chunk[clear..]),
                }
        })
    }

    /// The possible writer of a whole transfer that is not what was written at `offset`. Returns its rank and
    /// offset, as far as the first words show them.
    pub(super) fn guess(&self, data: &[u8], offset: u64) -> Option<(u64, u64)> {
        let words: Vec<u64> = data.chunks_exact(WORD).take(3).map(native).collect();
        match self.packet {
            Packet::Offset | Packet::Incompressible => {
                let (rank, low) = (words.first()? >> 32, words.first()? & 0xffff_ffff);
                let place = offset & !0xffff_ffff | low;
                let fits = (low as usize).is_multiple_of(data.len()) && (rank, place) != (self.rank, offset);
                fits.then_some((rank, place))
            }
            Packet::Random => Some((self.rank, self.search(&words, data.len() as u64, offset)?)),
            Packet::Timestamp | Packet::Stamped => None,
        }
    }

    /// The nearest offset, in whole transfers, at which the chain begins with these words.
    fn search(&self, words: &[u64], length: u64, offset: u64) -> Option<u64> {
        let [first, second, third] = words.try_into().ok()?;
        let mut chain = WordChain(first);
        if [chain.next_word(), chain.next_word()] != [second, third] {
            return None;
        }
        let near = |count: u64| {
            let far = count * length;
            [offset.checked_sub(far), offset.checked_add(far)].into_iter().flatten()
        };
        (1..NEAR).flat_map(near).find(|place| self.chain(*place).next_word() == first)
    }
}

/// Number of transfers before and after a wrong one that are searched for its place.
const NEAR: u64 = 32_768;
