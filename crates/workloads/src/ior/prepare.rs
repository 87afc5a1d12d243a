//! What a rank needs for a phase, made and touched before any clock starts.

use std::path::Path;

use measure::{Clock, Meter};
use storage::{Buffer, Queue};

use super::phase::{PhaseKind, Repetition};
use super::test::RunningTest;
use super::transfer::{Does, Memory};
use crate::kit::drive::words;
use crate::kit::end::FileEnd;
use crate::kit::mix::Mix;
use crate::kit::payload::{self, Payload, SpreadPieces};
use crate::kit::permutation::seed_of;
use crate::kit::tally::TransferTally;
use crate::kit::transfer_log::TransferLog;

/// The data in the buffers of this test: with a backend that moves all segments at once, that of each.
pub(super) fn spread(test: &RunningTest<'_>, payload: Payload) -> Payload {
    if test.call_bytes() == test.parameters.transfer {
        return payload;
    }
    let stride = test.layout().segment_stride();
    payload.spread(SpreadPieces { piece: test.parameters.transfer as usize, stride })
}

/// The buffers, filled with data that is to be written or with what is never written. Fails in one line where
/// there is no memory or no queue.
pub(super) fn memory(test: &RunningTest<'_>, kind: PhaseKind, payload: &Payload) -> Result<Memory, String> {
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
        PhaseKind::Write => Memory::Buffers(written(buffer()?), None),
        PhaseKind::Mixed => Memory::Buffers(written(buffer()?), Some(spoilt(buffer()?))),
        _ => Memory::Buffers(spoilt(buffer()?), None),
    })
}

fn fill_slots(queue: &mut dyn Queue, kind: PhaseKind, payload: &Payload) {
    for slot in 0..queue.depth() {
        match kind {
            PhaseKind::Write => payload.fill(queue.buffer(slot), 0),
            _ => payload::poison(queue.buffer(slot)),
        }
    }
}

/// Where the file ends that this rank is about to read, where its size says that.
pub(super) fn end(test: &RunningTest<'_>, kind: PhaseKind, path: &Path, payload: &Payload) -> FileEnd {
    let storage = test.storage;
    if kind.writes() || !storage.keeps_data() || !storage.is_bare() || storage.is_device(path) {
        return FileEnd::UNKNOWN;
    }
    // A file that is not there or cannot be asked fails, with its words, when it is opened.
    let bytes = storage.size(path).unwrap_or(None);
    bytes.map_or(FileEnd::UNKNOWN, |bytes| FileEnd::new(bytes, payload.by_piece().map(|(spread, _)| spread)))
}

/// Most transfers of this rank under way at once.
pub(super) fn depth(memory: &Memory) -> u32 {
    match memory {
        Memory::Buffers(..) => 1,
        Memory::Queue(queue) => queue.depth().try_into().unwrap_or(u32::MAX),
    }
}

/// What the phase does with its transfers.
pub(super) fn does(test: &RunningTest<'_>, kind: PhaseKind, repetition: Repetition) -> Does {
    match (kind, test.parameters.mix) {
        (PhaseKind::Write, _) => Does::Write,
        (PhaseKind::Mixed, Some(percent)) => {
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
    test: &RunningTest<'_>,
    kind: PhaseKind,
    repetition: Repetition,
    transfers: u64,
) -> Result<TransferTally, String> {
    let scale = test.rank.clock.scale();
    let bytes = test.call_bytes();
    let meter = || Meter::new(scale, bytes);
    let mixed = kind == PhaseKind::Mixed;
    let create = |name: String| TransferLog::create(Path::new(&name), scale, bytes, transfers, mixed);
    let log = log_name(test, kind, repetition).map(create).transpose()?;
    let tally = TransferTally::new(meter()).logged(log).watched(test.rank.row(test.parameters.test));
    Ok(if mixed { tally.mixed(meter()) } else { tally })
}

/// The name of IOR 4.1, `PREFIX-REPETITION-RANK.csv`; where a test writes too, the other phases say which
/// they are, so that they do not overwrite the write's.
fn log_name(test: &RunningTest<'_>, kind: PhaseKind, repetition: Repetition) -> Option<String> {
    let prefix = test.parameters.transfer_csv.as_ref()?;
    let (number, rank) = (repetition.number, test.rank.comm.rank());
    Some(match test.parameters.write && kind != PhaseKind::Write {
        true => format!("{prefix}-{number}-{rank:05}.{}.csv", kind.name()),
        false => format!("{prefix}-{number}-{rank:05}.csv"),
    })
}
