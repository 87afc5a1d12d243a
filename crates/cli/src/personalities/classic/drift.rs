//! Options that are not what they were, each with its place: for those who judge a line without running it.
//!
//! Never here: refusing the line.

use units::Usage;

use super::grammar::{ClassicLine, OptionNote, lacks_value, parse};

/// What became of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionFate {
    /// The program refuses it.
    Refused,
    /// It is taken, and does nothing on this line.
    Idle,
    /// It is taken, and is another one now.
    Changed,
}

/// One of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Drifted {
    /// The place of its token, from 0, where it has one.
    pub(crate) at: Option<usize>,
    /// What became of it.
    pub(crate) fate: OptionFate,
    /// What is said of it.
    pub(crate) what: String,
}

/// What is refused or noted of `tokens`; `notes` gives what is said of a line that is taken.
///
/// The tokens are read one after the other, so that one that is refused hides no other. What somebody is to
/// fill in (`${SMALLEST}`, `[directory]`) is left out.
pub(crate) fn drifted<T: ClassicLine>(
    tokens: &[String],
    notes: fn(T) -> Result<Vec<OptionNote>, Usage>,
) -> Vec<Drifted> {
    let (mut drifted, mut taken) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let (length, why) = one::<T>(&tokens[at..]);
        let token = &tokens[at..at + length];
        let unfilled = token.iter().any(|word| word.contains(['$', '{', '[']));
        match why {
            _ if unfilled => {}
            Some(what) => drifted.push(Drifted { at: Some(at), fate: OptionFate::Refused, what }),
            None => taken.extend_from_slice(token),
        }
        at += length;
    }
    match parse::<T>(&taken).and_then(notes) {
        Err(Usage(what)) => drifted.push(Drifted { at: None, fate: OptionFate::Refused, what }),
        Ok(notes) => drifted.extend(notes.into_iter().map(|note| {
            let fate = if note.is_idle { OptionFate::Idle } else { OptionFate::Changed };
            Drifted { at: place(tokens, &note.option), fate, what: note.to_string() }
        })),
    }
    drifted
}

/// How many tokens the first option takes, and why it is refused if it is.
fn one<T: ClassicLine>(tokens: &[String]) -> (usize, Option<String>) {
    let read = |length: usize| parse::<T>(&tokens[..length]).err().map(|usage| usage.0);
    let takes_next = tokens.get(1).is_some_and(|next| !next.starts_with('-'));
    let alone = read(1);
    let missing = lacks_value::<T>(&tokens[0]);
    if tokens.len() > 1 && (missing || (takes_next && tokens[0].starts_with('-'))) {
        let both = read(2);
        // A word behind a flag is a stray of its own.
        if both.is_none() || missing {
            return (2, both);
        }
    }
    (1, alone)
}

/// The token that gives the option of this name.
fn place(tokens: &[String], name: &str) -> Option<usize> {
    if name.is_empty() {
        return None;
    }
    let whole = tokens.iter().position(|token| token.split('=').next() == Some(name));
    let letter = name.strip_prefix('-').filter(|letter| letter.len() == 1);
    let of_letters = |token: &String| {
        let letters = token.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letter.zip(letters).is_some_and(|(letter, letters)| letters.contains(letter))
    };
    let of_directives = |token: &String| token.to_lowercase().contains(&format!("{}=", name.to_lowercase()));
    whole.or_else(|| tokens.iter().position(of_letters)).or_else(|| tokens.iter().position(of_directives))
}
