//! Logs of known programs: their runs, and the tests of each run.
//!
//! A job of a campaign prints one test, and [`super::App::records`] reads one. A log of a night or of a
//! script has several, and other lines between them.
//!
//! Invariant: pure. A line is in the run that began last before it, or in none.
//! Never here: what a line means.

use std::borrow::Cow;

/// A run of a program in a log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRun<'t> {
    /// The program, as plans call it.
    pub program: &'static str,
    /// The line in which it begins, from 1.
    pub line: u64,
    /// Its output, from its first line to the line that ends it.
    pub text: &'t str,
    /// The output of each of its tests, which `App::records` reads. A script of ior and a series of task
    /// counts of mdtest have several.
    pub tests: Vec<Cow<'t, str>>,
}

/// How the output of a program begins and ends.
struct LogFormat {
    program: &'static str,
    begins: fn(&str) -> bool,
    ends: fn(&str) -> bool,
    tests: for<'t> fn(&'t str) -> Vec<Cow<'t, str>>,
}

const FORMATS: [LogFormat; 2] = [
    LogFormat {
        program: "ior",
        begins: |line| line.contains("MPI Coordinated Test of Parallel I/O"),
        ends: |line| ["Finished", "Run finished"].iter().any(|word| line.starts_with(word)),
        tests: ior_tests,
    },
    LogFormat {
        program: "mdtest",
        begins: |line| line.starts_with("-- started at "),
        ends: |line| line.starts_with("-- finished at "),
        tests: mdtest_tests,
    },
];

/// The runs of all known programs in a log, in their order.
pub fn runs(log: &str) -> Vec<LogRun<'_>> {
    let mut begun: Option<(&LogFormat, u64, usize)> = None;
    let mut runs = Vec::new();
    let mut push = |(format, line, from): (&LogFormat, u64, usize), to: usize| {
        let text = &log[from..to];
        runs.push(LogRun { program: format.program, line, text, tests: (format.tests)(text) });
    };
    for (line, number) in lines(log).zip(1..) {
        let text = &log[line.clone()];
        if let Some(format) = FORMATS.iter().find(|format| (format.begins)(text)) {
            // Releases 2.x of ior print their first lines for each test of a script, and end once.
            let continues = |(before, ..): &(&LogFormat, u64, usize)| {
                before.program == format.program && text.starts_with("IOR-2.")
            };
            if begun.as_ref().is_some_and(continues) {
                continue;
            }
            if let Some(killed) = begun.replace((format, number, line.start)) {
                push(killed, line.start);
            }
        } else if begun.as_ref().is_some_and(|(format, ..)| (format.ends)(text)) {
            push(begun.take().expect("a run has begun"), line.end);
        }
    }
    if let Some(killed) = begun {
        push(killed, log.len());
    }
    runs
}

/// The ranges of all lines, each with its line feed.
fn lines(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let from = *at;
        *at += line.len();
        Some(from..*at)
    })
}

/// The tests of a run of ior: those of a script. Each gets the lines before the first test, and its rows of
/// the summary.
fn ior_tests(run: &str) -> Vec<Cow<'_, str>> {
    let begins: [fn(&str) -> bool; 3] = [
        |line| line.starts_with("TestID"),
        |line| line.starts_with("Test ") && line.contains(" started:"),
        |line| line.trim_end() == "Summary:",
    ];
    let starts = begins.iter().map(|begins| places(run, begins)).find(|starts| !starts.is_empty());
    let starts = starts.unwrap_or_default();
    let end = places(run, |line| line.starts_with("Summary of all tests:")).first().copied();
    let end = end.unwrap_or(run.len());
    let (blocks, summary) = (run[..end].len(), &run[end..]);
    let mut tests = divided(run, &starts, blocks);
    let column = |line: &str| line.split_whitespace().position(|word| word == "Test#");
    let Some(column) = summary.lines().find_map(column) else { return tests };
    if tests.len() > 1 {
        for (number, test) in tests.iter_mut().enumerate() {
            let is_row = |line: &&str| {
                line.split_whitespace().nth(column).and_then(|word| word.parse().ok()) == Some(number)
            };
            let rows = summary.lines().filter(is_row).flat_map(|row| [row, "\n"]);
            test.to_mut().extend(rows);
        }
    }
    tests
}

/// The tests of a run of mdtest: one for each number of tasks.
fn mdtest_tests(run: &str) -> Vec<Cow<'_, str>> {
    let begins = |line: &str| {
        line.split_once(" tasks, ").is_some_and(|(count, _)| count.bytes().all(|one| one.is_ascii_digit()))
    };
    divided(run, &places(run, begins), run.len())
}

/// The places of the lines that are so.
fn places(text: &str, is: impl Fn(&str) -> bool) -> Vec<usize> {
    lines(text).filter(|line| is(&text[line.clone()])).map(|line| line.start).collect()
}

/// The text before the first start with each of the parts, up to `end`. One part is the whole text.
fn divided<'t>(text: &'t str, starts: &[usize], end: usize) -> Vec<Cow<'t, str>> {
    let [first, _, ..] = starts else { return vec![Cow::Borrowed(text)] };
    let ends = starts.iter().skip(1).chain([&end]);
    starts
        .iter()
        .zip(ends)
        .map(|(from, to)| Cow::Owned(text[..*first].to_owned() + &text[*from..*to]))
        .collect()
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
        assert_eq!(found, [("ior", 2, IOR), ("mdtest", 16, MDTEST), ("ior", 28, IOR)]);
        assert!(super::runs("nothing\n").is_empty());
    }

    #[test]
    fn a_killed_run_ends_where_the_next_begins() {
        let killed = "IOR-4.1.0: MPI Coordinated Test of Parallel I/O\nTestID : 0\n";
        let log = format!("{killed}{IOR}");
        let found: Vec<_> = runs(&log).into_iter().map(|run| run.text).collect();
        assert_eq!(found, [killed, IOR]);
    }

    #[test]
    fn the_tests_of_a_script_are_divided_with_their_rows_of_the_summary() {
        let [first, second] = &runs(IOR)[0].tests[..] else { panic!("{:?}", runs(IOR)) };
        assert!(first.contains("ior -f s\n") && first.contains(": 1 MiB") && !first.contains(": 2 MiB"));
        assert!(first.ends_with("write         1.00     0 POSIX\n"), "{first}");
        assert!(second.contains("ior -f s\n") && second.contains(": 2 MiB") && !second.contains(": 1 MiB"));
        let rows = "write         2.00     1 POSIX\nread          3.00     1 POSIX\n";
        assert!(second.ends_with(rows) && !second.contains("Finished"), "{second}");
    }

    #[test]
    fn releases_2_of_ior_print_their_first_lines_for_each_test_of_a_script() {
        let banner = "IOR-2.10.3: MPI Coordinated Test of Parallel I/O\nCommand line used: IOR -f s\n\n";
        let log = format!(
            "{banner}Summary:\nMax Write: 1.00\n{banner}Summary:\nMax Write: 2.00\nRun finished: x\n"
        );
        let runs = runs(&log);
        let [run] = &runs[..] else { panic!("{runs:?}") };
        let [first, second] = &run.tests[..] else { panic!("{run:?}") };
        assert!(first.contains("1.00") && !first.contains("2.00") && first.starts_with(banner), "{first}");
        assert!(second.contains("2.00") && !second.contains("1.00"), "{second}");
    }

    #[test]
    fn each_number_of_tasks_of_mdtest_is_a_test() {
        let [first, second] = &runs(MDTEST)[0].tests[..] else { panic!("{:?}", runs(MDTEST)) };
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
