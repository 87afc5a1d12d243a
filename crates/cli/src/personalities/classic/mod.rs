//! What `ior`, `mdtest` and partly `md-workbench` share: applying the options that `command` reads, and the
//! help about backends. Further, packet types, the live view, and the description of a file system.
//!
//! Each program turns its options into its own type, a [`ClassicLine`].
//!
//! Never here: tables of options, which are in `command`, and the effect of options.

pub(crate) mod data_key;
pub(crate) mod drift;
pub(crate) mod environment;
pub(crate) mod grammar;
pub(crate) mod interrupt;
pub(crate) mod live;
pub(crate) mod preloaded;
mod progress;
mod seed;
mod text;

pub(crate) use data_key::TypedKey;
pub(crate) use grammar::{ClassicLine, OptionNote, TakenOptions, packet, without_gpu};
pub(crate) use seed::random_seed;
pub(crate) use text::{
    header_dir, help_of_backends, help_of_variables, space_line, space_words, whole_header_dir,
};
