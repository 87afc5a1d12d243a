//! `--warningAsErrors`: remembers the first warning of a run.
//!
//! The classic program aborts at the warning and prints no result. Here the run goes on to its end, and
//! only its exit status tells.

use workloads::ior::{IorEvent, IorListener};
use workloads::kit::observer::EventObserver;

/// Passes every event on, and remembers the first that warns.
pub(crate) struct Strict<'a> {
    pub(crate) output: &'a mut IorListener<'a>,
    /// The first warning.
    pub(crate) first: &'a mut Option<String>,
}

impl EventObserver<IorEvent<'_>> for Strict<'_> {
    fn event(&mut self, event: &IorEvent<'_>) {
        let warning = match event {
            IorEvent::Warning(text) | IorEvent::Notice(text) => Some((*text).to_owned()),
            IorEvent::Exists { path, .. } => Some(format!("the file {path} was there already")),
            IorEvent::Size { expected, found, moved } => Some(format!(
                "{expected} bytes were asked for, the files hold {found}, and {moved} were moved"
            )),
            _ => None,
        };
        if let Some(warning) = warning {
            self.first.get_or_insert(warning);
        }
        self.output.event(event);
    }
}
