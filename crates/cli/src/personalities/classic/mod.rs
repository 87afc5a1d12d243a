//! What `ior`, `mdtest` and partly `md-workbench` share: the help about backends, the live view, and the
//! description of a file system.
//!
//! Never here: options and their effect, which are in `command`.

pub(crate) mod data_key;
pub(crate) mod drift;
pub(crate) mod environment;
pub(crate) mod interrupt;
pub(crate) mod live;
pub(crate) mod preloaded;
mod progress;
mod seed;
mod text;

pub(crate) use data_key::data_key;
pub(crate) use seed::random_seed;
pub(crate) use text::{
    header_dir, help_of_backends, help_of_variables, space_line, space_words, whole_header_dir,
};
