//! The file format of records: JSON lines, appended and flushed one by one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use super::beneath;
use super::limits::{RANK_RESULTS_MAX, RECORD_BYTES_MAX, RECORDS_BYTES_MAX};
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

/// Loads the records file at `path`, which is not a link. An incomplete last line is ignored, because a kill
/// may cut it. Any other malformed line is an error with the number of the line.
pub fn load(path: &Path) -> io::Result<Vec<Record>> {
    let (dir, name) = beneath::split(path);
    read(beneath::open(dir, name)?, &path.display().to_string())
}

/// The same for an open file. Errors call it `name`.
pub(crate) fn read(file: File, name: &str) -> io::Result<Vec<Record>> {
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    if file.metadata()?.len() > RECORDS_BYTES_MAX {
        return Err(invalid(format!(
            "{name} has more than {RECORDS_BYTES_MAX} bytes, the limit for records"
        )));
    }
    let mut reader = BufReader::new(file);
    let mut records = Vec::new();
    let mut rank_count = 0;
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let read = (&mut reader).take(RECORD_BYTES_MAX + 1).read_line(&mut line);
        match read.map_err(|error| invalid(format!("{name} line {number}: {error}")))? as u64 {
            0 => break,
            bytes if bytes > RECORD_BYTES_MAX => {
                let what = format!("{name} line {number} has more than {RECORD_BYTES_MAX} bytes");
                return Err(invalid(what));
            }
            _ => {}
        }
        match serde_json::from_str::<Record>(&line) {
            Ok(record) => {
                rank_count += record.rank_count();
                let too_many =
                    (rank_count > RANK_RESULTS_MAX).then(|| "ranks of all phases are too many".to_owned());
                if let Some(what) = record.impossible().or(too_many) {
                    return Err(invalid(format!("{name} line {number} is not possible: {what}")));
                }
                records.push(record);
            }
            Err(_) if !line.ends_with('\n') => break,
            Err(error) => return Err(invalid(format!("{name} line {number}: {error}"))),
        }
    }
    records.shrink_to_fit();
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
    fn records_that_no_job_writes_are_rejected_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let phase = Phase { ranks: u32::MAX, ..Phase::default() };
        let mut file = RecordFile::create(&path).unwrap();
        file.put(&Record::End(End::default())).unwrap();
        file.put(&Record::Phase(Box::new(phase))).unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("records.jsonl line 2 is not possible: ranks is more than any machine has"),
            "{error}"
        );
        std::fs::write(&path, "x".repeat((RECORD_BYTES_MAX + 2) as usize)).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("line 1 has more than"));
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
