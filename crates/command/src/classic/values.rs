//! The values that a command line gives to its options. The last occurrence wins, as in the programs.
//!
//! Invariant: every command line is read. A value that cannot be parsed is unknown, never guessed.
//! Never here: rejecting a command line.

use std::collections::BTreeMap;

use super::occurrence::{OptionInput, OptionOccurrence};
use super::row::{OptionKind, OptionRow, RetiredOption, Successor};
use super::{ClassicOption, parse_number};

/// The last value that a command line gives to one option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LastValue {
    /// How often a flag is on.
    count: u64,
    /// The value; `None` for a flag, and where the command line ends before the value.
    text: Option<String>,
}

/// The values of a program's options on one command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OptionValues<I> {
    options: BTreeMap<I, LastValue>,
    /// Options of backends, by `<backend>.<option>` in lower case.
    modules: BTreeMap<String, String>,
}

impl<I> Default for OptionValues<I> {
    fn default() -> Self {
        Self { options: BTreeMap::new(), modules: BTreeMap::new() }
    }
}

impl<I: ClassicOption> OptionValues<I> {
    /// The values on the command line with these occurrences.
    pub(crate) fn of(occurrences: &[OptionOccurrence<I>]) -> Self {
        let mut values = Self::default();
        for occurrence in occurrences {
            match &occurrence.input {
                OptionInput::Flag(row, text) | OptionInput::Value(row, text) => {
                    values.put(row, text.as_deref());
                }
                OptionInput::Retired(was, text) => values.put_retired(was, text.as_deref()),
                OptionInput::Module { name, text, .. } => values.put_module(name, text.as_deref()),
                OptionInput::Fault(_) => {}
            }
        }
        values
    }

    fn put(&mut self, row: &OptionRow<I>, text: Option<&str>) {
        let last = self.options.entry(row.id).or_default();
        if row.kind != OptionKind::Flag {
            last.text = text.map(str::to_owned);
            return;
        }
        last.count = match text.map(parse_number) {
            None => last.count + 1,
            Some(Ok(count)) => count.max(0) as u64,
            Some(Err(_)) => 1,
        };
    }

    fn put_module(&mut self, name: &str, text: Option<&str>) {
        self.modules.insert(name.to_lowercase(), text.unwrap_or("1").to_owned());
    }

    fn put_retired(&mut self, was: &RetiredOption<I>, text: Option<&str>) {
        match was.successor {
            Successor::ModuleOptions(names) => names.iter().for_each(|name| self.put_module(name, text)),
            Successor::Option(_, Some(_)) if text.is_some_and(is_zero) => {}
            Successor::Option(option, fixed) => self.put(option.row(), fixed.or(text)),
            Successor::Nothing | Successor::Rejected(_) => {}
        }
    }

    /// Whether the command line gives the option.
    pub(crate) fn has(&self, option: I) -> bool {
        self.options.contains_key(&option)
    }

    /// Whether a flag is on.
    pub(crate) fn on(&self, flag: I) -> bool {
        self.options.get(&flag).is_some_and(|last| last.count > 0)
    }

    /// How often a flag is on.
    pub(crate) fn count(&self, flag: I) -> u64 {
        self.options.get(&flag).map_or(0, |last| last.count)
    }

    /// The value of an option.
    pub(crate) fn text(&self, option: I) -> Option<&str> {
        self.options.get(&option)?.text.as_deref()
    }

    /// A number, or `otherwise` where the command line gives none. `None` if the given one cannot be parsed.
    pub(crate) fn number(&self, option: I, otherwise: u64) -> Option<u64> {
        match self.options.get(&option) {
            None => Some(otherwise),
            Some(last) => u64::try_from(parse_number(last.text.as_deref()?).ok()?).ok(),
        }
    }

    /// Whether an option has a value other than 0.
    pub(crate) fn is_set(&self, option: I) -> bool {
        self.text(option).is_some_and(|text| !is_zero(text))
    }

    /// Whether an option of a backend is on.
    pub(crate) fn module_on(&self, name: &str) -> bool {
        self.modules.get(name).is_some_and(|text| !is_zero(text))
    }

    /// The names, in lower case, of the backend options on the command line.
    pub(crate) fn module_names(&self) -> impl Iterator<Item = &str> {
        self.modules.keys().map(String::as_str)
    }
}

fn is_zero(text: &str) -> bool {
    parse_number(text) == Ok(0)
}
