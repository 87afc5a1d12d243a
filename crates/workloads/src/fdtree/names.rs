//! The names in a tree.

use command::fdtree::FdtreeShape;

/// Whether a directory at `level` holds an entry of this name; `Some(true)` for a directory.
pub(super) fn holds(shape: &FdtreeShape, level: u64, name: &str) -> Option<bool> {
    let own = TreeName::parse(name).filter(|own| own.level == level)?;
    let most = if own.directory { shape.dirs_at(level) } else { shape.files };
    (1..=most).contains(&own.number).then_some(own.directory)
}

/// An entry name that fdtree can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeName {
    pub(super) level: u64,
    pub(super) directory: bool,
    pub(super) number: u64,
}

impl TreeName {
    /// Parses `LnDk` or `LnFk`, with the numbers as fdtree writes them.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (level, rest) = leading_number(name.strip_prefix('L')?)?;
        let directory = match rest.bytes().next()? {
            b'D' => true,
            b'F' => false,
            _ => return None,
        };
        let (number, rest) = leading_number(&rest[1..])?;
        (rest.is_empty() && number > 0).then_some(Self { level, directory, number })
    }
}

/// The decimal number at the start of `text`, without leading zeros, and the rest of the text.
fn leading_number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let plain = digits == "0" || !digits.starts_with('0');
    Some((digits.parse().ok().filter(|_| plain)?, rest))
}
