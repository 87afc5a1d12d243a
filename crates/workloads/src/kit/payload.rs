//! What is written, and how a reader knows that it came back: IOR's four packet types.
//!
//! All are made of native 64-bit words that depend on a signature, the rank whose data it is and, but
//! for the first type, the offset in the file (IOR 4.1). A buffer is filled whole
//! once; before each write only the words that depend on the offset are put in again.
//!
//! Invariant: `check` of what `prepare` made at the same offset finds nothing.

use super::glibc::rand_r;

/// IOR's packet types, `-l`.
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
}

/// One word in 4 KiB holds the offset in types `o` and `i`.
const STAMP_EVERY: usize = 512;
const WORD: usize = 8;
/// Words compared at once before looking closer.
const CHUNK_BYTES: usize = STAMP_EVERY * WORD;

/// The data of one rank.
#[derive(Clone, Copy, Debug)]
pub struct Payload {
    packet: Packet,
    signature: i32,
    rank: u64,
    repeated: u64,
}

/// What stands in a read buffer where nothing has arrived: no packet type writes this word (its upper
/// half is no rank's number, nor that of a negative signature).
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
    for page in buffer.chunks_mut(CHUNK_BYTES) {
        poison(&mut page[..WORD]);
    }
}

/// Wrong words in a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// First wrong byte's distance from the start of the transfer, a multiple of 8.
    pub first: u64,
    /// Bytes from the first wrong word to the end of the last.
    pub length: u64,
    /// The first wrong word as it should be.
    pub expected: u64,
    /// The first wrong word as found.
    pub found: u64,
}

impl Payload {
    /// The data of `rank` under `signature` (`-G`).
    pub fn new(packet: Packet, signature: i32, rank: u64) -> Self {
        let mut seed = (signature as u32).wrapping_add(rank as u32);
        let high = rand_r(&mut seed);
        let low = rand_r(&mut seed);
        Self { packet, signature, rank, repeated: u64::from(high) << 32 | u64::from(low) }
    }

    /// Whether [`Payload::prepare`] has anything to do before a write.
    pub fn depends_on_offset(&self) -> bool {
        self.packet != Packet::Timestamp
    }

    /// Fills a buffer for a transfer at `offset`, every word.
    pub fn fill(&self, buffer: &mut [u8], offset: u64) {
        let mut words = Words::new(self, offset);
        for word in buffer.chunks_exact_mut(WORD) {
            word.copy_from_slice(&words.next_word().to_ne_bytes());
        }
    }

    /// Makes a buffer that was filled for another offset fit `offset`.
    pub fn prepare(&self, buffer: &mut [u8], offset: u64) {
        match self.packet {
            Packet::Timestamp => {}
            Packet::Offset | Packet::Incompressible => {
                for (stamp, chunk) in buffer.chunks_mut(CHUNK_BYTES).enumerate() {
                    chunk[..WORD].copy_from_slice(&self.stamp(offset, stamp as u64).to_ne_bytes());
                }
            }
            Packet::Random => self.fill(buffer, offset),
        }
    }

    /// The word of types `o` and `i` that tells the offset; `stamp` counts them within a transfer.
    fn stamp(&self, offset: u64, stamp: u64) -> u64 {
        let low = (offset as u32).wrapping_mul((stamp as u32).wrapping_add(1));
        self.rank << 32 | u64::from(low)
    }

    /// Compares every word; `None` when all are as written at `offset`.
    pub fn check(&self, buffer: &[u8], offset: u64) -> Option<Mismatch> {
        let mut words = Words::new(self, offset);
        let mut wrong: Option<Mismatch> = None;
        for (index, chunk) in buffer.chunks(CHUNK_BYTES).enumerate() {
            let begin = words.clone();
            let differs = chunk
                .chunks_exact(WORD)
                .fold(0, |differs, word| differs | (words.next_word() ^ native(word)));
            if differs != 0 {
                locate(begin, chunk, (index * CHUNK_BYTES) as u64, &mut wrong);
            }
        }
        wrong
    }
}

fn native(word: &[u8]) -> u64 {
    u64::from_ne_bytes(word.try_into().expect("chunks of eight bytes"))
}

/// Extends `wrong` by the wrong words of one chunk that begins `at` bytes into the transfer.
fn locate(mut words: Words<'_>, chunk: &[u8], at: u64, wrong: &mut Option<Mismatch>) {
    for (index, word) in chunk.chunks_exact(WORD).enumerate() {
        let (expected, found) = (words.next_word(), native(word));
        if expected == found {
            continue;
        }
        let here = at + (index * WORD) as u64;
        let first = wrong.get_or_insert(Mismatch { first: here, length: 0, expected, found });
        first.length = here + WORD as u64 - first.first;
    }
}

/// The words of a transfer, one after the other.
#[derive(Clone)]
struct Words<'a> {
    payload: &'a Payload,
    offset: u64,
    index: u64,
    state: u64,
}

impl<'a> Words<'a> {
    fn new(payload: &'a Payload, offset: u64) -> Self {
        let mut seed =
            (payload.signature as u32).wrapping_add(payload.rank as u32).wrapping_add(offset as u32);
        Self { payload, offset, index: 0, state: u64::from(rand_r(&mut seed)) }
    }

    #[inline]
    fn next_word(&mut self) -> u64 {
        let (payload, index) = (self.payload, self.index);
        self.index += 1;
        let stamped = index.is_multiple_of(STAMP_EVERY as u64);
        match payload.packet {
            Packet::Random => {
                self.state = self.state.wrapping_mul(0x9e37_ffff_fffc_0001) >> 3;
                self.state
            }
            Packet::Offset | Packet::Incompressible if stamped => {
                payload.stamp(self.offset, index / STAMP_EVERY as u64)
            }
            Packet::Incompressible => payload.repeated,
            Packet::Timestamp | Packet::Offset => {
                payload.rank << 32 | (i64::from(payload.signature) as u64).wrapping_add(index)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PACKETS: [Packet; 4] = [Packet::Timestamp, Packet::Offset, Packet::Incompressible, Packet::Random];

    fn words_at(packet: Packet, rank: u64, offset: u64, at: [usize; 3]) -> [u64; 3] {
        let mut buffer = vec![0; 8192];
        Payload::new(packet, 1_234_567, rank).fill(&mut buffer, offset);
        at.map(|word| native(&buffer[word * 8..word * 8 + 8]))
    }

    fn words(packet: Packet, rank: u64, offset: u64) -> [u64; 3] {
        words_at(packet, rank, offset, [0, 1, 512])
    }

    #[test]
    fn the_golden_vectors_hold_for_all_packet_types() {
        use Packet::{Incompressible, Offset, Random, Timestamp};
        assert_eq!(words(Timestamp, 0, 0), [0x12d687, 0x12d688, 0x12d887]);
        assert_eq!(words(Timestamp, 1, 8192), [0x1_0012_d687, 0x1_0012_d688, 0x1_0012_d887]);
        assert_eq!(words(Offset, 0, 0), [0, 0x12d688, 0]);
        assert_eq!(words(Offset, 1, 8192), [0x1_0000_2000, 0x1_0012_d688, 0x1_0000_4000]);
        assert_eq!(words(Incompressible, 0, 0), [0, 0x0cc0_45cb_13c9_905d, 0]);
        assert_eq!(words(Incompressible, 1, 8192), [0x1_0000_2000, 0x292a_ce49_7428_1439, 0x1_0000_4000]);
        // For `r` the golden vectors give words 0, 1 and 2; word 512 is what IOR 4.1 writes.
        let start = |rank, offset| words_at(Random, rank, offset, [0, 1, 2]);
        assert_eq!(start(0, 0), [0x11cc_f99f_deb2_88b9, 0x0838_afda_b779_d117, 0x06fa_ba3e_6e63_ba22]);
        assert_eq!(start(1, 8192), [0x111f_dcfc_05d1_00bc, 0x19c9_f8b7_005c_2017, 0x0dbe_bee8_d000_0402]);
        assert_eq!(words(Random, 0, 0)[2], 0x18d5_1fab_adfc_b273);
        assert_eq!(words(Random, 1, 8192)[2], 0x1feb_e875_020e_49ed);
    }

    #[test]
    fn a_flipped_bit_is_found_where_it_is() {
        for packet in PACKETS {
            let payload = Payload::new(packet, 7, 3);
            let mut buffer = vec![0; 16384];
            payload.fill(&mut buffer, 1 << 20);
            buffer[9001] ^= 4;
            let wrong = payload.check(&buffer, 1 << 20).expect("one bit is flipped");
            assert_eq!((wrong.first, wrong.length), (9000, 8), "{packet:?}");
            assert_eq!((wrong.expected ^ wrong.found).count_ones(), 1);
            buffer[40] ^= 1;
            let wrong = payload.check(&buffer, 1 << 20).expect("two bits are flipped");
            assert_eq!((wrong.first, wrong.length), (40, 9008 - 40), "{packet:?}");
        }
    }

    proptest! {
        #[test]
        fn what_was_prepared_for_an_offset_checks_there(
            words in 1_usize..2000, rank in 0_u64..100_000, signature: i32,
            offset in 0_u64..1 << 45, from in 0_u64..1 << 45,
        ) {
            for packet in PACKETS {
                let payload = Payload::new(packet, signature, rank);
                let mut buffer = vec![0; words * 8];
                payload.fill(&mut buffer, from);
                payload.prepare(&mut buffer, offset);
                prop_assert_eq!(payload.check(&buffer, offset), None);
            }
        }
    }
}
