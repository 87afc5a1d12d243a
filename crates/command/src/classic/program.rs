//! The options of a classic program, and its help.

use std::fmt::Debug;

use super::occurrence::OptionInput;
use super::row::{OptionRow, RetiredOption};
use crate::kind::OptionKind;

/// A letter in a spelling that the table does not describe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelling<'a, I: 'static> {
    /// The option as typed.
    pub name: String,
    /// What it is.
    pub input: OptionInput<I>,
    /// The rest of its token.
    pub left: &'a str,
}

/// The options of a classic program.
pub trait ClassicOption: Copy + Debug + Ord + 'static {
    /// The program's name, for messages.
    const PROGRAM: &'static str;

    /// Its options, in the order of the help.
    fn rows() -> impl Iterator<Item = &'static OptionRow<Self>>;

    /// Its retired options.
    fn retired() -> &'static [RetiredOption<Self>];

    /// Reads `letter` in a spelling that the table does not describe; `None` where the table describes it.
    /// `left` follows the letter in its token, `next` is the next token.
    fn respelled<'a>(_letter: char, _left: &'a str, _next: Option<&str>) -> Option<Respelling<'a, Self>> {
        None
    }

    /// The row of this option.
    fn row(self) -> &'static OptionRow<Self> {
        Self::rows().find(|row| row.id == self).expect("each option has a row")
    }
}

/// The help of a program: its flags, then its options with values, each with its default.
pub fn help_of_options<I: ClassicOption>() -> String {
    let part = |flags: bool| -> String {
        I::rows().filter(|row| (row.kind == OptionKind::Flag) == flags).map(help_line).collect()
    };
    format!("Synopsis {}\n\nFlags\n{}\nOptional arguments\n{}", I::PROGRAM, part(true), part(false))
}

/// A line of help: the names of an option and its description.
pub fn described(names: &str, about: &str) -> String {
    // A name that fills its column is still followed by a blank.
    format!("  {names:<29} {about}\n")
}

fn help_line<I>(row: &OptionRow<I>) -> String {
    let mut names: Vec<String> = row.short.map(|letter| format!("-{letter}")).into_iter().collect();
    names.extend(row.long.map(|word| format!("--{word}")));
    let mut directives = row.directives;
    if names.is_empty() {
        names.extend(directives.first().map(|directive| format!("-O {directive}")));
        directives = &[];
    }
    let mut names = names.join(", ");
    if row.kind != OptionKind::Flag {
        let shown = if row.default.is_empty() { "STRING" } else { row.default };
        names.push_str(&format!("={shown}"));
    }
    match directives {
        [] => described(&names, row.about),
        _ => described(&names, &format!("{} [{}]", row.about, directives.join(", "))),
    }
}
