//! Directives `name=value[,name=value...]`, as `-O` and the lines of scripts have them.
//!
//! Invariant: each directive yields its occurrences or one fault that names the directive.

use super::grammar::{long_names, nearest, read_whole};
use super::occurrence::{OptionFault, OptionInput, OptionOccurrence};
use super::row::ClassicOption;

/// Reads a list of directives from a line of a script. `#` begins a comment.
pub fn read_directives<I: ClassicOption>(text: &str) -> Vec<OptionOccurrence<I>> {
    let mut found = Vec::new();
    for piece in pieces(text) {
        read_piece(piece, &mut found);
    }
    found
}

/// Reads into `found` the list that the token at `at` holds.
pub(super) fn read_list<I: ClassicOption>(text: &str, at: usize, found: &mut Vec<OptionOccurrence<I>>) {
    let listed = read_directives(text);
    found.extend(listed.into_iter().map(|one| OptionOccurrence { at, is_listed: true, ..one }));
}

/// A directive as name and value, or the message about a malformed one.
type DirectivePiece<'a> = Result<(&'a str, &'a str), String>;

fn pieces(text: &str) -> impl Iterator<Item = DirectivePiece<'_>> {
    let text = text.split('#').next().unwrap_or_default();
    text.split(',').map(move |piece| {
        let piece = piece.trim();
        let wrong = |why: &str| format!("`{piece}` in `{}` {why}", text.trim());
        let (key, value) = piece.split_once('=').ok_or_else(|| wrong("is not of the form name=value"))?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || value.is_empty() {
            return Err(wrong("is not of the form name=value"));
        }
        if value.contains(char::is_whitespace) {
            return Err(wrong("has a blank in its value. Separate directives by commas."));
        }
        Ok((key, value))
    })
}

fn read_piece<I: ClassicOption>(piece: DirectivePiece<'_>, found: &mut Vec<OptionOccurrence<I>>) {
    let (key, value) = match piece {
        Ok(pair) => pair,
        Err(why) => return found.push(occurrence(String::new(), OptionFault::Malformed(why).into())),
    };
    let text = Some(value.to_owned());
    let same = |known: &str| known.eq_ignore_ascii_case(key);
    if let Some(row) = I::rows().find(|row| row.directives.iter().any(|known| same(known))) {
        return found.push(occurrence(key.to_owned(), OptionInput::Value(row, text)));
    }
    if let Some(was) = I::retired().iter().find(|was| was.directive.is_some_and(same)) {
        return found.push(occurrence(key.to_owned(), OptionInput::Retired(was, text)));
    }
    if key.starts_with('-') {
        if !key.starts_with("--") && key.contains('O') {
            let why = format!("{key}: directives cannot hold directives. Write {value} itself.");
            return found.push(occurrence(key.to_owned(), OptionFault::Malformed(why).into()));
        }
        return found.extend(read_whole(&format!("{key}={value}")));
    }
    found.push(occurrence(key.to_owned(), unknown::<I>(key).into()));
}

/// The message about an unknown directive. Options with two dashes are directives too.
fn unknown<I: ClassicOption>(key: &str) -> OptionFault {
    let lives = I::rows().flat_map(|row| row.directives.iter().copied());
    let known = lives.chain(I::retired().iter().filter_map(|was| was.directive));
    let long = long_names::<I>();
    let known: Vec<&str> = known.chain(long.iter().map(|name| &name[2..])).collect();
    let near = nearest(key, known.iter().copied());
    let near = near.map(|near| long.iter().find(|name| name[2..] == *near).map_or(near, String::as_str));
    let program = I::PROGRAM;
    OptionFault::Unknown(match near {
        Some(near) => format!("{key}: unknown directive. Did you mean {near}? `{program} -h` lists all."),
        None => format!("{key}: unknown directive. `{program} -h` lists all options."),
    })
}

fn occurrence<I>(name: String, input: OptionInput<I>) -> OptionOccurrence<I> {
    OptionOccurrence { name, at: 0, value_at: None, is_listed: false, input }
}

impl<I> From<OptionFault> for OptionInput<I> {
    fn from(fault: OptionFault) -> Self {
        Self::Fault(fault)
    }
}
