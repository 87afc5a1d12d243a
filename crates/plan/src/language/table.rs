//! What a table of keys is made of: keys, and the forms that their values have.
//!
//! Never here: which keys there are, which `wire` has.

use units::Dimension;

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
    pub(crate) fn table(&self) -> Option<&'static KeyTable> {
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
    pub(crate) fn key(&self, name: &str) -> Option<&'static PlanKey> {
        self.keys.iter().find(|key| key.name == name)
    }
}
