//! One value of a result: a line of the text, a member of the JSON.
//!
//! Invariant: the output is always valid JSON. Keys keep their order, texts are escaped, and a number that is
//! not finite becomes `null`.

use std::fmt;

use results::record::Phase;
use serde::Serialize;
use serde::ser::{Error, Serializer};

/// Members in the order of the output.
pub(crate) type Members = Vec<(&'static str, JsonValue)>;

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum JsonValue {
    Bool(bool),
    Whole(i128),
    /// Any number; `null` where it is not finite.
    Real(f64),
    Text(String),
    /// A list of values.
    List(Vec<JsonValue>),
    /// Values with names.
    Object(#[serde(serialize_with = "members")] Members),
    /// A record without its timeline and buckets. It becomes JSON when it is written, one after the other.
    Record(#[serde(serialize_with = "record")] Box<Phase>),
}

impl JsonValue {
    pub(crate) fn whole(number: impl Into<i128>) -> Self {
        Self::Whole(number.into())
    }

    /// 1 for yes, 0 for no, as in the classic program.
    pub(crate) fn flag(on: bool) -> Self {
        Self::Whole(on.into())
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl fmt::Display for JsonValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
            other => serde_json::to_string(other).map_err(|_| fmt::Error)?.fmt(f),
        }
    }
}

fn members<S: Serializer>(members: &Members, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(members.iter().map(|(key, value)| (key, value)))
}

fn record<S: Serializer>(phase: &Phase, to: S) -> Result<S::Ok, S::Error> {
    let mut value = serde_json::to_value(phase).map_err(S::Error::custom)?;
    if let Some(members) = value.as_object_mut() {
        members.remove("timeline");
        if let Some(latency) = members.get_mut("latency").and_then(|latency| latency.as_object_mut()) {
            latency.remove("buckets");
        }
    }
    value.serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_nan_is_null() {
        let object = JsonValue::Object(vec![
            ("b", JsonValue::Real(f64::NAN)),
            ("a", JsonValue::Real(-f64::INFINITY)),
            ("quote\"", JsonValue::text("a\"b\\c\nd\u{1}é")),
            ("big", JsonValue::whole(u64::MAX)),
            (
                "list",
                JsonValue::List(vec![JsonValue::Bool(true), JsonValue::Real(1.25e-7), JsonValue::whole(-3)]),
            ),
        ]);
        assert_eq!(
            object.to_string(),
            r#"{"b":null,"a":null,"quote\"":"a\"b\\c\nd\u0001é","big":18446744073709551615,"#.to_owned()
                + r#""list":[true,1.25e-7,-3]}"#
        );
        assert_eq!(
            (JsonValue::flag(true).to_string(), JsonValue::text("x y").to_string()),
            ("1".into(), "x y".into())
        );
    }
}
