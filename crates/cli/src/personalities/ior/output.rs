//! The output of a run's results, on rank 0, from the first test to the last: as text, JSON or CSV.
//!
//! Invariant: all printed numbers come from a record or an event. All formats print the same messages and
//! warnings, each where the format has a place for it.

use command::ior::{Output, Parsed, ResultFormat};
use storage::Space;
use units::Usage;
use workloads::ior::IorEvent;
use workloads::kit::observer::EventObserver;

use super::csv;
use super::json::Document;
use super::own_text::{BelowText, Warnings};
use super::shown::ShownTest;
use super::streams::{OutputStream, Streams};
use super::text;
use crate::personalities::failures::wrong_ranges;
use crate::personalities::own_lines::{own_lines, phase_name};

/// Writes the output of one run.
pub(crate) struct IorOutput {
    look: Output,
    command: String,
    streams: Streams,
    /// The file of the ranks' times.
    ranks_csv: Option<OutputStream>,
    /// The tests so far. The last one is the current test.
    pub(super) tests: Vec<ShownTest>,
    /// Whether the heading of the text's table is still to be printed in this test.
    heading_due: bool,
    pub(super) document: Document,
    below: BelowText,
    warnings: Warnings,
}

impl IorOutput {
    /// The output that `look` requests for the run started as `argv`. Its other files are created or emptied
    /// now.
    pub(crate) fn open(streams: Streams, look: &Output, argv: &[String]) -> Result<Self, Usage> {
        let mut output = Self::new(streams, look, argv);
        if let Some(path) = &look.rank_csv {
            let file = OutputStream::create("-O saveRankPerformanceDetailsCSV", path)?;
            output.ranks_csv.insert(file).printer.put(csv::RANKS_HEADING);
        }
        Ok(output)
    }

    pub(super) fn new(streams: Streams, look: &Output, argv: &[String]) -> Self {
        Self {
            look: look.clone(),
            command: argv.join(" "),
            streams,
            ranks_csv: None,
            tests: Vec::new(),
            heading_due: false,
            document: Document::default(),
            below: BelowText::default(),
            warnings: Warnings::default(),
        }
    }

    /// Whether standard output has one JSON document.
    pub(crate) fn is_document(&self) -> bool {
        self.look.is_data_on_stdout() && self.look.format == ResultFormat::Json
    }

    /// Prints the part above all tests, once, with the warnings before the first test.
    pub(crate) fn begin(&mut self, warnings: &str) {
        warnings.clone_into(&mut self.document.opening);
        self.streams.begin(warnings);
    }

    /// A test is about to start. `space` is the space of its file system.
    pub(crate) fn test(&mut self, parsed: &Parsed, space: Option<Space>) {
        self.tests.push(ShownTest::new(parsed));
        match self.look.format {
            ResultFormat::Text => {
                self.heading_due = true;
                if self.tests.len() == 1 {
                    let verbose = parsed.request.verbose;
                    self.streams.put(&text::head(self.look.edition(), &self.command, verbose));
                }
                self.streams.put(&text::test_head(&parsed.request, self.look.edition(), space));
            }
            ResultFormat::Json => self.document.begin_test(space),
            ResultFormat::Csv => self.streams.put(csv::HEADING),
        }
    }

    /// The test has ended on all ranks without a failure.
    pub(crate) fn end_test(&mut self) {
        if let (ResultFormat::Text, Some(shown)) = (self.look.format, self.tests.last()) {
            self.streams.put(&text::end_of_test(shown, &self.look));
            // The first phase of a test that writes is the write.
            let is_stored = shown.parameters().status_file.is_some();
            if let Some(transfers) = shown.totals.first_worn_out.filter(|_| !is_stored) {
                self.streams.say(&format!("Pairs deadlineForStonewallingaccessed: {transfers}\n"));
            }
        }
    }

    /// Prints the part below all tests. `complete` is false if a test failed. `failure` is the reason why the
    /// exit status is not 0, if it is known. Fails with the file if something could not be written.
    pub(crate) fn finish(&mut self, complete: bool, failure: Option<&str>) -> Result<(), String> {
        if !complete {
            // The test that failed has not ended. What it measured still counts.
            self.end_test();
        }
        match self.look.format {
            ResultFormat::Text => {
                self.streams.put(&text::end(&self.tests, complete));
                let verbose = self.tests.iter().any(|test| test.parameters().verbose > 0);
                self.streams.say_own(&self.below.lines(self.tests.len() > 1, verbose));
            }
            ResultFormat::Json => {
                let document = self.document.value(&self.command, &self.tests, complete, failure);
                let text = serde_json::to_string_pretty(&document).map_err(|why| why.to_string())?;
                self.streams.put(&format!("{text}\n"));
            }
            ResultFormat::Csv => {}
        }
        if !self.is_csv_on_stdout() {
            self.streams.say_own(&self.warnings.lines());
        }
        let printed = self.streams.finish();
        self.ranks_csv.as_mut().map_or(Ok(()), OutputStream::finish).and(printed)
    }

    /// Then standard error has only wrong data, for which CSV has no place.
    fn is_csv_on_stdout(&self) -> bool {
        self.look.is_data_on_stdout() && self.look.format == ResultFormat::Csv
    }
}

impl EventObserver<IorEvent<'_>> for IorOutput {
    fn event(&mut self, event: &IorEvent<'_>) {
        if let (IorEvent::RankTimes { phase, rows }, Some(file)) = (event, &mut self.ranks_csv) {
            csv::ranks(phase, rows, |text| file.printer.put(text));
        }
        let shown = self.tests.last_mut().expect("events come after a test has begun");
        shown.hear(event);
        self.warnings.hear(event);
        let message = text::message(event, shown, self.look.edition());
        match self.look.format {
            ResultFormat::Text => {
                self.streams.put(&text::results_of(event, shown, self.look.edition()));
                if let (IorEvent::Phase(phase), false) = (event, self.look.plain) {
                    self.below.add(phase);
                }
            }
            ResultFormat::Json => self.document.hear(event, shown, &message),
            ResultFormat::Csv => self.streams.put(&csv::results_of(event)),
        }
        self.streams.say(&message);
        if let IorEvent::BadData { phase, transfers, ranges, .. } = event {
            if self.is_csv_on_stdout() {
                let name = phase_name(phase);
                self.streams.say_own(&own_lines(&format!("{name}: {transfers} transfers WRONG")));
            }
            self.streams.say_own(&own_lines(&wrong_ranges(ranges, "")));
        }
        let begins = matches!(event, IorEvent::Repetition { .. });
        if begins && std::mem::take(&mut self.heading_due) {
            self.streams.put(text::TABLE_HEADING);
        }
    }
}
