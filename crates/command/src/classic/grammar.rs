//! Turns tokens into occurrences of options, by the grammar that IOR and mdtest share since 3.2. It has
//! directives `name=value[,name=value...]`, as `-O` and the lines of scripts have them.
//!
//! Invariant: all tokens are read to the end. A wrong token is an occurrence too, in its place.
//! Never here: the list of options and the meaning of their values.

use super::occurrence::{ModuleOption, OptionFault, OptionInput, OptionOccurrence};
use super::program::ClassicOption;
use crate::kind::OptionKind;

/// Reads the tokens that follow the program's name.
pub fn read_tokens<I: ClassicOption>(tokens: &[String]) -> Vec<OptionOccurrence<I>> {
    let mut reader = TokenReader::new(tokens);
    while let Some((_, token)) = reader.next() {
        reader.option(token);
    }
    reader.found
}

/// The occurrences of `token`, an option that contains its value (`--name=value`, `-x=value`).
fn read_whole<I: ClassicOption>(token: &str) -> Vec<OptionOccurrence<I>> {
    let mut reader = TokenReader::new(&[]);
    reader.option(token);
    reader.found
}

/// A value, and the place of its token if the value is a token of its own.
type PlacedText = (Option<String>, Option<usize>);

struct TokenReader<'a, I: 'static> {
    tokens: &'a [String],
    /// Number of tokens read so far.
    read: usize,
    /// Place of the option that is being read.
    at: usize,
    found: Vec<OptionOccurrence<I>>,
}

impl<'a, I: ClassicOption> TokenReader<'a, I> {
    fn new(tokens: &'a [String]) -> Self {
        Self { tokens, read: 0, at: 0, found: Vec::new() }
    }

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let token = self.tokens.get(self.read)?;
        self.read += 1;
        Some((self.read - 1, token))
    }

    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.read).map(String::as_str)
    }

    fn push(&mut self, name: String, value_at: Option<usize>, input: OptionInput<I>) {
        self.found.push(OptionOccurrence { name, at: self.at, value_at, is_listed: false, input });
    }

    fn fault(&mut self, token: &str, fault: OptionFault) {
        self.push(token.to_owned(), None, OptionInput::Fault(fault));
    }

    /// Reads one token that is an option, and its value from the next token where it needs one.
    fn option(&mut self, token: &'a str) {
        self.at = self.read.saturating_sub(1);
        if let Some(long) = token.strip_prefix("--") {
            return self.long(token, long);
        }
        match token.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            Some(letters) => self.letters(token, letters),
            None => {
                let text = format!(
                    "`{token}` is not an option. Options begin with `-`; `{} -h` lists them.",
                    I::PROGRAM
                );
                self.fault(token, OptionFault::Stray(text));
            }
        }
    }

    /// The value in the option's own token, or else the next token.
    fn value_or_next(&mut self, value: Option<&str>) -> PlacedText {
        match (value, value.is_none().then(|| self.next()).flatten()) {
            (None, Some((at, next))) => (Some(next.to_owned()), Some(at)),
            (value, _) => (value.map(str::to_owned), None),
        }
    }

    fn long(&mut self, token: &str, long: &str) {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        if name.contains('.') {
            return self.module(token, name, value);
        }
        let Some(row) = I::rows().find(|row| row.long == Some(name)) else {
            return self.fault(token, unknown::<I>(token));
        };
        if row.kind == OptionKind::Flag {
            return self.push(format!("--{name}"), None, OptionInput::Flag(row, value.map(str::to_owned)));
        }
        let (text, value_at) = self.value_or_next(value);
        self.push(format!("--{name}"), value_at, OptionInput::Value(row, text));
    }

    fn module(&mut self, token: &str, name: &str, value: Option<&str>) {
        let Some(known) = ModuleOption::named(name) else {
            if value.is_none() && self.peek().is_some_and(|next| !next.starts_with('-')) {
                // The next token may be its value, and is no other fault.
                self.next();
            }
            return self.fault(token, unknown::<I>(token));
        };
        let (text, value_at) = match known.option.kind {
            OptionKind::Flag => (Some(value.unwrap_or("1").to_owned()), None),
            _ => self.value_or_next(value),
        };
        self.push(format!("--{known}"), value_at, OptionInput::Module(known, text));
    }

    /// Reads letters after one dash: flags, then at most one option with a value, glued or separate.
    fn letters(&mut self, token: &str, letters: &'a str) {
        // `-vwr=0` gives the number to each of these flags.
        let (flags, for_all) = match letters.split_once('=') {
            Some((flags, value)) if flags.chars().all(is_flag::<I>) => (flags, Some(value)),
            _ => (letters, None),
        };
        let mut left = flags;
        while let Some(letter) = left.chars().next() {
            left = &left[letter.len_utf8()..];
            // The classic parser skips a dash between letters: `-z-k` is `-z -k`.
            if letter == '-' && !left.is_empty() {
                continue;
            }
            let name = format!("-{letter}");
            if let Some(respelled) = I::respelled(letter, left, self.peek()) {
                left = respelled.left;
                self.push(respelled.name, None, respelled.input);
                continue;
            }
            if let Some(was) = I::retired().iter().find(|was| was.short == Some(letter)) {
                if was.takes_value {
                    let (text, value_at) = self.value_or_next(glued(left));
                    return self.push(name, value_at, OptionInput::Retired(was, text));
                }
                self.push(name, None, OptionInput::Retired(was, Some(for_all.unwrap_or("1").to_owned())));
                continue;
            }
            let Some(row) = I::rows().find(|row| row.short == Some(letter)) else {
                self.fault(token, unknown::<I>(token));
                continue;
            };
            match row.kind {
                OptionKind::Flag => {
                    self.push(name, None, OptionInput::Flag(row, for_all.map(str::to_owned)));
                    continue;
                }
                OptionKind::Directives => {
                    let (text, value_at) = self.value_or_next(glued(left));
                    return match text.as_deref() {
                        None | Some("") => self.push(name, value_at, OptionInput::Value(row, text)),
                        Some(list) => read_list(list, self.at, &mut self.found),
                    };
                }
                _ => {
                    let (text, value_at) = self.value_or_next(glued(left));
                    return self.push(name, value_at, OptionInput::Value(row, text));
                }
            }
        }
    }
}

fn is_flag<I: ClassicOption>(letter: char) -> bool {
    let lives = I::rows().any(|row| row.short == Some(letter) && row.kind == OptionKind::Flag);
    lives || I::retired().iter().any(|was| was.short == Some(letter) && !was.takes_value)
}

/// The value that follows a letter in the same token.
fn glued(left: &str) -> Option<&str> {
    (!left.is_empty()).then(|| left.strip_prefix('=').unwrap_or(left))
}

/// Reads a list of directives from a line of a script. `#` begins a comment.
pub fn read_directives<I: ClassicOption>(text: &str) -> Vec<OptionOccurrence<I>> {
    let mut found = Vec::new();
    for piece in pieces(text) {
        read_piece(piece, &mut found);
    }
    found
}

/// Reads into `found` the list that the token at `at` holds.
fn read_list<I: ClassicOption>(text: &str, at: usize, found: &mut Vec<OptionOccurrence<I>>) {
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
    found.push(occurrence(key.to_owned(), unknown_directive::<I>(key).into()));
}

/// The message about an unknown directive. Options with two dashes are directives too.
fn unknown_directive<I: ClassicOption>(key: &str) -> OptionFault {
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

/// The message about an unknown option, with the nearest known option.
fn unknown<I: ClassicOption>(token: &str) -> OptionFault {
    let name = token.split('=').next().unwrap_or(token);
    if let Some(row) = name
        .strip_prefix("--")
        .and_then(|letter| I::rows().find(|row| row.short.is_some_and(|short| letter.chars().eq([short]))))
    {
        let letter = row.short.unwrap_or_default();
        return OptionFault::Unknown(format!(
            "unknown option `{token}`. A letter takes one dash: -{letter}."
        ));
    }
    let words = long_names::<I>();
    let program = I::PROGRAM;
    OptionFault::Unknown(match nearest(name, words.iter().map(String::as_str)) {
        Some(near) => format!("unknown option `{token}`. Did you mean `{near}`? `{program} -h` lists all."),
        None => format!("unknown option `{token}`. `{program} -h` lists all options."),
    })
}

/// The names of all options with two dashes.
fn long_names<I: ClassicOption>() -> Vec<String> {
    let of_modules = ModuleOption::all().map(|known| format!("--{known}"));
    I::rows().filter_map(|row| row.long.map(|word| format!("--{word}"))).chain(of_modules).collect()
}

/// The known word that is nearest to an unknown one. `None` if more than a third of its letters differ.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let (distance, best) = known.map(|name| (distance(&lower, &name.to_lowercase()), name)).min()?;
    (distance <= best.len() / 3).then_some(best)
}

/// Number of letters to insert, delete or replace to turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, letter) in a.chars().enumerate() {
        let mut corner = line;
        row[0] = line + 1;
        for (column, other) in b.iter().enumerate() {
            let changed = corner + usize::from(letter != *other);
            corner = row[column + 1];
            row[column + 1] = changed.min(corner + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_option_finds_the_nearest_known_one() {
        let known = ["blockSize", "transferSize", "segmentCount", "--posix.odirect"];
        let near = |word| nearest(word, known.into_iter());
        assert_eq!(near("blocksiez"), Some("blockSize"));
        assert_eq!(near("segmentsCount"), Some("segmentCount"));
        assert_eq!(near("--posix.o_direct"), Some("--posix.odirect"));
        assert_eq!(near("colour"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
