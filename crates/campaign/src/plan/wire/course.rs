//! What a test asks of its course, as it stands in its file.

use serde::Deserialize;
use toml::Spanned;

use super::count::NodeCount;

/// When a rate counts as steady.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plan) struct Steady {
    pub(in crate::plan) window: Option<Spanned<String>>,
    pub(in crate::plan) slope: Option<Spanned<String>>,
    pub(in crate::plan) range: Option<Spanned<String>>,
    pub(in crate::plan) max: Option<Spanned<String>>,
    pub(in crate::plan) measured: Option<Spanned<String>>,
}

/// How the repetitions of several steps follow on each other.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(in crate::plan) enum Order {
    /// All of a step, then all of the next.
    Sequential,
    /// The first of every step, then the second of every step.
    Interleaved,
    /// The same, each time in an order that is drawn.
    Random,
}

/// Whether more clients would have had more.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plan) struct ClientLimit {
    pub(in crate::plan) nodes: Spanned<Vec<NodeCount>>,
    pub(in crate::plan) gain: Option<Spanned<String>>,
    pub(in crate::plan) uses: Option<Spanned<String>>,
}
