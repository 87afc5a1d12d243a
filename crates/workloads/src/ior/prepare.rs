//! What a rank needs for a phase, allocated and touched before any clock starts.

use std::path::{Path, PathBuf};

use command::FileForm;
use measure::{Clock, Meter};
use storage::{Buffer, Queue};

use super::setting::{self, PhaseKind, Repetition};
use super::test::RunningTest;
use super::transfer::{Memory, TransferMode};
use crate::kit::end::FileEnd;
use crate::kit::failed_call::{path_and_words, words};
use crate::kit::mix::Mix;
use crate::kit::payload::{self, Payload, SpreadPieces};
use crate::kit::permutation::seed_of;
use crate::kit::tally::TransferTally;
use crate::kit::transfer_log::TransferLog;

/// The data in the buffers of this test. If the backend moves all segments at once, a buffer holds a piece of
/// each.
pub(super) fn spread(test: &RunningTest<'_>, payload: Payload) -> Payload {
    if test.call_bytes() == test.parameters.transfer {
        return payload;
    }
    let stride = test.layout().segment_stride();
    payload.spread(SpreadPieces { piece: test.parameters.transfer as usize, stride })
}

/// The buffers, filled with the data to write, or with a word that is never written. Fails with one line if
/// there is no memory or no queue.
pub(super) fn memory(test: &RunningTest<'_>, kind: PhaseKind, payload: &Payload) -> Result<Memory, String> {
    let bytes = test.call_bytes() as usize;
    let written = |mut buffer: Buffer| {
        payload.fill(buffer.bytes_mut(), 0);
        buffer
    };
    let poisoned = |mut buffer: Buffer| {
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
        PhaseKind::Mixed => Memory::Buffers(written(buffer()?), Some(poisoned(buffer()?))),
        _ => Memory::Buffers(poisoned(buffer()?), None),
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

/// The end of the file that this rank is about to read, if the size of the file gives it.
pub(super) fn end(test: &RunningTest<'_>, kind: PhaseKind, path: &Path, payload: &Payload) -> FileEnd {
    let (storage, able) = (test.storage, test.parameters.abilities());
    let has_size = able.keeps_data && able.form == FileForm::Bytes;
    if kind.writes() || !has_size || storage.is_device(path) {
        return FileEnd::UNKNOWN;
    }
    // If the file is missing or cannot be queried, its open reports the error.
    let bytes = storage.size(path).unwrap_or(None);
    bytes.map_or(FileEnd::UNKNOWN, |bytes| FileEnd::new(bytes, payload.by_piece().map(|(spread, _)| spread)))
}

/// Most outstanding transfers of this rank.
pub(super) fn depth(memory: &Memory) -> u32 {
    match memory {
        Memory::Buffers(..) => 1,
        Memory::Queue(queue) => queue.depth().try_into().unwrap_or(u32::MAX),
    }
}

/// What the phase does with its transfers.
pub(super) fn mode(test: &RunningTest<'_>, kind: PhaseKind, repetition: Repetition) -> TransferMode {
    match (kind, test.parameters.mix) {
        (PhaseKind::Write, _) => TransferMode::Write,
        (PhaseKind::Mixed, Some(percent)) => {
            // If transfers or syncs are collective calls, all ranks must make the same calls.
            let together = test.parameters.abilities().collective && !test.parameters.file_per_rank;
            let source = if together { 0 } else { test.rank.comm.rank() };
            let seed = seed_of(&[repetition.offset_seed, source.into()]);
            TransferMode::Mix(Mix::new(percent, seed))
        }
        _ => TransferMode::Read,
    }
}

/// The tally for this rank's stamps. Fails with one line if the log of single transfers cannot be created.
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
    let create = |name: PathBuf| TransferLog::create(&name, bytes, transfers, mixed);
    let log = log_path(test, kind, repetition)?.map(create).transpose()?;
    let tally = TransferTally::new(meter()).logged(log).watched(test.rank.row(test.parameters.test));
    Ok(if mixed { tally.mixed(meter()) } else { tally })
}

/// The log of a phase. As in IOR 4.1, `PREFIX-REPETITION-RANK.csv` is that of the last phase. The log of a
/// phase before it is not overwritten but renamed to `PREFIX.PHASE-REPETITION-RANK.csv`. Programs read all
/// files `PREFIX-*` as those of one phase. A mixed phase never has the first name, because its log has more
/// columns.
fn log_path(
    test: &RunningTest<'_>,
    kind: PhaseKind,
    repetition: Repetition,
) -> Result<Option<PathBuf>, String> {
    let Some(prefix) = &test.parameters.transfer_csv else { return Ok(None) };
    let rest = format!("-{}-{:05}.csv", repetition.number, test.rank.comm.rank());
    let apart = |kind: PhaseKind| PathBuf::from(format!("{prefix}.{}{rest}", kind.name()));
    if kind == PhaseKind::Mixed {
        return Ok(Some(apart(kind)));
    }
    let last = PathBuf::from(format!("{prefix}{rest}"));
    let before = setting::kinds(test.parameters).into_iter().take_while(|earlier| *earlier != kind);
    if let Some(earlier) = before.filter(|earlier| *earlier != PhaseKind::Mixed).last() {
        std::fs::rename(&last, apart(earlier)).map_err(|error| path_and_words(&last, &error))?;
    }
    Ok(Some(last))
}
