//! The end of a file that is read, compared with the amount that a library reports.
//!
//! Some libraries report a full read even if the file ends before: MPI-IO through a view, and with collective
//! buffering (docs/explanation/clock-and-phases.md, "Reads past the end of the file").

use std::io;

use storage::File;

use super::payload::SpreadPieces;

/// Where a file ends, as far as the rank queried it before the read, and how the pieces of a transfer lie in
/// the file.
#[derive(Clone, Copy, Debug)]
pub struct FileEnd {
    /// Bytes of the file; `u64::MAX` if the size is not usable.
    bytes: u64,
    /// How a transfer lies in the file, if not in one piece.
    spread: Option<SpreadPieces>,
}

impl FileEnd {
    /// Nothing is known. The reported amount is used as it is.
    pub const UNKNOWN: Self = Self { bytes: u64::MAX, spread: None };

    /// A file with this size, and with transfers that lie so.
    pub fn new(bytes: u64, spread: Option<SpreadPieces>) -> Self {
        Self { bytes, spread }
    }

    /// The offset of the byte after the first `moved` bytes of a transfer at `offset`.
    pub(super) fn behind(&self, offset: u64, moved: usize) -> u64 {
        match self.spread {
            None => offset.saturating_add(moved as u64),
            Some(SpreadPieces { piece, stride }) => {
                offset.saturating_add((moved / piece) as u64 * stride).saturating_add((moved % piece) as u64)
            }
        }
    }

    /// The number of bytes that exist in the file for a read at `offset` that reported `moved` bytes.
    #[inline]
    pub(super) fn came(&mut self, file: &mut dyn File, offset: u64, moved: usize) -> usize {
        let apart = self.spread.map_or(0, |SpreadPieces { piece, stride }| {
            (moved.saturating_sub(1) / piece) as u64 * stride.saturating_sub(piece as u64)
        });
        let last = offset.saturating_add(moved as u64).saturating_add(apart);
        if last <= self.bytes { moved } else { self.cut(file, offset, moved) }
    }

    /// The same if the known end lies before. The open file may be longer than it was at the query.
    #[cold]
    fn cut(&mut self, file: &mut dyn File, offset: u64, moved: usize) -> usize {
        match file.size() {
            Ok(bytes) => self.bytes = self.bytes.max(bytes),
            // The size is not available, so the reported amount is used.
            Err(_) => return moved,
        }
        let there = |length: usize, place: u64| {
            usize::try_from(self.bytes.saturating_sub(place)).map_or(length, |there| there.min(length))
        };
        match self.spread {
            None => there(moved, offset),
            Some(spread) => spread.over(moved, offset).map(|(_, length, place)| there(length, place)).sum(),
        }
    }

    /// Reads, and returns the number of bytes that exist in the file.
    #[inline]
    pub(super) fn read(&mut self, file: &mut dyn File, data: &mut [u8], offset: u64) -> io::Result<usize> {
        let moved = file.read_at(data, offset)?;
        Ok(self.came(file, offset, moved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that reports every read as full.
    struct FullReads(u64);

    impl File for FullReads {
        fn write_at(&mut self, data: &[u8], _: u64) -> io::Result<usize> {
            Ok(data.len())
        }

        fn read_at(&mut self, data: &mut [u8], _: u64) -> io::Result<usize> {
            Ok(data.len())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn size(&mut self) -> io::Result<u64> {
            Ok(self.0)
        }

        fn close(self: Box<Self>) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn bytes_beyond_the_end_do_not_count_even_if_the_file_reports_them() {
        let read = |end: u64, offset| {
            FileEnd::new(end, None).read(&mut FullReads(end), &mut [0; 512], offset).unwrap()
        };
        assert_eq!((read(1000, 0), read(1000, 512), read(1000, 1024)), (512, 488, 0));
        let mut unknown = FileEnd::UNKNOWN;
        assert_eq!(unknown.read(&mut FullReads(0), &mut [0; 512], 9999).unwrap(), 512);
    }

    #[test]
    fn a_file_that_is_longer_than_known_is_queried_once() {
        let mut end = FileEnd::new(0, None);
        assert_eq!(end.read(&mut FullReads(1024), &mut [0; 512], 512).unwrap(), 512);
        assert_eq!(end.read(&mut FullReads(0), &mut [0; 512], 512).unwrap(), 512, "a size once seen is kept");
    }

    #[test]
    fn each_piece_of_a_transfer_is_compared_with_the_end() {
        let spread = SpreadPieces { piece: 128, stride: 1000 };
        let came = |end| FileEnd::new(end, Some(spread)).read(&mut FullReads(end), &mut [0; 512], 0).unwrap();
        let behind = |moved| FileEnd::new(0, Some(spread)).behind(0, moved);
        assert_eq!((behind(128), behind(200), behind(511)), (1000, 1072, 3127));
        assert_eq!((came(3128), came(3127), came(2050), came(0)), (512, 511, 256 + 50, 0));
    }
}
