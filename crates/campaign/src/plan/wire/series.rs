//! A series as it stands in its file.

use serde::Deserialize;
use toml::Spanned;

use super::{Count, Nodes, Order, Test, Waiver};

/// The same phases at each step of something.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plan) struct Series {
    pub(in crate::plan) id: Spanned<String>,
    #[serde(default)]
    pub(in crate::plan) clause: String,
    pub(in crate::plan) over: Over,
    pub(in crate::plan) steps: Spanned<Vec<String>>,
    pub(in crate::plan) nodes: Option<Spanned<Nodes>>,
    pub(in crate::plan) ppn: Option<Spanned<Count>>,
    pub(in crate::plan) repetitions: Option<Spanned<Count>>,
    pub(in crate::plan) order: Option<Spanned<Order>>,
    pub(in crate::plan) fs: Option<Spanned<String>>,
    pub(in crate::plan) phases: Vec<Test>,
    #[serde(default)]
    pub(in crate::plan) waive: Vec<Waiver>,
}

/// What differs from step to step.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(in crate::plan) enum Over {
    Servers,
    Nodes,
    Transfer,
}

impl Over {
    /// As the file has it.
    pub(in crate::plan) fn word(self) -> &'static str {
        match self {
            Self::Servers => "servers",
            Self::Nodes => "nodes",
            Self::Transfer => "transfer",
        }
    }
}
