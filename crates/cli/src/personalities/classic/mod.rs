//! What the classic programs of one family have in common: how the options that `command` reads are applied,
//! the help about backends, packet types, the words about a file system.
//!
//! A program makes of its options what it runs: it is a [`ClassicLine`].
//!
//! Never here: tables of options (they are `command`'s), and what options mean.

pub(crate) mod drift;
pub(crate) mod environment;
pub(crate) mod grammar;
pub(crate) mod help;
pub(crate) mod interrupt;
mod note;
mod packet;
mod settings;
mod space;
pub(crate) mod writable;

pub(crate) use grammar::ClassicLine;
pub(crate) use note::OptionNote;
pub(crate) use packet::packet;
pub(crate) use settings::{OfBackends, idle, is_idle, no_effect};
pub(crate) use space::{header_dir, space_words};
