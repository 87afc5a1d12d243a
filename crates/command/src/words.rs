//! The words of a workload's line, walked once and the same way for all of them: letters alone or together,
//! values behind a letter, glued to it or as the next word, `=` before either, long options.
//!
//! Invariant: `-r=0` switches a flag off, for all flags of its word, as the programs read it.
//! Never here: what an option means, and which there are beyond those that take a value.

use units::Usage;

/// One option of a line that may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A letter without a value, and whether it is switched on.
    Flag(char, bool),
    /// A letter and its value.
    Valued(char, String),
    /// A long option without its dashes, with its value where it has one.
    Long(String, Option<String>),
}

/// What a word of any line is, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A letter that takes no value, with what stands behind `=`.
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
pub fn read(words: &[String], valued: Valued) -> Vec<(usize, Part)> {
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
            parts.push((at, Part::Long(name.to_owned(), value)));
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            let end = letters.find(|c| c == '=' || valued.letters.contains(c)).unwrap_or(letters.len());
            let (flags, behind) = letters.split_at(end);
            // The number goes to all flags of the word.
            let number = behind.strip_prefix('=').map(str::to_owned);
            parts.extend(flags.chars().map(|letter| (at, Part::Flag(letter, number.clone()))));
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
                parts.push((at, Part::Valued(letter, value)));
            }
        } else {
            parts.push((at, Part::Stray));
        }
        at += 1 + usize::from(taken.is_some());
    }
    parts
}

/// Whether a word can be a value: not an option, unless a negative number.
fn is_value(word: &str) -> bool {
    match word.strip_prefix('-') {
        Some(rest) => rest.starts_with(|c: char| c.is_ascii_digit()) && rest.parse::<f64>().is_ok(),
        None => true,
    }
}

/// Hands each option of a line to `take`, up to the first that it refuses; `stray` is what is said of a
/// word that is none.
pub fn walk(
    words: &[String],
    valued: Valued,
    stray: &dyn Fn(&str) -> String,
    take: &mut dyn FnMut(Given) -> Result<(), Usage>,
) -> Result<(), Usage> {
    for (at, part) in read(words, valued) {
        let word = &words[at];
        let none = || Usage(format!("`{word}` has no value"));
        take(match part {
            Part::Flag(letter, number) => Given::Flag(letter, number.as_deref() != Some("0")),
            Part::Valued(letter, value) => Given::Valued(letter, value.ok_or_else(none)?),
            Part::Long(_, None) if valued.long.contains(&word.as_str()) => return Err(none()),
            Part::Long(name, value) => Given::Long(name, value),
            Part::Stray => return Err(Usage(stray(word))),
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Given::{Flag, Long};
    use super::*;

    fn read(line: &str) -> Result<Vec<Given>, String> {
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
        let valued = |letter, value: &str| Given::Valued(letter, value.to_owned());
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
}
