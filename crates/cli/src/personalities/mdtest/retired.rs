//! Spellings of mdtest 1.9, and what becomes of them.
//!
//! Invariant: nothing retired passes in silence; a note says what it is now.

use units::Usage;

use super::typed::TypedMdtest;
use crate::personalities::classic::{OptionNote, Retiree, numbers};

/// One letter that was.
pub(crate) struct RetiredLetter {
    /// The letter.
    pub(crate) short: char,
    /// Whether it took a value.
    pub(crate) takes_value: bool,
    /// What became of it, as words behind its name.
    pub(crate) about: &'static str,
    /// Takes it in; fails where nothing today does what it did.
    take: fn(&mut TypedMdtest) -> Result<(), &'static str>,
}

/// All of them.
pub(crate) const RETIRED: &[RetiredLetter] = &[
    RetiredLetter {
        short: 'A',
        takes_value: true,
        about: "was for object stores (1.9.4), and is refused",
        take: |_| {
            Err("was for the object stores of mdtest 1.9.4, which are not in this program; leave it out")
        },
    },
    RetiredLetter {
        short: 'M',
        takes_value: false,
        about: "spread trees over metadata servers of Lustre (1.9.4), and is now -u",
        take: |typed| {
            typed.parameters.unique_dir = true;
            Ok(())
        },
    },
];

/// The letter that was.
pub(crate) fn of_letter(letter: char) -> Option<&'static RetiredLetter> {
    RETIRED.iter().find(|retired| retired.short == letter)
}

impl Retiree<TypedMdtest> for RetiredLetter {
    fn takes_value(&self) -> bool {
        self.takes_value
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn take(&self, typed: &mut TypedMdtest, name: &str, value: &str) -> Result<(), Usage> {
        // A switch that is off leaves what it would have changed.
        if !self.takes_value && numbers::parse(value) == Ok(0) {
            return Ok(());
        }
        (self.take)(typed).map_err(|why| Usage(format!("{name} {why}")))?;
        let text = format!(
            "{name} {}; `lfs setdirstripe -D` on the test directory says which servers take its trees",
            self.about
        );
        typed.notes.push(OptionNote::changed(name, text));
        Ok(())
    }
}

/// `-B` without a number and `-R` with one glued to it, as 1.9 had them. Gives what is left of the token;
/// `None` where it is spelled as today.
pub(crate) fn spelled<'a>(
    typed: &mut TypedMdtest,
    letter: char,
    left: &'a str,
    next: Option<&str>,
) -> Option<Result<&'a str, Usage>> {
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '=');
    match letter {
        'B' if !number(if left.is_empty() { next.unwrap_or_default() } else { left }) => {
            typed.notes.push(OptionNote::idle("-B", NO_BARRIERS));
            Some(Ok(left))
        }
        'R' if left.starts_with(|c: char| c.is_ascii_digit()) => {
            let end = left.find(|c: char| !c.is_ascii_digit()).unwrap_or(left.len());
            let (seed, left) = left.split_at(end);
            Some(match seed.parse() {
                Err(_) => Err(Usage(format!("-R{seed}: the seed is beyond 2^64"))),
                Ok(seed) => {
                    typed.parameters.shuffle = true;
                    typed.parameters.random_seed = seed;
                    let text = format!("-R{seed} is now -R --random-seed={seed}");
                    typed.notes.push(OptionNote::changed("-R", text));
                    Ok(left)
                }
            })
        }
        _ => None,
    }
}

/// What is said of `-B`.
pub(crate) const NO_BARRIERS: &str =
    "-B has no effect: phases begin and end together, for the rates of phases that overlap say nothing";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personalities::classic::grammar;

    fn parse(words: &str) -> Result<TypedMdtest, Usage> {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        grammar::parse(&tokens)
    }

    #[test]
    fn a_flag_of_1_9_swallows_no_word_and_the_value_of_today_is_one() {
        let typed = parse("-B -u -n 5").unwrap();
        assert!(typed.parameters.unique_dir && typed.parameters.items == 5);
        assert_eq!(typed.notes, [OptionNote::idle("-B", NO_BARRIERS)]);
        assert!(parse("-Bu").unwrap().parameters.unique_dir, "behind one dash too");
        for words in ["-B 1 -u", "-B1 -u", "-B=1 -u"] {
            let typed = parse(words).unwrap();
            assert_eq!((typed.parameters.unique_dir, typed.notes.len()), (true, 1), "{words}");
        }
        assert!(parse("-B 0").unwrap().notes.is_empty());
        assert!(parse("-n 5 -B").is_ok(), "at the end of a line");
    }

    #[test]
    fn a_seed_glued_to_its_letter_is_the_seed_of_today() {
        let typed = parse("-R42 -u").unwrap();
        assert_eq!((typed.parameters.shuffle, typed.parameters.random_seed), (true, 42));
        assert_eq!(typed.notes[0].to_string(), "-R42 is now -R --random-seed=42");
        assert!(parse("-R7u").unwrap().parameters.unique_dir);
        assert!(parse("-R99999999999999999999999").is_err());
        assert!(parse("-R=0").unwrap().notes.is_empty() && !parse("-R=0").unwrap().parameters.shuffle);
    }

    #[test]
    fn letters_that_are_no_more_are_translated_or_refused() {
        let typed = parse("-M").unwrap();
        assert!(
            typed.parameters.unique_dir && typed.notes[0].to_string().contains("is now -u"),
            "{:?}",
            typed.notes
        );
        assert!(parse("-A key").unwrap_err().0.contains("object stores"));
    }
}
