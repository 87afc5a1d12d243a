//! The data of an object, as md-workbench 4.1 writes it.
//!
//! The words are those of the packet type, with the number of the object in place of the offset. Bytes after
//! the last whole word hold their place in the object, modulo 256.

use crate::kit::payload::{DataIdentity, Packet, Payload, poison_pages};

/// Bytes of a word.
const WORD: usize = 8;

/// The data of the objects of one rank.
pub(super) struct ObjectData {
    payload: Payload,
    /// Whether the buffer already holds data of this payload.
    made: bool,
}

impl ObjectData {
    pub(super) fn new(packet: Packet, signature: i32) -> Self {
        let identity = DataIdentity { packet, signature, ..DataIdentity::default() };
        Self { payload: Payload::new(identity), made: false }
    }

    /// Selects the rank in whose data set the object is.
    fn select(&mut self, owner: u32) {
        let own = self.payload.identity();
        if own.rank != u64::from(owner) {
            self.payload = Payload::new(DataIdentity { rank: owner.into(), ..own });
            self.made = false;
        }
    }

    /// Makes the data of an object in a buffer that is used for nothing else.
    pub(super) fn make(&mut self, buffer: &mut [u8], owner: u32, number: u64) {
        self.select(owner);
        let (words, rest) = buffer.split_at_mut(buffer.len() / WORD * WORD);
        if !self.made {
            self.payload.fill(words, number);
            let first = words.len();
            rest.iter_mut().enumerate().for_each(|(index, byte)| *byte = (first + index) as u8);
            self.made = true;
        } else if self.payload.depends_on_offset() {
            self.payload.prepare(words, number);
        }
    }

    /// Whether a buffer holds the data of an object.
    pub(super) fn holds(&mut self, buffer: &[u8], owner: u32, number: u64) -> bool {
        self.select(owner);
        let (words, rest) = buffer.split_at(buffer.len() / WORD * WORD);
        let place = |index: usize| (words.len() + index) as u8;
        self.payload.holds(words, number)
            && rest.iter().enumerate().all(|(index, byte)| *byte == place(index))
    }
}

/// Fills a buffer with data that is never written, so that missing data is detected.
pub(super) fn poison_buffer(buffer: &mut [u8]) {
    let end = buffer.len() / WORD * WORD;
    let (words, rest) = buffer.split_at_mut(end);
    poison_pages(words);
    rest.iter_mut().enumerate().for_each(|(index, byte)| *byte = !((end + index) as u8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_object_has_data_of_its_own_unless_the_type_is_the_same_for_all() {
        for packet in [Packet::Timestamp, Packet::Offset, Packet::Incompressible, Packet::Random] {
            let (mut writer, mut reader) = (ObjectData::new(packet, 7), ObjectData::new(packet, 7));
            let mut buffer = vec![0; 3901];
            for (owner, number) in [(0, 0), (0, 1), (3, 1), (0, 9)] {
                writer.make(&mut buffer, owner, number);
                assert!(reader.holds(&buffer, owner, number), "{packet:?} {owner} {number}");
                assert!(!reader.holds(&buffer, owner + 1, number), "of another rank");
                let same = packet == Packet::Timestamp;
                assert_eq!(reader.holds(&buffer, owner, number + 2), same, "{packet:?} of another object");
            }
            let last = buffer.len() - 1;
            buffer[last] ^= 1;
            assert!(!reader.holds(&buffer, 0, 9), "the rest is compared too");
            poison_buffer(&mut buffer);
            assert!(!reader.holds(&buffer, 0, 9));
        }
    }
}
