//! The macro of the table of reasons, and what a row is.
//!
//! From each row it makes a variant of [`Code`], a [`Row`], and a type in [`super::row`] with a constant for
//! each field. A template of a row that names another field than those of the row does not compile.
//!
//! Never here: rows, which are in `table.rs`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::field::ANY;
use super::{Code, template};
use crate::severity::Severity;

/// All that is said about a code.
pub struct Row {
    /// Its id in files.
    pub id: &'static str,
    /// Its meaning, in one sentence.
    pub meaning: &'static str,
    /// The names of its data.
    pub fields: &'static [&'static str],
    /// Sentences for readers. The first template whose data are all present is used.
    pub says: &'static [&'static str],
    /// What to do, after a sentence of `says`. The first template whose data are all present is used.
    pub remedy: &'static [&'static str],
    /// The lint that finds it before a run, if there is one.
    pub lint: Option<LintRow>,
}

/// A rule about good storage tests.
pub struct LintRow {
    /// Its greatest severity.
    pub severity: Severity,
    /// Its source: a document or an observed case.
    pub source: &'static str,
    /// The reason for it, as a sentence without its full stop.
    pub why: &'static str,
    /// Whether the run's records decide the same question, so that a waiver may refer to their findings.
    pub records_decide: bool,
    /// The related defect for which a plan is rejected; empty if there is none.
    pub rejected: &'static str,
    /// Cases that acceptance rules call errors and that are less severe here: the severity and the reason.
    pub less_severe: Option<(&'static str, &'static str)>,
    /// Sentences that also say what to do. The one with most data comes first.
    pub says: &'static [&'static str],
}

impl LintRow {
    /// The values of what a row does not state.
    pub(super) const NONE: Self = Self {
        severity: Severity::Error,
        source: "",
        why: "",
        records_decide: false,
        rejected: "",
        less_severe: None,
        says: &[],
    };
}

impl Row {
    /// The templates of the linter, then those for readers of reports.
    pub const fn templates(&self) -> [&'static [&'static str]; 2] {
        match &self.lint {
            Some(lint) => [lint.says, self.says],
            None => [&[], self.says],
        }
    }

    /// The same row. Stops the build if a template uses data that is no field of the row.
    pub(super) const fn checked(&self) -> &Self {
        let [lint, says] = self.templates();
        let mut at = 0;
        while at < 3 {
            let texts = [lint, says, self.remedy][at];
            let mut text = 0;
            while text < texts.len() {
                assert!(
                    template::only_uses(texts[text], &[self.fields, ANY], false),
                    "a template has a slot that is not a field of its row"
                );
                text += 1;
            }
            at += 1;
        }
        self
    }

    /// Stops the build if no template has all the data that it requires from `given`.
    pub const fn require(&self, given: &[&str]) {
        let [lint, says] = self.templates();
        let mut text = 0;
        while text < lint.len() + says.len() {
            let template = if text < lint.len() { lint[text] } else { says[text - lint.len()] };
            if template::only_uses(template, &[given], true) {
                return;
            }
            text += 1;
        }
        panic!("no template of this reason has all its data: give the missing fields, or end with `..`");
    }
}

/// Makes the table of reasons. A row is
/// `/// meaning Variant "id" { field: Kind } says ["…"] remedy ["…"] lint Severity { … };`.
macro_rules! reasons {
    ($(
        $(#[doc = $meaning:literal])+
        $variant:ident $id:literal { $($field:ident: $kind:ident),* }
        $(says [$($says:expr),+])?
        $(remedy [$($remedy:expr),+])?
        $(lint $severity:ident { $($key:ident: $value:expr),+ })?;
    )*) => {
        /// The subject of a reason.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $meaning])+ $variant,)*
            /// No reason is given; only in incomplete values.
            #[default]
            Unset,
        }

        impl Code {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)* Self::Unset];

            /// All that is said about it.
            pub const fn row(self) -> &'static Row {
                &ROWS[self as usize]
            }
        }

        const ROWS: &[Row] = &[
            $(Row {
                id: $id,
                meaning: concat!($($meaning),+).trim_ascii_start(),
                fields: &[$(stringify!($field)),*],
                says: &[$($($says),+)?],
                remedy: &[$($($remedy),+)?],
                lint: reasons!(@lint $($severity $($key: $value),+)?),
            },)*
            Row {
                id: "unset",
                meaning: "No reason is given.",
                fields: &[],
                says: &[],
                remedy: &[],
                lint: None,
            },
        ];

        /// The fields of each reason.
        #[allow(non_upper_case_globals, missing_docs)]
        pub mod row {
            use super::super::field::{Amount, Any, Bytes, Cause, Count, Field, Flag, List, Number, Rate};
            use super::super::field::{Seconds, Share, Text, any, common};
            use super::{Code, Row};

            $(
                $(#[doc = $meaning])+
                pub enum $variant {}

                impl $variant {
                    pub const ROW: &'static Row = Code::$variant.row().checked();
                    common! {}
                    $(pub const $field: Field<$kind> = Field::new(stringify!($field));)*
                }

                const _: &Row = $variant::ROW;
            )*
        }
    };
    (@lint) => { None };
    (@lint $severity:ident $($key:ident: $value:expr),+) => {
        Some(LintRow { severity: Severity::$severity, $($key: $value,)+ ..LintRow::NONE })
    };
}
pub(super) use reasons;

impl Code {
    /// Its id in files.
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// Its meaning, in one sentence.
    pub const fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// The code with this id.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.id() == id)
    }
}

/// A text, one of the ids.
#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Code {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let ids: Vec<&str> = Self::ALL.iter().map(|code| code.id()).collect();
        schemars::json_schema!({ "type": "string", "enum": ids })
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(self.id())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let id = String::deserialize(from)?;
        Self::named(&id)
            .ok_or_else(|| serde::de::Error::custom(format!("`{id}` is not a known code of this version")))
    }
}
