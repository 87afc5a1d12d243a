//! The command line of `md-workbench`: its options.
//!
//! Never here: the effect of an option on the workload, which the personality knows.

mod table;

pub use table::MdWorkbenchOption;

use crate::classic::{ClassicOption, OptionRow, RetiredOption};
use table::ROWS;

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
