//! The classic output of `ior` 4.1 or 3.3, to the letter, line by line as events arrive.
//!
//! Invariant: no engine here. All numbers come from a record or an event.

use command::ior::{Edition, Output, Parsed};
use results::record::Phase;
use storage::Space;
use workloads::ior::{IorEvent, first_path};
use workloads::kit::observer::EventObserver;

use super::below_text::BelowText;
use super::output::ResultOutput;
use super::shown::{ShownTest, name_of};
use super::streams::Streams;
use super::value::Members;
use super::warnings::Warnings;
use super::{chatter, numbers, summary};
use crate::personalities::classic::{space_line, whole_header_dir};

/// Writes the output of one run.
pub(crate) struct IorText {
    streams: Streams,
    edition: Edition,
    /// Whether the output has no own lines.
    plain: bool,
    summary_always: bool,
    command: String,
    /// The tests so far. The last one is the current test.
    tests: Vec<ShownTest>,
    heading_due: bool,
    /// The own lines below the classic output, unless it is plain.
    below: BelowText,
    /// The warnings below them.
    warnings: Warnings,
}

impl IorText {
    /// A writer for the run started as `argv`.
    pub(crate) fn new(streams: Streams, look: &Output, argv: &[String]) -> Self {
        Self {
            streams,
            edition: look.edition(),
            plain: look.plain,
            summary_always: look.summary_always,
            command: argv.join(" "),
            tests: Vec::new(),
            heading_due: true,
            below: BelowText::default(),
            warnings: Warnings::default(),
        }
    }

    /// The current test.
    fn shown(&self) -> &ShownTest {
        self.tests.last().expect("events come after a test has begun")
    }

    fn verbose(&self) -> u32 {
        self.shown().parameters().verbose
    }

    fn older(&self) -> bool {
        self.edition == Edition::Ior33
    }

    /// Prints the header above all tests. It has more details with a higher verbosity of the first test.
    fn head(&mut self) {
        let version = self.edition.version();
        let mut text = format!("IOR-{version}: MPI Coordinated Test of Parallel I/O\n");
        let machine = machine(self.verbose());
        for (key, value) in
            [("Began", numbers::date().as_str()), ("Command line", &self.command), ("Machine", &machine)]
        {
            text.push_str(&line(key, value));
        }
        self.streams.put(&text);
    }

    /// Prints the blocks above the results.
    fn blocks(&mut self) {
        let shown = self.shown();
        let mut text = String::new();
        if self.verbose() >= 3 {
            text.push_str(&block("Parameters", &shown.settings()));
        }
        if self.older() && self.verbose() > 0 {
            text.push_str(&format!("Participating tasks: {}\n", shown.ranks));
            if shown.meant.constant > 0 {
                text.push_str("Using reorderTasks '-C' (useful to avoid read cache in client)\n");
            }
        }
        text.push_str(&block("Options", &shown.options(self.edition)));
        text.push_str("\nResults: \n");
        self.streams.put(&text);
    }

    /// Prints the table's heading, once, before the first event in the table.
    fn heading(&mut self) {
        if std::mem::take(&mut self.heading_due) {
            self.streams.put(
                "\naccess    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   \
                 close(s)   total(s)   iter\n\
                 ------    ---------  ----       ----------  ---------- ---------  --------   --------   \
                 --------   --------   ----\n",
            );
        }
    }

    fn row(&mut self, phase: &Phase) {
        let Some(name) = name_of(&phase.phase) else { return };
        let gaps = [" ", " ", "  ", " ", " ", " ", " ", " ", " "];
        let mut text = format!("{name:<10}");
        for (value, gap) in row_numbers(phase).into_iter().zip(gaps) {
            text.push_str(&numbers::column(value));
            text.push_str(gap);
        }
        self.streams.put(&format!("{text}{:<4}\n", phase.repetition));
    }

    fn removed(&mut self, repetition: u32, seconds: f64) {
        if self.verbose() == 0 && !self.older() {
            return;
        }
        let dash = format!("{:<10}", "-");
        let dashes = format!("{dash} {dash} {dash}  {dash} {dash} {dash} {dash} {dash} ");
        self.streams.put(&format!("{:<10}{dashes}{} {repetition:<4}\n", "remove", numbers::column(seconds)));
    }
}

/// The nine numbers of a row: bw in MiB/s, IOPS, latency, block and transfer in KiB. Then follow the spans of
/// open, transfers, close and total in seconds.
pub(crate) fn row_numbers(phase: &Phase) -> [f64; 9] {
    let metric = |name| phase.metric(name).map_or(0.0, |metric| metric.value);
    let latency = phase.latency.as_ref().map_or(0.0, |latency| latency.mean_ns * 1e-9);
    let spans = phase.spans;
    [
        metric("bw") / units::MIB as f64,
        metric("iops"),
        latency,
        phase.block_bytes as f64 / 1024.0,
        phase.transfer_bytes as f64 / 1024.0,
        spans.open_s,
        spans.transfer_s,
        spans.close_s,
        spans.total_s,
    ]
}

impl ResultOutput for IorText {
    fn begin(&mut self, warnings: &str) {
        self.streams.begin(warnings);
    }

    fn test(&mut self, meant: &Parsed, space: Option<Space>) {
        self.tests.push(ShownTest::new(meant));
        self.heading_due = true;
        if self.tests.len() == 1 {
            self.head();
        }
        let path = first_path(&meant.request, 0);
        let shown_path = if self.older() { whole_header_dir(&path).display().to_string() } else { path };
        let number = meant.request.test.to_string();
        let mut text = String::new();
        for (key, value) in
            [("TestID", number.as_str()), ("StartTime", &numbers::date()), ("Path", &shown_path)]
        {
            text.push_str(&line(key, value));
        }
        if let Some(space) = space {
            text.push_str(&line("FS", &space_line(space)));
        }
        self.streams.put(&text);
    }

    fn end_test(&mut self) {
        let shown = self.shown();
        let text = match self.summary_always && self.verbose() > 0 {
            true => format!("\n{}", summary::table([shown])),
            // IOR 4.1 prints them with `-v` only.
            false if self.plain && !self.older() && self.verbose() == 0 => String::new(),
            false => summary::maxima(shown),
        };
        let kept = shown.parameters().status_file.is_some();
        // The first phase of a test that writes is the write.
        let worn_out = shown.totals.first_worn_out.filter(|_| !kept);
        self.streams.put(&text);
        if let Some(transfers) = worn_out {
            self.streams.say(&format!("Pairs deadlineForStonewallingaccessed: {transfers}\n"));
        }
    }

    fn finish(&mut self, complete: bool, _failure: Option<&str>) -> Result<(), String> {
        let mut text = String::new();
        if !complete && !self.tests.is_empty() {
            // The test that failed has not ended. What it measured still counts.
            self.end_test();
        }
        if self.tests.iter().any(|test| test.totals.phases > 0) {
            text.push_str(&format!("\nSummary of all tests:\n{}", summary::table(&self.tests)));
        }
        if complete {
            text.push_str(&line("Finished", &numbers::date()));
        }
        self.streams.put(&text);
        let verbose = self.tests.iter().any(|test| test.parameters().verbose > 0);
        self.streams.say_own(&self.below.lines(self.tests.len() > 1, verbose));
        self.streams.say_own(&self.warnings.lines());
        self.streams.finish()
    }
}

impl EventObserver<IorEvent<'_>> for IorText {
    fn event(&mut self, event: &IorEvent<'_>) {
        let shown = self.tests.last_mut().expect("events come after a test has begun");
        shown.hear(event);
        self.warnings.hear(event);
        let words = chatter::words(event, shown, self.edition);
        match event {
            IorEvent::Test { .. } => self.blocks(),
            IorEvent::Phase(phase) => {
                self.row(phase);
                if !self.plain {
                    self.below.add(phase);
                }
            }
            IorEvent::Removed { repetition, seconds } => self.removed(*repetition, *seconds),
            _ => {}
        }
        self.streams.say(&words);
        self.streams.say_own(&chatter::own_words(event));
        if matches!(event, IorEvent::Repetition { .. }) {
            self.heading();
        }
    }
}

/// A line of the header or of a block.
fn line(key: &str, value: &str) -> String {
    format!("{key:<20}: {value}\n")
}

fn block(name: &str, members: &Members) -> String {
    let lines: String = members.iter().map(|(key, value)| line(key, &value.to_string())).collect();
    format!("\n{name}: \n{lines}")
}

/// The name of the system and of the node; from `-vv` on all that the system reports about itself.
pub(crate) fn machine(verbose: u32) -> String {
    let uname = rustix::system::uname();
    let all = [uname.sysname(), uname.nodename(), uname.release(), uname.version(), uname.machine()];
    let shown = if verbose >= 2 { all.len() } else { 2 };
    let words: Vec<_> = all[..shown].iter().map(|part| part.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
#[path = "../../../tests/common/masked.rs"]
mod masked;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use results::record::Stonewall;
    use workloads::ior::{RankPlacement, WearOut};

    use super::super::shown::tests::{beginning, meant, phase};
    use super::super::streams::tests::Page;
    use super::masked::Golden;
    use super::*;

    /// The script of the golden texts as events.
    fn script(look: &Output, verbose: u32) -> String {
        let page = Page::default();
        script_on(Streams::together(&page), &page, look, verbose)
    }

    fn script_on(streams: Streams, page: &Page, look: &Output, verbose: u32) -> String {
        let mut text = IorText::new(streams, look, &["ior".into(), "-f".into()]);
        text.begin("");
        for (test, transfer, file_per_rank) in [(0, 16 << 10, false), (1, 32 << 10, true)] {
            let meant = meant(|p| {
                (p.test, p.verbose, p.test_file) = (test, verbose, "sf".into());
                (p.block, p.transfer, p.file_per_rank) = (64 << 10, transfer, file_per_rank);
            });
            text.test(&meant, Some(Space { bytes: 1 << 40, ..Space::default() }));
            let place = RankPlacement { nodes: 1, ranks_on_node0: 2, by_block: true };
            text.event(&IorEvent::Test { test, place, ranks: 2 });
            text.event(&IorEvent::Repetition { repetition: 0, signature: 1 });
            for name in ["write", "read"] {
                text.event(&IorEvent::Begins(beginning(name)));
                let mut phase = phase(name, 0);
                (phase.block_bytes, phase.transfer_bytes, phase.bytes) = (64 << 10, transfer, 128 << 10);
                text.event(&IorEvent::Phase(&phase));
            }
            text.event(&IorEvent::Removed { repetition: 0, seconds: 0.1 });
            text.end_test();
        }
        text.finish(true, None).unwrap();
        // The space of the file system is made up, and the working directory is not part of the golden text.
        let here = Path::new(".").canonicalize().unwrap();
        page.text().replace(&here.display().to_string(), "DIR")
    }

    #[test]
    fn the_blocks_of_each_test_of_a_script_have_the_classic_text() {
        let text = script(&Output::default(), 0);
        Golden::new(include_str!("../../../tests/golden/script.txt")).assert(&text);
        let older = Output { edition: Some(Edition::Ior33), ..Output::default() };
        Golden::new(include_str!("../../../tests/golden/3.3-script.txt")).assert(&script(&older, 0));
    }

    #[test]
    fn the_wear_out_line_reports_the_write() {
        let page = Page::default();
        let mut text = IorText::new(Streams::together(&page), &Output::default(), &["ior".into()]);
        text.test(&meant(|p| (p.deadline, p.wear_out, p.repetitions) = (1, true, 2)), None);
        for (name, transfers_max) in [("write", 9), ("read", 7), ("write", 5)] {
            let mut phase = phase(name, 0);
            let wall = Stonewall { wear_out: true, transfers_max, ..Stonewall::default() };
            phase.stonewall = Some(wall);
            let seconds = 1.0;
            let (transfers_min, bytes_min, bytes_mean) = (0, 0, 0.0);
            let wall = WearOut { transfers_min, transfers_max, bytes_min, bytes_mean, seconds };
            text.event(&IorEvent::WearOut(wall));
            text.event(&IorEvent::Phase(&phase));
        }
        text.end_test();
        assert!(page.text().contains("\nPairs deadlineForStonewallingaccessed: 9\n"), "{}", page.text());
    }

    #[test]
    fn a_summary_after_each_test_replaces_the_max_lines() {
        let look = Output { summary_always: true, ..Output::default() };
        let golden = include_str!("../../../tests/golden/script-v-summaries.txt");
        Golden::new(golden).assert(&script(&look, 1));
        let golden = include_str!("../../../tests/golden/3.3-script-v-summaries.txt");
        Golden::new(golden).assert(&script(&Output { edition: Some(Edition::Ior33), ..look.clone() }, 1));
        assert!(script(&look, 0).contains("\nMax Write: "), "without -v it changes nothing");
    }

    #[test]
    fn plain_output_is_the_golden_text_without_any_other_line() {
        for (golden, edition) in [
            (include_str!("../../../tests/golden/script.txt"), Edition::Ior41),
            (include_str!("../../../tests/golden/3.3-script.txt"), Edition::Ior33),
        ] {
            let look = Output { plain: true, edition: Some(edition), ..Output::default() };
            let page = Page::default();
            let apart = Page::default();
            let text = script_on(Streams::own_apart(&page, &apart), &page, &look, 0);
            Golden::new(golden).assert_whole(&text);
            assert_eq!(apart.text(), "");
        }
    }
}
