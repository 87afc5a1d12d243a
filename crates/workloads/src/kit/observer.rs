//! How a run reports events while it runs: values of the workload's own type, on rank 0.
//!
//! Invariant: a workload reports in the same order on every run. Only rank 0 has an observer.
//! Never here: text. An observer does not influence what happens.

/// Receives the events on rank 0. `E` is the workload's event, borrowed or not.
pub trait EventObserver<E> {
    /// Receives one event.
    fn event(&mut self, event: &E);
}

/// The observer of a rank that may have none, as only rank 0 has one.
impl<E, O: EventObserver<E>> EventObserver<E> for Option<&mut O> {
    fn event(&mut self, event: &E) {
        if let Some(observer) = self {
            observer.event(event);
        }
    }
}

/// Ignores every event.
pub struct Silent;

impl<E> EventObserver<E> for Silent {
    fn event(&mut self, _event: &E) {}
}
