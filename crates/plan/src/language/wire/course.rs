//! What a test asks of its course, as it stands in its file.

use serde::Deserialize;
use toml::Spanned;

use super::count::NodeCount;

/// When a rate counts as steady.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Steady {
    pub(crate) window: Option<Spanned<String>>,
    pub(crate) slope: Option<Spanned<String>>,
    pub(crate) range: Option<Spanned<String>>,
    pub(crate) max: Option<Spanned<String>>,
    pub(crate) measured: Option<Spanned<String>>,
}

/// How the repetitions of several steps follow on each other.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
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
pub(crate) struct ClientLimit {
    pub(crate) nodes: Spanned<Vec<NodeCount>>,
    pub(crate) gain: Option<Spanned<String>>,
    pub(crate) uses: Option<Spanned<String>>,
}
