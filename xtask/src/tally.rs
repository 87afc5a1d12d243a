//! Counts tests from the output of `cargo test -- --show-output`, line by line.
//!
//! A test that cannot run on this machine prints `SKIPPED: reason` and passes. libtest shows that only in the
//! section `successes:`. That section is counted but not shown (the log contains it). What a failed test
//! printed is also kept for the end, because a long log is read from there.
//!
//! Invariant: a test counts once, as passed, failed or skipped.
//! Never here: processes and files.

use std::collections::BTreeSet;
use std::fmt::Write;

const SKIPPED: &str = "SKIPPED:";
/// The mark of a test that runs with `--all` only.
const SLOW: &str = "ONLY IN --all:";

#[derive(Default, PartialEq)]
enum Section {
    #[default]
    Plain,
    Successes,
    Failures,
}

/// The counts so far.
#[derive(Default)]
pub(crate) struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
    section: Section,
    test: String,
    skipped: usize,
    skipped_here: BTreeSet<String>,
    reasons: Vec<String>,
    failures: Vec<String>,
    had_result: bool,
}

impl Tally {
    /// Counts one line; true if it is to be shown.
    pub(crate) fn count_line(&mut self, line: &str) -> bool {
        match line {
            "successes:" => self.section = Section::Successes,
            "failures:" => self.section = Section::Failures,
            _ if line.starts_with("test result: ") => self.count_result(line),
            _ if line.starts_with("---- ") => self.test = test_name(line),
            _ => self.keep_reason(line),
        }
        if self.section == Section::Failures {
            self.failures.push(line.to_owned());
        }
        self.section != Section::Successes
    }

    fn count_result(&mut self, line: &str) {
        self.section = Section::Plain;
        self.had_result = true;
        self.skipped += std::mem::take(&mut self.skipped_here).len();
        let (_, counts) = line.split_once(". ").unwrap_or(("", ""));
        for part in counts.split("; ") {
            match part.split_once(' ') {
                Some((count, "passed")) => self.passed += count.parse::<usize>().unwrap_or(0),
                Some((count, "failed")) => self.failed += count.parse::<usize>().unwrap_or(0),
                Some((count, "ignored")) => self.ignored += count.parse::<usize>().unwrap_or(0),
                _ => {}
            }
        }
    }

    /// Keeps the reason of a skipped test. A failed test that printed a reason stays failed.
    fn keep_reason(&mut self, line: &str) {
        let marks = [SKIPPED, SLOW].into_iter();
        let Some((mark, reason)) = marks.filter_map(|mark| Some((mark, line.split_once(mark)?.1))).next()
        else {
            return;
        };
        if self.section == Section::Successes {
            self.skipped_here.insert(self.test.clone());
            self.reasons.push(format!("{mark} {}: {}", self.test, reason.trim()));
        }
    }

    /// Call this after each test program. A program that failed without a result counts as one failed test.
    pub(crate) fn program_ended(&mut self, sound: bool) {
        let had_result = std::mem::take(&mut self.had_result);
        if !sound && !had_result {
            self.failed += 1;
        }
        self.section = Section::Plain;
    }

    /// Call this after all test programs; `sound` is false if one of them failed.
    pub(crate) fn finish(&mut self, sound: bool) {
        if !sound && self.failed == 0 {
            self.failed = 1;
        }
    }

    /// The skipped tests with their reasons, one line each.
    pub(crate) fn skipped_text(&self) -> String {
        self.reasons.iter().fold(String::new(), |mut text, reason| {
            let _ = writeln!(text, "{reason}");
            text
        })
    }

    /// What the failed tests printed, at most this number of lines.
    pub(crate) fn failures_text(&self, lines: usize) -> String {
        let mut text: String = self.failures.iter().take(lines).map(|line| format!("{line}\n")).collect();
        let rest = self.failures.len().saturating_sub(lines);
        if rest > 0 {
            let _ = writeln!(text, "... and {rest} more lines of failed tests, in the log above");
        }
        text
    }

    /// The last line.
    pub(crate) fn total(&self) -> String {
        let passed = self.passed.saturating_sub(self.skipped);
        format!("{passed} passed, {} failed, {} skipped", self.failed, self.skipped + self.ignored)
    }
}

/// The name in `---- NAME stdout ----`.
fn test_name(line: &str) -> String {
    let line = line.trim_start_matches("---- ");
    line.strip_suffix(" stdout ----").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_PROGRAMS: &str = "\
running 3 tests
test mpi::under_mpich ... ok
test pure ... ok
test broken ... FAILED

successes:

---- mpi::under_mpich stdout ----
SKIPPED: mpirun.mpich is missing
SKIPPED: mpirun.openmpi is missing

---- pure stdout ----
some words

successes:
    mpi::under_mpich
    pure

failures:

---- broken stdout ----
SKIPPED: half of it
thread 'broken' panicked

failures:
    broken

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 2 tests
test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.00s
";

    fn counted(text: &str) -> (Tally, String) {
        let mut tally = Tally::default();
        let shown: Vec<&str> = text.lines().filter(|line| tally.count_line(line)).collect();
        (tally, shown.join("\n"))
    }

    #[test]
    fn a_test_counts_once_and_programs_add_up() {
        let (mut tally, _) = counted(TWO_PROGRAMS);
        tally.finish(false);
        assert_eq!(tally.total(), "2 passed, 1 failed, 2 skipped");
    }

    #[test]
    fn reasons_are_listed_with_their_tests_except_those_of_failed_tests() {
        let reasons = "SKIPPED: mpi::under_mpich: mpirun.mpich is missing\n\
                               SKIPPED: mpi::under_mpich: mpirun.openmpi is missing\n";
        assert_eq!(counted(TWO_PROGRAMS).0.skipped_text(), reasons);
    }

    #[test]
    fn a_test_that_needs_all_counts_as_skipped_with_its_reason() {
        let text = "test slow ... ok\n\nsuccesses:\n\n---- slow stdout ----\nONLY IN --all: it hangs\n\n\
                    test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
        let (tally, _) = counted(text);
        assert_eq!(tally.skipped_text(), "ONLY IN --all: slow: it hangs\n");
        assert_eq!(tally.total(), "0 passed, 0 failed, 1 skipped");
    }

    #[test]
    fn successes_are_not_shown_twice_and_failures_are_shown() {
        let (_, shown) = counted(TWO_PROGRAMS);
        assert!(!shown.contains("some words"));
        assert!(shown.contains("test pure ... ok"));
        assert!(shown.contains("thread 'broken' panicked"));
        assert!(shown.contains("test result: ok. 1 passed"));
    }

    #[test]
    fn what_failed_tests_printed_is_repeated_at_the_end() {
        let (tally, _) = counted(TWO_PROGRAMS);
        let whole = tally.failures_text(100);
        assert!(whole.starts_with("failures:\n\n---- broken stdout ----\nSKIPPED: half of it\n"), "{whole}");
        assert!(whole.ends_with("failures:\n    broken\n\n"), "{whole}");
        let cut = tally.failures_text(3);
        assert!(
            cut.ends_with("stdout ----\n... and 6 more lines of failed tests, in the log above\n"),
            "{cut}"
        );
    }

    #[test]
    fn each_program_that_ends_without_a_result_counts_as_a_failed_test() {
        let (mut tally, _) = counted(TWO_PROGRAMS);
        tally.program_ended(false);
        assert!(!tally.count_line("successes:"));
        tally.program_ended(false);
        tally.finish(false);
        assert_eq!(tally.total(), "2 passed, 2 failed, 2 skipped");
        assert!(tally.count_line("running 1 test"), "a section ends with its program");
    }

    #[test]
    fn a_single_program_that_ends_without_a_result_counts_as_a_failed_test() {
        let (mut tally, _) = counted("running 3 tests\n");
        tally.finish(false);
        assert_eq!(tally.total(), "0 passed, 1 failed, 0 skipped");
    }
}
