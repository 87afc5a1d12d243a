//! The walk over the values of a file, which reads them by the tables of keys.
//!
//! It finds all values that do not have the form of their key. If a value cannot be read, its entry is left
//! out. Of the other values a rule may give a better message, so their problems come last.
//!
//! Never here: rules between keys, and the keys themselves.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::form::{self, FileValue};
use super::plan_text::PlanText;
use super::rejections::{Rejection, Rejections};
use super::table::{KeyForm, KeyTable, PlanKey};
use crate::words::Word;

/// A type of values.
pub(crate) trait KeyValue: Sized {
    /// The form of its values, if the row of a key states no other.
    const FORM: KeyForm;

    /// The value; `None` if it cannot be read.
    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self>;
}

/// A type with the keys of a table.
pub(crate) trait TableKeys: KeyValue {
    const TABLE: &'static KeyTable;

    /// Reads all of its keys; `None` if a required one is not there.
    fn fields(reader: &mut TableReader<'_, '_, '_>) -> Option<Self>;
}

/// A value that does not have the form of its key.
struct KeyProblem {
    span: Range<usize>,
    what: String,
    /// Whether the value could not be read.
    is_unreadable: bool,
}

/// The state of the walk.
pub(crate) struct Walk<'a> {
    /// The table of the whole file.
    file: &'static KeyTable,
    place: &'a PlanText<'a>,
    errors: &'a Rejections,
    texts: &'a TextRules<'a>,
    /// The number of tables around a value, without the file.
    depth: usize,
    /// The key of the file that is read, and the name of its entry if that is not its id.
    key: &'static str,
    name: Option<String>,
    /// The problems of the entry.
    problems: Vec<KeyProblem>,
    /// The errors that come after those of the rules.
    late: LateErrors,
    /// Whether the rest of the file can be checked. Without its head or its defaults it cannot.
    goes_on: bool,
}

/// What is known about the texts of a file.
pub(crate) struct TextRules<'a> {
    /// The places of texts with unknown parameters, whose errors are already added.
    pub(crate) unfilled: &'a [Range<usize>],
    /// The errors about the texts in the value of a key of the file.
    pub(crate) errors: fn(&str, &FileValue<'_>, &PlanText<'_>) -> Vec<Rejection>,
}

/// Errors in entries that can be read, to be added after those of the rules between keys.
#[derive(Default)]
pub(crate) struct LateErrors {
    pub(crate) of_texts: Vec<Rejection>,
    /// Those about the form of a value, for values that no rule has rejected.
    pub(crate) of_forms: Vec<Rejection>,
}

/// Reads a file. Every test, series, dataset and so on that cannot be read is left out, its errors are added,
/// and its name is spoiled.
pub(crate) fn read_file<T: TableKeys>(
    file: &Spanned<DeTable<'_>>,
    texts: &TextRules<'_>,
    place: &PlanText<'_>,
    errors: &Rejections,
) -> Result<(T, LateErrors), Rejection> {
    let mut walk = Walk {
        file: T::TABLE,
        place,
        errors,
        texts,
        depth: 0,
        key: "",
        name: None,
        problems: Vec::new(),
        late: LateErrors::default(),
        goes_on: true,
    };
    let unknown = form::unknown_keys(T::TABLE, T::TABLE, file.get_ref());
    unknown.into_iter().for_each(|(span, what)| errors.add(place.at(span, &what)));
    let (span, there) = (file.span(), file.get_ref());
    let read = T::fields(&mut TableReader { table: T::TABLE, span, there, walk: &mut walk });
    match walk.problems.into_iter().next() {
        _ if !walk.goes_on => Err(Rejection::Follows),
        Some(problem) => Err(place.at(problem.span, &problem.what)),
        None => Ok((read.ok_or(Rejection::Follows)?, walk.late)),
    }
}

impl Walk<'_> {
    /// Notes that a value cannot be read.
    pub(crate) fn reject(&mut self, (span, what): (Range<usize>, String)) {
        self.problems.push(KeyProblem { span, what, is_unreadable: true });
    }

    /// Reads a table of keys.
    pub(crate) fn table<T: TableKeys>(&mut self, value: &FileValue<'_>) -> Option<T> {
        let there = value.get_ref().as_table()?;
        let before = self.problems.len();
        let unknown = form::unknown_keys(self.file, T::TABLE, there);
        unknown.into_iter().for_each(|problem| self.reject(problem));
        self.depth += 1;
        let read = T::fields(&mut TableReader { table: T::TABLE, span: value.span(), there, walk: self });
        self.depth -= 1;
        let is_readable = !self.problems[before..].iter().any(|problem| problem.is_unreadable);
        let read = read.filter(|_| is_readable);
        if self.depth > 0 { read } else { self.entry(read, before, value) }
    }

    /// An entry of the file that was read as `read`, with its problems from `first` on; `None` if it is left
    /// out.
    fn entry<T>(&mut self, read: Option<T>, first: usize, value: &FileValue<'_>) -> Option<T> {
        let name = self.name.take();
        let problems = self.problems.split_off(first).into_iter();
        let problems = problems.map(|problem| self.place.at(problem.span, &problem.what));
        match read {
            None => problems.for_each(|problem| self.errors.add(problem)),
            // Its errors are those of the parameters.
            Some(_) if self.has_unfilled(value) => {}
            read => {
                self.late.of_forms.extend(problems);
                self.late.of_texts.extend((self.texts.errors)(self.key, value, self.place));
                return read;
            }
        }
        let id = value.get_ref().get("id").and_then(|id| id.get_ref().as_str());
        match (self.key, name.as_deref().or(id)) {
            ("test" | "series" | "group" | "score", Some(id)) => self.errors.spoil(id),
            (key, Some(id)) => self.errors.spoil(format!("{key}.{id}")),
            (key, None) => self.errors.spoil(key),
        }
        None
    }

    /// Whether a text in it has an unknown parameter.
    fn has_unfilled(&self, value: &FileValue<'_>) -> bool {
        match value.get_ref() {
            DeValue::String(_) => self.texts.unfilled.contains(&value.span()),
            DeValue::Array(all) => all.iter().any(|one| self.has_unfilled(one)),
            DeValue::Table(all) => all.iter().any(|(_, one)| self.has_unfilled(one)),
            _ => false,
        }
    }
}

/// Reads the keys of one table.
pub(crate) struct TableReader<'w, 'i, 'a> {
    table: &'static KeyTable,
    span: Range<usize>,
    there: &'w DeTable<'i>,
    walk: &'w mut Walk<'a>,
}

impl TableReader<'_, '_, '_> {
    /// The value of a required key.
    pub(crate) fn required<T: KeyValue>(&mut self, key: &'static PlanKey) -> Option<T> {
        // A misspelled key of an entry is reported once.
        let is_misspelled = || self.walk.depth > 0 && form::is_misspelled(self.table, key, self.there);
        if !self.there.contains_key(key.name) && !is_misspelled() {
            self.walk.reject((self.span.clone(), form::needed(self.table, key)));
        }
        self.value(key)
    }

    /// The value of a key, or its default.
    pub(crate) fn optional<T: KeyValue + Default>(&mut self, key: &'static PlanKey) -> T {
        self.value(key).unwrap_or_default()
    }

    fn value<T: KeyValue>(&mut self, key: &'static PlanKey) -> Option<T> {
        let value = self.there.get(key.name)?;
        if key.may_be_empty() && value.get_ref().as_str() == Some("") {
            return None;
        }
        let (problem, is_of_file) = (form::problem(self.table, key, value), self.walk.depth == 0);
        if let (Some((span, what)), Some(_), true) = (&problem, key.form.table(), is_of_file) {
            self.walk.errors.add(self.walk.place.at(span.clone(), what));
            self.walk.goes_on = false;
            return None;
        }
        if is_of_file {
            self.walk.key = key.name;
        }
        let before = self.walk.problems.len();
        let read = T::read(value, self.walk);
        // The form of a key and the reader of its type agree, so a value is never left out silently.
        let is_explained = read.is_some() || problem.is_some() || self.walk.problems.len() > before;
        debug_assert!(is_of_file || is_explained, "`{}` is not read", key.name);
        if let (None, KeyForm::Table(_), true) = (&read, key.form, is_of_file) {
            // Nodes and launcher only matter for some rules.
            self.walk.goes_on &= matches!(key.name, "clients" | "launch");
        }
        // A list of tables is read without what is no table.
        let is_unreadable = read.is_none() || key.form.table().is_some();
        let problem = problem.map(|(span, what)| KeyProblem { span, what, is_unreadable });
        self.walk.problems.extend(problem);
        read
    }
}

impl<T: KeyValue> KeyValue for Option<T> {
    const FORM: KeyForm = T::FORM;

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        T::read(value, walk).map(Some)
    }
}

impl<T: KeyValue> KeyValue for Spanned<T> {
    const FORM: KeyForm = T::FORM;

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        T::read(value, walk).map(|read| Self::new(value.span(), read))
    }
}

impl<T: KeyValue> KeyValue for Vec<T> {
    const FORM: KeyForm = T::FORM.in_list();

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        let all = value.get_ref().as_array()?.iter().map(|value| T::read(value, walk));
        // A table that cannot be read has problems of its own.
        if T::FORM.table().is_some() { Some(all.flatten().collect()) } else { all.collect() }
    }
}

impl<T: KeyValue> KeyValue for BTreeMap<String, T> {
    const FORM: KeyForm = T::FORM.under_names();

    fn read(value: &FileValue<'_>, walk: &mut Walk<'_>) -> Option<Self> {
        let mut all = Self::new();
        for (name, value) in value.get_ref().as_table()? {
            let name = name.get_ref().to_string();
            if walk.depth == 0 {
                walk.name = Some(name.clone());
            }
            match T::read(value, walk) {
                Some(read) => drop(all.insert(name, read)),
                None if T::FORM.table().is_none() => return None,
                None => {}
            }
        }
        Some(all)
    }
}

impl<T: Word> KeyValue for T {
    const FORM: KeyForm = KeyForm::Word(T::WORDS);

    fn read(value: &FileValue<'_>, _: &mut Walk<'_>) -> Option<Self> {
        T::named(value.get_ref().as_str()?)
    }
}

impl KeyValue for String {
    const FORM: KeyForm = KeyForm::Text;

    fn read(value: &FileValue<'_>, _: &mut Walk<'_>) -> Option<Self> {
        value.get_ref().as_str().map(str::to_owned)
    }
}

impl KeyValue for bool {
    const FORM: KeyForm = KeyForm::Truth;

    fn read(value: &FileValue<'_>, _: &mut Walk<'_>) -> Option<Self> {
        value.get_ref().as_bool()
    }
}

/// The version of the language. One that is too large for a number is not known either.
impl KeyValue for i64 {
    const FORM: KeyForm = KeyForm::Version;

    fn read(value: &FileValue<'_>, _: &mut Walk<'_>) -> Option<Self> {
        value.get_ref().as_integer().map(|number| decimal(number).parse().unwrap_or(Self::MAX))
    }
}

impl KeyValue for f64 {
    const FORM: KeyForm = KeyForm::Number;

    fn read(value: &FileValue<'_>, _: &mut Walk<'_>) -> Option<Self> {
        match value.get_ref() {
            DeValue::Integer(number) => Some(decimal(number).parse().unwrap_or(Self::INFINITY)),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        }
    }
}

/// The decimal digits of a whole number, which may be written with another radix.
pub(crate) fn decimal(number: &DeInteger<'_>) -> String {
    i128::from_str_radix(number.as_str(), number.radix())
        .map_or_else(|_| number.to_string(), |n| n.to_string())
}
