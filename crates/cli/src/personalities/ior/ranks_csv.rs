//! The times of every rank, a row for each rank and phase (`-O saveRankPerformanceDetailsCSV`, IOR 4.1).
//!
//! Invariant: rows are written at once. No rank is kept in memory.

use std::io::{self, BufWriter, Write};

use command::ior::Parsed;
use storage::Space;
use units::{Usage, exponential};
use workloads::ior::{IorEvent, IorRankTimes};
use workloads::kit::failed_call::words;
use workloads::kit::observer::EventObserver;

use super::output::ResultOutput;
use super::shown::name_of;
use super::streams;

const HEADING: &str = "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n";

/// Another output format, with a file of the ranks' times in addition.
pub(crate) struct WithRanks {
    inner: Box<dyn ResultOutput>,
    file: Box<dyn Write + Send>,
    /// The beginning of the error message if a write fails.
    what: String,
    broken: Option<io::Error>,
}

impl WithRanks {
    /// Creates or empties the file at `path` and writes its heading.
    pub(crate) fn create(inner: Box<dyn ResultOutput>, path: &str) -> Result<Self, Usage> {
        let option = "-O saveRankPerformanceDetailsCSV";
        let file = Box::new(BufWriter::new(streams::create(option, path)?));
        let mut it = Self { inner, file, what: streams::cannot_write(option, path), broken: None };
        it.write(HEADING);
        Ok(it)
    }

    fn write(&mut self, text: &str) {
        if let Err(error) = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush()) {
            self.broken.get_or_insert(error);
        }
    }
}

/// The row of one rank. The throughput is that of its own bytes, and 0 if it moved none.
fn row(access: &str, rank: usize, times: &IorRankTimes) -> String {
    let rate = |seconds: f64| if seconds > 0.0 { times.bytes as f64 / seconds } else { 0.0 };
    let numbers = [times.total_s, times.transfer_s, rate(times.total_s), rate(times.transfer_s)];
    format!("{access},{rank},{}\n", numbers.map(|value| exponential(value, 10)).join(","))
}

impl ResultOutput for WithRanks {
    fn begin(&mut self, warnings: &str) {
        self.inner.begin(warnings);
    }

    fn test(&mut self, meant: &Parsed, space: Option<Space>) {
        self.inner.test(meant, space);
    }

    fn end_test(&mut self) {
        self.inner.end_test();
    }

    fn finish(&mut self, complete: bool, failure: Option<&str>) -> Result<(), String> {
        let shown = self.inner.finish(complete, failure);
        self.broken.take().map_or(shown, |error| Err(format!("{}: {}", self.what, words(&error))))
    }
}

impl EventObserver<IorEvent<'_>> for WithRanks {
    fn event(&mut self, event: &IorEvent<'_>) {
        if let IorEvent::RankTimes { phase, rows } = event
            && let Some(access) = name_of(phase)
        {
            // Rows are written in groups: one call per row is slow, and all rows of 100,000 ranks take much
            // memory.
            for (parcel, times) in rows.chunks(1024).enumerate() {
                let rows = times.iter().enumerate().map(|(at, times)| row(access, parcel * 1024 + at, times));
                let text: String = rows.collect();
                self.write(&text);
            }
        }
        self.inner.event(event);
    }
}

#[cfg(test)]
mod tests {
    use command::ior::Output;

    use super::super::csv::Csv;
    use super::super::shown::tests::meant;
    use super::super::streams::Streams;
    use super::super::streams::tests::Page;
    use super::*;

    #[test]
    fn each_rank_has_the_throughput_of_its_own_bytes() {
        let (results, file) = (Page::default(), Page::default());
        let inner = Box::new(Csv::new(Streams::together(&results), &Output::default()));
        let mut ranks = WithRanks { inner, file: Box::new(file.clone()), what: "file".into(), broken: None };
        ranks.test(&meant(|_| ()), None);
        let rows = [
            IorRankTimes { total_s: 2.0, transfer_s: 1.0, bytes: 1000 },
            IorRankTimes { total_s: 4.0, transfer_s: 0.0, bytes: 3000 },
        ];
        ranks.event(&IorEvent::RankTimes { phase: "write", rows: &rows });
        ranks.event(&IorEvent::RankTimes { phase: "write_check", rows: &rows });
        ranks.event(&IorEvent::RankTimes { phase: "read_check", rows: &rows[..1] });
        assert_eq!(
            file.text(),
            "write,0,2.0000000000e+00,1.0000000000e+00,5.0000000000e+02,1.0000000000e+03\n\
             write,1,4.0000000000e+00,0.0000000000e+00,7.5000000000e+02,0.0000000000e+00\n\
             read,0,2.0000000000e+00,1.0000000000e+00,5.0000000000e+02,1.0000000000e+03\n"
        );
        assert!(ranks.finish(true, None).is_ok());
    }
}
