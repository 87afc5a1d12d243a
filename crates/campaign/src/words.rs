//! The words of a workload's line, walked once and the same way for all of them: letters alone or together,
//! values behind a letter, glued to it or as the next word, `=` before either, long options.
//!
//! Invariant: `-r=0` switches a flag off, for all flags of its word, as the programs read it.
//! Never here: what an option means, and which there are beyond those that take a value.

use units::Usage;

/// One option of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// A letter without a value, and whether it is switched on.
    Flag(char, bool),
    /// A letter and its value.
    Valued(char, String),
    /// A long option without its dashes, with its value where it has one.
    Long(String, Option<String>),
}

/// Which options of a workload take a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Valued {
    /// Their letters.
    pub(crate) letters: &'static str,
    /// Long ones that take it as the next word when it is not glued with `=`, with their dashes.
    pub(crate) long: &'static [&'static str],
}

/// Hands each option of a line to `take`, up to the first that it refuses; `stray` is what is said of a
/// word that is none.
pub(crate) fn walk(
    words: &[String],
    valued: Valued,
    stray: &dyn Fn(&str) -> String,
    take: &mut dyn FnMut(Given) -> Result<(), Usage>,
) -> Result<(), Usage> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut next = || rest.next().cloned().ok_or_else(|| Usage(format!("`{word}` has no value")));
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None if valued.long.contains(&word.as_str()) => (long, Some(next()?)),
                None => (long, None),
            };
            take(Given::Long(name.to_owned(), value))?;
            continue;
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return Err(Usage(stray(word)));
        };
        let (flags, behind) = match letters.find(|c| c == '=' || valued.letters.contains(c)) {
            Some(at) => letters.split_at(at),
            None => (letters, ""),
        };
        // The number goes to all flags of the word.
        let on = behind.strip_prefix('=') != Some("0");
        flags.chars().try_for_each(|letter| take(Given::Flag(letter, on)))?;
        let mut value = behind.chars();
        if let Some(letter) = value.next().filter(|letter| *letter != '=') {
            let glued = value.as_str();
            let value = match glued.is_empty() {
                true => next()?,
                false => glued.strip_prefix('=').unwrap_or(glued).to_owned(),
            };
            take(Given::Valued(letter, value))?;
        }
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
            ("--rate", "`--rate` has no value"),
            ("x", "`x` is none"),
            ("-", "`-` is none"),
        ] {
            assert_eq!(read(line).unwrap_err(), why);
        }
    }
}
