//! The long options that `fdtree` and `flash-io` have in addition to those of the classic programs.
//!
//! Never here: the effect of an option.

use units::Usage;

/// An option that only assay has.
pub struct OwnOption {
    /// Its name, without dashes.
    pub word: &'static str,
    /// The name of its value; empty if it takes none.
    pub value: &'static str,
    about: &'static str,
}

impl OwnOption {
    /// A row of a table of options.
    pub(crate) const fn new(word: &'static str, value: &'static str, about: &'static str) -> Self {
        Self { word, value, about }
    }

    /// Its line of help. The text begins after `width` columns.
    pub fn help(&self, width: usize) -> String {
        format!("  {:<width$} {}\n", format!("--{} {}", self.word, self.value), self.about)
    }
}

/// The option of `program` in `typed` (without its dashes) and its value. The value follows `=` or is the
/// next token; it is empty if the option takes none.
pub(crate) fn read<'t>(
    program: &str,
    all: &[OwnOption],
    typed: &'t str,
    rest: &mut impl Iterator<Item = &'t str>,
) -> Result<(&'static str, &'t str), Usage> {
    let (name, glued) = typed.split_once('=').map_or((typed, None), |(name, value)| (name, Some(value)));
    let Some(own) = all.iter().find(|own| own.word == name) else {
        return Err(Usage(format!("unknown option `--{name}`. `{program} -h` lists all options.")));
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

/// A whole number in decimal digits only.
pub(crate) fn number(text: &str) -> Result<u64, &'static str> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a whole number of 0 or more");
    }
    text.parse().map_err(|_| "does not fit into 64 bits")
}

#[cfg(test)]
pub(crate) fn assert_is_sound(all: &[OwnOption]) {
    assert!(all.iter().map(|own| own.word).is_sorted(), "keep the table in order");
    assert!(all.iter().all(|own| !own.about.is_empty() && !own.about.ends_with('.')));
}
