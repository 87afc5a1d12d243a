//! What can be said of the keys of a plan, which are `wire`'s: the schema for editors, the tables of
//! docs/PLAN.md, and what a refusal says should stand there.
//!
//! Never here: reading a plan, rules between its keys.

mod form;
mod meant;
mod paper;
mod schema;
#[cfg(test)]
mod tests;

use units::Dimension;

use super::wire::PlanFile;

pub(crate) use form::{missed, untold};
pub(crate) use meant::{key_meant, word_meant};
pub use paper::paper;
pub use schema::schema;

/// A table of the language.
pub(crate) struct KeyTable {
    /// What definitions of the schema call it.
    pub(crate) name: &'static str,
    /// How a plan opens it, such as `[fs.NAME]`.
    pub(crate) opens: &'static str,
    /// What it is.
    pub(crate) about: &'static str,
    pub(crate) keys: &'static [PlanKey],
    /// Sets of keys, of which exactly one stands there; empty where that does not matter.
    pub(crate) forms: &'static [&'static [&'static str]],
}

/// A key.
pub(crate) struct PlanKey {
    pub(crate) name: &'static str,
    pub(crate) form: KeyForm,
    /// Whether the table needs it.
    pub(crate) must: bool,
    /// A value as a plan has it.
    pub(crate) example: &'static str,
    /// What it is, with what holds where it is left out.
    pub(crate) about: &'static str,
}

/// What a key's value may be. Text stands in quotes everywhere.
pub(crate) enum KeyForm {
    /// The version of the language.
    Version,
    /// Any text.
    Text,
    /// Text that becomes part of file names.
    Id,
    /// A whole number above 0, or one as text.
    Count,
    /// A whole number above 0, or one as text, or this word.
    CountOr(&'static str),
    /// `true` or `false`.
    Truth,
    /// A number.
    Number,
    /// A number with a unit of one of these.
    Quantity(&'static [Dimension]),
    /// The same, or `""` where it is not known or not asked at a scale.
    QuantityOrNone(&'static [Dimension]),
    /// A number with a unit, or a part of what something else measures.
    Goal,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// Names, each with a text.
    Entries,
    /// Names, each with names, each with a text.
    Scales,
    /// A list of numbers of nodes, each a number or text.
    Numbers,
    /// A number of nodes, or a rule for it in this table.
    Nodes(&'static KeyTable),
    /// One table.
    Table(&'static KeyTable),
    /// Tables, each under a name.
    Named(&'static KeyTable),
    /// A list of tables.
    Several(&'static KeyTable),
    /// One table, or a list of them.
    OneOrSeveral(&'static KeyTable),
}

impl KeyForm {
    /// The table whose keys the value has.
    fn table(&self) -> Option<&'static KeyTable> {
        match self {
            Self::Nodes(table)
            | Self::Table(table)
            | Self::Named(table)
            | Self::Several(table)
            | Self::OneOrSeveral(table) => Some(table),
            _ => None,
        }
    }
}

impl KeyTable {
    fn key(&self, name: &str) -> Option<&'static PlanKey> {
        self.keys.iter().find(|key| key.name == name)
    }
}

/// A key of this name with a value, as some table has it; of another key where none has.
pub(crate) fn example(name: &str) -> String {
    let with_example = |name: &str| {
        let all = tables().into_iter().filter_map(|table| table.key(name));
        all.map(|key| key.example).find(|example| !example.is_empty())
    };
    let such = with_example(name).map(|example| format!("{name} = {example}"));
    such.unwrap_or_else(|| "ior = \"-w -F\"".to_owned())
}

/// The whole file and every table in it, each once, in the order of the file.
fn tables() -> Vec<&'static KeyTable> {
    let mut all = vec![PlanFile::TABLE];
    let mut at = 0;
    while let Some(table) = all.get(at).copied() {
        let inner = table.keys.iter().filter_map(|key| key.form.table());
        for table in inner {
            if !all.iter().any(|known: &&KeyTable| known.name == table.name) {
                all.push(table);
            }
        }
        at += 1;
    }
    all
}
