//! The language of plans: its keys, their TOML form, and where in the file something stands.

pub(crate) mod keys;
pub(crate) mod place;
pub(crate) mod wire;
pub(crate) mod words;

pub use keys::{paper as keys_paper, schema};
