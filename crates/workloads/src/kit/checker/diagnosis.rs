//! Where the words of a wrong transfer come from.
//!
//! For each piece with wrong words the data of every candidate (older generations of the place, whoever
//! a stamp names, zeros) is made anew and compared word by word; a word belongs to the candidate that
//! explains it, and where several do, to the one that explains most of the piece.

use super::runs::{Runs, Source, Word};
use super::{Bad, WORD};
use crate::kit::payload::stamped::{BLOCK, CLEAR_WORDS, Part};
use crate::kit::payload::{Identity, Origin, PIECE, Packet, Payload, Stamp, Stream, native, read_stamp};

/// Generations before the expected one that are tried.
const OLDER: u32 = 8;
/// Origins named by stamps that are kept for pieces without a stamp.
const KEPT: usize = 8;
/// A word of which at most so many bits differ is flipped, not another: two words that have nothing in
/// common are that close once in 10^9.
const FLIPPED_BITS: u32 = 8;
/// In IOR's types, whose words resemble each other, at most so many neighbouring words.
const FLIPPED_WORDS: usize = 2;

/// Somebody whose data may stand here.
struct Candidate {
    origin: Origin,
    /// Bytes from here to where the data belongs.
    shift: i64,
    stream: Stream,
    /// What stands in the piece if it is this.
    words: Vec<u8>,
}

/// A wrong transfer while it is looked at.
pub(super) struct Diagnosis<'a> {
    payload: &'a Payload,
    own: Identity,
    data: &'a [u8],
    offset: u64,
    candidates: Vec<Candidate>,
    /// How many of them are asked for every piece.
    lasting: usize,
    /// What the words of the current piece should be.
    expected: Vec<u8>,
    /// For each word of the piece where it comes from, if it is wrong.
    sources: Vec<Option<Source>>,
    runs: Runs,
}

impl<'a> Diagnosis<'a> {
    /// The bad ranges of a transfer that was read at `offset`.
    pub(super) fn of(payload: &'a Payload, data: &'a [u8], offset: u64) -> Vec<Bad> {
        let mut diagnosis = Self {
            payload,
            own: payload.identity(),
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
                self.add(Origin { generation, ..origin_of(self.own) }, 0);
            }
        }
        let full = self.candidates.len() + KEPT;
        for part in self.payload.pieces(self.offset, self.data.len()) {
            if self.candidates.len() < full {
                self.add_stamp(&part);
            }
        }
    }

    /// Whom the first words of a transfer of one of IOR's types name, if most of the transfer agrees.
    fn guess(&mut self) {
        let Some((rank, place)) = self.payload.guess(self.data, self.offset) else { return };
        let whose = Identity { rank, ..self.own };
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
            self.add(origin_of(whose), place.wrapping_sub(self.offset) as i64);
        }
    }

    fn add(&mut self, origin: Origin, shift: i64) {
        let known = |candidate: &Candidate| (candidate.origin, candidate.shift) == (origin, shift);
        let own = (origin, shift) == (origin_of(self.own), 0);
        if own || self.candidates.iter().any(known) {
            return;
        }
        if let Some(place) = self.offset.checked_add_signed(shift) {
            let stream = Payload::new(identity(origin, self.own.packet)).stream(place);
            self.candidates.push(Candidate { origin, shift, stream, words: vec![0; PIECE] });
        }
    }

    /// Whomever the stamp of a piece names, if it has one.
    fn add_stamp(&mut self, part: &Part) {
        let here = self.offset + part.at as u64;
        if here.is_multiple_of(BLOCK)
            && let Some(Stamp { origin, offset }) = read_stamp(&self.data[part.at..part.at + part.length])
        {
            self.add(origin, offset.wrapping_sub(here) as i64);
        }
    }

    fn piece(&mut self, part: &Part) {
        let found = &self.data[part.at..part.at + part.length];
        let mut wrong = unlike(found, &self.expected).peekable();
        if wrong.peek().is_none() {
            self.runs.some_is_sound |= (0..part.length).step_by(WORD).any(|at| self.is_strong(part, at));
            return;
        }
        drop(wrong);
        if self.is_stamped() {
            self.add_stamp(part);
        }
        self.attribute(part);
        if self.is_stamped() {
            self.search(part);
        }
        for at in (0..part.length).step_by(WORD) {
            let (expected, found) = (word(&self.expected, at), word(self.data, part.at + at));
            match self.sources[at / WORD] {
                Some(source) => self.runs.take(Word { at: (part.at + at) as u64, expected, found, source }),
                None => self.runs.some_is_sound |= self.is_strong(part, at),
            }
        }
        // The last one found may explain the next piece as well; a stamp there names its own.
        if self.candidates.len() > self.lasting + 1 {
            let last = self.candidates.len() - 1;
            self.candidates.swap(self.lasting, last);
            self.candidates.truncate(self.lasting + 1);
        }
    }

    /// Whether the word, `at` bytes into a piece, is one that no other writing has there.
    fn is_strong(&self, part: &Part, at: usize) -> bool {
        (self.offset + (part.at + at) as u64) % BLOCK >= (CLEAR_WORDS * WORD) as u64
    }

    /// Looks in the whole file, of this rank in this generation or an older one, for where words belong
    /// that nobody explains; two neighbouring ones tell it.
    fn search(&mut self, part: &Part) {
        let unknown = |pair: &[Option<Source>]| pair == [Some(Source::Unknown); 2];
        let Some(index) = self.sources.windows(2).position(unknown) else { return };
        let at = part.at + index * WORD;
        let here = self.offset + at as u64;
        let words = [word(self.data, at), word(self.data, at + WORD)];
        let others = self.candidates.iter().map(|candidate| candidate.origin);
        let located = std::iter::once(origin_of(self.own)).chain(others).find_map(|origin| {
            Some((origin, Payload::new(identity(origin, Packet::Stamped)).locate(words, here)?))
        });
        if let Some((origin, place)) = located {
            self.add(origin, place.wrapping_sub(here) as i64);
            self.attribute(part);
        }
    }

    /// Gives every wrong word of the piece its source.
    fn attribute(&mut self, part: &Part) {
        let found = &self.data[part.at..part.at + part.length];
        let expected = &self.expected[..part.length];
        let zeros = vec![0; part.length];
        let explained = |words: &[u8]| unlike(found, expected).filter(|at| same(words, found, *at)).count();
        let mut ranking = Vec::new();
        for candidate in &mut self.candidates {
            candidate.stream.fill(part.at, &mut candidate.words[..part.length]);
            let source = Source::Made(candidate.origin, candidate.shift);
            ranking.push((explained(&candidate.words), source, candidate.words.as_slice()));
        }
        // Last, behind a candidate that explains as much: words that tell offset 0 are zero in some types.
        ranking.push((explained(&zeros), Source::Zero, zeros.as_slice()));
        ranking.sort_by_key(|(explains, ..)| std::cmp::Reverse(*explains));
        self.sources.clear();
        self.sources.resize(part.length / WORD, None);
        for at in unlike(found, expected) {
            let bits = (word(found, at) ^ word(expected, at)).count_ones();
            let near = if bits <= FLIPPED_BITS { Source::Flipped } else { Source::Unknown };
            let of = ranking.iter().find(|(_, _, words)| same(words, found, at));
            self.sources[at / WORD] = Some(of.map_or(near, |(_, source, _)| *source));
        }
        if !self.is_stamped() {
            self.doubt_long_flips();
        }
    }

    /// IOR's words resemble each other: many neighbours that differ by few bits are other words.
    fn doubt_long_flips(&mut self) {
        for stretch in self.sources.chunk_by_mut(|a, b| a.is_some() == b.is_some()) {
            if stretch.len() > FLIPPED_WORDS {
                for source in stretch.iter_mut().filter(|source| **source == Some(Source::Flipped)) {
                    *source = Some(Source::Unknown);
                }
            }
        }
    }
}

fn identity(origin: Origin, packet: Packet) -> Identity {
    let Origin { campaign: signature, file, rank, generation } = origin;
    Identity { packet, signature, rank, file, generation }
}

fn origin_of(identity: Identity) -> Origin {
    let Identity { signature: campaign, rank, file, generation, .. } = identity;
    Origin { campaign, file, rank, generation }
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
