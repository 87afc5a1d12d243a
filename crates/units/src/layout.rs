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

/// The first `most` characters of a text, with a mark if there are more.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text in at most `most` characters: the first `begin`, a mark, and the end, where names often differ.
pub fn elided(text: &str, most: usize, begin: usize) -> String {
    let count = characters(text);
    if count <= most {
        return text.to_owned();
    }
    let first: String = text.chars().take(begin).collect();
    let last: String = text.chars().skip(count + begin + 1 - most).collect();
    format!("{first}…{last}")
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
    fn long_texts_are_shortened_at_their_end_or_before_it() {
        assert_eq!([shortened("ü2345", 5), shortened("ü2345", 4)], ["ü2345", "ü234…"]);
        assert_eq!([elided("compute-0007", 9, 0), elided("n7", 9, 0)], ["…ute-0007", "n7"]);
        let label = "B: random-reads-of-very-small-blocks read.iops";
        assert_eq!(elided(label, 42, 8), "B: rando…ds-of-very-small-blocks read.iops");
    }

    #[test]
    fn a_command_line_is_quoted_so_that_a_shell_reads_it_back() {
        let argv = ["srun", "-n", "4", "ior", "-o", "/s/it's <here>", ""].map(String::from);
        assert_eq!(shell_line(&argv), r"srun -n 4 ior -o '/s/it'\''s <here>' ''");
    }
}
