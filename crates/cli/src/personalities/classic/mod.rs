//! What the classic programs of one family have in common: the grammar of their options, the help made of
//! the same table, numbers with suffixes, the words about a file system.
//!
//! A program gives its table of options ([`OptionRow`]s over what its line becomes) and is a [`ClassicLine`].
//!
//! Never here: the options of one program, and what they mean.

pub(crate) mod drift;
pub(crate) mod environment;
pub(crate) mod grammar;
pub(crate) mod help;
pub(crate) mod interrupt;
pub(crate) mod nearest;
mod note;
pub(crate) mod numbers;
mod row;
mod settings;
mod space;
pub(crate) mod writable;

pub(crate) use note::OptionNote;
pub(crate) use row::{ClassicLine, OptionKind, OptionRow, OptionValue, Retiree};
pub(crate) use settings::{OfBackends, idle, is_idle, no_effect};
pub(crate) use space::{header_dir, space_words};
