//! Text of others, made safe for a terminal and for a reader.
//!
//! File names, titles and output of programs can contain characters that a terminal obeys, or that a reader
//! does not see. All text that people read is escaped here.
//!
//! Invariant: the result has no control character, and no character without a width or with an effect on the
//! direction of writing. The escapes are those of JSON, so JSON stays JSON.
//! Never here: quoting for a format, such as HTML or CSV.

/// `text` in one line. Control characters, also line ends and tabs, and invisible characters are escaped:
/// for example `\n` and `\u001b`.
pub fn visible(text: &str) -> String {
    escaped(text, &|_| false)
}

/// The same for text of several lines. Line ends and tabs stay.
pub fn visible_lines(text: &str) -> String {
    escaped(text, &|c| matches!(c, '\n' | '\t'))
}

fn escaped(text: &str, stays: &dyn Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if stays(c) || !is_hidden(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out
}

/// Whether a terminal or an editor obeys this character, or does not show it.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Soft hyphen, grapheme joiner, Arabic letter mark, Hangul fillers, Khmer and Mongolian marks.
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{ffa0}'
            // Spaces without width, marks and overrides of direction, line separators, invisible operators.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            // Selectors of variants, the byte order mark, annotations, tags.
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_or_a_reader_does_not_see_is_escaped() {
        for (text, wanted) in [
            ("plain, grün, 漢, a\u{a0}b", "plain, grün, 漢, a\u{a0}b"),
            ("a\u{1b}[2Jb", "a\\u001b[2Jb"),
            ("a\rb\u{9b}31m\u{7f}", "a\\rb\\u009b31m\\u007f"),
            ("ab\u{202e}ba\u{2066}\u{200f}\u{61c}", "ab\\u202eba\\u2066\\u200f\\u061c"),
            ("a\u{200b}b\u{feff}\u{ad}\u{e0041}", "a\\u200bb\\ufeff\\u00ad\\udb40\\udc41"),
        ] {
            assert_eq!((visible(text).as_str(), visible_lines(text).as_str()), (wanted, wanted));
        }
        assert_eq!(visible("a\nb\tc\u{2028}"), "a\\nb\\tc\\u2028");
        assert_eq!(visible_lines("a\nb\tc\u{2028}"), "a\nb\tc\\u2028");
    }
}
