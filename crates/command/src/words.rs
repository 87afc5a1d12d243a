//! The words of a workload's line, walked once and the same way for all of them: letters alone or together,
//! values after a letter, glued to it or as the next word, `=` before either, long options.
//!
//! Invariant: `-r=0` switches a flag off, for all flags of its word, as the programs read it.
//! Never here: what an option means, and which there are beyond those that take a value.

use units::Usage;

use crate::classic::parse_number;

/// One option of a line that may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenOption {
    /// A letter without a value, and whether it is switched on.
    Flag(char, bool),
    /// A letter and its value.
    Valued(char, String),
    /// A long option without its dashes, with its value where it has one.
    Long(String, Option<String>),
}

/// What a word of any line is, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinePart {
    /// A letter that takes no value, with what follows `=`.
    Flag(char, Option<String>),
    /// A letter that takes a value, with it where there is one.
    Valued(char, Option<String>),
    /// A long option without its dashes, with its value where there is one.
    Long(String, Option<String>),
    /// No option.
    Stray,
}

/// Which options of a workload take a value.
#[derive(Clone, Copy, Debug)]
pub struct Valued {
    /// Their letters.
    pub letters: &'static str,
    /// Long ones that take it as the next word when it is not glued with `=`, with their dashes.
    pub long: &'static [&'static str],
}

/// Takes any line apart: its parts in their order, each with the place of its word, from 0.
pub fn read(words: &[String], valued: Valued) -> Vec<(usize, LinePart)> {
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
            // The number goes to all flags of the word.
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

/// Whether a word can be a value: not an option, unless a negative number.
pub(crate) fn is_value(word: &str) -> bool {
    match word.strip_prefix('-') {
        Some(rest) => rest.starts_with(|c: char| c.is_ascii_digit()) && rest.parse::<f64>().is_ok(),
        None => true,
    }
}

/// Hands each option of a line to `take`, up to the first that it rejects; `stray` is the message about a
/// word that is none.
pub fn walk(
    words: &[String],
    valued: Valued,
    stray: &dyn Fn(&str) -> String,
    take: &mut dyn FnMut(GivenOption) -> Result<(), Usage>,
) -> Result<(), Usage> {
    for (at, part) in read(words, valued) {
        let word = &words[at];
        let none = || Usage(format!("`{word}` has no value"));
        take(match part {
            LinePart::Flag(letter, number) => GivenOption::Flag(letter, number.as_deref() != Some("0")),
            LinePart::Valued(letter, value) => GivenOption::Valued(letter, value.ok_or_else(none)?),
            LinePart::Long(_, None) if valued.long.contains(&word.as_str()) => return Err(none()),
            LinePart::Long(name, value) => GivenOption::Long(name, value),
            LinePart::Stray => return Err(Usage(stray(word))),
        })?;
    }
    Ok(())
}

/// One option as it is written, with the place of its word, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionWord {
    /// The letter, or the long name without dashes.
    pub name: String,
    /// Its value; of a flag what follows `=`.
    pub value: Option<String>,
    /// The place of its word.
    pub at: usize,
}

/// Any line, split into its options, without judgement: a word that cannot be an option is kept as a stray.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitLine {
    /// Letters, in their order; a flag given twice is listed twice.
    pub letters: Vec<OptionWord>,
    /// Long options, in their order.
    pub longs: Vec<OptionWord>,
    /// Words that are neither, with their places.
    pub strays: Vec<(String, usize)>,
}

impl SplitLine {
    /// Splits `words`; `valued` says which options take a value.
    pub fn read(words: &[String], valued: Valued) -> Self {
        let mut split = Self::default();
        for (at, part) in read(words, valued) {
            match part {
                LinePart::Flag(letter, value) | LinePart::Valued(letter, value) => {
                    split.letters.push(OptionWord { name: letter.to_string(), value, at });
                }
                LinePart::Long(name, value) => split.longs.push(OptionWord { name, value, at }),
                LinePart::Stray => split.strays.push((words[at].clone(), at)),
            }
        }
        split
    }

    /// The last value of a letter; `None` where it is not given or has no value.
    pub fn value(&self, letter: char) -> Option<&str> {
        self.given(letter)?.value.as_deref()
    }

    /// The last option of this letter.
    pub fn given(&self, letter: char) -> Option<&OptionWord> {
        self.letters.iter().rfind(|given| given.name.chars().eq([letter]))
    }

    /// How often a flag is given; 0 where it is switched off again.
    pub fn count(&self, letter: char) -> u64 {
        let given = self.letters.iter().filter(|given| given.name.chars().eq([letter]));
        given.fold(0, |count, given| match given.value.as_deref().map(str::parse) {
            Some(Ok(number)) => number,
            _ => count + 1,
        })
    }

    /// The last value of a long option; an empty one for a flag.
    pub fn long(&self, name: &str) -> Option<&str> {
        let given = self.longs.iter().rfind(|given| given.name.eq_ignore_ascii_case(name))?;
        Some(given.value.as_deref().unwrap_or_default())
    }

    /// Whether a long flag is given, and not as 0.
    pub fn long_on(&self, name: &str) -> bool {
        self.long(name).is_some_and(|value| value != "0")
    }
}

/// A size as the classic programs write it: digits and one of `k m g t p`, powers of 1024, with or without
/// `b` or `ib` after it; `None` of any other text.
pub fn size(text: &str) -> Option<u64> {
    parse_number(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::GivenOption::{Flag, Long};
    use super::*;

    fn read(line: &str) -> Result<Vec<GivenOption>, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let valued = Valued { letters: "bt", long: &["--rate"] };
        let mut all = Vec::new();
        let mut take = |given| {
            all.push(given);
            Ok(())
        };
        let walked = walk(&words, valued, &|word| format!("`{word}` is none"), &mut take);
        walked.map(|()| all).map_err(|error| error.0)
    }

    #[test]
    fn every_spelling_of_an_option_is_read() {
        let valued = |letter, value: &str| GivenOption::Valued(letter, value.to_owned());
        let long = |name: &str, value: Option<&str>| Long(name.to_owned(), value.map(str::to_owned));
        for (line, given) in [
            ("-wF", vec![Flag('w', true), Flag('F', true)]),
            ("-wr=0 -k=1", vec![Flag('w', false), Flag('r', false), Flag('k', true)]),
            ("-b 1g -t=4k -b1m", vec![valued('b', "1g"), valued('t', "4k"), valued('b', "1m")]),
            ("-wb 1g", vec![Flag('w', true), valued('b', "1g")]),
            ("-b -4", vec![valued('b', "-4")]),
            ("-b a=b", vec![valued('b', "a=b")]),
            ("-ba=b", vec![valued('b', "a=b")]),
            (
                "--rate 5 --rate=6 --x --y=0",
                vec![long("rate", Some("5")), long("rate", Some("6")), long("x", None), long("y", Some("0"))],
            ),
        ] {
            assert_eq!(read(line).unwrap(), given, "{line}");
        }
        for (line, why) in [
            ("-b", "`-b` has no value"),
            ("-b -w", "`-b` has no value"),
            ("--rate -w", "`--rate` has no value"),
            ("--rate", "`--rate` has no value"),
            ("x", "`x` is none"),
            ("-", "`-` is none"),
        ] {
            assert_eq!(read(line).unwrap_err(), why);
        }
    }

    #[test]
    fn letters_values_and_long_options_of_any_line_are_split() {
        let line = "-wF -b 1g -s=3 -t4k --rate 5/s --posix.odirect -4 -z -z=0 stray -o";
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let split = SplitLine::read(&words, Valued { letters: "btsoO", long: &["--rate"] });
        assert_eq!((split.count('w'), split.count('F'), split.count('4'), split.count('z')), (1, 1, 1, 0));
        assert_eq!((split.value('b'), split.value('s')), (Some("1g"), Some("3")));
        assert_eq!((split.value('t'), split.value('o')), (Some("4k"), None));
        assert_eq!((split.long("rate"), split.long_on("posix.odirect")), (Some("5/s"), true));
        assert_eq!(split.strays, [("stray".to_owned(), 11)]);
        assert_eq!(split.given('b').map(|given| given.at), Some(1));
    }

    #[test]
    fn sizes_are_powers_of_1024_and_what_is_none_is_not_guessed() {
        assert_eq!(size("4k"), Some(4096));
        assert_eq!(size("1GiB"), Some(1 << 30));
        assert_eq!((size("${SMALLEST}"), size("1x"), size("")), (None, None, None));
    }
}
