//! The language of plans: its keys, their TOML form, and positions in the file.

pub(crate) mod keys;
pub(crate) mod nearest;
pub(crate) mod plan_text;
mod table;
pub(crate) mod wire;

pub use keys::{keys_paper, schema};
