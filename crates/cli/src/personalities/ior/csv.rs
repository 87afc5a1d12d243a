//! Results as comma-separated values: a heading for each test, a row for each phase (IOR 4.1).
//!
//! Invariant: the results contain only headings and rows.

use command::ior::{Edition, Output, Parsed};
use storage::Space;
use workloads::ior::IorEvent;
use workloads::kit::observer::EventObserver;

use super::chatter;
use super::output::ResultOutput;
use super::shown::{ShownTest, name_of};
use super::streams::Streams;
use super::text::row_numbers;
use super::warnings::Warnings;
use crate::personalities::own_lines::{own_lines, phase_name};

const HEADING: &str = "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),\
                       numTasks,iter\n";

/// Writes the rows of one run.
pub(crate) struct Csv {
    streams: Streams,
    edition: Edition,
    /// Whether standard output has the results. Then nothing reports the warnings, as with JSON.
    is_on_stdout: bool,
    shown: Option<ShownTest>,
    /// Printed at the end.
    warnings: Warnings,
}

impl Csv {
    /// A writer to these streams.
    pub(crate) fn new(streams: Streams, look: &Output) -> Self {
        let (edition, is_on_stdout) = (look.edition(), look.is_data_on_stdout());
        Self { streams, edition, is_on_stdout, shown: None, warnings: Warnings::default() }
    }
}

/// A number with nine decimals; empty if it is not finite.
fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:.9}") } else { String::new() }
}

impl ResultOutput for Csv {
    fn begin(&mut self, warnings: &str) {
        self.streams.begin(warnings);
    }

    fn test(&mut self, meant: &Parsed, _space: Option<Space>) {
        self.shown = Some(ShownTest::new(meant));
        self.streams.put(HEADING);
    }

    fn finish(&mut self, _complete: bool, _failure: Option<&str>) -> Result<(), String> {
        if !self.is_on_stdout {
            self.streams.say_own(&self.warnings.lines());
        }
        self.streams.finish()
    }
}

impl EventObserver<IorEvent<'_>> for Csv {
    fn event(&mut self, event: &IorEvent<'_>) {
        self.warnings.hear(event);
        let shown = self.shown.as_mut().expect("events come after a test has begun");
        if let IorEvent::Phase(phase) = event {
            if let Some(name) = name_of(&phase.phase) {
                let numbers = row_numbers(phase).map(number).join(",");
                self.streams.put(&format!("{name},{numbers},{},{}\n", phase.ranks, phase.repetition));
            }
            return;
        }
        shown.hear(event);
        self.streams.say(&chatter::words(event, shown, self.edition));
        if let IorEvent::BadData { phase, transfers, .. } = event
            && self.is_on_stdout
        {
            let name = phase_name(phase);
            self.streams.say_own(&own_lines(&format!("{name}: {transfers} transfers WRONG")));
        }
        self.streams.say_own(&chatter::own_words(event));
    }
}

#[cfg(test)]
mod tests {
    use super::super::shown::tests::{beginning, meant, phase};
    use super::super::streams::tests::Page;
    use super::*;

    #[test]
    fn the_results_are_a_heading_per_test_and_a_row_per_phase_only() {
        let (page, chatter) = (Page::default(), Page::default());
        let mut csv = Csv::new(Streams::apart(&page, &chatter), &Output::default());
        csv.begin("");
        for test in 0..2 {
            csv.test(&meant(|parameters| (parameters.test, parameters.verbose) = (test, 3)), None);
            csv.event(&IorEvent::Begins(beginning("write")));
            csv.event(&IorEvent::Warning("w"));
            for name in ["write", "write_check", "mixed_read", "read_check"] {
                csv.event(&IorEvent::Phase(&phase(name, 3)));
            }
            csv.event(&IorEvent::Removed { repetition: 3, seconds: 1.0 });
            csv.end_test();
        }
        csv.finish(true, None).unwrap();
        let row = "2.000000000,16.000000000,0.002000000,1024.000000000,256.000000000,0.100000000,0.500000000,\
                   0.200000000,1.000000000,2,3\n";
        let test = format!("{HEADING}write,{row}mix-read,{row}read,{row}");
        assert_eq!(page.text(), test.repeat(2));
        assert!(chatter.text().contains("WARNING: w\n") && chatter.text().contains("Commencing write"));
    }

    #[test]
    fn a_microsecond_is_not_zero_and_nan_is_empty() {
        let (page, chatter) = (Page::default(), Page::default());
        let mut csv = Csv::new(Streams::apart(&page, &chatter), &Output::default());
        csv.test(&meant(|_| ()), None);
        let mut odd = phase("write", 0);
        odd.spans.open_s = 1.25e-6;
        odd.spans.close_s = f64::NAN;
        csv.event(&IorEvent::Phase(&odd));
        assert!(page.text().contains(",0.000001250,0.500000000,,1.000000000,"), "{}", page.text());
    }
}
