//! The parts of a table of keys: the keys, and the forms of their values.
//!
//! Never here: the keys themselves, which `wire` lists.

use units::Dimension;

/// A table of the language.
pub(crate) struct KeyTable {
    /// Its name in the definitions of the schema.
    pub(crate) name: &'static str,
    /// Its opening in a plan, such as `[fs.NAME]`.
    pub(crate) opens: &'static str,
    /// Its meaning.
    pub(crate) about: &'static str,
    pub(crate) keys: &'static [PlanKey],
    /// Sets of keys. Exactly one of these sets must be given. Empty without such a rule. A table with `like`
    /// may have it from another one.
    pub(crate) forms: &'static [&'static [&'static str]],
}

/// A key.
pub(crate) struct PlanKey {
    pub(crate) name: &'static str,
    pub(crate) form: KeyForm,
    /// Whether the table requires it.
    pub(crate) must: bool,
    /// Whether `""` is a value of its own: a command line without options, or none in spite of a default.
    pub(crate) keeps_empty: bool,
    /// An example of its value in a plan.
    pub(crate) example: &'static str,
    /// Its meaning, with its default.
    pub(crate) about: &'static str,
}

/// The form of a key's value. Text is in quotes everywhere.
#[derive(Clone, Copy)]
pub(crate) enum KeyForm {
    /// The version of the language.
    Version,
    /// Any text.
    Text,
    /// Text that becomes part of file names.
    Id,
    /// A whole number above 0, also as text.
    Count,
    /// A whole number above 0, also as text, or this word.
    CountOr(&'static str),
    /// `true` or `false`.
    Truth,
    /// A number.
    Number,
    /// A number with a unit of one of these dimensions.
    Quantity(&'static [Dimension]),
    /// The same, or `""` if it is unknown or not required at a scale.
    QuantityOrNone(&'static [Dimension]),
    /// A number with a unit, or a share of another measurement.
    Goal,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, which a rule checks.
    CheckedWord(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A text, or a list of texts.
    TextOrTexts,
    /// Names, each with a text.
    Entries,
    /// Names of tables whose names each have a text.
    Scales,
    /// A list of plain numbers.
    PlainNumbers,
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
    pub(crate) const fn table(&self) -> Option<&'static KeyTable> {
        match self {
            Self::Nodes(table)
            | Self::Table(table)
            | Self::Named(table)
            | Self::Several(table)
            | Self::OneOrSeveral(table) => Some(table),
            _ => None,
        }
    }

    /// The form of a list of such values.
    pub(crate) const fn in_list(self) -> Self {
        match self {
            Self::Table(table) => Self::Several(table),
            Self::Numbers => Self::Numbers,
            Self::Number => Self::PlainNumbers,
            _ => Self::Texts,
        }
    }

    /// The form of such values, each under a name.
    pub(crate) const fn under_names(self) -> Self {
        match self {
            Self::Table(table) => Self::Named(table),
            Self::Entries => Self::Scales,
            _ => Self::Entries,
        }
    }
}

impl KeyTable {
    pub(crate) fn key(&self, name: &str) -> Option<&'static PlanKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// The table and every table in it, each once, in the order of the file.
    pub(crate) fn with_inner(&'static self) -> Vec<&'static Self> {
        let mut all = vec![self];
        let mut at = 0;
        while let Some(table) = all.get(at).copied() {
            for inner in table.keys.iter().filter_map(|key| key.form.table()) {
                if !all.iter().any(|known| known.name == inner.name) {
                    all.push(inner);
                }
            }
            at += 1;
        }
        all
    }
}

impl PlanKey {
    /// Whether an empty text means that the key is not given, such as a parameter that is empty at a scale.
    pub(crate) fn may_be_empty(&self) -> bool {
        let is_text = !matches!(
            self.form,
            KeyForm::Version
                | KeyForm::Truth
                | KeyForm::Number
                | KeyForm::Texts
                | KeyForm::PlainNumbers
                | KeyForm::Numbers
                | KeyForm::Entries
                | KeyForm::Scales
                | KeyForm::Table(_)
                | KeyForm::Named(_)
                | KeyForm::Several(_)
                | KeyForm::OneOrSeveral(_)
        );
        is_text && !self.must && !self.keeps_empty
    }
}
