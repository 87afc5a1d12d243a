//! Text of a file of the user, which must be UTF-8.
//!
//! Never here: reading the file.

use std::fmt;

/// The first place of a text that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUtf8 {
    /// The line, from 1.
    pub line: usize,
    /// The number of the byte in the line, from 1.
    pub column: usize,
    /// The byte.
    pub byte: u8,
}

impl fmt::Display for NotUtf8 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, byte } = self;
        write!(out, "{line}:{column}: the byte 0x{byte:02X} is not UTF-8. Save the file as UTF-8.")
    }
}

/// The text of these bytes, or the first place that is not UTF-8.
pub fn utf8_text(bytes: Vec<u8>) -> Result<String, NotUtf8> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let (before, rest) = error.as_bytes().split_at(at);
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        NotUtf8 { line, column: 1 + at - line_start, byte: rest.first().copied().unwrap_or_default() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_not_utf_8_is_named_with_its_line() {
        assert_eq!(utf8_text("é\n".into()), Ok("é\n".to_owned()));
        for (bytes, line, column, byte) in [
            (&b"\xE9"[..], 1, 1, 0xE9),
            (b"a = 1\ntitle = \"Caf\xE9\"\n", 2, 13, 0xE9),
            (b"a\n\nb\xC3", 3, 2, 0xC3),
        ] {
            assert_eq!(utf8_text(bytes.to_vec()), Err(NotUtf8 { line, column, byte }));
        }
    }
}
