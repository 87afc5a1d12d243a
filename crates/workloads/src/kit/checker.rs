//! Compares data that was read. For wrong data it reports the place and what happened to it.
//!
//! The check of correct data writes nothing and keeps nothing. Only a wrong transfer is examined further.

mod diagnosis;
pub mod over_ranks;
mod runs;
mod search;

use results::record::BadRange;

use super::layout::DataLayout;
use super::payload::{Payload, SpreadPieces};
use diagnosis::Diagnosis;

/// What happened to wrong data, as far as the data shows it. docs/explanation/verification.md says what each
/// kind can and cannot mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// Some bits of a word differ.
    Flipped,
    /// A transfer holds parts of several generations of the same place.
    Torn,
    /// Intact data of this file that belongs to another offset or rank.
    Misplaced,
    /// Intact data of another file or campaign.
    Foreign,
    /// A whole transfer holds an older generation of the same place.
    Stale,
    /// Zeros.
    Zero,
    /// The file ends before this data.
    Truncated,
    /// Stamped data of another key, or of none.
    OtherKey,
    /// None of these, or the packet type cannot distinguish them.
    Wrong,
}

impl DamageKind {
    /// All kinds, each at its number, with its name.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Flipped, "flipped"),
        (Self::Torn, "torn"),
        (Self::Misplaced, "misplaced"),
        (Self::Foreign, "foreign"),
        (Self::Stale, "stale"),
        (Self::Zero, "zero"),
        (Self::Truncated, "truncated"),
        (Self::OtherKey, "other-key"),
        (Self::Wrong, "wrong"),
    ];
}

/// A range of wrong bytes within a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// Its first byte in the file.
    pub offset: u64,
    /// Bytes from the first wrong word to the end of the last.
    pub length: u64,
    /// The expected value of the first wrong word.
    pub expected: u64,
    /// The value that was read; `None` if nothing was read.
    pub found: Option<u64>,
    /// What happened to it.
    pub kind: DamageKind,
    /// What is known about the origin of the data found; empty if nothing is known.
    pub detail: String,
}

impl Bad {
    /// The range for a record, in the file at `path`. The caller adds the rank.
    pub fn recorded(&self, path: &str) -> BadRange {
        BadRange {
            path: path.to_owned(),
            offset: self.offset,
            length: self.length,
            expected: format!("{:#018x}", self.expected),
            found: self.found.map_or("nothing".to_owned(), |found| format!("{found:#018x}")),
            kind: DamageKind::ALL[self.kind as usize].1.to_owned(),
            detail: self.detail.clone(),
            ..BadRange::default()
        }
    }
}

/// Compares data that was read, and keeps the first bad ranges.
pub struct Checker {
    /// The expected data.
    pub payload: Payload,
    /// How the data lies in the file, if not as in the buffer. Each piece is a transfer.
    spread: Option<SpreadPieces>,
    /// Transfers with wrong words.
    pub bad_transfers: u64,
    /// Transfers in which each kind was found, in the order of [`DamageKind::ALL`].
    pub kinds: [u64; DamageKind::ALL.len()],
    /// The first bad ranges.
    pub bad: Vec<Bad>,
    /// Number of all bad ranges.
    pub ranges: u64,
    /// Bytes compared.
    pub bytes: u64,
    /// Number of bad ranges that are kept.
    pub cap: usize,
    /// Offset and length of the data compared last, if it was wrong.
    last: Option<(u64, usize)>,
    /// Which other ranks write to the file, if known.
    layout: Option<DataLayout>,
}

const WORD: usize = 8;

impl Checker {
    /// A checker for data of `payload` that keeps up to `cap` bad ranges.
    pub fn new(payload: Payload, cap: usize) -> Self {
        let (spread, payload) = match payload.by_piece() {
            Some((spread, payload)) => (Some(spread), payload),
            None => (None, payload),
        };
        Self {
            payload,
            spread,
            bad_transfers: 0,
            kinds: [0; DamageKind::ALL.len()],
            bad: Vec::new(),
            ranges: 0,
            bytes: 0,
            cap,
            last: None,
            layout: None,
        }
    }

    /// The same for a file with this layout: recognises data of its other ranks.
    pub fn among(self, layout: DataLayout) -> Self {
        Self { layout: Some(layout), ..self }
    }

    /// Compares the data of a read at `offset`.
    pub fn compare(&mut self, data: &[u8], offset: u64) {
        match self.spread {
            None => self.compare_at(data, offset),
            Some(spread) => spread
                .over(data.len(), offset)
                .for_each(|(at, length, place)| self.compare_at(&data[at..at + length], place)),
        }
    }

    #[inline]
    fn compare_at(&mut self, data: &[u8], offset: u64) {
        self.bytes += data.len() as u64;
        self.last = None;
        match data.len() % WORD {
            0 if self.payload.holds(data, offset) => {}
            0 => self.wrong(data, offset),
            _ => self.compare_part(data, offset),
        }
    }

    /// Counts bytes that are compared elsewhere.
    pub fn pass(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.last = None;
    }

    /// Records that the file ends before the bytes from `offset + moved` to `offset + length`.
    /// [`Checker::compare`] examines the part that was read, before this call.
    pub fn missing(&mut self, offset: u64, moved: usize, length: usize) {
        match self.spread {
            None => self.missing_at(offset, moved, length),
            Some(spread) => spread
                .over(length, offset)
                .filter(|(at, length, _)| at + length > moved)
                .for_each(|(at, length, place)| self.missing_at(place, moved.saturating_sub(at), length)),
        }
    }

    fn missing_at(&mut self, offset: u64, moved: usize, length: usize) {
        let known = self.last.take() == Some((offset, moved)) && moved > 0;
        self.bad_transfers += u64::from(!known);
        let mut word = [0; WORD];
        self.payload.stream(offset).fill(moved / WORD * WORD, &mut word);
        self.count(DamageKind::Truncated, 1);
        self.keep(Bad {
            offset: offset + moved as u64,
            length: (length - moved) as u64,
            expected: u64::from_ne_bytes(word),
            found: None,
            kind: DamageKind::Truncated,
            detail: format!("the data ended after {moved} of {length} bytes"),
        });
    }

    /// Data that ends within a word: the missing bytes of the word count as correct.
    #[cold]
    fn compare_part(&mut self, data: &[u8], offset: u64) {
        let whole = data.len() / WORD * WORD;
        let mut padded = data.to_vec();
        padded.resize(whole + WORD, 0);
        let mut word = [0; WORD];
        self.payload.stream(offset).fill(whole, &mut word);
        let rest = data.len() - whole;
        padded[data.len()..].copy_from_slice(&word[rest..]);
        if !self.payload.holds(&padded, offset) {
            self.wrong(&padded, offset);
            self.last = Some((offset, data.len()));
        }
    }

    #[cold]
    fn wrong(&mut self, data: &[u8], offset: u64) {
        self.bad_transfers += 1;
        self.last = Some((offset, data.len()));
        let found = Diagnosis::of(&self.payload, self.layout, data, offset);
        for (kind, _) in DamageKind::ALL {
            self.count(kind, u64::from(found.iter().any(|bad| bad.kind == kind)));
        }
        found.into_iter().for_each(|bad| self.keep(bad));
    }

    fn count(&mut self, kind: DamageKind, transfers: u64) {
        self.kinds[kind as usize] += transfers;
    }

    /// Counts a bad range, and keeps it while there is space in the list. Its kind is counted separately.
    pub fn keep(&mut self, bad: Bad) {
        self.ranges += 1;
        if self.bad.len() < self.cap {
            self.bad.push(bad);
        }
    }
}

#[cfg(test)]
mod moves_tests;
#[cfg(test)]
mod tests;
