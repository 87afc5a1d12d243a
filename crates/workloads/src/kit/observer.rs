//! How a run reports what happens while it lasts: events of the workload's own type, on rank 0.
//!
//! Invariant: a workload reports in the same order on every run; ranks other than 0 have [`Silent`].
//! Never here: text, and what happens is not decided by who observes it.

/// Is told what happens, on rank 0. `E` is the workload's event, borrowed or not.
pub trait EventObserver<E> {
    /// One thing happened.
    fn event(&mut self, event: &E);
}

/// Drops every event; for ranks other than 0.
pub struct Silent;

impl<E> EventObserver<E> for Silent {
    fn event(&mut self, _event: &E) {}
}
