//! The log of a witness: a header, and a line for each hash.
//!
//! Invariant: the file is only appended to. A file with other contents is rejected unchanged.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use results::folder::{WITNESS_HEADER, WitnessLine, WitnessNote, now};
use rustix::fs::OFlags;

/// An open log.
#[derive(Debug)]
pub struct WitnessLog {
    file: File,
    /// Whether a line may be torn, because it could not be written completely.
    torn: bool,
}

impl WitnessLog {
    /// Opens the log at `path`, or creates it. Fails if the file is something else.
    pub fn open(path: &Path) -> io::Result<Self> {
        // A pipe in place of the file does not block.
        let flags = OFlags::NONBLOCK.bits() as i32;
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).custom_flags(flags).open(path)?;
        let other = || {
            let what = "this file is not the log of a witness. Give another file; this one is unchanged.";
            io::Error::new(ErrorKind::InvalidData, what)
        };
        let facts = file.metadata()?;
        if !facts.is_file() {
            return Err(other());
        }
        if facts.len() == 0 {
            file.write_all(format!("{WITNESS_HEADER}\n").as_bytes())?;
            file.sync_all()?;
            return Ok(Self { file, torn: false });
        }
        let mut header = vec![0; WITNESS_HEADER.len() + 1];
        file.read_exact(&mut header).map_err(|_| other())?;
        if header != format!("{WITNESS_HEADER}\n").as_bytes() {
            return Err(other());
        }
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        // A kill may have left a torn line.
        Ok(Self { file, torn: last != *b"\n" })
    }

    /// Appends a line with the present time, and flushes it to storage.
    pub fn append(&mut self, note: &WitnessNote) -> io::Result<()> {
        let line = serde_json::to_string(&WitnessLine { time: now(), note: note.clone() })?;
        // A torn line ends here, and readers skip it.
        let start = if std::mem::replace(&mut self.torn, true) { "\n" } else { "" };
        self.file.write_all(format!("{start}{line}\n").as_bytes())?;
        self.file.sync_all()?;
        self.torn = false;
        Ok(())
    }
}
