//! Options that are rejected, removed or changed, each with its position, for callers that check a command
//! line without running it.
//!
//! Never here: rejecting the command line.

use lint::{Drift, DriftKind};
use units::Usage;

use command::classic::{ClassicLine, OptionNote, lacks_value, parse};

/// The options of a command line that are rejected by themselves.
///
/// Each option is read alone, so that a rejected option hides no other.
#[derive(Clone, Debug, Default)]
pub(crate) struct RejectedOptions {
    /// The places of their tokens, from 0, and the reasons.
    pub(crate) rejected: Vec<(usize, String)>,
    /// Whether an option is rejected only for a placeholder, such as `${SMALLEST}`. The value that replaces
    /// it is not known.
    pub(crate) lack_values: bool,
    /// The tokens of the other options.
    accepted: Vec<String>,
}

impl RejectedOptions {
    /// Reads the tokens after the program's name.
    pub(crate) fn read<T: ClassicLine>(tokens: &[String]) -> Self {
        let (mut read, mut at) = (Self::default(), 0);
        while at < tokens.len() {
            let (length, why) = one::<T>(&tokens[at..]);
            let token = &tokens[at..at + length];
            match why {
                None => read.accepted.extend_from_slice(token),
                Some(_) if token.iter().any(|word| is_unfilled(word)) => read.lack_values = true,
                Some(why) => read.rejected.push((at, why)),
            }
            at += length;
        }
        read
    }
}

/// Whether a shell, a plan or a person completes the argument: `$SCRATCH/f`, `{dir}/f`, `[directory]`.
pub(crate) fn is_unfilled(word: &str) -> bool {
    word.contains(['$', '{', '['])
}

/// The options of `tokens` that have another effect than before, or none. `notes` gives the notes on an
/// accepted command line.
pub(crate) fn drifted<T: ClassicLine>(
    tokens: &[String],
    notes: fn(T) -> Result<Vec<OptionNote>, Usage>,
) -> Vec<Drift> {
    let notes = parse::<T>(&RejectedOptions::read::<T>(tokens).accepted).and_then(notes);
    let drift = |note: OptionNote| {
        let kind = if note.is_idle { DriftKind::Idle } else { DriftKind::Renamed };
        Drift { at: place(tokens, &note.option), kind, detail: note.to_string() }
    };
    notes.unwrap_or_default().into_iter().map(drift).collect()
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
