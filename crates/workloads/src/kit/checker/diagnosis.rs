//! Where the words of a wrong transfer come from.
//!
//! For each piece with wrong words the data of every candidate (older generations of the place, whoever
//! a stamp names, whose the words are that nobody explains, zeros) is made anew and compared word by word; a
//! word belongs to the candidate that explains it, and where several do, to the one that explains most of its
//! sector.

use std::ops::Range;

use super::runs::{Runs, Word, WordSource};
use super::search::{Clue, WordOwner, whose};
use super::{Bad, WORD};
use crate::kit::layout::DataLayout;
use crate::kit::payload::stamped::{BLOCK, BlockPart, CLEAR_WORDS, FoundWord, SECTOR, STAMP_WORDS};
use crate::kit::payload::{BlockStamp, DataIdentity, PIECE, Packet, Payload, WordStream, native, read_stamp};

/// Generations before the expected one that are tried.
const OLDER: u32 = 8;
/// Origins named by stamps that are kept for pieces without a stamp.
const KEPT: usize = 8;
/// A word of which at most so many bits differ is flipped, not another: two words that have nothing in
/// common are that close once in 10^9.
pub(super) const FLIPPED_BITS: u32 = 8;
/// So many writers of one sector are told apart.
const WRITERS: usize = 4;
/// In IOR's types, whose words resemble each other, at most so many neighbouring words.
const FLIPPED_WORDS: usize = 2;

/// Somebody whose data may stand here.
struct WriterCandidate {
    source: WordSource,
    maker: Maker,
    /// What stands in the piece if it is this.
    words: Vec<u8>,
}

/// What makes a candidate's data.
enum Maker {
    /// Its origin, for the transfer as it would be at home; with the bytes from here to there.
    Origin(WordStream, i64),
    /// A word of a stranger's block, and where that stands.
    Block(FoundWord, u64),
}

/// A wrong transfer while it is looked at.
pub(super) struct Diagnosis<'a> {
    payload: &'a Payload,
    own: DataIdentity,
    layout: Option<DataLayout>,
    data: &'a [u8],
    offset: u64,
    candidates: Vec<WriterCandidate>,
    /// How many of them are asked for every piece.
    lasting: usize,
    /// What the words of the current piece should be.
    expected: Vec<u8>,
    /// For each word of the piece where it comes from, if it is wrong.
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
            true => diagnosis.writings(),
            false => diagnosis.guess(),
        }
        diagnosis.lasting = diagnosis.candidates.len();
        let mut stream = payload.stream(offset);
        for part in payload.pieces(offset, data.len()) {
            stream.fill(part.at, &mut diagnosis.expected[..part.length]);
            diagnosis.piece(&part);
        }
        diagnosis.runs.named(diagnosis.own, offset)
    }

    fn is_stamped(&self) -> bool {
        self.own.packet == Packet::Stamped
    }

    /// Older generations, and whom the first stamps of the transfer name.
    fn writings(&mut self) {
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

    /// Whom the first words of a transfer of one of IOR's types name, if most of the transfer agrees.
    fn guess(&mut self) {
        let Some((rank, place)) = self.payload.guess(self.data, self.offset) else { return };
        let whose = DataIdentity { rank, ..self.own };
        let (mut theirs, mut ours) = (Payload::new(whose).stream(place), self.payload.stream(self.offset));
        let (mut words, mut expected) = (vec![0; PIECE], vec![0; PIECE]);
        let (mut telling, mut agreeing) = (0, 0);
        for part in self.payload.pieces(self.offset, self.data.len()) {
            theirs.fill(part.at, &mut words[..part.length]);
            ours.fill(part.at, &mut expected[..part.length]);
            let found = &self.data[part.at..part.at + part.length];
            telling += unlike(&words[..part.length], &expected).count();
            agreeing +=
                unlike(&words[..part.length], &expected).filter(|at| same(&words, found, *at)).count();
        }
        if agreeing * 2 > telling {
            self.add(whose, place.wrapping_sub(self.offset) as i64);
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
            maker: Maker::Origin(stream, shift),
            words: vec![0; PIECE],
        });
    }

    /// Whomever the stamps in a piece name: what was moved begins at any sector.
    fn add_stamps(&mut self, part: &BlockPart) {
        for sector in self.sectors(part) {
            let here = self.offset + (part.at + sector.start) as u64;
            if here.is_multiple_of(SECTOR)
                && let Some(BlockStamp { origin, offset }) =
                    read_stamp(&self.data[part.at + sector.start..part.at + sector.end])
            {
                self.add(origin, offset.wrapping_sub(here) as i64);
            }
        }
    }

    /// Whom the stamp at the end of a transfer names of which nothing came that would prove it.
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

    /// The sectors of the file that a piece lies in, each as bytes of the piece; for IOR's types, whose data
    /// knows none, the whole of it.
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
        // The last one found may explain the next piece as well; a stamp there names its own.
        self.candidates.retain(|candidate| matches!(candidate.maker, Maker::Origin(..)));
        if self.candidates.len() > self.lasting + 1 {
            let last = self.candidates.len() - 1;
            self.candidates.swap(self.lasting, last);
            self.candidates.truncate(self.lasting + 1);
        }
    }

    /// Whether the word, `at` bytes into a piece, is one that no other writing has there.
    fn is_strong(&self, part: &BlockPart, at: usize) -> bool {
        (self.offset + (part.at + at) as u64) % BLOCK >= (CLEAR_WORDS * WORD) as u64
    }

    /// Makes what a candidate has in the piece; where it has nothing, before its file begins or beyond the
    /// block, the expected words stand, which explain none that is wrong.
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
            Maker::Block(found, stands) => {
                words.copy_from_slice(&self.expected[..part.length]);
                for (number, word) in words.chunks_exact_mut(WORD).enumerate() {
                    let away = (here + (number * WORD) as u64).wrapping_sub(*stands) as i64 / WORD as i64;
                    let made = found.index.checked_add_signed(away).and_then(|index| found.word_at(index));
                    if let Some(made) = made {
                        word.copy_from_slice(&made.to_ne_bytes());
                    }
                }
            }
        }
    }

    /// Looks for whose the words are that no candidate explains, in each sector: two ranks may share one.
    fn search(&mut self, part: &BlockPart) {
        for sector in self.sectors(part) {
            for _ in 0..WRITERS {
                if !self.search_sector(part, &sector) {
                    break;
                }
            }
        }
    }

    /// Adds whoever explains more of a sector; whether there is somebody.
    fn search_sector(&mut self, part: &BlockPart, sector: &Range<usize>) -> bool {
        let origin = |candidate: &WriterCandidate| match candidate.source {
            WordSource::Made(origin, _) => Some(origin),
            _ => None,
        };
        let origins: Vec<DataIdentity> = self.candidates.iter().filter_map(origin).collect();
        let known = self.candidates.len();
        let whose = |clue: Clue| Some((clue, whose(clue, self.own, &origins, self.layout)?));
        match self.clues(part, sector).into_iter().find_map(whose) {
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

    /// Words of a sector that nobody explains: two neighbours behind where a stamp may have come to stand, or
    /// else what there is of the sector.
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

    /// Gives every wrong word of the piece its source.
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
            // Zeros last, behind a candidate that explains as much: words that tell offset 0 are zero in
            // some types.
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
        } else {
            self.doubt_long_flips();
        }
    }

    /// What came of a stamp goes with the words behind it where nobody explains these, also where it looks
    /// like the expected one.
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

    /// IOR's words resemble each other: many neighbours that differ by few bits are other words.
    fn doubt_long_flips(&mut self) {
        for stretch in self.sources.chunk_by_mut(|a, b| a.is_some() == b.is_some()) {
            if stretch.len() > FLIPPED_WORDS {
                for source in stretch.iter_mut().filter(|source| **source == Some(WordSource::Flipped)) {
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

/// Where the words of `a` are not those of `b`, in bytes.
fn unlike<'b>(a: &'b [u8], b: &'b [u8]) -> impl Iterator<Item = usize> + use<'b> {
    (0..a.len()).step_by(WORD).filter(move |at| !same(a, b, *at))
}
