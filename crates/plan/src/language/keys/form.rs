//! Whether what stands in a plan has the form of its key, and what should stand there where it has not.
//!
//! It is asked when a plan was refused, to say why in the plan's own words, and of an accepted one for
//! values that nothing looked at, such as a default that every test overrides.
//!
//! Never here: what a value means.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};
use units::{Dimension, Quantity, Usage};

use super::super::place::Place;
use super::{Key, Kind, Table, rows};

type Value<'i> = Spanned<DeValue<'i>>;

/// Something that has not the form of its key.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) span: Range<usize>,
    pub(crate) what: String,
}

/// All that has not the form of its key, in the order of the file.
pub(super) fn problems(text: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    if let Ok(file) = DeTable::parse(text) {
        look(&rows::FILE, &file.span(), file.get_ref(), &mut found);
    }
    found.sort_by_key(|problem| problem.span.start);
    found
}

/// Why a text was refused at `span`: the problem there, or else the first.
pub(crate) fn missed(text: &str, span: &Range<usize>) -> Option<Problem> {
    let mut all = problems(text);
    let at = all.iter().position(|problem| problem.span.start == span.start).unwrap_or(0);
    (at < all.len()).then(|| all.swap_remove(at))
}

/// Refuses what is not as it should be in a plan that is otherwise in order.
pub(crate) fn untold(text: &str, place: &Place<'_>) -> Result<(), Usage> {
    match problems(text).into_iter().next() {
        Some(problem) => Err(place.at(problem.span, &problem.what)),
        None => Ok(()),
    }
}

/// Looks at one table.
fn look(table: &'static Table, span: &Range<usize>, there: &DeTable<'_>, found: &mut Vec<Problem>) {
    for key in table.keys {
        match there.get(key.name) {
            None if key.must => found.push(Problem { span: span.clone(), what: needed(table, key) }),
            None => {}
            Some(value) => {
                let who = match table.name {
                    "file" => format!("`{}`", key.name),
                    _ => format!("`{}` of {}", key.name, table.opens),
                };
                let refused = match key.kind.table() {
                    Some(inner) => nested((table, key), inner, value, found),
                    None => plain(key, value),
                };
                found.extend(
                    refused.err().map(|(span, what)| Problem { span, what: format!("{who} {what}") }),
                );
            }
        }
    }
}

/// That a key has to be there.
fn needed(table: &Table, key: &Key) -> String {
    match key.example {
        "" => format!("{} needs {}", table.opens, key.about),
        example => {
            format!("{} needs `{}`; write for example `{} = {example}`", table.opens, key.name, key.name)
        }
    }
}

/// What is wrong, and where.
type Refused = Result<(), (Range<usize>, String)>;

fn refuse(at: &Value<'_>, what: String) -> Refused {
    Err((at.span(), what))
}

/// That a value should be something else.
fn not(key: &Key, wanted: &str, at: &Value<'_>) -> Refused {
    let found = named(at.get_ref());
    let such = match key.example {
        "" => String::new(),
        example => format!(", such as `{} = {example}`", key.name),
    };
    refuse(at, format!("is {wanted}{such}, and not {found}"))
}

/// Looks at a value that is no table of keys.
fn plain(key: &Key, value: &Value<'_>) -> Refused {
    match (&key.kind, value.get_ref()) {
        (Kind::Version, DeValue::Integer(_))
        | (Kind::Text | Kind::Id | Kind::Goal, DeValue::String(_))
        | (Kind::Number, DeValue::Integer(_) | DeValue::Float(_)) => Ok(()),
        (Kind::Version, _) => not(key, "a number", value),
        (Kind::Number, _) => not(key, "a number without quotes", value),
        // Which words there are the reader knows.
        (Kind::Word(_), DeValue::String(_)) => Ok(()),
        (Kind::Word(words), _) => not(key, &format!("one of {}, in quotes", words.join(", ")), value),
        (Kind::Count, there) if is_count(there) => Ok(()),
        (Kind::Count, _) => not(key, "a whole number above 0", value),
        (Kind::CountOr(_), there) if is_count(there) => Ok(()),
        (Kind::CountOr(word), DeValue::String(text)) if text.trim() == *word => Ok(()),
        (Kind::CountOr(word), _) => not(key, &format!("a whole number above 0, or `\"{word}\"`"), value),
        (Kind::Truth, DeValue::Boolean(_)) => Ok(()),
        (Kind::Truth, _) => not(key, "`true` or `false`, without quotes", value),
        (Kind::Quantity(wanted), DeValue::String(text)) => quantity(key, wanted, text, value),
        (Kind::SizeOrNone, DeValue::String(text)) if text.is_empty() => Ok(()),
        (Kind::SizeOrNone, DeValue::String(text)) => quantity(key, &[Dimension::Bytes], text, value),
        (Kind::Quantity(_) | Kind::SizeOrNone | Kind::Goal, DeValue::Integer(_) | DeValue::Float(_)) => {
            let number = named(value.get_ref());
            refuse(value, format!("needs a unit, as in `{} = {}`; {number} has none", key.name, key.example))
        }
        (Kind::Texts, DeValue::Array(all)) => texts(key, all),
        (Kind::Texts, _) => not(key, "a list of texts", value),
        (Kind::Numbers, DeValue::Array(all)) => numbers(key, all),
        (Kind::Numbers, _) => not(key, "a list of numbers", value),
        (Kind::Entries, DeValue::Table(all)) => entries(all),
        (Kind::Entries, _) => not(key, "a table of texts", value),
        (Kind::Scales, DeValue::Table(all)) => all.iter().try_for_each(|(_, scale)| match scale.get_ref() {
            DeValue::Table(all) => entries(all),
            _ => refuse(scale, "has a name; write `[scale.NAME]` above this line".to_owned()),
        }),
        (Kind::Scales, _) => refuse(value, "has a name; write `[scale.NAME]`".to_owned()),
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

fn quantity(key: &Key, wanted: &[Dimension], text: &str, at: &Value<'_>) -> Refused {
    let as_in = format!("; write it as in `{} = {}`", key.name, key.example);
    match text.parse::<Quantity>() {
        _ if text.trim().parse::<f64>().is_ok() => refuse(at, format!("has no unit{as_in}")),
        Err(error) => refuse(at, format!("is not right: {error}")),
        Ok(quantity) if !wanted.contains(&quantity.dimension) => {
            refuse(at, format!("does not measure that{as_in}"))
        }
        Ok(_) => Ok(()),
    }
}

fn texts(key: &Key, all: &DeArray<'_>) -> Refused {
    match all.iter().find(|one| !one.get_ref().is_str()) {
        Some(other) => not(key, "a list of texts, each in quotes", other),
        None => Ok(()),
    }
}

fn numbers(key: &Key, all: &DeArray<'_>) -> Refused {
    match all.iter().find(|one| !one.get_ref().is_str() && !one.get_ref().is_integer()) {
        Some(other) => not(key, "a list of numbers, or percentages in quotes", other),
        None => Ok(()),
    }
}

fn entries(all: &DeTable<'_>) -> Refused {
    match all.iter().find(|(_, value)| !value.get_ref().is_str()) {
        Some((name, value)) => {
            let found = named(value.get_ref());
            refuse(
                value,
                format!("has names with texts, and `{}` is {found}; put it in quotes", name.get_ref()),
            )
        }
        None => Ok(()),
    }
}

/// Looks at a value that is a table of keys, or several of them.
fn nested(
    (table, key): (&Table, &Key),
    inner: &'static Table,
    value: &Value<'_>,
    found: &mut Vec<Problem>,
) -> Refused {
    let mut inside = |one: &Value<'_>, otherwise: &dyn Fn() -> String| match one.get_ref() {
        DeValue::Table(there) => {
            look(inner, &one.span(), there, found);
            Ok(())
        }
        _ => refuse(one, otherwise()),
    };
    match (&key.kind, value.get_ref()) {
        (Kind::Nodes(_), DeValue::Integer(_) | DeValue::String(_)) => Ok(()),
        (Kind::Table(_) | Kind::Nodes(_) | Kind::OneOrSeveral(_), DeValue::Table(_)) => {
            inside(value, &String::new)
        }
        (Kind::Several(_) | Kind::OneOrSeveral(_), DeValue::Array(all)) => {
            let otherwise =
                |one: &Value<'_>| format!("is a list of tables, and not of {}", named(one.get_ref()));
            all.iter().try_for_each(|one| inside(one, &|| otherwise(one)))
        }
        (Kind::Named(_), DeValue::Table(all)) => all.iter().try_for_each(|(name, one)| {
            inside(one, &|| format!("has a name; write `{}` above `{} = …`", inner.opens, name.get_ref()))
        }),
        _ => refuse(value, other_form(table, key, inner, value.get_ref())),
    }
}

/// What to write in place of a value that is no table, or not as many as it should be.
fn other_form(table: &Table, key: &Key, inner: &Table, value: &DeValue<'_>) -> String {
    let (name, opens) = (key.name, inner.opens);
    match (&key.kind, value) {
        (Kind::Named(_), DeValue::Array(_)) => format!("has a name and single brackets; write `{opens}`"),
        (Kind::Table(_), DeValue::Array(_)) if opens.starts_with('[') => {
            format!("is there once, in single brackets: `{opens}`")
        }
        (Kind::Several(_), DeValue::Table(_)) if opens.starts_with("[[") => {
            let header = match table.name {
                "file" => format!("[[{name}]]"),
                owner => format!("[[{owner}.{name}]]"),
            };
            format!("has double brackets, as there may be several: `{header}`")
        }
        (Kind::Several(_), DeValue::Table(_)) => format!("has brackets around all of them: `{opens}`"),
        (Kind::Nodes(_), other) => format!(
            "is a number such as `12` or `\"90%\"`, `{{ steps = [\"50%\", \"100%\"] }}` or \
             `{{ search = [2, 4, 8], gain = \"3 %\" }}`, and not {}",
            named(other)
        ),
        (_, other) => {
            let such = match key.example {
                "" => opens.to_owned(),
                example => format!("{name} = {example}"),
            };
            format!("is a table, such as `{such}`, and not {}", named(other))
        }
    }
}

/// What a value is, in words.
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
