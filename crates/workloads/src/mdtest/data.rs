//! The data that is written into files, and how a reader checks it (mdtest 4.1).
//!
//! The number of the item takes the place of the offset.

use command::mdtest::Request;

use super::items::Items;
use crate::kit::payload::{DataIdentity, DataKey, Packet, Payload, file_id_of, text_id};
use crate::kit::small_data::{SmallData, words_end};

/// The data of files of one length.
pub(super) struct FileData {
    data: SmallData,
    /// The number of the text on which stamped data depends.
    of: Option<u64>,
    /// Bytes of the file, if known.
    length: Option<usize>,
}

impl FileData {
    /// Data of this run's seed.
    pub(super) fn new(parameters: &Request, signature: i32, key: Option<DataKey>) -> Self {
        let packet = parameters.packet;
        let of = text_id(parameters.data_of.as_deref());
        let identity = DataIdentity { packet, signature, key, ..DataIdentity::default() };
        let length = usize::try_from(parameters.write_bytes).ok().filter(|length| *length > 0);
        Self { data: SmallData::new(identity), of, length }
    }

    /// Selects the item whose data is made next.
    pub(super) fn select(&mut self, items: &Items<'_>) {
        let own = self.payload().identity();
        let mut wanted = DataIdentity { rank: items.owner().into(), ..own };
        if own.packet == Packet::Stamped {
            wanted.file = file_id_of(self.of, items.name().to_bytes());
        }
        self.data.select(wanted);
    }

    pub(super) fn payload(&self) -> Payload {
        self.data.payload()
    }

    /// The number that takes the place of the offset.
    pub(super) fn place(&self, items: &Items<'_>) -> u64 {
        if self.payload().identity().packet == Packet::Stamped { 0 } else { items.number() }
    }

    /// Where the words of the first `bytes` of a file end, and whether that is known. A reader without the
    /// length of the files assumes that they are as long as what it reads.
    pub(super) fn words_end(&self, bytes: usize) -> (usize, bool) {
        let length = self.length.unwrap_or(bytes);
        (bytes.min(words_end(length)), self.length.is_some())
    }

    /// Makes the data of the selected item, in a buffer that is used for nothing else.
    pub(super) fn make(&mut self, buffer: &mut [u8], items: &Items<'_>) {
        let place = self.place(items);
        self.data.make(buffer, place);
    }
}
