//! The keys as a JSON schema, with which editors complete, explain and check a plan.
//!
//! The schema is of draft 7, which editors of TOML read. They ignore a description next to a reference, so
//! references are in `allOf`.
//!
//! Invariant: every value that a plan may hold passes. Any text with a parameter `${NAME}` passes.
//! Never here: rules between tables, which only `assay plan check` knows.

use serde_json::{Map, Value, json};
use units::Dimension;

use crate::language::read::TableKeys as _;
use crate::language::table::{KeyForm, KeyTable, PlanKey};
use crate::language::wire::{DIMENSIONS, PlanFile};

/// The form of a table that has its keys from another one.
const LIKE: &[&str] = &["like"];

/// A parameter in a text.
const PARAMETER: &str = r"\$\{[^}]*\}";

/// The schema, to be printed.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    for table in PlanFile::TABLE.with_inner().into_iter().skip(1) {
        definitions.insert(table.name.to_owned(), object(table));
    }
    let mut whole = object(PlanFile::TABLE);
    let head = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A plan of assay",
        "definitions": definitions,
    });
    if let (Value::Object(whole), Value::Object(head)) = (&mut whole, head) {
        whole.extend(head);
    }
    whole
}

/// A table with its keys.
fn object(table: &KeyTable) -> Value {
    let properties: Map<String, Value> =
        table.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<&str> = table.keys.iter().filter(|key| key.must).map(|key| key.name).collect();
    let mut object = json!({
        "type": "object",
        "description": table.about,
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    if !table.forms.is_empty() {
        let forms = table.forms.iter().filter(|keys| **keys != LIKE);
        let forms: Vec<Value> = forms.map(|keys| json!({ "required": keys })).collect();
        if table.forms.contains(&LIKE) {
            // A table that is like another one may have them all from there.
            let like = json!({ "required": LIKE, "not": { "anyOf": forms } });
            object["anyOf"] = json!([{ "oneOf": forms }, like]);
        } else {
            object["oneOf"] = Value::Array(forms);
        }
    }
    object
}

/// A key with its description.
fn property(key: &PlanKey) -> Value {
    let mut property = match key.may_be_empty() {
        true => json!({ "anyOf": [value(&key.form), { "enum": [""] }] }),
        false => value(&key.form),
    };
    let example = match key.example {
        "" => String::new(),
        example => format!("\n\n`{} = {example}`", key.name),
    };
    property["description"] = json!(format!("{}{example}", key.about));
    property
}

fn value(kind: &KeyForm) -> Value {
    match kind {
        KeyForm::Version => json!({ "const": 1 }),
        KeyForm::Text => json!({ "type": "string" }),
        KeyForm::Id => text("[A-Za-z0-9_-][A-Za-z0-9_.-]*"),
        KeyForm::Count => json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, text("0*[1-9][0-9]*")] }),
        KeyForm::CountOr(word) => {
            json!({ "anyOf": [value(&KeyForm::Count), { "enum": [word] }] })
        }
        KeyForm::Truth => json!({ "type": "boolean" }),
        KeyForm::Number => json!({ "type": "number" }),
        KeyForm::Quantity(dimensions) => text(&number_with_unit(dimensions)),
        KeyForm::QuantityOrNone(dimensions) => {
            json!({ "anyOf": [value(&KeyForm::Quantity(dimensions)), { "enum": [""] }] })
        }
        KeyForm::Goal => {
            let number = number_with_unit(DIMENSIONS);
            text(&format!("({number}|[0-9_.]+\\s*% of .+)"))
        }
        KeyForm::Word(words) | KeyForm::CheckedWord(words) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": PARAMETER }] })
        }
        KeyForm::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        KeyForm::TextOrTexts => json!({ "anyOf": [{ "type": "string" }, value(&KeyForm::Texts)] }),
        KeyForm::PlainNumbers => json!({ "type": "array", "items": { "type": "number" } }),
        KeyForm::Numbers => json!({ "type": "array", "minItems": 1, "items": nodes() }),
        KeyForm::Entries => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        KeyForm::Scales => json!({ "type": "object", "additionalProperties": value(&KeyForm::Entries) }),
        KeyForm::Nodes(table) => json!({ "anyOf": [nodes(), reference(table)] }),
        KeyForm::Table(table) => json!({ "allOf": [reference(table)] }),
        KeyForm::Named(table) => {
            json!({ "type": "object", "minProperties": 1, "additionalProperties": reference(table) })
        }
        KeyForm::Several(table) => json!({ "type": "array", "items": reference(table) }),
        KeyForm::OneOrSeveral(table) => {
            json!({ "anyOf": [reference(table), { "type": "array", "items": reference(table) }] })
        }
    }
}

fn reference(table: &KeyTable) -> Value {
    json!({ "$ref": format!("#/definitions/{}", table.name) })
}

/// Text of this form, or with a parameter in it.
fn text(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": format!(r"^\s*{pattern}\s*$|{PARAMETER}") })
}

/// `12`, `"12"` or `"90%"`.
fn nodes() -> Value {
    json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, text(r"[0-9][0-9_.]*\s*%?")] })
}

/// A number with a unit of one of these dimensions, as `units` reads it.
fn number_with_unit(dimensions: &[Dimension]) -> String {
    let mut units: Vec<&str> = dimensions.iter().map(|dimension| units_of(*dimension)).collect();
    if dimensions.contains(&Dimension::Bytes) {
        units.push("[kmgtpKMGTP]");
    }
    format!(r"[0-9_.]+\s*({})", units.join("|"))
}

/// The units of a dimension, as a regular expression.
pub(super) fn units_of(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Bytes => "([kKMGTPE]i?)?B",
        Dimension::BytesPerSecond => "([kKMGTPE]i?)?B/s",
        Dimension::PerSecond => "[kMG]?(ops?)?/s|[kM]?IOPS",
        Dimension::Seconds => "ns|us|µs|ms|s|min|h|days?",
        Dimension::Fraction => "%",
        Dimension::Count => "count|errors|cases",
        Dimension::Points => "points?",
    }
}
