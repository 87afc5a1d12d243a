//! The end of a file that is read, held against what a library says it has read.
//!
//! Some libraries say that a read was whole though the file ends before: MPI-IO through a view, with
//! collective buffering (docs/METHODOLOGY.md, "A transfer").

use std::io;

use storage::File;

use super::payload::SpreadPieces;

/// Where a file ends, as far as that was looked up before it is read, and how the pieces of a transfer lie in
/// it.
#[derive(Clone, Copy, Debug)]
pub struct FileEnd {
    /// Bytes of the file; `u64::MAX` where its size says nothing.
    bytes: u64,
    /// How a transfer lies in the file, if not in one piece.
    spread: Option<SpreadPieces>,
}

impl FileEnd {
    /// Nothing is known, and what is said to have been read is believed.
    pub const UNKNOWN: Self = Self { bytes: u64::MAX, spread: None };

    /// A file of so many bytes, of transfers that lie so.
    pub fn new(bytes: u64, spread: Option<SpreadPieces>) -> Self {
        Self { bytes, spread }
    }

    /// Where the byte behind the first `moved` of a transfer at `offset` lies.
    pub(super) fn behind(&self, offset: u64, moved: usize) -> u64 {
        match self.spread {
            None => offset.saturating_add(moved as u64),
            Some(SpreadPieces { piece, stride }) => {
                offset.saturating_add((moved / piece) as u64 * stride).saturating_add((moved % piece) as u64)
            }
        }
    }

    /// How many bytes came of a read at `offset` that is said to have moved `moved` bytes.
    #[inline]
    pub(super) fn came(&mut self, file: &mut dyn File, offset: u64, moved: usize) -> usize {
        let apart = self.spread.map_or(0, |SpreadPieces { piece, stride }| {
            (moved.saturating_sub(1) / piece) as u64 * stride.saturating_sub(piece as u64)
        });
        let last = offset.saturating_add(moved as u64).saturating_add(apart);
        if last <= self.bytes { moved } else { self.cut(file, offset, moved) }
    }

    /// The same where the end that is known lies before: the open file may be longer than it was seen to be.
    #[cold]
    fn cut(&mut self, file: &mut dyn File, offset: u64, moved: usize) -> usize {
        match file.size() {
            Ok(bytes) => self.bytes = self.bytes.max(bytes),
            // It cannot be told, and nobody is blamed.
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

    /// Reads, and tells how many bytes came of what is there.
    #[inline]
    pub(super) fn read(&mut self, file: &mut dyn File, data: &mut [u8], offset: u64) -> io::Result<usize> {
        let moved = file.read_at(data, offset)?;
        Ok(self.came(file, offset, moved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that says every read was whole.
    struct Boasting(u64);

    impl File for Boasting {
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
    fn what_is_beyond_the_end_did_not_come_whatever_the_file_says() {
        let read = |end: u64, offset| {
            FileEnd::new(end, None).read(&mut Boasting(end), &mut [0; 512], offset).unwrap()
        };
        assert_eq!((read(1000, 0), read(1000, 512), read(1000, 1024)), (512, 488, 0));
        let mut unknown = FileEnd::UNKNOWN;
        assert_eq!(unknown.read(&mut Boasting(0), &mut [0; 512], 9999).unwrap(), 512);
    }

    #[test]
    fn a_file_that_is_longer_than_it_was_seen_to_be_is_asked_once() {
        let mut end = FileEnd::new(0, None);
        assert_eq!(end.read(&mut Boasting(1024), &mut [0; 512], 512).unwrap(), 512);
        assert_eq!(end.read(&mut Boasting(0), &mut [0; 512], 512).unwrap(), 512, "what was once there is");
    }

    #[test]
    fn of_the_pieces_of_a_transfer_each_is_held_against_the_end() {
        let spread = SpreadPieces { piece: 128, stride: 1000 };
        let came = |end| FileEnd::new(end, Some(spread)).read(&mut Boasting(end), &mut [0; 512], 0).unwrap();
        let behind = |moved| FileEnd::new(0, Some(spread)).behind(0, moved);
        assert_eq!((behind(128), behind(200), behind(511)), (1000, 1072, 3127));
        assert_eq!((came(3128), came(3127), came(2050), came(0)), (512, 511, 256 + 50, 0));
    }
}
