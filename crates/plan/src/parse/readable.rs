//! Takes the parts out of a file that cannot be read, so that the others can be checked all the same.
//!
//! Never here: rules between keys.

use std::ops::Range;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

use super::plan_text::PlanText;
use super::{keys, wire};
use crate::language::rejections::Rejections;
use crate::language::table::{KeyForm, KeyTable};

type FileValue<'i> = Spanned<DeValue<'i>>;

/// What is looked for in a file.
struct EntryReader<'a> {
    /// The places of texts with unknown parameters, whose errors are already added.
    unfilled: &'a [Range<usize>],
    place: &'a PlanText<'a>,
    errors: &'a Rejections,
}

/// Removes every test, series, dataset and so on that cannot be read, and adds all of its errors. Returns
/// whether the rest can be checked. Without the head of the file or its defaults it cannot.
pub(super) fn keep_readable(
    file: &mut DeTable<'_>,
    unfilled: &[Range<usize>],
    place: &PlanText<'_>,
    errors: &Rejections,
) -> bool {
    let reader = EntryReader { unfilled, place, errors };
    let mut goes_on = true;
    let unknown = keys::unknown_keys(wire::PlanFile::TABLE, file);
    for problem in &unknown {
        errors.add(place.at(problem.span.clone(), &problem.what));
    }
    for problem in &unknown {
        remove_at(file, &problem.span);
    }
    for key in wire::PlanFile::TABLE.keys {
        let name = key.name;
        let Some(value) = file.get_mut(name) else { continue };
        if let Some(problem) = keys::misplaced(key, value) {
            errors.add(place.at(problem.span, &problem.what));
            file.remove(name);
            goes_on = false;
            continue;
        }
        if let KeyForm::Table(table) = &key.form {
            if !reader.reads(name, None, table, value) {
                // Nodes and launcher only matter for some rules.
                goes_on &= matches!(name, "clients" | "launch");
                file.remove(name);
            }
            continue;
        }
        match (&key.form, value.get_mut()) {
            (KeyForm::Several(table), DeValue::Array(all)) => {
                let readable: Vec<FileValue<'_>> =
                    all.iter().filter(|one| reader.reads(name, None, table, one)).cloned().collect();
                *all = readable.into_iter().collect();
            }
            (KeyForm::Named(table), DeValue::Table(all)) => {
                let unreadable =
                    all.iter().filter(|(own, one)| !reader.reads(name, Some(own.get_ref()), table, one));
                let unreadable: Vec<Range<usize>> = unreadable.map(|(own, _)| own.span()).collect();
                unreadable.iter().for_each(|span| remove_at(all, span));
            }
            _ => {}
        }
    }
    goes_on
}

/// Removes the key at this place.
fn remove_at(table: &mut DeTable<'_>, span: &Range<usize>) {
    let name = table.keys().find(|name| name.span() == *span).cloned();
    if let Some(name) = name {
        table.remove(&name);
    }
}

impl EntryReader<'_> {
    /// Whether an entry of the table `name` can be read.
    ///
    /// If not, its errors are added, and its name is spoiled.
    fn reads(&self, name: &str, own: Option<&str>, table: &'static KeyTable, value: &FileValue<'_>) -> bool {
        let error = read(name, value);
        let is_filled = !self.has_unfilled(value);
        if error.is_none() && is_filled {
            return true;
        }
        let id = own.or_else(|| value.get_ref().as_table()?.get("id")?.get_ref().as_str());
        match (name, id) {
            ("test" | "series" | "group" | "score", Some(id)) => self.errors.spoil(id),
            (_, Some(id)) => self.errors.spoil(format!("{name}.{id}")),
            (_, None) => self.errors.spoil(name),
        }
        let Some(error) = error else { return false };
        let problems = keys::problems_of(table, value);
        let said = error.span().unwrap_or(0..0);
        for problem in &problems {
            self.errors.add(self.place.at(problem.span.clone(), &problem.what));
        }
        if !problems.iter().any(|problem| problem.from_reader || problem.span.start == said.start) {
            self.errors.add(self.place.reworded(&error));
        }
        false
    }

    /// Whether a text in it has an unknown parameter.
    fn has_unfilled(&self, value: &FileValue<'_>) -> bool {
        match value.get_ref() {
            DeValue::String(_) => self.unfilled.contains(&value.span()),
            DeValue::Array(all) => all.iter().any(|one| self.has_unfilled(one)),
            DeValue::Table(all) => all.iter().any(|(_, one)| self.has_unfilled(one)),
            _ => false,
        }
    }
}

/// The error of the reader about an entry of the table `name`, if it has one.
fn read(name: &str, value: &FileValue<'_>) -> Option<Error> {
    match name {
        "plan" => try_as::<wire::HeadKeys>(value),
        "fs" => try_as::<wire::FsKeys>(value),
        "clients" => try_as::<wire::ClientsKeys>(value),
        "launch" => try_as::<wire::LaunchKeys>(value),
        "defaults" => try_as::<wire::DefaultsKeys>(value),
        "known" => try_as::<wire::KnownKeys>(value),
        "dataset" => try_as::<wire::DatasetKeys>(value),
        "state" => try_as::<wire::StateKeys>(value),
        "clause" => try_as::<wire::ClauseKeys>(value),
        "test" => try_as::<wire::TestKeys>(value),
        "series" => try_as::<wire::SeriesKeys>(value),
        "group" => try_as::<wire::GroupKeys>(value),
        "score" => try_as::<wire::ScoreKeys>(value),
        "system" => try_as::<wire::SystemKeys>(value),
        "projection" => try_as::<wire::ProjectionKeys>(value),
        _ => None,
    }
}

fn try_as<T: DeserializeOwned>(value: &FileValue<'_>) -> Option<Error> {
    <T as Deserialize>::deserialize(ValueDeserializer::from(value.clone())).err()
}
