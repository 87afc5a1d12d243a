//! The identity of the data that a phase writes or expects, and how a reader finds the generation.

use std::path::Path;

use ranks::{Halt, Reduce};
use storage::{Buffer, Mode, Open};

use super::layout::open;
use super::setting::{PhaseKind, Repetition};
use super::test::RunningTest;
use crate::kit::order::TransferOrder;
use crate::kit::payload::blocks::BLOCK;
use crate::kit::payload::{DataIdentity, Packet, Payload, file_id_of, read_stamp, text_id};

/// Number of a rank's transfers that are read to find the generation.
const SAMPLES: u64 = 8;

/// The data of `owner` in the file `path`, for a phase that does `transfers` of `order`.
pub(super) fn payload(
    test: &RunningTest<'_>,
    kind: PhaseKind,
    repetition: Repetition,
    owner: u32,
    path: &Path,
    (order, transfers): (&mut TransferOrder, u64),
) -> Result<Payload, Halt> {
    let parameters = test.parameters;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let mut identity = DataIdentity {
        packet: parameters.packet,
        signature: repetition.signature,
        rank: owner.into(),
        file: file_id_of(text_id(parameters.data_of.as_deref()), name.as_encoded_bytes()),
        generation: parameters.generation.unwrap_or(0),
        key: test.data_key,
    };
    // A mixed phase writes the data that it finds.
    let cares = matches!(kind, PhaseKind::WriteCheck | PhaseKind::ReadCheck | PhaseKind::Mixed);
    let known = parameters.write || parameters.generation.is_some();
    if parameters.write || parameters.multi_file {
        // Each repetition writes a new generation, into the file of the one before or into its own.
        identity.generation = identity.generation.wrapping_add(repetition.number);
    }
    if !known && cares && parameters.packet == Packet::Stamped && test.parameters.abilities().keeps_data {
        identity.generation = newest_generation(test, identity, path, order, transfers)?;
    }
    Ok(Payload::new(identity))
}

/// The largest generation in the stamps of any rank's file; 0 if there are none. It is read through a
/// separate handle, before any clock starts.
fn newest_generation(
    test: &RunningTest<'_>,
    identity: DataIdentity,
    path: &Path,
    order: &mut TransferOrder,
    transfers: u64,
) -> Result<u32, Halt> {
    // If a file cannot be read here, the phase reports the error when it reads the file.
    let mine = newest_of_file(test, identity, path, order, transfers).unwrap_or(0);
    Ok(test.rank.comm.reduce_one(mine.into(), Reduce::Max)? as u32)
}

fn newest_of_file(
    test: &RunningTest<'_>,
    identity: DataIdentity,
    path: &Path,
    order: &mut TransferOrder,
    transfers: u64,
) -> std::io::Result<u32> {
    let how = open(test.parameters, Mode::Read, test.rank.comm.size());
    let how = Open { shared: false, collective: false, ..how };
    let mut file = test.storage.open(test.rank.comm, path, how)?;
    let mut page = Buffer::new(BLOCK as usize)?;
    let mut newest = 0;
    for number in (0..transfers).step_by(transfers.div_ceil(SAMPLES).max(1) as usize) {
        let mut offset = [0];
        order.fill(number, &mut offset);
        page.bytes_mut().fill(0);
        file.read_at(page.bytes_mut(), offset[0] / BLOCK * BLOCK)?;
        let stamp = read_stamp(page.bytes(), identity.key).map(|stamp| stamp.origin);
        let of = |identity: &DataIdentity| (identity.signature, identity.file, identity.key);
        let ours = stamp.filter(|stamp| of(stamp) == of(&identity));
        newest = newest.max(ours.map_or(0, |origin| origin.generation));
    }
    file.close()?;
    Ok(newest)
}
