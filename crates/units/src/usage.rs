//! A mistake of the user, with its remedy; every command turns it into exit status 2.

use std::fmt;

/// A mistake in the user's input: one line with what is wrong, where, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage(pub String);

impl Usage {
    /// Builds the message from anything printable.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}
