//! The data that is written into files, and how a reader checks it (mdtest 4.1).
//!
//! The words are those of the packet types, with the number of the item in place of the offset. Bytes after
//! the last whole word hold their place in the file, modulo 256.

use super::items::Items;
use super::parameters::MdtestParameters;
use crate::kit::payload::{DataIdentity, Packet, Payload, file_id, poison_pages};

/// Bytes of a word.
pub(super) const WORD: usize = 8;

/// The data of files of one length.
pub(super) struct FileData {
    payload: Payload,
    /// Bytes of the file, if known.
    length: Option<usize>,
    /// Whether the buffer already holds data of this payload.
    made: bool,
}

impl FileData {
    /// Data of this run's seed.
    pub(super) fn new(parameters: &MdtestParameters, signature: i32) -> Self {
        let MdtestParameters { packet, data_key: key, .. } = *parameters;
        let identity = DataIdentity { packet, signature, key, ..DataIdentity::default() };
        let length = usize::try_from(parameters.write_bytes).ok().filter(|length| *length > 0);
        Self { payload: Payload::new(identity), length, made: false }
    }

    /// Selects the item whose data is made next.
    pub(super) fn select(&mut self, items: &Items<'_>) {
        let own = self.payload.identity();
        let mut wanted = DataIdentity { rank: items.owner().into(), ..own };
        if own.packet == Packet::Stamped {
            wanted.file = file_id(items.name().to_bytes());
        }
        if wanted != own {
            self.payload = Payload::new(wanted);
            self.made = false;
        }
    }

    pub(super) fn payload(&self) -> Payload {
        self.payload
    }

    /// The number that takes the place of the offset.
    pub(super) fn place(&self, items: &Items<'_>) -> u64 {
        if self.payload.identity().packet == Packet::Stamped { 0 } else { items.number() }
    }

    /// Where the words of the first `bytes` of a file end, and whether that is known. A reader without the
    /// length of the files assumes that they are as long as what it reads.
    pub(super) fn words_end(&self, bytes: usize) -> (usize, bool) {
        let length = self.length.unwrap_or(bytes);
        (bytes.min(length / WORD * WORD), self.length.is_some())
    }

    /// Makes the data of the selected item, in a buffer that is used for nothing else.
    pub(super) fn make(&mut self, buffer: &mut [u8], items: &Items<'_>) {
        let (words_end, place) = (buffer.len() / WORD * WORD, self.place(items));
        if !self.made {
            let (words, rest) = buffer.split_at_mut(words_end);
            self.payload.fill(words, place);
            rest.iter_mut().enumerate().for_each(|(index, byte)| *byte = (words_end + index) as u8);
            self.made = true;
        } else if self.payload.depends_on_offset() {
            self.payload.prepare(&mut buffer[..words_end], place);
        }
    }
}

/// Fills a buffer with data that is never written, so that missing data is detected.
pub(super) fn poison_buffer(buffer: &mut [u8]) {
    let words_end = buffer.len() / WORD * WORD;
    let (words, rest) = buffer.split_at_mut(words_end);
    poison_pages(words);
    rest.iter_mut().enumerate().for_each(|(index, byte)| *byte = !((words_end + index) as u8));
}
