//! From tokens to a [`ClassicLine`], by the grammar that IOR and mdtest share since 3.2, without its leaks.
//!
//! Invariant: whatever the tokens are, the answer is what was typed or one line that says what is wrong.
//! Never here: which options there are.

use storage::Takes;
use units::Usage;

use super::nearest::nearest;
use super::numbers;
use super::row::{ClassicLine, OptionKind, OptionRow, OptionValue};

/// The tokens that are still to be read.
struct Rest<'a> {
    tokens: &'a [String],
    /// Whether one more was asked for than there are.
    lacks_one: bool,
}

impl<'a> Rest<'a> {
    fn of(tokens: &'a [String]) -> Self {
        Self { tokens, lacks_one: false }
    }

    fn next(&mut self) -> Option<&'a str> {
        let Some((first, rest)) = self.tokens.split_first() else {
            self.lacks_one = true;
            return None;
        };
        self.tokens = rest;
        Some(first)
    }

    fn peek(&self) -> Option<&'a str> {
        self.tokens.first().map(String::as_str)
    }
}

/// Reads the tokens behind the program's name.
pub(crate) fn parse<T: ClassicLine>(tokens: &[String]) -> Result<T, Usage> {
    let mut typed = T::default();
    let mut rest = Rest::of(tokens);
    while let Some(token) = rest.next() {
        option(&mut typed, token, &mut rest)?;
    }
    Ok(typed)
}

/// Whether `token` is an option that takes its value from the next one.
pub(crate) fn lacks_value<T: ClassicLine>(token: &str) -> bool {
    let mut rest = Rest::of(&[]);
    let _ = option(&mut T::default(), token, &mut rest);
    rest.lacks_one
}

/// Takes one token that is an option, and its value from `rest` where it needs one.
fn option<'a, T: ClassicLine>(typed: &mut T, token: &'a str, rest: &mut Rest<'a>) -> Result<(), Usage> {
    if let Some(long) = token.strip_prefix("--") {
        return long_option(typed, token, long, rest);
    }
    match token.strip_prefix('-').filter(|letters| !letters.is_empty()) {
        Some(letters) => letters_of(typed, token, letters, rest),
        None => Err(Usage(format!(
            "`{token}` is not an option; options begin with `-` ({} -h lists them)",
            T::NAME
        ))),
    }
}

/// Takes `token` (`--name=value`, `-x=value`) as an option that has its value with it.
pub(crate) fn whole_option<T: ClassicLine>(typed: &mut T, token: &str) -> Result<(), Usage> {
    option(typed, token, &mut Rest::of(&[]))
}

fn long_option<'a, T: ClassicLine>(
    typed: &mut T,
    token: &str,
    long: &'a str,
    rest: &mut Rest<'a>,
) -> Result<(), Usage> {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    if let Some((backend, option)) = name.split_once('.') {
        return backend_option(typed, token, backend, option, value, rest);
    }
    let row = T::rows().find(|row| row.long == Some(name)).ok_or_else(|| unknown::<T>(token))?;
    if row.kind == OptionKind::Flag {
        return set_flag(typed, row, &format!("--{name}"), value);
    }
    let value = value.or_else(|| rest.next());
    set_value(typed, row, &format!("--{name}"), value)
}

fn backend_option<'a, T: ClassicLine>(
    typed: &mut T,
    token: &str,
    backend: &str,
    option: &str,
    value: Option<&'a str>,
    rest: &mut Rest<'a>,
) -> Result<(), Usage> {
    let of_backend = storage::BACKENDS.iter().find(|known| known.name.eq_ignore_ascii_case(backend));
    let of_backend = of_backend.ok_or_else(|| unknown::<T>(token))?;
    let known = of_backend.options.iter().find(|known| known.name.eq_ignore_ascii_case(option));
    let known = known.ok_or_else(|| unknown::<T>(token))?;
    let name = format!("{}.{}", of_backend.name, known.name);
    let value = if known.takes == Takes::Flag { value.or(Some("1")) } else { value.or_else(|| rest.next()) };
    let text = value
        .filter(|text| !text.is_empty())
        .ok_or_else(|| Usage(format!("--{name} takes a value: {}", known.about)))?;
    if known.takes == Takes::Text {
        typed.of_backends().set(&name, text, true);
        return Ok(());
    }
    let number = number(&format!("--{name}"), text)?;
    if known.takes == Takes::Size && number < 0 {
        return Err(Usage(format!("--{name} {text}: {number} is negative")));
    }
    typed.of_backends().set(&name, &number.to_string(), number != 0);
    Ok(())
}

/// Letters behind one dash: flags, and at the end at most one option with a value, glued or not.
fn letters_of<'a, T: ClassicLine>(
    typed: &mut T,
    token: &str,
    letters: &'a str,
    rest: &mut Rest<'a>,
) -> Result<(), Usage> {
    // `-vwr=0` gives the number to each of its flags.
    let (flags, for_all) = match letters.split_once('=') {
        Some((flags, value)) if flags.chars().all(is_flag::<T>) => (flags, Some(value)),
        _ => (letters, None),
    };
    let mut left = flags;
    while let Some(letter) = left.chars().next() {
        left = &left[letter.len_utf8()..];
        let name = format!("-{letter}");
        if let Some(spelled) = typed.spelled_otherwise(letter, left, rest.peek()) {
            left = spelled?;
            continue;
        }
        if let Some(was) = T::retired(letter) {
            if !was.takes_value() {
                was.take(typed, &name, for_all.unwrap_or("1"))?;
                continue;
            }
            let value = glued(left).or_else(|| rest.next()).filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| Usage(format!("{name} takes a value; it {}", was.about())))?;
            return was.take(typed, &name, value);
        }
        let row = T::rows().find(|row| row.short == Some(letter)).ok_or_else(|| unknown::<T>(token))?;
        if row.kind == OptionKind::Flag {
            set_flag(typed, row, &name, for_all)?;
            continue;
        }
        return set_value(typed, row, &name, glued(left).or_else(|| rest.next()));
    }
    Ok(())
}

fn is_flag<T: ClassicLine>(letter: char) -> bool {
    let lives = T::rows().any(|row| row.short == Some(letter) && row.kind == OptionKind::Flag);
    lives || T::retired(letter).is_some_and(|was| !was.takes_value())
}

/// The value that follows a letter in the same token.
fn glued(left: &str) -> Option<&str> {
    (!left.is_empty()).then(|| left.strip_prefix('=').unwrap_or(left))
}

fn set_flag<T>(typed: &mut T, row: &OptionRow<T>, name: &str, value: Option<&str>) -> Result<(), Usage> {
    let count = match value {
        None => None,
        Some(text) => Some(number(name, text)?.max(0) as u64),
    };
    (row.set)(typed, OptionValue::Flag(count)).map_err(|why| Usage(format!("{name}: {why}")))
}

/// Gives `value` to an option that needs one, or to a flag as a directive gives it.
pub(crate) fn set_value<T>(
    typed: &mut T,
    row: &OptionRow<T>,
    name: &str,
    value: Option<&str>,
) -> Result<(), Usage> {
    let Some(text) = value.filter(|text| !text.is_empty()) else {
        return Err(Usage(format!("{name} takes a value: {}", row.about)));
    };
    let value = match row.kind {
        OptionKind::Directives => {
            return (row.set)(typed, OptionValue::Text(text)).map_err(|why| Usage(format!("{name} {why}")));
        }
        OptionKind::Text => OptionValue::Text(text),
        OptionKind::Size | OptionKind::Number => OptionValue::Number(number(name, text)?),
        OptionKind::Flag => OptionValue::Flag(Some(number(name, text)?.max(0) as u64)),
    };
    if row.kind == OptionKind::Size
        && let OptionValue::Number(negative @ ..0) = value
    {
        return Err(Usage(format!("{name} {text}: {negative} is negative")));
    }
    (row.set)(typed, value).map_err(|why| Usage(format!("{name} {text}: {why}")))
}

fn number(name: &str, text: &str) -> Result<i64, Usage> {
    numbers::parse(text).map_err(|why| Usage(format!("{name}: {why}")))
}

fn unknown<T: ClassicLine>(token: &str) -> Usage {
    let name = token.split('=').next().unwrap_or(token);
    if let Some(row) = name
        .strip_prefix("--")
        .and_then(|letter| T::rows().find(|row| row.short.is_some_and(|short| letter.chars().eq([short]))))
    {
        let letter = row.short.unwrap_or_default();
        return Usage(format!("unknown option `{token}`; a letter has one dash: -{letter}"));
    }
    let of_backends = storage::BACKENDS.iter().flat_map(|backend| {
        backend.options.iter().map(move |option| format!("--{}.{}", backend.name, option.name))
    });
    let words: Vec<String> =
        T::rows().filter_map(|row| row.long.map(|word| format!("--{word}"))).chain(of_backends).collect();
    let program = T::NAME;
    match nearest(name, words.iter().map(String::as_str)) {
        Some(near) => {
            Usage(format!("unknown option `{token}`; the nearest is `{near}` ({program} -h lists all)"))
        }
        None => Usage(format!("unknown option `{token}` ({program} -h lists the options)")),
    }
}
