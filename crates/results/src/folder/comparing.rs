//! Comparing bytes that are being made with a file of the campaign folder, without keeping either in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use super::beneath;
use super::json::named;

/// A file. What is written to it is compared with it, and never changes it.
pub struct ComparedFile {
    file: BufReader<File>,
    is_same: bool,
}

impl ComparedFile {
    /// The file `name` of the campaign folder `dir`. A link is not followed.
    pub fn open(dir: &Path, name: &str) -> io::Result<Self> {
        let file = beneath::open(dir, Path::new(name)).map_err(|error| named(&dir.join(name), &error))?;
        Ok(Self { file: BufReader::new(file), is_same: true })
    }

    /// Whether the file has exactly the bytes that were written.
    pub fn is_same(mut self) -> io::Result<bool> {
        Ok(self.is_same && self.file.fill_buf()?.is_empty())
    }
}

impl Write for ComparedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_same {
            return Ok(bytes.len());
        }
        let found = self.file.fill_buf()?;
        let count = found.len().min(bytes.len());
        self.is_same = found[..count] == bytes[..count] && (count > 0 || bytes.is_empty());
        self.file.consume(count);
        Ok(if self.is_same { count } else { bytes.len() })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_only_if_no_byte_differs_or_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let page: Vec<u8> = (0..100_000_u32).map(|at| at as u8).collect();
        std::fs::write(dir.path().join("page"), &page).unwrap();
        let mut other = page.clone();
        other[99_999] ^= 1;
        let longer = [&page[..], b"x"].concat();
        for (written, same) in
            [(&page[..], true), (&other, false), (&page[..99_999], false), (&longer, false), (&[], false)]
        {
            let mut file = ComparedFile::open(dir.path(), "page").unwrap();
            written.chunks(999).for_each(|part| file.write_all(part).unwrap());
            assert_eq!(file.is_same().unwrap(), same);
        }
    }
}
