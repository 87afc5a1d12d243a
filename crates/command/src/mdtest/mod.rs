//! The command line of `mdtest`: its options, what they request, what is rejected, and its retired options.
//!
//! [`Request`] is what the engine runs. A [`Line`] is any command line, as far as it can be read.
//!
//! Never here: running a request.

mod counts;
mod facts;
mod operations;
mod options;
mod parsed;
mod request;
mod rules;

pub use counts::ItemCounts;
pub use facts::Line;
pub use operations::{ItemOperation, OPERATIONS, OperationKind, When, operation_names};
pub use options::MdtestOption;
pub use parsed::{Edition, Output, Parsed};
pub use request::Request;

use crate::classic::{
    ClassicOption, OptionFault, OptionInput, OptionKind, OptionRow, Respelling, RetiredOption, Successor,
};
use options::ROWS;

impl ClassicOption for MdtestOption {
    const PROGRAM: &'static str = "mdtest";

    fn rows() -> impl Iterator<Item = &'static OptionRow<Self>> {
        ROWS.iter()
    }

    fn retired() -> &'static [RetiredOption<Self>] {
        RETIRED
    }

    /// `-B` without a number and `-R` with a glued number, as version 1.9 had them.
    fn respelled<'a>(letter: char, left: &'a str, next: Option<&str>) -> Option<Respelling<'a, Self>> {
        let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '=');
        match letter {
            'B' if !number(if left.is_empty() { next.unwrap_or_default() } else { left }) => {
                Some(Respelling {
                    name: "-B".to_owned(),
                    input: OptionInput::Value(MdtestOption::Barriers.row(), Some("1".to_owned())),
                    left,
                })
            }
            'R' if left.starts_with(|c: char| c.is_ascii_digit()) => {
                let end = left.find(|c: char| !c.is_ascii_digit()).unwrap_or(left.len());
                let (seed, left) = left.split_at(end);
                let input = match seed.parse::<u64>() {
                    Ok(_) => OptionInput::Value(&SEEDED_SHUFFLE, Some(seed.to_owned())),
                    Err(_) => {
                        let why = format!("-R{seed}: the seed exceeds 2^64");
                        OptionInput::Fault(OptionFault::Malformed(why))
                    }
                };
                Some(Respelling { name: format!("-R{seed}"), input, left })
            }
            _ => None,
        }
    }
}

/// Retired letters of mdtest 1.9, and their replacements.
const RETIRED: &[RetiredOption<MdtestOption>] = &[
    RetiredOption {
        short: Some('A'),
        takes_value: true,
        directive: None,
        successor: Successor::Rejected(
            "was for the object stores of mdtest 1.9.4, which this program does not support. Leave it out.",
        ),
        summary: "was for object stores (1.9.4), and is rejected",
        advice: None,
    },
    RetiredOption {
        short: Some('M'),
        takes_value: false,
        directive: None,
        successor: Successor::Option(MdtestOption::UniqueDirectory, Some("1")),
        summary: "distributed trees over metadata servers of Lustre (1.9.4), and is now -u",
        advice: Some("`lfs setdirstripe -D` on the test directory selects the servers for its trees"),
    },
];

/// `-RSEED`. The help mentions it after the list of options.
static SEEDED_SHUFFLE: OptionRow<MdtestOption> = OptionRow {
    id: MdtestOption::SeededShuffle,
    short: None,
    long: None,
    directives: &[],
    kind: OptionKind::Text,
    default: "",
    about: "-R with a seed glued to it",
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_is_unique_and_every_row_has_help() {
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
        for letter in RETIRED.iter().filter_map(|retired| retired.short) {
            assert!(!names.contains(&format!("-{letter}")), "{letter} is used");
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
