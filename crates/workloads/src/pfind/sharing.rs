//! How ranks without work take some from others, and how all learn that no work is left.
//!
//! A rank without work asks others in turn: its parent in a tree, along which the first work spreads, and a
//! random one. Who is asked gives half of its pending entries.
//!
//! The end is found by credits (F. Mattern, Global quiescence detection based on credit distribution and
//! recovery, 1989). Rank 0 begins with a credit of 1. Who gives work gives half of its credit with it. A rank
//! without work returns its credit to rank 0. The end is when rank 0 has all of it.
//!
//! Invariant: a rank with work has credit. After [`Sharing::end`] no message is on its way.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use ranks::{Comm, Halt, Mailbox};

use super::pending::PendingEntries;

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
    /// Whether an answer is outstanding.
    waits: bool,
    /// Every second request goes to the previous rank, not to the parent.
    asks_previous: bool,
    requests: u32,
    random: u64,
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
            waits: false,
            asks_previous,
            requests: 0,
            random: u64::from(comm.rank()),
            taken: 0,
        }
    }

    /// Answers the requests that have arrived.
    pub(super) fn answer(&mut self, entries: &mut PendingEntries) -> Result<(), Halt> {
        while let Some((from, message)) = self.mailbox.poll()? {
            match message[..] {
                [ASK] => self.give(from, entries)?,
                [NOTHING] => self.waits = false,
                [WORK, a, b, c, d, ref work @ ..] => {
                    self.waits = false;
                    self.taken += entries.add(work);
                    let credit = u32::from_ne_bytes([a, b, c, d]);
                    // An answer may come after that of another rank, which brought work and credit.
                    if let Some(second) = self.credit.replace(credit) {
                        self.return_credit(second)?;
                    }
                }
                [CREDIT, a, b, c, d] => self.collect(u32::from_ne_bytes([a, b, c, d]))?,
                _ => self.spread_end()?,
            }
        }
        Ok(())
    }

    fn give(&mut self, to: u32, entries: &mut PendingEntries) -> Result<(), Halt> {
        // The last entry stays: a rank that gives all of its work must ask for some itself.
        let Some(credit) = self.credit.as_mut().filter(|_| entries.len() > 1) else {
            return self.mailbox.post(to, vec![NOTHING]);
        };
        *credit += 1;
        let message = [&[WORK][..], &credit.to_ne_bytes(), &entries.take_half()].concat();
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
        if credit == 0 { self.spread_end() } else { Ok(()) }
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

    /// Returns the credit of this rank, and waits for work. False if none is left on any rank, or if `stops`.
    pub(super) fn obtain(
        &mut self,
        entries: &mut PendingEntries,
        stops: impl Fn() -> bool,
    ) -> Result<bool, Halt> {
        if let Some(credit) = self.credit.take() {
            self.return_credit(credit)?;
        }
        let (mut sleep, mut waited) = (SLEEP_MIN, Duration::ZERO);
        loop {
            self.answer(entries)?;
            if self.ended || stops() {
                return Ok(false);
            }
            if entries.len() > 0 {
                return Ok(true);
            }
            if !self.waits || waited > PATIENCE {
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
        // The generator of Knuth's MMIX: its high bits are good enough to spread requests.
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.requests += 1;
        let to = match rank {
            0 => (self.random >> 33) as u32 % size,
            _ if self.requests.is_multiple_of(2) => (self.random >> 33) as u32 % size,
            _ if self.asks_previous => rank - 1,
            _ => (rank - 1) / 2,
        };
        if to == rank {
            return Ok(());
        }
        self.waits = true;
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

    /// Each entry is a tree of this depth: its path has so many bytes more to come.
    fn examine(entries: &mut PendingEntries, path: &mut PathBuffer, depth: usize, width: usize) {
        if path.len() < depth {
            let base = path.clone();
            (0..width).for_each(|_| entries.push(&base, c"/", EntryKind::Directory));
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
                        entries.push(&path, c"/", EntryKind::Directory);
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
    fn credits_of_any_fractions_add_up_to_the_whole_only_when_all_are_returned() {
        let alone = ranks::local::alone();
        // 1/2 + 1/4 + ... + 2^-2000 + 2^-2000
        for credits in [vec![0], vec![1, 1], vec![2, 1, 2], (1..=2000).chain([2000]).rev().collect()] {
            let mut sharing = Sharing::new(&alone, false);
            for (number, credit) in credits.iter().enumerate() {
                assert!(!sharing.ended, "{number}");
                sharing.collect(*credit).unwrap();
            }
            assert!(sharing.ended);
        }
    }
}
