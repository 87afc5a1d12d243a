//! A dataset as it stands in its file.

use serde::Deserialize;
use toml::Spanned;

use super::{Count, Nodes, Stripes, Verify, Waiver};

/// Files made once for several readers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plan) struct Dataset {
    pub(in crate::plan) ior: Option<Spanned<String>>,
    pub(in crate::plan) mdtest: Option<Spanned<String>>,
    #[serde(default)]
    pub(in crate::plan) setup: Vec<String>,
    pub(in crate::plan) stripes: Option<Spanned<Stripes>>,
    pub(in crate::plan) ranks: Option<Spanned<Count>>,
    pub(in crate::plan) nodes: Option<Spanned<Nodes>>,
    pub(in crate::plan) ppn: Option<Spanned<Count>>,
    pub(in crate::plan) fs: Option<Spanned<String>>,
    pub(in crate::plan) timeout: Option<Spanned<String>>,
    pub(in crate::plan) cover: Option<Spanned<Cover>>,
    pub(in crate::plan) keep: Option<Spanned<String>>,
    pub(in crate::plan) verify: Option<Verify>,
    #[serde(default)]
    pub(in crate::plan) waive: Vec<Waiver>,
}

/// How much its readers will ask for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plan) struct Cover {
    pub(in crate::plan) rate: Spanned<String>,
    pub(in crate::plan) time: Spanned<String>,
    pub(in crate::plan) margin: Option<Spanned<f64>>,
}
