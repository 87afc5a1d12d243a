//! Compares data that was read from files. For wrong data it reports the item, the place and the kind.
//!
//! Invariant: an item is counted once, even if all of it is wrong. The run continues.

use command::mdtest::ItemOperation;
use ranks::Halt;
use results::record::{BadRange, Check};

use super::data::FileData;
use super::items::Items;
use super::state::MdtestRun;
use crate::kit::checker::over_ranks::{self as found, Kinds};
use crate::kit::checker::{Bad, Checker, DamageKind};
use crate::kit::payload::{DataIdentity, Packet, Payload, native};
use crate::kit::small_data::WORD;

/// Number of ranges that each rank stores. The ranges of one rank may fill the list.
const KEPT: usize = Check::CAP;
/// The number of items before and after a wrong one whose data is compared with it, if the data is random.
const NEAR: u64 = 1024;

/// Compares the files of one rank in one phase.
pub(super) struct Verifier {
    data: FileData,
    checker: Checker,
    wrong_items: u64,
    /// The first findings, each with the path and the number of its item.
    found: Vec<(String, u64, Bad)>,
}

impl Verifier {
    pub(super) fn new(data: FileData) -> Self {
        let checker = Checker::new(data.payload(), KEPT);
        Self { data, checker, wrong_items: 0, found: Vec::new() }
    }

    /// Compares the data that was read of the first `wanted` bytes of an item.
    pub(super) fn compare(&mut self, came: &[u8], wanted: usize, items: &Items<'_>) {
        self.data.select(items);
        self.checker.payload = self.data.payload();
        let place = self.data.place(items);
        let (words_end, known) = self.data.words_end(wanted);
        let (words, rest) = came.split_at(came.len().min(words_end));
        let mut wrong = self.checker.bad_transfers;
        if self.is_sound(words, place) {
            self.checker.pass(words.len());
        } else if let Some(detail) = self.of_another(words, words_end, place) {
            self.checker.pass(words.len());
            self.checker.bad_transfers += 1;
            self.keep(words, 0, place, DamageKind::Misplaced, detail);
        } else {
            self.checker.compare(words, place);
        }
        if !self.rest_is_right(rest, words_end, place, known) {
            self.checker.bad_transfers += 1;
            self.keep(rest, words_end, place, DamageKind::Wrong, String::new());
        }
        self.checker.bytes += rest.len() as u64;
        if came.len() < wanted {
            self.checker.missing(place, came.len(), wanted);
        }
        wrong = self.checker.bad_transfers - wrong;
        if wrong > 0 {
            self.take(items, place);
        }
    }

    /// Whether these are the item's words. The last one may be incomplete.
    fn is_sound(&self, words: &[u8], place: u64) -> bool {
        let (whole, part) = words.split_at(words.len() / WORD * WORD);
        let payload = self.data.payload();
        payload.holds(whole, place) && (part.is_empty() || self.word_at(whole.len(), place).starts_with(part))
    }

    /// The item's word at byte `from`.
    fn word_at(&self, from: usize, place: u64) -> [u8; WORD] {
        let mut word = [0; WORD];
        self.data.payload().stream(place).fill(from, &mut word);
        word
    }

    /// Bytes after the last whole word hold their place in the file. If the file may be longer than the read,
    /// they may also be the first bytes of another word.
    fn rest_is_right(&self, rest: &[u8], from: usize, place: u64, known: bool) -> bool {
        if rest.iter().enumerate().all(|(index, byte)| *byte == (from + index) as u8) {
            return true;
        }
        !known && self.word_at(from, place).starts_with(rest)
    }

    /// The origin of wrong data, if all of it is the data of one other item.
    #[cold]
    fn of_another(&self, words: &[u8], words_end: usize, place: u64) -> Option<String> {
        if words.len() < words_end {
            return None;
        }
        let payload = self.data.payload();
        let own = payload.identity();
        let words = &words[..words.len() / WORD * WORD];
        if words.is_empty() || own.packet == Packet::Stamped || payload.holds(words, place) {
            return None;
        }
        let first = native(&words[..WORD]);
        let rank = match own.packet {
            Packet::Random => own.rank,
            _ => first >> 32,
        };
        let theirs = Payload::new(DataIdentity { rank, ..own });
        let item = match own.packet {
            Packet::Timestamp => place,
            Packet::Random => (1..=NEAR)
                .flat_map(|by| [place.checked_sub(by), place.checked_add(by)])
                .flatten()
                .find(|item| theirs.holds(&words[..WORD], *item))?,
            _ => first & 0xffff_ffff,
        };
        if !theirs.holds(words, item) {
            return None;
        }
        Some(match own.packet {
            Packet::Timestamp => format!("data of rank {rank}"),
            Packet::Random => format!("data of item {item} of rank {rank}, or of a rank near it"),
            _ => format!("data of item {item} of rank {rank}"),
        })
    }

    /// A range that is wrong from `from` to its end.
    fn keep(&mut self, bytes: &[u8], from: usize, place: u64, kind: DamageKind, detail: String) {
        self.checker.kinds[kind as usize] += 1;
        let mut expected = [0; WORD];
        if kind == DamageKind::Misplaced {
            expected = self.word_at(0, place);
        } else {
            let known = expected.iter_mut().enumerate().take(bytes.len());
            known.for_each(|(index, byte)| *byte = (from + index) as u8);
        }
        let mut found = [0; WORD];
        let length = bytes.len().min(WORD);
        found[..length].copy_from_slice(&bytes[..length]);
        self.checker.keep(Bad {
            offset: place + from as u64,
            length: bytes.len() as u64,
            expected: u64::from_ne_bytes(expected),
            found: Some(u64::from_ne_bytes(found)),
            kind,
            detail,
        });
    }

    /// Assigns the findings to the item.
    #[cold]
    fn take(&mut self, items: &Items<'_>, place: u64) {
        self.wrong_items += 1;
        for bad in self.checker.bad.drain(..) {
            if self.found.len() < KEPT {
                let bad = Bad { offset: bad.offset - place, ..bad };
                self.found.push((items.path().display().to_string(), items.number(), bad));
            }
        }
    }
}

/// Collects the findings of all ranks and counts the wrong items in the summary. Collective.
pub(super) fn over_ranks(
    run: &mut MdtestRun<'_>,
    row: &ItemOperation,
    verifier: Option<Verifier>,
) -> Result<Option<Check>, Halt> {
    let Some(Verifier { checker, wrong_items, found: mine, .. }) = verifier else { return Ok(None) };
    let first = |most| mine.iter().take(most).map(range).collect();
    let (check, kinds) = found::over_ranks(run.rank.comm, &checker, wrong_items, first)?;
    run.summary.wrong += check.bad_transfers;
    if check.bad_transfers > 0 {
        tell(run, row, &check, kinds)?;
    }
    Ok(Some(check))
}

/// How many items hold each kind, and how many each rank has. The list of ranges is limited; these numbers
/// are not.
fn tell(run: &mut MdtestRun<'_>, row: &ItemOperation, check: &Check, kinds: Kinds) -> Result<(), Halt> {
    let (by_kind, by_rank) = found::notices(row.label, true, check, kinds);
    run.notice(row.phase, &by_kind)?;
    by_rank.map_or(Ok(()), |reason| run.notice(row.phase, &reason))
}

fn range((path, item, bad): &(String, u64, Bad)) -> BadRange {
    let detail = &bad.detail;
    let detail = if detail.is_empty() { format!("item {item}") } else { format!("item {item}: {detail}") };
    BadRange { detail, ..bad.recorded(&path.replace('\n', "\u{fffd}")) }
}
