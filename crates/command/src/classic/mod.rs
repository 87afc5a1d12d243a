//! What the command lines of IOR and mdtest have in common: rows of a table of options, the grammar that
//! turns tokens into occurrences of options, numbers with suffixes, the help made of the same table.
//!
//! A program gives its options as an enum that is a [`ClassicOption`].
//!
//! Never here: the options of one program, and what they mean.

mod directives;
mod grammar;
mod occurrence;
mod row;
mod values;

pub use directives::read_directives;
pub use grammar::read_tokens;
pub use occurrence::{ModuleOption, ModuleOptions, OptionFault, OptionInput, OptionOccurrence, parse_number};
pub(crate) use row::options;
pub use row::{
    ClassicOption, OptionKind, OptionRow, OptionValue, Respelling, RetiredOption, Successor, described,
    help_of_options,
};
pub(crate) use values::OptionValues;

#[cfg(test)]
mod tests;
