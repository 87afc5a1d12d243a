//! The form of a key in its table is the form that its type reads. Examples, units and schema fit it.

use toml::de::DeTable;
use toml::{Table as Toml, Value};

use super::super::wire;
use super::schema::units_of;
use super::{KeyForm, KeyTable, PlanKey, form, schema, tables};
use units::{Dimension, Quantity};

/// A path from the file to a table: it wraps the table in the tables around it.
type Around = Box<dyn Fn(Toml) -> Toml>;

fn with(name: &str, value: impl Into<Value>) -> Toml {
    Toml::from_iter([(name.to_owned(), value.into())])
}

/// Every table of the language with the tables around it.
fn every_place() -> Vec<(&'static KeyTable, Around)> {
    tables().into_iter().map(|table| (table, path_to(table))).collect()
}

/// The tables around the first occurrence of a table.
fn path_to(wanted: &'static KeyTable) -> Around {
    if wanted.name == wire::PlanFile::TABLE.name {
        return Box::new(|table| table);
    }
    let holds = |table: &&'static KeyTable| {
        table.keys.iter().any(|key| key.form.table().is_some_and(|inner| inner.name == wanted.name))
    };
    let owner = tables().into_iter().find(holds).expect("some table holds it");
    let key = owner.keys.iter().find(|key| key.form.table().is_some_and(|inner| inner.name == wanted.name));
    let (key, outer) = (key.expect("one of its keys"), path_to(owner));
    match key.form {
        KeyForm::Named(_) => Box::new(move |table| outer(with(key.name, with("x", table)))),
        KeyForm::Several(_) => Box::new(move |table| outer(with(key.name, vec![Value::Table(table)]))),
        _ => Box::new(move |table| outer(with(key.name, table))),
    }
}

/// The message of the reader about a file.
fn said(file: &Toml) -> String {
    let text = toml::to_string(file).unwrap();
    match toml::from_str::<wire::PlanFile>(&text) {
        Ok(_) => String::new(),
        Err(error) => error.message().lines().next().unwrap_or_default().to_owned(),
    }
}

/// A value of each form.
fn forms() -> Vec<Value> {
    let texts = vec![Value::from("x")];
    let numbers = vec![Value::from(2)];
    vec![
        Value::from("x"),
        Value::from(2),
        Value::from(0.75),
        Value::from(true),
        Value::from(texts),
        Value::from(numbers),
        Value::from(vec![Value::Table(Toml::new())]),
        Value::from(Toml::new()),
        Value::from(with("x", "y")),
        Value::from(with("x", Toml::new())),
    ]
}

#[test]
fn a_row_and_the_reader_take_values_of_the_same_form() {
    for (table, around) in every_place() {
        for key in table.keys {
            // `parameters` reads them, and its tests have their forms.
            if ["parameters", "scale"].contains(&key.name) {
                continue;
            }
            for value in forms() {
                let file = around(with(key.name, value.clone()));
                let message = said(&file);
                let text = toml::to_string(&file).unwrap();
                let other = message.starts_with("unknown variant") && !value.is_str()
                    || matches!(key.form, KeyForm::Numbers)
                        && value.as_array().is_some_and(|all| all[0].is_table());
                let (read, row) = (of_form(&message) && !other, row_takes(key, &value, &text, table));
                // The reader accepts a number here only to reject it with a better message. It also reads a
                // list in place of a table's values, which the row rejects.
                let number = matches!(key.form, KeyForm::Goal) && !value.is_str();
                if number || matches!(key.form, KeyForm::Table(_)) && value.is_array() {
                    assert!(!row);
                    continue;
                }
                assert_eq!(read, row, "`{}` of {} as {value}: {message}", key.name, table.opens);
            }
        }
    }
}

/// Whether the reader's message is about something else than the form of the value.
fn of_form(message: &str) -> bool {
    !["invalid type", "wanted", "data did not match"].iter().any(|no| message.starts_with(no))
}

/// Whether the row accepts a value, with any text, words or further keys.
fn row_takes(key: &PlanKey, value: &Value, text: &str, table: &KeyTable) -> bool {
    if value.is_str() {
        return !matches!(
            key.form,
            KeyForm::Version
                | KeyForm::Number
                | KeyForm::Truth
                | KeyForm::Texts
                | KeyForm::Numbers
                | KeyForm::Entries
                | KeyForm::Table(_)
                | KeyForm::Named(_)
                | KeyForm::Several(_)
                | KeyForm::OneOrSeveral(_)
        );
    }
    let mine = format!("`{}`", key.name);
    let mine = match table.name {
        "file" => format!("{mine} "),
        _ => format!("{mine} of {} ", table.opens),
    };
    !form::problems(&DeTable::parse(text).unwrap()).iter().any(|problem| problem.what.starts_with(&mine))
}

#[test]
fn the_required_keys_of_a_table_are_those_that_the_reader_misses() {
    for (table, around) in every_place() {
        let mut there = Toml::new();
        for key in table.keys.iter().filter(|key| key.must) {
            there.insert(key.name.to_owned(), sample(key));
        }
        let misses =
            |there: &Toml, name: &str| said(&around(there.clone())) == format!("missing field `{name}`");
        for key in table.keys {
            let mut without = there.clone();
            without.remove(key.name);
            assert_eq!(misses(&without, key.name), key.must, "`{}` of {}", key.name, table.opens);
        }
    }
}

/// A value of the key's form with everything that it requires.
fn sample(key: &PlanKey) -> Value {
    let whole = |table: &KeyTable| {
        let must = table.keys.iter().filter(|key| key.must);
        Value::Table(must.map(|key| (key.name.to_owned(), sample(key))).collect())
    };
    match (&key.form, key.example) {
        (KeyForm::Table(table), "") => whole(table),
        (KeyForm::Named(table), "") => Value::Table(with("x", whole(table))),
        (KeyForm::Several(table), "") => Value::from(vec![whole(table)]),
        (_, example) => read(key.name, example),
    }
}

fn read(name: &str, example: &str) -> Value {
    let table: Toml = toml::from_str(&format!("{name} = {example}")).expect(example);
    table[name].clone()
}

#[test]
fn every_example_has_the_form_of_its_row() {
    for (table, around) in every_place() {
        for key in table.keys.iter().filter(|key| !key.example.is_empty()) {
            let file = match key.form {
                // The example shows the content, without the header.
                KeyForm::Entries | KeyForm::Scales if !key.example.starts_with('{') => continue,
                _ => around(with(key.name, read(key.name, key.example))),
            };
            let text = toml::to_string(&file).unwrap();
            let mine = format!("`{}`", key.name);
            let wrong: Vec<String> = form::problems(&DeTable::parse(&text).unwrap())
                .into_iter()
                .map(|found| found.what)
                .filter(|what| what.contains(&mine))
                .collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}", table.opens);
        }
    }
}

#[test]
fn every_row_has_a_text_and_the_keys_of_every_form_are_rows() {
    for table in tables() {
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
    for table in tables() {
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
