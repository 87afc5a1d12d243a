//! Text for terminals and shells.

/// Lines broken between words: the first of at most `first` columns, the others of at most `rest`. A longer
/// word has its own line. `columns` counts the columns of a text.
pub fn wrap(text: &str, first: usize, rest: usize, columns: impl Fn(&str) -> usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let width = if lines.len() > 1 { rest } else { first };
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The number of characters: the columns of a text without wide scripts.
pub fn characters(text: &str) -> usize {
    text.chars().count()
}

/// A word quoted for a POSIX shell, where that is necessary.
pub fn shell_quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A command line, quoted for a POSIX shell.
pub fn shell_line(argv: &[String]) -> String {
    argv.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_the_first_has_its_own_width() {
        let lines = |text: &str, first| wrap(text, first, 10, characters).join("|");
        assert_eq!(lines("one two three four", 10), "one two|three four");
        assert_eq!(lines("one two three four", 3), "one|two three|four");
        assert_eq!(lines("a verylongwordindeed b", 10), "a|verylongwordindeed|b");
        assert_eq!(lines("", 10), "");
    }

    #[test]
    fn a_command_line_is_quoted_so_that_a_shell_reads_it_back() {
        let argv = ["srun", "-n", "4", "ior", "-o", "/s/it's <here>", ""].map(String::from);
        assert_eq!(shell_line(&argv), r"srun -n 4 ior -o '/s/it'\''s <here>' ''");
    }
}
