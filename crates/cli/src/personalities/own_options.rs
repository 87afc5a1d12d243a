//! The options with two dashes that `fdtree` and `flash-io` have beside those of the classic programs.
//!
//! Never here: what an option does.

use units::Usage;

/// An option of this program's own.
pub(crate) struct OwnOption {
    pub(crate) word: &'static str,
    /// What its value is called; empty where it takes none.
    value: &'static str,
    about: &'static str,
}

impl OwnOption {
    /// A row of a table of them.
    pub(crate) const fn new(word: &'static str, value: &'static str, about: &'static str) -> Self {
        Self { word, value, about }
    }

    /// Its line of help, with so many columns before the text.
    pub(crate) fn help(&self, width: usize) -> String {
        format!("  {:<width$} {}\n", format!("--{} {}", self.word, self.value), self.about)
    }
}

/// The option of `program` that `typed` is, without its dashes, and its value: behind `=` or the next word;
/// empty where it takes none.
pub(crate) fn read<'t>(
    program: &str,
    all: &[OwnOption],
    typed: &'t str,
    rest: &mut impl Iterator<Item = &'t str>,
) -> Result<(&'static str, &'t str), Usage> {
    let (name, glued) = typed.split_once('=').map_or((typed, None), |(name, value)| (name, Some(value)));
    let Some(own) = all.iter().find(|own| own.word == name) else {
        return Err(Usage(format!("unknown option `--{name}` ({program} -h lists the options)")));
    };
    match (own.value, glued) {
        ("", None) => Ok((own.word, "")),
        ("", Some(_)) => Err(Usage(format!("--{name} takes no value"))),
        _ => {
            let value = glued.or_else(|| rest.next()).filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| Usage(format!("--{name} takes a value: {}", own.about)))?;
            Ok((own.word, value))
        }
    }
}

/// A whole number, in decimal digits alone.
pub(crate) fn number(text: &str) -> Result<u64, &'static str> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("a whole number from 0 on is wanted");
    }
    text.parse().map_err(|_| "more than 64 bits can hold")
}

#[cfg(test)]
pub(crate) fn assert_is_sound(all: &[OwnOption]) {
    assert!(all.iter().map(|own| own.word).is_sorted(), "keep the table in order");
    assert!(all.iter().all(|own| !own.about.is_empty() && !own.about.ends_with('.')));
}
