//! What the classic programs of one family have in common: how the options that `command` reads are applied,
//! the help about backends, packet types, the words about a file system.
//!
//! A program makes of its options what it runs: it is a [`ClassicLine`].
//!
//! Never here: tables of options (they are `command`'s), and what options mean.

pub(crate) mod drift;
pub(crate) mod environment;
pub(crate) mod grammar;
pub(crate) mod interrupt;
mod text;

pub(crate) use grammar::{ClassicLine, OptionNote, TakenOptions, packet, without_gpu};
pub(crate) use text::{header_dir, help_of_backends, space_line, space_words, whole_header_dir};
