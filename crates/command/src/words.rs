//! Splits the arguments of any workload in one way.
//!
//! It reads single and grouped letters, and long options. A value follows its letter, is glued to it, or is
//! the next argument, with or without `=`.
//!
//! Invariant: the number of `-wr=0` applies to all flags of its argument, as in the programs.
//! Never here: the meaning of an option, and the list of options that take no value.

use crate::classic::parse_number;

/// An argument of any command line, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinePart {
    /// A letter that takes no value, with the text after `=`.
    Flag(char, Option<String>),
    /// A letter that takes a value, with its value if present.
    Valued(char, Option<String>),
    /// A long option without its dashes, with its value if present.
    Long(String, Option<String>),
    /// Not an option.
    Stray,
}

/// Which options of a workload take a value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Valued {
    /// Their letters.
    pub letters: &'static str,
    /// The long options, with dashes, whose value may be the next argument instead of following `=`.
    pub long: &'static [&'static str],
}

/// Splits a command line into its parts in order, each with the index of its argument, from 0.
pub(crate) fn read(words: &[String], valued: Valued) -> Vec<(usize, LinePart)> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(word) = words.get(at) {
        let next = || words.get(at + 1).filter(|next| is_value(next)).cloned();
        let mut taken = None;
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None if valued.long.contains(&word.as_str()) => {
                    taken = next();
                    (long, taken.clone())
                }
                None => (long, None),
            };
            parts.push((at, LinePart::Long(name.to_owned(), value)));
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            let end = letters.find(|c| c == '=' || valued.letters.contains(c)).unwrap_or(letters.len());
            let (flags, behind) = letters.split_at(end);
            // The number applies to all flags of the argument.
            let number = behind.strip_prefix('=').map(str::to_owned);
            parts.extend(flags.chars().map(|letter| (at, LinePart::Flag(letter, number.clone()))));
            let mut value = behind.chars();
            if let Some(letter) = value.next().filter(|letter| *letter != '=') {
                let glued = value.as_str();
                let value = match glued.is_empty() {
                    true => {
                        taken = next();
                        taken.clone()
                    }
                    false => Some(glued.strip_prefix('=').unwrap_or(glued).to_owned()),
                };
                parts.push((at, LinePart::Valued(letter, value)));
            }
        } else {
            parts.push((at, LinePart::Stray));
        }
        at += 1 + usize::from(taken.is_some());
    }
    parts
}

/// Whether an argument can be a value. An option cannot, but a negative number can.
pub(crate) fn is_value(word: &str) -> bool {
    match word.strip_prefix('-') {
        Some(rest) => rest.starts_with(|c: char| c.is_ascii_digit()) && rest.parse::<f64>().is_ok(),
        None => true,
    }
}

/// Any command line, split into its options. An argument that cannot be an option is kept as a stray.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitLine {
    /// The values of letters, in order. The value of a flag is the text after `=`.
    letters: Vec<(char, Option<String>)>,
    /// The values of long options without their dashes, in order.
    longs: Vec<(String, Option<String>)>,
    /// Arguments that are not options.
    pub(crate) strays: Vec<String>,
}

impl SplitLine {
    /// Splits `words`. `valued` lists the options that take a value.
    pub fn read(words: &[String], valued: Valued) -> Self {
        let mut split = Self::default();
        for (at, part) in read(words, valued) {
            match part {
                LinePart::Flag(letter, value) | LinePart::Valued(letter, value) => {
                    split.letters.push((letter, value));
                }
                LinePart::Long(name, value) => split.longs.push((name, value)),
                LinePart::Stray => split.strays.push(words[at].clone()),
            }
        }
        split
    }

    /// Whether the last occurrence of a flag switches it on.
    pub(crate) fn on(&self, flag: char) -> bool {
        let last = self.letters.iter().rfind(|(given, _)| *given == flag);
        last.is_some_and(|(_, number)| number.as_deref() != Some("0"))
    }

    /// The last value of a letter; `None` if it is absent or has no value.
    pub(crate) fn value(&self, letter: char) -> Option<&str> {
        self.letters.iter().rfind(|(given, _)| *given == letter)?.1.as_deref()
    }

    /// The last value of a long option; empty for a flag.
    pub fn long(&self, name: &str) -> Option<&str> {
        let (_, value) = self.longs.iter().rfind(|(given, _)| given.eq_ignore_ascii_case(name))?;
        Some(value.as_deref().unwrap_or_default())
    }
}

/// A size as the classic programs write it; `None` for any other text.
///
/// It has digits and one of `k m g t p` (powers of 1024), with or without `b` or `ib` after it.
pub fn size(text: &str) -> Option<u64> {
    parse_number(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::LinePart::{Flag, Long, Stray};
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn every_spelling_of_an_option_is_read() {
        let flag = |letter, value: Option<&str>| Flag(letter, value.map(str::to_owned));
        let valued = |letter, value: Option<&str>| LinePart::Valued(letter, value.map(str::to_owned));
        let long = |name: &str, value: Option<&str>| Long(name.to_owned(), value.map(str::to_owned));
        for (line, parts) in [
            ("-wF", vec![flag('w', None), flag('F', None)]),
            ("-wr=0 -k=1", vec![flag('w', Some("0")), flag('r', Some("0")), flag('k', Some("1"))]),
            (
                "-b 1g -t=4k -b1m",
                vec![valued('b', Some("1g")), valued('t', Some("4k")), valued('b', Some("1m"))],
            ),
            ("-wb 1g", vec![flag('w', None), valued('b', Some("1g"))]),
            ("-b -4", vec![valued('b', Some("-4"))]),
            ("-b a=b", vec![valued('b', Some("a=b"))]),
            ("-ba=b", vec![valued('b', Some("a=b"))]),
            (
                "--rate 5 --rate=6 --x --y=0",
                vec![long("rate", Some("5")), long("rate", Some("6")), long("x", None), long("y", Some("0"))],
            ),
            ("-b", vec![valued('b', None)]),
            ("-b -w", vec![valued('b', None), flag('w', None)]),
            ("--rate -w", vec![long("rate", None), flag('w', None)]),
            ("x -", vec![Stray, Stray]),
        ] {
            let read = read(&words(line), Valued { letters: "bt", long: &["--rate"] });
            assert_eq!(read.into_iter().map(|(_, part)| part).collect::<Vec<_>>(), parts, "{line}");
        }
    }

    #[test]
    fn any_command_line_is_split_into_letters_values_and_long_options() {
        let line = "-wF -b 1g -s=3 -t4k --rate 5/s --posix.odirect -4 -z -z=0 stray -o";
        let split = SplitLine::read(&words(line), Valued { letters: "btsoO", long: &["--rate"] });
        assert_eq!((split.value('b'), split.value('s')), (Some("1g"), Some("3")));
        assert_eq!((split.value('t'), split.value('o')), (Some("4k"), None));
        assert_eq!((split.long("rate"), split.long("posix.odirect")), (Some("5/s"), Some("")));
        assert_eq!(split.strays, ["stray"]);
    }

    #[test]
    fn sizes_are_powers_of_1024_and_other_texts_are_not_guessed() {
        assert_eq!(size("4k"), Some(4096));
        assert_eq!(size("1GiB"), Some(1 << 30));
        assert_eq!((size("${SMALLEST}"), size("1x"), size("")), (None, None, None));
    }
}
