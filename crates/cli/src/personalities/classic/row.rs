//! One option of a classic program: its names, what it takes, and how it changes what was typed.

use units::Usage;

use super::settings::OfBackends;

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionKind {
    /// Nothing, or `=n`.
    Flag,
    /// A whole number.
    Number,
    /// Bytes, with a suffix.
    Size,
    /// Anything.
    Text,
    /// Options in another form, which name themselves where they are wrong.
    Directives,
}

/// What was given to an option.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OptionValue<'a> {
    /// A flag, with the number behind `=` if any.
    Flag(Option<u64>),
    /// A number or a size.
    Number(i64),
    /// A text.
    Text(&'a str),
}

impl OptionValue<'_> {
    /// Whether it switches something on.
    pub(crate) fn on(self) -> bool {
        !matches!(self, Self::Flag(Some(0)) | Self::Number(0))
    }

    /// How often a flag was given, after `before` times.
    pub(crate) fn count(self, before: u64) -> u64 {
        match self {
            Self::Flag(None) => before + 1,
            Self::Flag(Some(count)) => count,
            _ => 0,
        }
    }

    /// A whole number that fits.
    pub(crate) fn whole<T: TryFrom<i64>>(self) -> Result<T, String> {
        let number = match self {
            Self::Number(number) => number,
            Self::Flag(Some(count)) => count as i64,
            _ => return Err("takes a number".into()),
        };
        T::try_from(number).map_err(|_| match number {
            ..0 => format!("{number} is negative"),
            _ => format!("{number} is more than can be"),
        })
    }

    /// A number, where -1 stands for what is found.
    pub(crate) fn unless_minus_one<T: TryFrom<i64>>(self) -> Result<Option<T>, String> {
        if matches!(self, Self::Number(-1)) { Ok(None) } else { self.whole().map(Some) }
    }

    /// A text.
    pub(crate) fn text(self) -> String {
        if let Self::Text(text) = self { text.to_owned() } else { String::new() }
    }
}

/// One option of the program whose line becomes a `T`.
pub(crate) struct OptionRow<T: 'static> {
    /// The letter, `-x`.
    pub(crate) short: Option<char>,
    /// The word, `--word`.
    pub(crate) long: Option<&'static str>,
    /// The names as a directive, `-O name=value`.
    pub(crate) directives: &'static [&'static str],
    /// What it takes.
    pub(crate) kind: OptionKind,
    /// One line of help.
    pub(crate) about: &'static str,
    /// Takes the value in.
    pub(crate) set: fn(&mut T, OptionValue<'_>) -> Result<(), String>,
}

/// A letter that an older version of the program had.
pub(crate) trait Retiree<T> {
    /// Whether it took a value.
    fn takes_value(&self) -> bool;

    /// What became of it, as words behind its name.
    fn about(&self) -> &'static str;

    /// Takes it as `name` with `value`, and notes what became of it.
    fn take(&self, typed: &mut T, name: &str, value: &str) -> Result<(), Usage>;
}

/// What the line of a classic program becomes.
pub(crate) trait ClassicLine: Default + 'static {
    /// The program's name, for messages.
    const NAME: &'static str;

    /// Its options.
    fn rows() -> impl Iterator<Item = &'static OptionRow<Self>>;

    /// The letter that was.
    fn retired(_letter: char) -> Option<&'static dyn Retiree<Self>> {
        None
    }

    /// Takes `letter` in a spelling of its own: `left` follows it in its token, `next` is the next token.
    /// Gives what is left of the token then; `None` where it stands as the table says.
    fn spelled_otherwise<'a>(
        &mut self,
        _letter: char,
        _left: &'a str,
        _next: Option<&str>,
    ) -> Option<Result<&'a str, Usage>> {
        None
    }

    /// Where options of backends go.
    fn of_backends(&mut self) -> OfBackends<'_>;
}
