//! Finds where the words of a wrong transfer come from.
//!
//! The candidates are older generations of the place, origins that stamps name, owners that the search finds,
//! and zeros. For each piece with wrong words the data of every candidate is generated and compared word by
//! word. A word belongs to the candidate that explains it. If several candidates explain it, it belongs to
//! the one that explains most of its sector.

use std::ops::Range;

use super::runs::{FLIPPED_BITS, Runs, Word, WordSource};
use super::search::{Clue, WordOwner, find_owner};
use super::{Bad, WORD};
use crate::kit::layout::DataLayout;
use crate::kit::payload::blocks::{BLOCK, BlockPart, STAMP_WORDS};
use crate::kit::payload::stamped::{CLEAR_WORDS, FoundWord, SECTOR, key_of_stamp};
use crate::kit::payload::{BlockStamp, DataIdentity, PIECE, Packet, Payload, WordStream, native, read_stamp};

/// Number of generations before the expected one that are tried.
const OLDER: u32 = 8;
/// Number of origins from stamps that are kept for pieces without a stamp.
const KEPT: usize = 8;
/// Number of writers of one sector that are distinguished.
const WRITERS: usize = 4;
/// The words of IOR's types resemble each other. There, at most this many neighbouring words count as
/// flipped.
const FLIPPED_WORDS: usize = 2;

/// A writer that may have written the data that was read.
struct WriterCandidate {
    source: WordSource,
    maker: Maker,
    /// What the piece holds if this is the writer.
    words: Vec<u8>,
}

/// What generates the data of a candidate.
enum Maker {
    /// Its origin, for the transfer at the place where it belongs, and the distance in bytes from here to
    /// there.
    Origin(Box<WordStream>, i64),
    /// A word of a block of an unknown writer, and the offset of that word.
    Block(FoundWord, u64),
}

/// A wrong transfer during its examination.
pub(super) struct Diagnosis<'a> {
    payload: &'a Payload,
    own: DataIdentity,
    layout: Option<DataLayout>,
    data: &'a [u8],
    offset: u64,
    candidates: Vec<WriterCandidate>,
    /// Number of candidates that are tried for every piece.
    lasting: usize,
    /// What the words of the current piece should be.
    expected: Vec<u8>,
    /// For each word of the piece, its source if the word is wrong.
    sources: Vec<Option<WordSource>>,
    runs: Runs,
}

impl<'a> Diagnosis<'a> {
    /// The bad ranges of a transfer that was read at `offset`.
    pub(super) fn of(
        payload: &'a Payload,
        layout: Option<DataLayout>,
        data: &'a [u8],
        offset: u64,
    ) -> Vec<Bad> {
        let mut diagnosis = Self {
            payload,
            own: payload.identity(),
            layout,
            data,
            offset,
            candidates: Vec::new(),
            lasting: 0,
            expected: vec![0; PIECE],
            sources: Vec::new(),
            runs: Runs::default(),
        };
        match diagnosis.is_stamped() {
            true => diagnosis.add_known_writers(),
            false => diagnosis.add_guess(),
        }
        diagnosis.lasting = diagnosis.candidates.len();
        let mut stream = payload.stream(offset);
        for part in payload.pieces(offset, data.len()) {
            stream.fill(part.at, &mut diagnosis.expected[..part.length]);
            diagnosis.piece(&part);
        }
        diagnosis.runs.bad_ranges(diagnosis.own, offset)
    }

    fn is_stamped(&self) -> bool {
        self.own.packet == Packet::Stamped
    }

    /// Adds older generations and the origins that the first stamps of the transfer name.
    fn add_known_writers(&mut self) {
        if self.own.key.is_some() {
            self.add(DataIdentity { key: None, ..self.own }, 0);
        }
        for back in 1..=OLDER {
            if let Some(generation) = self.own.generation.checked_sub(back) {
                self.add(DataIdentity { generation, ..self.own }, 0);
            }
        }
        let full = self.candidates.len() + KEPT;
        for part in self.payload.pieces(self.offset, self.data.len()) {
            if self.candidates.len() < full {
                self.add_stamps(&part);
            }
        }
    }

    /// For IOR's types: adds the origin that the first words name, if it explains most of the transfer.
    fn add_guess(&mut self) {
        let Some((rank, place)) = self.payload.guess(self.data, self.offset) else { return };
        let origin = DataIdentity { rank, ..self.own };
        let (mut theirs, mut ours) = (Payload::new(origin).stream(place), self.payload.stream(self.offset));
        let (mut words, mut expected) = (vec![0; PIECE], vec![0; PIECE]);
        let (mut distinct, mut agreeing) = (0, 0);
        for part in self.payload.pieces(self.offset, self.data.len()) {
            theirs.fill(part.at, &mut words[..part.length]);
            ours.fill(part.at, &mut expected[..part.length]);
            let found = &self.data[part.at..part.at + part.length];
            distinct += unlike(&words[..part.length], &expected).count();
            agreeing +=
                unlike(&words[..part.length], &expected).filter(|at| same(&words, found, *at)).count();
        }
        if agreeing * 2 > distinct {
            self.add(origin, place.wrapping_sub(self.offset) as i64);
        }
    }

    fn add(&mut self, origin: DataIdentity, shift: i64) {
        let source = WordSource::Made(origin, shift);
        let own = (origin, shift) == (self.own, 0);
        if own || self.candidates.iter().any(|candidate| candidate.source == source) {
            return;
        }
        let payload = Payload::new(origin);
        let stream = payload.stream(self.offset.wrapping_add_signed(shift));
        self.candidates.push(WriterCandidate {
            source,
            maker: Maker::Origin(Box::new(stream), shift),
            words: vec![0; PIECE],
        });
    }

    /// Adds the origins that the stamps in a piece name. Moved data may begin at any sector.
    fn add_stamps(&mut self, part: &BlockPart) {
        for sector in self.sectors(part) {
            let here = self.offset + (part.at + sector.start) as u64;
            if here.is_multiple_of(SECTOR)
                && let Some(BlockStamp { origin, offset }) =
                    read_stamp(&self.data[part.at + sector.start..part.at + sector.end], self.own.key)
            {
                self.add(origin, offset.wrapping_sub(here) as i64);
            }
        }
    }

    /// Adds the origin of a stamp at the end of a transfer. No word after the stamp is there to confirm it.
    fn add_cut_stamp(&mut self, part: &BlockPart) {
        let here = self.offset + part.at as u64;
        let (block, first) = (here / BLOCK * BLOCK, (here % BLOCK) as usize);
        if first + part.length > CLEAR_WORDS * WORD {
            return;
        }
        let found = |index: usize, otherwise: u64| {
            let at = (index * WORD).checked_sub(first).filter(|at| *at < part.length);
            at.map_or(otherwise, |at| u64::from_le(word(self.data, part.at + at)))
        };
        let (rank, place) = (found(3, self.own.rank), found(5, block));
        let is_rank = |layout: DataLayout| rank < layout.ranks;
        if place.is_multiple_of(BLOCK) && place < 1 << 50 && self.layout.is_none_or(is_rank) {
            self.add(DataIdentity { rank, ..self.own }, place.wrapping_sub(block) as i64);
        }
    }

    /// The sectors of the file in which a piece lies, each as bytes of the piece. The data of IOR's types has
    /// no sectors, so the whole piece is one.
    fn sectors(&self, part: &BlockPart) -> impl Iterator<Item = Range<usize>> + use<> {
        let (begin, length) = ((self.offset + part.at as u64) % SECTOR, part.length);
        let first = if self.is_stamped() { (SECTOR - begin) as usize } else { length };
        let ends = (first..length).step_by(SECTOR as usize).chain([length]);
        let mut at = 0;
        ends.map(move |end| std::mem::replace(&mut at, end)..end)
    }

    fn piece(&mut self, part: &BlockPart) {
        let found = &self.data[part.at..part.at + part.length];
        let mut wrong = unlike(found, &self.expected).peekable();
        if wrong.peek().is_none() {
            self.runs.some_is_sound |= (0..part.length).step_by(WORD).any(|at| self.is_strong(part, at));
            return;
        }
        drop(wrong);
        if self.is_stamped() {
            self.add_stamps(part);
            self.add_cut_stamp(part);
        }
        (0..self.candidates.len()).for_each(|index| self.make(index, part));
        if self.is_stamped() {
            self.search(part);
        }
        self.attribute(part);
        for at in (0..part.length).step_by(WORD) {
            let (expected, found) = (word(&self.expected, at), word(self.data, part.at + at));
            match self.sources[at / WORD] {
                Some(source) => self.runs.take(Word { at: (part.at + at) as u64, expected, found, source }),
                None => self.runs.some_is_sound |= self.is_strong(part, at),
            }
        }
        // The last origin found may also explain the next piece. A stamp in the next piece names its own
        // origin.
        self.candidates.retain(|candidate| matches!(candidate.maker, Maker::Origin(..)));
        if self.candidates.len() > self.lasting + 1 {
            let last = self.candidates.len() - 1;
            self.candidates.swap(self.lasting, last);
            self.candidates.truncate(self.lasting + 1);
        }
    }

    /// Whether only the expected writer has this word there. The word is `at` bytes into a piece.
    fn is_strong(&self, part: &BlockPart, at: usize) -> bool {
        (self.offset + (part.at + at) as u64) % BLOCK >= (CLEAR_WORDS * WORD) as u64
    }

    /// Generates the data of a candidate for the piece. A candidate has no data before its file begins and
    /// beyond its block. There the expected words are used, which explain no wrong word.
    fn make(&mut self, index: usize, part: &BlockPart) {
        let here = self.offset + part.at as u64;
        let WriterCandidate { maker, words, .. } = &mut self.candidates[index];
        let words = &mut words[..part.length];
        match maker {
            Maker::Origin(stream, shift) => {
                let before = here.checked_add_signed(*shift).map_or_else(
                    || (*shift).unsigned_abs().saturating_sub(here).min(part.length as u64) as usize,
                    |_| 0,
                );
                words[..before].copy_from_slice(&self.expected[..before]);
                stream.fill(part.at + before, &mut words[before..]);
            }
            Maker::Block(found, block_at) => {
                words.copy_from_slice(&self.expected[..part.length]);
                for (number, word) in words.chunks_exact_mut(WORD).enumerate() {
                    let away = (here + (number * WORD) as u64).wrapping_sub(*block_at) as i64 / WORD as i64;
                    let made = found.index.checked_add_signed(away).and_then(|index| found.word_at(index));
                    if let Some(made) = made {
                        word.copy_from_slice(&made.to_ne_bytes());
                    }
                }
            }
        }
    }

    /// Searches each sector for the owners of words that no candidate explains. Two ranks may share a sector.
    fn search(&mut self, part: &BlockPart) {
        for sector in self.sectors(part) {
            for _ in 0..WRITERS {
                if !self.search_sector(part, &sector) {
                    break;
                }
            }
        }
    }

    /// Adds an owner that explains more of a sector; returns whether there was one.
    fn search_sector(&mut self, part: &BlockPart, sector: &Range<usize>) -> bool {
        let origin = |candidate: &WriterCandidate| match candidate.source {
            WordSource::Made(origin, _) => Some(origin),
            _ => None,
        };
        let origins: Vec<DataIdentity> = self.candidates.iter().filter_map(origin).collect();
        let known = self.candidates.len();
        let owner = |clue: Clue| Some((clue, find_owner(clue, self.own, &origins, self.layout)?));
        match self.clues(part, sector).into_iter().find_map(owner) {
            Some((clue, WordOwner::Known(origin, place))) => {
                self.add(origin, place.wrapping_sub(clue.here) as i64)
            }
            Some((clue, WordOwner::Stranger(found))) => self.candidates.push(WriterCandidate {
                source: WordSource::Stranger,
                maker: Maker::Block(found, clue.here),
                words: vec![0; PIECE],
            }),
            None => {}
        }
        (known..self.candidates.len()).for_each(|index| self.make(index, part));
        known < self.candidates.len()
    }

    /// Words of a sector that no candidate explains. Two neighbours that cannot be part of a stamp come
    /// first. If there are none, all unexplained words are tried.
    fn clues(&self, part: &BlockPart, sector: &Range<usize>) -> Vec<Clue> {
        let found = &self.data[part.at..part.at + part.length];
        let is_unknown = |at: usize| {
            let bits = (word(found, at) ^ word(&self.expected, at)).count_ones();
            let made = self.candidates.iter().any(|candidate| same(&candidate.words, found, at));
            bits > FLIPPED_BITS && word(found, at) != 0 && !made
        };
        let here = |at: usize| self.offset + (part.at + at) as u64;
        let behind = |at: &usize| here(*at) % SECTOR >= (STAMP_WORDS * WORD) as u64;
        let unknown: Vec<usize> = sector.clone().step_by(WORD).filter(|at| is_unknown(*at)).collect();
        let alone = |at: usize| Clue { word: word(found, at), next: None, here: here(at) };
        let two = |at: usize| Clue { next: Some(word(found, at + WORD)), ..alone(at) };
        let pairs = || unknown.windows(2).filter(|pair| pair[1] == pair[0] + WORD).map(|pair| pair[0]);
        if let Some(pair) = pairs().find(behind) {
            return vec![two(pair)];
        }
        pairs().take(1).map(two).chain(unknown.iter().rev().map(|at| alone(*at))).collect()
    }

    /// Sets the source of every wrong word of the piece.
    fn attribute(&mut self, part: &BlockPart) {
        let found = &self.data[part.at..part.at + part.length];
        let (expected, zeros) = (&self.expected[..part.length], vec![0; part.length]);
        self.sources.clear();
        self.sources.resize(part.length / WORD, None);
        for sector in self.sectors(part) {
            let wrong = |at: &usize| !same(found, expected, *at);
            let wrong: Vec<usize> = sector.step_by(WORD).filter(wrong).collect();
            let explained = |words: &[u8]| wrong.iter().filter(|at| same(words, found, **at)).count();
            let made = self.candidates.iter().map(|candidate| (candidate.source, candidate.words.as_slice()));
            // Zeros come last, after a candidate that explains as much. In some types the words that hold
            // offset 0 are zero.
            let mut ranking: Vec<_> = made.chain([(WordSource::Zero, zeros.as_slice())]).collect();
            ranking.sort_by_cached_key(|(_, words)| std::cmp::Reverse(explained(words)));
            for at in wrong {
                let bits = (word(found, at) ^ word(expected, at)).count_ones();
                let near = if bits <= FLIPPED_BITS { WordSource::Flipped } else { WordSource::Unknown };
                let of = ranking.iter().find(|(_, words)| same(words, found, at));
                self.sources[at / WORD] = Some(of.map_or(near, |(source, _)| *source));
            }
        }
        if self.is_stamped() {
            self.complete_stamps(part);
            self.doubt_key(part);
        } else {
            self.doubt_long_flips();
        }
    }

    /// The words of a stamp get the source of the words after it, if no candidate explains those. This
    /// includes words that resemble the expected ones.
    fn complete_stamps(&mut self, part: &BlockPart) {
        for sector in self.sectors(part) {
            let begin = (self.offset + (part.at + sector.start) as u64) % SECTOR;
            let sources = &mut self.sources[sector.start / WORD..sector.end / WORD];
            let behind = [STAMP_WORDS, CLEAR_WORDS].map(|words| words.saturating_sub(begin as usize / WORD));
            let Some(behind) = behind.into_iter().find(|words| *words < sources.len()) else { continue };
            let (stamp, rest) = sources.split_at_mut(behind);
            let (first, same) = (rest[0], rest.iter().all(|source| *source == rest[0]));
            let doubtful: &[WordSource] = match first {
                Some(WordSource::Stranger) if same => {
                    &[WordSource::Flipped, WordSource::Unknown, WordSource::Zero]
                }
                Some(WordSource::Unknown) if same => &[WordSource::Flipped],
                _ => &[],
            };
            for source in stamp {
                *source =
                    if source.is_some_and(|source| doubtful.contains(&source)) { first } else { *source };
            }
        }
    }

    /// A block whose stamp shows another key has words of that key, if none of them is explained.
    fn doubt_key(&mut self, part: &BlockPart) {
        let found = &self.data[part.at..part.at + part.length];
        let key = Some(found)
            .filter(|_| (self.offset + part.at as u64).is_multiple_of(BLOCK))
            .and_then(key_of_stamp)
            .filter(|id| self.own.key.is_none_or(|own| own.id() != *id));
        let Some(id) = key else { return };
        let is_unknown = |source: &Option<WordSource>| *source == Some(WordSource::Unknown);
        if self.sources[STAMP_WORDS..].iter().all(is_unknown) {
            for source in self.sources.iter_mut().flatten() {
                *source = WordSource::OtherKey(id);
            }
        }
    }

    /// IOR's words resemble each other. Many neighbours that differ by few bits are other words, not flipped
    /// bits.
    fn doubt_long_flips(&mut self) {
        for group in self.sources.chunk_by_mut(|a, b| a.is_some() == b.is_some()) {
            if group.len() > FLIPPED_WORDS {
                for source in group.iter_mut().filter(|source| **source == Some(WordSource::Flipped)) {
                    *source = Some(WordSource::Unknown);
                }
            }
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    native(&bytes[at..at + WORD])
}

fn same(a: &[u8], b: &[u8], at: usize) -> bool {
    a[at..at + WORD] == b[at..at + WORD]
}

/// The positions in bytes at which the words of `a` and `b` differ.
fn unlike<'b>(a: &'b [u8], b: &'b [u8]) -> impl Iterator<Item = usize> + use<'b> {
    (0..a.len()).step_by(WORD).filter(move |at| !same(a, b, *at))
}
