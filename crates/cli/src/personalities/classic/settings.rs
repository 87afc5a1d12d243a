//! Options of backends, as they stand on the lines of all classic programs.

use std::collections::BTreeMap;

use storage::Settings;

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

/// A line for each option of a backend that is `set` and is not the one that is `used`.
pub(crate) fn idle(set: &BTreeMap<String, bool>, used: &str) -> Vec<String> {
    let lower = used.to_lowercase();
    // These open their files as POSIX does.
    let shares = |name: &str| name == "posix.odirect" && matches!(lower.as_str(), "aio" | "uring");
    let idle = set
        .iter()
        .filter(|(name, on)| **on && name.split('.').next() != Some(lower.as_str()) && !shares(name));
    idle.map(|(name, _)| format!("--{name} has no effect with -a {used}")).collect()
}
