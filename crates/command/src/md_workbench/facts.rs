//! What a plan concludes from a command line of `md-workbench`.
//!
//! Invariant: a test runs all three phases, so it creates and removes everything that it works on. Amounts
//! are upper limits. An option whose value cannot be read has its default.
//!
//! Never here: rejecting a command line.

use super::options::MdWorkbenchOption;
use super::parsed::Parsed;
use crate::classic::ReadLine;

/// A command line of `md-workbench`, as far as it can be read.
pub type Line = ReadLine<Parsed>;

impl Line {
    /// The directory that `-o` names.
    pub(crate) fn named_dir(&self) -> Option<&str> {
        self.has(MdWorkbenchOption::Directory).then_some(&self.dir)
    }

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
        self.sets.saturating_mul(ranks)
    }

    /// The phases that it yields.
    pub(crate) fn phases(&self) -> Vec<&'static str> {
        let benchmark: &[&str] = match (self.iterations, self.read_only) {
            (0, _) => &[],
            (_, true) => &["benchmark", "benchmark_read", "benchmark_stat"],
            (_, false) => {
                &["benchmark", "benchmark_create", "benchmark_read", "benchmark_stat", "benchmark_delete"]
            }
        };
        [&["precreate"], benchmark, &["cleanup"]].concat()
    }

    /// Whether it compares the data that it reads. An empty object has none.
    pub(crate) fn compares(&self) -> bool {
        self.verify && self.object_bytes > 0
    }

    /// Bytes that exist at the same time, at most.
    pub(crate) fn bytes(&self, ranks: u64) -> u64 {
        self.sets_total(ranks).saturating_mul(self.at_once()).saturating_mul(self.object_bytes)
    }

    /// Data sets and objects that exist at the same time, at most, and their directory.
    pub(crate) fn names(&self, ranks: u64) -> u64 {
        self.sets_total(ranks).saturating_mul(self.at_once().saturating_add(1)).saturating_add(1)
    }

    /// How often as many objects as exist at the same time are created, rounded up.
    pub(crate) fn renewals(&self) -> u64 {
        let more = self.created().saturating_mul(u64::from(self.iterations).saturating_sub(1));
        1 + more.div_ceil(self.at_once().max(1))
    }

    /// Seconds after which a phase stops, with all iterations; 0 for never. `-w` limits each iteration.
    pub(crate) fn limit_s(&self, phase: &str) -> u64 {
        let is_benchmark = phase == "benchmark" || phase.starts_with("benchmark_");
        let each = if is_benchmark { u64::from(self.deadline) } else { 0 };
        each.saturating_mul(u64::from(self.iterations))
    }

    /// Whether it is unknown which objects exist at the end, so that a missing one is no failure.
    pub(crate) fn ends_unevenly(&self) -> bool {
        self.start_item > 0 || self.deadline > 0 && !self.wear_out
    }

    /// Operations of a phase on this number of ranks, with all iterations, at most. A phase of one kind of
    /// operation has those of its kind.
    pub(crate) fn operations(&self, phase: &str, ranks: u64) -> u64 {
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
