//! Spellings of mdtest 1.9, and what became of them.

use super::MdtestOption;
use crate::classic::{
    ClassicOption, OptionFault, OptionInput, OptionKind, OptionRow, Respelling, RetiredOption, Successor,
};

/// Letters that were.
pub(super) const RETIRED: &[RetiredOption<MdtestOption>] = &[
    RetiredOption {
        short: Some('A'),
        takes_value: true,
        directive: None,
        successor: Successor::Rejected(
            "was for the object stores of mdtest 1.9.4, which are not in this program; leave it out",
        ),
        about: "was for object stores (1.9.4), and is refused",
        advice: None,
    },
    RetiredOption {
        short: Some('M'),
        takes_value: false,
        directive: None,
        successor: Successor::Option(MdtestOption::UniqueDirectory, Some("1")),
        about: "spread trees over metadata servers of Lustre (1.9.4), and is now -u",
        advice: Some("`lfs setdirstripe -D` on the test directory says which servers take its trees"),
    },
];

/// `-RSEED`, which the help names by itself.
static SEEDED_SHUFFLE: OptionRow<MdtestOption> = OptionRow {
    id: MdtestOption::SeededShuffle,
    short: None,
    long: None,
    directives: &[],
    kind: OptionKind::Text,
    default: "",
    about: "-R with a seed glued to it",
};

/// `-B` without a number and `-R` with one glued to it, as 1.9 had them.
pub(super) fn respelled<'a>(
    letter: char,
    left: &'a str,
    next: Option<&str>,
) -> Option<Respelling<'a, MdtestOption>> {
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '=');
    match letter {
        'B' if !number(if left.is_empty() { next.unwrap_or_default() } else { left }) => Some(Respelling {
            name: "-B".to_owned(),
            input: OptionInput::Value(MdtestOption::Barriers.row(), Some("1".to_owned())),
            left,
        }),
        'R' if left.starts_with(|c: char| c.is_ascii_digit()) => {
            let end = left.find(|c: char| !c.is_ascii_digit()).unwrap_or(left.len());
            let (seed, left) = left.split_at(end);
            let input = match seed.parse::<u64>() {
                Ok(_) => OptionInput::Value(&SEEDED_SHUFFLE, Some(seed.to_owned())),
                Err(_) => {
                    let why = format!("-R{seed}: the seed is beyond 2^64");
                    OptionInput::Fault(OptionFault::Malformed(why))
                }
            };
            Some(Respelling { name: format!("-R{seed}"), input, left })
        }
        _ => None,
    }
}
