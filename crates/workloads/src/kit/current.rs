//! The phase that the ranks of this process are in, for reports about calls that do not return.
//!
//! Never here: anything within the measured loop.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The name of the phase, and how many ranks of this process are in one.
static CURRENT: Mutex<(String, u32)> = Mutex::new((String::new(), 0));

fn current() -> MutexGuard<'static, (String, u32)> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The phase of the records that ranks of this process are in now, if any.
pub fn phase() -> Option<String> {
    let current = current();
    (current.1 > 0).then(|| current.0.clone())
}

/// The time of a rank in a phase, until it is dropped.
pub(crate) struct CurrentPhase;

impl CurrentPhase {
    /// The calling rank begins this phase. All ranks of a process are in the same one.
    pub(crate) fn enter(name: &str) -> Self {
        let mut current = current();
        if current.0 != name {
            name.clone_into(&mut current.0);
        }
        current.1 += 1;
        Self
    }
}

impl Drop for CurrentPhase {
    fn drop(&mut self) {
        current().1 -= 1;
    }
}
