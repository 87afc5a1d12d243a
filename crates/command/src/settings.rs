//! The options of backends that a command line sets.

use std::collections::BTreeMap;

/// The values of the backends' options that were set, by `<backend>.<option>`; a flag that is set is 1.
///
/// Hints for MPI-IO from the environment are here as `hint.<key>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Sets an option.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Whether a flag is set.
    pub fn flag(&self, name: &str) -> bool {
        self.number(name).is_some_and(|number| number != 0)
    }

    /// A number; `None` where it was not set.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.0.get(name)?.parse().ok()
    }

    /// A text; `None` where it was not set.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The names of all options that are set.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The same without the files that a backend reads when it is opened, for a check on another machine.
    pub fn without_files(&self) -> Self {
        let kept = |(name, _): &(&String, &String)| !name.ends_with(".hintsFileName");
        Self(self.0.iter().filter(kept).map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// All options whose names begin with `prefix`, by the rest of the name.
    pub fn under<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        self.0.iter().filter_map(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_str())))
    }
}
