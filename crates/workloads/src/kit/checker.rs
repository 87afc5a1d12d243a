//! Compares what was read, and says of what is wrong where it is and what happened to it.
//!
//! The check of sound data writes nothing and keeps nothing; only a wrong transfer is looked at closer.

mod diagnosis;
pub mod over_ranks;
mod runs;
mod search;

use results::record::BadRange;

use super::layout::DataLayout;
use super::payload::{Payload, SpreadPieces};
use diagnosis::Diagnosis;

/// What happened to wrong data, as far as it tells. docs/METHODOLOGY.md says what each can and cannot
/// mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// Some bits of a word differ.
    Flipped,
    /// A transfer holds parts of several writings of the same place.
    Torn,
    /// Sound data of this file that belongs to another offset or rank.
    Misplaced,
    /// Sound data of another file or campaign.
    Foreign,
    /// A whole transfer holds an older writing of the same place.
    Stale,
    /// Zeros.
    Zero,
    /// The file ends before.
    Truncated,
    /// None of these, or the packet type cannot tell.
    Wrong,
}

impl DamageKind {
    /// All, each at its number, with its name.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Flipped, "flipped"),
        (Self::Torn, "torn"),
        (Self::Misplaced, "misplaced"),
        (Self::Foreign, "foreign"),
        (Self::Stale, "stale"),
        (Self::Zero, "zero"),
        (Self::Truncated, "truncated"),
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
    /// The first wrong word as it should be.
    pub expected: u64,
    /// The same as found; `None` where nothing came.
    pub found: Option<u64>,
    /// What happened to it.
    pub kind: DamageKind,
    /// What is known of where the data found comes from, empty where nothing is.
    pub detail: String,
}

impl Bad {
    /// The range as a record has it, in the file at `path`; whose it is comes with it.
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

/// Compares what was read, and keeps the first bad ranges.
pub struct Checker {
    /// What should have come.
    pub payload: Payload,
    /// How what is looked at lies in the file, if not as in the buffer: each piece is a transfer.
    spread: Option<SpreadPieces>,
    /// Transfers with wrong words.
    pub bad_transfers: u64,
    /// Transfers in which each kind was found, in the order of [`DamageKind::ALL`].
    pub kinds: [u64; DamageKind::ALL.len()],
    /// The first bad ranges.
    pub bad: Vec<Bad>,
    /// How many there are in all.
    pub ranges: u64,
    /// Bytes compared.
    pub bytes: u64,
    /// How many bad ranges are kept.
    pub cap: usize,
    /// Offset and length of what was looked at last, if it was wrong.
    last: Option<(u64, usize)>,
    /// Who else writes in the file, where that is known.
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

    /// The same for a file that is laid out so: tells data of its other ranks.
    pub fn among(self, layout: DataLayout) -> Self {
        Self { layout: Some(layout), ..self }
    }

    /// Compares what a read at `offset` brought.
    pub fn look(&mut self, data: &[u8], offset: u64) {
        match self.spread {
            None => self.look_at(data, offset),
            Some(spread) => spread
                .over(data.len(), offset)
                .for_each(|(at, length, place)| self.look_at(&data[at..at + length], place)),
        }
    }

    #[inline]
    fn look_at(&mut self, data: &[u8], offset: u64) {
        self.bytes += data.len() as u64;
        self.last = None;
        match data.len() % WORD {
            0 if self.payload.holds(data, offset) => {}
            0 => self.wrong(data, offset),
            _ => self.look_at_part(data, offset),
        }
    }

    /// Counts so many bytes that somebody else compares.
    pub fn pass(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.last = None;
    }

    /// Bytes from `offset + moved` to `offset + length` are not there: the file ends before. What came of
    /// the transfer is looked at by [`Checker::look`], before this.
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
            detail: format!("the read ended after {moved} of {length} bytes"),
        });
    }

    /// Data that ends within a word: the bytes that are missing of it are taken as sound.
    #[cold]
    fn look_at_part(&mut self, data: &[u8], offset: u64) {
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

    /// Counts a bad range, and keeps it while there is room; its kind is counted apart.
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
