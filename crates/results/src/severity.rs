//! How severe a finding is.

use serde::{Deserialize, Serialize};

/// How severe a finding is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The reader of the number should know it.
    #[default]
    Info,
    /// The number may be used if a person approves a waiver.
    NeedsWaiver,
    /// The number is not what the clause requires. An error cannot be waived.
    Error,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(match self {
            Self::Info => "info",
            Self::NeedsWaiver => "needs-waiver",
            Self::Error => "error",
        })
    }
}
