//! Hashes of bytes, files and other entries.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::FileType;
use sha2::{Digest, Sha256};

use super::beneath;

/// SHA-256 of `bytes`, hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    sha256_of_parts(&[bytes])
}

/// SHA-256 of these bytes, one after the other, hexadecimal.
pub fn sha256_of_parts(parts: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    parts.iter().for_each(|part| digest.update(part));
    hexadecimal(&digest.finalize())
}

/// SHA-256 of the file at `path`, hexadecimal.
pub fn sha256_of(path: &Path) -> io::Result<String> {
    digest(File::open(path)?)
}

fn digest(mut file: File) -> io::Result<String> {
    sha256_by(|buffer| file.read(buffer))
}

/// SHA-256 of the bytes that `read` fills a buffer with, until there are none, hexadecimal.
pub fn sha256_by(mut read: impl FnMut(&mut [u8]) -> io::Result<usize>) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match read(&mut buffer)? {
            0 => return Ok(hexadecimal(&digest.finalize())),
            count => digest.update(&buffer[..count]),
        }
    }
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of the entry `name` below `dir`, hexadecimal. For a file it is that of its bytes, and for a link
/// that of its target after `link:`. For any other entry it is that of its kind.
pub(super) fn sha256_of_any(dir: &Path, name: &Path) -> io::Result<String> {
    match beneath::kind(dir, name)? {
        FileType::RegularFile => digest(beneath::open(dir, name)?),
        FileType::Symlink => Ok(sha256(&[b"link:", &beneath::target(dir, name)?[..]].concat())),
        FileType::Directory => Ok(sha256(b"directory:")),
        _ => Ok(sha256(b"special:")),
    }
}
