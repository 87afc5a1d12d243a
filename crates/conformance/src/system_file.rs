//! Files by the system's own calls, without MPI: they prepare and check the data of every case.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::problem::{CaseProblem, ProblemContext, check_bytes};
use super::test_data;

/// Opens a file for reading and writing; creates it if needed.
pub(super) fn open(path: &Path) -> Result<File, CaseProblem> {
    let mut how = OpenOptions::new();
    how.read(true).write(true).create(true).truncate(false).open(path).context(path.display())
}

/// Creates a file of `length` untouched bytes.
pub(super) fn prefill(path: &Path, length: usize) -> Result<(), CaseProblem> {
    std::fs::write(path, vec![test_data::UNTOUCHED; length]).context(path.display())
}

/// Writes all of `data` at `offset`, by one system call if the system accepts all of it.
pub(super) fn write_at(file: &File, data: &[u8], offset: u64) -> Result<(), CaseProblem> {
    file.write_all_at(data, offset).context(format!("write {} bytes at {offset}", data.len()))
}

/// The problem of a write into a file of `length` bytes. It is `Skipped` if the file system has no files of
/// that length.
pub(super) fn skipped_if_too_long(path: &Path, length: u64, problem: CaseProblem) -> CaseProblem {
    ends_before(path, length).unwrap_or(problem)
}

fn ends_before(path: &Path, length: u64) -> Option<CaseProblem> {
    match File::options().write(true).open(path).and_then(|file| file.set_len(length)) {
        Err(error) if [ErrorKind::FileTooLarge, ErrorKind::InvalidInput].contains(&error.kind()) => {
            Some(CaseProblem::Skipped(format!("the file system has no file of {length} bytes: {error}")))
        }
        _ => None,
    }
}

/// Creates an empty file, or gives `Skipped` if the file system has no files of `length` bytes. Cases call
/// this before a collective call, because a collective call that fails on one rank may leave the others in
/// it.
pub(super) fn create_for_length(path: &Path, length: u64) -> Result<(), CaseProblem> {
    let file = open(path)?;
    ends_before(path, length).map_or(Ok(()), Err)?;
    file.set_len(0).context(path.display())
}

/// Reads `length` bytes at `offset`; fewer if the file ends before.
pub(super) fn read_at(file: &File, length: usize, offset: u64) -> Result<Vec<u8>, CaseProblem> {
    let mut data = vec![0; length];
    let mut done = 0;
    while done < length {
        match file.read_at(&mut data[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(more) => done += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error).context(format!("read {length} bytes at {offset}")),
        }
    }
    data.truncate(done);
    Ok(data)
}

/// Fails unless the file has these bytes at `offset`.
pub(super) fn check_at(
    what: &str,
    path: &Path,
    file: &File,
    offset: u64,
    expected: &[u8],
) -> Result<(), CaseProblem> {
    check_bytes(what, path, offset, expected, &read_at(file, expected.len(), offset)?)
}

/// Opens a file and reads all its bytes.
pub(super) fn read_all(path: &Path) -> Result<Vec<u8>, CaseProblem> {
    let mut bytes = Vec::new();
    File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).context(path.display())?;
    Ok(bytes)
}

/// Opens a file; fails unless it has exactly these bytes.
pub(super) fn check_all(what: &str, path: &Path, expected: &[u8]) -> Result<(), CaseProblem> {
    check_bytes(what, path, 0, expected, &read_all(path)?)
}
