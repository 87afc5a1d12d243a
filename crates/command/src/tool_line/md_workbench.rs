//! The facts that a campaign reads from the options of md-workbench.
//!
//! Invariant: a test runs all three phases, so it creates and removes everything that it works on.

use units::Usage;

use super::own_place;
use crate::MdWorkbenchOption::{self, *};
use crate::classic::OptionValues;

/// The options of a command line.
type WorkbenchGiven = OptionValues<MdWorkbenchOption>;

/// A number; `otherwise` also where it cannot be parsed.
fn number(given: &WorkbenchGiven, option: MdWorkbenchOption, otherwise: u64) -> u64 {
    given.number(option, otherwise).unwrap_or(otherwise)
}

/// Objects of a data set before the first iteration.
fn per_set(given: &WorkbenchGiven) -> u64 {
    number(given, PerSet, 3000)
}

/// Objects of a data set that an iteration uses.
fn objects(given: &WorkbenchGiven) -> u64 {
    number(given, Objects, 1000)
}

/// Objects of one data set that an iteration creates.
fn created(given: &WorkbenchGiven) -> u64 {
    if given.on(ReadOnly) { 0 } else { objects(given) }
}

/// Objects of one data set that exist at the same time. A rank may create a whole iteration before another
/// one removes.
fn at_once(given: &WorkbenchGiven) -> u64 {
    per_set(given).saturating_add(created(given))
}

/// Data sets of all ranks.
fn sets(given: &WorkbenchGiven, ranks: u64) -> u64 {
    number(given, Sets, 10).saturating_mul(ranks)
}

/// Rejects an option that a campaign cannot pass on.
pub(super) fn check(option: MdWorkbenchOption, value: &str) -> Result<(), Usage> {
    match option {
        Precreate | Benchmark | Cleanup => {
            Err(Usage::new("a test of md-workbench runs all three phases. Leave out -1, -2 and -3."))
        }
        Adaptive => Err(Usage::new(
            "`-T` records all its waiting times under one name. Write a test for each of them, with -t.",
        )),
        Directory => own_place('o', value),
        Record => Err(super::campaigns_own("record")),
        _ => Ok(()),
    }
}

/// The phases that it yields.
pub(super) fn phases(given: &WorkbenchGiven) -> Vec<&'static str> {
    let benchmark: &[&str] = match (iterations(given), given.on(ReadOnly)) {
        (0, _) => &[],
        (_, true) => &["benchmark", "benchmark_read", "benchmark_stat"],
        (_, false) => {
            &["benchmark", "benchmark_create", "benchmark_read", "benchmark_stat", "benchmark_delete"]
        }
    };
    [&["precreate"], benchmark, &["cleanup"]].concat()
}

/// Whether it compares the data that it reads. An empty object has none.
pub(super) fn compares(given: &WorkbenchGiven) -> bool {
    given.on(VerifyRead) && number(given, ObjectSize, 3901) > 0
}

/// Bytes that exist at the same time, at most.
pub(super) fn bytes(given: &WorkbenchGiven, ranks: u64) -> u64 {
    sets(given, ranks).saturating_mul(at_once(given)).saturating_mul(number(given, ObjectSize, 3901))
}

/// Data sets and objects that exist at the same time, at most, and their directory.
pub(super) fn names(given: &WorkbenchGiven, ranks: u64) -> u64 {
    sets(given, ranks).saturating_mul(at_once(given).saturating_add(1)).saturating_add(1)
}

/// How often as many objects as exist at the same time are created, rounded up.
pub(super) fn renewals(given: &WorkbenchGiven) -> u64 {
    let more = created(given).saturating_mul(iterations(given).saturating_sub(1));
    1 + more.div_ceil(at_once(given).max(1))
}

/// Iterations of the benchmark.
pub(super) fn iterations(given: &WorkbenchGiven) -> u64 {
    number(given, Iterations, 3)
}

/// Seconds after which a phase stops, with all iterations; 0 for never. `-w` limits each iteration.
pub(super) fn limit_s(given: &WorkbenchGiven, phase: &str) -> u64 {
    let is_benchmark = phase == "benchmark" || phase.starts_with("benchmark_");
    let each = if is_benchmark { number(given, Deadline, 0) } else { 0 };
    each.saturating_mul(iterations(given))
}

/// Whether it is unknown which objects exist at the end, so that a missing one is no failure.
pub(super) fn ends_unevenly(given: &WorkbenchGiven) -> bool {
    number(given, StartItem, 0) > 0 || number(given, Deadline, 0) > 0 && !given.on(WearOut)
}

/// Operations of a phase on this number of ranks, with all iterations, at most. A phase of one kind of
/// operation has those of its kind.
pub(super) fn operations(given: &WorkbenchGiven, phase: &str, ranks: u64) -> u64 {
    let kinds = match (phase, given.on(ReadOnly)) {
        ("benchmark", true) => 2,
        ("benchmark", false) => 4,
        _ => 1,
    };
    let each = match phase {
        "precreate" | "cleanup" => per_set(given).saturating_add(1),
        _ => objects(given).saturating_mul(iterations(given)).saturating_mul(kinds),
    };
    sets(given, ranks).saturating_mul(each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolLine;
    use crate::classic::{ClassicOption, OptionKind};
    use crate::tool_line::tools::options_of;

    fn line(text: &str) -> ToolLine {
        ToolLine::parse("md_workbench", text).unwrap()
    }

    #[test]
    fn the_letters_with_a_value_are_those_of_the_table() {
        let valued = |row: &&crate::classic::OptionRow<MdWorkbenchOption>| row.kind != OptionKind::Flag;
        let mut letters: Vec<char> =
            MdWorkbenchOption::rows().filter(valued).filter_map(|row| row.short).collect();
        let mut known: Vec<char> = options_of("md_workbench").letters.chars().collect();
        letters.sort_unstable();
        known.sort_unstable();
        assert_eq!(known, letters);
    }

    #[test]
    fn the_phases_are_those_of_a_whole_run() {
        let all =
            "precreate benchmark benchmark_create benchmark_read benchmark_stat benchmark_delete cleanup";
        assert_eq!(line("md-workbench -P 5").phases().join(" "), all);
        let read = line("--read-only -R=2").phases().join(" ");
        assert_eq!(read, "precreate benchmark benchmark_read benchmark_stat cleanup");
        assert_eq!(line("-R 0").phases(), ["precreate", "cleanup"]);
        assert!(line("-P 5 -X").compares("benchmark_read") && !line("-P 5 -X").compares("benchmark"));
        assert!(!line("-P 5").compares("benchmark_read") && !line("-S 0 -X").compares("benchmark_read"));
    }

    #[test]
    fn bytes_and_names_are_those_of_the_working_set_and_of_one_iteration_more() {
        let some = line("--precreate-per-set=30 -I 10 -D 2 -R 4 -S 1k");
        assert_eq!(some.holds_bytes(3), 3 * 2 * (30 + 10) * 1024);
        assert_eq!(some.holds_names(3, 0), 1 + 3 * 2 * (1 + 30 + 10));
        assert_eq!(some.bytes(3), (2 * some.holds_bytes(3), 0), "70 objects in a data set of at most 40");
        let read = line("-P 30 -I 10 -D 2 -R 4 -S 1k --read-only");
        assert_eq!(read.bytes(3), (3 * 2 * 30 * 1024, 0));
        let operations = |phase| some.operations(phase, 3);
        assert_eq!(operations("precreate"), Some(3 * 2 * 31));
        assert_eq!(operations("benchmark_read"), Some(3 * 2 * 10 * 4));
        assert_eq!(operations("benchmark"), Some(4 * 3 * 2 * 10 * 4));
        assert_eq!(read.operations("benchmark", 3), Some(2 * 3 * 2 * 10 * 4));
        let limited = line("-P 30 -w 20 -R 4");
        assert_eq!(["benchmark", "benchmark_read", "cleanup"].map(|p| limited.phase_limit_s(p)), [80, 80, 0]);
        assert_eq!((some.repetitions(), some.creates(), some.removes()), (4, true, true));
    }

    #[test]
    fn options_that_a_campaign_cannot_pass_on_are_rejected() {
        for (text, why) in [
            ("-1 -P 5", "runs all three phases"),
            ("-P 5 -23", "runs all three phases"),
            ("-T", "a test for each of them, with -t"),
            ("-o /scratch/x", "`-o /scratch/x` lies outside"),
            ("--record=f", "the campaign sets `--record` itself"),
            ("-P", "`-P` has no value"),
            ("5", "`5` is not an option of md-workbench"),
        ] {
            let error = ToolLine::parse("md_workbench", text).unwrap_err().0;
            assert!(error.contains(why), "{text}: {error}");
        }
        assert_eq!(line("-P 5").place(), ["-o", "{dir}/md-workbench"]);
        assert_eq!(line("-o {dir}/x").place(), [""; 0]);
    }
}
