//! A series as it stands in its file.

use serde::Deserialize;
use toml::Spanned;

use super::{Count, Nodes, Order, Test, Waiver};

/// The same phases at each step of something.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Series {
    pub(crate) id: Spanned<String>,
    #[serde(default)]
    pub(crate) clause: String,
    pub(crate) over: Over,
    pub(crate) steps: Spanned<Vec<String>>,
    pub(crate) nodes: Option<Spanned<Nodes>>,
    pub(crate) ppn: Option<Spanned<Count>>,
    pub(crate) repetitions: Option<Spanned<Count>>,
    pub(crate) order: Option<Spanned<Order>>,
    pub(crate) fs: Option<Spanned<String>>,
    pub(crate) phases: Vec<Test>,
    #[serde(default)]
    pub(crate) waive: Vec<Waiver>,
}

/// What differs from step to step.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Over {
    Servers,
    Nodes,
    Transfer,
}

impl Over {
    /// As the file has it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Servers => "servers",
            Self::Nodes => "nodes",
            Self::Transfer => "transfer",
        }
    }
}
