//! What an external program printed about its own run.
//!
//! Invariant: nothing here was measured by this program. A field is absent if the output does not have it.
//! Never here: whether it agrees with the plan.

use serde::{Deserialize, Serialize};

/// The facts in the output of an external program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The command line, in single words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The directory that the job was given for its files.
    pub dir: String,
    /// The files or directories of the test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u64>,
    /// Nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Processes on each node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks_per_node: Option<u64>,
    /// Bytes of a block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_bytes: Option<f64>,
    /// Bytes of a transfer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_bytes: Option<f64>,
    /// Segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u64>,
    /// Bytes of all processes in one phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<f64>,
    /// Files or directories of all processes in one phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_items: Option<u64>,
    /// Whether each process has its own file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_per_task: Option<bool>,
    /// Whether processes read the data that others wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shifted: Option<bool>,
    /// The size that the program expected and the smaller one that it found, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_less: Option<(f64, f64)>,
    /// The measured phases, in the order of the output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<ReportedPhase>,
    /// Seconds of all measured phases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// One phase in the output of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedPhase {
    /// Its name, as in metrics.
    pub phase: String,
    /// Bytes or operations per second.
    pub rate: f64,
    /// Its length.
    pub seconds: f64,
}

impl Reported {
    /// Whether the program printed anything about its run.
    pub fn is_empty(&self) -> bool {
        *self == Self { dir: self.dir.clone(), ..Self::default() }
    }

    /// The arguments of the workload of its command line. This program has its own options before its name.
    pub fn arguments(&self, workload: &str) -> &[String] {
        let Some((program, words)) = self.argv.split_first() else { return &[] };
        let is_ours = program.rsplit('/').next() == Some("assay");
        let name = words.iter().position(|word| is_ours && word == workload);
        &words[name.map_or(0, |at| at + 1)..]
    }

    /// Whether one of its numbers is below zero or not finite.
    pub(super) fn is_impossible(&self) -> bool {
        let numbers = [self.block_bytes, self.transfer_bytes, self.total_bytes, self.seconds];
        let pairs = self.found_less.iter().flat_map(|(expected, found)| [*expected, *found]);
        let of_phases = self.phases.iter().flat_map(|phase| [phase.rate, phase.seconds]);
        let mut all = numbers.into_iter().flatten().chain(pairs).chain(of_phases);
        all.any(|number| !number.is_finite() || number < 0.0)
    }
}

/// The words of a printed command line. Some releases print quotes around each word, some only around those
/// with a blank, and some none.
pub fn printed_words(line: &str) -> Vec<String> {
    let mut rest = line.trim_start();
    let mut words = Vec::new();
    while !rest.is_empty() {
        let (word, after) = quoted(rest)
            .unwrap_or_else(|| rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())));
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

/// A word in quotes at the beginning of a text, and what follows. A quote inside a word does not end it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    let ends = text.char_indices().skip(1).filter(|(_, one)| *one == quote).map(|(at, _)| at);
    let mut ends = ends.filter(|at| text[at + 1..].chars().next().is_none_or(char::is_whitespace));
    let end = ends.next()?;
    Some((&text[1..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_around_words_are_no_part_of_them() {
        for (line, wanted) in [
            ("mdtest -n 4 -d /s/it's", &["mdtest", "-n", "4", "-d", "/s/it's"][..]),
            ("mdtest '-n' '4' '-d' '/s/a b'", &["mdtest", "-n", "4", "-d", "/s/a b"]),
            ("./mdtest \"-n\" \"4\" \"-d\" \"/s/it's\"", &["./mdtest", "-n", "4", "-d", "/s/it's"]),
            ("mdtest '-d' 'it's' '-u' ''", &["mdtest", "-d", "it's", "-u", ""]),
            ("ior -o 'cut", &["ior", "-o", "'cut"]),
        ] {
            assert_eq!(printed_words(line), wanted, "{line}");
        }
        assert!(printed_words("").is_empty());
    }

    #[test]
    fn a_file_with_the_name_of_the_workload_ends_no_options() {
        for (line, wanted) in [
            ("assay -n 2 ior -w -o ior", "-w -o ior"),
            ("/opt/bin/assay ior -w", "-w"),
            ("./ior -w -o ior", "-w -o ior"),
            ("ior", ""),
            ("", ""),
        ] {
            let argv = line.split_whitespace().map(str::to_owned).collect();
            let reported = Reported { argv, ..Reported::default() };
            assert_eq!(reported.arguments("ior").join(" "), wanted, "{line}");
        }
    }
}
