//! The command line of `mdtest`: its options, and those that it once had.
//!
//! Never here: what an option does to the workload, which its personality knows.

mod retired;
mod table;

pub use table::MdtestOption;

use crate::classic::{ClassicOption, OptionRow, Respelling, RetiredOption};
use table::{FLAGS, VALUES};

impl ClassicOption for MdtestOption {
    const PROGRAM: &'static str = "mdtest";

    fn rows() -> impl Iterator<Item = &'static OptionRow<Self>> {
        FLAGS.iter().chain(VALUES)
    }

    fn retired() -> &'static [RetiredOption<Self>] {
        retired::RETIRED
    }

    fn respelled<'a>(letter: char, left: &'a str, next: Option<&str>) -> Option<Respelling<'a, Self>> {
        retired::respelled(letter, left, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_name_is_taken_twice_and_every_row_has_help() {
        let (mut names, mut ids) = (HashSet::new(), HashSet::new());
        for row in MdtestOption::rows() {
            assert!(!row.about.is_empty() && !row.about.ends_with('.'), "{}", row.about);
            assert!(ids.insert(format!("{:?}", row.id)), "{:?} twice", row.id);
            let short = row.short.map(|letter| format!("-{letter}"));
            let long = row.long.map(|word| format!("--{word}"));
            assert!(short.is_some() || long.is_some(), "{}", row.about);
            for name in short.into_iter().chain(long) {
                assert!(names.insert(name.clone()), "{name} twice");
            }
        }
        for letter in retired::RETIRED.iter().filter_map(|retired| retired.short) {
            assert!(!names.contains(&format!("-{letter}")), "{letter} lives");
        }
    }

    #[test]
    fn every_option_of_4_1_has_its_row() {
        let letters: HashSet<char> = MdtestOption::rows().filter_map(|row| row.short).collect();
        for letter in "abzInLduScDFCTErUNewyYXGkRiflsptBWxZPvVgh".chars() {
            assert!(letters.contains(&letter), "-{letter}");
        }
        let words: HashSet<&str> = MdtestOption::rows().filter_map(|row| row.long).collect();
        for word in [
            "verify-read",
            "verify-write",
            "dataPacketType",
            "random-seed",
            "print-all-procs",
            "showRankStatistics",
            "saveRankPerformanceDetails",
            "savePerOpDataCSV",
            "run-cmd-before-phase",
            "run-cmd-after-phase",
            "warningAsErrors",
            "help",
        ] {
            assert!(words.contains(word), "--{word}");
        }
    }
}
