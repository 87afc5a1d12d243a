//! What runs beside others, and programs of others, as they stand in their file.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{Count, Criteria, Test, Waiver};
use crate::app::Pick;

/// Tests that run at once.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plan) struct Group {
    pub(in crate::plan) id: Spanned<String>,
    #[serde(default)]
    pub(in crate::plan) clause: String,
    pub(in crate::plan) overlap: Option<Spanned<String>>,
    pub(in crate::plan) repetitions: Option<Spanned<Count>>,
    pub(in crate::plan) parts: Vec<Test>,
    #[serde(default)]
    pub(in crate::plan) criterion: Criteria,
    #[serde(default)]
    pub(in crate::plan) waive: Vec<Waiver>,
}

/// An external program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plan) struct App {
    pub(in crate::plan) argv: Vec<String>,
    #[serde(default)]
    pub(in crate::plan) metrics: BTreeMap<String, Metric>,
    pub(in crate::plan) parse: Option<Spanned<String>>,
    pub(in crate::plan) writes: Option<Spanned<String>>,
}

/// One number in what a program prints.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plan) struct Metric {
    pub(in crate::plan) line: String,
    pub(in crate::plan) unit: String,
    #[serde(default)]
    pub(in crate::plan) pick: Pick,
}
