//! The lines of assay itself among those of a classic program.
//!
//! Programs that read a classic program search its text for the words of its rows, such as `write` and `File
//! stat`, and for rates in MiB/s. Some ignore the letter case. No own line has such a word or unit, so a
//! search never finds one by mistake (docs/reference/compatibility/README.md lists the words).
//!
//! Invariant: each own line begins with `assay:`. Only a path, an option or a value that the user chose, or
//! the name of a node, can have such a word. [`kept`] marks them. In sentences of workloads, which have no
//! marks, a name is known by its slash, digit or dot.

use units::{bytes_binary, visible};

use crate::speech::complain;

/// The variable for output without own lines, and the value that switches it on.
pub(crate) const PLAIN: &str = "ASSAY_PLAIN";

/// Words of classic rows and words that contain them, each with what own lines have.
const WORDS: &[(&str, &str)] = &[
    ("already", "before"),
    ("benchmark", "run"),
    ("checkpoint", "chk"),
    ("cleanup", "end"),
    ("creation", "making"),
    ("overwrite", "replace"),
    ("overwrites", "replaces"),
    ("plot", "plt"),
    ("precreate", "begin"),
    ("read", "rd"),
    ("readable", "accessible"),
    ("reader", "consumer"),
    ("readers", "consumers"),
    ("reading", "fetching"),
    ("reads", "fetches"),
    ("ready", "prepared"),
    ("removal", "deletion"),
    ("remove", "delete"),
    ("removed", "deleted"),
    ("removes", "deletes"),
    ("removing", "deleting"),
    ("rename", "mv"),
    ("renamed", "moved"),
    ("renames", "moves"),
    ("spread", "range"),
    ("stat", "lookup"),
    ("statx", "stx"),
    ("thread", "worker"),
    ("threads", "workers"),
    ("write", "wr"),
    ("writer", "producer"),
    ("writers", "producers"),
    ("writes", "stores"),
    ("writing", "storing"),
];

/// Messages of the system that have such a word, each with the symbol that people can search.
const MESSAGES: [(&str, &str); 1] = [("Read-only file system", "EROFS (the file system takes no changes)")];

/// Encloses what stays as it is. Unicode reserves this character for such use, so texts do not have it.
const MARK: char = '\u{fdd0}';

/// Kinds of items in the labels of mdtest, and how own lines name them.
const KINDS: [(&str, &str); 3] = [("directory", "dir"), ("file", "file"), ("tree", "tree")];

/// Operations in the labels of mdtest, and how own lines name them.
const OPERATIONS: [(&str, &str); 5] =
    [("creation", "mk"), ("stat", "st"), ("read", "rd"), ("rename", "mv"), ("removal", "rm")];

/// Prefixes of units of bytes. Readers search for `MiB`, `KiB per second` and `MB/s`.
const PREFIXES: [&str; 10] = ["Ki", "Mi", "Gi", "Ti", "Pi", "k", "M", "G", "T", "P"];

/// The name of a phase in own lines: `wr`, `rd`, `rd-check`, `mk-file`, `st-dir`. `phase` is its name in
/// records or its label in tables.
pub(crate) fn phase_name(phase: &str) -> String {
    let lower = phase.to_lowercase().replace(['_', ' '], "-");
    if let Some((kind, operation)) = lower.split_once('-')
        && let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == kind)
    {
        let short = OPERATIONS.iter().find(|(known, _)| *known == operation);
        let operation = short.map_or_else(|| safe_words(operation), |(_, short)| (*short).to_owned());
        return format!("{operation}-{kind}");
    }
    safe_words(&lower).replacen("mixed", "mix", 1)
}

/// An amount of bytes without its unit: `641 Mi`.
pub(crate) fn bytes(bytes: f64) -> String {
    bytes_binary(bytes).trim_end_matches('B').trim_end().to_owned()
}

/// A rate in own lines: `641 Mi bytes a second`.
pub(crate) fn rate(bytes_per_second: f64) -> String {
    format!("{} bytes a second", bytes(bytes_per_second))
}

/// A path, a node or another name for a text of [`own_lines`], which do not change it.
pub(crate) fn kept(name: &str) -> String {
    format!("{MARK}{}{MARK}", visible(name).replace(MARK, "\u{fffd}"))
}

/// The lines of `text` as own lines.
pub(crate) fn own_lines(text: &str) -> String {
    let parts = |line: &str| -> String {
        let one = |(number, part): (usize, &str)| if number % 2 == 1 { part.to_owned() } else { safe(part) };
        line.split(MARK).enumerate().map(one).collect()
    };
    text.lines().map(|line| format!("assay: {}\n", parts(line))).collect()
}

/// Prints a text as own lines to standard error.
pub(crate) fn complain_own(text: &str) {
    complain(own_lines(text).trim_end());
}

/// Prints a note for the user.
pub(crate) fn print_note(text: &str) {
    complain_own(&format!("note: {}", on_one_line(text)));
}

/// A text with one blank in place of each row of blanks and ends of lines, except in kept names.
fn on_one_line(text: &str) -> String {
    let one = |(number, part): (usize, &str)| {
        if number % 2 == 1 {
            return format!("{MARK}{part}{MARK}");
        }
        let blanks = part.chars().map(|each| if each.is_whitespace() { ' ' } else { each });
        let mut line = String::new();
        blanks.for_each(|each| {
            if each != ' ' || !line.ends_with(' ') {
                line.push(each);
            }
        });
        line
    };
    text.trim().split(MARK).enumerate().map(one).collect()
}

/// What standard output has of these own lines: nothing with plain output.
pub(crate) fn unless_plain(plain: bool, lines: &str) -> &str {
    if plain { "" } else { lines }
}

/// The same for own lines about a fault, or about what stays. With plain output they go to standard error.
pub(crate) fn fault(plain: bool, lines: &str) -> &str {
    if plain && !lines.is_empty() {
        complain(lines.trim_end());
    }
    unless_plain(plain, lines)
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

/// The same for the environment of this process.
pub(crate) fn is_plain_here() -> Result<bool, units::Usage> {
    is_plain(std::env::var_os(PLAIN).map(|value| value.to_string_lossy().into_owned()).as_deref())
}

/// A line without the words and units of classic rows.
fn safe(line: &str) -> String {
    let mut line = line.to_owned();
    for (message, by) in MESSAGES {
        line = line.replace(message, by);
    }
    for prefix in PREFIXES {
        line = line.replace(&format!(" {prefix}B/s"), &format!(" {prefix} bytes a second"));
        line = replace_word(&line, &format!(" {prefix}B"), &format!(" {prefix} bytes"));
    }
    for check in ["write check", "read check"] {
        line = line.replace(check, &phase_name(check));
    }
    for (kind, _) in KINDS {
        for (operation, _) in OPERATIONS {
            let label = format!("{}{} {operation}", kind[..1].to_uppercase(), &kind[1..]);
            line = replace_word(&line, &label, &phase_name(&label));
        }
    }
    let tokens: Vec<String> = line
        .split(' ')
        .map(|token| if is_chosen(token) { token.to_owned() } else { safe_words(token) })
        .collect();
    tokens.join(" ")
}

/// Replaces a text wherever no letter or digit follows it.
fn replace_word(line: &str, word: &str, by: &str) -> String {
    let mut parts = line.split(word);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(if part.starts_with(char::is_alphanumeric) { word } else { by });
        text.push_str(part);
    }
    text
}

/// Whether a token is a path, an option, a setting or the name of a file or a node.
fn is_chosen(token: &str) -> bool {
    let bare = token.trim_start_matches(['(', '"', '\'', '`']);
    let is_option = bare.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c != ' '));
    let word = bare.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_name = word.contains(|c: char| c == '.' || c.is_ascii_digit());
    is_option || is_name || token.contains(['/', '='])
}

/// A token with its words replaced.
fn safe_words(token: &str) -> String {
    let mut text = String::new();
    let mut rest = token;
    while let Some(first) = rest.chars().next() {
        let is_letter = |c: char| c.is_ascii_alphabetic();
        let end = rest.find(|c: char| is_letter(c) != is_letter(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        match WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(part)) {
            Some((_, safe)) if part.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                text.push_str(&safe.to_uppercase());
            }
            Some((_, safe)) if first.is_ascii_uppercase() => {
                text.push_str(&safe[..1].to_uppercase());
                text.push_str(&safe[1..]);
            }
            Some((_, safe)) => text.push_str(safe),
            None => text.push_str(part),
        }
        rest = after;
    }
    text
}

#[cfg(test)]
mod tests {
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
        let both = |(kind, _)| OPERATIONS.map(|(operation, _)| format!("{kind}_{operation}"));
        let labels = KINDS.into_iter().flat_map(both);
        let more = command::mdtest::operation_names().map(|name| format!("file_{name}"));
        for label in labels.chain(more) {
            let name = phase_name(&label);
            assert!(SEARCHED.iter().all(|word| !name.contains(word)), "{label}: {name}");
        }
    }

    #[test]
    fn own_lines_have_the_prefix_and_no_classic_word_in_any_letter_case() {
        let text = own_lines(
            "warning: read: the data was read already, at 5.00 MiB/s, 30 MB\n\
             Read-only: WRITE, File stat, Removed",
        );
        assert_eq!(
            text,
            "assay: warning: rd: the data was rd before, at 5.00 Mi bytes a second, 30 M bytes\n\
             assay: Rd-only: WR, st-file, Deleted\n"
        );
    }

    #[test]
    fn paths_options_and_settings_stay_as_they_are() {
        let line = "rank 1: unlink /data/read/write.0: see --read-only, (-r) and readFile=1";
        assert_eq!(own_lines(line), format!("assay: {line}\n"));
    }

    #[test]
    fn names_without_a_slash_stay_as_they_are() {
        let line = "note: --record write.log: see rd-file of read-01, (stat.2), \"read.dat\" and .write";
        assert_eq!(own_lines(line), format!("assay: {line}\n"));
        assert_eq!(own_lines("it was read. Then read..."), "assay: it was rd. Then rd...\n");
        let text = format!("read {}: read on {}, write\n", kept("my read\nfile"), kept("reader"));
        assert_eq!(own_lines(&text), "assay: rd my read\\nfile: rd on reader, wr\n");
    }

    #[test]
    fn a_note_is_one_line_with_its_names_unchanged() {
        let text = on_one_line(&format!(" taken  as -f\n{} , as before ", kept("my  run")));
        assert_eq!(own_lines(&text), "assay: taken as -f my  run , as before\n");
    }

    #[test]
    fn a_message_of_the_system_with_a_classic_word_becomes_its_symbol() {
        assert_eq!(
            own_lines("2 Read-only file system, 1 Is a directory"),
            "assay: 2 EROFS (the file system takes no changes), 1 Is a directory\n"
        );
    }

    #[test]
    fn a_label_within_a_longer_word_stays_whole() {
        assert_eq!(own_lines("File stat, File statx, 5 MBit"), "assay: st-file, File stx, 5 MBit\n");
    }

    #[test]
    fn words_that_only_contain_short_names_stay() {
        assert_eq!(own_lines("written status bread"), "assay: written status bread\n");
    }

    #[test]
    fn plain_output_is_on_with_1_and_off_with_0() {
        assert_eq!([None, Some("0"), Some("1")].map(|value| is_plain(value).unwrap()), [false, false, true]);
        for wrong in ["", "yes", "2"] {
            assert!(is_plain(Some(wrong)).unwrap_err().0.contains("neither 0 nor 1"), "{wrong}");
        }
    }
}
