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
}

impl<I> Default for OptionValues<I> {
    fn default() -> Self {
        Self { options: BTreeMap::new() }
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
                OptionInput::Module(..) | OptionInput::Fault(_) => {}
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

    fn put_retired(&mut self, was: &RetiredOption<I>, text: Option<&str>) {
        match was.successor {
            Successor::Option(_, Some(_)) if text.is_some_and(is_zero) => {}
            Successor::Option(option, fixed) => self.put(option.row(), fixed.or(text)),
            Successor::ModuleOptions(_) | Successor::Nothing | Successor::Rejected(_) => {}
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

    /// A number, or `otherwise` where the command line gives none. `None` if the given one cannot be parsed.
    pub(crate) fn number(&self, option: I, otherwise: u64) -> Option<u64> {
        match self.options.get(&option) {
            None => Some(otherwise),
            Some(last) => u64::try_from(parse_number(last.text.as_deref()?).ok()?).ok(),
        }
    }
}

fn is_zero(text: &str) -> bool {
    parse_number(text) == Ok(0)
}
