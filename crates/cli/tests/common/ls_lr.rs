//! A directory for `ls-lr`, and the records of its run.

use std::fs;
use std::path::Path;

use results::Record;
use results::record::Phase;

pub const SMALL: &str = "--make --entries 600 --per-dir 20 --fan-out 4 t";

/// An empty directory `t` to work in.
pub fn place() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("t")).unwrap();
    dir
}

pub fn phases(file: &Path) -> Vec<Phase> {
    let records = results::records::load(file).unwrap();
    assert!(matches!(records.last(), Some(Record::End(_))));
    let phases = records.into_iter().filter_map(|record| match record {
        Record::Phase(phase) => Some(*phase),
        _ => None,
    });
    phases.collect()
}
