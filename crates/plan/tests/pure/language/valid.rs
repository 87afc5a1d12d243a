//! Checks a value against a JSON schema. It supports the part of draft 7 that the schema of plans uses.

use regex_lite::Regex;
use serde_json::Value;

/// The reasons why `value` does not match `schema`; empty if it does.
pub(super) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn is_valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let mut found = Vec::new();
    check(root, schema, value, "", &mut found);
    found.is_empty()
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (word, rule) in schema.as_object().expect("a schema is an object") {
        if !holds(root, schema, word, rule, value, at, found) {
            found.push(format!("{at}: {value} does not match `{word}` {rule}"));
        }
    }
}

/// Whether one rule holds. The rules of inner values are checked as well.
fn holds(
    root: &Value,
    schema: &Value,
    word: &str,
    rule: &Value,
    value: &Value,
    at: &str,
    found: &mut Vec<String>,
) -> bool {
    let all = || rule.as_array().expect("a list of schemas").iter();
    match word {
        "$schema" | "title" | "description" | "definitions" => true,
        "$ref" => {
            let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a path in this file");
            let target = root.pointer(path).unwrap_or_else(|| panic!("nothing is at {path}"));
            check(root, target, value, at, found);
            true
        }
        "type" => is_of_type(value, rule),
        "const" => value == rule,
        "enum" => all().any(|one| one == value),
        "pattern" => {
            let pattern = Regex::new(rule.as_str().expect("a pattern")).expect("a pattern");
            value.as_str().is_none_or(|text| pattern.is_match(text))
        }
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().expect("a number")),
        "minItems" => {
            value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().expect("a number"))
        }
        "minProperties" => {
            value.as_object().is_none_or(|table| table.len() as u64 >= rule.as_u64().expect("a number"))
        }
        "required" => value
            .as_object()
            .is_none_or(|table| all().all(|key| table.contains_key(key.as_str().expect("a key")))),
        "allOf" => all().all(|one| is_valid(root, one, value)),
        "anyOf" => all().any(|one| is_valid(root, one, value)),
        "not" => !is_valid(root, rule, value),
        "oneOf" => all().filter(|one| is_valid(root, one, value)).count() == 1,
        "items" => {
            for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                check(root, rule, item, &format!("{at}[{index}]"), found);
            }
            true
        }
        "properties" => {
            for (key, inner) in value.as_object().into_iter().flatten() {
                if let Some(rule) = rule.get(key) {
                    check(root, rule, inner, &format!("{at}.{key}"), found);
                }
            }
            true
        }
        "additionalProperties" => {
            for (key, inner) in value.as_object().into_iter().flatten() {
                if schema["properties"].get(key).is_some() {
                    continue;
                }
                match rule {
                    Value::Bool(false) => found.push(format!("{at}.{key}: unknown key")),
                    rule => check(root, rule, inner, &format!("{at}.{key}"), found),
                }
            }
            true
        }
        other => panic!("`{other}` is not supported here. Check that editors support it."),
    }
}

fn is_of_type(value: &Value, rule: &Value) -> bool {
    match rule.as_str().expect("one type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => panic!("the type `{other}` is not supported here"),
    }
}
