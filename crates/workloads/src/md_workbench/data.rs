//! The data of an object, as md-workbench 4.1 writes it.
//!
//! The number of the object takes the place of the offset.

use crate::kit::payload::{DataIdentity, Packet};
use crate::kit::small_data::SmallData;

/// The data of the objects of one rank.
pub(super) struct ObjectData(SmallData);

impl ObjectData {
    pub(super) fn new(packet: Packet, signature: i32) -> Self {
        Self(SmallData::new(DataIdentity { packet, signature, ..DataIdentity::default() }))
    }

    /// Selects the rank in whose data set the object is.
    fn select(&mut self, owner: u32) {
        let own = self.0.payload().identity();
        self.0.select(DataIdentity { rank: owner.into(), ..own });
    }

    /// Makes the data of an object in a buffer that is used for nothing else.
    pub(super) fn make(&mut self, buffer: &mut [u8], owner: u32, number: u64) {
        self.select(owner);
        self.0.make(buffer, number);
    }

    /// The data of an object of this length.
    pub(super) fn expected(&self, bytes: usize, owner: u32, number: u64) -> Vec<u8> {
        let own = self.0.payload().identity();
        let mut buffer = vec![0; bytes];
        SmallData::new(DataIdentity { rank: owner.into(), ..own }).make(&mut buffer, number);
        buffer
    }

    /// Whether a buffer holds the data of an object.
    pub(super) fn holds(&mut self, buffer: &[u8], owner: u32, number: u64) -> bool {
        self.select(owner);
        self.0.holds(buffer, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::small_data::poison_buffer;

    #[test]
    fn each_object_has_data_of_its_own_unless_the_type_is_the_same_for_all() {
        for packet in [Packet::Timestamp, Packet::Offset, Packet::Incompressible, Packet::Random] {
            let (mut writer, mut reader) = (ObjectData::new(packet, 7), ObjectData::new(packet, 7));
            let mut buffer = vec![0; 3901];
            for (owner, number) in [(0, 0), (0, 1), (3, 1), (0, 9)] {
                writer.make(&mut buffer, owner, number);
                assert!(reader.holds(&buffer, owner, number), "{packet:?} {owner} {number}");
                assert_eq!(reader.expected(buffer.len(), owner, number), buffer, "{packet:?}");
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
