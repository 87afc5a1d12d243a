//! What known programs print about their own run: processes, nodes, files, sizes and times.
//!
//! A value that the output has several times with different contents is absent. Sizes in the output are
//! rounded.
//!
//! Invariant: pure. What cannot be read is absent, never guessed.
//! Never here: whether it agrees with the plan, and the metrics of a plan.

use super::KnownProgram;
use results::record::{Reported, ReportedPhase, printed_words};
use units::MIB;

/// The facts in the output of a known program.
pub(super) fn parse(program: KnownProgram, text: &str) -> Reported {
    match program {
        KnownProgram::Ior => ior(text),
        KnownProgram::Mdtest => mdtest(text),
        KnownProgram::FlashIo => Reported::default(),
    }
}

fn ior(text: &str) -> Reported {
    let number = |label| only(text, label).and_then(|value| value.parse().ok());
    let size = |label| only(text, label).and_then(size);
    let clients = only(text, "clients").map(clients).unwrap_or_default();
    let rows = |phase: fn(&str) -> Option<ReportedPhase>| text.lines().filter_map(phase).collect::<Vec<_>>();
    let phases = Some(rows(ior_repetition)).filter(|all| !all.is_empty()).unwrap_or_else(|| rows(ior_mean));
    Reported {
        argv: printed_words(
            only(text, "Command line").or(only(text, "Command line used")).unwrap_or_default(),
        ),
        paths: paths(only(text, "test filename")),
        tasks: number("tasks").or(clients.0),
        nodes: number("nodes"),
        tasks_per_node: number("clients per node").or(clients.1),
        block_bytes: size("blocksize"),
        transfer_bytes: size("xfersize"),
        segments: number("segments"),
        total_bytes: size("aggregate filesize"),
        file_per_task: only(text, "access").map(|value| value == "file-per-process"),
        shifted: only(text, "ordering inter file").map(|value| !value.starts_with("no ")),
        found_less: found_less(text),
        seconds: sum(&phases),
        phases,
        ..Reported::default()
    }
}

/// Processes, and those on each node, in `16 (8 per node)`. Releases before 3.2 print both in one line.
fn clients(text: &str) -> (Option<u64>, Option<u64>) {
    let mut numbers = text.split([' ', '(']).filter_map(|word| word.parse().ok());
    (numbers.next(), numbers.next())
}

/// A row of a repetition: the access, its rate in MiB/s, and at the end its seconds and its number. The rows
/// of summaries end otherwise, or have more columns.
fn ior_repetition(line: &str) -> Option<ReportedPhase> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let ([_, rate, .., seconds, number], 9 | 11) = (&columns[..], columns.len()) else { return None };
    number.parse::<u64>().ok().and_then(|_| ior_phase(columns[0], rate, seconds))
}

/// A row of the summary of releases 2.x, with the mean rate and the mean seconds. By default they print no
/// rows of repetitions.
fn ior_mean(line: &str) -> Option<ReportedPhase> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let [access, _, _, mean, _, _, _, _, _, seconds, "EXCEL", ..] = columns[..] else { return None };
    ior_phase(access, mean, seconds)
}

fn ior_phase(access: &str, rate: &str, seconds: &str) -> Option<ReportedPhase> {
    let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    let (rate, seconds) = (number(rate)? * MIB as f64, number(seconds)?);
    matches!(access, "write" | "read").then(|| ReportedPhase { phase: access.to_owned(), rate, seconds })
}

/// The expected size of the files, and the smaller size that the program warns about.
fn found_less(text: &str) -> Option<(f64, f64)> {
    let value = |label: &str| {
        let line = text.lines().find(|line| line.contains(label))?;
        line.rsplit_once('=')?.1.trim().trim_end_matches('.').parse().ok()
    };
    let pair = (value("Expected aggregate file size")?, value("Stat() of aggregate file size")?);
    (pair.1 < pair.0).then_some(pair)
}

fn mdtest(text: &str) -> Reported {
    let launched = text.lines().find_map(|line| line.split_once(" was launched with ").map(|(_, rest)| rest));
    let launched: Vec<&str> = launched.unwrap_or_default().split_whitespace().collect();
    let word = |at: usize| launched.get(at).and_then(|word| word.parse::<u64>().ok());
    let items = between(text, " tasks, ", " files").and_then(|count| count.parse::<u64>().ok());
    let rounds = between(text, "(of ", " iterations").and_then(|count| count.parse::<f64>().ok());
    let operations = items.zip(rounds).map_or(0.0, |(items, rounds)| items as f64 * rounds);
    let phases: Vec<ReportedPhase> = text.lines().filter_map(|line| mdtest_phase(line, operations)).collect();
    Reported {
        argv: printed_words(only(text, "Command line used").unwrap_or_default()),
        paths: paths(only(text, "Path")),
        tasks: word(0),
        nodes: word(4),
        total_items: items,
        seconds: sum(&phases).filter(|_| operations > 0.0),
        phases,
        ..Reported::default()
    }
}

/// A line of the table of rates: the operation, the largest, smallest and mean rate, their deviation. With
/// `--showRankStatistics` three columns of the ranks are before them.
fn mdtest_phase(line: &str, operations: f64) -> Option<ReportedPhase> {
    let names = ["creation", "stat", "rename", "read", "removal"];
    let columns: Vec<&str> = line.split_whitespace().filter(|word| *word != ":").collect();
    let [kind @ ("File" | "Directory"), name, _, _, .., mean, _] = columns[..] else { return None };
    let (name, rate) = (name.trim_end_matches(':'), mean.parse::<f64>().ok()?);
    let phase = format!("{}_{name}", kind.to_lowercase());
    (names.contains(&name) && rate > 0.0 && rate.is_finite()).then(|| ReportedPhase {
        phase,
        rate,
        seconds: operations / rate,
    })
}

/// The text between `before` and `after` in the first line that has both.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let found = |line: &'t str| Some(line.split_once(before)?.1.split_once(after)?.0.trim());
    text.lines().find_map(found)
}

/// The value after `LABEL :` at the beginning of a line, if all such lines have the same. Old releases print
/// `=`.
fn only<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let mut values = text.lines().filter_map(|line| {
        let value = line.trim_start().strip_prefix(label)?.trim_start().strip_prefix([':', '='])?;
        Some(value.trim())
    });
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// A size such as `16384 bytes` or `4 MiB`.
fn size(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let power =
        ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"].iter().position(|known| *known == unit.trim())?;
    number.parse::<f64>().ok().map(|number| number * 1024_f64.powi(power as i32))
}

/// Several paths are separated by `@`.
fn paths(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split('@').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

fn sum(phases: &[ReportedPhase]) -> Option<f64> {
    (!phases.is_empty()).then(|| phases.iter().map(|phase| phase.seconds).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    const IOR: &str = "\
Command line        : ior -w -r -C -e -F -o /s/d/f
test filename       : /s/d/f
access              : file-per-process
segments            : 2
ordering inter file : constant task offset
nodes               : 2
tasks               : 8
clients per node    : 4
xfersize            : 16384 bytes
blocksize           : 4 MiB
aggregate filesize  : 64 MiB

write     559.13     143520     0.000007    4096  16.00  0.000011   0.007135   0.000008   0.114464   0
WARNING: Expected aggregate file size       = 67108864
WARNING: Stat() of aggregate file size      = 0
read      2387.88    613567     0.000002    4096  16.00  0.000003   0.001669   0.000003   0.026802   0
write        1369.35     559.13     964.24     405.11  350552.34  143136.95  246844.65  103707.70    0.00504
";

    #[test]
    fn the_facts_of_an_output_of_ior_are_read() {
        let found = parse(KnownProgram::Ior, IOR);
        assert_eq!((found.tasks, found.nodes, found.tasks_per_node), (Some(8), Some(2), Some(4)));
        assert_eq!((found.block_bytes, found.transfer_bytes), (Some(4.0 * MIB as f64), Some(16384.0)));
        assert_eq!((found.segments, found.total_bytes), (Some(2), Some(64.0 * MIB as f64)));
        assert_eq!((found.file_per_task, found.shifted), (Some(true), Some(true)));
        assert_eq!((found.argv[1].as_str(), found.paths[0].as_str()), ("-w", "/s/d/f"));
        assert_eq!(found.found_less, Some((67_108_864.0, 0.0)));
        let [write, read] = &found.phases[..] else { panic!("{found:?}") };
        assert_eq!((write.rate, read.seconds), (559.13 * MIB as f64, 0.026802));
        assert!((found.seconds.unwrap() - 0.141266).abs() < 1e-9);
    }

    const IOR_3_0: &str = "\
Began: Sun Nov 29 03:12:56 2026
Command line used: src/ior -a POSIX -w -F -o d/f
Summary:
\ttest filename      = d/f
\taccess             = file-per-process
\tordering inter file= no tasks offsets
\tclients            = 16 (8 per node)
\txfersize           = 65536 bytes
\tblocksize          = 2 MiB
\taggregate filesize = 32 MiB
write     40.82      256.00     64.00      0.012099   0.012132   0.012036   0.012250   0
";

    #[test]
    fn the_facts_of_releases_before_3_2_are_read() {
        let found = parse(KnownProgram::Ior, IOR_3_0);
        assert_eq!(found.argv[1..], ["-a", "POSIX", "-w", "-F", "-o", "d/f"]);
        assert_eq!((found.tasks, found.tasks_per_node, found.nodes), (Some(16), Some(8), None));
        assert_eq!((found.block_bytes, found.transfer_bytes), (Some(2.0 * MIB as f64), Some(65536.0)));
        assert_eq!((found.total_bytes, found.shifted), (Some(32.0 * MIB as f64), Some(false)));
        assert_eq!((found.file_per_task, &*found.paths), (Some(true), &["d/f".to_owned()][..]));
        assert_eq!(found.phases[0].rate, 40.82 * MIB as f64);
    }

    const IOR_2_10: &str = "\
access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
write     100.00     1048576    1024.00    0.001      10.0       0.001      10.0       0
write     900.00     1048576    1024.00    0.001      10.0       0.001      10.0       1
Operation  Max (MiB)  Min (MiB)  Mean (MiB)   Std Dev  Max (OPs)  Min (OPs)  Mean (OPs)   Std Dev  Mean (s)
write      900.00  100.00  500.00  400.00  900.00  100.00  500.00  400.00  5.50000   EXCEL
";

    #[test]
    fn releases_2_without_rows_of_repetitions_have_their_mean() {
        let rates = |text: &str| {
            parse(KnownProgram::Ior, text).phases.iter().map(|one| one.rate / MIB as f64).collect::<Vec<_>>()
        };
        assert_eq!(rates(IOR_2_10), [100.0, 900.0]);
        let summary = IOR_2_10.split_inclusive('\n').skip(3).collect::<String>();
        assert_eq!(rates(&summary), [500.0]);
        assert_eq!(parse(KnownProgram::Ior, &summary).seconds, Some(5.5));
        assert!(rates(&summary.replace("500.00 ", "nan ")).is_empty(), "what cannot be read is absent");
    }

    #[test]
    fn a_value_that_differs_between_tests_of_one_output_is_absent() {
        let found = parse(
            KnownProgram::Ior,
            &(IOR.to_owned() + &IOR.replace("tasks               : 8", "tasks  : 4")),
        );
        assert_eq!((found.tasks, found.nodes), (None, Some(2)));
        assert!(
            parse(KnownProgram::Ior, "nothing").is_empty() && parse(KnownProgram::FlashIo, IOR).is_empty()
        );
    }

    #[test]
    fn the_facts_of_an_output_of_mdtest_are_read() {
        let text = "mdtest-4.1.0+dev was launched with 2 total task(s) on 1 node(s)\n\
                    Command line used: mdtest '-n' '200' '-d' '/s/d/m'\nPath                : /s/d/m\n\
                    2 tasks, 400 files/directories\n\nSUMMARY rate (in ops/sec): (of 3 iterations)\n   \
                    File creation              500.0    300.0     400.0     1.0\n   \
                    Directory stat        :    500.0    300.0     200.0     1.0\n   \
                    File read      9.0  9.0  9.0     500.0    300.0     100.0     1.0\n   \
                    Tree creation              500.0    300.0     400.0     1.0\n";
        let found = parse(KnownProgram::Mdtest, text);
        assert_eq!((found.tasks, found.nodes, found.total_items), (Some(2), Some(1), Some(400)));
        assert_eq!((found.argv.len(), found.paths[0].as_str()), (5, "/s/d/m"));
        let phases: Vec<_> = found.phases.iter().map(|one| (one.phase.as_str(), one.seconds)).collect();
        assert_eq!(phases, [("file_creation", 3.0), ("directory_stat", 6.0), ("file_read", 12.0)]);
        assert_eq!(found.seconds, Some(21.0));
    }
}
