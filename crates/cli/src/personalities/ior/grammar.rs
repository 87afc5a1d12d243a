//! From tokens to [`Typed`], by IOR 4.1's grammar, without its leaks.

use storage::Takes;
use units::Usage;

use super::numbers;
use super::table::{self, Kind, LUSTRE, RETIRED, Row, Value};
use super::typed::Typed;

/// Reads the tokens behind the program's name.
pub(crate) fn parse(tokens: &[String]) -> Result<Typed, Usage> {
    let mut typed = Typed::default();
    let mut rest = tokens.iter().map(String::as_str);
    while let Some(token) = rest.next() {
        if let Some(long) = token.strip_prefix("--") {
            long_option(&mut typed, token, long, &mut rest)?;
        } else if let Some(letters) = token.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            letters_of(&mut typed, token, letters, &mut rest)?;
        } else {
            return Err(Usage(format!(
                "`{token}` is not an option; options begin with `-` (ior -h lists them)"
            )));
        }
    }
    Ok(typed)
}

fn long_option<'a>(
    typed: &mut Typed,
    token: &str,
    long: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<(), Usage> {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    if let Some((backend, option)) = name.split_once('.') {
        return backend_option(typed, token, backend, option, value, rest);
    }
    let row = table::rows().find(|row| row.long == Some(name)).ok_or_else(|| unknown(token))?;
    if row.kind == Kind::Flag {
        return set_flag(typed, row, token, value);
    }
    let value = value.or_else(|| rest.next());
    set_value(typed, row, &format!("--{name}"), value)
}

fn backend_option<'a>(
    typed: &mut Typed,
    token: &str,
    backend: &str,
    option: &str,
    value: Option<&'a str>,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<(), Usage> {
    let known = storage::BACKENDS.iter().find(|known| known.name == backend).ok_or_else(|| unknown(token))?;
    let known = known.options.iter().find(|known| known.name == option).ok_or_else(|| unknown(token))?;
    let name = format!("{backend}.{option}", option = known.name);
    let value = if known.takes == Takes::Flag { value.or(Some("1")) } else { value.or_else(|| rest.next()) };
    let text =
        value.filter(|text| !text.is_empty()).ok_or_else(|| Usage(format!("{token} takes a value")))?;
    if known.takes == Takes::Text {
        typed.parameters.settings.set(&name, text);
        return Ok(());
    }
    let number = number(token, text)?;
    if known.takes == Takes::Size && number < 0 {
        return Err(Usage(format!("{token}: {number} is negative")));
    }
    typed.parameters.settings.set(&name, number.to_string());
    Ok(())
}

/// Letters behind one dash: flags, and at the end at most one option with a value, glued or not.
fn letters_of<'a>(
    typed: &mut Typed,
    token: &str,
    letters: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<(), Usage> {
    let mut left = letters;
    while let Some(letter) = left.chars().next() {
        left = &left[letter.len_utf8()..];
        if let Some(retired) = RETIRED.iter().find(|retired| retired.short == letter) {
            take_retired(typed, retired);
            if retired.takes_value && left.is_empty() {
                rest.next();
            }
            continue;
        }
        let row = table::rows().find(|row| row.short == Some(letter)).ok_or_else(|| unknown(token))?;
        let name = format!("-{letter}");
        if row.kind != Kind::Flag {
            let value =
                if left.is_empty() { rest.next() } else { Some(left.strip_prefix('=').unwrap_or(left)) };
            return set_value(typed, row, &name, value);
        }
        match left.strip_prefix('=') {
            Some(value) => return set_flag(typed, row, &name, Some(value)),
            None => set_flag(typed, row, &name, None)?,
        }
    }
    Ok(())
}

fn take_retired(typed: &mut Typed, retired: &table::Retired) {
    typed.notes.push(format!("-{} {}", retired.short, retired.note));
    if let Some(option) = retired.today {
        typed.parameters.settings.set(option, "1");
    }
}

fn set_flag(typed: &mut Typed, row: &Row, name: &str, value: Option<&str>) -> Result<(), Usage> {
    let count = match value {
        None => None,
        Some(text) => Some(number(name, text)?.max(0) as u64),
    };
    (row.set)(typed, Value::Flag(count)).map_err(|why| Usage(format!("{name}: {why}")))
}

fn set_value(typed: &mut Typed, row: &Row, name: &str, value: Option<&str>) -> Result<(), Usage> {
    let Some(text) = value.filter(|text| !text.is_empty()) else {
        return Err(Usage(format!("{name} takes a value: {}", row.about)));
    };
    if row.short == Some('O') {
        return directives(typed, text);
    }
    let value = match row.kind {
        Kind::Text => Value::Text(text),
        Kind::Size | Kind::Number => Value::Number(number(name, text)?),
        Kind::Flag => Value::Flag(Some(number(name, text)?.max(0) as u64)),
    };
    if row.kind == Kind::Size
        && let Value::Number(negative @ ..0) = value
    {
        return Err(Usage(format!("{name} {text}: {negative} is negative")));
    }
    (row.set)(typed, value).map_err(|why| Usage(format!("{name} {text}: {why}")))
}

fn number(name: &str, text: &str) -> Result<i64, Usage> {
    numbers::parse(text).map_err(|why| Usage(format!("{name}: {why}")))
}

/// `-O key=value[,key=value...]`; a key that is no directive is tried as an option.
fn directives(typed: &mut Typed, text: &str) -> Result<(), Usage> {
    let text = text.split('#').next().unwrap_or_default();
    for piece in text.split(',') {
        let wrong = || Usage(format!("-O {text}: `{piece}` is not of the form name=value"));
        let (key, value) = piece.split_once('=').ok_or_else(wrong)?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || value.is_empty() {
            return Err(wrong());
        }
        directive(typed, key, value)?;
    }
    Ok(())
}

fn directive(typed: &mut Typed, key: &str, value: &str) -> Result<(), Usage> {
    let name = format!("-O {key}");
    if let Some(row) =
        table::rows().find(|row| row.directives.iter().any(|known| known.eq_ignore_ascii_case(key)))
    {
        return set_value(typed, row, &name, Some(value));
    }
    let lower = key.to_lowercase();
    if lower == "useo_direct" {
        let mut none = std::iter::empty();
        return backend_option(typed, &name, "posix", "odirect", Some(value), &mut none);
    }
    if LUSTRE.contains(&lower.as_str()) {
        typed
            .notes
            .push(format!("{name}={value}: layouts are not set here; the directory's own layout is used"));
        return Ok(());
    }
    if key.starts_with('-') {
        let inner = parse_into(typed.clone(), &format!("{key}={value}"))?;
        *typed = inner;
        return Ok(());
    }
    Err(Usage(format!("{name}: unknown directive (ior -h lists them)")))
}

fn parse_into(typed: Typed, token: &str) -> Result<Typed, Usage> {
    let mut typed = typed;
    let mut none = std::iter::empty();
    match token.strip_prefix("--") {
        Some(long) => long_option(&mut typed, token, long, &mut none)?,
        None => letters_of(&mut typed, token, token.trim_start_matches('-'), &mut none)?,
    }
    Ok(typed)
}

fn unknown(token: &str) -> Usage {
    Usage(format!("unknown option `{token}` (ior -h lists the options)"))
}
