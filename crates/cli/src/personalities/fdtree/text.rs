//! The output of fdtree: the classic lines, and below those of each phase the lines of assay.
//!
//! The classic lines use whole seconds of the clock that bash calls `$SECONDS`, and rates divided by them.
//! Own lines use the measured time.
//!
//! Invariant: all numbers in the lines of assay come from records.

use std::io;
use std::path::Path;

use command::fdtree::FdtreeShape;
use jiff::Zoned;
use results::record::{Failed, Phase};
use units::visible;
use workloads::fdtree::{FdtreeEvent, FdtreeParameters, FdtreePhase};
use workloads::kit::observer::EventObserver;

use super::trace;
use crate::personalities::failures::{Leads, named, reasons};
use crate::personalities::latency::in_words;
use crate::personalities::own_lines::{own_sentence, phase_name};
use crate::personalities::printer::Printer;

/// How many failures of a phase are listed.
const NAMED: usize = 8;

/// What is printed, and in which form.
pub(super) struct FdtreeLook {
    pub(super) parameters: FdtreeParameters,
    pub(super) ranks: u32,
    /// `-v`
    pub(super) verbose: bool,
    /// `-D`
    pub(super) debug: bool,
    /// Whether `-s` was given.
    pub(super) sized: bool,
    /// An own line below the header if the free space is too small.
    pub(super) warning: Option<String>,
}

impl FdtreeLook {
    /// The path of the tree with a slash after it; several trees in the brace notation of shells.
    pub(super) fn trees(&self) -> String {
        match self.ranks {
            1 => format!("{}/", self.parameters.base),
            ranks => format!("{}.{{0..{}}}/", self.parameters.base, ranks - 1),
        }
    }

    fn total(&self, of_one: u64) -> u64 {
        of_one * u64::from(self.ranks)
    }

    /// The lines above all phases.
    pub(super) fn header(&self) -> String {
        let FdtreeShape { levels, dirs, files, blocks } = self.parameters.shape;
        let directories = self.total(self.parameters.shape.directories());
        let all = self.total(self.parameters.shape.files_total());
        let mut text = format!(
            "fdtree-1.0.2: starting at {}\n\
             \tcreating/deleting {levels} directory levels with {dirs} directories at each level\n\
             \tfor a total of {directories} directories\n",
            self.trees()
        );
        text.push_str(&format!(
            "\twith {files} files of size {}KiB per directory\n\
             \tfor a total of {all} files and {}KiB\n",
            4 * blocks,
            4 * all * blocks
        ));
        text
    }

    /// The own lines below the header, without their mark.
    pub(super) fn own_header(&self) -> String {
        let mut text = String::new();
        if self.ranks > 1 {
            text.push_str(&format!(
                "{} ranks, each in its own tree. Totals and rates are sums over all ranks.\n",
                self.ranks
            ));
        }
        if !self.parameters.create && !self.sized {
            text.push_str("the sizes assume the default of -s. The real ones are not looked up.\n");
        }
        text
    }

    /// The lines below a phase that lasted from second `from` to second `to` of the classic clock.
    fn phase(&self, step: FdtreePhase, phase: &Phase, [from, to]: [i64; 2]) -> String {
        let total = to - from;
        let per_second = |amount: u64| amount.checked_div(total.max(0) as u64).unwrap_or(0);
        let times = format!("{from}, {to}, {total}");
        let rate = per_second(phase.ops);
        let (title, counted) = match step {
            FdtreePhase::CreateDirectories => ("DIRECTORY CREATE", "Directory creates"),
            FdtreePhase::CreateFiles => ("FILE CREATE", "File creates"),
            FdtreePhase::RemoveFiles => ("FILE REMOVE", "File removals"),
            FdtreePhase::RemoveDirectories => ("DIRECTORY REMOVE", "Directory removals"),
        };
        let (title, counted) = (format!("{title} TIME IN, OUT, TOTAL"), format!("{counted} per second"));
        let mut text = format!("{title:<36} = {times}\n\t{counted:<28} =  {rate}\n");
        if step == FdtreePhase::CreateFiles {
            let kib = per_second(phase.bytes / 1024);
            text.push_str(&format!("\tKiB per second               =  {kib}\n"));
        }
        text
    }

    /// What the classic lines do not report of a phase without failures, as own lines without their mark.
    fn own(&self, step: FdtreePhase, phase: &Phase) -> String {
        let rate = |name| phase.metric(name).map_or(0.0, |metric| metric.value);
        let what = match step {
            FdtreePhase::CreateDirectories => "directories made",
            FdtreePhase::CreateFiles => "files made",
            FdtreePhase::RemoveFiles => "files deleted",
            FdtreePhase::RemoveDirectories => "directories deleted",
        };
        let seconds = phase.spans.total_s;
        let mut text = format!("{} {what} in {seconds:.6} s: {:.1}/s", phase.ops, rate("rate"));
        if step == FdtreePhase::CreateFiles {
            text.push_str(&format!(", {:.1} Ki bytes a second", rate("bw") / 1024.0));
        }
        text.push('\n');
        let balance = &phase.balance;
        if self.ranks > 1 {
            text.push_str(&format!(
                "slowest rank {} on {}: {:.0}/s, median of all ranks {:.0}/s\n",
                balance.slowest_rank,
                visible(&balance.slowest_node),
                balance.slowest_rate,
                balance.median_rate
            ));
        }
        if let Some(latency) = phase.latency.as_ref().filter(|_| self.verbose) {
            let words = in_words(latency, |_| true);
            text.push_str(&format!("latency of one: {words}\n"));
        }
        text
    }
}

/// The number of failed operations for each reason, and the first ones by path.
fn failures(failed: &Failed) -> String {
    let head = format!("{} FAILED: {}\n", failed.operations, reasons(failed));
    head + &named(failed, NAMED, "  ", Leads::Path, phase_name)
}

/// Prints the output of a run, on rank 0.
pub(super) struct FdtreeText {
    look: FdtreeLook,
    printer: Printer,
    /// The first path that was found in a tree but does not belong to it.
    foreign: Option<String>,
    /// When this program was started, seconds since 1970.
    started: f64,
    /// When the records' time began, seconds since 1970.
    zero: f64,
}

impl FdtreeText {
    /// The program was started at `started`, seconds since 1970.
    pub(super) fn new(look: FdtreeLook, printer: Printer, started: f64) -> Self {
        Self { look, printer, foreign: None, started, zero: started }
    }

    /// What date(1) prints in the C locale.
    fn date(&mut self) {
        let now = Zoned::now().strftime("%a %b %e %H:%M:%S %Z %Y\n").to_string();
        self.printer.put(&now);
    }

    /// The value of bash's `$SECONDS` at `after` seconds since the records' time began. It counts how often
    /// the second of the wall clock changed since the start.
    fn whole_seconds(&self, after: f64) -> i64 {
        (self.zero + after).floor() as i64 - self.started.floor() as i64
    }

    fn start(&mut self) {
        self.zero = measure::unix_seconds();
        if self.look.debug {
            self.printer.put(&trace::counting(self.look.parameters.shape));
        }
        self.printer.put(&self.look.header());
        self.printer.put_own(&self.look.own_header());
        if let Some(warning) = self.look.warning.take() {
            self.printer.put_fault(&warning);
        }
    }

    fn begins(&mut self, step: FdtreePhase) {
        self.date();
        if self.look.debug {
            let base = format!("{}/", self.look.parameters.tree(0, self.look.ranks));
            trace::phase(step, self.look.parameters.shape, &base, &mut |line| self.printer.put_later(line));
            self.printer.flush();
        }
    }

    fn ended(&mut self, step: FdtreePhase, phase: &Phase) {
        self.date();
        let times = [phase.began_s, phase.began_s + phase.spans.total_s];
        let text = self.look.phase(step, phase, times.map(|at| self.whole_seconds(at)));
        self.printer.put(&text);
        self.printer.put_own(&self.look.own(step, phase));
        if let Some(failed) = &phase.failed {
            self.printer.put_fault(&failures(failed));
        }
    }

    /// Prints the last lines. `failed` is the number of failed operations; `None` if a phase stopped the run.
    /// Fails if something could not be written.
    pub(super) fn finish(&mut self, failed: Option<u64>) -> io::Result<()> {
        let look = &self.look;
        let FdtreeShape { levels, dirs, files, blocks } = look.parameters.shape;
        let size = if look.parameters.create || look.sized { format!(" -s {blocks}") } else { String::new() };
        let (trees, shape) = (visible(&look.trees()), format!("-l {levels} -d {dirs} -f {files}{size}"));
        let on = if look.ranks > 1 { format!(" on {} ranks", look.ranks) } else { String::new() };
        let text = if failed == Some(0) && !look.parameters.remove {
            let dir = Path::new(&look.parameters.base).parent().unwrap_or(Path::new("."));
            format!(
                "left at {trees}. Delete it with `fdtree -R {shape} -o {}`{on}.",
                visible(&dir.display().to_string())
            )
        } else if failed != Some(0) && is_there(look) {
            let how = if failed.is_some() { "operations failed" } else { "stopped" };
            // A foreign file would stop the removal again.
            let first = self.foreign.as_ref().map(|path| format!(" Move {} away first.", visible(path)));
            format!(
                "{how}. The existing part of {trees} is left.{} Delete it with \
                 `fdtree -R --continue {shape} --base {}`{on}.",
                first.unwrap_or_default(),
                visible(&look.parameters.base)
            )
        } else {
            String::new()
        };
        if !text.is_empty() {
            self.printer.put_fault(&text);
        }
        self.printer.finish()
    }
}

/// Whether a tree of the lowest ranks exists, as seen from this node.
fn is_there(look: &FdtreeLook) -> bool {
    let ranks = 0..look.ranks.min(64);
    ranks.into_iter().any(|rank| std::fs::symlink_metadata(look.parameters.tree(rank, look.ranks)).is_ok())
}

impl EventObserver<FdtreeEvent<'_>> for FdtreeText {
    fn event(&mut self, event: &FdtreeEvent<'_>) {
        match event {
            FdtreeEvent::Started => self.start(),
            FdtreeEvent::Begins(step) => self.begins(*step),
            FdtreeEvent::Ended { step, phase } => self.ended(*step, phase),
            FdtreeEvent::Foreign { rank, path } => {
                self.foreign.get_or_insert_with(|| (*path).to_owned());
                let path = visible(path);
                let text = format!("  rank {rank}: {path} does not belong to the tree and is left");
                self.printer.put_fault(&text);
            }
            FdtreeEvent::Notice(reason) => {
                self.printer.put_fault(&format!("warning: {}", own_sentence(reason)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personalities::own_lines::own_lines;
    use results::record::{Balance, FailedOperation, FailureReason, Latency, Spans};

    fn look(ranks: u32) -> FdtreeLook {
        let shape = FdtreeShape { levels: 3, dirs: 5, files: 10, blocks: 10 };
        let parameters = FdtreeParameters {
            shape,
            base: "w/LEVEL0.h.7".into(),
            create: true,
            ..FdtreeParameters::default()
        };
        FdtreeLook { parameters, ranks, verbose: false, debug: false, sized: true, warning: None }
    }

    fn phase(ops: u64, seconds: f64) -> Phase {
        Phase {
            ops,
            bytes: ops * 40_960,
            began_s: 1.25,
            spans: Spans { total_s: seconds, ..Spans::default() },
            balance: Balance { slowest_node: "n7".into(), ..Balance::default() },
            latency: Some(Latency { p50_ns: 34_400, max_ns: 4_130_000, ..Latency::default() }),
            ..Phase::default()
        }
    }

    /// All lines below a phase.
    fn lines(look: &FdtreeLook, step: FdtreePhase, phase: &Phase, times: [i64; 2]) -> String {
        look.phase(step, phase, times) + &own_lines(&look.own(step, phase))
    }

    #[test]
    fn rates_of_the_classic_lines_are_divided_by_whole_seconds_and_truncated() {
        let text = lines(&look(1), FdtreePhase::CreateFiles, &phase(1560, 1.75), [0, 2]);
        assert_eq!(
            text,
            "FILE CREATE TIME IN, OUT, TOTAL      = 0, 2, 2\n\tFile creates per second      =  780\n\
             \tKiB per second               =  31200\n\
             assay: 1560 files made in 1.750000 s: 891.4/s, 35657.1 Ki bytes a second\n"
        );
        let text = lines(&look(1), FdtreePhase::RemoveFiles, &phase(1559, 0.5), [12, 14]);
        assert!(text.contains("TOTAL      = 12, 14, 2\n\tFile removals per second     =  779\n"), "{text}");
        assert!(text.ends_with("assay: 1559 files deleted in 0.500000 s: 3118.0/s\n"), "{text}");
    }

    #[test]
    fn a_phase_within_one_second_has_a_classic_rate_of_zero_and_a_measured_one() {
        let text = lines(&look(1), FdtreePhase::CreateDirectories, &phase(156, 0.25), [3, 3]);
        assert_eq!(
            text,
            "DIRECTORY CREATE TIME IN, OUT, TOTAL = 3, 3, 0\n\tDirectory creates per second =  0\n\
             assay: 156 directories made in 0.250000 s: 624.0/s\n"
        );
        let text = lines(&look(1), FdtreePhase::RemoveDirectories, &phase(0, 0.0), [3, 3]);
        assert!(text.ends_with("assay: 0 directories deleted in 0.000000 s: 0.0/s\n"), "{text}");
    }

    #[test]
    fn seconds_are_counted_by_changes_of_the_wall_clock_second_as_in_bash() {
        let mut text = FdtreeText::new(look(1), Printer::new(io::sink(), false), 1000.9);
        assert_eq!((text.whole_seconds(0.05), text.whole_seconds(0.15)), (0, 1));
        text.zero = 1001.95;
        assert_eq!((text.whole_seconds(0.0), text.whole_seconds(0.1)), (1, 2));
    }

    #[test]
    fn ranks_percentiles_and_failures_have_lines_of_their_own() {
        let mut look = look(3);
        look.verbose = true;
        let first = FailedOperation {
            rank: 2,
            operation: "write".into(),
            path: "w/LEVEL0.h.7.2/L3F1".into(),
            why: "No space left on device".into(),
            ..FailedOperation::default()
        };
        let reason =
            |why: &str, operations| FailureReason { why: why.into(), operations, ..FailureReason::default() };
        let failed = Failed {
            operations: 30,
            reasons: vec![reason("No space left on device", 29), reason("Permission denied", 1)],
            first: vec![first; 30],
        };
        let text =
            lines(&look, FdtreePhase::CreateFiles, &phase(10, 1.0), [0, 1]) + &own_lines(&failures(&failed));
        let own: Vec<&str> = text.lines().skip(3).collect();
        assert_eq!(
            own[..4],
            [
                "assay: 10 files made in 1.000000 s: 10.0/s, 400.0 Ki bytes a second",
                "assay: slowest rank 0 on n7: 0/s, median of all ranks 0/s",
                "assay: latency of one: p50 34.4 us, p90 0 s, p99 0 s, p99.9 0 s, max 4.13 ms",
                "assay: 30 FAILED: 29 No space left on device, 1 Permission denied",
            ]
        );
        assert_eq!(own.len(), 4 + NAMED);
        assert_eq!(own[4], "assay:   rank 2: w/LEVEL0.h.7.2/L3F1: wr: No space left on device");
        assert!(look.header().contains("for a total of 468 directories\n"), "{}", look.header());
    }
}
