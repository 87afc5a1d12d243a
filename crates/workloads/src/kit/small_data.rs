//! The data of a small file, as mdtest and md-workbench 4.1 write it.
//!
//! The words are those of the packet types, with a number in place of the offset. Bytes after the last whole
//! word hold their place in the file, modulo 256.

use super::payload::{DataIdentity, Payload, poison_pages};

/// Bytes of a word.
pub(crate) const WORD: usize = 8;

/// The data of files of one length.
pub(crate) struct SmallData {
    payload: Payload,
    /// Whether the buffer already holds data of this payload.
    made: bool,
}

impl SmallData {
    pub(crate) fn new(identity: DataIdentity) -> Self {
        Self { payload: Payload::new(identity), made: false }
    }

    /// Selects the identity of the file whose data is made or compared next.
    pub(crate) fn select(&mut self, identity: DataIdentity) {
        if identity != self.payload.identity() {
            *self = Self::new(identity);
        }
    }

    pub(crate) fn payload(&self) -> Payload {
        self.payload
    }

    /// Makes the data of the file with this number, in a buffer that is used for nothing else.
    pub(crate) fn make(&mut self, buffer: &mut [u8], number: u64) {
        let (words, rest) = buffer.split_at_mut(words_end(buffer.len()));
        if !self.made {
            self.payload.fill(words, number);
            fill_rest(rest, words.len(), |place| place);
            self.made = true;
        } else if self.payload.depends_on_offset() {
            self.payload.prepare(words, number);
        }
    }

    /// Whether a buffer holds the data of the file with this number.
    pub(crate) fn holds(&self, buffer: &[u8], number: u64) -> bool {
        let (words, rest) = buffer.split_at(words_end(buffer.len()));
        let place = |index: usize| (words.len() + index) as u8;
        self.payload.holds(words, number)
            && rest.iter().enumerate().all(|(index, byte)| *byte == place(index))
    }
}

/// Fills a buffer with data that is never written, so that missing data is detected.
pub(crate) fn poison_buffer(buffer: &mut [u8]) {
    let (words, rest) = buffer.split_at_mut(words_end(buffer.len()));
    poison_pages(words);
    fill_rest(rest, words.len(), |place| !place);
}

/// The end of the last whole word in a buffer of this length, bytes.
pub(crate) fn words_end(bytes: usize) -> usize {
    bytes / WORD * WORD
}

/// Fills the bytes after the words from their places.
fn fill_rest(rest: &mut [u8], words_end: usize, byte_at: impl Fn(u8) -> u8) {
    rest.iter_mut().enumerate().for_each(|(index, byte)| *byte = byte_at((words_end + index) as u8));
}
