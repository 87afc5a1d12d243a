//! Values that a plan may write in several forms: numbers as `4`, or as `"4"` for a parameter; numbers of
//! nodes, or a rule for them; one criterion or several.

use toml::de::DeValue;

use super::{CriterionKeys, NodesRule};
use crate::language::form::FileValue;
use crate::language::read::{KeyValue, TableKeys, Walk, decimal};
use crate::language::table::KeyForm;
use crate::model::{Stat, Stripes};
use crate::words::Word;

/// The text of a value that may be a number without quotes, without blanks at its ends.
fn plain(value: &FileValue<'_>) -> Option<String> {
    match value.get_ref() {
        DeValue::Integer(number) => Some(decimal(number)),
        DeValue::String(text) => Some(text.trim().to_owned()),
        _ => None,
    }
}

/// A whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) u64);

impl KeyValue for Count {
    const FORM: KeyForm = KeyForm::Count;

    fn read(value: &FileValue<'_>, _: &mut Walk<'_>) -> Option<Self> {
        plain(value)?.parse().ok().map(Self)
    }
}

/// A whole number, or `""` for one that is unknown at a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountOrNone(pub(crate) Option<Count>);

impl KeyValue for CountOrNone {
    const FORM: KeyForm = KeyForm::CountOr("");

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        if plain(value)?.is_empty() { Some(Self(None)) } else { KeyValue::read(value, walk).map(Self) }
    }
}

/// `1`, `"1"` or `"all"`.
impl KeyValue for Stripes {
    const FORM: KeyForm = KeyForm::CountOr("all");

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        if plain(value)? == "all" {
            return Some(Self::All);
        }
        Count::read(value, walk).map(|count| Self::Count(count.0))
    }
}

impl Word for Stat {
    const WORDS: &'static [&'static str] = Self::WORDS;

    fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|stat| stat.row().word == word)
    }
}

/// A number of nodes, or a rule for it.
#[derive(Clone, Debug)]
pub(crate) enum NodesValue {
    /// `12`, `"12"` or `"90%"`.
    One(String),
    /// A test at each number.
    Steps(Vec<String>),
    /// One number after the other as long as each gains this much; then the last one that gained.
    Search(Vec<String>, String),
}

impl KeyValue for NodesValue {
    const FORM: KeyForm = KeyForm::Nodes(NodesRule::TABLE);

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        if let Some(word) = plain(value) {
            return Some(Self::One(word));
        }
        let words = |all: Vec<NodeCount>| all.into_iter().map(|count| count.0).collect();
        match walk.table(value)? {
            NodesRule { steps: Some(steps), search: None, gain: None } => Some(Self::Steps(words(steps))),
            NodesRule { steps: None, search: Some(search), gain: Some(gain) } => {
                Some(Self::Search(words(search), gain))
            }
            _ => {
                let what = "write { steps = [\"50%\", \"100%\"] } or { search = [2, 4, 8], gain = \"3 %\" }";
                walk.reject((value.span(), what.to_owned()));
                None
            }
        }
    }
}

/// `12`, `"12"` or `"90%"`.
#[derive(Clone, Debug)]
pub(crate) struct NodeCount(pub(crate) String);

impl KeyValue for NodeCount {
    const FORM: KeyForm = KeyForm::Numbers;

    fn read(value: &FileValue<'_>, _: &mut Walk<'_>) -> Option<Self> {
        plain(value).map(Self)
    }
}

/// A text, or a list of texts.
#[derive(Clone, Debug)]
pub(crate) enum TextOrTexts {
    /// `"slurm"`
    Text(String),
    /// `["n1", "n2"]`
    Texts(Vec<String>),
}

impl KeyValue for TextOrTexts {
    const FORM: KeyForm = KeyForm::TextOrTexts;

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        match value.get_ref() {
            DeValue::Array(_) => Vec::read(value, walk).map(Self::Texts),
            _ => String::read(value, walk).map(Self::Text),
        }
    }
}

/// A criterion's value. A bare number is read so that its rejection can name the missing unit.
#[derive(Clone)]
pub(crate) struct CriterionValue(pub(crate) String);

impl KeyValue for CriterionValue {
    const FORM: KeyForm = KeyForm::Goal;

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        let text = String::read(value, walk).or_else(|| f64::read(value, walk).map(|n| n.to_string()));
        text.map(Self)
    }
}

/// One criterion or an array of criteria.
#[derive(Clone, Default)]
pub(crate) struct Criteria(pub(crate) Vec<CriterionKeys>);

impl KeyValue for Criteria {
    const FORM: KeyForm = KeyForm::OneOrSeveral(CriterionKeys::TABLE);

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        match value.get_ref() {
            DeValue::Array(_) => Vec::read(value, walk).map(Self),
            _ => walk.table(value).map(|only| Self(vec![only])),
        }
    }
}
