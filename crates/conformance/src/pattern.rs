//! Selecting cases by patterns of their names: `*` matches any characters, `?` matches one.

/// Whether `name` matches `pattern`. Names of cases are ASCII, so a character is a byte.
///
/// Every process compares every case with every pattern before it does anything else, so this takes no memory
/// and gives up at the first character that cannot match.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut in_pattern, mut in_name) = (0, 0);
    // The place after the last `*`, and the part of the name that it matches so far.
    let mut star = None;
    while in_name < name.len() {
        match (pattern.get(in_pattern), star) {
            (Some(b'*'), _) => {
                in_pattern += 1;
                star = Some((in_pattern, in_name));
            }
            (Some(letter), _) if [b'?', name[in_name]].contains(letter) => {
                in_pattern += 1;
                in_name += 1;
            }
            (_, Some((after_star, matched))) => {
                star = Some((after_star, matched + 1));
                (in_pattern, in_name) = (after_star, matched + 1);
            }
            (_, None) => return false,
        }
    }
    pattern[in_pattern..].iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters_and_a_question_mark_matches_one() {
        for (pattern, name, wanted) in [
            ("posix.*", "posix.append.records", true),
            ("posix.*", "access.write", false),
            ("*records", "posix.append.records", true),
            ("*.append.*", "posix.append.records", true),
            ("posix.append.records", "posix.append.records", true),
            ("posix.append", "posix.append.records", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("", "a", false),
            ("*a*a*", "banana", true),
            ("*a*b*a*", "banana", false),
            ("*.read_*", "end.iread_at", false),
            ("*read_*_all", "end.iread_at_all", true),
            ("*an?n*", "banana", true),
            ("*an??n*", "banana", false),
            ("b*a", "banana", true),
            ("b*n", "banana", false),
            ("banana**", "banana", true),
            ("?*?", "a", false),
            ("banana?", "banana", false),
        ] {
            assert_eq!(matches(pattern, name), wanted, "{pattern} {name}");
        }
    }
}
