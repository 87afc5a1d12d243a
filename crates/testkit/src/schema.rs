//! Checks a document against a JSON schema, as far as the schemas of this project need it.
//!
//! Invariant: a keyword that is not known here fails the test, so nothing of a schema stays unchecked.

use regex_lite::Regex;
use serde_json::Value;

/// Keywords that only describe or define.
const DESCRIPTIONS: [&str; 5] = ["$schema", "$defs", "definitions", "title", "description"];

/// Every place where `document` does not follow the schema `root`, one line each.
pub fn faults(root: &Value, document: &Value) -> Vec<String> {
    let mut all = Vec::new();
    check(root, root, document, "", &mut all);
    all
}

/// The schema that a reference of `root` names.
pub fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    match schema.get("$ref").and_then(Value::as_str) {
        None => schema,
        Some(reference) => {
            let pointer = reference.strip_prefix('#').expect("a reference within the document");
            resolved(root, root.pointer(pointer).unwrap_or_else(|| panic!("{reference} is not defined")))
        }
    }
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            known if DESCRIPTIONS.contains(&known) => {}
            "$ref" => check(root, resolved(root, schema), value, at, faults),
            "type" if has_type(wanted, value) => {}
            "enum" if wanted.as_array().is_some_and(|all| all.contains(value)) => {}
            "const" if wanted == value => {}
            "type" | "enum" | "const" => faults.push(format!("{at}: {value} is not {keyword} {wanted}")),
            "pattern" | "minimum" | "minItems" | "minProperties" => {
                if !is_within(keyword, wanted, value) {
                    faults.push(format!("{at}: {value} does not have {keyword} {wanted}"));
                }
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, item, &format!("{at}/{number}"), faults);
                }
            }
            "required" => {
                for key in wanted.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    if value.get(key).is_none() {
                        faults.push(format!("{at}: {key} is missing"));
                    }
                }
            }
            "properties" => {
                for (key, member) in value.as_object().into_iter().flatten() {
                    if let Some(schema) = wanted.get(key) {
                        check(root, schema, member, &format!("{at}/{key}"), faults);
                    }
                }
            }
            "additionalProperties" => {
                for (key, member) in value.as_object().into_iter().flatten() {
                    match wanted {
                        _ if schema["properties"].get(key).is_some() => {}
                        Value::Bool(false) => faults.push(format!("{at}: {key} is not in the schema")),
                        wanted => check(root, wanted, member, &format!("{at}/{key}"), faults),
                    }
                }
            }
            "allOf" | "anyOf" | "oneOf" | "not" => {
                if !is_combined(root, keyword, wanted, value) {
                    faults.push(format!("{at}: {value} does not follow {keyword} {wanted}"));
                }
            }
            other => panic!("{at}: the keyword {other} is not known here"),
        }
    }
}

/// Whether a value has the form or the size that a keyword wants. Values of other types have them.
fn is_within(keyword: &str, wanted: &Value, value: &Value) -> bool {
    let least = || wanted.as_u64().expect("a number") as usize;
    match keyword {
        "pattern" => value.as_str().is_none_or(|text| {
            Regex::new(wanted.as_str().expect("a pattern")).expect("a pattern").is_match(text)
        }),
        "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().expect("a number")),
        "minItems" => value.as_array().is_none_or(|items| items.len() >= least()),
        _ => value.as_object().is_none_or(|members| members.len() >= least()),
    }
}

/// Whether a value follows a combination of schemas.
fn is_combined(root: &Value, keyword: &str, wanted: &Value, value: &Value) -> bool {
    let follows = |schema: &Value| {
        let mut faults = Vec::new();
        check(root, schema, value, "", &mut faults);
        faults.is_empty()
    };
    let all = || wanted.as_array().expect("a list of schemas").iter();
    match keyword {
        "allOf" => all().all(follows),
        "anyOf" => all().any(follows),
        "oneOf" => all().filter(|one| follows(one)).count() == 1,
        _ => !follows(wanted),
    }
}

fn has_type(wanted: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the type {other} is not known here"),
    };
    match wanted {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        other => panic!("{other} is not a type"),
    }
}
