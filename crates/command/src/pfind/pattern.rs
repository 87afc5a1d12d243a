//! The pattern of `-name`.

/// Characters that have a meaning in the pattern languages of GNU find or pfind, and none here.
const SPECIAL: &str = "?[]\\^$";

/// A text that a name must contain. `*` means any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    text: String,
    /// The texts between the stars.
    parts: Vec<String>,
}

impl NamePattern {
    /// Reads a pattern. As in pfind, double quotes in it have no meaning.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(special) = text.chars().find(|char| SPECIAL.contains(*char)) {
            return Err(format!("`{special}` has no meaning here. Give text, with `*` for any text"));
        }
        let parts = text.replace('"', "");
        let parts = parts.split('*').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Ok(Self { text: text.to_owned(), parts })
    }

    /// As it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a name has all parts, one after the other.
    pub fn matches(&self, name: &[u8]) -> bool {
        let mut rest = name;
        self.parts.iter().all(|part| {
            let found = rest.windows(part.len()).position(|window| window == part.as_bytes());
            if let Some(at) = found {
                rest = &rest[at + part.len()..];
            }
            found.is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_pattern_are_found_in_their_order_anywhere_in_a_name() {
        for (pattern, names, others) in [
            ("*01*", &["file.mdtest.12.3014", "01", "x01"][..], &["file.10", "0", ""][..]),
            ("01", &["a01b"], &["a1"]),
            ("\"*01*\"", &["a01b"], &["\"*0"]),
            ("a*b", &["ab", "xaxbx"], &["ba", "a", "b"]),
            ("aa*a", &["aaa"], &["aa"]),
            ("", &["", "x"], &[]),
            ("*", &["", "x"], &[]),
        ] {
            let pattern = NamePattern::parse(pattern).unwrap();
            assert!(names.iter().all(|name| pattern.matches(name.as_bytes())), "{pattern:?}");
            assert!(!others.iter().any(|name| pattern.matches(name.as_bytes())), "{pattern:?}");
        }
        assert!(NamePattern::parse("a?").unwrap_err().contains("`?`"));
    }
}
