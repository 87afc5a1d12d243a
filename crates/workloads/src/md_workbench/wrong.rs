//! Objects with wrong data: how many there are, and where the first ones are wrong.
//!
//! Invariant: each of them has one range, from its first wrong word to its last one.

use std::path::Path;

use ranks::{Comm, Halt};
use results::record::{BadRange, Check};

use crate::kit::checker::over_ranks as found;
use crate::kit::checker::{Bad, Checker, DamageKind};
use crate::kit::payload::{DataIdentity, Payload};
use crate::kit::small_data::WORD;

/// What one rank has compared in a phase.
pub(super) struct ComparedObjects {
    /// The counts. The ranges are below, with their paths.
    counts: Checker,
    wrong: u64,
    /// The first ranges.
    ranges: Vec<BadRange>,
}

impl Default for ComparedObjects {
    fn default() -> Self {
        let counts = Checker::new(Payload::new(DataIdentity::default()), 0);
        Self { counts, wrong: 0, ranges: Vec::new() }
    }
}

impl ComparedObjects {
    /// Counts an object of this length.
    pub(super) fn pass(&mut self, bytes: usize) {
        self.counts.pass(bytes);
    }

    /// Adds the range of an object that has other data than expected. It is also counted by
    /// [`ComparedObjects::pass`].
    #[cold]
    pub(super) fn take(&mut self, path: &Path, read: &[u8], expected: &[u8]) {
        let differs = |(read, expected): (&u8, &u8)| read != expected;
        let pairs = || read.iter().zip(expected);
        let (first, last) = (pairs().position(differs).unwrap_or(0), pairs().rposition(differs).unwrap_or(0));
        let (from, end) = (first / WORD * WORD, ((last / WORD + 1) * WORD).min(read.len()));
        let is_zero = read[from..end].iter().all(|byte| *byte == 0);
        let bad = Bad {
            offset: from as u64,
            length: (end - from) as u64,
            expected: word(expected, from),
            found: Some(word(read, from)),
            kind: if is_zero { DamageKind::Zero } else { DamageKind::Wrong },
            detail: String::new(),
        };
        self.wrong += 1;
        self.counts.ranges += 1;
        self.counts.kinds[bad.kind as usize] += 1;
        if self.ranges.len() < Check::CAP {
            self.ranges.push(bad.recorded(&path.display().to_string()));
        }
    }

    /// The path of the first object with wrong data.
    pub(super) fn first(&self) -> Option<&str> {
        self.ranges.first().map(|bad| bad.path.as_str())
    }

    /// What all ranks found. Only rank 0 has the ranges. Collective.
    pub(super) fn over_ranks(&self, comm: &dyn Comm) -> Result<Check, Halt> {
        let first = |most| self.ranges.iter().take(most).cloned().collect();
        Ok(found::over_ranks(comm, &self.counts, self.wrong, first)?.0)
    }
}

/// The word at a place. Missing bytes at the end are 0.
fn word(bytes: &[u8], from: usize) -> u64 {
    let mut word = [0; WORD];
    word.iter_mut().zip(&bytes[from..]).for_each(|(own, byte)| *own = *byte);
    u64::from_ne_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_an_object_reaches_from_its_first_wrong_word_to_its_last() {
        let expected: Vec<u8> = (1..=30).collect();
        for (changed, place, kind) in [
            (vec![(9, 0xff), (17, 0xff)], (8, 16), "wrong"),
            (vec![(29, 0xff)], (24, 6), "wrong"),
            ((0..8).map(|at| (at, 0)).collect(), (0, 8), "zero"),
        ] {
            let mut read = expected.clone();
            changed.iter().for_each(|(at, byte)| read[*at] = *byte);
            let mut compared = ComparedObjects::default();
            compared.take(Path::new("/s/f"), &read, &expected);
            let [bad] = &compared.ranges[..] else { panic!("one range") };
            assert_eq!(((bad.offset, bad.length), bad.kind.as_str()), (place, kind));
            assert_ne!(bad.expected, bad.found);
            assert_eq!(compared.first(), Some("/s/f"));
        }
    }
}
