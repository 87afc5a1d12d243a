//! Compares what was read from files, and says of which item it is wrong, where, and how.
//!
//! Invariant: an item is counted once, however much of it is wrong; the run goes on.

use ranks::{Halt, Reduce};
use results::record::{BadRange, Check};

use super::data::{Data, WORD};
use super::items::Items;
use super::operations::Row;
use super::run::Run;
use crate::kit::checker::{Bad, Checker, Kind};
use crate::kit::few;
use crate::kit::payload::{Identity, Packet, Payload, native};

/// Ranges that each rank remembers.
const KEPT: usize = 8;
/// So many items before and after a wrong one are looked at for whose data it is, where the data is random.
const NEAR: u64 = 1024;

/// Compares the files of one rank in one phase.
pub(super) struct Verifier {
    data: Data,
    checker: Checker,
    wrong_items: u64,
    /// What was found first, each with path and number of its item.
    found: Vec<(String, u64, Bad)>,
}

impl Verifier {
    pub(super) fn new(data: Data) -> Self {
        let checker = Checker::new(data.payload(), KEPT);
        Self { data, checker, wrong_items: 0, found: Vec::new() }
    }

    /// Compares what came of the first `wanted` bytes of an item.
    pub(super) fn look(&mut self, came: &[u8], wanted: usize, items: &Items<'_>) {
        self.data.aim(items);
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
            self.keep(words, 0, place, Kind::Misplaced, detail);
        } else {
            self.checker.look(words, place);
        }
        if !self.rest_is_right(rest, words_end, place, known) {
            self.checker.bad_transfers += 1;
            self.keep(rest, words_end, place, Kind::Wrong, String::new());
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

    /// Whether these are the item's words; the last one may have come in part.
    fn is_sound(&self, words: &[u8], place: u64) -> bool {
        let (whole, part) = words.split_at(words.len() / WORD * WORD);
        let payload = self.data.payload();
        payload.holds(whole, place) && (part.is_empty() || self.word_at(whole.len(), place).starts_with(part))
    }

    /// The item's word from byte `from` on.
    fn word_at(&self, from: usize, place: u64) -> [u8; WORD] {
        let mut word = [0; WORD];
        self.data.payload().stream(place).fill(from, &mut word);
        word
    }

    /// Bytes behind the last whole word hold their place in the file; where the file may be longer than what
    /// was read, they may also be the first bytes of another word.
    fn rest_is_right(&self, rest: &[u8], from: usize, place: u64, known: bool) -> bool {
        if rest.iter().enumerate().all(|(index, byte)| *byte == (from + index) as u8) {
            return true;
        }
        !known && self.word_at(from, place).starts_with(rest)
    }

    /// Whose data it is that is not sound, if all of it is there and is another item's as a whole.
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
        let theirs = Payload::new(Identity { rank, ..own });
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

    /// A range from `from` on that is wrong to its end.
    fn keep(&mut self, bytes: &[u8], from: usize, place: u64, kind: Kind, detail: String) {
        self.checker.kinds[kind as usize] += 1;
        let mut expected = [0; WORD];
        if kind == Kind::Misplaced {
            expected = self.word_at(0, place);
        } else {
            let known = expected.iter_mut().enumerate().take(bytes.len());
            known.for_each(|(index, byte)| *byte = (from + index) as u8);
        }
        let mut found = [0; WORD];
        let length = bytes.len().min(WORD);
        found[..length].copy_from_slice(&bytes[..length]);
        self.checker.bad.push(Bad {
            offset: place + from as u64,
            length: bytes.len() as u64,
            expected: u64::from_ne_bytes(expected),
            found: Some(u64::from_ne_bytes(found)),
            kind,
            detail,
        });
    }

    /// Gives what was found to its item.
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

/// What was found on all ranks; wrong items enter the summary. Collective.
pub(super) fn over_ranks(
    run: &mut Run<'_>,
    row: &Row,
    verifier: Option<Verifier>,
) -> Result<Option<Check>, Halt> {
    let Some(verifier) = verifier else { return Ok(None) };
    let mut sums = [0; 2 + Kind::ALL.len()];
    (sums[0], sums[1]) = (verifier.checker.bytes, verifier.wrong_items);
    sums[2..].copy_from_slice(&verifier.checker.kinds);
    run.rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [bytes, bad_transfers, kinds @ ..] = sums;
    run.summary.wrong += bad_transfers;
    let lines: Vec<String> = verifier.found.iter().map(line).collect();
    let mine = (!lines.is_empty()).then(|| whole_lines(&lines));
    let heard = few::collect(run.rank.comm, mine.as_deref().map(str::as_bytes))?;
    let each = heard.parcels.iter().map(|(rank, text)| ranges(*rank, &String::from_utf8_lossy(text)));
    let bad = few::in_turn(each.collect(), Check::CAP);
    let bad_ranks = heard.total;
    if bad_transfers > 0 {
        tell_kinds(run, row, bad_transfers, kinds)?;
    }
    Ok(Some(Check { bytes, bad_transfers, bad, bad_ranks, ..Check::default() }))
}

/// How many items hold which kind: the list of ranges ends early, this does not.
fn tell_kinds(run: &mut Run<'_>, row: &Row, items: u64, kinds: [u64; Kind::ALL.len()]) -> Result<(), Halt> {
    let named = Kind::ALL.into_iter().zip(kinds).filter(|(_, count)| *count > 0);
    let named: Vec<String> = named.map(|(kind, count)| format!("{count} {kind}")).collect();
    let text = format!("{}: {items} files with wrong data, by kind: {}", row.label, named.join(", "));
    run.notice("wrong-data", row.phase, &text)
}

fn line((path, item, bad): &(String, u64, Bad)) -> String {
    let found = bad.found.map_or("nothing".to_owned(), |found| format!("{found:#018x}"));
    let Bad { offset, length, expected, kind, detail, .. } = bad;
    let detail = if detail.is_empty() { format!("item {item}") } else { format!("item {item}: {detail}") };
    // The path comes last: it may hold anything but an end of line.
    let path = path.replace('\n', "\u{fffd}");
    format!("{offset}\t{length}\t{expected:#018x}\t{found}\t{kind}\t{detail}\t{path}\n")
}

/// As many lines as are brought whole.
fn whole_lines(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines.iter().filter(|line| line.len() <= few::BYTES) {
        if text.len() + line.len() > few::BYTES {
            break;
        }
        text.push_str(line);
    }
    text
}

fn ranges(rank: u32, text: &str) -> Vec<BadRange> {
    let range = |line: &str| {
        let mut fields = line.splitn(7, '\t');
        let mut next = || fields.next().unwrap_or_default().to_owned();
        let (offset, length) = (next().parse().unwrap_or(0), next().parse().unwrap_or(0));
        let (expected, found, kind, detail, path) = (next(), next(), next(), next(), next());
        BadRange { rank, path, offset, length, expected, found, kind, detail }
    };
    text.lines().map(range).collect()
}
