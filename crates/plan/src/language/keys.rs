//! The keys of a plan: each a row of a table, from which come the schema for editors, the tables of
//! docs/PLAN.md, and what a refusal says should stand there.
//!
//! Invariant: the rows are the keys that `wire` reads, with the same forms; `tests` walks both.
//! Never here: reading a plan, rules between its keys.

mod form;
mod meant;
mod paper;
mod parts;
mod rows;
mod schema;
#[cfg(test)]
mod tests;

use units::Dimension;

pub(crate) use form::{missed, untold};
pub(crate) use meant::{key_meant, word_meant};
pub use paper::paper;
pub use schema::schema;

/// A table of the language.
struct Table {
    /// What definitions of the schema call it.
    name: &'static str,
    /// How a plan opens it, such as `[fs.NAME]`.
    opens: &'static str,
    /// What it is.
    about: &'static str,
    keys: &'static [Key],
    /// Sets of keys, of which exactly one stands there; empty where that does not matter.
    forms: &'static [&'static [&'static str]],
}

/// A key.
struct Key {
    name: &'static str,
    kind: Kind,
    /// Whether the table needs it.
    must: bool,
    /// A value as a plan has it.
    example: &'static str,
    /// What it is, with what holds where it is left out.
    about: &'static str,
}

/// What a key's value may be. Text stands in quotes everywhere.
enum Kind {
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
    /// A number with a unit of bytes, or `""` where it is not known.
    SizeOrNone,
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
    Nodes(&'static Table),
    /// One table.
    Table(&'static Table),
    /// Tables, each under a name.
    Named(&'static Table),
    /// A list of tables.
    Several(&'static Table),
    /// One table, or a list of them.
    OneOrSeveral(&'static Table),
}

const fn key(name: &'static str, kind: Kind, example: &'static str, about: &'static str) -> Key {
    Key { name, kind, must: false, example, about }
}

impl Key {
    const fn must(self) -> Self {
        Self { must: true, ..self }
    }
}

impl Kind {
    /// The table whose keys the value has.
    fn table(&self) -> Option<&'static Table> {
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

impl Table {
    fn key(&self, name: &str) -> Option<&'static Key> {
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
fn tables() -> Vec<&'static Table> {
    let mut all = vec![&rows::FILE];
    let mut at = 0;
    while let Some(table) = all.get(at).copied() {
        let inner = table.keys.iter().filter_map(|key| key.kind.table());
        for table in inner {
            if !all.iter().any(|known: &&Table| known.name == table.name) {
                all.push(table);
            }
        }
        at += 1;
    }
    all
}
