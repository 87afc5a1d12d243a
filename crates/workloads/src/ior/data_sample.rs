//! Whether what a plain read returned is data of `-l stamped` at all: a few blocks of it, compared
//! afterwards.
//!
//! A read without comparison would be fast from a file that was never written, or that another program made
//! again. Each stamp says which file and which place it belongs to, so no option is needed to check it. The
//! blocks are read again after the phase, so the phase is not slower. They come from the page cache, which
//! has the data that the phase read, or from storage.
//!
//! Invariant: nothing happens between the start and the end of a phase.
//! Never here: the comparison of every transfer (`-R`).

use std::io;
use std::path::Path;

use command::FileForm;
use ranks::{Halt, Reduce};
use results::record::SampledData;
use storage::{Buffer, Mode, Open};

use super::layout::open;
use super::setting::PhaseKind;
use super::test::RunningTest;
use crate::kit::order::TransferOrder;
use crate::kit::payload::blocks::BLOCK;
use crate::kit::payload::{BlockStamp, DataKey, Packet, Payload, file_id_of, read_stamp, text_id};
use crate::kit::permutation::seed_of;

/// Blocks that a rank compares.
const SAMPLES: u64 = 16;

/// The places to compare.
pub(super) struct DataSample {
    /// Whether the phase has data to compare; the same on all ranks.
    applies: bool,
    /// Number of the transfer, and the offset of a block in it.
    places: Vec<(u64, u64)>,
}

impl DataSample {
    /// Chooses blocks among the `transfers` of this rank, by random numbers of the kernel; none where the
    /// data has no stamps.
    pub(super) fn choose(
        test: &RunningTest<'_>,
        kind: PhaseKind,
        order: &mut TransferOrder,
        transfers: u64,
    ) -> Self {
        let able = test.parameters.abilities();
        let has_stamps = test.parameters.packet == Packet::Stamped && able.form == FileForm::Bytes;
        let is_read = kind == PhaseKind::Read && able.keeps_data;
        let applies = has_stamps && is_read;
        let samples = if applies { SAMPLES.min(transfers) } else { 0 };
        let seed = storage::unforeseen();
        let place = |number: u64| {
            let picked = seed_of(&[seed, number]);
            let transfer = picked % transfers;
            let mut offset = [0];
            order.fill(transfer, &mut offset);
            // Only blocks that lie completely in the transfer have a single writer.
            let first = offset[0].next_multiple_of(BLOCK);
            let blocks = (offset[0] + test.parameters.transfer).saturating_sub(first) / BLOCK;
            (blocks > 0).then(|| (transfer, first + seed_of(&[picked]) % blocks * BLOCK))
        };
        Self { applies, places: (0..samples).filter_map(place).collect() }
    }

    /// Compares those among the first `done` transfers of the file at `path`, on all ranks; `None` if there
    /// are none. Collective.
    pub(super) fn compare(
        &self,
        test: &RunningTest<'_>,
        path: &Path,
        done: u64,
    ) -> Result<Option<SampledData>, Halt> {
        if !self.applies {
            return Ok(None);
        }
        let places: Vec<u64> =
            self.places.iter().filter(|(number, _)| *number < done).map(|(_, offset)| *offset).collect();
        // A file that cannot be read here was read in the phase, and nothing is concluded from it.
        let wrong = wrong_blocks(test, path, &places).ok();
        let mut sums = [wrong.map_or(0, |_| places.len() as u64), wrong.unwrap_or(0)];
        test.rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
        let [blocks, wrong] = sums;
        Ok((blocks > 0).then_some(SampledData { blocks, wrong }))
    }
}

/// How many of these blocks do not have the data of their place.
fn wrong_blocks(test: &RunningTest<'_>, path: &Path, places: &[u64]) -> io::Result<u64> {
    if places.is_empty() {
        return Ok(0);
    }
    let how = open(test.parameters, Mode::Read, test.rank.comm.size());
    let how = Open { shared: false, collective: false, ..how };
    let mut file = test.storage.open(test.rank.comm, path, how)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).as_encoded_bytes();
    let name = file_id_of(text_id(test.parameters.data_of.as_deref()), name);
    let mut block = Buffer::new(BLOCK as usize)?;
    let mut wrong = 0;
    for offset in places {
        block.bytes_mut().fill(0);
        file.read_at(block.bytes_mut(), *offset)?;
        wrong += u64::from(!is_right(block.bytes(), test.data_key, name, *offset));
    }
    file.close()?;
    Ok(wrong)
}

/// Whether a block has a stamp of this key, file and place, and the data that belongs to the stamp.
fn is_right(block: &[u8], key: Option<DataKey>, file: u64, offset: u64) -> bool {
    read_stamp(block, key).is_some_and(|BlockStamp { origin, offset: own }| {
        (origin.key, origin.file, own) == (key, file, offset) && Payload::new(origin).holds(block, offset)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::payload::DataIdentity;
    use crate::kit::payload::file_id;

    #[test]
    fn a_block_is_right_only_at_its_own_place_and_complete() {
        let file = file_id(b"f");
        let (key, other) = (DataKey::new(b"secret", ""), DataKey::new(b"other", ""));
        for key in [None, Some(key)] {
            let writer = DataIdentity { signature: 7, rank: 1, generation: 2, ..DataIdentity::default() };
            let origin = DataIdentity { packet: Packet::Stamped, file, key, ..writer };
            let mut block = vec![0; BLOCK as usize];
            Payload::new(origin).fill(&mut block, 3 * BLOCK);
            assert!(is_right(&block, key, file, 3 * BLOCK));
            assert!(!is_right(&block, key, file, 4 * BLOCK));
            assert!(!is_right(&block, key, file_id(b"g"), 3 * BLOCK));
            assert!(!is_right(&block, Some(other), file, 3 * BLOCK));
            assert!(!is_right(&vec![0; BLOCK as usize], key, file, 3 * BLOCK));
            block[4000] ^= 1;
            assert!(!is_right(&block, key, file, 3 * BLOCK));
        }
    }
}
