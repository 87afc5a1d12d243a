//! The hash by which IO500 detects a changed configuration or result. It protects nothing from a person who
//! wants to change them.

/// `hash` with the bytes of `text`: for each the value is rotated by two bits, and the byte is added.
fn with_text(hash: u32, text: &str) -> u32 {
    // The original adds signed bytes.
    text.bytes().fold(hash, |hash, byte| hash.rotate_left(2).wrapping_add_signed(i32::from(byte as i8)))
}

/// The number of a phase in one run, for the data of its files: the hash of `name` and `timestamp`.
pub fn text_hash(name: &str, timestamp: &str) -> i32 {
    match with_text(with_text(0, name), timestamp) {
        0 | u32::MAX => 4711,
        hash => hash as i32,
    }
}

/// The hash of pairs of a key and a value, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScoreHash(u32);

impl ScoreHash {
    /// Adds a pair.
    pub fn add(&mut self, key: &str, value: &str) {
        self.0 ^= with_text(with_text(0, key), value);
    }

    /// Adds a number with six digits after the point.
    pub fn add_number(&mut self, key: &str, value: f64) {
        self.add(key, &format!("{value:.6}"));
    }
}

impl std::fmt::Display for ScoreHash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:X}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_run_are_those_of_the_original() {
        for (name, number) in [
            ("ior-easy", 1_850_946_818),
            ("mdtest-easy", -1_557_842_684),
            ("md-workbench", 428_184_779),
            ("ior-hard", 1_850_957_506),
            ("mdtest-hard", -1_557_831_996),
        ] {
            assert_eq!(text_hash(name, "2026.12.01-15.33.33"), number, "{name}");
        }
        assert_eq!(text_hash("", ""), 4711);
    }
}
