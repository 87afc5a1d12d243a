//! `--warningAsErrors`: a test stops at its first warning, before it changes anything else.
//!
//! Invariant: a warning that comes before the first change leaves every file as it was.

use ranks::Halt;
use results::reason::Reason;

use super::observer::{IorEvent, IorListener};
use super::test::RunningTest;

/// The name of the step in messages.
const STEP: &str = "--warningAsErrors";

/// Forwards every event and keeps the first warning.
pub(super) struct WarningWatch<'a> {
    listener: &'a mut IorListener<'a>,
    sentence: fn(&Reason) -> String,
    /// On rank 0 only.
    first: Option<String>,
}

impl<'a> WarningWatch<'a> {
    /// A watch that starts with `warning`, if the caller has one.
    pub(super) fn new(
        listener: &'a mut IorListener<'a>,
        sentence: fn(&Reason) -> String,
        warning: Option<String>,
    ) -> Self {
        Self { listener, sentence, first: warning }
    }

    /// Receives one event.
    pub(super) fn event(&mut self, event: &IorEvent<'_>) {
        if self.first.is_none() {
            self.first = event.warning(self.sentence);
        }
        self.listener.event(event);
    }
}

/// With `--warningAsErrors`, halts all ranks if there was a warning. Collective.
pub(super) fn stop_at_warning(test: &RunningTest<'_>) -> Result<(), Halt> {
    if !test.parameters.warnings_fail {
        return Ok(());
    }
    let comm = test.rank.comm;
    let warning = test.observer.first.clone().filter(|_| comm.rank() == 0);
    comm.agree(STEP, warning.map_or(Ok(()), Err))
}
