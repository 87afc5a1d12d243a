//! Checks a document against a JSON schema, as far as the schemas of this project need it.
//!
//! Invariant: a keyword that is not known here fails the test, so nothing of a schema stays unchecked.

use serde_json::Value;

/// Keywords that only describe.
const DESCRIPTIONS: [&str; 4] = ["$schema", "$defs", "title", "description"];

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
    let keywords = schema.as_object().expect("a schema is an object");
    for (keyword, wanted) in keywords {
        match keyword.as_str() {
            known if DESCRIPTIONS.contains(&known) => {}
            "$ref" => check(root, resolved(root, schema), value, at, faults),
            "type" if has_type(wanted, value) => {}
            "enum" if wanted.as_array().is_some_and(|all| all.contains(value)) => {}
            "const" if wanted == value => {}
            "type" | "enum" | "const" => faults.push(format!("{at}: {value} is not {keyword} {wanted}")),
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
                assert_eq!(wanted, false, "{at}");
                let known = |key: &&String| keywords["properties"].get(key.as_str()).is_none();
                let unknown = value.as_object().into_iter().flat_map(|members| members.keys()).filter(known);
                faults.extend(unknown.map(|key| format!("{at}: {key} is not in the schema")));
            }
            "oneOf" => {
                let fits = |schema: &&Value| {
                    let mut faults = Vec::new();
                    check(root, schema, value, at, &mut faults);
                    faults.is_empty()
                };
                if wanted.as_array().into_iter().flatten().filter(fits).count() != 1 {
                    faults.push(format!("{at}: {value} follows not exactly one of {wanted}"));
                }
            }
            other => panic!("{at}: the keyword {other} is not known here"),
        }
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
