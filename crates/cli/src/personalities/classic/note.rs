//! What is to be known of an option that is taken.
//!
//! Never here: options that are refused.

use std::fmt;

/// One note.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OptionNote {
    /// The option as it was typed, without its value; empty where the note is about none.
    pub(crate) option: String,
    /// Whether it does nothing on this line.
    pub(crate) is_idle: bool,
    text: String,
}

impl OptionNote {
    /// An option that does nothing on this line.
    pub(crate) fn idle(option: &str, text: impl Into<String>) -> Self {
        Self { option: option.to_owned(), is_idle: true, text: text.into() }
    }

    /// An option that does something else than it did, or has another name.
    pub(crate) fn changed(option: &str, text: impl Into<String>) -> Self {
        Self { option: option.to_owned(), is_idle: false, text: text.into() }
    }
}

impl fmt::Display for OptionNote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}
