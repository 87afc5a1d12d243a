//! The file format of records: JSON lines, appended and flushed one by one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use crate::Record;
use crate::record::Clients;

/// The destination of records while a workload runs.
pub trait Sink {
    /// Keeps one record. After it returns, the record survives the death of this process.
    fn put(&mut self, record: &Record) -> io::Result<()>;

    /// Called once, before the first record, with the number of nodes, the uncertainty between the clocks of
    /// the ranks (nanoseconds), and what the nodes reported. A sink that begins with a record of the run
    /// completes it here.
    fn begin(&mut self, _nodes: u32, _offset_uncertainty_ns: u64, _clients: &Clients) -> io::Result<()> {
        Ok(())
    }
}

/// A sink that discards records.
pub struct Nowhere;

impl Sink for Nowhere {
    fn put(&mut self, _record: &Record) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Vec<Record> {
    fn put(&mut self, record: &Record) -> io::Result<()> {
        self.push(record.clone());
        Ok(())
    }
}

/// A file of records, one JSON object per line.
pub struct RecordFile(File);

impl RecordFile {
    /// Creates a file. An existing file is rejected, because records are never overwritten.
    pub fn create(path: &Path) -> io::Result<Self> {
        File::create_new(path).map(Self)
    }
}

impl Sink for RecordFile {
    fn put(&mut self, record: &Record) -> io::Result<()> {
        let mut line = serde_json::to_string(record)?;
        line.push('\n');
        self.0.write_all(line.as_bytes())
    }
}

/// Loads a records file. An incomplete last line is ignored, because a kill may cut it. Any other malformed
/// line is an error with the number of the line.
pub fn load(path: &Path) -> io::Result<Vec<Record>> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut records = Vec::new();
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            break;
        }
        match serde_json::from_str(&line) {
            Ok(record) => records.push(record),
            Err(_) if !line.ends_with('\n') => break,
            Err(error) => {
                let what = format!("{} line {number}: {error}", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{End, Phase};

    #[test]
    fn records_load_unchanged_and_an_incomplete_last_line_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let phase = Phase { phase: "write".into(), bytes: 7, ..Phase::default() };
        let all = [Record::Phase(Box::new(phase)), Record::End(End::default())];
        let mut file = RecordFile::create(&path).unwrap();
        for record in &all {
            file.put(record).unwrap();
        }
        assert_eq!(load(&path).unwrap(), all);
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"record\":\"en").unwrap();
        assert_eq!(load(&path).unwrap(), all);
        assert!(RecordFile::create(&path).is_err(), "records are never overwritten");
    }

    #[test]
    fn the_error_about_a_malformed_line_has_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        std::fs::write(&path, "{\"record\":\"end\",\"exit\":0,\"finished\":\"\"}\nnot json\n").unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains("records.jsonl line 2"), "{error}");
    }
}
