//! Checks whether a value in a plan has the form of its key, and names the expected form if not.
//!
//! A rejected plan is checked to explain the rejection in terms of plans. An accepted plan is checked for
//! values that nothing has read, such as a default that every test overrides.
//!
//! Never here: the meaning of a value.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};
use units::{Dimension, Quantity};

use super::super::wire::PlanFile;
use super::meant::{key_like, unknown_key, unknown_word};
use super::{KeyForm, KeyTable, PlanKey};

type SpannedValue<'i> = Spanned<DeValue<'i>>;

/// A value that does not have the form of its key.
#[derive(Debug)]
pub(crate) struct KeyProblem {
    pub(crate) span: Range<usize>,
    pub(crate) what: String,
    /// Whether the reader itself rejects it. Other values are also rejected by a rule.
    pub(crate) from_reader: bool,
}

/// All values that do not have the form of their key, in the order of the file.
pub(crate) fn problems(file: &Spanned<DeTable<'_>>) -> Vec<KeyProblem> {
    let mut found = Vec::new();
    look(PlanFile::TABLE, &file.span(), file.get_ref(), &mut found);
    found.sort_by_key(|problem| problem.span.start);
    found
}

/// The same for one entry of a table.
pub(crate) fn problems_of(table: &'static KeyTable, entry: &SpannedValue<'_>) -> Vec<KeyProblem> {
    let mut found = Vec::new();
    if let DeValue::Table(there) = entry.get_ref() {
        look(table, &entry.span(), there, &mut found);
    }
    found
}

/// The problem that the value of a key of the file does not have the form of tables.
pub(crate) fn misplaced(key: &PlanKey, value: &SpannedValue<'_>) -> Option<KeyProblem> {
    let (inner, mut inside) = (key.form.table()?, Vec::new());
    let (span, what) = nested((PlanFile::TABLE, key), inner, value, &mut inside).err()?;
    Some(KeyProblem { span, what: format!("`{}` {what}", key.name), from_reader: true })
}

/// The keys that the table does not have.
pub(crate) fn unknown_keys(table: &'static KeyTable, there: &DeTable<'_>) -> Vec<KeyProblem> {
    let known: Vec<&str> = table.keys.iter().map(|key| key.name).collect();
    let mut found = Vec::new();
    for (key, _) in there {
        let name: &str = key.get_ref();
        if !known.contains(&name) {
            let what = unknown_key(table.name, name, &known);
            found.push(KeyProblem { span: key.span(), what, from_reader: true });
        }
    }
    found
}

/// The reason why a file was rejected at `span`: the problem there, or else the first one.
pub(crate) fn missed(file: &Spanned<DeTable<'_>>, span: &Range<usize>) -> Option<KeyProblem> {
    let mut all = problems(file);
    let at = all.iter().position(|problem| problem.span.start == span.start).unwrap_or(0);
    (at < all.len()).then(|| all.swap_remove(at))
}

/// Checks one table.
fn look(table: &'static KeyTable, span: &Range<usize>, there: &DeTable<'_>, found: &mut Vec<KeyProblem>) {
    found.extend(unknown_keys(table, there));
    for key in table.keys {
        match there.get(key.name) {
            // A misspelled key is reported once.
            None if key.must && is_misspelled(table, key, there) => {}
            None if key.must => {
                let what = needed(table, key);
                found.push(KeyProblem { span: span.clone(), what, from_reader: true });
            }
            None => {}
            Some(value) => {
                let who = match table.name {
                    "file" => format!("`{}`", key.name),
                    _ => format!("`{}` of {}", key.name, table.opens),
                };
                let rejected = match key.form.table() {
                    Some(inner) => nested((table, key), inner, value, found),
                    None => plain(key, value),
                };
                if let Some(what) = unknown(key, value) {
                    found.push(KeyProblem { span: value.span(), what, from_reader: true });
                }
                found.extend(rejected.err().map(|(span, what)| {
                    let what = format!("{who} {what}");
                    KeyProblem { span, what, from_reader: false }
                }));
            }
        }
    }
}

/// Whether an unknown key of the table is probably this key.
fn is_misspelled(table: &KeyTable, key: &PlanKey, there: &DeTable<'_>) -> bool {
    let known: Vec<&str> = table.keys.iter().map(|key| key.name).collect();
    let unknown = there.keys().map(|name| name.get_ref().as_ref()).filter(|name| !known.contains(name));
    unknown.into_iter().any(|name: &str| key_like(name, &known).is_some_and(|meant| meant == key.name))
}

/// The message that a text is not one of the words of the key, if the reader knows them.
fn unknown(key: &PlanKey, value: &SpannedValue<'_>) -> Option<String> {
    match (&key.form, value.get_ref()) {
        (KeyForm::Word(words), DeValue::String(word)) if !words.contains(&word.as_ref()) => {
            Some(unknown_word(word, words))
        }
        _ => None,
    }
}

/// The message that a required key is missing.
fn needed(table: &KeyTable, key: &PlanKey) -> String {
    match key.example {
        "" => format!("{} needs {}", table.opens, key.about),
        example => {
            format!("{} needs `{}`. Write for example `{} = {example}`.", table.opens, key.name, key.name)
        }
    }
}

/// The problem and its position.
type FormProblem = Result<(), (Range<usize>, String)>;

fn reject(at: &SpannedValue<'_>, what: String) -> FormProblem {
    Err((at.span(), what))
}

/// The message that a value must have another form.
fn not(key: &PlanKey, wanted: &str, at: &SpannedValue<'_>) -> FormProblem {
    let found = named(at.get_ref());
    let such = match key.example {
        "" => String::new(),
        example => format!(", such as `{} = {example}`", key.name),
    };
    reject(at, format!("must be {wanted}{such}, but it is {found}"))
}

/// Checks a value that is not a table of keys.
fn plain(key: &PlanKey, value: &SpannedValue<'_>) -> FormProblem {
    match (&key.form, value.get_ref()) {
        (KeyForm::Version, DeValue::Integer(_))
        | (KeyForm::Text | KeyForm::Id | KeyForm::Goal, DeValue::String(_))
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
        (KeyForm::Texts, DeValue::Array(all)) => texts(key, all),
        (KeyForm::Texts, _) => not(key, "a list of texts", value),
        (KeyForm::Numbers, DeValue::Array(all)) => numbers(key, all),
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

fn quantity(key: &PlanKey, wanted: &[Dimension], text: &str, at: &SpannedValue<'_>) -> FormProblem {
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

fn texts(key: &PlanKey, all: &DeArray<'_>) -> FormProblem {
    match all.iter().find(|one| !one.get_ref().is_str()) {
        Some(other) => not(key, "a list of texts, each in quotes", other),
        None => Ok(()),
    }
}

fn numbers(key: &PlanKey, all: &DeArray<'_>) -> FormProblem {
    match all.iter().find(|one| !one.get_ref().is_str() && !one.get_ref().is_integer()) {
        Some(other) => not(key, "a list of numbers, or percentages in quotes", other),
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

/// Checks a value that is a table of keys, or several such tables.
fn nested(
    (table, key): (&KeyTable, &PlanKey),
    inner: &'static KeyTable,
    value: &SpannedValue<'_>,
    found: &mut Vec<KeyProblem>,
) -> FormProblem {
    let mut inside = |one: &SpannedValue<'_>, otherwise: &dyn Fn() -> String| match one.get_ref() {
        DeValue::Table(there) => {
            look(inner, &one.span(), there, found);
            Ok(())
        }
        _ => reject(one, otherwise()),
    };
    match (&key.form, value.get_ref()) {
        (KeyForm::Nodes(_), DeValue::Integer(_) | DeValue::String(_)) => Ok(()),
        (KeyForm::Table(_) | KeyForm::Nodes(_) | KeyForm::OneOrSeveral(_), DeValue::Table(_)) => {
            inside(value, &String::new)
        }
        (KeyForm::Several(_) | KeyForm::OneOrSeveral(_), DeValue::Array(all)) => {
            let otherwise = |one: &SpannedValue<'_>| {
                format!("must be a list of tables, but it has {}", named(one.get_ref()))
            };
            all.iter().try_for_each(|one| inside(one, &|| otherwise(one)))
        }
        (KeyForm::Named(_), DeValue::Table(all)) => all.iter().try_for_each(|(name, one)| {
            inside(one, &|| format!("needs a name. Write `{}` above `{} = …`.", inner.opens, name.get_ref()))
        }),
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
