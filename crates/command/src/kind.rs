//! The kind of value that an option takes.

/// The kind of value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Nothing, or `=n`.
    Flag,
    /// A whole number.
    Number,
    /// Bytes, with a suffix.
    Size,
    /// Any text.
    Text,
    /// Options in the directive form. Messages about them name the directive.
    Directives,
}

impl OptionKind {
    /// The default that the help shows where the table gives none.
    pub(crate) const fn usual_default(self) -> &'static str {
        match self {
            Self::Number | Self::Size => "0",
            Self::Flag | Self::Text | Self::Directives => "",
        }
    }
}
