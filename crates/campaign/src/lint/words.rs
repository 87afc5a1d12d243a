//! The words of a classic line, taken apart without judgement: letters, their values, long options.
//!
//! Invariant: every line is read; what cannot be an option is kept as a stray word.
//! Never here: which options exist beyond those that take a value.

use command::words::{self, Part, Valued};

/// One option as it stands, with the place of its word, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// The letter, or the long name without dashes.
    pub(super) name: String,
    /// Its value; of a flag what stands behind `=`.
    pub(super) value: Option<String>,
    /// The place of its word.
    pub(super) at: usize,
}

/// A line taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Letters, in their order; a flag given twice stands twice.
    pub(super) letters: Vec<Given>,
    /// Long options, in their order.
    pub(super) longs: Vec<Given>,
    /// Words that are neither, with their places.
    pub(super) strays: Vec<(String, usize)>,
}

impl Words {
    /// Takes `words` apart; `letters` take a value, and of the long options those of `long`.
    pub(super) fn read(words: &[String], letters: &'static str, long: &'static [&'static str]) -> Self {
        let mut read = Self::default();
        for (at, part) in words::read(words, Valued { letters, long }) {
            match part {
                Part::Flag(letter, value) | Part::Valued(letter, value) => {
                    read.letters.push(Given { name: letter.to_string(), value, at });
                }
                Part::Long(name, value) => read.longs.push(Given { name, value, at }),
                Part::Stray => read.strays.push((words[at].clone(), at)),
            }
        }
        read
    }

    /// The last value of a letter.
    pub(super) fn value(&self, letter: char) -> Option<&Given> {
        self.letters.iter().rfind(|given| given.name.chars().eq([letter]))
    }

    /// How often a flag was given; 0 where it was switched off again.
    pub(super) fn count(&self, letter: char) -> u64 {
        let given = self.letters.iter().filter(|given| given.name.chars().eq([letter]));
        given.fold(0, |count, given| match given.value.as_deref().map(str::parse) {
            Some(Ok(number)) => number,
            _ => count + 1,
        })
    }

    /// The last value of a long option; an empty one for a flag.
    pub(super) fn long(&self, name: &str) -> Option<&str> {
        let given = self.longs.iter().rfind(|given| given.name.eq_ignore_ascii_case(name))?;
        Some(given.value.as_deref().unwrap_or_default())
    }

    /// Whether a long flag is given, and not as 0.
    pub(super) fn long_on(&self, name: &str) -> bool {
        self.long(name).is_some_and(|value| value != "0")
    }
}

/// A size as the classic programs write it: digits and one of `k m g t p`, powers of 1024.
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let suffix = suffix.to_lowercase();
    let power = match suffix.strip_suffix("ib").or(suffix.strip_suffix('b')).unwrap_or(&suffix) {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1024_u64.pow(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Words {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Words::read(&words, "btsoO", &["--rate"])
    }

    #[test]
    fn letters_are_told_from_values_and_long_options() {
        let words = read("-wF -b 1g -s=3 -t4k --rate 5/s --posix.odirect -4 -z -z=0 stray -o");
        assert_eq!((words.count('w'), words.count('F'), words.count('4'), words.count('z')), (1, 1, 1, 0));
        let value = |letter| words.value(letter).and_then(|given| given.value.clone());
        assert_eq!((value('b').as_deref(), value('s').as_deref()), (Some("1g"), Some("3")));
        assert_eq!((value('t').as_deref(), value('o')), (Some("4k"), None));
        assert_eq!((words.long("rate"), words.long_on("posix.odirect")), (Some("5/s"), true));
        assert_eq!(words.strays, [("stray".to_owned(), 11)]);
        assert_eq!(words.value('b').map(|given| given.at), Some(1));
    }

    #[test]
    fn sizes_are_powers_of_1024_and_what_is_none_is_not_guessed() {
        assert_eq!(size("4k"), Some(4096));
        assert_eq!(size("1GiB"), Some(1 << 30));
        assert_eq!((size("${SMALLEST}"), size("1x"), size("")), (None, None, None));
    }
}
