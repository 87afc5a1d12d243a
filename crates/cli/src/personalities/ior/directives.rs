//! `name=value[,name=value...]`, behind `-O` and in the lines of scripts.

use units::Usage;

use super::retired;
use super::table;
use super::typed::TypedIor;
use crate::personalities::classic::Retiree;
use crate::personalities::classic::grammar::{set_value, whole_option};
use crate::personalities::classic::nearest::nearest;

/// Takes a list of directives; `#` begins a comment. A failure names the piece that is wrong.
pub(super) fn list(typed: &mut TypedIor, text: &str) -> Result<(), Usage> {
    let text = text.split('#').next().unwrap_or_default();
    for piece in text.split(',') {
        let piece = piece.trim();
        let wrong = |why: &str| Usage(format!("`{piece}` in `{}` {why}", text.trim()));
        let (key, value) = piece.split_once('=').ok_or_else(|| wrong("is not of the form name=value"))?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || value.is_empty() {
            return Err(wrong("is not of the form name=value"));
        }
        if value.contains(char::is_whitespace) {
            return Err(wrong("has a blank in its value; a comma separates directives"));
        }
        one(typed, key, value)?;
    }
    Ok(())
}

fn one(typed: &mut TypedIor, key: &str, value: &str) -> Result<(), Usage> {
    if let Some(row) = table::directive(key) {
        return set_value(typed, row, key, Some(value));
    }
    if let Some(was) = retired::of_directive(key) {
        return was.take(typed, key, value);
    }
    if key.starts_with('-') {
        if !key.starts_with("--") && key.contains('O') {
            return Err(Usage(format!("{key}: directives cannot hold directives; write {value} itself")));
        }
        return whole_option(typed, &format!("{key}={value}"));
    }
    let lives = table::rows().flat_map(|row| row.directives.iter().copied());
    let known = lives.chain(retired::RETIRED.iter().map(|was| was.directive));
    Err(match nearest(key, known) {
        Some(near) => Usage(format!("{key}: unknown directive; the nearest is {near} (ior -h lists all)")),
        None => Usage(format!("{key}: unknown directive (ior -h lists them)")),
    })
}
