//! The collective file call that this rank is in, for the hang watchdog. If a rank leaves such a call early
//! or never reaches it, the others stay in it forever, and none of them can report this.
//!
//! Invariant: entering and leaving a call are one store each, so that they may be part of a transfer's time.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ranks::Comm;

use crate::shared::together;
use crate::{File, Hints, Open};

/// The calls, by the words that reports use.
const CALLS: [&str; 4] = ["open", "transfer", "sync", "close"];

/// One of the collective calls.
#[derive(Clone, Copy)]
enum CollectiveCall {
    Open = 1,
    Transfer,
    Sync,
    Close,
}

/// The state of this rank, for all files of a storage.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    /// How many calls began, times 8, plus the call that this rank is in; 0 for none.
    state: AtomicU64,
    /// Whether a file stays open because other ranks could not open theirs. MPI would close it when it ends,
    /// and block there.
    left: AtomicBool,
}

impl Inside {
    /// The call that this rank is in, with a number that no other call has.
    pub(crate) fn call(&self) -> Option<(u64, &'static str)> {
        let state = self.state.load(Ordering::Relaxed);
        let index = (state % 8).checked_sub(1)?;
        CALLS.get(index as usize).map(|word| (state, *word))
    }

    /// Whether a file stays open.
    pub(crate) fn has_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// Enters a call. Only one thread does so: that of the rank.
    fn enter(&self, call: CollectiveCall) -> CallInProgress<'_> {
        let begun = (self.state.load(Ordering::Relaxed) / 8 + 1) * 8;
        self.state.store(begun + call as u64, Ordering::Relaxed);
        CallInProgress { inside: self, begun }
    }

    /// Enters the opening of a file, if it is shared.
    pub(crate) fn opening(&self, how: Open) -> Option<CallInProgress<'_>> {
        how.shared.then(|| self.enter(CollectiveCall::Open))
    }

    /// Checks on all ranks whether they opened the file. If only some of the ranks that share it have opened
    /// it, it stays open, because closing it would wait for the others.
    pub(crate) fn opened<T, E: fmt::Display + Into<io::Error>>(
        &self,
        comm: &dyn Comm,
        shared: bool,
        file: Result<T, E>,
    ) -> io::Result<T> {
        let is_open = file.is_ok();
        together(comm, shared, "open", file).inspect_err(|_| {
            self.left.fetch_or(is_open, Ordering::Relaxed);
        })
    }

    /// Wraps an open file. For a shared file it notes when the ranks sync and close it, and when they move a
    /// transfer `together`.
    pub(crate) fn noted(
        self: &Arc<Self>,
        how: Open,
        together: bool,
        file: impl File + 'static,
    ) -> Box<dyn File> {
        if !how.shared {
            return Box::new(file);
        }
        Box::new(NotedFile { file, inside: Arc::clone(self), together })
    }
}

/// A call in progress; it ends when this is dropped.
pub(crate) struct CallInProgress<'i> {
    inside: &'i Inside,
    begun: u64,
}

impl Drop for CallInProgress<'_> {
    fn drop(&mut self) {
        self.inside.state.store(self.begun, Ordering::Relaxed);
    }
}

/// A shared file.
struct NotedFile<F> {
    file: F,
    inside: Arc<Inside>,
    together: bool,
}

impl<F: File> File for NotedFile<F> {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        let Self { file, inside, together } = self;
        let _during = together.then(|| inside.enter(CollectiveCall::Transfer));
        file.write_at(data, offset)
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        let Self { file, inside, together } = self;
        let _during = together.then(|| inside.enter(CollectiveCall::Transfer));
        file.read_at(data, offset)
    }

    fn sync(&mut self) -> io::Result<()> {
        let Self { file, inside, .. } = self;
        let _during = inside.enter(CollectiveCall::Sync);
        file.sync()
    }

    fn size(&mut self) -> io::Result<u64> {
        self.file.size()
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        let Self { file, inside, .. } = *self;
        let _during = inside.enter(CollectiveCall::Close);
        Box::new(file).close()
    }

    fn abandon(self: Box<Self>) {
        Box::new(self.file).abandon();
    }

    fn hints(&self) -> io::Result<Option<Hints>> {
        self.file.hints()
    }

    fn uncollective(&self) -> u64 {
        self.file.uncollective()
    }

    fn place(&self, offset: u64) -> Option<String> {
        self.file.place(offset)
    }

    fn descriptor(&self) -> Option<std::sync::Arc<std::os::fd::OwnedFd>> {
        self.file.descriptor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, Parts};

    /// Reports the call it is in.
    struct CallReporter(Arc<Inside>);

    impl CallReporter {
        fn word(&self) -> io::Result<()> {
            Err(io::Error::other(self.0.call().map_or("none", |(_, word)| word)))
        }
    }

    impl File for CallReporter {
        fn write_at(&mut self, _data: &[u8], _offset: u64) -> io::Result<usize> {
            self.word().map(|()| 0)
        }

        fn read_at(&mut self, _data: &mut [u8], _offset: u64) -> io::Result<usize> {
            self.word().map(|()| 0)
        }

        fn sync(&mut self) -> io::Result<()> {
            self.word()
        }

        fn size(&mut self) -> io::Result<u64> {
            Ok(0)
        }

        fn close(self: Box<Self>) -> io::Result<()> {
            self.word()
        }
    }

    #[test]
    fn only_collective_calls_are_reported_each_with_a_unique_number() {
        for (shared, together, wanted) in [
            (true, true, ["open", "transfer", "transfer", "sync", "close"]),
            (true, false, ["open", "none", "none", "sync", "close"]),
            (false, true, ["none"; 5]),
        ] {
            let how = Open { mode: Mode::Read, shared, collective: together, bytes: 0, parts: Parts::NONE };
            let inside = Arc::new(Inside::default());
            let mut file = inside.noted(how, together, CallReporter(Arc::clone(&inside)));
            let in_open = {
                let _during = inside.opening(how);
                CallReporter(Arc::clone(&inside)).word().unwrap_err().to_string()
            };
            let words = [
                in_open,
                file.write_at(&[], 0).unwrap_err().to_string(),
                file.read_at(&mut [], 0).unwrap_err().to_string(),
                file.sync().unwrap_err().to_string(),
                file.close().unwrap_err().to_string(),
            ];
            assert_eq!(words, wanted, "{how:?}");
            assert_eq!(inside.call(), None);
        }
        let inside = Inside::default();
        let number = || {
            let _during = inside.enter(CollectiveCall::Sync);
            inside.call().unwrap().0
        };
        assert_ne!(number(), number());
    }
}
