//! The command line of `md-workbench`: its options, what they request, and what is rejected.
//!
//! [`Request`] is what the engine runs. A [`Line`] is any command line, as far as it can be read.
//!
//! Never here: running a request.

mod facts;
mod options;
mod parsed;
mod request;

pub use facts::Line;
pub use options::MdWorkbenchOption;
pub use parsed::{Output, Parsed};
pub use request::Request;

use crate::classic::{ClassicOption, OptionRow, RetiredOption};
use options::ROWS;

impl ClassicOption for MdWorkbenchOption {
    const PROGRAM: &'static str = "md-workbench";

    fn rows() -> impl Iterator<Item = &'static OptionRow<Self>> {
        ROWS.iter()
    }

    fn retired() -> &'static [RetiredOption<Self>] {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_is_unique_and_every_row_has_help() {
        let mut names = HashSet::new();
        for row in MdWorkbenchOption::rows() {
            assert!(!row.about.is_empty() && !row.about.ends_with('.'), "{}", row.about);
            let short = row.short.map(|letter| format!("-{letter}"));
            let long = row.long.map(|word| format!("--{word}"));
            assert!(short.is_some() || long.is_some(), "{}", row.about);
            for name in short.into_iter().chain(long) {
                assert!(names.insert(name.clone()), "{name} twice");
            }
        }
        for letter in "OaILPDGoqSRtT123wWXv".chars() {
            assert!(names.contains(&format!("-{letter}")), "-{letter}");
        }
    }
}
