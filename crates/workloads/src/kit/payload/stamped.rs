//! Data that identifies its writer in every 4 KiB: packet type `-l stamped`.
//!
//! Every byte is a function of its writer (campaign, file, rank, generation) and of its place in the file,
//! and not of the transfer size. Each 4 KiB of the file begin with a stamp in clear. The rest are words of a
//! keyed counter. No two blocks, files or generations share them, and they do not compress.
//! docs/reference/stamped-data.md gives the layout to the byte.
//!
//! Invariant: a word can be made without the words before it, and its place can be computed from it. All
//! words are little-endian. None is equal to the word that fills a read buffer before a read.

use super::blocks::{BLOCK, STAMP_WORDS, parts, place};
use super::keyed::{DataKey, KeyedStream};
use super::lanes::{self, LaneRule, WORD};
use super::{DataIdentity, Packet};

/// Bytes of a sector. Misplaced data consists of whole sectors.
pub(crate) const SECTOR: u64 = 512;
/// Words of a block.
const BLOCK_WORDS: u64 = BLOCK / WORD as u64;
/// Number of words at the start of a stamp that other blocks may share.
pub(crate) const CLEAR_WORDS: usize = 6;
/// `assaypk` and the version of the layout.
const MAGIC: u64 = u64::from_le_bytes(*b"assaypk\x01");
/// The same for keyed data.
const KEYED_MAGIC: u64 = u64::from_le_bytes(*b"assaypk\x02");

/// Odd constants of the mixing function. The first is 2^64 divided by the golden ratio.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX_1: u64 = 0xbf58_476d_1ce4_e5b9;
const MIX_2: u64 = 0x94d0_49bb_1331_11eb;
/// It fits in 32 bits, so that vector units without a 64-bit product need only two products of 32 bits.
const MIX_WORD: u64 = 0x85eb_ca6b;

/// The content of a stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockStamp {
    /// The writer of the block.
    pub origin: DataIdentity,
    /// The offset in the file at which it was written, bytes.
    pub offset: u64,
}

/// The number of a file. It is made from the last part of the path, so that it is the same under every mount
/// point. It is never even.
pub fn file_id(name: &[u8]) -> u64 {
    let hash = name.iter().fold(name.len() as u64, |hash, byte| mix(hash ^ u64::from(*byte)));
    hash | 1
}

/// The number of the text that the data also depends on (`--data-of`).
pub fn text_id(text: Option<&str>) -> Option<u64> {
    text.map(|text| file_id(text.as_bytes()))
}

/// The number of a file whose data also depends on a text with this number.
pub fn file_id_of(text: Option<u64>, name: &[u8]) -> u64 {
    text.map_or_else(|| file_id(name), |text| mix(text ^ file_id(name)) | 1)
}

/// The stamp at the start of `bytes`, if a whole and valid one is there. Keyed data has a valid stamp only
/// with its `key`.
pub fn read_stamp(bytes: &[u8], key: Option<DataKey>) -> Option<BlockStamp> {
    let words = stamp_words(bytes)?;
    let [magic, campaign, file, rank, generation, offset, own, sum] = words;
    let (signature, generation) = (i32::try_from(campaign as i64).ok()?, generation.try_into().ok()?);
    let origin = DataIdentity { packet: Packet::Stamped, signature, rank, file, generation, key: None };
    let origin = match magic {
        MAGIC if sum == checksum(words[..7].iter().fold(0, chain)) => origin,
        KEYED_MAGIC => {
            let keyed = DataIdentity { key: Some(key?), ..origin };
            let codes = Stamped::new(keyed).keyed.map(|stream| stream.code(offset / BLOCK));
            (codes == Some([own, sum]) && offset.is_multiple_of(BLOCK)).then_some(keyed)?
        }
        _ => return None,
    };
    Some(BlockStamp { origin, offset })
}

/// The key that the stamp at the start of `bytes` shows, if it looks like a stamp of keyed data. This is
/// [`DataKey::id`], unless the stamp is damaged.
pub(crate) fn key_of_stamp(bytes: &[u8]) -> Option<u64> {
    let [magic, _, _, _, _, _, code, end] = stamp_words(bytes)?;
    (magic == KEYED_MAGIC).then_some(code ^ end)
}

fn stamp_words(bytes: &[u8]) -> Option<[u64; STAMP_WORDS]> {
    let mut words = [0; STAMP_WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.get(..STAMP_WORDS * WORD)?.chunks_exact(WORD)) {
        *word = u64::from_le_bytes(bytes.try_into().ok()?);
    }
    Some(words)
}

/// A bijection of 64 bits in which every input bit influences all output bits: the next number of the
/// SplitMix64 sequence.
pub(crate) fn mix(mut word: u64) -> u64 {
    word = word.wrapping_add(STEP);
    word = (word ^ word >> 30).wrapping_mul(MIX_1);
    word = (word ^ word >> 27).wrapping_mul(MIX_2);
    word ^ word >> 31
}

/// The inverse of [`mix`].
fn unmix(mut word: u64) -> u64 {
    word = unshift(word, 31).wrapping_mul(inverse(MIX_2));
    word = unshift(word, 27).wrapping_mul(inverse(MIX_1));
    unshift(word, 30).wrapping_sub(STEP)
}

/// The inverse of `x ^ x >> by`, for `by` of 22 or more.
fn unshift(word: u64, by: u32) -> u64 {
    let once = word ^ word >> by;
    if 2 * by < 64 { once ^ word >> (2 * by) } else { once }
}

/// The inverse of an odd factor (Newton's iteration, which doubles the number of right bits).
const fn inverse(factor: u64) -> u64 {
    let mut inverse = factor;
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

fn chain(hash: u64, word: &u64) -> u64 {
    mix(hash ^ word)
}

fn checksum(hash: u64) -> u64 {
    hash | 1
}

/// The words of one block by their index in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockWords(pub(super) u64);

impl BlockWords {
    /// The word at an index, in the byte order of memory.
    fn word_at(self, index: u64) -> u64 {
        self.word(self.at(index))
    }

    /// The key of the block that has `word` at `index`. Making the word loses its lowest bit, so the caller
    /// gives it.
    fn key_from(word: u64, index: u64, lowest: u64) -> u64 {
        let word = unshift(word & !1 | lowest, 29).wrapping_mul(inverse(MIX_WORD));
        unshift(word, 32).wrapping_sub(index.wrapping_mul(STEP))
    }
}

impl LaneRule for BlockWords {
    const STEP: u64 = STEP;

    fn at(self, index: u64) -> u64 {
        self.0.wrapping_add(index.wrapping_mul(STEP))
    }

    #[inline(always)]
    fn word(self, counter: u64) -> u64 {
        let mut word = (counter ^ counter >> 32).wrapping_mul(MIX_WORD);
        word ^= word >> 29;
        // It is odd, so it is neither zero nor the word that fills a read buffer.
        (word | 1).to_le()
    }
}

/// The data of one origin, with the values that all of its blocks share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamped {
    pub(crate) origin: DataIdentity,
    key: u64,
    /// The part of the checksum that does not depend on the block.
    sum: u64,
    /// In place of these two, for data with a key.
    keyed: Option<KeyedStream>,
}

/// The words of a stamp that are the same in all blocks.
fn clear_words(origin: DataIdentity) -> [u64; 5] {
    let DataIdentity { signature, rank, file, generation, .. } = origin;
    let magic = if origin.key.is_some() { KEYED_MAGIC } else { MAGIC };
    [magic, i64::from(signature) as u64, file, rank, generation.into()]
}

impl Stamped {
    pub(crate) fn new(origin: DataIdentity) -> Self {
        let clear = clear_words(origin);
        let sum = clear.iter().fold(0, chain);
        let keyed = origin.key.map(|key| KeyedStream::new(key, clear));
        Self { origin, key: mix(sum), sum, keyed }
    }

    fn body(&self, block: u64) -> BlockWords {
        BlockWords(mix(self.key.wrapping_add(block.wrapping_mul(STEP))))
    }

    fn stamp(&self, block: u64, body: BlockWords) -> [u64; STAMP_WORDS] {
        let [magic, campaign, file, rank, generation] = clear_words(self.origin);
        let (offset, own) = (block * BLOCK, u64::from_le(body.word_at(6)));
        let sum = checksum(chain(chain(self.sum, &offset), &own));
        [magic, campaign, file, rank, generation, offset, own, sum].map(u64::to_le)
    }

    /// Fills a buffer for `offset`; both in whole words.
    pub(crate) fn fill(&self, buffer: &mut [u8], offset: u64) {
        if let Some(keyed) = &self.keyed {
            return keyed.fill(buffer, offset);
        }
        for part in parts(offset, buffer.len()) {
            let (block, first) = place(offset + part.at as u64);
            let (piece, body) = (&mut buffer[part.at..part.at + part.length], self.body(block));
            let stamp = self.stamp(block, body);
            let rest = stamp.get(first as usize..).unwrap_or_default();
            let clear = (rest.len() * WORD).min(part.length);
            for (word, stamp) in piece[..clear].chunks_exact_mut(WORD).zip(rest) {
                word.copy_from_slice(&stamp.to_ne_bytes());
            }
            lanes::fill(body, first + (clear / WORD) as u64, &mut piece[clear..]);
        }
    }

    /// Whether a transfer at `offset` holds other data.
    pub(crate) fn differs(&self, data: &[u8], offset: u64) -> bool {
        match &self.keyed {
            Some(keyed) => keyed.differs(data, offset),
            None => parts(offset, data.len()).any(|part| {
                self.part_differs(&data[part.at..part.at + part.length], offset + part.at as u64)
            }),
        }
    }

    /// The same for a part of one block.
    fn part_differs(&self, piece: &[u8], offset: u64) -> bool {
        let (block, first) = place(offset);
        let body = self.body(block);
        let mut clear = 0;
        if first < STAMP_WORDS as u64 {
            let rest = &self.stamp(block, body)[first as usize..];
            clear = (rest.len() * WORD).min(piece.len());
            let mut stamped = piece[..clear].chunks_exact(WORD).zip(rest);
            if stamped.any(|(word, stamp)| lanes::native(word) != *stamp) {
                return true;
            }
        }
        lanes::differs(body, first + (clear / WORD) as u64, &piece[clear..])
    }

    /// The offset at which this word would be data of this origin; `None` if it is beyond 2^50 bytes. It
    /// cannot be computed for keyed data.
    pub(crate) fn place_of(&self, found: FoundWord) -> Option<u64> {
        if self.keyed.is_some() {
            return None;
        }
        let block = unmix(found.body.0).wrapping_sub(self.key).wrapping_mul(inverse(STEP));
        (block < (1 << 50) / BLOCK).then(|| block * BLOCK + found.index * WORD as u64)
    }
}

/// A word of a block, whose writer may be unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundWord {
    /// The block's words.
    pub(super) body: BlockWords,
    /// The index of the word.
    pub(crate) index: u64,
}

impl FoundWord {
    /// The word at another index of the block, in the byte order of memory. `None` if it depends on the
    /// block's writer, or is in another block.
    pub(crate) fn word_at(self, index: u64) -> Option<u64> {
        let is_body = index == 6 || (STAMP_WORDS as u64..BLOCK_WORDS).contains(&index);
        is_body.then(|| self.body.word_at(index))
    }
}

/// The blocks that have `word` if whole sectors were moved to `here`: up to sixteen. `word` is in the byte
/// order of memory. With the next word of the same sector there are up to eight, and none if it is other
/// data. The next word distinguishes stamped data from any other, but says nothing about its place.
pub(crate) fn blocks_with(word: u64, next: Option<u64>, here: u64) -> impl Iterator<Item = FoundWord> {
    let sector = (SECTOR / WORD as u64) as usize;
    let indices = (here % SECTOR / WORD as u64..BLOCK_WORDS).step_by(sector);
    let guesses = indices.flat_map(|index| [(index, 0), (index, 1)]).map(move |(index, lowest)| FoundWord {
        body: BlockWords(BlockWords::key_from(u64::from_le(word), index, lowest)),
        index,
    });
    guesses.filter(move |found| {
        found.word_at(found.index) == Some(word)
            && next.is_none_or(|next| found.word_at(found.index + 1) == Some(next))
    })
}
