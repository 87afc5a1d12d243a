//! Options of backends, as they stand on the lines of all classic programs.

use std::collections::BTreeMap;

use storage::Settings;

use super::note::OptionNote;

/// Where options of backends go.
pub(crate) struct OfBackends<'a> {
    /// What the backend is given.
    pub(crate) settings: &'a mut Settings,
    /// Those that were set, and whether to more than zero.
    pub(crate) set: &'a mut BTreeMap<String, bool>,
}

impl OfBackends<'_> {
    /// Takes one in; `on` unless it asks for nothing.
    pub(crate) fn set(self, name: &str, value: &str, on: bool) {
        self.settings.set(name, value);
        self.set.insert(name.to_owned(), on);
    }
}

/// A line about those of the options in `set` that are on and are not for the backend that is `used`.
pub(crate) fn idle(set: &BTreeMap<String, bool>, used: &str) -> Option<OptionNote> {
    let idle = set.iter().filter(|(name, on)| **on && is_idle(name, used));
    no_effect(&idle.map(|(name, _)| format!("--{name}")).collect::<Vec<_>>(), used)
}

/// Whether an option, `backend.name`, is not for the backend that is `used`.
pub(crate) fn is_idle(name: &str, used: &str) -> bool {
    let Ok(used) = storage::backend(used) else { return true };
    let of = name.split('.').next();
    of != Some(used.name) && !used.also_takes.contains(&name)
}

/// The line about these, as they were typed.
pub(crate) fn no_effect(typed: &[String], used: &str) -> Option<OptionNote> {
    let verb = if typed.len() == 1 { "has" } else { "have" };
    let first = typed.first()?;
    Some(OptionNote::idle(first, format!("{} {verb} no effect with -a {used}", typed.join(", "))))
}
