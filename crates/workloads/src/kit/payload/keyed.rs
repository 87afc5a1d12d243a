//! Stamped data that is keyed by a secret, by a nonce, or by both.
//!
//! The words after a stamp are the keystream of AES-128, and the stamp ends with a code that authenticates
//! it. A program without the key cannot make the data of a block. It cannot store it in fewer bytes either.
//! docs/reference/stamped-data.md gives the layout to the byte.
//!
//! Invariant: two blocks with another writer, place, secret or nonce share no keystream, except by a chance
//! of less than 2^-40 in 4 PiB. The secret is in no text, also not in the one of `Debug`.

use std::fmt;

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Block};
use hmac::{Hmac, Mac};
use results::record::DataKeyFacts;
use sha2::{Digest, Sha256};

use super::blocks::{BLOCK, BlockPart, STAMP_WORDS, parts, place};
use super::body_cipher::BodyCipher;
use super::lanes::WORD;

/// The most blocks whose secrets are made at once.
const BATCH: usize = 16;

/// What keys stamped data. Copies share one expanded key, which stays in memory until the process ends.
#[derive(Clone, Copy)]
pub struct DataKey(&'static ExpandedKey);

struct ExpandedKey {
    facts: DataKeyFacts,
    root: [u8; 32],
    id: u64,
    body: BodyCipher,
    place: Aes128,
    stamp: Aes128,
}

impl DataKey {
    /// The key of a secret and a nonce. An empty one is none.
    pub fn new(secret: &[u8], nonce: &str) -> Self {
        let length = (nonce.len() as u64).to_le_bytes();
        let root = authenticated(secret, &[b"assay stamped data 2\0", &length, nonce.as_bytes()]);
        let of = |label: &[u8]| -> [u8; 16] { first_bytes(authenticated(&root, &[label])) };
        let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let sha256 = if secret.is_empty() { String::new() } else { hex(Sha256::digest(secret).into()) };
        let id = u64::from_le_bytes(first_bytes(authenticated(&root, &[b"id"])));
        Self(Box::leak(Box::new(ExpandedKey {
            facts: DataKeyFacts { sha256, nonce: nonce.to_owned(), id: format!("{id:#018x}") },
            root,
            id,
            body: BodyCipher::new(of(b"body")),
            place: Aes128::new(&of(b"place").into()),
            stamp: Aes128::new(&of(b"stamp").into()),
        })))
    }

    /// What may be published about it.
    pub fn facts(&self) -> &DataKeyFacts {
        &self.0.facts
    }

    /// A number that each stamp shows, so that data of another key is recognised. It says nothing about the
    /// secret.
    pub fn id(&self) -> u64 {
        self.0.id
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "DataKey({:#018x})", self.id())
    }
}

impl PartialEq for DataKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.root == other.0.root
    }
}

impl Eq for DataKey {}

/// HMAC-SHA-256 (RFC 2104).
fn authenticated(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key).expect("HMAC takes any key");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

fn first_bytes<const N: usize>(bytes: [u8; 32]) -> [u8; N] {
    std::array::from_fn(|at| bytes[at])
}

/// The keyed data of one origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyedStream {
    key: DataKey,
    /// The words of its stamps that are the same in all blocks.
    clear: [u64; 5],
    /// A secret number of the origin.
    origin: u128,
}

/// The secrets of one block.
#[derive(Clone, Copy, Default)]
struct BlockSecrets {
    /// The input of the keystream.
    place: Block,
    /// Words 6 and 7 of the stamp.
    code: [u64; 2],
}

impl KeyedStream {
    pub(super) fn new(key: DataKey, clear: [u64; 5]) -> Self {
        let words: Vec<u8> = clear.iter().flat_map(|word| word.to_le_bytes()).collect();
        let secret = authenticated(&key.0.root, &[b"stream", &words]);
        Self { key, clear, origin: u128::from_le_bytes(first_bytes(secret)) }
    }

    /// The last two words of the stamp of a block.
    pub(super) fn code(&self, block: u64) -> [u64; 2] {
        self.secrets::<1>(block, 1)[0].code
    }

    /// The secrets of `count` blocks from `block` on.
    fn secrets<const N: usize>(&self, block: u64, count: usize) -> [BlockSecrets; N] {
        let ExpandedKey { place, stamp, id, .. } = self.key.0;
        let input =
            |at: usize| (self.origin ^ u128::from(block.wrapping_add(at as u64))).to_le_bytes().into();
        let mut places: [Block; N] = std::array::from_fn(input);
        let mut codes = places;
        place.encrypt_blocks(&mut places[..count]);
        stamp.encrypt_blocks(&mut codes[..count]);
        std::array::from_fn(|at| {
            places[at][15] = 0;
            let code = u64::from_le_bytes(std::array::from_fn(|byte| codes[at][byte]));
            BlockSecrets { place: places[at], code: [code, code ^ id] }
        })
    }

    /// Calls `each` for the parts of a transfer, until one call gives `true`. Its arguments are the part, the
    /// stamp of its block, the byte of the block at which it begins, and the input of the keystream.
    fn any_part(
        &self,
        offset: u64,
        length: usize,
        mut each: impl FnMut(&BlockPart, &[u8; STAMP_WORDS * WORD], usize, Block) -> bool,
    ) -> bool {
        let last = offset.wrapping_add(length as u64).wrapping_sub(1) / BLOCK;
        let mut known: [BlockSecrets; BATCH] = [BlockSecrets::default(); BATCH];
        let mut left = 0..0_usize;
        parts(offset, length).any(|part| {
            let (block, first) = place(offset.wrapping_add(part.at as u64));
            if left.is_empty() {
                left = 0..(last.wrapping_sub(block).wrapping_add(1)).clamp(1, BATCH as u64) as usize;
                known = self.secrets(block, left.end);
            }
            let secrets = known[left.next().unwrap_or_default()];
            let [magic, campaign, file, rank, generation] = self.clear;
            let [code, end] = secrets.code;
            let words = [magic, campaign, file, rank, generation, block.wrapping_mul(BLOCK), code, end];
            let mut stamp = [0; STAMP_WORDS * WORD];
            for (bytes, word) in stamp.chunks_exact_mut(WORD).zip(words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            each(&part, &stamp, first as usize * WORD, secrets.place)
        })
    }

    /// Fills a buffer for `offset`; both in whole words.
    pub(super) fn fill(&self, buffer: &mut [u8], offset: u64) {
        self.any_part(offset, buffer.len(), |part, stamp, first, place| {
            let piece = &mut buffer[part.at..part.at + part.length];
            let rest = stamp.get(first..).unwrap_or_default();
            let (clear, body) = piece.split_at_mut(rest.len().min(part.length));
            clear.copy_from_slice(&rest[..clear.len()]);
            self.key.0.body.fill(place, first + clear.len(), body);
            false
        });
    }

    /// Whether a transfer at `offset` holds other data. Writes nothing.
    pub(super) fn differs(&self, data: &[u8], offset: u64) -> bool {
        self.any_part(offset, data.len(), |part, stamp, first, place| {
            let piece = &data[part.at..part.at + part.length];
            let rest = stamp.get(first..).unwrap_or_default();
            let (clear, body) = piece.split_at(rest.len().min(part.length));
            *clear != rest[..clear.len()] || self.key.0.body.differs(place, first + clear.len(), body)
        })
    }
}

#[cfg(test)]
mod tests;
