//! Options that were removed or changed, each with its position, for callers that check a command line
//! without running it.
//!
//! Never here: rejecting the command line.

use lint::{Drift, DriftKind};
use units::Usage;

use super::grammar::{ClassicLine, OptionNote, lacks_value, parse};

/// What is rejected or noted of `tokens`. `notes` gives the notes on an accepted command line.
///
/// Each option is read by itself, so that a rejected option hides no other. Placeholders (`${SMALLEST}`,
/// `[directory]`) are skipped.
pub(crate) fn drifted<T: ClassicLine>(
    tokens: &[String],
    notes: fn(T) -> Result<Vec<OptionNote>, Usage>,
) -> Vec<Drift> {
    let (mut drifted, mut taken) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let (length, why) = one::<T>(&tokens[at..]);
        let token = &tokens[at..at + length];
        let unfilled = token.iter().any(|word| word.contains(['$', '{', '[']));
        match why {
            _ if unfilled => {}
            Some(detail) => drifted.push(Drift { at: Some(at), kind: DriftKind::Rejected, detail }),
            None => taken.extend_from_slice(token),
        }
        at += length;
    }
    match parse::<T>(&taken).and_then(notes) {
        Err(Usage(detail)) => drifted.push(Drift { at: None, kind: DriftKind::Rejected, detail }),
        Ok(notes) => drifted.extend(notes.into_iter().map(|note| {
            let kind = if note.is_idle { DriftKind::Idle } else { DriftKind::Renamed };
            Drift { at: place(tokens, &note.option), kind, detail: note.to_string() }
        })),
    }
    drifted
}

/// How many tokens the first option takes, and why it is rejected if it is.
fn one<T: ClassicLine>(tokens: &[String]) -> (usize, Option<String>) {
    let read = |length: usize| parse::<T>(&tokens[..length]).err().map(|usage| usage.0);
    let takes_next = tokens.get(1).is_some_and(|next| !next.starts_with('-'));
    let alone = read(1);
    let missing = lacks_value::<T>(&tokens[0]);
    if tokens.len() > 1 && (missing || (takes_next && tokens[0].starts_with('-'))) {
        let both = read(2);
        // A word after a flag is a stray argument by itself.
        if both.is_none() || missing {
            return (2, both);
        }
    }
    (1, alone)
}

/// The position of the token that gives the option of this name.
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
