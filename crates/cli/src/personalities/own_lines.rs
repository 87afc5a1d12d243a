//! The lines of assay itself among those of a classic program.
//!
//! Programs that read a classic program search its text for the words of its rows, such as `write` and `File
//! stat`, and for rates in MiB/s. Some ignore the letter case. No own line has such a word or unit, so a
//! search never finds one by mistake (docs/reference/compatibility/README.md lists the words).
//!
//! Invariant: each own line begins with `assay:`. Only a path, an option or a value that the user chose, or
//! the name of a node, can have such a word.

use report::sentences::sentence;
use results::reason::{Datum, Reason, row};
use results::record::Check;
use units::{bytes_binary, rate_decimal};

use crate::speech::complain;

/// The variable for output without own lines, and the value that switches it on.
pub(crate) const PLAIN: &str = "ASSAY_PLAIN";

/// Words in the names of phases and calls that classic rows have, each with what own lines have.
const WORDS: [(&str, &str); 10] = [
    ("checkpoint", "chk"),
    ("creation", "mk"),
    ("mixed", "mix"),
    ("plot", "plt"),
    ("read", "rd"),
    ("removal", "rm"),
    ("rename", "mv"),
    ("stat", "lookup"),
    ("statx", "stx"),
    ("write", "wr"),
];

/// The message of the system that has such a word, and the symbol that people can search.
const READ_ONLY: (&str, &str) = ("Read-only file system", "EROFS (the file system takes no changes)");

/// Kinds of items in the labels of mdtest, and how own lines name them.
const KINDS: [(&str, &str); 3] = [("directory", "dir"), ("file", "file"), ("tree", "tree")];

/// The name of a phase in own lines: `wr`, `rd`, `rd-check`, `mk-file`, `st-dir`. `phase` is its name in
/// records or its label in tables, or the name of a call.
pub(crate) fn phase_name(phase: &str) -> String {
    let lower = phase.to_lowercase().replace(['_', ' '], "-");
    if let Some((kind, operation)) = lower.split_once('-')
        && let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == kind)
    {
        let operation = if operation == "stat" { "st".to_owned() } else { short_words(operation) };
        return format!("{operation}-{kind}");
    }
    short_words(&lower)
}

fn short_words(name: &str) -> String {
    let short = |word| WORDS.into_iter().find(|(known, _)| *known == word).map_or(word, |(_, short)| short);
    name.split('-').map(short).collect::<Vec<&str>>().join("-")
}

/// The sentence of a notice in own lines.
pub(crate) fn own_sentence(notice: &Reason) -> String {
    let mut notice = notice.clone();
    for (name, datum) in &mut notice.data {
        *datum = match std::mem::replace(datum, Datum::Flag(true)) {
            Datum::Text(label) if name == row::Stall::label.name => phase_name(&label).into(),
            Datum::List(phases)
                if [row::OutOfTime::phases.name, row::WarmNames::labels.name].contains(&name.as_str()) =>
            {
                Datum::list(phases.iter().map(|phase| phase_name(&phase.to_string())))
            }
            Datum::Quantity { value, unit } if unit == "B" => amount(value).into(),
            Datum::Quantity { value, unit } if unit == "B/s" => {
                rate_decimal(value).replace(" B/s", "B/s").replace("B/s", " bytes a second").into()
            }
            other => other,
        };
    }
    sentence(&notice)
}

/// An amount of bytes without its unit: `641 Mi`.
pub(crate) fn bytes(bytes: f64) -> String {
    bytes_binary(bytes).trim_end_matches('B').trim_end().to_owned()
}

/// A rate in own lines: `641 Mi bytes a second`.
pub(crate) fn rate(bytes_per_second: f64) -> String {
    format!("{} bytes a second", bytes(bytes_per_second))
}

/// An amount of bytes: `641 Mi bytes`.
pub(crate) fn amount(amount: f64) -> String {
    format!("{} bytes", bytes(amount))
}

/// The result of comparing data with what was written. `what` were compared, such as transfers.
pub(crate) fn compared(check: &Check, what: &str) -> String {
    let verdict = match check.bad_transfers {
        0 => "all as written".to_owned(),
        bad => format!("{bad} {what} WRONG"),
    };
    format!("{} compared, {verdict}", amount(check.bytes as f64))
}

/// The lines of `text` as own lines.
pub(crate) fn own_lines(text: &str) -> String {
    text.lines().map(|line| format!("assay: {}\n", line.replace(READ_ONLY.0, READ_ONLY.1))).collect()
}

/// Prints a text as own lines to standard error.
pub(crate) fn complain_own(text: &str) {
    complain(own_lines(text).trim_end());
}

/// Prints a note for the user, in one line.
pub(crate) fn print_note(text: &str) {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    complain_own(&format!("note: {}", lines.join(" ")));
}

/// Whether the environment asks for output without own lines. An error is a value that is neither 1 nor 0.
pub(crate) fn is_plain(value: Option<&str>) -> Result<bool, units::Usage> {
    match value {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(units::Usage(format!(
            "{PLAIN}={other} in the environment is neither 0 nor 1. Set it to 1 for the classic output only, \
             or unset it."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use results::reason;

    use super::*;

    /// Parts of words that readers of classic output search for.
    const SEARCHED: [&str; 6] = ["write", "read", "remov", "creation", "rename", "ib/s"];

    #[test]
    fn each_phase_has_a_short_name_without_a_classic_word() {
        for (phase, name) in [
            ("write", "wr"),
            ("read", "rd"),
            ("write_check", "wr-check"),
            ("read_check", "rd-check"),
            ("mixed", "mix"),
            ("mixed_write", "mix-wr"),
            ("mixed_read", "mix-rd"),
            ("File creation", "mk-file"),
            ("Directory stat", "st-dir"),
            ("file_read", "rd-file"),
            ("Directory rename", "mv-dir"),
            ("tree_removal", "rm-tree"),
            ("File link", "link-file"),
            ("File rename across", "mv-across-file"),
            ("Directory listing", "listing-dir"),
            ("shared_open", "shared-open"),
        ] {
            assert_eq!(phase_name(phase), name, "{phase}");
        }
    }

    #[test]
    fn every_operation_and_label_has_a_name_without_a_classic_word() {
        let operations = ["creation", "stat", "read", "rename", "removal"];
        let both = |(kind, _)| operations.map(|operation| format!("{kind}_{operation}"));
        let labels = KINDS.into_iter().flat_map(both);
        let more = command::mdtest::operation_names().map(|name| format!("file_{name}"));
        for label in labels.chain(more) {
            let name = phase_name(&label);
            assert!(SEARCHED.iter().all(|word| !name.contains(word)), "{label}: {name}");
        }
    }

    #[test]
    fn a_notice_has_short_names_of_phases_and_no_unit_of_classic_rows() {
        let reached = reason!(RateNotReached {
            label: "write check",
            limit: Datum::rate(5e6),
            reached: Datum::rate(3e6)
        });
        let text = own_sentence(&reached);
        let begin =
            "wr-check: --rate asked for 5.00 M bytes a second, and 3.00 M bytes a second were reached.";
        assert!(text.starts_with(begin), "{text}");
        let repeated = reason!(RepeatedData { label: "read", repeated: 1024_u64, bytes: 2048_u64 });
        let text = own_sentence(&repeated);
        assert!(text.starts_with("rd: 1.00 Ki bytes of 2.00 Ki bytes were the same data again"), "{text}");
        let names = own_sentence(&reason!(WarmNames { labels: vec!["File stat", "File read"] }));
        assert!(names.contains(": st-file, rd-file. "), "{names}");
    }

    #[test]
    fn a_message_of_the_system_with_a_classic_word_becomes_its_symbol() {
        assert_eq!(
            own_lines("2 Read-only file system, 1 Is a directory"),
            "assay: 2 EROFS (the file system takes no changes), 1 Is a directory\n"
        );
    }

    #[test]
    fn plain_output_is_on_with_1_and_off_with_0() {
        assert_eq!([None, Some("0"), Some("1")].map(|value| is_plain(value).unwrap()), [false, false, true]);
        for wrong in ["", "yes", "2"] {
            assert!(is_plain(Some(wrong)).unwrap_err().0.contains("neither 0 nor 1"), "{wrong}");
        }
    }
}
