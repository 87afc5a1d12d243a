//! Choosing cases by patterns: `*` stands for any letters, `?` for one.

/// Whether `name` is what `pattern` says.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Which beginnings of the name the pattern read so far can be.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for letter in pattern {
        if letter == '*' {
            let first = reached.iter().position(|here| *here).unwrap_or(reached.len());
            reached.iter_mut().skip(first).for_each(|here| *here = true);
            continue;
        }
        for at in (1..reached.len()).rev() {
            reached[at] = reached[at - 1] && (letter == '?' || letter == name[at - 1]);
        }
        reached[0] = false;
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_letters_and_a_question_mark_is_one() {
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
        ] {
            assert_eq!(matches(pattern, name), wanted, "{pattern} {name}");
        }
    }
}
