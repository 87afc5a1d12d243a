//! What runs beside others, and programs of others, as they stand in their file.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{Count, Criteria, Test, Waiver};
use crate::app::Pick;

/// Tests that run at once.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) id: Spanned<String>,
    #[serde(default)]
    pub(crate) clause: String,
    pub(crate) overlap: Option<Spanned<String>>,
    pub(crate) repetitions: Option<Spanned<Count>>,
    pub(crate) parts: Vec<Test>,
    #[serde(default)]
    pub(crate) criterion: Criteria,
    #[serde(default)]
    pub(crate) waive: Vec<Waiver>,
}

/// An external program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct App {
    pub(crate) argv: Vec<String>,
    #[serde(default)]
    pub(crate) metrics: BTreeMap<String, Metric>,
    pub(crate) parse: Option<Spanned<String>>,
    pub(crate) writes: Option<Spanned<String>>,
}

/// One number in what a program prints.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Metric {
    pub(crate) line: String,
    pub(crate) unit: String,
    #[serde(default)]
    pub(crate) pick: Pick,
}
