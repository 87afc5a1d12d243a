//! Writes every single transfer of one rank to a file: when it began and how long it took.
//!
//! The columns and the form are those of IOR 4.1: `time` and `runtime` in seconds, `tp` in bytes per second.
//! In a mixed phase a column `access` follows, with `read` or `write`. Stamps are kept in memory that was
//! touched before the phase. When it is full, they are written between two transfers.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use measure::{Scale, Tick};
use units::exponential;

use super::failed_call::path_and_words;

/// Transfers kept in memory, 16 bytes each.
const KEPT: usize = 1_000_000;

/// The log of one rank in one phase.
pub struct TransferLog {
    path: PathBuf,
    out: BufWriter<File>,
    scale: Scale,
    transfer_bytes: u64,
    begin: Tick,
    kept: Vec<(Tick, Tick)>,
    /// In a mixed phase, which of the transfers are reads.
    reads: Option<Vec<bool>>,
    broken: Option<String>,
}

impl TransferLog {
    /// Creates the file, writes its heading and allocates memory for up to `transfers`. A `mixed` phase both
    /// reads and writes. Fails with a line that names the file.
    pub fn create(path: &Path, transfer_bytes: u64, transfers: u64, mixed: bool) -> Result<Self, String> {
        let with_path = |error| path_and_words(path, &error);
        let mut out = BufWriter::new(File::create(path).map_err(with_path)?);
        writeln!(out, "time,runtime,tp{}", if mixed { ",access" } else { "" }).map_err(with_path)?;
        let capacity = KEPT.min(transfers.try_into().unwrap_or(KEPT));
        let mut kept = vec![(Tick(1), Tick(1)); capacity.max(1)];
        kept.clear();
        let reads = mixed.then(|| {
            let mut reads = vec![true; kept.capacity()];
            reads.clear();
            reads
        });
        let (path, begin, scale) = (path.to_owned(), Tick(0), Scale::NANOSECONDS);
        Ok(Self { path, out, scale, transfer_bytes, begin, kept, reads, broken: None })
    }

    /// Sets the zero of the times, and the length of a tick in this phase.
    pub fn begin(&mut self, begin: Tick, scale: Scale) {
        (self.begin, self.scale) = (begin, scale);
    }

    /// Adds transfers. In a mixed phase, `reads` says which were reads.
    pub fn take(&mut self, begins: &[Tick], ends: &[Tick], reads: &[bool]) {
        for (number, (begin, end)) in begins.iter().zip(ends).enumerate() {
            if self.kept.len() == self.kept.capacity() {
                self.write_out();
            }
            self.kept.push((*begin, *end));
            if let Some(kept) = &mut self.reads {
                kept.push(reads[number]);
            }
        }
    }

    fn write_out(&mut self) {
        let seconds = |ticks: u64| self.scale.ns(ticks) as f64 * 1e-9;
        let mut reads = self.reads.as_mut().map(|reads| reads.drain(..));
        for (begin, end) in self.kept.drain(..) {
            let access = match reads.as_mut().and_then(Iterator::next) {
                None => "",
                Some(true) => ",read",
                Some(false) => ",write",
            };
            let time = seconds(begin.0.saturating_sub(self.begin.0));
            let runtime = seconds(end.0.saturating_sub(begin.0));
            let rate = if runtime > 0.0 { self.transfer_bytes as f64 / runtime } else { 0.0 };
            let [time, runtime] = [time, runtime].map(|seconds| exponential(seconds, 8));
            if let Err(error) = writeln!(self.out, "{time},{runtime},{}{access}", exponential(rate, 6)) {
                self.broken.get_or_insert_with(|| path_and_words(&self.path, &error));
            }
        }
    }

    /// Writes the rest. Fails if a line could not be written.
    pub fn finish(mut self) -> Result<(), String> {
        self.write_out();
        let flushed = self.out.flush().map_err(|error| path_and_words(&self.path, &error));
        self.broken.map_or(flushed, Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_transfers_than_fit_in_memory_are_all_written_with_their_times() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ops-0-00000.csv");
        let mut log = TransferLog::create(&path, 512, 3, false).unwrap();
        log.begin(Tick(1000), Scale::NANOSECONDS);
        for number in 0..10 {
            log.take(&[Tick(1000 + number * 500)], &[Tick(1000 + number * 500 + 256)], &[]);
        }
        log.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 11);
        assert_eq!(lines[0], "time,runtime,tp");
        assert_eq!(lines[3], "1.00000000e-06,2.56000000e-07,2.000000e+09");
    }

    #[test]
    fn a_file_that_cannot_be_created_is_named() {
        let path = Path::new("/nowhere/x.csv");
        let error = TransferLog::create(path, 8, 1, false).err().unwrap();
        assert_eq!(error, "/nowhere/x.csv: No such file or directory");
    }
}
