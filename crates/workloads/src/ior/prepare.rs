//! What a rank needs for a phase, made and touched before any clock starts.

use std::path::Path;

use measure::{Clock, Meter};
use storage::{Buffer, Queue};

use super::phase::{Kind, Repetition};
use super::test::Test;
use super::transfer::{Does, Memory};
use crate::kit::drive::words;
use crate::kit::end::End;
use crate::kit::mix::Mix;
use crate::kit::payload::{self, Payload, Spread};
use crate::kit::permutation::seed_of;
use crate::kit::tally::Tally;
use crate::kit::transfer_log::TransferLog;

/// The data in the buffers of this test: with a backend that moves all segments at once, that of each.
pub(super) fn spread(test: &Test<'_>, payload: Payload) -> Payload {
    if test.call_bytes() == test.parameters.transfer {
        return payload;
    }
    let stride = test.layout().segment_stride();
    payload.spread(Spread { piece: test.parameters.transfer as usize, stride })
}

/// The buffers, filled with data that is to be written or with what is never written. Fails in one line where
/// there is no memory or no queue.
pub(super) fn memory(test: &Test<'_>, kind: Kind, payload: &Payload) -> Result<Memory, String> {
    let bytes = test.call_bytes() as usize;
    let written = |mut buffer: Buffer| {
        payload.fill(buffer.bytes_mut(), 0);
        buffer
    };
    let spoilt = |mut buffer: Buffer| {
        payload::poison(buffer.bytes_mut());
        buffer
    };
    if let Some(mut queue) =
        test.storage.queue(test.parameters.depth, bytes).map_err(|error| words(&error))?
    {
        fill_slots(&mut *queue, kind, payload);
        return Ok(Memory::Queue(queue));
    }
    let buffer = || Buffer::new(bytes).map_err(|error| words(&error));
    Ok(match kind {
        Kind::Write => Memory::Buffers(written(buffer()?), None),
        Kind::Mixed => Memory::Buffers(written(buffer()?), Some(spoilt(buffer()?))),
        _ => Memory::Buffers(spoilt(buffer()?), None),
    })
}

fn fill_slots(queue: &mut dyn Queue, kind: Kind, payload: &Payload) {
    for slot in 0..queue.depth() {
        match kind {
            Kind::Write => payload.fill(queue.buffer(slot), 0),
            _ => payload::poison(queue.buffer(slot)),
        }
    }
}

/// Where the file ends that this rank is about to read, where its size says that.
pub(super) fn end(test: &Test<'_>, kind: Kind, path: &Path, payload: &Payload) -> End {
    let storage = test.storage;
    if kind.writes() || !storage.keeps_data() || !storage.is_bare() || storage.is_device(path) {
        return End::UNKNOWN;
    }
    // A file that is not there or cannot be asked fails, with its words, when it is opened.
    let bytes = storage.size(path).unwrap_or(None);
    bytes.map_or(End::UNKNOWN, |bytes| End::new(bytes, payload.by_piece().map(|(spread, _)| spread)))
}

/// Most transfers of this rank under way at once.
pub(super) fn depth(memory: &Memory) -> u32 {
    match memory {
        Memory::Buffers(..) => 1,
        Memory::Queue(queue) => queue.depth().try_into().unwrap_or(u32::MAX),
    }
}

/// What the phase does with its transfers.
pub(super) fn does(test: &Test<'_>, kind: Kind, repetition: Repetition) -> Does {
    match (kind, test.parameters.mix) {
        (Kind::Write, _) => Does::Write,
        (Kind::Mixed, Some(percent)) => {
            // Where transfers or syncs are calls that all ranks make together, all have to make the same.
            let together = test.storage.is_collective() && !test.parameters.file_per_rank;
            let whose = if together { 0 } else { test.rank.comm.rank() };
            let seed = seed_of(&[repetition.offset_seed, whose.into()]);
            Does::Mix(Mix::new(percent, seed))
        }
        _ => Does::Read,
    }
}

/// Where this rank's stamps go. Fails in one line where the log of single transfers cannot be made.
pub(super) fn tally(
    test: &Test<'_>,
    kind: Kind,
    repetition: Repetition,
    transfers: u64,
) -> Result<Tally, String> {
    let scale = test.rank.clock.scale();
    let bytes = test.call_bytes();
    let meter = || Meter::new(scale, bytes);
    let log = match log_name(test, kind, repetition) {
        None => None,
        Some(name) if kind == Kind::Mixed => {
            Some(TransferLog::create_mixed(Path::new(&name), scale, bytes, transfers)?)
        }
        Some(name) => Some(TransferLog::create(Path::new(&name), scale, bytes, transfers)?),
    };
    let tally = Tally::new(meter()).logged(log).watched(test.rank.row(test.parameters.test));
    Ok(if kind == Kind::Mixed { tally.mixed(meter()) } else { tally })
}

/// The name of IOR 4.1, `PREFIX-REPETITION-RANK.csv`; where a test writes too, the other phases say which
/// they are, so that they do not overwrite the write's.
fn log_name(test: &Test<'_>, kind: Kind, repetition: Repetition) -> Option<String> {
    let prefix = test.parameters.transfer_csv.as_ref()?;
    let (number, rank) = (repetition.number, test.rank.comm.rank());
    Some(match test.parameters.write && kind != Kind::Write {
        true => format!("{prefix}-{number}-{rank:05}.{}.csv", kind.name()),
        false => format!("{prefix}-{number}-{rank:05}.csv"),
    })
}
