//! The state after a failed call. HDF5 makes collective calls of its own to write and to close metadata. A
//! rank on which such a call fails leaves it while the others wait.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The state of all files of a backend on this rank.
#[derive(Debug, Default)]
pub(crate) struct Health {
    failed: Mutex<Option<String>>,
    abandoned: AtomicBool,
}

impl Health {
    /// Notes the first failure of a call on a shared file; no other rank waits for a file of one rank.
    pub(crate) fn watched<T>(&self, shared: bool, answer: io::Result<T>) -> io::Result<T> {
        if let Err(error) = answer.as_ref()
            && shared
        {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert_with(|| error.to_string());
        }
        answer
    }

    /// All ranks know of the failure, if there was one.
    pub(crate) fn settle(&self) {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Notes that a file stays open for good.
    pub(crate) fn leave(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    /// Notes that a file stays open for good, and that all its ranks know.
    pub(crate) fn abandon(&self) {
        self.leave();
        self.settle();
    }

    /// Whether a file stays open.
    pub(crate) fn has_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// The failure that other ranks may not know of.
    pub(crate) fn stuck(&self) -> Option<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_is_kept_until_all_ranks_know() {
        let health = Health::default();
        assert!(health.watched::<()>(false, Err(io::Error::other("of one rank"))).is_err());
        assert!(health.watched(true, Ok(1)).is_ok() && health.stuck().is_none());
        for why in ["no space", "no space either"] {
            assert!(health.watched::<()>(true, Err(io::Error::other(why))).is_err());
        }
        assert_eq!(health.stuck(), Some("no space".to_owned()));
        assert!(!health.has_abandoned());
        health.abandon();
        assert!(health.has_abandoned() && health.stuck().is_none());
    }
}
