//! The form that a value must have by the row of its key, and messages that name it.
//!
//! Never here: reading a value, its meaning.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};
use units::{Dimension, Quantity};

use super::suggestion::{key_like, unknown_key, unknown_word};
use super::table::{KeyForm, KeyTable, PlanKey};

pub(crate) type FileValue<'i> = Spanned<DeValue<'i>>;

/// The problem of a value of the table that does not have the form of its key, and its position.
pub(crate) fn problem(
    table: &KeyTable,
    key: &PlanKey,
    value: &FileValue<'_>,
) -> Option<(Range<usize>, String)> {
    if let (KeyForm::Word(words), DeValue::String(word)) = (key.form, value.get_ref())
        && !words.contains(&word.as_ref())
    {
        return Some((value.span(), unknown_word(word, words)));
    }
    let who = match table.name {
        "file" => format!("`{}`", key.name),
        _ => format!("`{}` of {}", key.name, table.opens),
    };
    let found = match key.form.table() {
        Some(inner) => nested(table, key, inner, value),
        None => plain(key, value),
    };
    found.err().map(|(span, what)| (span, format!("{who} {what}")))
}

/// The keys that the table does not have, of a file with the table `file`.
pub(crate) fn unknown_keys(
    file: &'static KeyTable,
    table: &KeyTable,
    there: &DeTable<'_>,
) -> Vec<(Range<usize>, String)> {
    let known = table.names();
    let unknown = there.keys().filter(|name| !known.contains(&name.get_ref().as_ref()));
    unknown.map(|name| (name.span(), unknown_key(file, table.name, name.get_ref(), &known))).collect()
}

/// Whether an unknown key of the table is probably this key.
pub(crate) fn is_misspelled(table: &KeyTable, key: &PlanKey, there: &DeTable<'_>) -> bool {
    let known = table.names();
    let mut names = there.keys().map(|name| name.get_ref().as_ref());
    names.any(|name| !known.contains(&name) && key_like(name, &known) == Some(key.name))
}

/// The message that a required key is missing.
pub(crate) fn needed(table: &KeyTable, key: &PlanKey) -> String {
    match key.example {
        "" => format!("{} needs {}", table.opens, key.about),
        example => {
            format!("{} needs `{}`. Write for example `{} = {example}`.", table.opens, key.name, key.name)
        }
    }
}

/// The problem and its position.
type FormProblem = Result<(), (Range<usize>, String)>;

fn reject(at: &FileValue<'_>, what: String) -> FormProblem {
    Err((at.span(), what))
}

/// The message that a value must have another form.
fn not(key: &PlanKey, wanted: &str, at: &FileValue<'_>) -> FormProblem {
    let found = named(at.get_ref());
    let such = match key.example {
        "" => String::new(),
        example => format!(", such as `{} = {example}`", key.name),
    };
    reject(at, format!("must be {wanted}{such}, but it is {found}"))
}

/// Checks a value that is not a table of keys.
fn plain(key: &PlanKey, value: &FileValue<'_>) -> FormProblem {
    match (&key.form, value.get_ref()) {
        (KeyForm::Version, DeValue::Integer(_))
        | (KeyForm::Text | KeyForm::TextOrTexts | KeyForm::Id | KeyForm::Goal, DeValue::String(_))
        | (KeyForm::Number, DeValue::Integer(_) | DeValue::Float(_)) => Ok(()),
        (KeyForm::Version, _) => not(key, "a number", value),
        (KeyForm::Number, _) => not(key, "a number without quotes", value),
        // Unknown words are found apart, or by a rule.
        (KeyForm::Word(_) | KeyForm::CheckedWord(_), DeValue::String(_)) => Ok(()),
        (KeyForm::Word(words) | KeyForm::CheckedWord(words), _) => {
            not(key, &format!("one of {}, in quotes", words.join(", ")), value)
        }
        (KeyForm::Count, there) if is_count(there) => Ok(()),
        (KeyForm::Count, _) => not(key, "a whole number above 0", value),
        (KeyForm::CountOr(_), there) if is_count(there) => Ok(()),
        (KeyForm::CountOr(word), DeValue::String(text)) if text.trim() == *word => Ok(()),
        (KeyForm::CountOr(word), _) => not(key, &format!("a whole number above 0, or `\"{word}\"`"), value),
        (KeyForm::Truth, DeValue::Boolean(_)) => Ok(()),
        (KeyForm::Truth, _) => not(key, "`true` or `false`, without quotes", value),
        (KeyForm::QuantityOrNone(_), DeValue::String(text)) if text.is_empty() => Ok(()),
        (KeyForm::Quantity(wanted) | KeyForm::QuantityOrNone(wanted), DeValue::String(text)) => {
            quantity(key, wanted, text, value)
        }
        (
            KeyForm::Quantity(_) | KeyForm::QuantityOrNone(_) | KeyForm::Goal,
            DeValue::Integer(_) | DeValue::Float(_),
        ) => {
            let number = named(value.get_ref());
            reject(
                value,
                format!(
                    "needs a unit: {number} has none. Write for example `{} = {}`.",
                    key.name, key.example
                ),
            )
        }
        (KeyForm::Texts | KeyForm::TextOrTexts, DeValue::Array(all)) => {
            each(key, all, "a list of texts, each in quotes", |one| one.is_str())
        }
        (KeyForm::TextOrTexts, _) => not(key, "a text or a list of texts", value),
        (KeyForm::Texts, _) => not(key, "a list of texts", value),
        (KeyForm::PlainNumbers, DeValue::Array(all)) => {
            each(key, all, "a list of numbers without quotes", |one| one.is_float() || one.is_integer())
        }
        (KeyForm::PlainNumbers, _) => not(key, "a list of numbers", value),
        (KeyForm::Numbers, DeValue::Array(all)) => {
            let what = "a list of numbers, or percentages in quotes";
            each(key, all, what, |one| one.is_str() || one.is_integer())
        }
        (KeyForm::Numbers, _) => not(key, "a list of numbers", value),
        (KeyForm::Entries, DeValue::Table(all)) => entries(all),
        (KeyForm::Entries, _) => not(key, "a table of texts", value),
        (KeyForm::Scales, DeValue::Table(all)) => {
            all.iter().try_for_each(|(_, scale)| match scale.get_ref() {
                DeValue::Table(all) => entries(all),
                _ => reject(scale, "needs a name. Write `[scale.NAME]` above this line.".to_owned()),
            })
        }
        (KeyForm::Scales, _) => reject(value, "needs a name. Write `[scale.NAME]`.".to_owned()),
        _ => not(key, "text in quotes", value),
    }
}

fn is_count(value: &DeValue<'_>) -> bool {
    let text = match value {
        DeValue::Integer(number) => return whole(number).is_some_and(|number| number > 0),
        DeValue::String(text) => text.trim(),
        _ => return false,
    };
    text.parse::<u64>().is_ok_and(|number| number > 0)
}

fn whole(number: &toml::de::DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn quantity(key: &PlanKey, wanted: &[Dimension], text: &str, at: &FileValue<'_>) -> FormProblem {
    let as_in = format!(". Write for example `{} = {}`.", key.name, key.example);
    match text.parse::<Quantity>() {
        _ if text.trim().parse::<f64>().is_ok() => reject(at, format!("has no unit{as_in}")),
        // A letter as IOR writes it.
        _ if wanted == [Dimension::Bytes] && units::size(text).is_ok() => Ok(()),
        Err(error) => reject(at, format!("is not valid: {error}")),
        Ok(quantity) if !wanted.contains(&quantity.dimension) => {
            reject(at, format!("has a unit of another kind{as_in}"))
        }
        Ok(_) => Ok(()),
    }
}

/// Whether all values of a list are of a kind, which is `what` in words.
fn each(key: &PlanKey, all: &DeArray<'_>, what: &str, fits: fn(&DeValue<'_>) -> bool) -> FormProblem {
    match all.iter().find(|one| !fits(one.get_ref())) {
        Some(other) => not(key, what, other),
        None => Ok(()),
    }
}

fn entries(all: &DeTable<'_>) -> FormProblem {
    match all.iter().find(|(_, value)| !value.get_ref().is_str()) {
        Some((name, value)) => {
            let found = named(value.get_ref());
            reject(
                value,
                format!("must have texts as values, but `{}` is {found}. Put it in quotes.", name.get_ref()),
            )
        }
        None => Ok(()),
    }
}

/// Checks a value that is a table of keys, or several such tables. Their keys are not checked.
fn nested(table: &KeyTable, key: &PlanKey, inner: &KeyTable, value: &FileValue<'_>) -> FormProblem {
    let is_table = |one: &&FileValue<'_>| one.get_ref().is_table();
    match (&key.form, value.get_ref()) {
        (KeyForm::Nodes(_), DeValue::Integer(_) | DeValue::String(_))
        | (KeyForm::Table(_) | KeyForm::Nodes(_) | KeyForm::OneOrSeveral(_), DeValue::Table(_)) => Ok(()),
        (KeyForm::Several(_) | KeyForm::OneOrSeveral(_), DeValue::Array(all)) => {
            all.iter().find(|one| !is_table(one)).map_or(Ok(()), |other| {
                let found = named(other.get_ref());
                reject(other, format!("must be a list of tables, but it has {found}"))
            })
        }
        (KeyForm::Named(_), DeValue::Table(all)) => {
            all.iter().find(|(_, one)| !is_table(one)).map_or(Ok(()), |(name, other)| {
                let name = name.get_ref();
                reject(other, format!("needs a name. Write `{}` above `{name} = …`.", inner.opens))
            })
        }
        _ => reject(value, other_form(table, key, inner, value.get_ref())),
    }
}

/// The expected form of a value that is not a table, or not the right number of tables.
fn other_form(table: &KeyTable, key: &PlanKey, inner: &KeyTable, value: &DeValue<'_>) -> String {
    let (name, opens) = (key.name, inner.opens);
    match (&key.form, value) {
        (KeyForm::Named(_), DeValue::Array(_)) => {
            format!("needs a name and single brackets. Write `{opens}`.")
        }
        (KeyForm::Table(_), DeValue::Array(_)) if opens.starts_with('[') => {
            format!("may appear once, in single brackets. Write `{opens}`.")
        }
        (KeyForm::Several(_), DeValue::Table(_)) if opens.starts_with("[[") => {
            let header = match table.name {
                "file" => format!("[[{name}]]"),
                owner => format!("[[{owner}.{name}]]"),
            };
            format!("needs double brackets, because it may appear several times. Write `{header}`.")
        }
        (KeyForm::Several(_), DeValue::Table(_)) => {
            format!("is a list, so it needs brackets. Write `{opens}`.")
        }
        (KeyForm::Nodes(_), other) => format!(
            "must be a number such as `12` or `\"90%\"`, `{{ steps = [\"50%\", \"100%\"] }}` or \
             `{{ search = [2, 4, 8], gain = \"3 %\" }}`, but it is {}",
            named(other)
        ),
        (_, other) => {
            let such = match key.example {
                "" => opens.to_owned(),
                example => format!("{name} = {example}"),
            };
            format!("must be a table, such as `{such}`, but it is {}", named(other))
        }
    }
}

/// The kind of a value and its text, for messages.
fn named(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text `{text}`"),
        DeValue::Integer(number) => format!("the number {}", number.as_str()),
        DeValue::Float(number) => format!("the number {}", number.as_str()),
        DeValue::Boolean(truth) => format!("`{truth}`"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
