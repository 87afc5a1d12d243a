//! A finding of the linter before a run, or of the judge in the records: a reason with its severity and its
//! subject.
//!
//! Never here: looking for findings, and English.

use serde::{Deserialize, Serialize};

use crate::reason::{Code, Reason};
pub use crate::severity::Severity;

/// The place of a finding in its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SourcePosition {
    /// Line and column of the plan file, from 1.
    Plan(usize, usize),
    /// The number of an argument of the command line, from 1, and the argument.
    Word(usize, String),
}

impl std::fmt::Display for SourcePosition {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Plan(line, column) => write!(out, "{line}:{column}"),
            Self::Word(number, word) => write!(out, "argument {number} `{word}`"),
        }
    }
}

/// An approved waiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Approval {
    /// Who approved it.
    pub approved_by: String,
    /// Why.
    pub why: String,
}

/// One finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Finding {
    /// What was found.
    pub reason: Reason,
    /// How severe it is.
    pub severity: Severity,
    /// The test, dataset, group, series or file system that it is about; empty for the whole campaign or for
    /// a single command line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The phase that it is about, if it is about a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The place in the plan or command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePosition>,
    /// Who approved a waiver of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waived: Option<Approval>,
}

impl Finding {
    /// A finding of this severity, without a subject.
    pub fn new(severity: Severity, reason: Reason) -> Self {
        Self { reason, severity, ..Self::default() }
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.reason.code
    }

    /// The same finding with this subject.
    #[must_use]
    pub fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// The same finding with this phase.
    #[must_use]
    pub fn of_phase(self, phase: &str) -> Self {
        Self { phase: Some(phase.to_owned()), ..self }
    }

    /// The same finding with this place.
    #[must_use]
    pub fn at(self, place: Option<SourcePosition>) -> Self {
        Self { place, ..self }
    }

    /// Whether it is an error, or needs a waiver that is not approved.
    pub fn is_open(&self) -> bool {
        self.severity > Severity::Info && self.waived.is_none()
    }
}
