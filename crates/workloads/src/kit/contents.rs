//! A whole buffer to or from the start of an open file, also if the system moves it in parts.

use std::io;

use storage::File;

/// Writes all bytes.
pub(crate) fn write_all(file: &mut dyn File, bytes: &[u8]) -> io::Result<()> {
    let mut moved = 0;
    while moved < bytes.len() {
        match file.write_at(&bytes[moved..], moved as u64)? {
            0 => {
                return Err(storage::call_error::short(format!(
                    "short write: moved {moved} of {} bytes",
                    bytes.len()
                )));
            }
            more => moved += more,
        }
    }
    Ok(())
}

/// Number of bytes that could be read.
pub(crate) fn read_all(file: &mut dyn File, bytes: &mut [u8]) -> io::Result<usize> {
    let mut moved = 0;
    while moved < bytes.len() {
        match file.read_at(&mut bytes[moved..], moved as u64)? {
            0 => break,
            more => moved += more,
        }
    }
    Ok(moved)
}
