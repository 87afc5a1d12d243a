//! Logs of known programs: their runs, and the tests of each run.
//!
//! A job of a campaign prints one test, and [`super::App::records`] reads one. A log of a night or of a
//! script has several, and other lines between them.
//!
//! Invariant: pure. A line is in the run that began last before it, or in none.
//! Never here: what a line means.

use std::borrow::Cow;

use super::KnownProgram;

/// A run of a program in a log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRun<'t> {
    /// The program, as plans call it.
    pub program: KnownProgram,
    /// The line in which it begins, from 1.
    pub line: u64,
    /// Its output, from its first line to the line that ends it.
    pub text: &'t str,
    /// Whether it has the line that ends it. A killed run has none.
    pub has_ended: bool,
    /// Its tests. A script of ior and a series of task counts of mdtest have several.
    pub tests: Vec<LogTest<'t>>,
}

/// The output of a test in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct LogTest<'t> {
    /// What all tests of the run share: the lines before the first test.
    pub head: &'t str,
    /// Its own lines.
    block: &'t str,
    /// Its rows of the summary of all tests.
    rows: Vec<&'t str>,
}

impl<'t> LogTest<'t> {
    /// Its output as a program prints that of one test, which `App::records` reads.
    pub fn text(&self) -> Cow<'t, str> {
        if self.head.is_empty() && self.rows.is_empty() {
            return Cow::Borrowed(self.block);
        }
        let mut text = [self.head, self.block].concat();
        self.rows.iter().for_each(|row| text.extend([row, "\n"]));
        Cow::Owned(text)
    }
}

/// How the output of a program begins and ends.
struct LogFormat {
    program: KnownProgram,
    begins: fn(&str) -> bool,
    ends: fn(&str) -> bool,
    tests: for<'t> fn(&'t str) -> Vec<LogTest<'t>>,
}

const FORMATS: [LogFormat; 2] = [
    LogFormat {
        program: KnownProgram::Ior,
        begins: |line| line.contains("MPI Coordinated Test of Parallel I/O"),
        ends: |line| ["Finished", "Run finished"].iter().any(|word| line.starts_with(word)),
        tests: ior_tests,
    },
    LogFormat {
        program: KnownProgram::Mdtest,
        begins: |line| line.starts_with("-- started at "),
        ends: |line| line.starts_with("-- finished at "),
        tests: mdtest_tests,
    },
];

/// A run whose end is not read yet.
struct BegunRun {
    format: &'static LogFormat,
    line: u64,
    from: usize,
    /// Where the first lines of its last test begin.
    last: usize,
}

impl BegunRun {
    fn ended(self, log: &str, to: usize, has_ended: bool) -> LogRun<'_> {
        let (text, LogFormat { program, tests, .. }) = (&log[self.from..to], self.format);
        LogRun { program: *program, line: self.line, text, has_ended, tests: tests(text) }
    }
}

/// The runs of all known programs in a log, in their order. JSON of ior is in none.
pub fn runs(log: &str) -> Vec<LogRun<'_>> {
    let mut begun: Option<BegunRun> = None;
    let mut runs = Vec::new();
    for (line, number) in lines(log).zip(1..) {
        let text = &log[line.clone()];
        if let Some(format) = FORMATS.iter().find(|format| (format.begins)(text)) {
            let (from, last) = (line.start, line.start);
            match &mut begun {
                Some(run) if is_next_test(&log[run.last..from], &log[from..]) => run.last = from,
                _ => {
                    let killed = begun.replace(BegunRun { format, line: number, from, last });
                    runs.extend(killed.map(|run| run.ended(log, from, false)));
                }
            }
        } else if begun.as_ref().is_some_and(|run| (run.format.ends)(text)) {
            runs.extend(begun.take().map(|run| run.ended(log, line.end, true)));
        } else if text.contains("\"Began\":") {
            // Release 3.2 of ior begins its JSON like a text, but without a command line.
            let killed = begun.take().filter(|run| command_line(&log[run.from..line.start]).is_some());
            runs.extend(killed.map(|run| run.ended(log, line.start, false)));
        }
    }
    runs.extend(begun.map(|run| run.ended(log, log.len(), false)));
    runs
}

/// Whether the test after this one is of the same script. Releases 2.x of ior print their first lines for
/// each test, and the line that ends the run once. So only a complete test of that script can be before it.
fn is_next_test(test: &str, after: &str) -> bool {
    let line = command_line(test).filter(|line| is_script(line));
    let is_complete = test.trim_end().lines().next_back().is_some_and(|last| last.starts_with("Max "));
    after.starts_with("IOR-2.") && is_complete && line.is_some() && line == command_line(after)
}

/// The command line among the first lines of an output of ior.
fn command_line(text: &str) -> Option<&str> {
    text.lines().take(FIRST_LINES).find(|line| line.starts_with("Command line"))
}

/// The most lines up to the command line. Releases print a few, and launchers add others.
const FIRST_LINES: usize = 50;

/// Whether a command line has `-f`, possibly after other letters.
fn is_script(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        let before = word.strip_prefix('-').and_then(|letters| letters.split_once('f'));
        before.is_some_and(|(letters, _)| letters.bytes().all(|one| one.is_ascii_alphabetic()))
    })
}

/// The ranges of all lines, each with its line feed.
fn lines(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let from = *at;
        *at += line.len();
        Some(from..*at)
    })
}

/// The tests of a run of ior: those of a script.
fn ior_tests(run: &str) -> Vec<LogTest<'_>> {
    let begins: [fn(&str) -> bool; 3] = [
        |line| line.starts_with("TestID"),
        |line| line.starts_with("Test ") && line.contains(" started:"),
        |line| line.trim_end() == "Summary:",
    ];
    let end = places(run, |line| line.starts_with("Summary of all tests:")).first().copied();
    let (blocks, summary) = run.split_at(end.unwrap_or(run.len()));
    let starts = begins.iter().map(|begins| places(blocks, begins)).find(|starts| !starts.is_empty());
    let mut tests = divided(run, blocks, &starts.unwrap_or_default());
    let column = |line: &str| line.split_whitespace().position(|word| word == "Test#");
    let Some(column) = summary.lines().find_map(column).filter(|_| tests.len() > 1) else { return tests };
    for row in summary.lines() {
        let number = row.split_whitespace().nth(column).and_then(|word| word.parse::<usize>().ok());
        if let Some(test) = number.and_then(|number| tests.get_mut(number)) {
            test.rows.push(row);
        }
    }
    tests
}

/// The tests of a run of mdtest: one for each number of tasks.
fn mdtest_tests(run: &str) -> Vec<LogTest<'_>> {
    let begins = |line: &str| {
        line.split_once(" tasks, ").is_some_and(|(count, _)| count.bytes().all(|one| one.is_ascii_digit()))
    };
    divided(run, run, &places(run, begins))
}

/// The places of the lines that are so.
fn places(text: &str, is: impl Fn(&str) -> bool) -> Vec<usize> {
    lines(text).filter(|line| is(&text[line.clone()])).map(|line| line.start).collect()
}

/// The tests that begin at these places of `blocks`. A single one has the whole run.
fn divided<'t>(run: &'t str, blocks: &'t str, starts: &[usize]) -> Vec<LogTest<'t>> {
    let [first, _, ..] = starts else { return vec![LogTest { head: "", block: run, rows: Vec::new() }] };
    let ends = starts.iter().skip(1).copied().chain([blocks.len()]);
    let test = |(from, to): (&usize, usize)| LogTest {
        head: &blocks[..*first],
        block: &blocks[*from..to],
        rows: Vec::new(),
    };
    starts.iter().zip(ends).map(test).collect()
}

/// An output of mdtest without its tables of times, whose rows look like those of rates.
pub(super) fn without_times(text: &str) -> Cow<'_, str> {
    let is_caption = |line: &str| line.starts_with("SUMMARY time");
    if !text.lines().any(is_caption) {
        return Cow::Borrowed(text);
    }
    let mut is_time = false;
    let kept = text.split_inclusive('\n').filter(|line| {
        is_time = is_caption(line) || is_time && line.starts_with(' ');
        !is_time
    });
    Cow::Owned(kept.collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const IOR: &str = "\
IOR-4.1.0: MPI Coordinated Test of Parallel I/O
Command line        : ior -f s
TestID              : 0
xfersize            : 1 MiB
TestID              : 1
xfersize            : 2 MiB
Summary of all tests:
Operation Max(MiB) Test# API
write         1.00     0 POSIX
write         2.00     1 POSIX
read          3.00     1 POSIX
Finished            : Mon Jan  5 10:00:01 2026
";
    const MDTEST: &str = "\
-- started at 01/05/2026 10:00:00 --
mdtest-4.0.0 was launched with 2 total task(s) on 1 node(s)
1 tasks, 8 files
SUMMARY rate: (of 1 iterations)
   File creation  1.0 1.0 1.0 0.0

SUMMARY time: (of 1 iterations)
   File creation  9.0 9.0 9.0 0.0
2 tasks, 16 files
SUMMARY rate: (of 1 iterations)
   File creation  2.0 2.0 2.0 0.0
-- finished at 01/05/2026 10:00:01 --
";

    #[test]
    fn a_log_is_divided_into_the_runs_of_its_programs() {
        let log = format!("night 1\n{IOR}\nnoise\n{MDTEST}{IOR}");
        let runs = runs(&log);
        let found: Vec<_> = runs.iter().map(|run| (run.program, run.line, run.text)).collect();
        assert!(runs.iter().all(|run| run.has_ended), "{runs:?}");
        assert_eq!(
            found,
            [(KnownProgram::Ior, 2, IOR), (KnownProgram::Mdtest, 16, MDTEST), (KnownProgram::Ior, 28, IOR)]
        );
        assert!(super::runs("nothing\n").is_empty());
    }

    #[test]
    fn a_killed_run_ends_where_the_next_begins() {
        let killed = "IOR-4.1.0: MPI Coordinated Test of Parallel I/O\nTestID : 0\n";
        let log = format!("{killed}{IOR}");
        let found: Vec<_> = runs(&log).into_iter().map(|run| (run.text, run.has_ended)).collect();
        assert_eq!(found, [(killed, false), (IOR, true)]);
    }

    #[test]
    fn the_tests_of_a_script_are_divided_with_their_rows_of_the_summary() {
        let [first, second] = &runs(IOR)[0].tests[..] else { panic!("{:?}", runs(IOR)) };
        let (first, second) = (first.text(), second.text());
        assert!(first.contains("ior -f s\n") && first.contains(": 1 MiB") && !first.contains(": 2 MiB"));
        assert!(first.ends_with("write         1.00     0 POSIX\n"), "{first}");
        assert!(second.contains("ior -f s\n") && second.contains(": 2 MiB") && !second.contains(": 1 MiB"));
        let rows = "write         2.00     1 POSIX\nread          3.00     1 POSIX\n";
        assert!(second.ends_with(rows) && !second.contains("Finished"), "{second}");
    }

    /// The output of a release 2.x for each of these command lines, and what follows it.
    fn ior_2(tests: &[(&str, &str)]) -> String {
        let test = |(number, (line, after)): (usize, &(&str, &str))| {
            format!(
                "IOR-2.10.3: MPI Coordinated Test of Parallel I/O\n\nCommand line used: IOR {line}\n\n\
                 Summary:\n{after}Max Write: {number}.00 MiB/sec\n\n"
            )
        };
        tests.iter().enumerate().map(test).collect::<String>()
    }

    #[test]
    fn releases_2_of_ior_print_their_first_lines_for_each_test_of_a_script() {
        for script in ["-f script", "-vf script", "-fscript"] {
            let log = ior_2(&[(script, ""), (script, "")]) + "Run finished: x\n";
            let runs = runs(&log);
            let [LogRun { has_ended: true, tests, .. }] = &runs[..] else { panic!("{runs:?}") };
            let [first, second] = &tests[..] else { panic!("{tests:?}") };
            let (first, second) = (first.text(), second.text());
            assert!(
                first.contains("0.00 ") && !first.contains("1.00 ") && first.starts_with("IOR-2"),
                "{first}"
            );
            assert!(second.contains("1.00 ") && !second.contains("0.00 "), "{second}");
        }
    }

    #[test]
    fn a_killed_run_of_a_release_2_ends_before_the_next_run() {
        let killed =
            "IOR-2.10.3: MPI Coordinated Test of Parallel I/O\nCommand line used: IOR -f s\nSummary:\n";
        for (night, next) in [
            (killed.to_owned(), "-f s"),
            (ior_2(&[("-f s", "")]) + "slurmstepd: CANCELLED\n", "-f s"),
            (ior_2(&[("-f s", "")]), "-f t"),
            (ior_2(&[("-w -F -o /f", "")]), "-w -F -o /f"),
        ] {
            let next =
                ior_2(&[(next, ""), ("-f s", "")][..1 + usize::from(next == "-f s")]) + "Run finished: x\n";
            let log = night.clone() + &next;
            let found: Vec<_> = runs(&log).into_iter().map(|run| (run.text, run.has_ended)).collect();
            assert_eq!(found, [(&*night, false), (&*next, true)]);
        }
    }

    #[test]
    fn a_text_that_was_killed_ends_where_json_begins() {
        let killed = "IOR-3.0.1: MPI Coordinated Test of Parallel I/O\nCommand line used: ior -w\n";
        let json = "{\n  \"Began\": \"x\",\n  \"Finished\": \"x\"\n}\n";
        let log = format!("{killed}{json}");
        let found: Vec<_> = runs(&log).into_iter().map(|run| (run.text, run.has_ended)).collect();
        assert_eq!(found, [(&*format!("{killed}{{\n"), false)]);
        let log = format!("IOR-3.2.1: MPI Coordinated Test of Parallel I/O\n\n{json}{IOR}");
        let found: Vec<_> = runs(&log).into_iter().map(|run| (run.line, run.has_ended)).collect();
        assert_eq!(found, [(7, true)], "release 3.2 begins its JSON like a text");
    }

    #[test]
    fn a_test_that_begins_after_the_summary_is_none() {
        let log = IOR.replace("Finished", "TestID              : 1\nFinished");
        let tests = &runs(&log)[0].tests;
        assert_eq!(tests.len(), 2, "{tests:?}");
    }

    proptest::proptest! {
        #[test]
        fn any_order_of_lines_is_divided(
            lines in Just(ior_2(&[("-f s", ""), ("-f s", "")]) + IOR + MDTEST + "{\n\"Began\": \"x\"\n")
                .prop_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
                .prop_shuffle()
        ) {
            let log = lines.join("\n");
            for run in runs(&log) {
                run.tests.iter().for_each(|test| drop(test.text()));
            }
        }
    }

    #[test]
    fn each_number_of_tasks_of_mdtest_is_a_test() {
        let [first, second] = &runs(MDTEST)[0].tests[..] else { panic!("{:?}", runs(MDTEST)) };
        let (first, second) = (first.text(), second.text());
        assert!(
            first.contains("was launched with") && first.contains("1.0 1.0") && !first.contains("2.0 2.0")
        );
        assert!(
            second.contains("was launched with") && second.contains("2.0 2.0") && !second.contains("1.0 1.0")
        );
    }

    #[test]
    fn tables_of_times_are_left_out() {
        let rates = without_times(MDTEST);
        assert!(!rates.contains("9.0") && rates.contains("1.0 1.0") && rates.contains("2.0 2.0"), "{rates}");
        assert!(rates.ends_with("10:00:01 --\n"));
    }
}
