//! A dataset as it stands in its file.

use serde::Deserialize;
use toml::Spanned;

use super::{Count, Nodes, Stripes, Verify, Waiver};

/// Files made once for several readers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dataset {
    pub(crate) ior: Option<Spanned<String>>,
    pub(crate) mdtest: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) setup: Vec<String>,
    pub(crate) stripes: Option<Spanned<Stripes>>,
    pub(crate) ranks: Option<Spanned<Count>>,
    pub(crate) nodes: Option<Spanned<Nodes>>,
    pub(crate) ppn: Option<Spanned<Count>>,
    pub(crate) fs: Option<Spanned<String>>,
    pub(crate) timeout: Option<Spanned<String>>,
    pub(crate) cover: Option<Spanned<Cover>>,
    pub(crate) keep: Option<Spanned<String>>,
    pub(crate) verify: Option<Verify>,
    #[serde(default)]
    pub(crate) waive: Vec<Waiver>,
}

/// How much its readers will ask for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cover {
    pub(crate) rate: Spanned<String>,
    pub(crate) time: Spanned<String>,
    pub(crate) margin: Option<Spanned<f64>>,
}
