//! Turns words with a source each into ranges with a kind each.

use super::{Bad, DamageKind};
use crate::kit::payload::blocks::BLOCK;
use crate::kit::payload::stamped::CLEAR_WORDS;
use crate::kit::payload::{DataIdentity, Packet};

/// A word counts as flipped, not as another word, if at most this many of its bits differ. Two unrelated
/// words are that close once in 10^9.
pub(super) const FLIPPED_BITS: u32 = 8;

/// Where a wrong word comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordSource {
    /// From this origin. The second value is the distance in bytes to the place where the data belongs.
    Made(DataIdentity, i64),
    /// Stamped data of an unknown writer.
    Stranger,
    /// Keyed data of another key, which has this number in its stamps.
    OtherKey(u64),
    Zero,
    /// The written word with some bits changed.
    Flipped,
    Unknown,
}

/// One wrong word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// Its distance from the start of the transfer, bytes.
    pub(super) at: u64,
    pub(super) expected: u64,
    pub(super) found: u64,
    pub(super) source: WordSource,
}

/// Consecutive wrong words of one source.
struct WordRun {
    first: Word,
    end: u64,
    bits: u64,
}

/// The runs of one transfer.
#[derive(Default)]
pub(super) struct Runs {
    runs: Vec<WordRun>,
    /// Whether a word was right that no other writer of its place shares.
    pub(super) some_is_sound: bool,
}

/// Number of ranges of one transfer that are distinguished. Later ones are not listed.
const RUNS_MAX: usize = 256;

impl Runs {
    /// Adds the next wrong word.
    pub(super) fn take(&mut self, word: Word) {
        let bits = u64::from((word.expected ^ word.found).count_ones());
        let end = word.at + 8;
        let has_space = self.runs.len() < RUNS_MAX;
        match self.runs.last_mut() {
            Some(run) if run.first.source == word.source => (run.end, run.bits) = (end, run.bits + bits),
            _ if has_space => self.runs.push(WordRun { first: word, end, bits }),
            _ => {}
        }
    }

    /// The ranges of a transfer at `offset` that should hold data of `own`.
    pub(super) fn bad_ranges(&self, own: DataIdentity, offset: u64) -> Vec<Bad> {
        let mixed = self.is_mixed(own);
        let bad = |run: &WordRun| {
            let here = offset + run.first.at;
            let (kind, detail) = classify(run, own, here, mixed);
            Bad {
                offset: here,
                length: run.end - run.first.at,
                expected: run.first.expected,
                found: Some(run.first.found),
                kind,
                detail,
            }
        };
        self.runs.iter().map(bad).collect()
    }

    /// Whether the transfer holds data of several generations of its place.
    fn is_mixed(&self, own: DataIdentity) -> bool {
        let mut others = self.runs.iter().filter_map(|run| match run.first.source {
            WordSource::Made(origin, 0) if is_here(origin, own) => Some(origin.generation),
            _ => None,
        });
        let first = others.next();
        first.is_some() && (self.some_is_sound || others.any(|other| Some(other) != first))
    }
}

/// Whether the two differ at most in the generation.
fn is_here(origin: DataIdentity, own: DataIdentity) -> bool {
    let of = |origin: DataIdentity| (origin.signature, origin.file, origin.rank, origin.key);
    of(origin) == of(own)
}

fn classify(run: &WordRun, own: DataIdentity, here: u64, mixed: bool) -> (DamageKind, String) {
    match run.first.source {
        WordSource::Zero => (DamageKind::Zero, String::new()),
        WordSource::Flipped if run.bits == 1 => (DamageKind::Flipped, "1 bit differs".into()),
        WordSource::Flipped => (DamageKind::Flipped, format!("{} bits differ", run.bits)),
        WordSource::Unknown => (DamageKind::Wrong, String::new()),
        WordSource::Stranger => {
            (DamageKind::Foreign, "stamped data without the stamp that names its writer".into())
        }
        WordSource::OtherKey(id) => (DamageKind::OtherKey, format!("keyed by another key, {id:#018x}")),
        WordSource::Made(origin, shift) => {
            let (kind, mut detail) =
                classify_intact(origin, here.wrapping_add_signed(shift), own, here, mixed);
            let is_cut = here % BLOCK + (run.end - run.first.at) <= (CLEAR_WORDS * 8) as u64;
            if own.packet == Packet::Stamped
                && kind == DamageKind::Misplaced
                && is_cut
                && run.bits <= FLIPPED_BITS.into()
            {
                detail.push_str(&format!(", or {} of its bits differ", run.bits));
            }
            (kind, detail)
        }
    }
}

/// The kind and detail of intact data of `origin` from `place`.
fn classify_intact(
    origin: DataIdentity,
    place: u64,
    own: DataIdentity,
    here: u64,
    mixed: bool,
) -> (DamageKind, String) {
    let DataIdentity { signature, file, rank, generation, key, .. } = origin;
    if key != own.key {
        return (DamageKind::OtherKey, "stamped data without a key".into());
    }
    if (signature, file) != (own.signature, own.file) {
        let detail = format!(
            "campaign {signature}, file id {file:#018x}, rank {rank}, generation {generation}, offset {place}"
        );
        return (DamageKind::Foreign, detail);
    }
    if place != here || rank != own.rank {
        let mut detail = format!("belongs to offset {place} of rank {rank}");
        match own.packet {
            Packet::Offset | Packet::Incompressible => detail.push_str(" (modulo 2^32)"),
            Packet::Random => detail.push_str(", or to a rank or signature with the same data"),
            _ if generation != own.generation => detail.push_str(&format!(", generation {generation}")),
            _ => {}
        }
        return (DamageKind::Misplaced, detail);
    }
    let expected = own.generation;
    let detail = format!("generation {generation} of this place, expected {expected}");
    match (mixed, generation < expected) {
        (true, _) => (DamageKind::Torn, detail),
        (false, true) => (DamageKind::Stale, detail),
        (false, false) => (DamageKind::Wrong, format!("{detail}; it was written after the expected one")),
    }
}
