//! Searches of other programs in the output of classic ones, and the classic lines that they are made for.
//! Both streams of a run are in one text, as batch systems keep them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Ran;

/// The output of `sh -c SEARCH` on `text`.
pub fn found(search: &str, text: &str) -> String {
    let mut child = Command::new("sh")
        .args(["-c", search])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("the shell takes all");
    let output = child.wait_with_output().expect("the shell ends");
    String::from_utf8(output.stdout).expect("text")
}

/// Both streams of a run as one text.
pub fn both(ran: &Ran) -> String {
    format!("{}{}", ran.out, ran.err)
}

/// The lines that `grep -v '^assay:'` keeps.
fn classic(text: &str) -> String {
    found("grep -v '^assay:'", text)
}

/// The words of a line without its numbers and dates, up to its value. A warning is kept as a whole.
fn shape(line: &str) -> String {
    const DATES: [&str; 3] = ["DATE", "...", "UTC"];
    let is_day = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].iter().any(|day| line.starts_with(day));
    let is_word = |word: &&str| {
        let is_value = word.contains(|c: char| c.is_ascii_digit() || c == '{' || c == '}');
        !is_value && !is_day && !DATES.contains(word) && !["-", "NA"].contains(word)
    };
    let is_warning = ["WARNING", "ERROR"].iter().any(|begin| line.starts_with(begin));
    let mut words: Vec<&str> = Vec::new();
    for word in line.split_whitespace().filter(is_word) {
        words.push(word);
        if !is_warning && word.ends_with([':', '=']) {
            break;
        }
    }
    words.join(" ")
}

/// The lines that a classic program prints, by their words.
pub struct ClassicLines(BTreeSet<String>);

impl ClassicLines {
    /// Those of the golden texts that `is_of` selects by their path, and `more`.
    pub fn of(is_of: impl Fn(&str) -> bool, more: &[&str]) -> Self {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let mut texts = String::new();
        for file in files(&golden) {
            let name = file.strip_prefix(&golden).expect("it is below").display().to_string();
            if is_of(&name) && name.ends_with(".txt") {
                texts.push_str(&fs::read_to_string(file).expect("a golden text"));
            }
        }
        assert!(!texts.is_empty(), "some golden text is selected");
        Self::in_text(&texts, more)
    }

    /// Those of a text, and `more`. Comments and command lines are none.
    pub fn in_text(text: &str, more: &[&str]) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with("# ") && !line.starts_with("$ "));
        Self(lines.chain(more.iter().copied()).map(shape).collect())
    }

    /// Asserts that every line of `text` is one of them.
    fn assert_all(&self, text: &str) {
        let is_unknown = |line: &&str| !shape(line).is_empty() && !self.0.contains(&shape(line));
        let unknown: Vec<&str> = text.lines().filter(is_unknown).collect();
        assert!(unknown.is_empty(), "lines that are neither classic nor marked: {unknown:#?} in {text}");
    }
}

/// All files below a directory.
fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Asserts that a run printed own lines, that all others are classic lines, and that every search finds in
/// the whole text what it finds in the classic lines. Gives the searches that found something.
pub fn assert_found<'s>(known: &ClassicLines, searches: &[&'s str], ran: &Ran) -> Vec<&'s str> {
    let text = &both(ran);
    let alone = classic(text);
    assert!(text.len() > alone.len(), "there are own lines: {text}");
    known.assert_all(&alone);
    let mut matched = Vec::new();
    for search in searches {
        let result = found(search, text);
        assert_eq!(result, found(search, &alone), "{search}: {text}");
        matched.extend((!result.trim().is_empty()).then_some(*search));
    }
    matched
}

/// Asserts that no own line has a word or unit of a classic row, or one of `more`, except in paths and
/// options.
pub fn assert_safe(ran: &Ran, more: &[&str]) {
    let words = ["write", "read", "remov", "creation", "rename", " stat", "creates per", "removals"];
    let all = both(ran);
    for line in all.lines().filter(|line| line.starts_with("assay:")) {
        let is_free = |token: &&str| !token.contains(['/', '=', '`']) && !token.starts_with('-');
        let line: Vec<&str> = line.split(' ').filter(is_free).collect();
        let line = line.join(" ").to_lowercase();
        for word in words.iter().chain(more) {
            assert!(!line.contains(word), "{word}: {line}");
        }
    }
    for unit in ["MiB/s", "GiB/s", "MB/s", "GB/s", "ops/s"] {
        let has = |line: &&str| line.starts_with("assay:") && line.contains(unit);
        assert_eq!(all.lines().find(has), None, "{all}");
    }
}
