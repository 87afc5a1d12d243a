//! Compares the output with that of the original. Measured values are masked.
//!
//! A golden text begins with a comment, then `$` and the options of each run. The output of the last run
//! follows: IOR's own, from two ranks, masked. `{11}` is a measured number in a cell of 11 columns, and `{}`
//! one in running text. `...` is a text that depends on the place, `DATE` a date.
#![allow(dead_code, unreachable_pub)]

/// A golden text: the options of each run, and the lines of the last.
pub struct Golden<'a> {
    /// The options of the runs, in order.
    pub runs: Vec<&'a str>,
    /// The output of the last run.
    pub lines: Vec<&'a str>,
}

impl<'a> Golden<'a> {
    /// Reads a golden text.
    pub fn new(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let runs: Vec<&str> = lines.iter().map_while(|line| line.strip_prefix("$ ")).collect();
        Self { lines: lines[runs.len()..].to_vec(), runs }
    }

    /// Asserts that `text` equals the golden text, with the exceptions in
    /// docs/reference/compatibility/ior.md: `Max` lines in every run, and own lines.
    pub fn assert(&self, text: &str) {
        let maxima = self.lines.iter().any(|line| line.starts_with("Max "));
        let is_classic = |line: &&str| !line.starts_with("assay: ") && (maxima || !line.starts_with("Max "));
        self.assert_whole(&text.lines().filter(is_classic).collect::<Vec<_>>().join("\n"));
    }

    /// Asserts that `text` equals the golden text, without exceptions.
    pub fn assert_whole(&self, text: &str) {
        let ours: Vec<String> = text.lines().map(mask).collect();
        assert_eq!(ours.join("\n"), self.lines.join("\n"), "{text}");
    }
}

/// A line with everything masked that differs from run to run.
pub fn mask(line: &str) -> String {
    for key in ["Command line", "Machine", "FS", "platform", "data packet type"] {
        if line.starts_with(&format!("{key:<20}: ")) {
            return format!("{key:<20}: ...");
        }
    }
    let line = dates(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first().copied().unwrap_or_default();
    let row = matches!(first, "write" | "read" | "remove" | "mix-write" | "mix-read");
    match (row, words.len()) {
        (true, 11) => result(&line),
        (true, 27) => summary(&line),
        _ if line.matches(',').count() > 9 => decimals(&line),
        _ if first == "Max" || line.starts_with("stonewalling pairs") => decimals(&line),
        _ => match line.strip_prefix("WARNING: incorrect data on read (") {
            // IOR 3.3 counts words, not transfers.
            Some(rest) => {
                format!("WARNING: incorrect data on read ({{}}{}", rest.trim_start_matches(char::is_numeric))
            }
            None => line,
        },
    }
}

/// A row of results: cells of a number and the blanks after it.
fn result(line: &str) -> String {
    let (name, rest) = line.split_at(10);
    let mut text = name.to_owned();
    let mut rest = rest;
    for cell in 0.. {
        let number = rest.find(' ').unwrap_or(rest.len());
        let blanks = rest[number..].find(|c| c != ' ').unwrap_or(rest.len() - number);
        let (this, next) = rest.split_at(number + blanks);
        // Block, transfer and repetition are not measured.
        text.push_str(&if [3, 4, 9].contains(&cell) { this.to_owned() } else { masked(this) });
        if next.is_empty() {
            break;
        }
        rest = next;
    }
    text
}

/// A row of the summary: cells of blanks and the number after them.
fn summary(line: &str) -> String {
    let (name, mut rest) = line.split_at(9);
    let mut text = name.to_owned();
    // The values after the eleventh cell come from the options.
    for _ in 0..11 {
        let blanks = rest.find(|c| c != ' ').unwrap_or(rest.len());
        let number = rest[blanks..].find(' ').unwrap_or(rest.len() - blanks);
        let (this, next) = rest.split_at(blanks + number);
        text.push_str(&masked(this));
        rest = next;
    }
    text + rest
}

fn masked(cell: &str) -> String {
    if cell.trim().parse::<f64>().is_ok() { format!("{{{}}}", cell.len()) } else { cell.to_owned() }
}

/// Masks every number with decimals.
fn decimals(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end =
            rest[at..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(rest.len(), |end| at + end);
        let number = &rest[at..end];
        text.push_str(&rest[..at]);
        text.push_str(if number.contains('.') { "{}" } else { number });
        rest = &rest[end..];
    }
    text + rest
}

/// Masks every date in the form of C's `ctime`.
fn dates(line: &str) -> String {
    let pattern = "Aaa Aaa 09 09:09:09 0999";
    let alike = |(c, p): (char, char)| match p {
        'A' => c.is_ascii_uppercase(),
        'a' => c.is_ascii_lowercase(),
        '9' => c.is_ascii_digit(),
        '0' => c.is_ascii_digit() || c == ' ',
        other => c == other,
    };
    let is_date = |text: &str| text.len() == pattern.len() && text.chars().zip(pattern.chars()).all(alike);
    let at = (0..line.len()).find(|at| line.get(*at..at + pattern.len()).is_some_and(is_date));
    at.map_or(line.to_owned(), |at| format!("{}DATE{}", &line[..at], &line[at + pattern.len()..]))
}
