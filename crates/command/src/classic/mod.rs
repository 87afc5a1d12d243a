//! What the command lines of IOR and mdtest have in common.
//!
//! This is the table of options, the grammar, numbers with suffixes, and the help. The grammar turns tokens
//! into occurrences of options. A program gives its options as an enum that implements [`ClassicOption`].
//!
//! Never here: the options of one program and their meaning.

mod apply;
mod grammar;
mod occurrence;
mod program;
mod row;

pub(crate) use apply::without_gpu;
pub use apply::{
    ClassicLine, OptionNote, ReadLine, SetOption, TakenOptions, lacks_value, parse, take_directives,
};
pub use grammar::{read_directives, read_tokens};
pub use occurrence::{ModuleOption, OptionFault, OptionInput, OptionOccurrence, parse_number, size};
pub use program::{ClassicOption, Respelling, described, help_of_options};
pub(crate) use row::options;
pub use row::{OptionRow, OptionValue, RetiredOption, Successor};

pub use crate::kind::OptionKind;

#[cfg(test)]
mod tests;
