//! What is written into files, and how a reader knows that it came back (mdtest 4.1).
//!
//! The words are those of the packet types, which take the number of the item where others take an offset;
//! bytes behind the last whole word hold their place in the file, modulo 256.

use super::items::Items;
use super::parameters::MdtestParameters;
use crate::kit::payload::{DataIdentity, Packet, Payload, file_id, poison_pages};

/// Bytes of a word.
pub(super) const WORD: usize = 8;

/// The data of files that are so long.
pub(super) struct FileData {
    payload: Payload,
    /// Bytes of the file, as far as that is known.
    length: Option<usize>,
    /// Whether a buffer was made for this payload before.
    made: bool,
}

impl FileData {
    /// Data of this run's seed.
    pub(super) fn new(parameters: &MdtestParameters, signature: i32) -> Self {
        let identity = DataIdentity { packet: parameters.packet, signature, ..DataIdentity::default() };
        let length = usize::try_from(parameters.write_bytes).ok().filter(|length| *length > 0);
        Self { payload: Payload::new(identity), length, made: false }
    }

    /// Takes aim at an item: from now on its data is meant.
    pub(super) fn aim(&mut self, items: &Items<'_>) {
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

    /// What stands for the offset.
    pub(super) fn place(&self, items: &Items<'_>) -> u64 {
        if self.payload.identity().packet == Packet::Stamped { 0 } else { items.number() }
    }

    /// Where the words of the first `bytes` of a file end, and whether that is known: a reader who was not
    /// told how long the files are takes them to be as long as what it reads.
    pub(super) fn words_end(&self, bytes: usize) -> (usize, bool) {
        let length = self.length.unwrap_or(bytes);
        (bytes.min(length / WORD * WORD), self.length.is_some())
    }

    /// Makes the data of the item aimed at, in a buffer that is used for nothing else.
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

/// Makes a buffer hold what is never written, so that what does not arrive is seen.
pub(super) fn spoil(buffer: &mut [u8]) {
    let words_end = buffer.len() / WORD * WORD;
    let (words, rest) = buffer.split_at_mut(words_end);
    poison_pages(words);
    rest.iter_mut().enumerate().for_each(|(index, byte)| *byte = !((words_end + index) as u8));
}
