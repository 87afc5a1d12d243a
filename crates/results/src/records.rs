//! The wire form of records: JSON lines, appended and flushed one by one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use crate::Record;
use crate::record::Clients;

/// Where records go while a workload runs.
pub trait Sink {
    /// Keeps one record; when it returns, the record survives the death of this process.
    fn put(&mut self, record: &Record) -> io::Result<()>;

    /// Told once, before the first record: on how many nodes the ranks are, how far their clocks may be
    /// apart (nanoseconds), and what the nodes said. A sink that opens with a record of the run completes it
    /// here.
    fn begin(&mut self, _nodes: u32, _offset_uncertainty_ns: u64, _clients: &Clients) -> io::Result<()> {
        Ok(())
    }
}

/// A sink for those who do not want records.
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

/// A file of records, one JSON object a line.
pub struct RecordFile(File);

impl RecordFile {
    /// Makes a new file; one that exists is rejected, for records are never overwritten.
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

/// Loads a records file. A last line cut short by a kill is left out; any other bad line is an error
/// that names its number.
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
    fn records_come_back_as_they_were_put_and_a_cut_last_line_is_left_out() {
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
    fn a_bad_line_is_named_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        std::fs::write(&path, "{\"record\":\"end\",\"exit\":0,\"finished\":\"\"}\nnot json\n").unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains("records.jsonl line 2"), "{error}");
    }
}
