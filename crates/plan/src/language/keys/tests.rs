//! Examples, units and schema fit the rows of keys.

use toml::de::DeTable;
use toml::{Table as Toml, Value};
use units::{Dimension, Quantity};

use super::schema;
use super::schema::units_of;
use crate::language::plan_text::PlanText;
use crate::language::read::{TableKeys as _, TextRules, read_file};
use crate::language::rejections::Rejections;
use crate::language::table::{KeyForm, KeyTable};
use crate::language::wire::PlanFile;

/// A path from the file to a table: it wraps the table in the tables around it.
type Around = Box<dyn Fn(Toml) -> Toml>;

fn with(name: &str, value: impl Into<Value>) -> Toml {
    Toml::from_iter([(name.to_owned(), value.into())])
}

/// The tables around the first occurrence of a table.
fn path_to(wanted: &'static KeyTable) -> Around {
    if wanted.name == PlanFile::TABLE.name {
        return Box::new(|table| table);
    }
    let all = PlanFile::TABLE.with_inner();
    let keys = all.iter().flat_map(|owner| owner.keys.iter().map(|key| (*owner, key)));
    let mut holders = keys.filter(|(_, key)| key.form.table().is_some_and(|inner| inner.name == wanted.name));
    let (owner, key) = holders.next().expect("some table holds it");
    let outer = path_to(owner);
    match key.form {
        KeyForm::Named(_) => Box::new(move |table| outer(with(key.name, with("x", table)))),
        KeyForm::Several(_) => Box::new(move |table| outer(with(key.name, vec![Value::Table(table)]))),
        _ => Box::new(move |table| outer(with(key.name, table))),
    }
}

/// The errors of a file about the form of its values.
fn errors(text: &str) -> Vec<String> {
    let (place, errors) = (PlanText { text, name: "p" }, Rejections::default());
    let texts = TextRules { unfilled: &[], errors: |_, _, _| Vec::new() };
    let read = read_file::<PlanFile>(&DeTable::parse(text).unwrap(), &texts, &place, &errors);
    match read {
        Ok((_, late)) => late.of_forms.into_iter().for_each(|error| errors.add(error)),
        Err(error) => errors.add(error),
    }
    errors.errors().iter().flat_map(|all| all.all()).map(|error| error.0.clone()).collect()
}

#[test]
fn every_example_has_the_form_of_its_row() {
    for table in PlanFile::TABLE.with_inner() {
        let around = path_to(table);
        for key in table.keys.iter().filter(|key| !key.example.is_empty()) {
            // The example of other tables shows the content, without the header.
            if matches!(key.form, KeyForm::Entries | KeyForm::Scales) && !key.example.starts_with('{') {
                continue;
            }
            let example: Toml = toml::from_str(&format!("{} = {}", key.name, key.example)).unwrap();
            let found = errors(&toml::to_string(&around(example)).unwrap());
            let wrong = |error: &&String| error.contains(&format!("`{}` of {} ", key.name, table.opens));
            assert_eq!(found.iter().find(wrong), None);
        }
    }
}

#[test]
fn every_row_has_a_text_and_the_keys_of_every_form_are_rows() {
    for table in PlanFile::TABLE.with_inner() {
        assert!(!table.about.is_empty() && !table.about.ends_with('.'), "{}", table.opens);
        for key in table.keys {
            assert!(!key.about.is_empty() && !key.about.ends_with('.'), "`{}` of {}", key.name, table.opens);
        }
        for name in table.forms.iter().flat_map(|form| form.iter()) {
            assert!(table.key(name).is_some(), "`{name}` of {}", table.opens);
        }
    }
}

#[test]
fn the_units_in_the_schema_are_those_that_are_read() {
    let all = [
        Dimension::Bytes,
        Dimension::BytesPerSecond,
        Dimension::PerSecond,
        Dimension::Seconds,
        Dimension::Fraction,
        Dimension::Count,
    ];
    let words = "B kB KB MB GB TB PB EB KiB kiB MiB GiB TiB PiB EiB B/s kB/s MB/s GB/s TB/s KiB/s MiB/s \
        GiB/s TiB/s /s k/s M/s G/s op/s ops/s kop/s Mops/s IOPS kIOPS MIOPS ns us µs ms s min h % count \
        errors cases Gb/s GIB/s day days sec minutes kb mb m d GIOPS /min MB/min x";
    for word in words.split_whitespace() {
        let read = format!("3 {word}").parse::<Quantity>().ok().map(|quantity| quantity.dimension);
        for dimension in all {
            let pattern = regex_lite::Regex::new(&format!("^({})$", units_of(dimension))).unwrap();
            assert_eq!(pattern.is_match(word), read == Some(dimension), "`{word}` as {dimension:?}");
        }
    }
}

#[test]
fn every_key_is_in_the_schema_with_its_meaning() {
    let schema = schema();
    for table in PlanFile::TABLE.with_inner() {
        let object = match table.name {
            "file" => &schema,
            name => &schema["definitions"][name],
        };
        for key in table.keys {
            let said = object["properties"][key.name]["description"].as_str();
            assert!(
                said.is_some_and(|said| said.starts_with(key.about)),
                "`{}` of {}",
                key.name,
                table.opens
            );
        }
        assert_eq!(object["additionalProperties"], serde_json::json!(false), "{}", table.opens);
    }
}
