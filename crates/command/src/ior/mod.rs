//! The command line of `ior`: its options, those that it once had, and what a line says.
//!
//! Never here: what an option does to the workload, which its personality knows.

mod facts;
pub mod line;
mod retired;
mod table;

pub use facts::{IorFacts, ReadShift};
pub use line::IorLine;
pub use table::IorOption;

use crate::classic::{ClassicOption, OptionInput, OptionRow, Respelling, RetiredOption};
use retired::{BARE_PACKET_TYPE, RETIRED};
use table::{FLAGS, VALUES};

impl ClassicOption for IorOption {
    const PROGRAM: &'static str = "ior";

    fn rows() -> impl Iterator<Item = &'static OptionRow<Self>> {
        FLAGS.iter().chain(VALUES)
    }

    fn retired() -> &'static [RetiredOption<Self>] {
        RETIRED
    }

    /// A bare `-l` is IOR 3.3's.
    fn respelled<'a>(letter: char, left: &'a str, next: Option<&str>) -> Option<Respelling<'a, Self>> {
        let bare = letter == 'l' && left.is_empty() && next.is_none_or(|next| next.starts_with('-'));
        bare.then(|| Respelling {
            name: "-l without a value".to_owned(),
            input: OptionInput::Retired(BARE_PACKET_TYPE, Some("1".to_owned())),
            left,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_name_is_taken_twice_and_every_row_has_help() {
        let (mut names, mut ids) = (HashSet::new(), HashSet::new());
        for row in IorOption::rows() {
            assert!(!row.about.is_empty() && !row.about.ends_with('.'), "{}", row.about);
            assert!(ids.insert(format!("{:?}", row.id)), "{:?} twice", row.id);
            let short = row.short.map(|letter| format!("-{letter}"));
            let long = row.long.map(|word| format!("--{word}"));
            let directives = row.directives.iter().map(|name| name.to_lowercase());
            for name in short.into_iter().chain(long).chain(directives) {
                assert!(names.insert(name.clone()), "{name} twice");
            }
        }
        for retired in RETIRED {
            let (letter, directive) = (retired.short, retired.directive.unwrap().to_lowercase());
            assert!(letter.is_none_or(|letter| !names.contains(&format!("-{letter}"))), "{letter:?} lives");
            assert!(!names.contains(&directive), "{directive} lives");
        }
    }

    #[test]
    fn the_sizes_of_a_line_that_gives_none_are_those_of_the_help() {
        for (option, bytes) in
            [(IorOption::BlockSize, facts::BLOCK), (IorOption::TransferSize, facts::TRANSFER)]
        {
            assert_eq!(option.row().default, bytes.to_string());
        }
    }
}
