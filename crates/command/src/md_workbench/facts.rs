//! What a plan concludes from a command line of `md-workbench`.
//!
//! Invariant: a test runs all three phases, so it creates and removes everything that it works on. Amounts
//! are upper limits. An option whose value cannot be read has its default.

use units::Usage;

use super::options::MdWorkbenchOption::*;
use super::parsed::Parsed;
use crate::classic::ReadLine;
use crate::planned::{self, PlannedLine, check_place};

/// A command line of `md-workbench`, as far as it can be read.
pub type Line = ReadLine<Parsed>;

impl Line {
    /// Objects of one data set that an iteration creates.
    fn created(&self) -> u64 {
        if self.read_only { 0 } else { self.objects }
    }

    /// Objects of one data set that exist at the same time. A rank may create a whole iteration before
    /// another one removes.
    fn at_once(&self) -> u64 {
        self.per_set.saturating_add(self.created())
    }

    /// Data sets of all ranks.
    fn sets_total(&self, ranks: u64) -> u64 {
        self.parsed.request.sets.saturating_mul(ranks)
    }
}

impl PlannedLine for Line {
    fn check_planned(&self) -> Result<(), Usage> {
        planned::check(self, |_, option, value| match option {
            Precreate | Benchmark | Cleanup => {
                Err(Usage::new("a test of md-workbench runs all three phases. Leave out -1, -2 and -3."))
            }
            Adaptive => Err(Usage::new(
                "`-T` records all its waiting times under one name. Write a test for each of them, with -t.",
            )),
            Directory => check_place("-o", value),
            _ => Ok(()),
        })
    }

    fn backend(&self) -> Option<&str> {
        Some(&self.backend)
    }

    fn phases(&self) -> Vec<&'static str> {
        let benchmark: &[&str] = match (self.iterations, self.read_only) {
            (0, _) => &[],
            (_, true) => &["benchmark", "benchmark_read", "benchmark_stat"],
            (_, false) => {
                &["benchmark", "benchmark_create", "benchmark_read", "benchmark_stat", "benchmark_delete"]
            }
        };
        [&["precreate"], benchmark, &["cleanup"]].concat()
    }

    fn dir(&self) -> Option<&str> {
        self.has(Directory).then_some(&self.dir)
    }

    fn set_bytes(&self, ranks: u64) -> u64 {
        self.sets_total(ranks).saturating_mul(self.at_once()).saturating_mul(self.object_bytes)
    }

    // Data sets and objects, and their directory.
    fn set_names(&self, ranks: u64, _preload: u64) -> u64 {
        self.sets_total(ranks).saturating_mul(self.at_once().saturating_add(1)).saturating_add(1)
    }

    // How often as many objects as exist at the same time are created, rounded up.
    fn sets(&self) -> u64 {
        let more = self.created().saturating_mul(u64::from(self.iterations).saturating_sub(1));
        1 + more.div_ceil(self.at_once().max(1))
    }

    fn repetitions(&self) -> u64 {
        u64::from(self.iterations).max(1)
    }

    // A phase of one kind of operation has those of its kind.
    fn operations(&self, phase: &str, ranks: u64) -> u64 {
        let kinds = match (phase, self.read_only) {
            ("benchmark", true) => 2,
            ("benchmark", false) => 4,
            _ => 1,
        };
        let each = match phase {
            "precreate" | "cleanup" => self.per_set.saturating_add(1),
            _ => self.objects.saturating_mul(u64::from(self.iterations)).saturating_mul(kinds),
        };
        self.sets_total(ranks).saturating_mul(each)
    }

    // `-w` limits each iteration.
    fn phase_limit_s(&self, phase: &str) -> u64 {
        let is_benchmark = phase == "benchmark" || phase.starts_with("benchmark_");
        let each = if is_benchmark { u64::from(self.deadline) } else { 0 };
        each.saturating_mul(u64::from(self.iterations))
    }

    // An empty object has no data.
    fn compares(&self, phase: &str) -> bool {
        phase == "benchmark_read" && self.verify && self.object_bytes > 0
    }

    // The ranks may not know what exists at the end, for example if they stop at different objects.
    fn knows_failures(&self, phase: &str) -> bool {
        phase != "cleanup" || !(self.start_item > 0 || self.deadline > 0 && !self.wear_out)
    }

    // It may look for objects that no rank made.
    fn uses_only_made_names(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::ToolLine;

    fn line(text: &str) -> ToolLine {
        ToolLine::parse("md_workbench", text).unwrap()
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
        assert_eq!(
            some.moves_bytes(3),
            (2 * some.holds_bytes(3), 0),
            "70 objects in a data set of at most 40"
        );
        let read = line("-P 30 -I 10 -D 2 -R 4 -S 1k --read-only");
        assert_eq!(read.moves_bytes(3), (3 * 2 * 30 * 1024, 0));
        let operations = |phase| some.operations(phase, 3);
        assert_eq!(operations("precreate"), 3 * 2 * 31);
        assert_eq!(operations("benchmark_read"), 3 * 2 * 10 * 4);
        assert_eq!(operations("benchmark"), 4 * 3 * 2 * 10 * 4);
        assert_eq!(read.operations("benchmark", 3), 2 * 3 * 2 * 10 * 4);
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
        assert_eq!(line("-P 5").dir(), None);
        assert_eq!(line("-o {dir}/x").dir(), Some("{dir}/x"));
    }
}
