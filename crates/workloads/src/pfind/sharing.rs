//! How ranks without work take some from others, and how all learn that no work is left.
//!
//! A rank without work asks others in turn: its parent in a tree, along which the first work spreads, and a
//! random one. Who is asked gives half of its pending entries. What arrives waits until the rank has no other
//! work. So its own entries remain in the order of their depth.
//!
//! The end is found by credits (F. Mattern, Global quiescence detection based on credit distribution and
//! recovery, 1989). Rank 0 begins with a credit of 1. Who gives work gives half of its credit with it. A rank
//! without work returns its credit to rank 0. The end is when rank 0 has all of it.
//!
//! Invariant: a rank with work has credit. After [`Sharing::end`] no message is on its way. A [`Halt`] leaves
//! messages on their way, and ends the ranks.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use ranks::{Comm, Halt, Mailbox};

use super::pending::{PendingEntries, add, take_half};
use crate::kit::payload::stamped::mix;

/// The first byte of a message. That of a credit, or of work, is followed by its number, as in
/// [`Sharing::credit`].
const ASK: u8 = 0;
const NOTHING: u8 = 1;
const WORK: u8 = 2;
const CREDIT: u8 = 3;
const END: u8 = 4;

/// The sleeps of a rank without work, from the first to the longest.
const SLEEP_MIN: Duration = Duration::from_micros(20);
const SLEEP_MAX: Duration = Duration::from_millis(1);

/// After this time without an answer, another rank is asked, too: the first one may be in a long call.
const PATIENCE: Duration = Duration::from_millis(5);

/// The most ranks that owe an answer.
const ASKED_MAX: usize = 4;

/// What one rank exchanges with the others.
pub(super) struct Sharing<'c> {
    comm: &'c dyn Comm,
    mailbox: Mailbox<'c>,
    /// n for a credit of 2^-n; `None` without credit.
    credit: Option<u32>,
    /// On rank 0: the credits that were returned, as the bits of their sum.
    returned: BTreeSet<u32>,
    /// Whether the end is known.
    ended: bool,
    /// The ranks that owe an answer.
    asked: BTreeSet<u32>,
    /// Work that has arrived and is not yet among the pending entries.
    received: Vec<Vec<u8>>,
    /// Every second request goes to the previous rank, not to the parent.
    asks_previous: bool,
    requests: u32,
    /// Entries that this rank took from others.
    pub(super) taken: u64,
}

impl<'c> Sharing<'c> {
    /// Rank 0 has the first work.
    pub(super) fn new(comm: &'c dyn Comm, asks_previous: bool) -> Self {
        Self {
            comm,
            mailbox: Mailbox::new(comm),
            credit: (comm.rank() == 0).then_some(0),
            returned: BTreeSet::new(),
            ended: false,
            asked: BTreeSet::new(),
            received: Vec::new(),
            asks_previous,
            requests: 0,
            taken: 0,
        }
    }

    /// Answers the requests that have arrived.
    pub(super) fn answer(&mut self, entries: &mut PendingEntries) -> Result<(), Halt> {
        while let Some((from, message)) = self.mailbox.poll()? {
            match message[..] {
                [ASK] => self.give(from, entries)?,
                [NOTHING] => _ = self.asked.remove(&from),
                [WORK, a, b, c, d, ..] => {
                    self.asked.remove(&from);
                    let credit = u32::from_ne_bytes([a, b, c, d]);
                    self.received.push(message);
                    // An answer may come after that of another rank, which brought work and credit.
                    if let Some(second) = self.credit.replace(credit) {
                        self.return_credit(second)?;
                    }
                }
                [CREDIT, a, b, c, d] => self.collect(u32::from_ne_bytes([a, b, c, d]))?,
                [END] => self.spread_end()?,
                _ => unreachable!("no rank sends such a message"),
            }
        }
        Ok(())
    }

    fn give(&mut self, to: u32, entries: &mut PendingEntries) -> Result<(), Halt> {
        let Some(credit) = self.credit.as_mut() else { return self.mailbox.post(to, vec![NOTHING]) };
        let mut message = match self.received.pop() {
            Some(received) => received,
            // The last entry stays: a rank that gives all of its work must ask for some itself.
            None if entries.len() > 1 => [&[WORK; 5][..], &take_half(entries)].concat(),
            None => return self.mailbox.post(to, vec![NOTHING]),
        };
        *credit += 1;
        message[1..5].copy_from_slice(&credit.to_ne_bytes());
        self.mailbox.post(to, message)
    }

    fn return_credit(&mut self, credit: u32) -> Result<(), Halt> {
        if self.comm.rank() == 0 {
            return self.collect(credit);
        }
        self.mailbox.post(0, [&[CREDIT][..], &credit.to_ne_bytes()].concat())
    }

    /// Adds a returned credit on rank 0.
    fn collect(&mut self, mut credit: u32) -> Result<(), Halt> {
        // Two equal credits are one of twice the value.
        while self.returned.remove(&credit) {
            credit -= 1;
        }
        self.returned.insert(credit);
        if let Some(own) = &mut self.credit {
            while self.returned.remove(own) {
                *own -= 1;
            }
        }
        if self.returned.contains(&0) { self.spread_end() } else { Ok(()) }
    }

    /// Notes the end and informs two other ranks, which inform two others each.
    fn spread_end(&mut self) -> Result<(), Halt> {
        self.ended = true;
        let first = u64::from(self.comm.rank()) * 2 + 1;
        for child in first..(first + 2).min(self.comm.size().into()) {
            self.mailbox.post(child as u32, vec![END])?;
        }
        Ok(())
    }

    /// Moves work that has arrived to the pending entries. False if there is none.
    fn unpack(&mut self, entries: &mut PendingEntries) -> bool {
        let received = self.received.pop();
        if let Some(message) = &received {
            self.taken += add(entries, &message[5..]);
        }
        received.is_some()
    }

    /// Returns the credit of this rank, and waits for work. False if none is left on any rank, or if
    /// `has_alarm`.
    pub(super) fn obtain(
        &mut self,
        entries: &mut PendingEntries,
        has_alarm: impl Fn() -> bool,
    ) -> Result<bool, Halt> {
        let (mut sleep, mut waited) = (SLEEP_MIN, Duration::ZERO);
        loop {
            self.answer(entries)?;
            if has_alarm() {
                return Ok(false);
            }
            if self.unpack(entries) {
                return Ok(true);
            }
            // Also in later turns: what arrived may have been given away at once.
            if let Some(credit) = self.credit.take() {
                self.return_credit(credit)?;
            }
            if self.ended {
                return Ok(false);
            }
            if self.asked.is_empty() || (waited > PATIENCE && self.asked.len() < ASKED_MAX) {
                waited = Duration::ZERO;
                self.ask()?;
            }
            thread::sleep(sleep);
            waited += sleep;
            sleep = (sleep * 2).min(SLEEP_MAX);
        }
    }

    fn ask(&mut self) -> Result<(), Halt> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        self.requests += 1;
        let to = match rank {
            _ if rank == 0 || self.requests.is_multiple_of(2) => {
                (mix(u64::from(rank) << 32 | u64::from(self.requests)) % u64::from(size)) as u32
            }
            _ if self.asks_previous => rank - 1,
            _ => (rank - 1) / 2,
        };
        if to == rank || !self.asked.insert(to) {
            return Ok(());
        }
        self.mailbox.post(to, vec![ASK])
    }

    /// Waits until no message is on its way. Collective.
    pub(super) fn end(self) -> Result<(), Halt> {
        self.mailbox.settle()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};

    use storage::EntryKind;

    use super::*;
    use crate::kit::path::PathBuffer;

    /// Adds `width` entries below each entry whose path is shorter than `depth` bytes.
    fn examine(entries: &mut PendingEntries, path: &mut PathBuffer, depth: usize, width: usize) {
        if path.len() < depth {
            let base = path.clone();
            (0..width).for_each(|_| entries.push_name(&base, c"/", EntryKind::Directory));
        }
    }

    #[test]
    fn all_work_is_done_once_and_every_rank_learns_of_the_end() {
        for (ranks, depth, width) in [(1, 5, 3), (2, 9, 2), (5, 8, 3), (16, 1, 1), (16, 3, 40)] {
            for asks_previous in [false, true] {
                let done = AtomicU64::new(0);
                let ended = ranks::local::run(ranks, |comm| {
                    let mut sharing = Sharing::new(comm, asks_previous);
                    let (mut entries, mut path) = (PendingEntries::default(), PathBuffer::new(Path::new("")));
                    if comm.rank() == 0 {
                        entries.push_name(&path, c"/", EntryKind::Directory);
                    }
                    loop {
                        while entries.pop(&mut path).is_some() {
                            done.fetch_add(1, Ordering::Relaxed);
                            examine(&mut entries, &mut path, depth, width);
                            sharing.answer(&mut entries)?;
                        }
                        if !sharing.obtain(&mut entries, || false)? {
                            return sharing.end();
                        }
                    }
                });
                assert!(ended.into_iter().all(|rank| rank == Ok(Ok(()))));
                let wanted: usize = (0..depth).map(|level| width.pow(level as u32)).sum();
                assert_eq!(done.into_inner(), wanted as u64, "{ranks} ranks");
            }
        }
    }

    #[test]
    fn work_that_arrives_late_is_done_once_and_does_not_mix_with_that_of_the_rank() {
        let done = AtomicU64::new(0);
        let ended = ranks::local::run(6, |comm| {
            let mut sharing = Sharing::new(comm, false);
            let (mut entries, mut path) = (PendingEntries::default(), PathBuffer::new(Path::new("")));
            if comm.rank() == 0 {
                (0..300).for_each(|_| entries.push_name(&path, c"/", EntryKind::Directory));
            }
            loop {
                while entries.pop(&mut path).is_some() {
                    // Longer than the patience of the others.
                    if done.fetch_add(1, Ordering::Relaxed).is_multiple_of(20) {
                        thread::sleep(PATIENCE * 3);
                    }
                    let before = entries.len();
                    sharing.answer(&mut entries)?;
                    assert!(entries.len() <= before, "what arrives waits");
                }
                if !sharing.obtain(&mut entries, || false)? {
                    assert!(sharing.received.is_empty());
                    return sharing.end();
                }
            }
        });
        assert!(ended.into_iter().all(|rank| rank == Ok(Ok(()))));
        assert_eq!(done.into_inner(), 300);
    }

    #[test]
    fn credits_of_any_fractions_add_up_to_the_whole_only_when_all_are_returned() {
        let alone = ranks::local::alone();
        // 1/2 + 1/4 + ... + 2^-2000 + 2^-2000
        for credits in [vec![0], vec![1, 1], vec![2, 1, 2], (1..=2000).chain([2000]).rev().collect()] {
            let mut sharing = Sharing::new(&alone, false);
            sharing.credit = None;
            for (number, credit) in credits.iter().enumerate() {
                assert!(!sharing.ended, "{number}");
                sharing.collect(*credit).unwrap();
            }
            assert!(sharing.ended);
        }
        let mut giver = Sharing::new(&alone, false);
        giver.credit = Some(1000);
        (1..=1000).rev().for_each(|credit| giver.collect(credit).unwrap());
        assert_eq!(
            (giver.credit, giver.returned.len(), giver.ended),
            (Some(0), 0, false),
            "memory is limited"
        );
    }
}
