//! The language of plans: its keys, their TOML form, and positions in the file.

pub(crate) mod form;
pub(crate) mod keys;
pub(crate) mod nearest;
pub(crate) mod plan_text;
pub(crate) mod read;
pub(crate) mod rejections;
mod suggestion;
pub(crate) mod table;
pub(crate) mod toml_errors;
pub(crate) mod wire;

pub use keys::{keys_paper, schema};
pub use rejections::PlanErrors;
