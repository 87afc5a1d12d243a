//! A criterion's value, and one criterion or several, as they stand in a plan's file.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};

use super::CriterionKeys;

/// A criterion's value; a bare number is read so that its refusal can say more than "expected a string".
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum CriterionValue {
    Text(String),
    Whole(i64),
    Decimal(f64),
}

impl fmt::Display for CriterionValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => out.write_str(text),
            Self::Whole(number) => write!(out, "{number}"),
            Self::Decimal(number) => write!(out, "{number}"),
        }
    }
}

/// One criterion or an array of them.
#[derive(Clone, Default)]
pub(crate) struct Criteria(pub(crate) Vec<CriterionKeys>);

impl<'de> Deserialize<'de> for Criteria {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMore)
    }
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = Criteria;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "a criterion such as { metric = \"write.bw\", op = \">=\", value = \"3.0 GB/s\" }, or \
             several in [ ]",
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Criteria, A::Error> {
        CriterionKeys::deserialize(MapAccessDeserializer::new(map)).map(|one| Criteria(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Criteria, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = seq.next_element()? {
            all.push(one);
        }
        Ok(Criteria(all))
    }
}
